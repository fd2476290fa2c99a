internal import TenonLexer
internal import TenonParser

/// The executable tree of one method, one top-level statement or one formula, blocks included.
///
/// A code object owns the nodes: they refer to each other without reference counting. It lives as
/// long as a method, a closure in the heap or a running evaluation needs it.
@safe
final class Code: CollectedCode {
  /// The text the code was compiled from.
  let source: SourceText
  /// What a stack trace calls it: `Tank>>fill`, or nil for a script's own statements.
  let name: String?
  /// Whether stack traces leave it out: code of the kernel.
  let isKernel: Bool

  /// What runs it, given a frame with receiver and arguments.
  var body: NodeRef?

  private var nodes: [Node] = []
  /// What nodes refer to by address: lists of children, constants.
  private var memory: [UnsafeMutableRawPointer] = unsafe []
  private(set) var blocks: [BlockCode] = []
  /// The connectors of the program's own of which blocks are sides, by the numbers of the blocks.
  private(set) var connectors: [Int: String] = [:]
  /// The heap objects that nodes refer to.
  private(set) var literals: [Value] = []

  /// The assignments to local variables among the nodes, while the tree is being built.
  private(set) var assignments: [NodeRef: StatementRef] = [:]
  /// The conditions among the nodes that ask leaves, likewise.
  private(set) var conditions: [NodeRef: ConditionRef] = [:]
  /// The statements of the nodes that are several, likewise.
  private(set) var sequences: [NodeRef: [StatementRef]] = [:]

  /// Whether each activation of it can be left with a value: a debugger wants that.
  var catchesReturns = false

  /// What to compile again for the form that records what it reads.
  var origin: Origin?
  /// That form, once it was needed.
  var trackedForm: Code?
  /// The form whose formulas record what their own text reads, once one is needed.
  var recordedForm: Code?

  enum Origin {
    case method(Method)
    case statement(Statement, ScriptEnvironment)
  }

  /// Whether it is kept for another evaluation.
  var isKept = false

  init(source: SourceText, name: String?, isKernel: Bool) {
    self.source = source
    self.name = name
    self.isKernel = isKernel
  }

  deinit {
    // swift-format-ignore
    for unsafe part in unsafe memory { unsafe part.deallocate() }
  }

  /// Takes a node into the code and answers the reference its parent keeps.
  func add(_ node: Node) -> NodeRef {
    nodes.append(node)
    return NodeRef(node)
  }

  /// Takes a value that the tree refers to and answers the reference to it.
  func constant(_ value: Value) -> NodeRef {
    let cell = unsafe allocate(Value.self, count: 1)
    unsafe cell.initialize(to: value)
    addLiteral(value)
    return unsafe NodeRef(at: cell)
  }

  /// Notes what a node asks of leaves.
  func record(_ node: NodeRef, asks condition: ConditionRef) { conditions[node] = condition }

  /// Notes that a node does nothing but assign to a local variable.
  func record(_ node: NodeRef, assigns statement: StatementRef) { assignments[node] = statement }

  /// Notes the statements that a node consists of.
  func record(_ node: NodeRef, consistsOf statements: [StatementRef]) {
    sequences[node] = statements
  }

  /// Gives the body, and forgets what was noted to build it.
  func finish(_ body: NodeRef) {
    self.body = body
    assignments = [:]
    conditions = [:]
    sequences = [:]
  }

  /// Lets go of where it came from, which may own it.
  func dismantle() {
    origin = nil
    trackedForm = nil
    recordedForm = nil
  }

  /// Takes a block's code.
  func add(_ block: BlockCode) {
    blocks.append(block)
  }

  /// Notes that the block taken last is what stands beside a connector, and is no place.
  func recordSide(of connector: String) { connectors[blocks.count - 1] = connector }

  /// Takes a heap object that a node refers to.
  func addLiteral(_ value: Value) {
    if value.isObject { literals.append(value) }
  }

  /// Returns memory that goes with the code.
  func allocate<Element: BitwiseCopyable>(
    _: Element.Type, count: Int
  ) -> UnsafeMutablePointer<Element> {
    let part = UnsafeMutablePointer<Element>.allocate(capacity: count)
    unsafe memory.append(UnsafeMutableRawPointer(part))
    return unsafe part
  }
}

/// The code of one block.
final class BlockCode: ClosureCode {
  let argumentCount: Int
  let body: NodeRef
  /// The code the block is part of.
  @safe unowned(unsafe) let code: Code
  let range: SourceRange
  /// The block's number in its code: the same in the form that records what it reads.
  let number: Int
  /// Whether the body records what it reads.
  let isTracked: Bool

  init(
    argumentCount: Int, body: NodeRef, code: Code, range: SourceRange, tracked: Bool
  ) {
    self.argumentCount = argumentCount
    self.body = body
    self.range = range
    number = code.blocks.count
    isTracked = tracked
    self.code = code
    super.init(partOf: code)
  }
}
