import TenonStoreKit
import Testing

/// Scenarios 2 and 3 of the design of stores: nothing that a source becomes is lost on its way to the
/// target, whatever happens while it is on its way.
@Suite struct ChangeQueueScenarios {
  /// Makes a queue; what is told is taken up by the last argument.
  typealias MakeQueue = (VirtualExecutor, @escaping @Sendable (Reference) -> Void) ->
    any QueueUnderTest

  private static func queue(
    _ executor: VirtualExecutor, _ handler: @escaping @Sendable (Reference) -> Void
  ) -> any QueueUnderTest {
    ChangeQueue(on: executor) { batch in for change in batch.changes { handler(change.reference) } }
  }

  private static func faulty(_ faults: NaiveQueue.Faults) -> MakeQueue {
    { executor, handler in
      NaiveQueue(faults, on: executor) { handler($0.reference) }
    }
  }

  // MARK: 2. No lost update in flight

  /// Writes to one place at random times; the target takes 10 ms for each update.
  ///
  /// - Returns: What the source and the target have in the end, and how often the target was written.
  private func writeInFlight(
    seed: Int, count: Int, _ make: MakeQueue
  ) throws -> (source: Int?, target: Int?, updates: Int) {
    let executor = VirtualExecutor()
    let place = try Reference(scheme: "s", components: ["a"])
    let source = Shared<Int?>(nil)
    let target = Shared<Int?>(nil)
    let updates = Shared(0)
    let queue = make(executor) { _ in
      // It is read at the beginning, when it is not yet what it will be.
      let value = source.value
      executor.spend(10 * millisecond)
      target.update { $0 = value }
      updates.update { $0 += 1 }
    }
    let random = Shared(SeededRandom(seed))
    let written = Shared(0)
    executor.at(0) {
      source.update { $0 = written.value }
      queue.post(Change(.put, place))
      let number = written.update { number in
        number += 1
        return number
      }
      guard number < count else { return nil }
      return executor.now + random.update { Int.random(in: 0...(4 * millisecond), using: &$0) }
    }
    executor.run(until: 3600 * 1000 * millisecond)
    return (source.value, target.value, updates.value)
  }

  @Test(arguments: 0..<50)
  func nothingIsLostInFlight(seed: Int) throws {
    let result = try writeInFlight(seed: seed, count: 1000, ChangeQueueScenarios.queue)
    #expect(result.source == 999)
    #expect(result.target == 999)
    // Many writes are one update, but not all of them.
    #expect((2..<1000).contains(result.updates))
  }

  @Test func keepingTheEntryInFlightLosesUpdates() throws {
    let lost = try (0..<50).filter { seed in
      let faults = NaiveQueue.Faults(keepsInFlight: true)
      let result = try writeInFlight(seed: seed, count: 1000, ChangeQueueScenarios.faulty(faults))
      return result.source != result.target
    }
    #expect(lost.count >= 40)
  }

  // MARK: 3. Orders of put and delete

  /// What is done to the one place.
  private enum Action: CaseIterable {
    case putOne, putTwo, delete

    var value: Int? {
      switch self {
      case .putOne: 1
      case .putTwo: 2
      case .delete: nil
      }
    }
  }

  /// All sequences of six actions.
  private static var sequences: [[Action]] {
    (0..<6).reduce([[]]) { sequences, _ in
      sequences.flatMap { sequence in Action.allCases.map { sequence + [$0] } }
    }
  }

  /// Runs a sequence through a queue that writes behind, while so many actions happen as slowness
  /// says while the target is busy with one.
  ///
  /// - Returns: Whether the target becomes what the source is.
  /// - Throws: What making a reference throws.
  private func writeBehind(
    _ sequence: [Action], slowness: Int,
    _ make: (VirtualExecutor, @escaping @Sendable (Change.Verb, Reference) -> Void) ->
      any QueueUnderTest, usesVerb: Bool
  ) throws -> Bool {
    let executor = VirtualExecutor()
    let place = try Reference(scheme: "s", components: ["a"])
    let source = Shared<Int?>(nil)
    let target = Shared<Int?>(nil)
    let queue = make(executor) { verb, _ in
      let value = source.value
      executor.spend(slowness * 10 * millisecond)
      // What is told is a hint; only whoever trusts it deletes without looking.
      if usesVerb, verb == .delete {
        target.update { $0 = nil }
      } else if value != nil || !usesVerb {
        target.update { $0 = value }
      }
    }
    executor.every(10 * millisecond, from: 5 * millisecond, count: sequence.count) { index in
      source.update { $0 = sequence[index].value }
      queue.post(Change(sequence[index] == .delete ? .delete : .put, place))
    }
    executor.run(until: 1000 * millisecond)
    return source.value == target.value
  }

  @Test(arguments: [0, 1, 2, 4, 9])
  func everyOrderOfPutsAndDeletes(slowness: Int) throws {
    #expect(ChangeQueueScenarios.sequences.count == 729)
    for sequence in ChangeQueueScenarios.sequences {
      let isEqual = try writeBehind(
        sequence, slowness: slowness,
        { executor, handler in
          ChangeQueue(on: executor) { batch in
            for change in batch.changes { handler(change.verb, change.reference) }
          }
        }, usesVerb: false)
      #expect(isEqual, "\(sequence)")
    }
  }

  @Test func aKeyWithTheVerbLosesValues() throws {
    let faults = NaiveQueue.Faults(isKeyedByVerb: true)
    let wrong = try ChangeQueueScenarios.sequences.filter { sequence in
      try !writeBehind(
        sequence, slowness: 9,
        { executor, handler in
          NaiveQueue(faults, on: executor) { handler($0.verb, $0.reference) }
        }, usesVerb: true)
    }
    #expect(wrong.count >= 50)
  }
}
