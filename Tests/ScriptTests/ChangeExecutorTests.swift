import Foundation
import Synchronization
import Tenon
import TenonRuntime
import TenonStoreKit
import Testing

/// Changes that are delivered on an interpreter's thread, in the turns of its run loop.
@Suite struct ChangeExecutorTests {
  private func reference(_ name: String) throws -> Reference {
    try Reference(scheme: "s", components: [name])
  }

  /// What a handler was told.
  private final class Told: Sendable {
    let batches = Mutex<[[String]]>([])
    var all: [[String]] { batches.withLock { $0 } }
    func note(_ batch: ChangeBatch) {
      batches.withLock { $0.append(batch.changes.map { $0.reference.name ?? "" }) }
    }
  }

  @Test func theThrottleKeepsTheInterpretersTime() throws {
    let clock = VirtualClock()
    let interpreter = Interpreter(clock: clock)
    let told = Told()
    var options = ChangeQueueOptions()
    options.throttle = ChangeQueueOptions.Throttle()
    let queue = ChangeQueue(options, on: interpreter.changeExecutor) { told.note($0) }
    #expect(!interpreter.isLive)
    queue.post(Change(.put, try reference("a")))
    #expect(interpreter.isLive)
    #expect(interpreter.nanosecondsUntilDue == 0)
    _ = interpreter.runDue()
    #expect(told.all == [["a"]])
    queue.post(Change(.put, try reference("b")))
    queue.post(Change(.put, try reference("c")))
    _ = interpreter.runDue()
    // Held for the shortest time, as the handler took none.
    #expect(told.all == [["a"]])
    #expect(interpreter.nanosecondsUntilDue == 16_000_000)
    let start = clock.monotonicTime
    _ = interpreter.runLoop()
    #expect(told.all == [["a"], ["b", "c"]])
    #expect(clock.monotonicTime - start < 100_000_000)
    #expect(!interpreter.isLive)
  }

  @Test func aProgramThatWaitsIsToldMeanwhile() throws {
    let interpreter = Interpreter(clock: VirtualClock())
    let told = Told()
    let queue = ChangeQueue(on: interpreter.changeExecutor) { told.note($0) }
    queue.post(Change(.put, try reference("a")))
    _ = try interpreter.evaluate("1 second wait")
    #expect(told.all == [["a"]])
    queue.post(Change(.put, try reference("b")))
    try queue.flush()
    #expect(told.all == [["a"], ["b"]])
  }

  @Test(.timeLimit(.minutes(10))) func otherThreadsPostAndFlush() throws {
    let interpreter = Interpreter(clock: Interpreter.systemClock)
    let told = Told()
    let queue = ChangeQueue(on: interpreter.changeExecutor) { told.note($0) }
    let place = try reference("a")
    // As long as this is not done, the loop goes on.
    _ = try interpreter.evaluate("timer := [ ] every: 10 milliseconds")
    let thread = Thread {
      for _ in 0..<20 {
        queue.post(Change(.put, place))
        try? queue.flush()
      }
    }
    thread.start()
    while !thread.isFinished {
      interpreter.wakeUp.wait(nanoseconds: interpreter.nanosecondsUntilDue ?? .max)
      _ = interpreter.runDue()
    }
    #expect(told.all.count == 20)
  }
}
