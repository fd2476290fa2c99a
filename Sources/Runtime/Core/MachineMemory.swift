#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#elseif canImport(Darwin)
  internal import Darwin
#endif

/// The memory of a value stack: address space, of which pages are taken when they are first touched.
@safe
final class ValueStack {
  private let memory: UnsafeMutableRawPointer
  private let bytes: Int
  /// Slots that are kept for the handlers of an overflow, as often as reserves of the native stack are.
  let reserveSlots: Int
  /// The first slot, the slot after the last that the program may use, and the frame at the bottom, whose
  /// marker ends every stack trace.
  let base: Frame
  let end: Frame
  let bottom: Frame

  /// Reserves address space; nil when the system refuses that much.
  init?(slots: Int) {
    let flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE
    bytes = slots * MemoryLayout<Value>.stride
    let mapped = unsafe mmap(nil, bytes, PROT_READ | PROT_WRITE, flags, -1, 0)
    guard let mapped = unsafe mapped, unsafe mapped != MAP_FAILED else { return nil }
    unsafe memory = unsafe mapped
    reserveSlots = min(2048, slots / 16)
    let first = unsafe mapped.bindMemory(to: Value.self, capacity: slots)
    base = unsafe Frame(first)
    end = unsafe Frame(first + slots - MachineLimits.reserves * reserveSlots)
    bottom = unsafe Frame(first + 1)
    bottom.site = .nil
  }

  deinit { unsafe munmap(memory, bytes) }
}

/// The raw memory of one machine: its state block, its value stack, its allocation runs.
@safe
final class MachineMemory {
  private let block: UnsafeMutablePointer<MachineState>
  private let stack: ValueStack
  let runs: UnsafeMutablePointer<AllocationRun>

  /// Reserves address space for the stack, less when the system refuses that much.
  init(stackSlots wantedSlots: Int) {
    var stackSlots = wantedSlots
    var reserved = ValueStack(slots: stackSlots)
    while reserved == nil, stackSlots > FrameLimits.reserve * 16 {
      stackSlots /= 2
      reserved = ValueStack(slots: stackSlots)
    }
    guard let reserved else {
      preconditionFailure("the system has no address space for the value stack")
    }
    stack = reserved
    unsafe runs = UnsafeMutablePointer<AllocationRun>.allocate(capacity: SizeClass.count)
    unsafe block = UnsafeMutablePointer<MachineState>.allocate(capacity: 1)
    let nowhere = unsafe UnsafeMutableRawPointer(block)
    for index in 0..<SizeClass.count {
      unsafe (runs + index).initialize(to: AllocationRun(cursor: nowhere, end: nowhere))
    }
    unsafe block.initialize(
      to: MachineState(
        stackBase: stack.base, stackEnd: stack.end, top: stack.bottom, base: stack.bottom,
        runs: runs, machine: nil, heap: nil))
  }

  /// Slots of a value stack that are kept for the handlers of an overflow.
  var reserveSlots: Int { stack.reserveSlots }

  deinit {
    unsafe runs.deallocate()
    unsafe block.deallocate()
  }

  var state: StateRef { unsafe StateRef(block) }

  /// Tells the state which machine and heap it belongs to.
  func bind(_ machine: AnyObject, _ heap: Heap) {
    unsafe block.pointee.machine = Unmanaged.passUnretained(machine).toOpaque()
    unsafe block.pointee.heap = Unmanaged.passUnretained(heap)
  }
}
