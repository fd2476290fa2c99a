import TenonStoreKit
import TenonStores
import Testing

/// What a queue of changes promises, one promise after the other.
@Suite struct ChangeQueueTests {
  /// A queue on the virtual clock, and what it has delivered.
  final class Bench: Sendable {
    let executor = VirtualExecutor()
    let delivered = Shared<[[String]]>([])
    let dropped = Shared<[String]>([])
    let failing = Shared<Set<String>>([])
    let queue: ChangeQueue

    struct Refused: Error {}

    init(_ change: (inout ChangeQueueOptions) -> Void = { _ in }, cost: Int = 0) {
      var options = ChangeQueueOptions()
      change(&options)
      queue = ChangeQueue(
        options, on: executor,
        onDrop: { [dropped] lost in
          dropped.update { $0 += lost.changes.map { Bench.text($0) } }
        },
        handler: { [executor, delivered, failing] batch in
          let texts = batch.changes.map { Bench.text($0) }
          delivered.update { $0.append(texts) }
          if cost > 0 { executor.spend(cost) }
          let failed = failing.value
          if failed.contains("*") { throw Refused() }
          let numbers = texts.indices.filter { failed.contains(texts[$0]) }
          if !numbers.isEmpty {
            throw ChangeBatchError(failed: Set(numbers), reason: Refused())
          }
        })
    }

    static func text(_ change: QueuedChange) -> String {
      change.reference.components.joined(separator: "/") + (change.coversBelow ? "/*" : "")
    }

    func post(_ paths: String..., verb: Change.Verb = .put) throws {
      for path in paths { queue.post(Change(verb, try reference("s", path))) }
    }

    /// What was delivered since the last time.
    func take() -> [[String]] {
      delivered.update { delivered in
        defer { delivered = [] }
        return delivered
      }
    }

    func run(_ milliseconds: Int) { executor.run(until: executor.now + milliseconds * millisecond) }
  }

  @Test func eachReferenceWaitsOnceInItsOrder() throws {
    let bench = Bench()
    try bench.post("a", "b/c", "a", "d", "b/c")
    #expect(bench.queue.pending.map(\.count) == [2, 2, 1])
    bench.run(1)
    #expect(bench.take() == [["a", "b/c", "d"]])
    try bench.post("d", "a")
    bench.run(1)
    #expect(bench.take() == [["d", "a"]])
  }

  @Test func placesThatOnlyLookTheSameAreTwo() throws {
    let bench = Bench()
    try bench.post("caf\u{E9}", "cafe\u{301}")
    bench.run(1)
    #expect(bench.take().first?.count == 2)
  }

  @Test func whatCoversAllBelowAbsorbs() throws {
    let bench = Bench()
    try bench.post("x", "a/b/c", "a/d", "ab")
    try bench.post("a", verb: .invalidate)
    try bench.post("a/e")
    bench.run(1)
    // It stands where the first of what it absorbs stood.
    #expect(bench.take() == [["x", "a/*", "ab"]])
    // A place that has a value and others below it does not stand for them.
    try bench.post("a", "a/b")
    bench.run(1)
    #expect(bench.take() == [["a", "a/b"]])
  }

  @Test func componentsAreDropped() throws {
    let bench = Bench { $0.drop = 1 }
    try bench.post("lists/1/a", "lists/1/b", "lists/2/a", "top")
    bench.run(1)
    // What stands for everything absorbs the rest.
    #expect(bench.take() == [["/*"]])
    try bench.post("lists/1/a", "lists/1/b", "lists/2/a")
    bench.run(1)
    #expect(bench.take() == [["lists/1/*", "lists/2/*"]])
    let rooted = Bench {
      $0.drop = 5
      $0.leastComponents = 1
    }
    try rooted.post("lists/1/a", "lists/2", "lists")
    rooted.run(1)
    #expect(rooted.take() == [["lists/*"]])
  }

  @Test func ownChangesAreLeftOut() throws {
    let own = ChangeOrigin("own")
    let bench = Bench { $0.ignoredOrigin = own }
    let place = try reference("s", "a")
    bench.queue.post(Change(.put, place, origin: own))
    bench.run(1)
    #expect(bench.take() == [])
    bench.queue.post(Change(.put, place, origin: ChangeOrigin("own")))
    bench.queue.post(Change(.put, place, origin: own))
    bench.run(1)
    #expect(bench.take() == [["a"]])
  }

