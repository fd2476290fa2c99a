// Every sentence that an error of the runtime says, side by side. Lower case, no full stop; what
// was expected, what was found, names as the user wrote them.

internal import TenonAnalysis
internal import TenonSolverKit
internal import TenonLexer
internal import TenonStoreKit
internal import TenonText

extension Failure {
  static func unknownName(_ name: String) -> Failure {
    Failure(.error, "unknown name '\(name)'")
  }

  static func unknownName(_ name: String, suggestion: String?) -> Failure {
    Failure(.error, Wording.unknownName(name, suggestion: suggestion))
  }

  static func unassignedVariable(_ name: String) -> Failure {
    Failure(.unassignedVariable, "'\(name)' has no value yet")
  }

  static func notAvailable(_ what: String) -> Failure {
    Failure(.notAvailable, "\(what) is not available yet")
  }

  static func noSuperclass() -> Failure {
    Failure(.error, "there is no superclass for 'super' to start from")
  }

  static func cannotReturn() -> Failure {
    Failure(.cannotReturn, "BlockContext>>cannotReturn: the method has ended already")
  }

  static func zeroStep() -> Failure {
    Failure(.invalidArgument, "the step of a loop must not be 0")
  }

  static func wrongType(_ expected: String, found: String, variable: String) -> Failure {
    Failure(.invalidArgument, "'\(variable)' must be \(expected), not \(found)")
  }

  static func wrongResult(_ expected: String, found: String, method: String) -> Failure {
    Failure(.invalidArgument, "'\(method)' must answer \(expected), not \(found)")
  }

  static func notAClass(_ name: String) -> Failure {
    Failure(.error, "'\(name)' is no class")
  }

  static func notAFilter(_ name: String) -> Failure {
    Failure(.error, "'\(name)' is no filter")
  }

  static func notAConnector(_ name: String) -> Failure {
    Failure(.error, "'\(name)' is no connector")
  }

  static func notAProtocol(_ name: String) -> Failure {
    Failure(.error, "'\(name)' is no protocol")
  }

  static func classExists(_ name: String) -> Failure {
    Failure(.error, "'\(name)' is a class already")
  }

  static func constantAssigned(_ name: String) -> Failure {
    Failure(.error, Wording.constant(name))
  }

  static func invalidArgument(_ expected: String, found: String) -> Failure {
    Failure(.invalidArgument, "expected \(expected), found \(found)")
  }

  static func beyondFloats(_ value: String) -> Failure {
    Failure(.invalidArgument, "no float gives \(value)")
  }

  static func invalidDiagram(_ error: DiagramError) -> Failure {
    Failure(
      .invalidArgument,
      "line \(error.line), column \(error.column) of the diagram: \(error.message)")
  }

  static func invalidDiagram(_ diagnostics: [Diagnostic], in source: SourceText) -> Failure {
    guard let first = diagnostics.first(where: { $0.severity == .error }) else {
      return Failure(.invalidArgument, "the text of the program is wrong")
    }
    let place = source.location(of: first.range.start)
    return Failure(
      .invalidArgument,
      "line \(place.line), column \(place.column) of the program: \(first.message)")
  }

  static func inactiveException() -> Failure {
    Failure(.error, "the exception is not being handled")
  }

  static func immutable(_ what: String) -> Failure {
    Failure(.immutableObject, "\(what) cannot be changed")
  }

  static func empty() -> Failure { Failure(.notFound, "the collection is empty") }

  static func noInstances(_ name: String) -> Failure {
    Failure(.error, "\(name) has no instances that 'new' could make")
  }

  static func wrongSelectorArity(_ selector: String, expected: Int, given: Int) -> Failure {
    Failure(
      .wrongArgumentCount,
      "'\(selector)' takes \(count(expected, "argument")), not \(count(given, "argument"))")
  }

  static func notUTF8(_ what: String) -> Failure {
    Failure(.encodingError, "\(what) is not UTF-8")
  }

  static func interrupted() -> Failure { Failure(.error, "interrupted") }

  // MARK: Definitions

  static func kernelClass(_ name: String) -> Failure {
    Failure(.error, "'\(name)' is a class of the kernel; use 'extension \(name) { ... }'")
  }

  static func inheritsItself(_ name: String) -> Failure {
    Failure(.error, "'\(name)' cannot inherit from itself")
  }

  static func cannotInherit(_ name: String, from superclass: String) -> Failure {
    Failure(.error, "'\(name)' cannot inherit from '\(superclass)'")
  }

  /// A class body defines a method twice; `method` is its selector after `-` or `+`.
  static func definedTwice(_ method: String) -> Failure {
    Failure(.error, "the method '\(method)' is defined twice")
  }

  static func declaredTwice(_ name: String) -> Failure {
    Failure(.error, "the variable '\(name)' is declared already")
  }

  static func declaredBelow(_ name: String, in subclass: String) -> Failure {
    Failure(.error, "the variable '\(name)' is declared already, in the subclass '\(subclass)'")
  }

