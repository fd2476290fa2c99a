internal import TenonAnalysis
internal import TenonLexer
internal import TenonStoreKit

/// What exceptions of the runtime tell beside their text: a failure carries no values, the machine
/// keeps them until the exception is made.
struct FailureDetails {
  let errorClass: ErrorClass
  /// What the variables of the exception's class hold, in their order.
  let values: [Value]
}

extension Machine {
  /// A division of a number by zero.
  func zeroDivide(_ dividend: Value) -> Failure {
    exceptions.failureDetails = FailureDetails(errorClass: .zeroDivide, values: [dividend])
    return Failure(.zeroDivide, "division by zero")
  }

  func outOfBounds(_ index: Int, count: Int) -> Failure {
    outOfBounds(Value(small: index), count: count)
  }

  /// An index that is none from 1 to the number of elements.
  func outOfBounds(_ index: Value, count: Int) -> Failure {
    exceptions.failureDetails = FailureDetails(
      errorClass: .subscriptOutOfBounds, values: [index, Value(small: count)])
    let text = describe(index)
    return Failure(
      .subscriptOutOfBounds,
      count == 0
        ? "index \(text) is out of bounds: there are no elements"
        : "index \(text) is out of bounds: 1 to \(count)")
  }

  /// Gives an exception what belongs to the failure that it was made for.
  func moveDetails(of failure: Failure, to exception: ObjectRef) {
    if let details = failure.storeError { tell(details, in: exception) }
    guard let details = exceptions.failureDetails else { return }
    exceptions.failureDetails = nil
    guard details.errorClass == failure.errorClass else { return }
    for (index, value) in details.values.enumerated() {
      exception[slot: ExceptionSlot.details + index] = value
    }
  }

  /// Gives an exception what a store said.
  private func tell(_ details: StoreErrorDetails, in exception: ObjectRef) {
    let error = details.error
    let values: [Value] = [
      symbol(error.kind.rawValue),
      details.verb.map { symbol($0) } ?? .nil,
      makeString(error.reference),
      makeString(error.reason),
      error.systemCode.map { Value(small: Int($0)) } ?? .nil,
      error.retryAfter.map { makeFloat($0) } ?? .nil,
    ]
    for (index, value) in values.enumerated() {
      exception[slot: ExceptionSlot.details + index] = value
    }
    exception[slot: ExceptionSlot.unsent] = Value(error.isUnsent)
    guard let output = error.output, output.count < ObjectRef.byteLimit else { return }
    exception[slot: ExceptionSlot.output] =
      String(validating: output, as: UTF8.self).map { makeString($0) } ?? makeByteArray(output)
  }
}

// What is said of values and of blocks.

extension Failure {
  static func nonBoolean(_ value: Value, in machine: Machine) -> Failure {
    Failure(
      .nonBooleanReceiver, "\(machine.describe(value)) is neither true nor false")
  }

  static func wrongArgumentCount(of block: BlockCode, given: Int) -> Failure {
    if given == 1, let connector = block.code.connectors[block.number] {
      // What stands beside it is asked for its value; given one, it would have to be a place.
      let text = block.code.source.text(in: block.range)
      return Failure(
        .wrongArgumentCount, "'\(connector)' needs a place that it can write, and '\(text)' is none"
      )
    }
    return Failure(
      .wrongArgumentCount,
      "the block takes \(count(block.argumentCount, "argument")), not \(count(given, "argument"))")
  }

  static func unknownScheme(_ name: String, _ machine: Machine) -> Failure {
    if machine.classesByName[name] != nil {
      return Failure(.error, Wording.unmountedClass(name))
    }
    let hint = Suggestion.nearest(to: name, in: machine.schemeNames)
      .map { "; did you mean '\($0):'?" }
    return Failure(
      .error, Wording.missingScheme(name) ?? "unknown scheme '\(name)'\(hint ?? "")")
  }
}
