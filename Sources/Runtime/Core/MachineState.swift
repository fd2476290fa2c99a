internal import CTenonPlatform

#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#elseif canImport(Darwin)
  internal import Darwin
#endif

/// The part of an interpreter that nodes touch on their way: one block of raw memory for each
/// interpreter, so that no field costs exclusivity checks or reference counting.
@unsafe
struct MachineState {
  /// The lowest address the native stack may reach; the greatest address while somebody asks for
  /// a safepoint.
  ///
  /// The evaluator compares it at every send and at every turn of a loop.
  var nativeLimit: UInt = 0

  /// What `nativeLimit` is while nobody asks for a safepoint: the floor, or a great number that says what
  /// is counted at every safepoint.
  var restingLimit: UInt = 0

  /// The lowest address the native stack may reach.
  var nativeFloor: UInt = 0

  /// How many safepoints, less one, may be counted by themselves.
  var countdown = 0

  /// How many activations more there may be, one within the other.
  var depthLeft = Int.max

  /// Not 0 when another thread or a signal handler wants the program to stop.
  var interruptRequest: UInt = 0

  /// What a byte is written to when the thread is to wake up: a descriptor and 1; else 0.
  var wakeDescriptor: UInt = 0

  /// The first slot of the value stack and the slot after the last that the program may use.
  var stackBase: Frame
  var stackEnd: Frame

  /// Where code outside the tree may build the next frame, and the frame it was called with.
  var top: Frame
  var base: Frame

  /// Where an unwinding stack stops, and the value it delivers there.
  var unwindTarget: Value = .nil
  var unwindValue: Value = .nil

  /// Whether a program has methods of its own for `isNil` and its like.
  var nilTestsAreSends = false

  /// The free run of every size class.
  let runs: UnsafeMutablePointer<AllocationRun>

  /// The interpreter this belongs to: `StateRef.withMachine`.
  var machine: UnsafeMutableRawPointer?
  /// Its heap.
  var heap: Unmanaged<Heap>?
}

/// A run of free cells: allocation moves `cursor` up to `end`.
@unsafe
struct AllocationRun {
  var cursor: UnsafeMutableRawPointer
  var end: UnsafeMutableRawPointer
}

/// The handle to an interpreter's state that nodes keep.
///
/// It crosses no thread: others ask for a safepoint through `WakeUp`, or an `Interrupter`, which keeps the memory.
@safe
struct StateRef: Equatable {
  private let state: UnsafeMutablePointer<MachineState>

  @inline(__always)
  init(_ state: UnsafeMutablePointer<MachineState>) {
    unsafe self.state = unsafe state
  }

  @inline(__always)
  static func == (left: StateRef, right: StateRef) -> Bool {
    unsafe UInt(bitPattern: left.state) == UInt(bitPattern: right.state)
  }

  /// The interpreter's machine, an object whose class the caller knows.
  @unsafe
  @inline(__always) var machineAddress: UnsafeMutableRawPointer {
    unsafe state.pointee.machine.unsafelyUnwrapped
  }

  /// Whether the native stack is used up or somebody asked for a safepoint.
  @inline(__always) var needsSafepoint: Bool {
    unsafe tenon_frame_address() < tenon_load_relaxed(limitAddress)
  }

  @inline(__always) private var limitAddress: UnsafeMutablePointer<UInt> {
    unsafe UnsafeMutableRawPointer(state).assumingMemoryBound(to: UInt.self)
  }

  /// Whether somebody asked for a safepoint.
  var isSafepointRequested: Bool { unsafe tenon_load_relaxed(limitAddress) == .max }

  /// Makes the next send or turn of a loop take the slow path; any thread may call this.
  @inline(__always)
  func requestSafepoint() {
    unsafe tenon_store_relaxed(limitAddress, .max)
  }

  /// Sets how far the native stack may grow and forgets a request for a safepoint.
  func setNativeFloor(_ address: UInt) {
    unsafe state.pointee.nativeFloor = address
    if !isCounting { unsafe state.pointee.restingLimit = address }
    clearSafepointRequest()
  }

