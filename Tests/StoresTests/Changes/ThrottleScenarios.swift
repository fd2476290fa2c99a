import Foundation
import TenonStoreKit
import Testing

/// Scenarios 4 and 5 of the design of stores: an interface that is told of very many changes keeps
/// up, and one that is told of few hears each.
@Suite struct ThrottleScenarios {
  /// What happened.
  struct Report: Sendable {
    struct Batch: Sendable {
      let start: Int
      var end: Int
      let references: Int
      let coarse: Int
    }

    var batches: [Batch] = []
    var mostPending = 0
    /// For each change that was delivered in full detail, how long it took.
    var latencies: [Int] = []

    /// The longest time in which nothing was begun.
    var longestGap: Int {
      zip(batches, batches.dropFirst()).map { $1.start - $0.start }.max() ?? 0
    }
  }

  /// A model of 2,000 tasks in 20 lists, and an interface that shows it.
  final class Program: Sendable {
    let executor = VirtualExecutor()
    let model = Shared<[Int]>(Array(repeating: 0, count: 2000))
    let view = Shared<[Int]>(Array(repeating: 0, count: 2000))
    let report = Shared(Report())
    let posted = Shared<[Int: Int]>([:])
    private let references: [Reference]
    let queue: Shared<ChangeQueue?> = Shared(nil)

    /// Creates a program whose interface takes so many nanoseconds for a reference.
    init(cost: Int) throws {
      references = try (0..<2000).map { number in
        try Reference(scheme: "model", components: ["lists", "\(number / 100)", "\(number)"])
      }
      var options = ChangeQueueOptions()
      options.throttle = ChangeQueueOptions.Throttle()
      let (executor, model, view, report) = (executor, model, view, report)
      queue.update {
        $0 = ChangeQueue(options, on: executor) { [posted] batch in
          let start = executor.now
          for change in batch.changes {
            executor.spend(cost)
            let components = change.reference.components
            let all = model.value
            view.update { view in
              if components.count == 3, let number = Int(components[2]) {
                view[number] = all[number]
                let time = posted.update { $0.removeValue(forKey: number) }
                if let time { report.update { $0.latencies.append(start - time) } }
              } else if components.count == 2, let list = Int(components[1]) {
                view.replaceSubrange(
                  list * 100..<(list + 1) * 100, with: all[list * 100..<(list + 1) * 100])
              } else {
                view = all
              }
            }
          }
          let coarse = batch.changes.count { $0.coversBelow }
          report.update { report in
            report.batches.append(
              Report.Batch(
                start: start, end: executor.now, references: batch.changes.count, coarse: coarse))
          }
        }
      }
    }

    func change(_ number: Int, to value: Int) {
      model.update { $0[number] = value }
      posted.update { $0[number] = executor.now }
      guard let queue = queue.value else { return }
      queue.post(Change(.put, references[number], sequence: UInt64(value)))
      let pending = queue.status.pending
      report.update { $0.mostPending = max($0.mostPending, pending) }
    }
  }

  @Test(arguments: [2, 20], [10_000, 100_000])
  func manyUpdates(cost: Int, rate: Int) throws {
    let seconds = isFullSize ? 10 : rate > 10_000 ? 1 : 3
    let program = try Program(cost: cost * millisecond)
    let executor = program.executor
    let random = Shared(SeededRandom(cost + rate))
    executor.every(1000 * millisecond / rate, from: 0, count: seconds * rate) { index in
      let number = random.update { Int.random(in: 0..<2000, using: &$0) }
      program.change(number, to: index + 1)
    }
    let end = seconds * 1000 * millisecond
    executor.run(until: end + 500 * millisecond)
    let report = program.report.value
    let first = try #require(report.batches.first)
    #expect(first.start < 5 * millisecond)
    #expect(report.batches.count <= 60 * seconds)
    #expect(report.mostPending <= 32)
    #expect(report.batches.allSatisfy { $0.references <= 32 })
    #expect(report.longestGap <= 400 * millisecond)
    #expect(program.view.value == program.model.value)
    #expect(program.queue.value?.status.pending == 0)

    // Afterwards little changes, and that is told as it is.
    let quiet = end + 500 * millisecond
    let before = report.batches.count
    executor.every(200 * millisecond, from: quiet, count: 10) { index in
      program.change(index * 7, to: 1_000_000 + index)
    }
    executor.run(until: quiet + 3000 * millisecond)
    let later = program.report.value.batches[before...]
    #expect(later.count == 10)
    #expect(
      later.allSatisfy { $0.coarse == 0 || $0.start < quiet + 1000 * millisecond })
    #expect(program.queue.value?.status.depth == 0)
    #expect(program.view.value == program.model.value)
    if isFullSize {
      print(
        "scenario 4: \(rate)/s for \(seconds) s against \(cost) ms: \(report.batches.count) batches,"
          + " \(report.batches.reduce(0) { $0 + $1.references }) references, pending at most"
          + " \(report.mostPending), longest gap \(report.longestGap / millisecond) ms")
    }
  }

  @Test func fewUpdatesAreToldAsTheyAre() throws {
    let program = try Program(cost: 2 * millisecond)
    program.executor.every(200 * millisecond, from: 0, count: 100) { index in
      program.change(index * 19 % 2000, to: index + 1)
    }
    program.executor.run(until: 21_000 * millisecond)
    let report = program.report.value
    #expect(report.batches.count == 100)
    #expect(report.batches.allSatisfy { $0.coarse == 0 && $0.references == 1 })
    let latencies = report.latencies.sorted()
    #expect(latencies.count == 100)
    #expect(latencies[98] < 10 * millisecond)
    #expect(program.view.value == program.model.value)
  }

  /// The control: a throttle that forgets the end of a burst.
  @Test func droppingTheTrailingChangeIsNoticed() throws {
    let executor = VirtualExecutor()
    let place = try Reference(scheme: "s", components: ["a"])
    let source = Shared(0)
    let target = Shared(0)
    let holdEnd = Shared(0)
    var options = ChangeQueueOptions()
    options.throttle = ChangeQueueOptions.Throttle()
    let shown = Shared(0)
    let queue = ChangeQueue(options, on: executor) { _ in shown.update { $0 = source.value } }
    let faulty: @Sendable () -> Void = {
      if executor.now >= holdEnd.value {
        target.update { $0 = source.value }
        holdEnd.update { $0 = executor.now + 16 * millisecond }
      }
    }
    executor.every(millisecond, from: 0, count: 20) { index in
      source.update { $0 = index + 1 }
      queue.post(Change(.put, place))
      faulty()
    }
    executor.run(until: 1000 * millisecond)
    #expect(shown.value == 20)
    #expect(target.value != 20)
  }
}
