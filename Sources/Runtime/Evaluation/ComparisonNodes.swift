// One class for each comparison and shape, as for the arithmetic operators. Two shapes suffice:
// conditions about variables and constants rarely come here, see `ConditionRef`.

// MARK: - <

final class SpilledLessNode: SpilledBinaryNode {
  override func evaluate(_ frame: Frame) -> Value { test(frame).value }
  override func test(_ frame: Frame) -> Test {
    if unsafe isFloating { return compare(Less.self, floatOperands(frame), frame) }
    let (left, right) = operands(frame)
    return compare(Less.self, left, right, frame)
  }
}

final class LeafLessNode: LeafBinaryNode {
  override func evaluate(_ frame: Frame) -> Value { test(frame).value }
  override func test(_ frame: Frame) -> Test {
    if unsafe isFloating { return compare(Less.self, floatOperands(frame), frame) }
    let (left, right) = operands(frame)
    return compare(Less.self, left, right, frame)
  }
}

// MARK: - <=

final class SpilledLessOrEqualNode: SpilledBinaryNode {
  override func evaluate(_ frame: Frame) -> Value { test(frame).value }
  override func test(_ frame: Frame) -> Test {
    if unsafe isFloating { return compare(LessOrEqual.self, floatOperands(frame), frame) }
    let (left, right) = operands(frame)
    return compare(LessOrEqual.self, left, right, frame)
  }
}

final class LeafLessOrEqualNode: LeafBinaryNode {
  override func evaluate(_ frame: Frame) -> Value { test(frame).value }
  override func test(_ frame: Frame) -> Test {
    if unsafe isFloating { return compare(LessOrEqual.self, floatOperands(frame), frame) }
    let (left, right) = operands(frame)
    return compare(LessOrEqual.self, left, right, frame)
  }
}

// MARK: - >

final class SpilledGreaterNode: SpilledBinaryNode {
  override func evaluate(_ frame: Frame) -> Value { test(frame).value }
  override func test(_ frame: Frame) -> Test {
    if unsafe isFloating { return compare(Greater.self, floatOperands(frame), frame) }
    let (left, right) = operands(frame)
    return compare(Greater.self, left, right, frame)
  }
}

final class LeafGreaterNode: LeafBinaryNode {
  override func evaluate(_ frame: Frame) -> Value { test(frame).value }
  override func test(_ frame: Frame) -> Test {
    if unsafe isFloating { return compare(Greater.self, floatOperands(frame), frame) }
    let (left, right) = operands(frame)
    return compare(Greater.self, left, right, frame)
  }
}

// MARK: - >=

final class SpilledGreaterOrEqualNode: SpilledBinaryNode {
  override func evaluate(_ frame: Frame) -> Value { test(frame).value }
  override func test(_ frame: Frame) -> Test {
    if unsafe isFloating { return compare(GreaterOrEqual.self, floatOperands(frame), frame) }
    let (left, right) = operands(frame)
    return compare(GreaterOrEqual.self, left, right, frame)
  }
}

final class LeafGreaterOrEqualNode: LeafBinaryNode {
  override func evaluate(_ frame: Frame) -> Value { test(frame).value }
  override func test(_ frame: Frame) -> Test {
    if unsafe isFloating { return compare(GreaterOrEqual.self, floatOperands(frame), frame) }
    let (left, right) = operands(frame)
    return compare(GreaterOrEqual.self, left, right, frame)
  }
}

// MARK: - =

final class SpilledEqualNode: SpilledBinaryNode {
  override func evaluate(_ frame: Frame) -> Value { test(frame).value }
  override func test(_ frame: Frame) -> Test {
    if unsafe isFloating { return compare(Equal.self, floatOperands(frame), frame) }
    let (left, right) = operands(frame)
    return compare(Equal.self, left, right, frame)
  }
}

final class LeafEqualNode: LeafBinaryNode {
  override func evaluate(_ frame: Frame) -> Value { test(frame).value }
  override func test(_ frame: Frame) -> Test {
    if unsafe isFloating { return compare(Equal.self, floatOperands(frame), frame) }
    let (left, right) = operands(frame)
    return compare(Equal.self, left, right, frame)
  }
}

// MARK: - ~=

final class SpilledNotEqualNode: SpilledBinaryNode {
  override func evaluate(_ frame: Frame) -> Value { test(frame).value }
  override func test(_ frame: Frame) -> Test {
    if unsafe isFloating { return compare(NotEqual.self, floatOperands(frame), frame) }
    let (left, right) = operands(frame)
    return compare(NotEqual.self, left, right, frame)
  }
}

final class LeafNotEqualNode: LeafBinaryNode {
  override func evaluate(_ frame: Frame) -> Value { test(frame).value }
  override func test(_ frame: Frame) -> Test {
    if unsafe isFloating { return compare(NotEqual.self, floatOperands(frame), frame) }
    let (left, right) = operands(frame)
    return compare(NotEqual.self, left, right, frame)
  }
}