  /// Forgets a request for a safepoint.
  @inline(__always)
  func clearSafepointRequest() {
    unsafe tenon_store_relaxed(limitAddress, state.pointee.restingLimit)
  }

  /// Asks the program to stop at its next safepoint; any thread or signal handler may call this.
  func requestInterrupt() {
    unsafe tenon_store_relaxed(&state.pointee.interruptRequest, 1)
    requestSafepoint()
    wake()
  }

  /// What `wake` writes to; nil when nobody sleeps yet.
  var wakeDescriptor: Int32? {
    get {
      let word = unsafe tenon_load_relaxed(&state.pointee.wakeDescriptor)
      return word == 0 ? nil : Int32(truncatingIfNeeded: word &- 1)
    }
    nonmutating set {
      let word = newValue.map { UInt(truncatingIfNeeded: $0) &+ 1 } ?? 0
      unsafe tenon_store_relaxed(&state.pointee.wakeDescriptor, word)
    }
  }

  /// Ends the sleep of the thread; any thread or signal handler may call this.
  func wake() {
    guard let descriptor = wakeDescriptor else { return }
    var byte: UInt8 = 1
    // A pipe that is full has called already.
    _ = unsafe write(descriptor, &byte, 1)
  }

  /// Whether somebody asked the program to stop since the last `clearInterrupt`.
  @inline(__always) var isInterruptRequested: Bool {
    unsafe tenon_load_relaxed(&state.pointee.interruptRequest) != 0
  }

  func clearInterrupt() {
    unsafe tenon_store_relaxed(&state.pointee.interruptRequest, 0)
  }

  /// The address of the native stack frame that is running.
  @inline(__always) var nativeAddress: UInt { tenon_frame_address() }

  @inline(__always) var nativeFloor: UInt { unsafe state.pointee.nativeFloor }
  @inline(__always) var stackBase: Frame {
    get { unsafe state.pointee.stackBase }
    nonmutating set { unsafe state.pointee.stackBase = newValue }
  }
  @inline(__always) var stackEnd: Frame {
    get { unsafe state.pointee.stackEnd }
    nonmutating set { unsafe state.pointee.stackEnd = newValue }
  }

  @inline(__always) var top: Frame {
    get { unsafe state.pointee.top }
    nonmutating set { unsafe state.pointee.top = newValue }
  }

  /// The frame that code outside the tree was called with: what a stack trace goes on from.
  @inline(__always) var base: Frame {
    get { unsafe state.pointee.base }
    nonmutating set { unsafe state.pointee.base = newValue }
  }

  @inline(__always) var nilTestsAreSends: Bool {
    get { unsafe state.pointee.nilTestsAreSends }
    nonmutating set { unsafe state.pointee.nilTestsAreSends = newValue }
  }

  @inline(__always) var unwindTarget: Value {
    get { unsafe state.pointee.unwindTarget }
    nonmutating set { unsafe state.pointee.unwindTarget = newValue }
  }

  @inline(__always) var unwindValue: Value {
    get { unsafe state.pointee.unwindValue }
    nonmutating set { unsafe state.pointee.unwindValue = newValue }
  }

  /// Begins unwinding to a target with a value.
  @inline(__always)
  func unwind(to target: Value, with value: Value) -> Value {
    unwindTarget = target
    unwindValue = value
    return .unwind
  }

  /// Ends unwinding: answers what was to be delivered.
  @inline(__always)
  func takeUnwindValue() -> Value {
    let value = unwindValue
    unwindTarget = .nil
    unwindValue = .nil
    return value
  }
}

// MARK: - Counting

// While something is limited, each send and turn of a loop takes the slow path, which counts a step. The
// limit of the stack tells what is counted, so that nothing more is compared when nothing is limited.

extension StateRef {
  private static var stepsMark: UInt { .max &- 1 }
  private static var depthMark: UInt { .max &- 2 }

  /// Whether safepoints are counted.
  var isCounting: Bool { unsafe state.pointee.restingLimit >= StateRef.depthMark }

