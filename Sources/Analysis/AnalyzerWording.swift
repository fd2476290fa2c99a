internal import TenonParser

/// What the analyzer says about a program that has not run yet.
package enum Wording {
  static func unknownNameBeforeEquals(_ name: String) -> String {
    "unknown name '\(name)'; '=' compares and ':=' assigns"
  }

  package static let programSignature =
    "a program gets its parameters from the host that compiles it"
  package static let programStatement =
    "a program consists of statements; definitions and imports stand in a script"

  package static func unknownName(_ name: String, suggestion: String?) -> String {
    if let hint = ForeignWords.hint(for: name) { return "unknown name '\(name)'; \(hint)" }
    let hint = suggestion.map { "; did you mean '\($0)'?" } ?? ""
    return "unknown name '\(name)'\(hint)"
  }

  /// What is said of `var:x := 1` where there is no `x`.
  static func undeclaredVariable(_ name: String, suggestion: String?) -> String {
    let hint = suggestion.map { "did you mean '\($0)'?" } ?? "'var \(name) := ...' declares it"
    return "unknown name '\(name)'; \(hint)"
  }

  static func scriptVariable(_ name: String) -> String {
    "'\(name)' is a variable of the script; a method of a class writes it as 'var:\(name)'"
  }

  static func unknownClass(_ name: String) -> String { "unknown class '\(name)'" }

  static func notAvailable(_ what: String) -> String { "\(what) is not available yet" }

  package static func waitsFor(_ name: String) -> String {
    "'\(name)' has no value yet; the connection waits for one"
  }

  static func unknownScheme(_ name: String, isClass: Bool, suggestion: String?) -> String {
    if isClass { return unmountedClass(name) }
    let hint =
      suggestion.map { "did you mean '\($0):'?" }
      ?? "a keyword message needs a receiver before '\(name):'"
    return missingScheme(name) ?? "unknown scheme '\(name)'; \(hint)"
  }

  /// What is said about the name of a class: a definition alone mounts nothing.
  package static func unmountedClass(_ name: String) -> String {
    "unknown scheme '\(name)'; 'scheme:\(name) := \(name) new' makes it known"
  }

  /// What is said about a scheme that is known although nothing is mounted there; nil for a name
  /// that is none of those.
  package static func missingScheme(_ name: String) -> String? {
    switch name {
    case "ui", "sync": notAvailable("the scheme '\(name)'")
    case "file", "env", "defaults", "http", "https", "sqlite", "process", "clock", "stdin",
      "stdout":
      "the scheme '\(name)' is not mounted"
    default: nil
    }
  }

  static func unknownInstanceVariable(_ name: String) -> String {
    "unknown instance variable '\(name)'"
  }

  static let misplacedLazy = "'<lazy>' is for variables of scripts and classes"

  package static func declaredTwice(_ name: String) -> String { "'\(name)' is declared already" }

  package static func constant(_ name: String) -> String {
    "'\(name)' is a val: it keeps the value that it has"
  }

  static func assignmentToArgument(_ name: String) -> String {
    "the argument '\(name)' cannot be assigned"
  }

  static func assignmentToParameter(_ name: String) -> String {
    "the block parameter '\(name)' cannot be assigned"
  }

  /// What stands against an assignment to a variable of an activation; nil for nothing.
  package static func assignment(to variable: Variable?) -> String? {
    guard let variable else { return nil }
    return switch variable.kind {
    case .temporary: nil
    case .argument: assignmentToArgument(variable.name)
    case .blockParameter: assignmentToParameter(variable.name)
    }
  }

  static func assignmentToClass(_ name: String) -> String {
    "the class '\(name)' cannot be assigned"
  }

  package static func noArgument(_ type: String) -> String {
    "an argument of the command cannot be made an instance of '\(type)'"
  }

  package static func argumentCount(_ wanted: Int, orMore: Bool, found: Int) -> String {
    let count = wanted == 1 ? "1 argument" : "\(wanted) arguments"
    return "\(count)\(orMore ? " or more" : "") expected, \(found) found"
  }

  package static func argument(_ name: String, mustBe type: String, found: String) -> String {
    "\(name.uppercased()) must be \(type), not '\(found)'"
  }

  /// What a type of a script's parameter asks for.
  package static func typeInUsage(_ type: String, _ typeWithArticle: String) -> String {
    switch type {
    case "ref": "a file, or a place as scheme:path"
    case "Array": "any number of texts"
    case "Boolean": "true or false"
    default: typeWithArticle
    }
  }

  static func computedVariable(_ scheme: String) -> String {
    "the name of a variable is written out: '\(scheme):name'"
  }

  static let superAlone = "'super' stands before a message, and nowhere else"

  package static let noImports = "'import' is not granted here: this interpreter reads no files"

  package static func importCycle(_ names: [String]) -> String {
    "an import of itself: " + names.map { "'\($0)'" }.joined(separator: " imports ")
  }

  package static func importsTooDeep(_ limit: Int) -> String {
    "more than \(limit) files that import one another"
  }

  package static func importWithSignature(_ path: String) -> String {
    "'\(path)' has a signature: it is a program of its own, to be run and not imported"
  }

  package static let tooHigh = "an expression of too many levels for the stack of this thread"

  static let definitionInside = "a definition must stand at top level"

  static func blockArity(_ selector: String, expected: Int, found: Int) -> String {
    "'\(selector)' needs a block with \(parameters(expected)), this one has \(parameters(found))"
  }

  private static func parameters(_ count: Int) -> String {
    switch count {
    case 0: "no parameters"
    case 1: "1 parameter"
    default: "\(count) parameters"
    }
  }
}
