// One class for each operator and shape: the type names the operation, the shape fetches the
// operands, and the compiler makes a straight function of the two.

// MARK: - +

final class SpilledAddNode: SpilledBinaryNode {
  override func evaluate(_ frame: Frame) -> Value {
    let (left, right) = operands(frame)
    return apply(Add.self, left, right, frame)
  }
}

final class LeafAddNode: LeafBinaryNode {
  override func evaluate(_ frame: Frame) -> Value {
    let (left, right) = operands(frame)
    return apply(Add.self, left, right, frame)
  }
}

final class ConstantAddNode: ConstantBinaryNode {
  override func evaluate(_ frame: Frame) -> Value {
    let (left, right) = operands(frame)
    return apply(Add.self, left, right, frame)
  }
}

final class LocalConstantAddNode: LocalConstantBinaryNode {
  override func evaluate(_ frame: Frame) -> Value {
    let (left, right) = operands(frame)
    return apply(Add.self, left, right, frame)
  }
}

final class LocalLocalAddNode: LocalLocalBinaryNode {
  override func evaluate(_ frame: Frame) -> Value {
    let (left, right) = operands(frame)
    return apply(Add.self, left, right, frame)
  }
}

// MARK: - -

final class SpilledSubtractNode: SpilledBinaryNode {
  override func evaluate(_ frame: Frame) -> Value {
    let (left, right) = operands(frame)
    return apply(Subtract.self, left, right, frame)
  }
}

final class LeafSubtractNode: LeafBinaryNode {
  override func evaluate(_ frame: Frame) -> Value {
    let (left, right) = operands(frame)
    return apply(Subtract.self, left, right, frame)
  }
}

final class ConstantSubtractNode: ConstantBinaryNode {
  override func evaluate(_ frame: Frame) -> Value {
    let (left, right) = operands(frame)
    return apply(Subtract.self, left, right, frame)
  }
}

final class LocalConstantSubtractNode: LocalConstantBinaryNode {
  override func evaluate(_ frame: Frame) -> Value {
    let (left, right) = operands(frame)
    return apply(Subtract.self, left, right, frame)
  }
}

final class LocalLocalSubtractNode: LocalLocalBinaryNode {
  override func evaluate(_ frame: Frame) -> Value {
    let (left, right) = operands(frame)
    return apply(Subtract.self, left, right, frame)
  }
}

// MARK: - *

final class SpilledMultiplyNode: SpilledBinaryNode {
  override func evaluate(_ frame: Frame) -> Value {
    let (left, right) = operands(frame)
    return apply(Multiply.self, left, right, frame)
  }
}

final class LeafMultiplyNode: LeafBinaryNode {
  override func evaluate(_ frame: Frame) -> Value {
    let (left, right) = operands(frame)
    return apply(Multiply.self, left, right, frame)
  }
}

final class ConstantMultiplyNode: ConstantBinaryNode {
  override func evaluate(_ frame: Frame) -> Value {
    let (left, right) = operands(frame)
    return apply(Multiply.self, left, right, frame)
  }
}

final class LocalConstantMultiplyNode: LocalConstantBinaryNode {
  override func evaluate(_ frame: Frame) -> Value {
    let (left, right) = operands(frame)
    return apply(Multiply.self, left, right, frame)
  }
}

final class LocalLocalMultiplyNode: LocalLocalBinaryNode {
  override func evaluate(_ frame: Frame) -> Value {
    let (left, right) = operands(frame)
    return apply(Multiply.self, left, right, frame)
  }
}

// MARK: - <

final class SpilledLessNode: SpilledBinaryNode {
  override func evaluate(_ frame: Frame) -> Value { test(frame).value }
  override func test(_ frame: Frame) -> Test {
    let (left, right) = operands(frame)
    return compare(Less.self, left, right, frame)
  }
}

final class LeafLessNode: LeafBinaryNode {
  override func evaluate(_ frame: Frame) -> Value { test(frame).value }
  override func test(_ frame: Frame) -> Test {
    let (left, right) = operands(frame)
    return compare(Less.self, left, right, frame)
  }
}

final class ConstantLessNode: ConstantBinaryNode {
  override func evaluate(_ frame: Frame) -> Value { test(frame).value }
  override func test(_ frame: Frame) -> Test {
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
    let (left, right) = operands(frame)
    return compare(LessOrEqual.self, left, right, frame)
  }
}

final class LeafLessOrEqualNode: LeafBinaryNode {
  override func evaluate(_ frame: Frame) -> Value { test(frame).value }
  override func test(_ frame: Frame) -> Test {
    let (left, right) = operands(frame)
    return compare(LessOrEqual.self, left, right, frame)
  }
}

final class ConstantLessOrEqualNode: ConstantBinaryNode {
  override func evaluate(_ frame: Frame) -> Value { test(frame).value }
  override func test(_ frame: Frame) -> Test {
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
    let (left, right) = operands(frame)
    return compare(Greater.self, left, right, frame)
  }
}

