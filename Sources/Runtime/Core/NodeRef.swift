/// A node of an executable tree.
///
/// Subclasses are final. A node answers a value, or `Value.unwind` while the stack unwinds; what
/// it needs besides the frame it holds itself.
class Node {
  /// Evaluates the node in an activation.
  func evaluate(_ frame: Frame) -> Value {
    preconditionFailure("every node evaluates")
  }

  /// Evaluates the node as a condition.
  ///
  /// Comparisons override this so that a loop's condition never becomes a Boolean object.
  func test(_ frame: Frame) -> Test {
    Test(evaluate(frame))
  }

  /// Evaluates the node as an operand of float arithmetic.
  ///
  /// Float arithmetic overrides this so that a result between two operations stays a double.
  func operand(_ frame: Frame) -> FloatOperand {
    FloatOperand(evaluate(frame))
  }
}

/// A double, or the value that turned up in place of one.
@safe
struct FloatOperand {
  let double: Double
  /// The value, when it is no immediate float; else `isDouble`.
  let value: Value

  /// The word that says that the double counts.
  @inline(__always) private static var isDouble: Value { Value(bits: 0x3C) }

  @inline(__always)
  init(_ double: Double) {
    self.double = double
    value = FloatOperand.isDouble
  }

  @inline(__always)
  init(_ value: Value) {
    if value.isPlainFloat {
      double = value.plainFloat
      self.value = FloatOperand.isDouble
    } else if value.isZeroFloat {
      double = value.zeroFloat
      self.value = FloatOperand.isDouble
    } else {
      double = 0
      self.value = value
    }
  }

  @inline(__always) var isFloat: Bool { value == FloatOperand.isDouble }
}

/// The outcome of a condition.
@safe
struct Test: Equatable {
  /// The word itself: that of `true`, of `false`, of `unwind`, or of what is no Boolean.
  let value: Value

  @inline(__always)
  init(_ value: Value) { self.value = value }

  @inline(__always)
  init(_ condition: Bool) { self.value = Value(condition) }

  @inline(__always) var isTrue: Bool { value.isTrue }
  @inline(__always) var isFalse: Bool { value.isFalse }
}

/// The evaluator's way to hold a child: a reference that costs no reference counting.
///
/// The lowest bits tell what the child is. The leaves that trees have most of are no nodes at all:
/// reading a variable or a constant takes no call.
///
///     ..000  a node
///     ..0x1  the frame slot in the bits from the third: a local variable, or `self` in a method
///     ..010  the address of a value: a constant, a variable of the script, a class
///     ..100  the slot of the receiver in the bits from the third: an instance variable, in a method
///
/// This is the one unsafe reference of the tree. Its promise: the code object that a node or
/// an address belongs to keeps it alive for as long as it may be executing.
@safe
struct NodeRef: Hashable {
  private let bits: UInt

  /// One bit each: tests of single bits become plain branches, where a choice among the values of
  /// several bits would become a jump through a table.
  private enum Tag {
    @inline(__always) static var local: UInt { 1 }
    @inline(__always) static var address: UInt { 2 }
    @inline(__always) static var instanceVariable: UInt { 4 }
    @inline(__always) static var mask: UInt { 7 }
    @inline(__always) static var width: UInt { 3 }
  }

  /// A reference to a node that somebody else keeps alive.
  init(_ node: Node) {
    unsafe bits = UInt(bitPattern: Unmanaged.passUnretained(node).toOpaque())
  }

  /// A variable on the stack.
  init(local slot: Int) {
    bits = UInt(slot) << Tag.width | Tag.local
  }

  /// What stands at an address that somebody else keeps alive.
  init(at address: UnsafePointer<Value>) {
    bits = UInt(bitPattern: address) | Tag.address
  }

  /// An instance variable of the receiver.
  init(instanceVariable slot: Int) {
    bits = UInt(slot) << Tag.width | Tag.instanceVariable
  }

  /// Whether evaluating it runs no code, so that nothing can change meanwhile.
  @inline(__always) var isLeaf: Bool { bits & Tag.mask != 0 }

  @inline(__always)
  func evaluate(_ frame: Frame) -> Value {
    isLeaf ? leaf(frame) : unsafe node._withUnsafeGuaranteedRef { $0.evaluate(frame) }
  }

  @inline(__always)
  func operand(_ frame: Frame) -> FloatOperand {
    isLeaf
      ? FloatOperand(leaf(frame)) : unsafe node._withUnsafeGuaranteedRef { $0.operand(frame) }
  }

  @inline(__always)
  func test(_ frame: Frame) -> Test {
    isLeaf ? Test(leaf(frame)) : unsafe node._withUnsafeGuaranteedRef { $0.test(frame) }
  }

  @inline(__always) private var node: Unmanaged<Node> {
    unsafe Unmanaged.fromOpaque(UnsafeRawPointer(bitPattern: bits).unsafelyUnwrapped)
  }

  /// The value of a leaf; nothing else may be asked.
  @inline(__always)
  func leaf(_ frame: Frame) -> Value {
    if bits & Tag.local != 0 { return frame[slot] }
    if bits & Tag.address != 0 { return target }
    return ObjectRef(frame.receiver)[slot: slot]
  }

  /// The value of a leaf that is the whole body of a method without arguments: such a method needs
  /// no frame.
  @inline(__always)
  func leaf(ofReceiver receiver: Value) -> Value {
    if bits & Tag.instanceVariable != 0 { return ObjectRef(receiver)[slot: slot] }
    if bits & Tag.address != 0 { return target }
    return receiver
  }

  @inline(__always) private var slot: Int { Int(bitPattern: bits >> Tag.width) }

  @inline(__always) private var target: Value {
    unsafe UnsafePointer<Value>(bitPattern: bits & ~Tag.mask).unsafelyUnwrapped.pointee
  }
}
