// One class for each arithmetic operator and shape: the type names the operation, the shape fetches
// the operands, and the compiler makes a straight function of the two.

// MARK: - +

final class SpilledAddNode: SpilledBinaryNode {
  override func evaluate(_ frame: Frame) -> Value {
    if unsafe isFloating { return finish(Add.self, floatOperands(frame), frame) }
    let (left, right) = operands(frame)
    return apply(Add.self, left, right, frame)
  }
  override func operand(_ frame: Frame) -> FloatOperand {
    finishOperand(Add.self, floatOperands(frame), frame)
  }
}

final class LeafAddNode: LeafBinaryNode {
  override func evaluate(_ frame: Frame) -> Value {
    if unsafe isFloating { return finish(Add.self, floatOperands(frame), frame) }
    let (left, right) = operands(frame)
    return apply(Add.self, left, right, frame)
  }
  override func operand(_ frame: Frame) -> FloatOperand {
    finishOperand(Add.self, floatOperands(frame), frame)
  }
}

final class ConstantAddNode: ConstantBinaryNode {
  override func evaluate(_ frame: Frame) -> Value {
    if unsafe isFloating { return finish(Add.self, floatOperands(frame), frame) }
    let (left, right) = operands(frame)
    return apply(Add.self, left, right, frame)
  }
  override func operand(_ frame: Frame) -> FloatOperand {
    finishOperand(Add.self, floatOperands(frame), frame)
  }
}

final class LocalConstantAddNode: LocalConstantBinaryNode {
  override func evaluate(_ frame: Frame) -> Value {
    let (left, right) = operands(frame)
    return apply(Add.self, left, right, frame)
  }
  override func operand(_ frame: Frame) -> FloatOperand {
    finishOperand(Add.self, floatOperands(frame), frame)
  }
}

final class LocalLocalAddNode: LocalLocalBinaryNode {
  override func evaluate(_ frame: Frame) -> Value {
    let (left, right) = operands(frame)
    return apply(Add.self, left, right, frame)
  }
  override func operand(_ frame: Frame) -> FloatOperand {
    finishOperand(Add.self, floatOperands(frame), frame)
  }
}

// MARK: - -

final class SpilledSubtractNode: SpilledBinaryNode {
  override func evaluate(_ frame: Frame) -> Value {
    if unsafe isFloating { return finish(Subtract.self, floatOperands(frame), frame) }
    let (left, right) = operands(frame)
    return apply(Subtract.self, left, right, frame)
  }
  override func operand(_ frame: Frame) -> FloatOperand {
    finishOperand(Subtract.self, floatOperands(frame), frame)
  }
}

final class LeafSubtractNode: LeafBinaryNode {
  override func evaluate(_ frame: Frame) -> Value {
    if unsafe isFloating { return finish(Subtract.self, floatOperands(frame), frame) }
    let (left, right) = operands(frame)
    return apply(Subtract.self, left, right, frame)
  }
  override func operand(_ frame: Frame) -> FloatOperand {
    finishOperand(Subtract.self, floatOperands(frame), frame)
  }
}

final class ConstantSubtractNode: ConstantBinaryNode {
  override func evaluate(_ frame: Frame) -> Value {
    if unsafe isFloating { return finish(Subtract.self, floatOperands(frame), frame) }
    let (left, right) = operands(frame)
    return apply(Subtract.self, left, right, frame)
  }
  override func operand(_ frame: Frame) -> FloatOperand {
    finishOperand(Subtract.self, floatOperands(frame), frame)
  }
}

final class LocalConstantSubtractNode: LocalConstantBinaryNode {
  override func evaluate(_ frame: Frame) -> Value {
    let (left, right) = operands(frame)
    return apply(Subtract.self, left, right, frame)
  }
  override func operand(_ frame: Frame) -> FloatOperand {
    finishOperand(Subtract.self, floatOperands(frame), frame)
  }
}

final class LocalLocalSubtractNode: LocalLocalBinaryNode {
  override func evaluate(_ frame: Frame) -> Value {
    let (left, right) = operands(frame)
    return apply(Subtract.self, left, right, frame)
  }
  override func operand(_ frame: Frame) -> FloatOperand {
    finishOperand(Subtract.self, floatOperands(frame), frame)
  }
}

// MARK: - *

