#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#elseif canImport(Darwin)
  internal import Darwin
#endif

/// The raw memory of one machine: its state block, its value stack, its allocation runs.
@safe
final class MachineMemory {
  private let block: UnsafeMutablePointer<MachineState>
  private let stack: UnsafeMutableRawPointer
  private let stackBytes: Int
  let runs: UnsafeMutablePointer<AllocationRun>
  /// Slots of the stack that are kept for the handlers of an overflow, as often as reserves of the
  /// native stack are.
  let reserveSlots: Int

  /// Reserves address space for the stack, less when the system refuses that much; pages are taken
  /// when they are first touched.
  init(stackSlots wantedSlots: Int) {
    var stackSlots = wantedSlots
    var mapped = unsafe MachineMemory.reserve(slots: stackSlots)
    while unsafe mapped == nil, stackSlots > FrameLimits.reserve * 16 {
      stackSlots /= 2
      unsafe mapped = MachineMemory.reserve(slots: stackSlots)
    }
    guard let mapped = unsafe mapped else {
      preconditionFailure("the system has no address space for the value stack")
    }
    stackBytes = stackSlots * MemoryLayout<Value>.stride
    reserveSlots = min(2048, stackSlots / 16)
    unsafe stack = unsafe mapped
    let base = unsafe mapped.bindMemory(to: Value.self, capacity: stackSlots)
    unsafe runs = UnsafeMutablePointer<AllocationRun>.allocate(capacity: SizeClass.count)
    for index in 0..<SizeClass.count {
      unsafe (runs + index).initialize(to: AllocationRun(cursor: mapped, end: mapped))
    }
    unsafe block = UnsafeMutablePointer<MachineState>.allocate(capacity: 1)
    // The first slots belong to the bottom: a marker that ends every stack trace.
    let bottom = unsafe Frame(base + 1)
    bottom.site = .nil
    unsafe block.initialize(
      to: MachineState(
        stackBase: Frame(base),
        stackEnd: Frame(base + stackSlots - MachineLimits.reserves * reserveSlots),
        top: bottom, base: bottom,
        runs: runs, machine: nil))
  }

  private static func reserve(slots: Int) -> UnsafeMutableRawPointer? {
    let flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE
    let size = slots * MemoryLayout<Value>.stride
    let mapped = unsafe mmap(nil, size, PROT_READ | PROT_WRITE, flags, -1, 0)
    return unsafe mapped == MAP_FAILED ? nil : mapped
  }

  deinit {
    unsafe munmap(stack, stackBytes)
    unsafe runs.deallocate()
    unsafe block.deallocate()
  }

  var state: StateRef { unsafe StateRef(block) }

  /// Tells the state which machine it belongs to.
  func bind(_ machine: Machine) {
    unsafe block.pointee.machine = Unmanaged.passUnretained(machine)
  }
}
