/// One interpreter's heap, stack, classes and symbols.
///
/// Two machines share nothing. A machine runs on one thread at a time; only `requestInterrupt`
/// may be called from another.
package final class Machine {
  let state: StateRef
  private let memory: MachineMemory
  let heap: Heap

  // MARK: Classes and names
  var classes: [ClassInfo?] = []
  var nextClassIndex = ClassIndex.firstFree
  var classesByName: [String: ClassInfo] = [:]
  var classCells: [String: ObjectRef] = [:]
  var scriptCells: [String: ObjectRef] = [:]
  var symbols: [String: ObjectRef] = [:]
  var selectors: [String: Selector] = [:]
  var notUnderstoodBodies: [Int: Node] = [:]
  let lookupCache = LookupCache()
  let missingBody: Node = ConstantNode(.nil)
  /// Where characters of strings stand that were asked for; good until the next collection.
  var stringPlaces = StringPlaces()
  /// What the program prints to and reads from.
  package var console: any Console = NullConsole()
  lazy var exceptionClass = kernelClass("Exception")
  lazy var numberClass = kernelClass("Number")
  lazy var fractionClass = kernelClass("Fraction")
  lazy var intervalClass = kernelClass("Interval")
  lazy var scriptClass = kernelClass("Script")

  /// The hyphenated names and the connectors that scripts have declared.
  var hyphenatedNames: Set<String> = []
  var definedConnectors: Set<String> = []
  /// What `self` is at top level.
  var script: ObjectRef!

  // MARK: Code
  /// The code of methods.
  var methodCodes: [Code] = []
  /// Code of statements that are being evaluated.
  var runningCodes: [Code] = []
  /// Code that only closures may still need.
  var retiredCodes: [Code] = []
  /// Code of replaced methods, while activations of it may exist.
  var replacedCodes: [Code] = []

  // MARK: Exceptions
  var handlers: [Handler] = []
  var currentHandler = -1
  /// The signals that are being handled, innermost last.
  var activeSignals: [Int] = []
  var nextToken = 1
  var unwindAction = UnwindAction.deliver
  var uncaught: UncaughtError?

  // MARK: Roots besides the stack
  /// Values that Swift code needs while it calls into the language; used as a stack.
  var roots: [Value] = []
  /// Values the machine keeps for good.
  var permanentRoots: [Value] = []
  /// Values that Swift code outside the runtime holds.
  let handles = HandleTable()

  // MARK: Collection and limits
  var options: MachineOptions
  package internal(set) var safepointCount = 0
  /// How many evaluations have been begun from outside, one inside the other.
  var entryDepth = 0
  /// How many times the stack's reserve has been opened for handlers of an overflow.
  var openReserves = 0
  /// How many clean-up blocks run because of an interrupt.
  var interruptedCleanUps = 0
  /// Whether the stack unwinds because of an interrupt.
  var isInterrupted = false

  package init(options: MachineOptions) {
    self.options = options
    memory = MachineMemory(stackSlots: options.stackSlots)
    state = memory.state
    heap = unsafe Heap(state: memory.state, runs: memory.runs)
    unsafe heap.limit = options.memoryLimit
    memory.bind(self)
    handles.machine = self
    loadKernel()
  }

  deinit {
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

  package init() {}
}
