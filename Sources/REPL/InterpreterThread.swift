internal import CTenonPlatform

#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#elseif canImport(Darwin)
  internal import Darwin
#endif

/// The thread that the interpreter runs on.
///
/// A program's calls use native stack, of which the main thread has 8 MB as a rule. A thread can
/// be given as much as the address space holds; memory is taken for what is used.
enum InterpreterThread {
  /// The smallest stack that is tried.
  private static let smallest = 512 << 10

  /// Runs something on a thread with a large stack, or the largest the system grants.
  ///
  /// The body receives the size of the stack in bytes. The process ends with the status it answers.
  static func run(stackSize: Int, _ body: @escaping (Int) -> Int32) -> Never {
    Interrupts.leaveToOthers()
    var size = min(stackSize, AddressSpace.limit / 4)
    while true {
      let job = Job(stackSize: size, body)
      if let thread = start(job) {
        pthread_join(thread, nil)
        // Not reached: the thread ends the process.
        exit(ExitStatus.failure)
      }
      guard size > smallest else { job.run() }
      size = max(size / 2, smallest)
    }
  }

  private static func start(_ job: Job) -> pthread_t? {
    var attributes = pthread_attr_t()
    unsafe pthread_attr_init(&attributes)
    defer { unsafe pthread_attr_destroy(&attributes) }
    guard unsafe pthread_attr_setstacksize(&attributes, job.stackSize) == 0 else { return nil }
    let context = unsafe Unmanaged.passRetained(job)
    var thread = pthread_t()
    let result = unsafe pthread_create(
      &thread, &attributes,
      { context in
        guard let context = unsafe context as UnsafeMutableRawPointer? else { return nil }
        unsafe Unmanaged<Job>.fromOpaque(context).takeUnretainedValue().run()
      }, context.toOpaque())
    guard result == 0 else {
      unsafe context.release()
      return nil
    }
    return thread
  }

  private final class Job {
    let stackSize: Int
    private let body: (Int) -> Int32

    init(stackSize: Int, _ body: @escaping (Int) -> Int32) {
      self.stackSize = stackSize
      self.body = body
    }

    func run() -> Never {
      Interrupts.receive()
      // From here, not from the main thread: nothing is taken apart that the system frees anyway.
      exit(body(stackSize))
    }
  }
}