  static func extensionMember(_ name: String) -> Failure {
    Failure(.error, "an extension of '\(name)' can have methods only")
  }

  static func notAStore(_ name: String) -> Failure {
    Failure(.error, "a scheme inherits from a store, which '\(name)' is not")
  }

  static func patternsTie(_ left: String, _ right: String) -> Failure {
    Failure(.error, "the property paths '\(left)' and '\(right)' fit the same references")
  }

  // MARK: Reflection

  static func noMethod(_ selector: String, in name: String) -> Failure {
    Failure(.notFound, "\(name) has no method '\(selector)' of its own")
  }

  static func kernelMethod(_ selector: String, in name: String) -> Failure {
    Failure(.immutableObject, "the method '\(selector)' of '\(name)' belongs to the kernel")
  }

  static func noVariable(_ name: String, _ object: String) -> Failure {
    Failure(.notFound, "\(object) has no instance variable '\(name)'")
  }

  static func noClassDefinition(_ name: String) -> Failure {
    Failure(
      .invalidArgument, "'\(name)' and the variables are not the names of a class and its variables"
    )
  }

  static func noInstanceList(_ name: String) -> Failure {
    Failure(.error, "the instances of \(name) are not kept in the heap")
  }

  /// A text that was to become a method is wrong.
  static func doesNotCompile(
    _ message: String, _ source: SourceText, _ range: SourceRange
  ) -> Failure {
    let place = source.location(of: range.start)
    return Failure(.syntaxError, "\(source.name):\(place.line):\(place.column): \(message)")
  }

  // MARK: Places and stores

  static func noElement(_ index: String, _ object: String) -> Failure {
    Failure(.constraintError, "\(object) has no element \(index)")
  }

  static func noProperty(_ name: String, _ object: String) -> Failure {
    Failure(.error, "\(object) has no property '\(name)'")
  }

  static func readOnlyProperty(_ name: String, _ object: String) -> Failure {
    Failure(.constraintError, "\(object) has no property '\(name)' that could be written")
  }

  static func noNameInGroup(_ name: String, _ group: String) -> Failure {
    Failure(.keyNotFound, "'\(name)' is no name of \(group)")
  }

  static func aliasOfItself(_ name: String, _ object: String) -> Failure {
    Failure(.error, "the place '\(name)' of \(object) leads back to itself")
  }

  static func tooManyAliases(_ name: String, _ object: String) -> Failure {
    Failure(.error, "the way to '\(name)' of \(object) leads through too many others")
  }

  static func unknownInQuery(_ name: String, _ object: String) -> Failure {
    Failure(.error, "\(object) has no property '\(name)', and there is no variable of that name")
  }

  /// What a store said when it was asked to do something.
  static func store(
    _ error: StoreError, during verb: String? = nil
  ) -> Failure {
    var failure = Failure(
      error.kind == .preconditionFailed ? .preconditionFailed : .storeError, error.description)
    failure.storeError = StoreErrorDetails(error, verb: error.verb?.rawValue ?? verb)
    return failure
  }

  static func nilStored(_ place: String, during verb: StoreCapabilities.Verb) -> Failure {
    let error = StoreError(
      .encode, place, "a computed nil cannot be stored; write '\(place) := nil' to delete")
    var failure = Failure(.nilStored, error.description)
    failure.storeError = StoreErrorDetails(error, verb: verb.rawValue)
    return failure
  }

  // MARK: Time

  static func noClock() -> Failure {
    Failure(.notAvailable, "the interpreter has no clock")
  }

  static func waits(in what: String) -> Failure {
    Failure(.constraintError, "\(what) must not wait")
  }

  static func noTimeZones() -> Failure {
    Failure(.notAvailable, "the interpreter has no time zones but UTC")
  }

  static func noTimeZone(_ name: String) -> Failure {
    Failure(.notFound, "there is no time zone '\(name)'")
  }

  static func timeZoneName(_ name: String) -> Failure {
    Failure(.invalidArgument, "'\(name)' is no name of a time zone, as 'Europe/Berlin' is")
  }

  static func damagedTimeZone(_ name: String, _ damage: TimeZoneDamage) -> Failure {
    Failure(.error, "the file of the time zone '\(name)' is damaged: \(damage.message)")
  }

  // MARK: References that keep nothing alive

  static func cannotBeCollected(_ what: String) -> Failure {
    Failure(.invalidArgument, "\(what) is never collected")
  }

  // MARK: Limits

  static func stackOverflow() -> Failure {
    Failure(.stackOverflow, "stack overflow: the program calls itself too deep")
  }

  static func outOfMemory(limit: Int) -> Failure {
    Failure(.outOfMemory, "out of memory: the limit is \(limit >> 20) MiB")
  }

  static func tooLarge(_ what: String, limit: Int) -> Failure {
    Failure(.outOfMemory, "\(what) is too large: the most is \(limit)")
  }

  static func count(_ number: Int, _ noun: String) -> String {
    number == 1 ? "1 \(noun)" : "\(number) \(noun)s"
  }
}