  /// Begins to count safepoints, and activations if there may be only so many.
  func beginCounting(depth: Int?) {
    unsafe state.pointee.restingLimit = depth == nil ? StateRef.stepsMark : StateRef.depthMark
    unsafe state.pointee.depthLeft = depth ?? .max
    countdown = 0
  }

  func endCounting() {
    unsafe state.pointee.restingLimit = state.pointee.nativeFloor
    unsafe state.pointee.depthLeft = .max
  }

  /// How many safepoints, less one, may be counted before somebody has to look.
  var countdown: Int {
    get { unsafe state.pointee.countdown }
    nonmutating set { unsafe state.pointee.countdown = newValue }
  }

  /// How many activations more there may be, one within the other.
  var depthLeft: Int {
    @inline(__always) get { unsafe state.pointee.depthLeft }
    @inline(__always) nonmutating set { unsafe state.pointee.depthLeft = newValue }
  }

  /// Counts a safepoint that is at no send, unless something else waits for one.
  ///
  /// - Returns: Whether it was counted; else `Machine.safepoint` does it.
  @inline(__always)
  func countsTurn() -> Bool {
    unsafe tenon_load_relaxed(limitAddress) &- StateRef.depthMark < 2 && takesCount()
  }

  /// The same at a send, where only steps are counted.
  @inline(__always)
  func countsSend() -> Bool {
    unsafe tenon_load_relaxed(limitAddress) == StateRef.stepsMark && hasRoom && takesCount()
  }

  /// The same at a send, where activations are counted as well.
  @inline(__always)
  func countsActivation() -> Bool {
    unsafe tenon_load_relaxed(limitAddress) == StateRef.depthMark && hasRoom && takesCount()
  }

  /// Whether the native stack is not used up.
  @inline(__always) var hasRoom: Bool {
    unsafe tenon_frame_address() >= state.pointee.nativeFloor
  }

  @inline(__always)
  private func takesCount() -> Bool {
    unsafe state.pointee.countdown &-= 1
    if unsafe state.pointee.countdown > 0 { return true }
    unsafe state.pointee.countdown &+= 1
    return false
  }
}

// MARK: - Allocation

extension StateRef {
  /// Returns a new object whose slots all hold nil.
  ///
  /// Allocation never collects; it asks for a safepoint when it is time.
  ///
  /// - Requires: `slotCount` is in `0 ... ObjectRef.slotLimit`.
  @inline(__always)
  func allocate(classIndex: UInt32, slotCount: Int) -> ObjectRef {
    let object = allocateSlots(classIndex: classIndex, slotCount: slotCount)
    for index in 0..<slotCount { object.initialize(slot: index, to: .nil) }
    return object
  }

  /// Returns a new object whose slots the caller fills before anything else happens.
  @inline(__always)
  func allocateSlots(classIndex: UInt32, slotCount: Int) -> ObjectRef {
    let size = (ObjectRef.headerSize &+ slotCount &* 8 &+ 15) & ~15
    if size <= SizeClass.fineLimit, let cell = unsafe takeCell(size: size) {
      let object = unsafe ObjectRef(cell)
      object.initializeHeader(classIndex: classIndex, format: .slots, slotCount: slotCount)
      return object
    }
    return allocateSlow(classIndex: classIndex, slotCount: slotCount)
  }

  /// Takes a cell from the free run of its class; nil when the run is used up.
  @inline(__always)
  private func takeCell(size: Int) -> UnsafeMutableRawPointer? {
    let run = unsafe state.pointee.runs + (size >> 4)
    let cell = unsafe run.pointee.cursor
    let next = unsafe cell + size
    guard unsafe next <= run.pointee.end else { return nil }
    unsafe run.pointee.cursor = unsafe next
    return unsafe cell
  }

  @inline(never)
  private func allocateSlow(classIndex: UInt32, slotCount: Int) -> ObjectRef {
    unsafe state.pointee.heap.unsafelyUnwrapped._withUnsafeGuaranteedRef { heap in
      let cell = unsafe heap.allocateCell(size: ObjectRef.headerSize + slotCount * 8)
      let object = unsafe ObjectRef(cell)
      object.initializeHeader(classIndex: classIndex, format: .slots, slotCount: slotCount)
      return object
    }
  }
}
