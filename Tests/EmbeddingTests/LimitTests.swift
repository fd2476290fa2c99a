import Synchronization
import Tenon
import TenonLexer
import TenonRuntime
import Testing

/// Counts what happens on several threads.
final class ErrorLog: Sendable {
  private let messages = Mutex<[String]>([])
  var count: Int { messages.withLock { $0.count } }
  var all: [String] { messages.withLock { $0 } }
  func add(_ message: String) { messages.withLock { $0.append(message) } }
}

/// A script that asks for too much ends, and the interpreter goes on.
@Suite struct LimitTests {
  private func interpreter(steps: Int) -> Interpreter {
    var options = Interpreter.Options()
    options.stepLimit = steps
    return Interpreter(options)
  }

  /// The limit that an evaluation exceeds.
  private func limit(_ text: String, in interpreter: Interpreter) -> EvaluationLimit? {
    do throws(EvaluationError) {
      _ = try interpreter.evaluate(text)
      return nil
    } catch {
      guard case .limit(let limit) = error else {
        Issue.record("\(error)")
        return nil
      }
      return limit
    }
  }

  /// Waiting counts as time, however long it is meant to take.
  @Test func waitingEndsInTime() throws {
    var options = Interpreter.Options()
    options.timeLimit = .milliseconds(30)
    let interpreter = Interpreter(options, clock: Interpreter.systemClock)
    for text in ["1 hours wait", "[ true ] whileTrue: [ 1 hours wait ]"] {
      #expect(limit(text, in: interpreter) == .time)
    }
    #expect(try interpreter.evaluate("3 + 4", as: Int.self) == 7)
  }

  @Test func theSameScriptStopsAtTheSameStatement() throws {
    let text = "count := 0. [ true ] whileTrue: [ count := count + 1. #(3 1 2) sorted ]"
    var counts = Set<Int>()
    for _ in 0..<3 {
      let interpreter = interpreter(steps: 5000)
      #expect(limit(text, in: interpreter) == .steps)
      counts.insert(try interpreter.get("count", as: Int.self))
      #expect(try interpreter.evaluate("3 + 4", as: Int.self) == 7)
    }
    #expect(counts.count == 1)
    #expect(counts.first.map { $0 > 100 && $0 <= 5000 } == true)
  }

  /// Whether a text comes to its end with so many steps.
  private func ends(_ text: String, within steps: Int, _ options: Interpreter.Options) -> Bool {
    var options = options
    options.stepLimit = steps
    return limit(text, in: Interpreter(options)) == nil
  }

  /// The least number of steps with which a text comes to its end.
  private func stepsNeeded(_ text: String) -> Int {
    var (low, high) = (0, 1 << 14)
    while low + 1 < high {
      let middle = (low + high) / 2
      if ends(text, within: middle, Interpreter.Options()) { high = middle } else { low = middle }
    }
    return high
  }

  /// What a step is does not depend on the other limits.
  @Test(arguments: [
    "class F { -f: n { n < 2 ifTrue: [ ^n ]. ^(self f: n - 1) + (self f: n - 2) } } F new f: 9",
    "f := nil. f := [ :n | n < 2 ifTrue: [ n ] ifFalse: [ (f value: n - 1) + (f value: n - 2) ] ]. f value: 9",
    "1 to: 700 do: [ :i | (i max: 3) printString ]",
    "| n | n := 0. [ n < 700 ] whileTrue: [ n := n + 1 ]",
    "((1 to: 500) collect: [ :x | x * x ]) inject: 0 into: [ :a :x | a + x ]",
    "((1 to: 300) asArray sorted: [ :a :b | b < a ]) first",
    "300 timesRepeat: [ [ 3 / 0 ] on: Error do: [ :e | e return: 3 ] ]",
    "| d | d := Dictionary new. 1 to: 300 do: [ :i | d at: i put: i @ i. d at: i ]",
    "var a := 1. var b. b |= a + 1. 1 to: 300 do: [ :i | a := i ]. b",
    "300 timesRepeat: [ [ 3 ] ensure: [ 4 printString ] ]",
  ])
  func aStepIsAStepWhateverElseIsLimited(_ text: String) throws {
    let needed = stepsNeeded(text)
    #expect(needed > 50 && needed < 1 << 14)
    for (seconds, depth) in [(3600, nil), (nil, 500), (3600, 500)] as [(Int?, Int?)] {
      var options = Interpreter.Options()
      options.timeLimit = seconds.map { .seconds($0) }
      options.depthLimit = depth
      let others: Comment = "seconds \(seconds ?? 0), depth \(depth ?? 0)"
      #expect(ends(text, within: needed, options), others)
      #expect(!ends(text, within: needed - 1, options), others)
    }
  }

  /// Each send of a method or a block that is under way counts as one.
  @Test(arguments: [
    (
      "class F { -f: n { ^n = 0 ifTrue: [ 0 ] ifFalse: [ 1 + (self f: n - 1) ] } }",
      "F new f: "
    ),
    (
      "f := nil. f := [ :n | n = 0 ifTrue: [ 0 ] ifFalse: [ 1 + (f value: n - 1) ] ].",
      "f value: "
    ),
  ])
  func depthIsExact(_ definition: String, _ call: String) throws {
    for seconds in [nil, 3600] as [Int?] {
      var options = Interpreter.Options()
      options.depthLimit = 100
      options.timeLimit = seconds.map { .seconds($0) }
      let interpreter = Interpreter(options)
      _ = try interpreter.evaluate(definition)
      // The statement itself is one more, and the send with 0.
      #expect(try interpreter.evaluate(call + "98", as: Int.self) == 98)
      let overflow = "[ \(call)99 ] on: StackOverflow do: [ :e | -1 ]"
      #expect(try interpreter.evaluate(overflow, as: Int.self) == -1)
      #expect(try interpreter.evaluate(call + "98", as: Int.self) == 98)
    }
  }

