/// A binary send whose operands are most likely numbers.
///
/// The operations stand in the subclasses, one for each operator and shape of operands; they try
/// SmallIntegers, then immediate floats, then send. Each subclass names its operation as a type,
/// so that the compiler makes straight code of it: a generic class would be called unspecialised.
class BinaryNode: SendNode {
  final let left: NodeRef
  final let right: NodeRef
  /// Whether both operands were floats when it ran last.
  ///
  /// Then it asks them for doubles, which saves making a value of each result between two
  /// operations.
  @exclusivity(unchecked) final var isFloating = false

  init(
    _ selector: Selector, left: NodeRef, right: NodeRef, tracked: Bool, at position: CodePosition
  ) {
    self.left = left
    self.right = right
    super.init(selector, tracked: tracked, at: position)
  }

  /// Numbers of unlike kinds, then the send.
  @inline(never)
  final func mixed<Operation: ArithmeticOperation>(
    _ operation: Operation.Type, _ left: Value, _ right: Value, _ frame: Frame
  ) -> Value {
    if let a = left.mixedDouble, let b = right.mixedDouble,
      left.isImmediateFloat || right.isImmediateFloat,
      let double = Operation.apply(a, b), let result = Value(immediate: double)
    {
      return result
    }
    return send(left, right, frame)
  }

  @inline(__always)
  final func apply<Operation: ArithmeticOperation>(
    _ operation: Operation.Type, _ left: Value, _ right: Value, _ frame: Frame
  ) -> Value {
    if let result = Operation.apply(left, right) { return result }
    if left.isPlainFloat, right.isPlainFloat,
      let double = Operation.apply(left.plainFloat, right.plainFloat),
      let result = Value(immediate: double)
    {
      unsafe isFloating = true
      return result
    }
    return mixed(operation, left, right, frame)
  }

  /// The value for two operands that have most likely been doubles.
  @inline(__always)
  final func finish<Operation: ArithmeticOperation>(
    _ operation: Operation.Type, _ operands: (left: FloatOperand, right: FloatOperand),
    _ frame: Frame
  ) -> Value {
    if operands.left.isFloat, operands.right.isFloat,
      let double = Operation.apply(operands.left.double, operands.right.double),
      let result = Value(immediate: double)
    {
      return result
    }
    return unlike(operation, operands.left, operands.right, frame)
  }

  /// The same, for an operation that asks for a double.
  @inline(__always)
  final func finishOperand<Operation: ArithmeticOperation>(
    _ operation: Operation.Type, _ operands: (left: FloatOperand, right: FloatOperand),
    _ frame: Frame
  ) -> FloatOperand {
    if operands.left.isFloat, operands.right.isFloat,
      let double = Operation.apply(operands.left.double, operands.right.double)
    {
      return FloatOperand(double)
    }
    return FloatOperand(unlike(operation, operands.left, operands.right, frame))
  }

  /// Operands that are no two doubles, or have no immediate result.
  @inline(never)
  final func unlike<Operation: ArithmeticOperation>(
    _ operation: Operation.Type, _ left: FloatOperand, _ right: FloatOperand, _ frame: Frame
  ) -> Value {
    unsafe isFloating = false
    let left = value(left)
    let right = value(right)
    if left.isUnwind { return left }
    if right.isUnwind { return right }
    return apply(operation, left, right, frame)
  }

  /// An operand as a value.
  private final func value(_ operand: FloatOperand) -> Value {
    guard operand.isFloat else { return operand.value }
    return Value(immediate: operand.double) ?? state.withMachine { $0.makeFloat(operand.double) }
  }

  @inline(never)
  final func mixedCompare<Operation: ComparisonOperation>(
    _ operation: Operation.Type, _ left: Value, _ right: Value, _ frame: Frame
  ) -> Value {
    if let a = left.mixedDouble, let b = right.mixedDouble {
      return Value(Operation.compare(a, b))
    }
    if left.isCharacter, right.isCharacter {
      return Value(Operation.compare(Int(left.characterCode), Int(right.characterCode)))
    }
    return send(left, right, frame)
  }

