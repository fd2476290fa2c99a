package import TenonLexer
package import TenonParser

/// What the text of a file has done so far: loaded again, it does only what is new in it.
package struct LoadedText {
  /// A statement at top level that has been run.
  fileprivate struct Done {
    let source: SourceText
    let range: SourceRange
  }

  /// What to do with a statement of a text that is loaded again.
  package enum Treatment {
    /// It is run: it is new, or defines or connects something.
    case run
    /// What it has done stays.
    case keep
    /// The variable keeps its value and gets the type that the declaration says.
    case declare(Statement)
  }

  /// The statements that have been run, by what they say.
  private var done: [String: [Done]] = [:]
  /// What the statements say that have connected something.
  package private(set) var connected: Set<String> = []
  /// The variables that the text declares or assigns at top level, in the order in which it names them.
  package var variables: [String] = []
  /// The classes that it defines, in that order.
  package var classes: [String] = []
  /// The methods that it defines outside of classes: `Script>>area`, `Script class>>area`.
  package var methods: [LoadedMethod] = []

  /// The names of what a text declares and defines; nothing of it has been run yet.
  package init(_ statements: [Statement]) {
    for statement in statements {
      for name in statement.namedVariables where !variables.contains(name) {
        variables.append(name)
      }
      guard case .definition(let definition) = statement else { continue }
      switch definition {
      case .class(let definition): classes.append(definition.name.text)
      case .scheme(let definition): classes.append(definition.name.text)
      case .filter(let definition): classes.append(definition.name.text)
      case .method(let method): methods.append(LoadedMethod(method, of: "Script"))
      case .extension(let definition):
        for case .method(let method) in definition.members {
          methods.append(LoadedMethod(method, of: definition.name.text))
        }
      case .protocol, .template, .group, .connector: break
      }
    }
  }

  /// Notes that a statement has been run.
  package mutating func note(_ statement: Statement, in source: SourceText) {
    if statement.isRemade { connected.insert(SyntaxPrinter.print(statement)) }
    guard let key = statement.key else { return }
    done[key, default: []].append(Done(source: source, range: statement.range))
  }

  /// Notes that what statements have done before stays as it is.
  package mutating func take(_ statements: Kept) {
    for (key, each) in statements.entries { done[key, default: []] += each }
  }

  /// What statements have done that a new text has as well.
  package struct Kept {
    fileprivate var entries: [String: [Done]] = [:]

    package init() {}

    /// Whether one of them stands around a place.
    package func contains(_ range: SourceRange, in source: SourceText) -> Bool {
      entries.values.joined().contains {
        $0.source === source && $0.range.start <= range.start && range.end <= $0.range.end
      }
    }
  }

  /// What to do with each statement of a text, given what has been done before.
  ///
  /// - Complexity: O(bytes of the text).
  package func treatments(of statements: [Statement]) -> (treatments: [Treatment], kept: Kept) {
    var left = done
    var kept = Kept()
    let treatments = statements.map { statement -> Treatment in
      guard let key = statement.key, var known = left[key], !known.isEmpty else { return .run }
      kept.entries[key, default: []].append(known.removeFirst())
      left[key] = known
      guard case .variable(let variable) = statement else { return .keep }
      return .declare(
        .variable(
          VariableStatement(
            isConstant: variable.isConstant, type: variable.type, name: variable.name, value: nil,
            range: variable.range)))
    }
    return (treatments, kept)
  }
}

/// A method that a text defines outside of classes.
package struct LoadedMethod: Hashable {
  package let className: String
  package let selector: String
  package let isClassMethod: Bool

  package init(_ method: MethodDefinition, of className: String) {
    self.className = className
    selector = method.header.selector
    isClassMethod = method.isClassMethod
  }

  package var description: String { "\(className)\(isClassMethod ? " class" : "")>>\(selector)" }
}

extension Statement {
  /// Whether it makes a connection each time that its text is loaded.
  package var isRemade: Bool {
    switch self {
    case .expression(let expression): expression.isConnected
    case .variable(let variable): variable.value?.isConnected ?? false
    default: false
    }
  }

  /// What it says, for statements that are run once; nil for those that are run each time that their text is
  /// loaded.
  fileprivate var key: String? {
    if isRemade { return nil }
    switch self {
    case .definition, .import, .temporaries: return nil
    case .variable(let variable):
      // 'var x := 3' does what 'x := 3' does.
      return variable.value.map { "\(variable.name.text) := \(SyntaxPrinter.print($0))" }
    case .expression, .return: return SyntaxPrinter.print(self)
    }
  }

  /// Whether it gives the variables a value that it names.
  package var setsVariables: Bool {
    switch self {
    case .variable(let statement): statement.value != nil
    case .expression(.assignment): true
    default: false
    }
  }

  /// The variables of the script that it declares or assigns.
  package var namedVariables: [String] {
    switch self {
    case .temporaries(let statement): return statement.names.map(\.text)
    case .variable(let statement): return [statement.name.text]
    case .expression(.assignment(let assignment)):
      return assignment.target.variableName.map { [$0.text] } ?? []
    default: return []
    }
  }
}
