/// The way in which choices and loops hold their conditions.
///
/// Comparing variables or constants that are SmallIntegers, and asking them for nil or identity, is
/// done on the spot and takes no call; the node is there for everything else.
@safe
struct ConditionRef {
  private let node: NodeRef
  private let left: NodeRef
  private let right: NodeRef
  private let kind: UInt8

  /// What a condition with leaves as operands asks.
  enum Question {
    /// `<`, `=` and their like: which of less, equal and greater it holds for.
    case order(Order)
    case isIdentical
    case isNil
    case isNotNil
  }

  /// A set of outcomes of a comparison.
  struct Order: OptionSet {
    let rawValue: UInt8

    static let less = Order(rawValue: 1)
    static let equal = Order(rawValue: 2)
    static let greater = Order(rawValue: 4)
  }

  private enum Kind {
    @inline(__always) static var other: UInt8 { 0 }
    @inline(__always) static var orders: UInt8 { 7 }
    @inline(__always) static var isIdentical: UInt8 { 8 }
    @inline(__always) static var isNil: UInt8 { 16 }
    @inline(__always) static var isNotNil: UInt8 { 32 }
  }

  /// A condition of any form.
  init(_ node: NodeRef) {
    self.node = node
    left = node
    right = node
    kind = Kind.other
  }

  /// A condition about leaves; the node asks the same.
  init(_ node: NodeRef, _ question: Question, _ left: NodeRef, _ right: NodeRef) {
    self.node = node
    self.left = left
    self.right = right
    kind =
      switch question {
      case .order(let order): order.rawValue
      case .isIdentical: Kind.isIdentical
      case .isNil: Kind.isNil
      case .isNotNil: Kind.isNotNil
      }
  }

  @inline(__always)
  func test(_ frame: Frame, _ state: StateRef) -> Test {
    if kind == Kind.other { return node.test(frame) }
    let left = left.leaf(frame)
    if kind & Kind.orders != 0 {
      let right = right.leaf(frame)
      guard Value.areSmallIntegers(left, right) else { return node.test(frame) }
      let order: Order =
        Value.isLess(left, right) ? .less : left == right ? .equal : .greater
      return Test(kind & order.rawValue != 0)
    }
    if kind == Kind.isIdentical { return Test(left == right.leaf(frame)) }
    if state.nilTestsAreSends { return node.test(frame) }
    return Test(left.isNil == (kind == Kind.isNil))
  }
}

extension ConditionRef.Order {
  /// The outcomes for which a comparison holds; nil for other messages.
  static func named(_ selector: String) -> ConditionRef.Order? {
    switch selector {
    case "<": .less
    case "<=": [.less, .equal]
    case ">": .greater
    case ">=": [.greater, .equal]
    case "=": .equal
    case "~=": [.less, .greater]
    default: nil
    }
  }
}
