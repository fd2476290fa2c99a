internal import CTenonPlatform
internal import TenonSolverKit
internal import TenonTables

/// What belongs to one evaluation: where it stands on its stacks, and what is in force there.
struct EvaluationState {
  var stackBase: Frame
  var stackEnd: Frame
  var top: Frame
  var base: Frame
  var nativeFloor: UInt
  var depthLeft = Int.max
  var nativeStack = NativeStackState()
  var currentHandler = -1
  var activeSignals: [ActiveSignal] = []
  var runningCleanUps = 0
  var recorder: DependencyRecorder?
  var trackingDepth = 0
  /// The cell that is being written, and the one that is being stored.
  var writing: CellID?
  var storing: CellID?
}

/// What an evaluation unwinds to, for another stack than the one it began on.
struct Unwinding {
  let target: Value
  let value: Value
  let action: UnwindAction
}

/// An evaluation with stacks of its own, which can wait while others go on.
///
/// A coroutine runs until it ends or waits; then whoever has resumed it goes on. All coroutines of an
/// interpreter run on its thread, one at a time. The native stack is switched by a few instructions that
/// keep the registers of a callee (System V and AAPCS64 calling conventions).
@safe
final class Coroutine {
  /// What keeps it from going on.
  enum Wait: Equatable {
    /// Somebody has the coroutine in a list, and says when.
    case event
    /// The end of a turn of the loop.
    case turn
    /// A value of the language: `Coroutines.settled`.
    case object(Value)
  }

  private var native: OpaquePointer?
  private let values: ValueStack
  /// The state of this evaluation while it does not run; while it runs, that of the one that has resumed
  /// it.
  var other: EvaluationState
  /// The handlers, likewise.
  let handlers = FlatTable<Handler>()
  /// The values that native code keeps, likewise.
  let roots = RootStack()

  /// A number of what it evaluates, which no other evaluation has had.
  private(set) var number = 0

  /// What is evaluated; nil when it has ended.
  private var body: (() -> Value)?
  private var outcome = Value.nil
  private var resumer: OpaquePointer?

  /// What it waits for; nil while it runs or is idle.
  private(set) var wait: Wait?
  /// Whether it is among those that go on in the next turn.
  var isReady = false
  /// Whether nothing will come any more of what it waits for.
  var isStuck = false
  /// Whether it has to end.
  var isCancelled = false
  /// Whether it writes a place for a connection after the turn, and may wait for that.
  var isWriter = false
  /// A place that it reads for connections, and what has been read for that.
  struct Reading {
    let place: Place
    let recorder: DependencyRecorder
    /// How many reads the place follows already.
    var followedCount = 0
  }
  var reading: Reading?
  /// What it unwinds to when it goes on.
  var unwinding: Unwinding?

  /// Makes an idle coroutine; nil when the system has no memory for it, or no such stacks.
  init?(nativeBytes: Int, slots: Int) {
    guard let values = ValueStack(slots: slots) else { return nil }
    self.values = values
    other = EvaluationState(
      stackBase: values.base, stackEnd: values.end, top: values.bottom, base: values.bottom,
      nativeFloor: 0)
    unsafe native = nil
    let context = unsafe Unmanaged.passUnretained(self).toOpaque()
    unsafe native = tenon_stack_create(
      nativeBytes,
      { context in
        guard let context = unsafe context else { return }
        // Nothing here may keep the coroutine: this never returns.
        while true {
          unsafe Unmanaged<Coroutine>.fromOpaque(context)._withUnsafeGuaranteedRef { $0.runBody() }
        }
      }, context)
    guard let native = unsafe native else { return nil }
    let stack = NativeStack(
      low: unsafe tenon_stack_low(native), size: UInt(unsafe tenon_stack_size(native)))
    other.nativeFloor = stack.floor
    other.nativeStack.low = stack.low
    other.nativeStack.reserveBytes = stack.reserve
    other.nativeStack.releaseRoom = stack.releaseRoom
    other.nativeStack.entryDepth = 1
  }

  deinit { if let native = unsafe native { unsafe tenon_stack_destroy(native) } }

  private func runBody() {
    outcome = body?() ?? .nil
    body = nil
    leave()
  }

  /// Whether it has something to do: it has begun and not ended.
  var isUnderWay: Bool { body != nil }

  /// Gives an idle coroutine something to evaluate.
  ///
  /// - Parameters:
  ///   - number: A number that no other evaluation has had.
  ///   - depth: How many activations there may be, one within the other.
  ///   - body: Evaluates it.
  func prepare(_ number: Int, depth: Int?, _ body: @escaping () -> Value) {
    self.number = number
    other.depthLeft = depth ?? .max
    self.body = body
  }

  /// Runs it until it ends or waits; the machine's state is that of this evaluation.
  ///
  /// - Parameter outer: The stack that runs now.
  func enter(from outer: OpaquePointer) {
    guard let native = unsafe native else { return }
    wait = nil
    unsafe resumer = outer
    unsafe tenon_stack_switch(outer, native)
  }

  /// Lets whoever has resumed it go on, until it is resumed again.
  func suspend(for wait: Wait) {
    self.wait = wait
    leave()
  }

  private func leave() {
    guard let native = unsafe native, let resumer = unsafe resumer else { return }
    unsafe tenon_stack_switch(native, resumer)
  }

