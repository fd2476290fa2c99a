import Foundation
import TenonStoreKit
import TenonStores
import Testing

/// What posters of several threads are promised, however they meet.
@Suite struct ChangeQueuePosters {
  /// A queue on a thread of its own, and the places that it has delivered, in their order.
  private final class Bench: Sendable {
    let delivered = Shared<[QueuedChange]>([])
    let count = Shared(0)
    let gate = Shared(true)
    let queue: ChangeQueue

    init() throws {
      queue = ChangeQueue(on: try SerialExecutor("posted")) { [delivered, count, gate] batch in
        while !gate.value { usleep(100) }
        delivered.update { $0 += batch.changes }
        count.update { $0 += batch.count }
      }
    }

    /// Waits until so many changes were delivered, without asking the queue: that would look what
    /// has been left.
    func wait(for expected: Int) {
      while count.value < expected { usleep(200) }
    }

    func post(_ poster: Int, _ index: Int, _ verb: Change.Verb = .put) {
      guard let place = try? reference("s", "\(poster)/\(index)") else { return }
      queue.post(Change(verb, place))
    }

    /// What was delivered of a poster.
    func indices(of poster: Int) -> [Int] {
      delivered.value.filter { $0.reference.components.first == "\(poster)" }
        .compactMap { $0.reference.components.last.flatMap { Int($0) } }
    }
  }

  /// Also when the handler is busy, and more come in than there is room for beside the lock.
  @Test(.timeLimit(.minutes(10)), arguments: [false, true])
  func eachPostersChangesKeepTheirOrder(isBusy: Bool) throws {
    let bench = try Bench()
    bench.gate.update { $0 = !isBusy }
    let posters = startThreads(8) { poster in
      for index in 0..<2000 { bench.post(poster, index) }
    }
    wait(for: posters)
    bench.gate.update { $0 = true }
    try bench.queue.close()
    #expect(bench.count.value == 8 * 2000)
    for poster in 0..<8 {
      let indices = bench.indices(of: poster)
      let areAllInOrder = indices == Array(0..<2000)
      #expect(areAllInOrder, "\(indices.count) of poster \(poster)")
    }
  }

  /// A place that is written and deleted in turns ends as what was posted last.
  @Test(.timeLimit(.minutes(10)))
  func theLastVerbIsTheLastPosted() throws {
    let bench = try Bench()
    for round in 0..<20 {
      bench.gate.update { $0 = false }
      let posters = startThreads(8) { poster in
        for step in 0..<501 + round { bench.post(poster, 0, step % 2 == 0 ? .put : .delete) }
      }
      wait(for: posters)
      bench.gate.update { $0 = true }
      try bench.queue.flush()
      let last = bench.delivered.update { delivered in
        defer { delivered = [] }
        return delivered
      }
      for poster in 0..<8 {
        let own = last.last { $0.reference.components.first == "\(poster)" }
        #expect(own?.verb == (round % 2 == 0 ? .put : .delete))
      }
    }
    try bench.queue.close()
  }

  /// Nobody flushes, and nobody asks: what was posted is delivered all the same, in each of many
  /// rounds that end in all ways in which posters can meet.
  @Test(.timeLimit(.minutes(10)))
  func nothingStaysBehind() throws {
    let bench = try Bench()
    var expected = 0
    var random = SeededRandom(6)
    for _ in 0..<400 {
      let perPoster = Int.random(in: 1...40, using: &random)
      let posters = startThreads(4) { poster in
        for index in 0..<perPoster { bench.post(poster, index) }
      }
      wait(for: posters)
      expected += 4 * perPoster
      bench.wait(for: expected)
    }
    #expect(bench.count.value == expected)
    try bench.queue.close()
    #expect(bench.count.value == expected)
  }

  /// The same when the handler is busy meanwhile.
  @Test(.timeLimit(.minutes(10)))
  func nothingStaysBehindABusyHandler() throws {
    let bench = try Bench()
    for round in 1...5 {
      bench.gate.update { $0 = false }
      let posters = startThreads(8) { poster in
        for index in 0..<2000 { bench.post(poster, index) }
      }
      wait(for: posters)
      bench.gate.update { $0 = true }
      bench.wait(for: round * 16000)
      #expect(bench.count.value == round * 16000)
    }
    try bench.queue.close()
  }

  /// What a thread has posted is delivered when its flush returns, whatever others post meanwhile.
  @Test(.timeLimit(.minutes(10)))
  func aFlushDeliversWhatWasPostedBefore() throws {
    let bench = try Bench()
    let missing = Shared(0)
    let isOver = Shared(false)
    let noise = startThreads(3) { poster in
      var index = 0
      while !isOver.value {
        bench.post(100 + poster, index % 50)
        index += 1
      }
    }
    let threads = startThreads(3) { poster in
      for index in 0..<50 {
        bench.post(poster, index)
        try? bench.queue.flush()
        if bench.indices(of: poster).last != index { missing.update { $0 += 1 } }
        if poster == 0 {
          bench.delivered.update { delivered in
            delivered.removeAll { ($0.reference.components.first?.utf8.count ?? 0) > 1 }
          }
        }
      }
    }
    wait(for: threads)
    isOver.update { $0 = true }
    wait(for: noise)
    #expect(missing.value == 0)
    try bench.queue.close()
  }

  /// What was posted before the queue is closed is delivered, what is posted afterwards is not.
  @Test(.timeLimit(.minutes(10)))
  func closingIsALine() throws {
    for round in 0..<40 {
      let bench = try Bench()
      let isClosing = Shared(false)
      let isClosed = Shared(false)
      // How many each has posted for certain before, and how many perhaps.
      let before = Shared([Int](repeating: 0, count: 4))
      let perhaps = Shared([Int](repeating: 0, count: 4))
      let posters = startThreads(4) { poster in
        var index = 0
        while !isClosed.value {
          perhaps.update { $0[poster] = index + 1 }
          bench.post(poster, index)
          index += 1
          if !isClosing.value { before.update { $0[poster] = index } }
        }
        for _ in 0..<10 {
          bench.post(poster, index)
          index += 1
        }
      }
      usleep(UInt32(round * 50))
      isClosing.update { $0 = true }
      try bench.queue.close()
      isClosed.update { $0 = true }
      let delivered = bench.count.value
      wait(for: posters)
      #expect(bench.queue.status.pending == 0)
      #expect(bench.count.value == delivered)
      for poster in 0..<4 {
        let indices = bench.indices(of: poster)
        let areInOrder = indices == Array(0..<indices.count)
        #expect(areInOrder, "\(indices.count) of poster \(poster)")
        #expect(indices.count >= before.value[poster])
        #expect(indices.count <= perhaps.value[poster])
      }
    }
  }
}
