/// What a formula in Swift code reads: the values of its inputs, in order.
///
/// It is lent to the formula for the time of the call, and cannot be kept or copied.
public struct FormulaInputs: ~Copyable {
  private let inputs: NativeInputs
  private let machine: Machine

  init(_ inputs: NativeInputs, _ machine: Machine) {
    self.inputs = inputs
    self.machine = machine
  }

  /// How many there are.
  public var count: Int { inputs.count }

  /// An input as an integer; nil when it is none that an `Int` can hold.
  public func integer(_ index: Int) -> Int? { value(index).asSmallInteger }

  /// An input as a floating-point number, the nearest one; nil when it is no number.
  public func double(_ index: Int) -> Double? { machine.nearestDouble(value(index)) }

  /// An input as a string; nil when it is none.
  public func string(_ index: Int) -> String? { machine.text(value(index)) }

  /// An input as a Boolean; nil when it is neither true nor false.
  public func boolean(_ index: Int) -> Bool? {
    let value = value(index)
    return value.isTrue ? true : value.isFalse ? false : nil
  }

  private func value(_ index: Int) -> Value {
    index >= 0 && index < inputs.count ? inputs[index] : .nil
  }
}

/// What a formula in Swift code computes.
public enum FormulaValue: Sendable {
  /// An integer.
  case integer(Int)
  /// A floating-point number.
  case double(Double)
  /// A string.
  case string(String)
  /// true or false.
  case boolean(Bool)
  /// nil.
  case missing
  /// The formula cannot be computed: the connection is in the state of an error that says this.
  case failure(String)
}