  @inline(__always)
  final func compare<Operation: ComparisonOperation>(
    _ operation: Operation.Type, _ left: Value, _ right: Value, _ frame: Frame
  ) -> Test {
    if Value.areSmallIntegers(left, right) {
      return Test(
        Operation.compare(Int(bitPattern: left.bits), Int(bitPattern: right.bits)))
    }
    if left.isPlainFloat, right.isPlainFloat {
      unsafe isFloating = true
      return Test(Operation.compare(left.plainFloat, right.plainFloat))
    }
    return Test(mixedCompare(operation, left, right, frame))
  }

  /// The outcome for two operands that have most likely been doubles.
  @inline(__always)
  final func compare<Operation: ComparisonOperation>(
    _ operation: Operation.Type, _ operands: (left: FloatOperand, right: FloatOperand),
    _ frame: Frame
  ) -> Test {
    if operands.left.isFloat, operands.right.isFloat {
      return Test(Operation.compare(operands.left.double, operands.right.double))
    }
    return Test(unlike(operation, operands.left, operands.right, frame))
  }

  @inline(never)
  private final func unlike<Operation: ComparisonOperation>(
    _ operation: Operation.Type, _ left: FloatOperand, _ right: FloatOperand, _ frame: Frame
  ) -> Value {
    unsafe isFloating = false
    let left = value(left)
    let right = value(right)
    if left.isUnwind { return left }
    if right.isUnwind { return right }
    return compare(operation, left, right, frame).value
  }
}

// MARK: - Shapes of operands

/// Any operands: the left one waits in the frame while the right one is evaluated.
class SpilledBinaryNode: BinaryNode {
  override required init(
    _ selector: Selector, left: NodeRef, right: NodeRef, tracked: Bool, at position: CodePosition
  ) {
    super.init(selector, left: left, right: right, tracked: tracked, at: position)
  }

  @inline(__always)
  final func operands(_ frame: Frame) -> (Value, Value) {
    let left = left.evaluate(frame)
    if left.isUnwind { return (left, left) }
    frame[depth] = left
    let right = right.evaluate(frame)
    return right.isUnwind ? (right, right) : (left, right)
  }

  @inline(__always)
  final func floatOperands(_ frame: Frame) -> (left: FloatOperand, right: FloatOperand) {
    let left = left.operand(frame)
    if left.value.isUnwind { return (left, left) }
    // The word that stands for a double is one that the collector skips.
    frame[depth] = left.value
    return (left, right.operand(frame))
  }
}

/// A right operand that cannot run code: a variable or a constant.
class LeafBinaryNode: BinaryNode {
  override required init(
    _ selector: Selector, left: NodeRef, right: NodeRef, tracked: Bool, at position: CodePosition
  ) {
    super.init(selector, left: left, right: right, tracked: tracked, at: position)
  }

  @inline(__always)
  final func operands(_ frame: Frame) -> (Value, Value) {
    (left.evaluate(frame), right.evaluate(frame))
  }

  @inline(__always)
  final func floatOperands(_ frame: Frame) -> (left: FloatOperand, right: FloatOperand) {
    (left.operand(frame), right.operand(frame))
  }
}

/// A right operand that is a constant.
class ConstantBinaryNode: BinaryNode {
  final let constant: Value

  required init(
    _ selector: Selector, left: NodeRef, constant: Value, tracked: Bool, at position: CodePosition
  ) {
    self.constant = constant
    super.init(selector, left: left, right: left, tracked: tracked, at: position)
  }

  @inline(__always)
  final func operands(_ frame: Frame) -> (Value, Value) { (left.evaluate(frame), constant) }

  @inline(__always)
  final func floatOperands(_ frame: Frame) -> (left: FloatOperand, right: FloatOperand) {
    (left.operand(frame), FloatOperand(constant))
  }
}

/// A local variable and a constant.
class LocalConstantBinaryNode: BinaryNode {
  final let local: Int
  final let constant: Value

  required init(
    _ selector: Selector, local: Int, constant: Value, leaf: NodeRef, tracked: Bool,
    at position: CodePosition
  ) {
    self.local = local
    self.constant = constant
    super.init(selector, left: leaf, right: leaf, tracked: tracked, at: position)
  }

  @inline(__always)
  final func operands(_ frame: Frame) -> (Value, Value) { (frame[local], constant) }

  @inline(__always)
  final func floatOperands(_ frame: Frame) -> (left: FloatOperand, right: FloatOperand) {
    (FloatOperand(frame[local]), FloatOperand(constant))
  }
}

/// Two local variables.
class LocalLocalBinaryNode: BinaryNode {
  final let first: Int
  final let second: Int