final class SpilledMultiplyNode: SpilledBinaryNode {
  override func evaluate(_ frame: Frame) -> Value {
    if unsafe isFloating { return finish(Multiply.self, floatOperands(frame), frame) }
    let (left, right) = operands(frame)
    return apply(Multiply.self, left, right, frame)
  }
  override func operand(_ frame: Frame) -> FloatOperand {
    finishOperand(Multiply.self, floatOperands(frame), frame)
  }
}

final class LeafMultiplyNode: LeafBinaryNode {
  override func evaluate(_ frame: Frame) -> Value {
    if unsafe isFloating { return finish(Multiply.self, floatOperands(frame), frame) }
    let (left, right) = operands(frame)
    return apply(Multiply.self, left, right, frame)
  }
  override func operand(_ frame: Frame) -> FloatOperand {
    finishOperand(Multiply.self, floatOperands(frame), frame)
  }
}

final class ConstantMultiplyNode: ConstantBinaryNode {
  override func evaluate(_ frame: Frame) -> Value {
    if unsafe isFloating { return finish(Multiply.self, floatOperands(frame), frame) }
    let (left, right) = operands(frame)
    return apply(Multiply.self, left, right, frame)
  }
  override func operand(_ frame: Frame) -> FloatOperand {
    finishOperand(Multiply.self, floatOperands(frame), frame)
  }
}

final class LocalConstantMultiplyNode: LocalConstantBinaryNode {
  override func evaluate(_ frame: Frame) -> Value {
    let (left, right) = operands(frame)
    return apply(Multiply.self, left, right, frame)
  }
  override func operand(_ frame: Frame) -> FloatOperand {
    finishOperand(Multiply.self, floatOperands(frame), frame)
  }
}

final class LocalLocalMultiplyNode: LocalLocalBinaryNode {
  override func evaluate(_ frame: Frame) -> Value {
    let (left, right) = operands(frame)
    return apply(Multiply.self, left, right, frame)
  }
  override func operand(_ frame: Frame) -> FloatOperand {
    finishOperand(Multiply.self, floatOperands(frame), frame)
  }
}

// MARK: - /

final class SpilledDivideNode: SpilledBinaryNode {
  override func evaluate(_ frame: Frame) -> Value {
    if unsafe isFloating { return finish(Divide.self, floatOperands(frame), frame) }
    let (left, right) = operands(frame)
    return apply(Divide.self, left, right, frame)
  }
  override func operand(_ frame: Frame) -> FloatOperand {
    finishOperand(Divide.self, floatOperands(frame), frame)
  }
}

final class LeafDivideNode: LeafBinaryNode {
  override func evaluate(_ frame: Frame) -> Value {
    if unsafe isFloating { return finish(Divide.self, floatOperands(frame), frame) }
    let (left, right) = operands(frame)
    return apply(Divide.self, left, right, frame)
  }
  override func operand(_ frame: Frame) -> FloatOperand {
    finishOperand(Divide.self, floatOperands(frame), frame)
  }
}

// MARK: - ~/

final class SpilledFloorDivideNode: SpilledBinaryNode {
  override func evaluate(_ frame: Frame) -> Value {
    if unsafe isFloating { return finish(FloorDivide.self, floatOperands(frame), frame) }
    let (left, right) = operands(frame)
    return apply(FloorDivide.self, left, right, frame)
  }
  override func operand(_ frame: Frame) -> FloatOperand {
    finishOperand(FloorDivide.self, floatOperands(frame), frame)
  }
}

final class LeafFloorDivideNode: LeafBinaryNode {
  override func evaluate(_ frame: Frame) -> Value {
    if unsafe isFloating { return finish(FloorDivide.self, floatOperands(frame), frame) }
    let (left, right) = operands(frame)
    return apply(FloorDivide.self, left, right, frame)
  }
  override func operand(_ frame: Frame) -> FloatOperand {
    finishOperand(FloorDivide.self, floatOperands(frame), frame)
  }
}

// MARK: - \\

final class SpilledModuloNode: SpilledBinaryNode {
  override func evaluate(_ frame: Frame) -> Value {
    if unsafe isFloating { return finish(Modulo.self, floatOperands(frame), frame) }
    let (left, right) = operands(frame)
    return apply(Modulo.self, left, right, frame)
  }
  override func operand(_ frame: Frame) -> FloatOperand {
    finishOperand(Modulo.self, floatOperands(frame), frame)
  }
}

