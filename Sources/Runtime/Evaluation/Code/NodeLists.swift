/// A fixed list of what a tree consists of.
@safe
struct CodeList<Element: BitwiseCopyable> {
  let count: Int
  private let elements: UnsafeMutablePointer<Element>?

  /// Makes a list whose memory belongs to `code` and goes with it.
  init(_ list: [Element], in code: Code) {
    count = list.count
    guard !list.isEmpty else {
      unsafe elements = nil
      return
    }
    let memory = unsafe code.allocate(Element.self, count: list.count)
    for (index, element) in list.enumerated() { unsafe (memory + index).initialize(to: element) }
    unsafe elements = unsafe memory
  }

  @inline(__always)
  subscript(index: Int) -> Element {
    assert(index >= 0 && index < count)
    return unsafe elements.unsafelyUnwrapped[index]
  }
}

/// The children of a node.
typealias NodeList = CodeList<NodeRef>
/// The statements of one.
typealias StatementList = CodeList<StatementRef>

/// A statement: what is evaluated, and the local variable that takes the value if it is an
/// assignment to one.
@safe
struct StatementRef {
  private let value: NodeRef
  private let slot: Int

  /// A statement that assigns nothing, or takes care of it.
  init(_ node: NodeRef) {
    value = node
    slot = -1
  }

  /// `x := value` for a variable on the stack.
  init(assigning value: NodeRef, to slot: Int) {
    self.value = value
    self.slot = slot
  }

  @inline(__always)
  func evaluate(_ frame: Frame) -> Value {
    let result = value.evaluate(frame)
    // While the stack unwinds the variable is dead: storing that word does no harm.
    if slot >= 0 { frame[slot] = result }
    return result
  }
}