  @Test func whatAHandlerChangesIsDeliveredAfterIt() throws {
    let executor = VirtualExecutor()
    let log = Shared<[String]>([])
    let queue: Shared<ChangeQueue?> = Shared(nil)
    let again = try reference("s", "a")
    let made = ChangeQueue(on: executor) { batch in
      let isFirst = log.value.isEmpty
      log.update { $0.append("begin \(batch.count) \(batch.sequence)") }
      if isFirst { queue.value?.post(Change(.put, again, sequence: 7)) }
      log.update { $0.append("end") }
    }
    queue.update { $0 = made }
    made.post(Change(.put, again, sequence: 5))
    made.post(Change(.put, again, sequence: 6))
    executor.run(until: millisecond)
    #expect(log.value == ["begin 2 6", "end", "begin 1 7", "end"])
    queue.update { $0 = nil }
  }

  // MARK: Failures

  @Test func aFailureIsToldAndDropped() throws {
    let bench = Bench()
    bench.failing.update { $0 = ["b"] }
    try bench.post("a", "b", "c")
    bench.run(60_000)
    #expect(bench.take() == [["a", "b", "c"]])
    #expect(bench.dropped.value == ["b"])
    #expect(bench.queue.status.lastError is Bench.Refused)
    try bench.post("a")
    bench.run(1)
    #expect(bench.queue.status.lastError == nil)
  }

  @Test func aDiskIsTriedAgainMoreAndMoreSeldom() throws {
    let bench = Bench { $0.retry = .disk }
    bench.failing.update { $0 = ["*"] }
    try bench.post("a")
    bench.run(999)
    #expect(bench.take().count == 1)
    // 1, 2, 4, 8, 16, 30, 30 s.
    try bench.post("b")
    bench.run(1)
    #expect(bench.take() == [["a", "b"]])
    var times: [Int] = []
    let start = bench.executor.now
    while times.count < 5 {
      bench.run(500)
      if !bench.take().isEmpty { times.append((bench.executor.now - start) / millisecond) }
    }
    #expect(times == [2000, 6000, 14_000, 30_000, 60_000])
    bench.failing.update { $0 = [] }
    bench.run(30_000)
    #expect(bench.take() == [["a", "b"]])
    bench.run(60_000)
    #expect(bench.take() == [])
    #expect(bench.dropped.value == [])
  }

  @Test func oneThatFailsDoesNotHoldUpTheOthers() throws {
    let bench = Bench { $0.retry = .disk }
    bench.failing.update { $0 = ["a"] }
    try bench.post("a", "b")
    bench.run(1)
    try bench.post("c")
    bench.run(1)
    #expect(bench.take() == [["a", "b"], ["c"]])
    bench.failing.update { $0 = [] }
    bench.run(1000)
    #expect(bench.take() == [["a"]])
  }

  @Test func jitterIsTheSameForTheSameSeed() throws {
    func times(_ seed: UInt64) throws -> [Int] {
      let bench = Bench {
        $0.retry = .network
        $0.seed = seed
      }
      bench.failing.update { $0 = ["*"] }
      try bench.post("a")
      var times: [Int] = []
      for time in 0..<200 {
        bench.run(100)
        if !bench.take().isEmpty { times.append(time) }
      }
      return times
    }
    #expect(try times(1) == times(1))
    #expect(try times(1) != times(2))
    #expect(try times(1).count > 3)
  }

  // MARK: Flushing and closing

  @Test func flushingDoesNotWait() throws {
    let bench = Bench({ $0.throttle = ChangeQueueOptions.Throttle() }, cost: millisecond)
    try bench.post("a")
    bench.run(2)
    try bench.post("b")
    bench.run(2)
    #expect(bench.take() == [["a"]])
    try bench.queue.flush()
    #expect(bench.take() == [["b"]])
    bench.failing.update { $0 = ["*"] }
    try bench.post("c")
    #expect(throws: Bench.Refused.self) { try bench.queue.flush() }
    #expect(bench.take() == [["c"]])
    // Nobody said that it is to be tried again.
    #expect(bench.queue.pending.isEmpty)
  }

  @Test func closingDeliversAndThenTakesNothing() throws {
    let bench = Bench({ $0.throttle = ChangeQueueOptions.Throttle() }, cost: millisecond)
    try bench.post("a")
    bench.run(2)
    try bench.post("b")
    try bench.queue.close()
    try bench.post("c")
    bench.run(1000)
    #expect(bench.take() == [["a"], ["b"]])
    let failing = Bench { $0.retry = .disk }
    failing.failing.update { $0 = ["*"] }
    try failing.post("a", "b")
    #expect(throws: Bench.Refused.self) { try failing.queue.close() }
    #expect(failing.dropped.value == ["a", "b"])
    failing.run(60_000)
    #expect(failing.take() == [["a", "b"]])
  }

  // MARK: Width