final class LeafModuloNode: LeafBinaryNode {
  override func evaluate(_ frame: Frame) -> Value {
    if unsafe isFloating { return finish(Modulo.self, floatOperands(frame), frame) }
    let (left, right) = operands(frame)
    return apply(Modulo.self, left, right, frame)
  }
  override func operand(_ frame: Frame) -> FloatOperand {
    finishOperand(Modulo.self, floatOperands(frame), frame)
  }
}

// MARK: - bitAnd:

final class SpilledBitAndNode: SpilledBinaryNode {
  override func evaluate(_ frame: Frame) -> Value {
    let (left, right) = operands(frame)
    return apply(BitAnd.self, left, right, frame)
  }
}

final class LeafBitAndNode: LeafBinaryNode {
  override func evaluate(_ frame: Frame) -> Value {
    let (left, right) = operands(frame)
    return apply(BitAnd.self, left, right, frame)
  }
}

// MARK: - bitOr:

final class SpilledBitOrNode: SpilledBinaryNode {
  override func evaluate(_ frame: Frame) -> Value {
    let (left, right) = operands(frame)
    return apply(BitOr.self, left, right, frame)
  }
}

final class LeafBitOrNode: LeafBinaryNode {
  override func evaluate(_ frame: Frame) -> Value {
    let (left, right) = operands(frame)
    return apply(BitOr.self, left, right, frame)
  }
}

// MARK: - bitXor:

final class SpilledBitXorNode: SpilledBinaryNode {
  override func evaluate(_ frame: Frame) -> Value {
    let (left, right) = operands(frame)
    return apply(BitXor.self, left, right, frame)
  }
}

final class LeafBitXorNode: LeafBinaryNode {
  override func evaluate(_ frame: Frame) -> Value {
    let (left, right) = operands(frame)
    return apply(BitXor.self, left, right, frame)
  }
}

// MARK: - bitShift:

final class SpilledBitShiftNode: SpilledBinaryNode {
  override func evaluate(_ frame: Frame) -> Value {
    let (left, right) = operands(frame)
    return apply(BitShift.self, left, right, frame)
  }
}

final class LeafBitShiftNode: LeafBinaryNode {
  override func evaluate(_ frame: Frame) -> Value {
    let (left, right) = operands(frame)
    return apply(BitShift.self, left, right, frame)
  }
}

// MARK: - Float constants

final class FloatConstantAddNode: FloatConstantBinaryNode {
  override func evaluate(_ frame: Frame) -> Value {
    finishWithConstant(Add.self, left.operand(frame), frame)
  }
  override func operand(_ frame: Frame) -> FloatOperand {
    finishOperandWithConstant(Add.self, left.operand(frame), frame)
  }
}

final class LocalFloatConstantAddNode: LocalFloatConstantBinaryNode {
  override func evaluate(_ frame: Frame) -> Value {
    finishWithConstant(Add.self, FloatOperand(frame[local]), frame)
  }
  override func operand(_ frame: Frame) -> FloatOperand {
    finishOperandWithConstant(Add.self, FloatOperand(frame[local]), frame)
  }
}

final class FloatConstantSubtractNode: FloatConstantBinaryNode {
  override func evaluate(_ frame: Frame) -> Value {
    finishWithConstant(Subtract.self, left.operand(frame), frame)
  }
  override func operand(_ frame: Frame) -> FloatOperand {
    finishOperandWithConstant(Subtract.self, left.operand(frame), frame)
  }
}

final class LocalFloatConstantSubtractNode: LocalFloatConstantBinaryNode {
  override func evaluate(_ frame: Frame) -> Value {
    finishWithConstant(Subtract.self, FloatOperand(frame[local]), frame)
  }
  override func operand(_ frame: Frame) -> FloatOperand {
    finishOperandWithConstant(Subtract.self, FloatOperand(frame[local]), frame)
  }
}

final class FloatConstantMultiplyNode: FloatConstantBinaryNode {
  override func evaluate(_ frame: Frame) -> Value {
    finishWithConstant(Multiply.self, left.operand(frame), frame)
  }
  override func operand(_ frame: Frame) -> FloatOperand {
    finishOperandWithConstant(Multiply.self, left.operand(frame), frame)
  }
}

final class LocalFloatConstantMultiplyNode: LocalFloatConstantBinaryNode {
  override func evaluate(_ frame: Frame) -> Value {
    finishWithConstant(Multiply.self, FloatOperand(frame[local]), frame)
  }
  override func operand(_ frame: Frame) -> FloatOperand {
    finishOperandWithConstant(Multiply.self, FloatOperand(frame[local]), frame)
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