final class LeafGreaterNode: LeafBinaryNode {
  override func evaluate(_ frame: Frame) -> Value { test(frame).value }
  override func test(_ frame: Frame) -> Test {
    let (left, right) = operands(frame)
    return compare(Greater.self, left, right, frame)
  }
}

final class ConstantGreaterNode: ConstantBinaryNode {
  override func evaluate(_ frame: Frame) -> Value { test(frame).value }
  override func test(_ frame: Frame) -> Test {
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
    let (left, right) = operands(frame)
    return compare(GreaterOrEqual.self, left, right, frame)
  }
}

final class LeafGreaterOrEqualNode: LeafBinaryNode {
  override func evaluate(_ frame: Frame) -> Value { test(frame).value }
  override func test(_ frame: Frame) -> Test {
    let (left, right) = operands(frame)
    return compare(GreaterOrEqual.self, left, right, frame)
  }
}

final class ConstantGreaterOrEqualNode: ConstantBinaryNode {
  override func evaluate(_ frame: Frame) -> Value { test(frame).value }
  override func test(_ frame: Frame) -> Test {
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
    let (left, right) = operands(frame)
    return compare(Equal.self, left, right, frame)
  }
}

final class LeafEqualNode: LeafBinaryNode {
  override func evaluate(_ frame: Frame) -> Value { test(frame).value }
  override func test(_ frame: Frame) -> Test {
    let (left, right) = operands(frame)
    return compare(Equal.self, left, right, frame)
  }
}

final class ConstantEqualNode: ConstantBinaryNode {
  override func evaluate(_ frame: Frame) -> Value { test(frame).value }
  override func test(_ frame: Frame) -> Test {
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
    let (left, right) = operands(frame)
    return compare(NotEqual.self, left, right, frame)
  }
}

final class LeafNotEqualNode: LeafBinaryNode {
  override func evaluate(_ frame: Frame) -> Value { test(frame).value }
  override func test(_ frame: Frame) -> Test {
    let (left, right) = operands(frame)
    return compare(NotEqual.self, left, right, frame)
  }
}

