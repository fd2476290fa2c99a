internal import TenonAnalysis
internal import TenonNumerics
internal import TenonTables
internal import TenonSolverKit
internal import TenonLexer

extension Machine {
  /// Returns a value as a number for solvers; nil for a value that is no finite number.
  func solverNumber(_ value: Value) -> SolverNumber? {
    if let number = wholeNumber(value) { return number }
    guard value.isObject else { return nil }
    let isScaled = ObjectRef(value).classIndex == kernelClass("ScaledDecimal").index
    let fraction = isScaled ? ObjectRef(value)[slot: 0] : value
    if isScaled, let number = wholeNumber(fraction) { return number }
    // A program may have put anything in there, the number itself, too.
    guard fraction.isObject(ofClass: kernel.fractionIndex),
      let numerator = wholeNumber(ObjectRef(fraction)[slot: 0]),
      let denominator = wholeNumber(ObjectRef(fraction)[slot: 1])
    else { return nil }
    return numerator / denominator
  }

  /// Returns the number of a value that is no fraction.
  private func wholeNumber(_ value: Value) -> SolverNumber? {
    switch numeric(value) {
    case .small(let integer): return SolverNumber(integer)
    case .float(let double): return double.isFinite ? SolverNumber(double) : nil
    case .large(let integer):
      let double = integer.nearestDouble
      return double.isFinite ? SolverNumber(double) : nil
    case nil: return nil
    }
  }

  /// Returns the value for a number that a solver has computed.
  func value(of number: SolverNumber) -> Value {
    guard let (numerator, denominator) = number.fraction else { return makeFloat(number.double) }
    if denominator == 1 { return makeInteger(numerator) }
    let fraction = makeInstance(of: kernel.fraction)
    let root = roots.count
    roots.append(Value(fraction))
    defer { dropRoots(to: root) }
    fraction[slot: 0] = makeInteger(numerator)
    fraction[slot: 1] = makeInteger(denominator)
    return Value(fraction)
  }
}
