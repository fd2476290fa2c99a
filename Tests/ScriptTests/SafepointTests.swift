import Testing

@testable import Tenon
@testable import TenonRuntime

/// What waits for a safepoint is done at the next one, and is over then.
@Suite struct SafepointTests {
  private let turns = "1 to: 10 do: [ :i | i printString ]"

  @Test func aRequestIsAnsweredOnce() throws {
    let interpreter = Interpreter()
    _ = try interpreter.evaluate(turns)
    interpreter.machine.state.requestSafepoint()
    #expect(interpreter.machine.state.needsSafepoint)
    _ = try interpreter.evaluate(turns)
    #expect(!interpreter.machine.state.needsSafepoint)
  }

  @Test func collectionsForTestsAskAgain() throws {
    var options = Interpreter.Options()
    options.collectEvery = 3
    let interpreter = Interpreter(options)
    _ = try interpreter.evaluate(turns)
    #expect(interpreter.machine.state.needsSafepoint)
    let before = interpreter.machine.heap.collectionCount
    _ = try interpreter.evaluate("1 to: 300 do: [ :i | i printString ]")
    #expect(interpreter.machine.heap.collectionCount - before >= 100)
  }

  /// An interpreter that runs already collects from then on, and no more when it is told so.
  @Test func collectionsForTestsBeginAndEndWhenToldTo() throws {
    let interpreter = Interpreter()
    let heap = interpreter.machine.heap
    _ = try interpreter.evaluate(turns)
    let before = heap.collectionCount
    interpreter.machine.collect(every: 1)
    _ = try interpreter.evaluate(turns)
    let between = heap.collectionCount
    #expect(between - before >= 10)
    interpreter.machine.collect(every: 0)
    _ = try interpreter.evaluate(turns)
    #expect(heap.collectionCount == between)
  }
}
