import Synchronization
import TenonStoreKit
import TenonStores

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// Scenario 6 in a process of its own, whose memory nobody else uses: eight threads post while a
/// handler is busy.
final class PostStorm: Sendable {
  private let queue: ChangeQueue
  private let finished = Atomic(0)
  private let times = Mutex<[Int]>([])
  private let clock = SystemClock()
  private let references: [Reference]

  init() throws {
    references = try (0..<2000).map {
      try Reference(scheme: "s", components: ["lists", "\($0 / 100)", "\($0)"])
    }
    var options = ChangeQueueOptions()
    options.throttle = ChangeQueueOptions.Throttle()
    let isBusy = Flag()
    queue = ChangeQueue(options, on: try SerialExecutor("interface")) { _ in
      while isBusy.value.load(ordering: .relaxed) { usleep(1000) }
    }
    busy = isBusy
  }

  private let busy: Flag

  /// Posts from eight threads, and prints the 99th percentile of a post in nanoseconds, by how many
  /// bytes the process has grown, and how many references wait.
  func run(_ count: Int) throws {
    busy.value.store(true, ordering: .relaxed)
    queue.post(Change(.put, references[0]))
    // The threads' stacks, the allocator's arenas and the list of times are not the queue's.
    storm(count)
    let before = residentSize
    storm(count)
    let after = residentSize
    let sorted = times.withLock { $0.sorted() }
    let pending = queue.status.pending
    busy.value.store(false, ordering: .relaxed)
    try queue.close()
    Main.say(
      "p99 \(sorted[sorted.count * 99 / 100]) growth \(max(0, after - before)) pending \(pending)")
  }

  private func storm(_ count: Int) {
    finished.store(0, ordering: .relaxed)
    let perThread = count / 8
    times.withLock { times in
      times = []
      times.reserveCapacity(count)
    }
    for number in 0..<8 {
      let body: @Sendable () -> Void = { [self] in
        var own: [Int] = []
        own.reserveCapacity(perThread)
        for index in 0..<perThread {
          let reference = references[(index * 7 + number * 251) % references.count]
          let start = clock.monotonicTime
          queue.post(Change(.put, reference))
          own.append(clock.monotonicTime - start)
        }
        times.withLock { $0 += own }
        finished.add(1, ordering: .relaxed)
      }
      start(body)
    }
    while finished.load(ordering: .relaxed) < 8 { usleep(1000) }
  }

  private func start(_ body: @escaping @Sendable () -> Void) {
    let job = unsafe Unmanaged.passRetained(Job(body))
    var thread = pthread_t()
    unsafe _ = pthread_create(
      &thread, nil,
      { context in
        if let context = unsafe context as UnsafeMutableRawPointer? {
          unsafe Unmanaged<Job>.fromOpaque(context).takeRetainedValue().body()
        }
        return nil
      }, job.toOpaque())
    pthread_detach(thread)
  }

  private final class Job: Sendable {
    let body: @Sendable () -> Void
    init(_ body: @escaping @Sendable () -> Void) { self.body = body }
  }

  /// Bytes of memory that the process has.
  private var residentSize: Int {
    let file = unsafe open("/proc/self/statm", O_RDONLY)
    guard file >= 0 else { return 0 }
    defer { close(file) }
    var bytes = [UInt8](repeating: 0, count: 128)
    let count = unsafe bytes.withUnsafeMutableBytes { unsafe read(file, $0.baseAddress, 128) }
    let words = String(decoding: bytes[..<max(0, count)], as: UTF8.self).split(separator: " ")
    return (words.count > 1 ? Int(words[1]) ?? 0 : 0) * Int(sysconf(Int32(_SC_PAGESIZE)))
  }
}

/// A flag that closures share.
private final class Flag: Sendable {
  let value = Atomic(false)
}
