import Foundation
import Synchronization
import TenonStoreKit

/// An executor whose time passes only when a test lets it, and in which other things happen at times
/// of their own, also while a handler is busy.
///
/// One thread uses it.
final class VirtualExecutor: ChangeExecutor {
  private struct State {
    var now = 0
    var due: [(queue: ChangeQueue, time: Int)] = []
    /// What happens at a time, without a queue; it answers when it happens again.
    var events: [(time: Int, event: Event)] = []
    var count = 0
  }

  /// An object: a closure that goes in and out again and again is wrapped anew each time.
  private final class Event: Sendable {
    let number: Int
    let body: @Sendable () -> Int?

    init(_ number: Int, _ body: @escaping @Sendable () -> Int?) {
      self.number = number
      self.body = body
    }
  }

  private let state = Mutex(State())

  var now: Int { state.withLock { $0.now } }
  var isCurrent: Bool { true }

  func schedule(_ queue: ChangeQueue, at time: Int?) {
    state.withLock { state in
      let time = time ?? state.now
      if let index = state.due.firstIndex(where: { $0.queue === queue }) {
        state.due[index].time = min(state.due[index].time, time)
      } else {
        state.due.append((queue, time))
      }
    }
  }

  func wait(until condition: () -> Bool) {}

  /// Has something happen at a time, and again at the times that it answers.
  func at(_ time: Int, _ body: @escaping @Sendable () -> Int?) {
    state.withLock { state in
      state.events.append((time, Event(state.count, body)))
      state.count += 1
    }
  }

  /// Has something happen in equal intervals.
  func every(
    _ interval: Int, from start: Int, count: Int, _ body: @escaping @Sendable (Int) -> Void
  ) {
    let index = Shared(0)
    at(start) {
      let number = index.update { index in
        index += 1
        return index
      }
      body(number - 1)
      return number < count ? start + number * interval : nil
    }
  }

  /// Lets the next event happen, if there is one up to a time.
  private func runEvent(until end: Int) -> Bool {
    let event = state.withLock { state -> Event? in
      guard
        let index = state.events.indices.min(by: {
          (state.events[$0].time, state.events[$0].event.number)
            < (state.events[$1].time, state.events[$1].event.number)
        }), state.events[index].time <= end
      else { return nil }
      let next = state.events.remove(at: index)
      state.now = max(state.now, next.time)
      return next.event
    }
    guard let event else { return false }
    if let next = event.body() {
      state.withLock { $0.events.append((next, event)) }
    }
    return true
  }

  /// Lets a handler be busy: what happens meanwhile happens.
  func spend(_ nanoseconds: Int) {
    let end = now + nanoseconds
    while runEvent(until: end) {}
    state.withLock { $0.now = max($0.now, end) }
  }

  /// Lets time pass up to a moment, and everything happen that is due.
  func run(until end: Int) {
    while true {
      let queue = state.withLock { state -> ChangeQueue? in
        let event = state.events.map(\.time).min() ?? .max
        guard let index = state.due.indices.min(by: { state.due[$0].time < state.due[$1].time }),
          state.due[index].time <= min(event, end)
        else { return nil }
        let due = state.due.remove(at: index)
        state.now = max(state.now, due.time)
        return due.queue
      }
      if let queue {
        queue.run()
      } else if !runEvent(until: end) {
        state.withLock { $0.now = max($0.now, end) }
        return
      }
    }
  }
}

/// Nanoseconds in a millisecond.
let millisecond = 1_000_000

/// Random numbers that are the same for the same seed.
struct SeededRandom: RandomNumberGenerator {
  private var state: UInt64

  init(_ seed: Int) { state = UInt64(bitPattern: Int64(seed)) &+ 0x1234_5678_9ABC_DEF1 }

  mutating func next() -> UInt64 {
    state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
    var bits = state
    bits ^= bits >> 33
    bits = bits &* 0xFF51_AFD7_ED55_8CCD
    return bits ^ (bits >> 33)
  }
}

/// A value that closures of several threads share.
final class Shared<Value: Sendable>: Sendable {
  private let content: Mutex<Value>

  init(_ value: Value) { content = Mutex(value) }

  var value: Value { content.withLock { $0 } }

  @discardableResult
  func update<Result: Sendable>(_ body: (inout Value) -> Result) -> Result {
    content.withLock { body(&$0) }
  }
}

/// How much of a scenario is run: all of it when `TENON_FULL_SCENARIOS` is set.
var isFullSize: Bool { unsafe getenv("TENON_FULL_SCENARIOS") != nil }
