internal import TenonLexer
internal import TenonStoreKit
internal import TenonTables
internal import TenonText

/// One interpreter's heap, stack, classes and symbols.
///
/// Two machines share nothing. A machine runs on one thread at a time; only `requestInterrupt`
/// may be called from another.
@safe
package final class Machine {
  let state: StateRef
  let memory: MachineMemory
  let heap: Heap
  @safe @exclusivity(unchecked) var options: MachineOptions
  /// Whether somebody asked the program to stop.
  @safe @exclusivity(unchecked) var interruption = Interruption.none

  // MARK: Parts
  /// The primitives of each class of the kernel.
  let primitiveRows: Primitive.Rows
  let kernel: KernelClasses
  let classes = ClassTable()
  let symbolTable = SymbolTable()
  let codeTable: CodeTable
  let lookupCache = LookupCache()
  let session = ScriptSession()
  package let host: HostServices
  let stores: StoreRegistry
  let exceptions = ExceptionState()
  @safe @exclusivity(unchecked) var nativeStack = NativeStackState()
  let collector = CollectorState()
  let caches = TextCaches()
  /// What is still to be done.
  lazy var loop = RunLoop(state: state, storedChanges: stores.changes)

  // MARK: Connections
  let graph: ConnectionGraph
  /// The same for where each write comes by: it takes no part in counting references.
  let graphReference: Unmanaged<ConnectionGraph>
  let connections: ConnectionSession
  /// What records the reads of the formula that runs.
  var recorder: DependencyRecorder? {
    get { unsafe recorderReference?.takeUnretainedValue() }
    set {
      keptRecorder = newValue
      unsafe recorderReference = newValue.map { unsafe Unmanaged.passUnretained($0) }
    }
  }
  /// The same for where each read comes by.
  private(set) var recorderReference: Unmanaged<DependencyRecorder>?
  /// The recorder, unless it is the graph's own, which lives as long as the machine.
  private var keptRecorder: DependencyRecorder?
  /// How many evaluations use code that records what it reads.
  @safe @exclusivity(unchecked) var trackingDepth = 0

  // MARK: Roots besides the stack
  /// Values that Swift code needs while it calls into the language; used as a stack.
  let roots = RootStack()
  /// Values the machine keeps for good.
  var permanentRoots: [Value] = []
  /// Values that Swift code outside the runtime holds.
  let handles = HandleTable()
  /// What stands for the text of connections that the embedding program makes.
  lazy var nativeSource = SourceText(name: "<swift>", "")

  init(options: MachineOptions, primitiveRows: @escaping Primitive.Rows) {
    self.options = options
    self.primitiveRows = primitiveRows
    memory = MachineMemory(stackSlots: options.stackSlots)
    state = memory.state
    heap = unsafe Heap(state: memory.state, runs: memory.runs)
    unsafe heap.limit = options.memoryLimit
    graph = ConnectionGraph(state: memory.state)
    unsafe graphReference = Unmanaged.passUnretained(graph)
    kernel = KernelClasses(state: state)
    codeTable = CodeTable(state: state)
    host = HostServices(graph: graph, state: state)
    stores = StoreRegistry(state: state)
    connections = ConnectionSession(graph: graph)
    memory.bind(self, heap)
    graph.attach(self)
    handles.attach(self)
    loadKernel()
  }

  deinit {
    handles.detach()
    graph.dismantle()
    loop.inbox.wakeUp.detach()
    for code in codeTable.all { code.dismantle() }
    for info in classes.infos { info?.dismantle() }
    lookupCache.deallocate()
  }

  /// Makes the graph's own recorder take the reads, not retained, until `recorder` is set.
  @inline(__always)
  func lendRecorder(_ recorder: DependencyRecorder) {
    unsafe recorderReference = Unmanaged.passUnretained(recorder)
  }

  /// Takes away the values above so many: those of a call that ends.
  @inline(__always) func dropRoots(to count: Int) {
    roots.shorten(to: count)
  }

  package var nilHandle: Handle { handles.makeHandle(.nil) }

  /// Whether what is evaluated has a stack of its own, and may wait.
  var isInCoroutine: Bool { loop.coroutines.current != nil }

  /// How many errors were reported after which the program went on.
  package var reportedErrors: Int { exceptions.reportedErrors }

  package var safepointCount: Int { collector.safepointCount }

  /// How long the collector has stopped the program, one by one, if that is recorded.
  package var pauses: [CollectorPause] { collector.pauses }

  /// Where `^` at top level goes to.
  static var scriptTarget: Value { Value(small: -1) }
}

/// What an interpreter is made with.
package struct MachineOptions: Sendable {
  /// Slots of the value stack; memory is taken only for those that are used.
  package var stackSlots = 1 << 26
  /// The most bytes a program may keep alive.
  package var memoryLimit = Int.max
  /// Collect at every n-th safepoint; 0 collects when it is worthwhile.
  package var collectEvery = 0
  /// Whether `pauses` is kept.
  package var recordsPauses = false

  package init() {}
}

extension StateRef {
  /// Calls a slow path of the machine.
  @inline(__always)
  func withMachine<Result>(_ body: (Machine) -> Result) -> Result {
    unsafe Unmanaged<Machine>.fromOpaque(machineAddress)._withUnsafeGuaranteedRef(body)
  }
}
