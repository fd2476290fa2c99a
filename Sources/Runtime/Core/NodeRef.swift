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
    double = value.isImmediateFloat ? value.immediateFloat : 0
    self.value = value.isImmediateFloat ? FloatOperand.isDouble : value
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

/// The evaluator's way to hold a child node: a reference that costs no reference counting.
///
/// This is the one unsafe reference of the tree. Its promise: the code object that a node belongs
/// to keeps every node of the tree alive for as long as one may be executing.
@safe
struct NodeRef {
  private let node: Unmanaged<Node>

  /// A reference to a node that somebody else keeps alive.
  init(_ node: Node) {
    unsafe self.node = Unmanaged.passUnretained(node)
  }

  @inline(__always)
  func evaluate(_ frame: Frame) -> Value {
    unsafe node._withUnsafeGuaranteedRef { $0.evaluate(frame) }
  }

  @inline(__always)
  func operand(_ frame: Frame) -> FloatOperand {
    unsafe node._withUnsafeGuaranteedRef { $0.operand(frame) }
  }

  @inline(__always)
  func test(_ frame: Frame) -> Test {
    unsafe node._withUnsafeGuaranteedRef { $0.test(frame) }
  }
}

/// A fixed list of children.
@safe
struct NodeList {
  let count: Int
  private let nodes: UnsafeMutablePointer<NodeRef>?

  /// Makes a list whose memory belongs to `code` and goes with it.
  init(_ list: [NodeRef], in code: Code) {
    count = list.count
    guard !list.isEmpty else {
      unsafe nodes = nil
      return
    }
    let memory = unsafe code.allocateList(count: list.count)
    for (index, node) in list.enumerated() { unsafe (memory + index).initialize(to: node) }
    unsafe nodes = unsafe memory
  }

  @inline(__always)
  subscript(index: Int) -> NodeRef {
    assert(index >= 0 && index < count)
    return unsafe nodes.unsafelyUnwrapped[index]
  }
}
