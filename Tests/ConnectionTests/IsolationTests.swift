import Synchronization
import Tenon
import TenonRuntime
import Testing

/// Two interpreters in one process never meet.
@Suite struct IsolationTests {
  /// The same script in several interpreters on threads of their own, each with other numbers.
  @Test func threads() throws {
    let results = Mutex<[Int: String]>([:])
    let threads = 4
    try withThreads(threads) { number in
      let program = Program(collectEvery: 50)
      try program.run(
        """
        class Cell { var input := 0. var output. output |= input * \(number). }
        cells := (1 to: 20) collect: [ :i | Cell new ].
        total |= cells inject: 0 into: [ :sum :each | sum + each output ].
        mem:factor := \(number).
        scaled |= mem:factor * total.
        """)
      for round in 1...30 {
        try program.run("cells do: [ :each | each input: each input + \(round) ]")
      }
      let text = try program.print("#(total, scaled, mem:factor)")
      results.withLock { $0[number] = text }
    }
    // Thirty rounds add 465 to each of twenty inputs.
    for number in 1...threads {
      let total = 20 * 465 * number
      #expect(
        results.withLock { $0[number] } == "#(\(total) \(number * total) \(number))")
    }
  }

  /// What would be an object that neither collector knows to be in use.
  ///
  /// No test here lets a process of its own end: the library waits for that with all children at once, and
  /// for ever when one of them has ended that nobody has asked for.
  @Test func aVariableOfAnotherOneIsRefused() throws {
    let (interpreter, other) = (Interpreter(), Interpreter())
    for (target, input) in [("a", "b"), ("b", "a")] {
      do {
        try interpreter.connect(
          (target == "a" ? interpreter : other).variable(target),
          reading: [(input == "a" ? interpreter : other).variable(input)]
        ) { _ in .integer(1) }
        Issue.record("\(target) is connected")
      } catch {
        #expect(
          "\(error)".contains("variables of this interpreter"), "\(error)")
      }
    }
    #expect(try interpreter.evaluate("self connections size").integer == 0)
  }

  @Test func aMessageNeedsItsArguments() throws {
    let interpreter = Interpreter()
    do {
      _ = try interpreter.send("at:", to: interpreter.value(3))
      Issue.record("an argument is lacking")
    } catch {
      guard case .script(let error) = error else { throw error }
      #expect(error.message == "'at:' takes 1 argument, not 0")
    }
  }

  /// In turn on one thread: what one connects, writes and drops is none of the other's business.
  @Test func inTurn() throws {
    let one = Program()
    let two = Program()
    try one.run("a := 1. b |= a + 1. c =|= a")
    try two.run("a := 100. b |= a + 2")
    try one.run("a := 5")
    #expect(two["a"] == 100)
    #expect(two["b"] == 102)
    try two.run("a := 200. self connections do: [ :each | each disconnect ]")
    try one.run("c := 6")
    #expect(one["b"] == 7)
    #expect(two["b"] == 202)
    #expect(one.size.connections == 2)
    #expect(two.size == Program.Size())
  }
}

/// Runs something on several threads at once and waits for all of them.
private func withThreads(
  _ count: Int, _ body: @escaping @Sendable (Int) throws -> Void
) throws {
  let failures = Mutex<[String]>([])
  try onThread {
    let inner = (1...count).map { number in
      Worker {
        do {
          try body(number)
        } catch {
          failures.withLock { $0.append("\(number): \(error)") }
        }
      }
    }
    for worker in inner { worker.join() }
  }
  #expect(failures.withLock { $0 } == [])
}
