import Tenon
import TenonConcurrency
import TenonRuntime
import Testing

/// An interpreter behind an actor, with a thread of its own.
@Suite struct ActorTests {
  @Test func evaluation() async throws {
    let scripts = ScriptActor { Interpreter() }
    try await scripts.set("limit", to: 20)
    let sum = try await scripts.evaluate("(1 to: limit) sum", as: Int.self)  // 210
    #expect(sum == 210)
  }

  @Test func tasksTakeTurns() async throws {
    let scripts = ScriptActor { Interpreter() }
    try await scripts.set("count", to: 0)
    try await withThrowingTaskGroup(of: Void.self) { group in
      for _ in 0..<50 {
        group.addTask {
          _ = try await scripts.evaluate("count := count + 1", as: Int.self)
        }
      }
      try await group.waitForAll()
    }
    #expect(try await scripts.get("count", as: Int.self) == 50)
  }

  @Test func aCancelledTaskStopsItsScript() async throws {
    let scripts = ScriptActor { Interpreter() }
    let task = Task { try await scripts.evaluate("[ true ] whileTrue: [ ]. 3", as: Int.self) }
    try await Task.sleep(for: .milliseconds(30))
    task.cancel()
    await #expect(throws: (any Error).self) { try await task.value }
    #expect(try await scripts.evaluate("3 + 4", as: Int.self) == 7)
  }

  @Test func sequencesAreSources() async throws {
    let scripts = ScriptActor { Interpreter() }
    _ = try await scripts.evaluate(
      "var celsius. var f. var seen := OrderedCollection new. f |= celsius * 2. ref:f watch: [ :v | seen add: v ]. 0",
      as: Int.self)
    let (stream, continuation) = AsyncStream.makeStream(of: Int.self)
    for value in [1, 5, 7] { continuation.yield(value) }
    continuation.finish()
    try await scripts.set("celsius", toEachOf: stream)
    #expect(try await scripts.evaluate("seen", as: [Int].self) == [2, 10, 14])
  }

  @Test func errorsComeThrough() async throws {
    let scripts = ScriptActor { Interpreter() }
    await #expect(throws: EvaluationError.self) {
      try await scripts.evaluate("1 / 0", as: Int.self)
    }
    struct Refused: Error {}
    let none = ScriptActor { throw Refused() }
    await #expect(throws: Refused.self) { try await none.evaluate("1", as: Int.self) }
  }
}