  @Test func severalDeliveriesAtATime() throws {
    let executor = VirtualExecutor()
    var options = ChangeQueueOptions()
    options.width = 2
    options.batchLimit = 1
    let begun = Shared<[ChangeDelivery]>([])
    let queue = ChangeQueue(unfinished: options, on: executor) { delivery in
      begun.update { $0.append(delivery) }
    }
    func paths() -> [String] {
      begun.value.flatMap { $0.batch.changes.map { Bench.text($0) } }
    }
    func post(_ path: String, _ verb: Change.Verb = .put) throws {
      queue.post(Change(verb, try reference("s", path)))
      executor.run(until: executor.now + millisecond)
    }
    try post("a")
    // Never the same place twice, nor one below another.
    try post("a")
    #expect(paths() == ["a"])
    try post("b")
    #expect(paths() == ["a", "b"])
    try post("c")
    #expect(paths() == ["a", "b"])
    begun.value[0].finish()
    begun.value[0].finish()
    executor.run(until: executor.now + millisecond)
    #expect(paths() == ["a", "b", "a"])
    begun.value[1].finish()
    begun.value[2].finish()
    executor.run(until: executor.now + millisecond)
    #expect(paths() == ["a", "b", "a", "c"])
    begun.value[3].finish()
    #expect(queue.status.pending == 0)
    begun.update { $0 = [] }
  }

  /// What waits beside a delivery that has begun needs neither another change nor the end of that one.
  @Test func whatWaitsBesideADeliveryBeginsToo() throws {
    let executor = VirtualExecutor()
    var options = ChangeQueueOptions()
    options.width = 3
    options.batchLimit = 1
    let begun = Shared<[ChangeDelivery]>([])
    let queue = ChangeQueue(unfinished: options, on: executor) { delivery in
      begun.update { $0.append(delivery) }
    }
    for path in ["a", "b", "c", "d"] { queue.post(Change(.put, try reference("s", path))) }
    executor.run(until: executor.now + millisecond)
    #expect(begun.value.flatMap { $0.batch.changes.map { Bench.text($0) } } == ["a", "b", "c"])
    begun.value[1].finish()
    executor.run(until: executor.now + millisecond)
    #expect(begun.value.flatMap { $0.batch.changes.map { Bench.text($0) } }.last == "d")
    for delivery in begun.value { delivery.finish() }
    executor.run(until: executor.now + millisecond)
    #expect(queue.status.pending == 0)
    begun.update { $0 = [] }
  }

  // MARK: The feed

  @Test func whoIsTold() throws {
    let feed = ChangeFeed()
    let log = Shared<[String]>([])
    let executor = ImmediateExecutor()
    func queue(_ name: String) -> ChangeQueue {
      ChangeQueue(on: executor) { batch in
        log.update { $0 += batch.changes.map { "\(name) \(Bench.text($0))" } }
      }
    }
    func told(_ verb: Change.Verb, _ path: String) throws -> [String] {
      feed.post(verb, try reference("s", path))
      return log.update { log in
        defer { log = [] }
        return log
      }
    }
    let shallow = feed.subscribe(to: try reference("s", "a"), isDeep: false, queue("shallow"))
    let deep = feed.subscribe(to: try reference("s", "a"), isDeep: true, queue("deep"))
    let leaf = feed.subscribe(to: try reference("s", "a/b/c"), isDeep: false, queue("leaf"))
    let all = feed.subscribe(queue("all"))
    #expect(try told(.put, "a") == ["shallow a", "deep a", "all a"])
    #expect(try told(.put, "a/b") == ["shallow a/b", "deep a/b", "all a/b"])
    #expect(try told(.delete, "a/b/c") == ["deep a/b/c", "leaf a/b/c", "all a/b/c"])
    #expect(try told(.put, "b") == ["all b"])
    #expect(try told(.put, "ab") == ["all ab"])
    #expect(
      try told(.invalidate, "a")
        == ["shallow a/*", "deep a/*", "leaf a/*", "all a/*"])
    #expect(
      try told(.invalidate, "a/b") == ["shallow a/b/*", "deep a/b/*", "leaf a/b/*", "all a/b/*"])
    deep.end()
    leaf.end()
    #expect(try told(.put, "a/b/c") == ["all a/b/c"])
    _ = (shallow, all)
  }

  @Test func sequencesGrowWithoutGaps() throws {
    let feed = ChangeFeed()
    let sequences = Shared<[UInt64]>([])
    let queue = ChangeQueue(on: ImmediateExecutor()) { batch in
      sequences.update { $0.append(batch.sequence) }
    }
    let subscription = feed.subscribe(queue)
    for path in ["a", "b", "a"] { feed.post(.put, try reference("s", path)) }
    #expect(sequences.value == [1, 2, 3])
    _ = subscription
  }

  @Test func aStoreThatTellsNothingCannotBeWatched() throws {
    let queue = ChangeQueue(on: ImmediateExecutor()) { _ in }
    #expect(
      kind { _ = try EnvironmentStore().watch(try environment("HOME"), isDeep: false, queue) }
        == .unsupported)
  }
}