  /// What it has come to: it has ended.
  func takeOutcome() -> Value {
    defer { outcome = .nil }
    return outcome
  }

  /// The stack that runs while it does.
  var stack: OpaquePointer? { unsafe native }

  /// Gives memory back that is not needed for what is small.
  func trim() { if let native = unsafe native { unsafe tenon_stack_trim(native) } }

  /// Marks what its evaluation, or that of its resumer, holds.
  func mark(_ heap: Heap) {
    var frame = other.stackBase
    while frame < other.top {
      heap.mark(frame[0])
      frame = frame.advanced(by: 1)
    }
    roots.mark(heap)
    if let unwinding {
      heap.mark(unwinding.target)
      heap.mark(unwinding.value)
    }
    if case .object(let object) = wait { heap.mark(object) }
  }

  /// Whether its evaluation is what an unwinding is aimed at.
  func owns(_ target: Value) -> Bool {
    EvaluationState.owns(
      target, from: other.stackBase, to: other.top, handlers, other.activeSignals)
  }
}

extension EvaluationState {
  /// Whether an unwinding ends on a stack: at a method, whose context stands in its frame, at a handler,
  /// or at a signal.
  static func owns(
    _ target: Value, from base: Frame, to top: Frame, _ handlers: borrowing FlatTable<Handler>,
    _ signals: [ActiveSignal]
  ) -> Bool {
    if let token = target.asSmallInteger {
      return (0..<handlers.count).contains { handlers[$0].token == token }
        || signals.contains { $0.token == token }
    }
    var frame = base
    while frame < top {
      if frame[0] == target { return true }
      frame = frame.advanced(by: 1)
    }
    return false
  }
}

/// The coroutines of an interpreter.
@safe
final class Coroutines {
  /// The one that runs; nil while the thread's own stack does.
  var current: Coroutine?
  /// Those that have begun and not ended.
  private(set) var underWay: [Coroutine] = []
  /// Those that go on in the next turn, in order.
  private var ready: [Coroutine] = []
  private var idle: [Coroutine] = []
  private var lastNumber = 0
  /// Where the thread's own stack was left.
  private let thread = unsafe tenon_stack_of_thread()

  /// How many idle ones are kept.
  private static let mostIdle = 16
  /// How often stacks are used before memory is given back.
  private static let usesBeforeTrim = 64
  /// How many may be under way: address space is not for nothing.
  private static let most = 4096
  /// The most bytes of a native stack.
  private static let nativeBytes = 64 << 20

  deinit { if let thread = unsafe thread { unsafe tenon_stack_destroy(thread) } }

  /// The stack that runs.
  var stack: OpaquePointer? {
    guard let current else { return unsafe thread }
    return unsafe current.stack
  }

  var hasReady: Bool { !ready.isEmpty }

  /// Takes an idle coroutine, or makes one with a native stack as large as the thread's, up to 64 MiB; nil
  /// when there can be none.
  ///
  /// Small frames go on the value stack without a check: it has twice the bytes of the native stack, which
  /// ends first.
  func take(slots: Int) -> Coroutine? {
    guard unsafe thread != nil, underWay.count < Coroutines.most else { return nil }
    let bytes = min(Int(NativeStack.current.size), Coroutines.nativeBytes, slots * 4)
    let coroutine = idle.popLast() ?? Coroutine(nativeBytes: bytes, slots: bytes / 4)
    if let coroutine { underWay.append(coroutine) }
    return coroutine
  }

  func takeNumber() -> Int {
    lastNumber += 1
    return lastNumber
  }

  /// Takes back a coroutine that has ended.
  func giveBack(_ coroutine: Coroutine) {
    if let index = underWay.lastIndex(where: { $0 === coroutine }) { underWay.remove(at: index) }
    coroutine.isStuck = false
    coroutine.isCancelled = false
    coroutine.isWriter = false
    coroutine.reading = nil
    coroutine.unwinding = nil
    guard idle.count < Coroutines.mostIdle else { return }
    // A system call each time would cost more than what is evaluated.
    if coroutine.number % Coroutines.usesBeforeTrim == 0 { coroutine.trim() }
    idle.append(coroutine)
  }

  /// Has a coroutine go on in the next turn.
  func wake(_ coroutine: Coroutine) {
    guard coroutine.wait != nil, !coroutine.isReady else { return }
    coroutine.isReady = true
    ready.append(coroutine)
  }

  /// Has those go on that wait for an object.
  func settled(_ object: Value) {
    for coroutine in underWay where coroutine.wait == .object(object) { wake(coroutine) }
  }

  func takeReady() -> Coroutine? {
    guard !ready.isEmpty else { return nil }
    let coroutine = ready.removeFirst()
    coroutine.isReady = false
    return coroutine
  }

  var readyCount: Int { ready.count }

  /// Those that wait for the end of a turn.
  var waitingForTurn: [Coroutine] { underWay.filter { $0.wait == .turn } }

  /// Has those go on that nothing can reach any more: what they wait for is an object, or a turn.
  ///
  /// - Returns: Whether there are any.
  func wakeStuck() -> Bool {
    for coroutine in underWay {
      guard let wait = coroutine.wait, wait != .event else { continue }
      coroutine.isStuck = true
      wake(coroutine)
    }
    return hasReady
  }

  func mark(_ heap: Heap) { for coroutine in underWay { coroutine.mark(heap) } }
}
