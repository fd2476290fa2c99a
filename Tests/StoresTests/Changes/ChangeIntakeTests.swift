import Testing

@testable import TenonStoreKit

/// What has come in while somebody else was posting: one thread says who comes when.
@Suite struct ChangeIntakeTests {
  private func change(_ number: Int) throws -> Change {
    Change(.put, try reference("s", "\(number)"), sequence: UInt64(number))
  }

  /// An intake in a box, as the macros of tests copy what they look at.
  private final class Box: Sendable {
    let intake = ChangeIntake()

    func enter(_ change: Change) -> ChangeIntake.Arrival { intake.enter(change) }

    func stop() -> Bool { intake.stop() }

    func takeAll() -> [UInt64] {
      var numbers: [UInt64] = []
      intake.takeAll { numbers.append($0.sequence) }
      return numbers
    }
  }

  @Test func oneTakesInWhatTheOthersLeave() throws {
    let intake = Box()
    #expect(intake.enter(try change(0)) == .taking)
    for number in 1...3 { #expect(intake.enter(try change(number)) == .left) }
    // Who takes in cannot go as long as something is there.
    #expect(!intake.stop())
    #expect(intake.takeAll() == [1, 2, 3])
    #expect(intake.takeAll() == [])
    #expect(intake.enter(try change(4)) == .left)
    #expect(!intake.stop())
    #expect(intake.takeAll() == [4])
    #expect(intake.stop())
    #expect(intake.takeAll() == [])
    #expect(intake.enter(try change(5)) == .taking)
    #expect(intake.stop())
  }

  @Test func thereIsRoomForSoMany() throws {
    let intake = Box()
    #expect(intake.enter(try change(0)) == .taking)
    for round in 1...2 {
      for number in 1...ChangeIntake.limit {
        try #require(intake.enter(try change(number)) == .left)
      }
      #expect(intake.enter(try change(0)) == .full)
      #expect(intake.takeAll() == (1...UInt64(ChangeIntake.limit)).map { $0 }, "round \(round)")
    }
    #expect(intake.stop())
  }

  @Test func whatNobodyTakesIsFreed() throws {
    weak var kept: ChangeOrigin?
    do {
      let intake = Box()
      let origin = ChangeOrigin("somebody")
      kept = origin
      #expect(intake.enter(try change(0)) == .taking)
      for _ in 0..<3 {
        _ = intake.enter(Change(.put, try reference("s", "a"), origin: origin))
      }
    }
    #expect(kept == nil)
  }

  /// Many threads enter at once, and whoever may take in does: nothing is lost or comes twice, each
  /// thread's changes keep their order, and nobody takes in beside another.
  @Test(.timeLimit(.minutes(10)))
  func manyEnterAtOnce() throws {
    final class Bench: Sendable {
      let intake = ChangeIntake()
      let taken = Shared<[[UInt64]]>(Array(repeating: [], count: 8))
      let takers = Shared(0)
      let mostTakers = Shared(0)
    }
    let bench = Bench()
    let perThread = 5000
    let threads = startThreads(8) { thread in
      func take(_ change: Change) {
        bench.taken.update { $0[Int(change.sequence) / perThread].append(change.sequence) }
      }
      guard let place = try? reference("s", "\(thread)") else { return }
      for index in 0..<perThread {
        let change = Change(.put, place, sequence: UInt64(thread * perThread + index))
        while true {
          let arrival = bench.intake.enter(change)
          if arrival == .left { break }
          // There is no lock here that others could wait for.
          guard arrival == .taking else { continue }
          let count = bench.takers.update { count in
            count += 1
            return count
          }
          bench.mostTakers.update { $0 = max($0, count) }
          take(change)
          bench.intake.takeAll(take)
          while true {
            // Before the next may begin.
            bench.takers.update { $0 -= 1 }
            if bench.intake.stop() { break }
            bench.takers.update { $0 += 1 }
            bench.intake.takeAll(take)
          }
          break
        }
      }
    }
    wait(for: threads)
    #expect(bench.mostTakers.value == 1)
    for (thread, numbers) in bench.taken.value.enumerated() {
      let start = UInt64(thread * perThread)
      let areAllInOrder = numbers == (start..<start + UInt64(perThread)).map { $0 }
      #expect(areAllInOrder, "\(numbers.count) of thread \(thread)")
    }
  }
}
