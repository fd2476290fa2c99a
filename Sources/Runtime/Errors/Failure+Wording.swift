// Every sentence that an error of the runtime says, side by side. Lower case, no full stop; what
// was expected, what was found, names as the user wrote them.

extension Failure {
  static func unknownName(_ name: String) -> Failure {
    Failure(.error, "unknown name '\(name)'")
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

  static func nonBoolean(_ value: Value, in machine: Machine) -> Failure {
    Failure(
      .nonBooleanReceiver, "\(machine.describe(value)) is neither true nor false")
  }

  static func zeroStep() -> Failure {
    Failure(.invalidArgument, "the step of a loop must not be 0")
  }

  static func wrongArgumentCount(expected: Int, given: Int) -> Failure {
    Failure(
      .wrongArgumentCount,
      "the block takes \(count(expected, "argument")), not \(count(given, "argument"))")
  }

  static func wrongType(_ expected: String, found: String, variable: String) -> Failure {
    Failure(.invalidArgument, "'\(variable)' must be a \(expected), not \(found)")
  }

  static func invalidArgument(_ expected: String, found: String) -> Failure {
    Failure(.invalidArgument, "expected \(expected), found \(found)")
  }

  static func inactiveException() -> Failure {
    Failure(.error, "the exception is not being handled")
  }

  static func outOfBounds(_ index: Int, count: Int) -> Failure {
    outOfBounds(String(index), count: count)
  }

  static func outOfBounds(_ index: String, count: Int) -> Failure {
    Failure(
      .subscriptOutOfBounds,
      count == 0
        ? "index \(index) is out of bounds: there are no elements"
        : "index \(index) is out of bounds: 1 to \(count)")
  }

  static func zeroDivide() -> Failure {
    Failure(.zeroDivide, "division by zero")
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
    Failure(.error, "\(what) is not UTF-8")
  }

  static func interrupted() -> Failure { Failure(.error, "interrupted") }

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

  private static func count(_ number: Int, _ noun: String) -> String {
    number == 1 ? "1 \(noun)" : "\(number) \(noun)s"
  }
}