final class ConstantNotEqualNode: ConstantBinaryNode {
  override func evaluate(_ frame: Frame) -> Value { test(frame).value }
  override func test(_ frame: Frame) -> Test {
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

// MARK: - Float constants

final class FloatConstantAddNode: FloatConstantBinaryNode {
  override func evaluate(_ frame: Frame) -> Value {
    finish(Add.self, left.operand(frame), frame)
  }
  override func operand(_ frame: Frame) -> FloatOperand {
    finishOperand(Add.self, left.operand(frame), frame)
  }
}

final class LocalFloatConstantAddNode: LocalFloatConstantBinaryNode {
  override func evaluate(_ frame: Frame) -> Value {
    finish(Add.self, FloatOperand(frame[local]), frame)
  }
  override func operand(_ frame: Frame) -> FloatOperand {
    finishOperand(Add.self, FloatOperand(frame[local]), frame)
  }
}

final class FloatConstantSubtractNode: FloatConstantBinaryNode {
  override func evaluate(_ frame: Frame) -> Value {
    finish(Subtract.self, left.operand(frame), frame)
  }
  override func operand(_ frame: Frame) -> FloatOperand {
    finishOperand(Subtract.self, left.operand(frame), frame)
  }
}

final class LocalFloatConstantSubtractNode: LocalFloatConstantBinaryNode {
  override func evaluate(_ frame: Frame) -> Value {
    finish(Subtract.self, FloatOperand(frame[local]), frame)
  }
  override func operand(_ frame: Frame) -> FloatOperand {
    finishOperand(Subtract.self, FloatOperand(frame[local]), frame)
  }
}

final class FloatConstantMultiplyNode: FloatConstantBinaryNode {
  override func evaluate(_ frame: Frame) -> Value {
    finish(Multiply.self, left.operand(frame), frame)
  }
  override func operand(_ frame: Frame) -> FloatOperand {
    finishOperand(Multiply.self, left.operand(frame), frame)
  }
}

final class LocalFloatConstantMultiplyNode: LocalFloatConstantBinaryNode {
  override func evaluate(_ frame: Frame) -> Value {
    finish(Multiply.self, FloatOperand(frame[local]), frame)
  }
  override func operand(_ frame: Frame) -> FloatOperand {
    finishOperand(Multiply.self, FloatOperand(frame[local]), frame)
  }
}

// MARK: - Fused with an assignment

final class StoreLocalConstantAddNode: StoreLocalConstantNode {
  override func evaluate(_ frame: Frame) -> Value { storing(Add.self, frame) }
}

final class StoreLocalLocalAddNode: StoreLocalLocalNode {
  override func evaluate(_ frame: Frame) -> Value { storing(Add.self, frame) }
}

final class StoreLocalConstantSubtractNode: StoreLocalConstantNode {
  override func evaluate(_ frame: Frame) -> Value { storing(Subtract.self, frame) }
}

final class StoreLocalLocalSubtractNode: StoreLocalLocalNode {
  override func evaluate(_ frame: Frame) -> Value { storing(Subtract.self, frame) }
}

final class StoreLocalConstantMultiplyNode: StoreLocalConstantNode {
  override func evaluate(_ frame: Frame) -> Value { storing(Multiply.self, frame) }
}

final class StoreLocalLocalMultiplyNode: StoreLocalLocalNode {
  override func evaluate(_ frame: Frame) -> Value { storing(Multiply.self, frame) }
}

// MARK: - Choice

/// The classes for one operator.
struct BinaryNodeFamily {
  let spilled: SpilledBinaryNode.Type
  let leaf: LeafBinaryNode.Type
  let constant: ConstantBinaryNode.Type
  let localConstant: LocalConstantBinaryNode.Type
  let localLocal: LocalLocalBinaryNode.Type
  var floatConstant: FloatConstantBinaryNode.Type?
  var localFloatConstant: LocalFloatConstantBinaryNode.Type?

  /// The family for an operator, if it has nodes of its own.
  static func named(_ selector: String) -> BinaryNodeFamily? {
    switch selector {
    case "+":
      BinaryNodeFamily(
        spilled: SpilledAddNode.self, leaf: LeafAddNode.self, constant: ConstantAddNode.self,
        localConstant: LocalConstantAddNode.self, localLocal: LocalLocalAddNode.self,
        floatConstant: FloatConstantAddNode.self,
        localFloatConstant: LocalFloatConstantAddNode.self)
    case "-":
      BinaryNodeFamily(
        spilled: SpilledSubtractNode.self, leaf: LeafSubtractNode.self,
        constant: ConstantSubtractNode.self,
        localConstant: LocalConstantSubtractNode.self, localLocal: LocalLocalSubtractNode.self,
        floatConstant: FloatConstantSubtractNode.self,
        localFloatConstant: LocalFloatConstantSubtractNode.self)
    case "*":
      BinaryNodeFamily(
        spilled: SpilledMultiplyNode.self, leaf: LeafMultiplyNode.self,
        constant: ConstantMultiplyNode.self,
        localConstant: LocalConstantMultiplyNode.self, localLocal: LocalLocalMultiplyNode.self,
        floatConstant: FloatConstantMultiplyNode.self,
        localFloatConstant: LocalFloatConstantMultiplyNode.self)
    case "<":
      BinaryNodeFamily(
        spilled: SpilledLessNode.self, leaf: LeafLessNode.self, constant: ConstantLessNode.self,
        localConstant: LocalConstantLessNode.self, localLocal: LocalLocalLessNode.self)
    case "<=":
      BinaryNodeFamily(
        spilled: SpilledLessOrEqualNode.self, leaf: LeafLessOrEqualNode.self,
        constant: ConstantLessOrEqualNode.self,
        localConstant: LocalConstantLessOrEqualNode.self, localLocal: LocalLocalLessOrEqualNode.self
      )
    case ">":
      BinaryNodeFamily(
        spilled: SpilledGreaterNode.self, leaf: LeafGreaterNode.self,
        constant: ConstantGreaterNode.self,
        localConstant: LocalConstantGreaterNode.self, localLocal: LocalLocalGreaterNode.self)
    case ">=":
      BinaryNodeFamily(
        spilled: SpilledGreaterOrEqualNode.self, leaf: LeafGreaterOrEqualNode.self,
        constant: ConstantGreaterOrEqualNode.self,
        localConstant: LocalConstantGreaterOrEqualNode.self,
        localLocal: LocalLocalGreaterOrEqualNode.self)
    case "=":
      BinaryNodeFamily(
        spilled: SpilledEqualNode.self, leaf: LeafEqualNode.self, constant: ConstantEqualNode.self,
        localConstant: LocalConstantEqualNode.self, localLocal: LocalLocalEqualNode.self)
    case "~=":
      BinaryNodeFamily(
        spilled: SpilledNotEqualNode.self, leaf: LeafNotEqualNode.self,
        constant: ConstantNotEqualNode.self,
        localConstant: LocalConstantNotEqualNode.self, localLocal: LocalLocalNotEqualNode.self)
    default: nil
    }
  }
}

/// The classes for one arithmetic operator fused with an assignment to a local variable.
struct StoreNodeFamily {
  let localConstant: StoreLocalConstantNode.Type
  let localLocal: StoreLocalLocalNode.Type

  /// The family for an operator, if it has nodes of its own.
  static func named(_ selector: String) -> StoreNodeFamily? {
    switch selector {
    case "+":
      StoreNodeFamily(
        localConstant: StoreLocalConstantAddNode.self, localLocal: StoreLocalLocalAddNode.self)
    case "-":
      StoreNodeFamily(
        localConstant: StoreLocalConstantSubtractNode.self,
        localLocal: StoreLocalLocalSubtractNode.self)
    case "*":
      StoreNodeFamily(
        localConstant: StoreLocalConstantMultiplyNode.self,
        localLocal: StoreLocalLocalMultiplyNode.self)
    default: nil
    }
  }
}