  @Test(arguments: [
    "[ true ] whileTrue: [ ]", "1 to: 1000000 do: [ :i | i ]",
    "class R { -r { ^self r2 } -r2 { ^[ :x | x ] value: 3 } } 100000 timesRepeat: [ R new r ]",
    "[ [ true ] whileTrue: [ ] ] on: Exception do: [ :e | 3 ]",
    "[ [ true ] whileTrue: [ ] ] ensure: [ [ true ] whileTrue: [ ] ]",
    "b := nil. b := [ b value ]. b value",
    "(1 to: 10000000) inject: 0 into: [ :a :x | a + x ]",
    "| d | d := OrderedCollection new. [ true ] whileTrue: [ d add: 3 ]",
  ])
  func everyLoopEnds(_ text: String) throws {
    let interpreter = interpreter(steps: 3000)
    #expect(limit(text, in: interpreter) == .steps)
    #expect(try interpreter.evaluate("3 + 4", as: Int.self) == 7)
  }

  @Test func cleanUpBlocksRunAfterALimit() throws {
    let interpreter = interpreter(steps: 3000)
    let text = "var closed := false. [ [ true ] whileTrue: [ ] ] ensure: [ closed := true ]"
    #expect(limit(text, in: interpreter) == .steps)
    #expect(try interpreter.get("closed", as: Bool.self))
  }

  /// They have steps of their own, more than were left.
  @Test func cleanUpBlocksMayLoopAfterALimit() throws {
    let interpreter = interpreter(steps: 3000)
    let text = """
      var done := 0.
      [ [ true ] whileTrue: [ ] ] ensure: [ 1 to: 1000 do: [ :i | done := i ] ]
      """
    #expect(limit(text, in: interpreter) == .steps)
    #expect(try interpreter.get("done", as: Int.self) == 1000)
  }

  @Test func everyEvaluationHasItsOwnSteps() throws {
    let interpreter = interpreter(steps: 2000)
    for _ in 0..<10 { _ = try interpreter.evaluate("1 to: 1000 do: [ :i | i ]") }
    let block = try interpreter.evaluate("[ :n | 1 to: n do: [ :i | i ]. n ]")
    #expect(try block.call(1000, as: Int.self) == 1000)
    do throws(EvaluationError) {
      try block.call(100_000)
      Issue.record("no error")
    } catch {
      guard case .limit(.steps) = error else { return _ = Issue.record("\(error)") }
    }
  }

  @Test func timeAndOutput() throws {
    var options = Interpreter.Options()
    options.timeLimit = .milliseconds(20)
    options.outputLimit = 10
    final class Text: Console {
      var bytes = 0
      func write(_ bytes: Span<UInt8>, to channel: ConsoleChannel) throws(ConsoleError) {
        self.bytes += bytes.count
      }
      func flush() throws(ConsoleError) {}
      func readLine(isInterrupted: () -> Bool) throws(ConsoleError) -> [UInt8]? { nil }
      func readAll(limit: Int, isInterrupted: () -> Bool) throws(ConsoleError) -> [UInt8] { [] }
    }
    let console = Text()
    let interpreter = Interpreter(options, console: console)
    #expect(limit("[ true ] whileTrue: [ ]", in: interpreter) == .time)
    #expect(try interpreter.evaluate("3 + 4", as: Int.self) == 7)
    let text =
      "[ 100 timesRepeat: [ stdout print: 'abc'. stdout flush ] ] on: StreamError do: [ :e | e messageText ]"
    #expect(try interpreter.evaluate(text, as: String.self).contains("10 bytes"))
    #expect(console.bytes <= 10)
  }

  @Test func twoThreadsAtOnce() throws {
    let interpreter = Interpreter()
    let log = ErrorLog()
    interpreter["other"] = interpreter.function { [unowned interpreter] () -> Void in
      nonisolated(unsafe) let shared = interpreter
      let thread = Worker {
        do {
          log.add("\(try unsafe shared.evaluate("3 + 4", as: Int.self))")
        } catch { log.add("\(error)") }
        do {
          try unsafe shared.set("x", to: 3)
          log.add("set")
        } catch { log.add("\(error)") }
      }
      thread.wait()
    }
    _ = try interpreter.evaluate("other value")
    #expect(log.count == 2)
    #expect(log.all.allSatisfy { $0.contains("another thread is using the interpreter") })
    let x: Int? = interpreter["x"]
    #expect(x == nil)
    // One after the other they may.
    nonisolated(unsafe) let shared = interpreter
    Worker { log.add((try? unsafe shared.evaluate("3 + 4", as: Int.self)).map(String.init) ?? "") }
      .wait()
    #expect(log.all.last == "7")
  }

  @Test func manyInterpretersInThreads() throws {
    let log = ErrorLog()
    let workers = (0..<4).map { number in
      Worker {
        let interpreter = Interpreter()
        interpreter["n"] = number
        interpreter["add"] = interpreter.function { (a: Int, b: Int) in a + b }
        let program = try? interpreter.compile("add value: n value: x", parameters: ["x"])
        for x in 0..<200 where (try? program?.run(x, as: Int.self)) != number + x {
          log.add("\(number): \(x)")
        }
      }
    }
    workers.forEach { $0.wait() }
    #expect(log.all.isEmpty)
  }
}
