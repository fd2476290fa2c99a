internal import TenonLexer
package import TenonStoreKit
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

  // MARK: Classes and names
  var classes: [ClassInfo?] = []
  var nextClassIndex = ClassIndex.firstFree
  /// The classes that have been made, and the cells of their names; see `classesByName`.
  var madeClasses: [String: ClassInfo] = [:]
  var madeClassCells: [String: ObjectRef] = [:]
  /// Whether all classes of the kernel have been made.
  var hasAllKernelClasses = false
  var scriptCells: [String: ObjectRef] = [:]
  /// How many of them had been declared before each, by its address.
  var declarations: [UInt: Int] = [:]
  /// The types that variables of the script were declared with, by their cells.
  var cellTypes: [UInt: (type: String, name: String)] = [:]
  /// Whether any variable was declared to be computed when it is read.
  var hasLazyVariables = false
  /// Whether the script that ran last ended by a `^`.
  var endedByReturn = false
  /// What `import` reads with, if that was granted, and what it has read.
  package var sourceLoader: (any SourceLoader)?
  var importedFiles: Set<String> = []
  /// The cells of variables of the script that were declared with `val`.
  var constantCells: Set<UInt> = []
  /// The cells of script variables that group definitions declare.
  var groupCells: Set<UInt> = []
  var symbols: [ExactText: ObjectRef] = [:]
  /// The variables that instances of older layouts have no slots for, by the instance's address.
  var addedVariableObjects: [UInt: Value] = [:]
  var selectors: [ExactText: Selector] = [:]
  var notUnderstoodBodies: [Int: Node] = [:]
  let lookupCache = LookupCache()
  let missingBody: Node = ConstantNode(.nil)
  lazy var overflowBody: Node = OverflowBodyNode(state: state)
  /// Where characters of strings stand that were asked for; good until the next collection.
  var stringPlaces = StringPlaces()
  /// The regular expressions used of late.
  var regexCache = RegexCache()
  /// What the program prints to and reads from.
  package var console: any Console = NullConsole()
  /// What time it is; nil when the program has no way to know.
  package var clock: (any Clock)? { didSet { graph.causes.clock = clock } }
  /// Where time zones are described; nil when the program knows but UTC.
  package var timeZoneSource: (any TimeZoneSource)?
  /// The zones that have been asked for.
  var timeZones: [String: TimeZoneRules] = [:]
  lazy var exceptionClass = kernelClass("Exception")
  lazy var errorClass = kernelClass("Error")
  lazy var exitClass = kernelClass("Exit")
  lazy var dictionaryClass = kernelClass("Dictionary")
  lazy var identityDictionaryClass = kernelClass("IdentityDictionary")
  lazy var objectClass = kernelClass("Object")
  lazy var sequenceClass = kernelClass("SequenceableCollection")
  lazy var orderedCollectionClass = kernelClass("OrderedCollection")
  lazy var hashedClass = kernelClass("HashedCollection")
  lazy var storeClass = kernelClass("Store")
  lazy var schemeTableClass = kernelClass("SchemeTable")
  lazy var groupClass = kernelClass("Group")
  lazy var memoryStoreClass = kernelClass("MemoryStore")
  lazy var getSelector = selector("get:")
  lazy var putSelector = selector("put:at:")
  lazy var nativeStoreClass = kernelClass("NativeStore")
  lazy var persistentStoreClass = kernelClass("PersistentStore")
  lazy var referenceClass = kernelClass("Reference")
  lazy var streamClass = kernelClass("Stream")
  lazy var collectionClass = kernelClass("Collection")
  lazy var composedConnectorClass = kernelClass("ComposedConnector")
  /// How many names of groups are being followed, each inside the one before.
  var aliasDepth = 0
  lazy var magnitudeClass = kernelClass("Magnitude")
  lazy var blockClass = kernelClass("BlockClosure")
  lazy var protocolClass = kernelClass("Protocol")
  lazy var numberClass = kernelClass("Number")
  lazy var fractionClass = kernelClass("Fraction")
  lazy var fractionIndex = fractionClass.index
  lazy var scaledDecimalClass = kernelClass("ScaledDecimal")
  lazy var metaclassClass = kernelClass("Metaclass")
  lazy var intervalClass = kernelClass("Interval")
  lazy var scriptClass = kernelClass("Script")
  lazy var variableReferenceClass = kernelClass("VariableReference")

  /// The hyphenated names and the connectors that scripts have declared.
  var hyphenatedNames: Set<String> = []
  /// The stores that keep what this turn writes to them together.
  var batches = OpenBatches()
  var definedConnectors: Set<String> = []
  /// What `self` is at top level.
  var script: ObjectRef!

  // MARK: Connections
  let graph: ConnectionGraph
  /// The same for where each write comes by: it takes no part in counting references.
  let graphReference: Unmanaged<ConnectionGraph>
  /// What records the reads of the formula that runs.
  var recorder: DependencyRecorder? {
    didSet { unsafe recorderReference = recorder.map { unsafe Unmanaged.passUnretained($0) } }
  }
  /// The same for where each read comes by.
  private(set) var recorderReference: Unmanaged<DependencyRecorder>?
  /// How many evaluations use code that records what it reads.
  var trackingDepth = 0

  // MARK: Schemes and stores
  var schemeCells: [String: ObjectRef] = [:]
  var canonicalReferences: [StoredName: Value] = [:]
  var nativeStores: [NativeStoreEntry] = []
  let storedChanges = StoredChanges()
  let storeWatches = StoreWatches()
  var policyQueues = PolicyQueues()

  // MARK: Code
  /// The code of methods.
  var methodCodes: [Code] = []
  /// Code of statements that are being evaluated.
  var runningCodes: [Code] = []
  /// Code that only closures may still need.
  var retiredCodes: [Code] = []
  /// Code of replaced methods, while activations of it may exist.
  var replacedCodes: [Code] = []

  /// Comparisons and hashes of collections that may contain themselves.
  var comparisons = NestedComparisons()

  // MARK: Exceptions
  let handlers = FlatTable<Handler>()
  var currentHandler = -1
  /// The signals that are being handled, innermost last.
  var activeSignals: [ActiveSignal] = []
  var nextToken = 1
  var unwindAction = UnwindAction.deliver
  var uncaught: UncaughtError?
  /// What the failure that is being thrown has to tell beside its text.
  var failureDetails: FailureDetails?
  /// What opens stores that a script asks for, by their kind: what the program was granted.
  package var storeOpeners: [String: StoreOpener] = [:]
  /// Where an error stands that comes to light elsewhere.
  var failurePlace: TraceEntry?
  /// What the next connection that the kernel makes is called, and its target.
  var connectionNames: (text: String, target: String)?
  /// The operands of messages that the program has declared inverses for.
  var inverses: [String: Set<Int>] = [:]
  /// The blocks that do it, in a dictionary that is a permanent root; nil before the first.
  var inverseBlocks: Value?
  /// What the last statements say that have connected something, for the objects they have answered.
  var statementTexts = StatementTexts()

  // MARK: Solvers in the language
  /// What the solver that is at work may still do.
  var solverLimit: SolverLimit? {
    didSet { graph.hasSolverLimit = solverLimit != nil }
  }
  /// The turn that it is at work for.
  var scriptTurn: ScriptTurn?
  var turnCount = 0
  /// The program's own solvers by name.
  var registeredSolvers: [String: RegisteredSolver] = [:]
  /// The objects of the solvers that keep something.
  var solverRoots: [ObjectIdentifier: [Value]] = [:]

  // MARK: What is still to be done
  lazy var loop = RunLoop(state: state, storedChanges: storedChanges)
  /// How many errors were reported after which the program went on.
  package internal(set) var reportedErrors = 0

  // MARK: References that keep nothing alive
  /// What weak references refer to, by their addresses.
  var weakTargets: [UInt: Value] = [:]
  /// The hooks of objects, by the objects' addresses.
  var finalizers: [UInt: [Value]] = [:]

  // MARK: Roots besides the stack
  /// Values that Swift code needs while it calls into the language; used as a stack.
  var roots: [Value] = []
  /// Values the machine keeps for good.
  var permanentRoots: [Value] = []
  /// The dependents of objects that announce their changes; nil while there are none.
  var dependents = Value.nil
  /// Values that Swift code outside the runtime holds.
  let handles = HandleTable()
  /// What stands for the text of connections that the embedding program makes.
  lazy var nativeSource = SourceText(name: "<swift>", "")

  /// The source of bytes that nobody can foresee, if the host gives one.
  package var entropy: (() -> UInt64)?
  /// What stands for it without: the same bytes in each run.
  var fixedEntropy = FixedEntropy()
  /// The generator that `Random shared` answers, once somebody has asked for it.
  var sharedRandom: Value?

  // MARK: Collection and limits
  var options: MachineOptions
  package internal(set) var safepointCount = 0
  /// How many collections an interpreter that tests itself has begun.
  var testTurn = 0
  /// How long the collector has stopped the program, one by one, if that is recorded.
  package internal(set) var pauses: [CollectorPause] = []
  /// How many evaluations have been begun from outside, one inside the other.
  var entryDepth = 0
  /// How many of the stack's reserves have been opened for handlers of an overflow, and what one
  /// of them takes.
  var openReserves = 0
  var reserveBytes = MachineLimits.reserveBytes
  /// The lowest address of the native stack while something is evaluated, else 0.
  var stackLow: UInt = 0
  /// The native stack that freeing syntax may take.
  var releaseRoom = 0
  /// How many clean-up blocks are being evaluated, one inside the other.
  var runningCleanUps = 0
  /// Whether somebody asked the program to stop.
  var interruption = Interruption.none

  package init(options: MachineOptions) {
    self.options = options
    memory = MachineMemory(stackSlots: options.stackSlots)
    state = memory.state
    heap = unsafe Heap(state: memory.state, runs: memory.runs)
    unsafe heap.limit = options.memoryLimit
    graph = ConnectionGraph(state: memory.state)
    unsafe graphReference = Unmanaged.passUnretained(graph)
    memory.bind(self)
    graph.attach(self)
    handles.attach(self)
    loadKernel()
  }

  deinit {
    handles.detach()
    graph.dismantle()
    loop.inbox.wakeUp.detach()
    for code in methodCodes + runningCodes + retiredCodes + replacedCodes { code.dismantle() }
    for info in classes { info?.dismantle() }
    lookupCache.deallocate()
  }

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