  required init(
    _ selector: Selector, first: Int, second: Int, leaf: NodeRef, tracked: Bool,
    at position: CodePosition
  ) {
    self.first = first
    self.second = second
    super.init(selector, left: leaf, right: leaf, tracked: tracked, at: position)
  }

  @inline(__always)
  final func operands(_ frame: Frame) -> (Value, Value) { (frame[first], frame[second]) }

  @inline(__always)
  final func floatOperands(_ frame: Frame) -> (left: FloatOperand, right: FloatOperand) {
    (FloatOperand(frame[first]), FloatOperand(frame[second]))
  }
}

/// A right operand that is a float constant, decoded before running.
class FloatBinaryNode: BinaryNode {
  final let constant: Value
  final let double: Double

  init(
    _ selector: Selector, left: NodeRef, constant: Value, tracked: Bool, at position: CodePosition
  ) {
    self.constant = constant
    double = constant.isImmediateFloat ? constant.immediateFloat : 0
    super.init(selector, left: left, right: left, tracked: tracked, at: position)
  }

  @inline(__always)
  final func finishWithConstant<Operation: ArithmeticOperation>(
    _ operation: Operation.Type, _ left: FloatOperand, _ frame: Frame
  ) -> Value {
    if left.isFloat, let result = Operation.apply(left.double, double) {
      return Value(immediate: result) ?? boxed(result)
    }
    return mixed(operation, left.value, constant, frame)
  }

  @inline(__always)
  final func finishOperandWithConstant<Operation: ArithmeticOperation>(
    _ operation: Operation.Type, _ left: FloatOperand, _ frame: Frame
  ) -> FloatOperand {
    if left.isFloat, let result = Operation.apply(left.double, double) {
      return FloatOperand(result)
    }
    return FloatOperand(mixed(operation, left.value, constant, frame))
  }

  @inline(never)
  private final func boxed(_ double: Double) -> Value {
    state.withMachine { $0.makeFloat(double) }
  }
}

/// Any operand and a float constant.
class FloatConstantBinaryNode: FloatBinaryNode {
  override required init(
    _ selector: Selector, left: NodeRef, constant: Value, tracked: Bool, at position: CodePosition
  ) {
    super.init(selector, left: left, constant: constant, tracked: tracked, at: position)
  }
}

/// A local variable and a float constant.
class LocalFloatConstantBinaryNode: FloatBinaryNode {
  final let local: Int

  required init(
    _ selector: Selector, local: Int, left: NodeRef, constant: Value, tracked: Bool,
    at position: CodePosition
  ) {
    self.local = local
    super.init(selector, left: left, constant: constant, tracked: tracked, at: position)
  }
}

// MARK: - Fused with an assignment

// The result goes to a local variable without passing through another node. While the stack unwinds
// the variable receives a word that nobody will read: no handler is inside the method, so that its
// variables are dead.

/// `x := a + 1`.
class StoreLocalConstantNode: BinaryNode {
  final let target: Int
  final let local: Int
  final let constant: Value

  required init(
    _ selector: Selector, target: Int, local: Int, constant: Value, leaf: NodeRef, tracked: Bool,
    at position: CodePosition
  ) {
    self.target = target
    self.local = local
    self.constant = constant
    super.init(selector, left: leaf, right: leaf, tracked: tracked, at: position)
  }

  @inline(__always)
  final func storing<Operation: ArithmeticOperation>(
    _ operation: Operation.Type, _ frame: Frame
  ) -> Value {
    let result = apply(operation, frame[local], constant, frame)
    frame[target] = result
    return result
  }
}

/// `x := a + b`.
class StoreLocalLocalNode: BinaryNode {
  final let target: Int
  final let first: Int
  final let second: Int

  required init(
    _ selector: Selector, target: Int, first: Int, second: Int, leaf: NodeRef, tracked: Bool,
    at position: CodePosition
  ) {
    self.target = target
    self.first = first
    self.second = second
    super.init(selector, left: leaf, right: leaf, tracked: tracked, at: position)
  }

  @inline(__always)
  final func storing<Operation: ArithmeticOperation>(
    _ operation: Operation.Type, _ frame: Frame
  ) -> Value {
    let result = apply(operation, frame[first], frame[second], frame)
    frame[target] = result
    return result
  }
}
