internal import TenonLexer

/// Where a node stands: in which code, where in the text, and at which operand depth.
struct CodePosition {
  unowned(unsafe) let code: Code
  let range: SourceRange
  let depth: Int
  let state: StateRef
}

/// A node that may start something an error message or a stack trace has to name.
///
/// Before it does, it leaves its marker in the frame's operand area. The markers on the value
/// stack are the return addresses of a stack trace.
class SiteNode: Node {
  final let range: SourceRange
  final let depth: Int
  final let state: StateRef
  @safe final unowned(unsafe) let code: Code

  init(at position: CodePosition) {
    range = position.range
    depth = position.depth
    state = position.state
    code = unsafe position.code
  }

  /// The word that stands before the frame this node makes.
  @inline(__always) final var marker: Value {
    unsafe Value(markerFor: UInt(bitPattern: Unmanaged.passUnretained(self).toOpaque()))
  }

  /// Calls a slow path that may run code of the language, above this node's operands.
  @inline(__always)
  final func withMachine<Result>(in frame: Frame, _ body: (Machine) -> Result) -> Result {
    frame[depth] = marker
    let top = frame.advanced(by: depth + 1)
    state.top = top
    state.base = top
    return state.withMachine(body)
  }

  /// Signals an error at this node; answers what a handler resumes with, or `unwind`.
  @inline(never)
  final func signal(_ failure: Failure, in frame: Frame) -> Value {
    withMachine(in: frame) { $0.signal(failure) }
  }

  /// Takes the slow path of a loop's turn: collections, interrupts, limits.
  ///
  /// - Returns: `unwind` when the loop must end, else nil.
  @inline(never)
  final func safepoint(in frame: Frame) -> Value {
    withMachine(in: frame) { $0.safepoint() }
  }
}
