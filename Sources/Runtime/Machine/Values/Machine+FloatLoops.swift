internal import TenonNumerics

/// How a loop over numbers that are not all SmallIntegers goes on.
enum FloatLoop {
  case floats(FloatSteps)
  /// Neither start nor step is a float, or something is no number.
  case otherNumbers
  /// A number of the language's own did not become a float, and the stack unwinds.
  case unwinding
}

extension Machine {
  /// The loop of an interval, or of `to:by:do:` with the same numbers.
  ///
  /// - Throws: that the step of floats is 0.
  func floatLoop(
    from start: Value, to stop: Value, by step: Value
  ) throws(Failure) -> FloatLoop {
    guard double(start) != nil || double(step) != nil else { return .otherNumbers }
    var numbers: [Double] = []
    for value in [start, stop, step] {
      let float = floatFor(value)
      if float.isUnwind { return .unwinding }
      guard let double = double(float) else { return .otherNumbers }
      numbers.append(double)
    }
    if numbers[2] == 0 { throw .zeroStep() }
    return .floats(FloatSteps(from: numbers[0], to: numbers[1], by: numbers[2]))
  }

  /// The float nearest to a number of any kind; something else for what is none.
  private func floatFor(_ value: Value) -> Value {
    switch numeric(value) {
    case .small(let integer): return makeFloat(Double(integer))
    case .large(let integer): return makeFloat(integer.nearestDouble)
    case .float: return value
    case nil: return isNumber(value) ? send(selector("asFloat"), to: value) : .nil
    }
  }
}
