// One class for each comparison and shape, as for the arithmetic operators.

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

final class ConstantLessNode: ConstantBinaryNode {
  override func evaluate(_ frame: Frame) -> Value { test(frame).value }
  override func test(_ frame: Frame) -> Test {
    if unsafe isFloating { return compare(Less.self, floatOperands(frame), frame) }
    let (left, right) = operands(frame)
    return compare(Less.self, left, right, frame)
  }
}

final class LocalConstantLessNode: LocalConstantBinaryNode {
  override func evaluate(_ frame: Frame) -> Value { test(frame).value }
  override func test(_ frame: Frame) -> Test {
    let (left, right) = operands(frame)
    return compare(Less.self, left, right, frame)
  }
}

final class LocalLocalLessNode: LocalLocalBinaryNode {
  override func evaluate(_ frame: Frame) -> Value { test(frame).value }
  override func test(_ frame: Frame) -> Test {
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

final class ConstantLessOrEqualNode: ConstantBinaryNode {
  override func evaluate(_ frame: Frame) -> Value { test(frame).value }
  override func test(_ frame: Frame) -> Test {
    if unsafe isFloating { return compare(LessOrEqual.self, floatOperands(frame), frame) }
    let (left, right) = operands(frame)
    return compare(LessOrEqual.self, left, right, frame)
  }
}

final class LocalConstantLessOrEqualNode: LocalConstantBinaryNode {
  override func evaluate(_ frame: Frame) -> Value { test(frame).value }
  override func test(_ frame: Frame) -> Test {
    let (left, right) = operands(frame)
    return compare(LessOrEqual.self, left, right, frame)
  }
}

final class LocalLocalLessOrEqualNode: LocalLocalBinaryNode {
  override func evaluate(_ frame: Frame) -> Value { test(frame).value }
  override func test(_ frame: Frame) -> Test {
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

final class ConstantGreaterNode: ConstantBinaryNode {
  override func evaluate(_ frame: Frame) -> Value { test(frame).value }
  override func test(_ frame: Frame) -> Test {
    if unsafe isFloating { return compare(Greater.self, floatOperands(frame), frame) }
    let (left, right) = operands(frame)
    return compare(Greater.self, left, right, frame)
  }
}

final class LocalConstantGreaterNode: LocalConstantBinaryNode {
  override func evaluate(_ frame: Frame) -> Value { test(frame).value }
  override func test(_ frame: Frame) -> Test {
    let (left, right) = operands(frame)
    return compare(Greater.self, left, right, frame)
  }
}

final class LocalLocalGreaterNode: LocalLocalBinaryNode {
  override func evaluate(_ frame: Frame) -> Value { test(frame).value }
  override func test(_ frame: Frame) -> Test {
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

final class ConstantGreaterOrEqualNode: ConstantBinaryNode {
  override func evaluate(_ frame: Frame) -> Value { test(frame).value }
  override func test(_ frame: Frame) -> Test {
    if unsafe isFloating { return compare(GreaterOrEqual.self, floatOperands(frame), frame) }
    let (left, right) = operands(frame)
    return compare(GreaterOrEqual.self, left, right, frame)
  }
}

final class LocalConstantGreaterOrEqualNode: LocalConstantBinaryNode {
  override func evaluate(_ frame: Frame) -> Value { test(frame).value }
  override func test(_ frame: Frame) -> Test {
    let (left, right) = operands(frame)
    return compare(GreaterOrEqual.self, left, right, frame)
  }
}

final class LocalLocalGreaterOrEqualNode: LocalLocalBinaryNode {
  override func evaluate(_ frame: Frame) -> Value { test(frame).value }
  override func test(_ frame: Frame) -> Test {
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

final class ConstantEqualNode: ConstantBinaryNode {
  override func evaluate(_ frame: Frame) -> Value { test(frame).value }
  override func test(_ frame: Frame) -> Test {
    if unsafe isFloating { return compare(Equal.self, floatOperands(frame), frame) }
    let (left, right) = operands(frame)
    return compare(Equal.self, left, right, frame)
  }
}

final class LocalConstantEqualNode: LocalConstantBinaryNode {
  override func evaluate(_ frame: Frame) -> Value { test(frame).value }
  override func test(_ frame: Frame) -> Test {
    let (left, right) = operands(frame)
    return compare(Equal.self, left, right, frame)
  }
}

final class LocalLocalEqualNode: LocalLocalBinaryNode {
  override func evaluate(_ frame: Frame) -> Value { test(frame).value }
  override func test(_ frame: Frame) -> Test {
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

final class ConstantNotEqualNode: ConstantBinaryNode {
  override func evaluate(_ frame: Frame) -> Value { test(frame).value }
  override func test(_ frame: Frame) -> Test {
    if unsafe isFloating { return compare(NotEqual.self, floatOperands(frame), frame) }
    let (left, right) = operands(frame)
    return compare(NotEqual.self, left, right, frame)
  }
}

final class LocalConstantNotEqualNode: LocalConstantBinaryNode {
  override func evaluate(_ frame: Frame) -> Value { test(frame).value }
  override func test(_ frame: Frame) -> Test {
    let (left, right) = operands(frame)
    return compare(NotEqual.self, left, right, frame)
  }
}

final class LocalLocalNotEqualNode: LocalLocalBinaryNode {
  override func evaluate(_ frame: Frame) -> Value { test(frame).value }
  override func test(_ frame: Frame) -> Test {
    let (left, right) = operands(frame)
    return compare(NotEqual.self, left, right, frame)
  }
}
