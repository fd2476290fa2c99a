import Tenon
import TenonLexer
import TenonRuntime
import Testing

/// What stopping a program from outside does, whatever the program does about it.
@Suite struct InterruptionTests {
  /// Runs a script, which asks to be stopped whenever it prints a line with `stop`.
  private func run(_ script: String) -> (outcome: String, output: [String]) {
    let console = InterruptingConsole()
    let interpreter = Interpreter(console: console)
    console.interrupter = interpreter.interrupter
    let outcome = interpreter.run(SourceText(name: "test.st", script))
    return (outcome.name, console.lines)
  }

  @Test func aLoopEndsAndCleanUpBlocksRun() {
    let result = run(
      """
      [ stdout println: 'stop'. [ true ] whileTrue ] ensure: [ stdout println: 'cleaned' ].
      stdout println: 'not reached'.
      """)
    #expect(result.outcome == "interrupted")
    #expect(result.output == ["stop", "cleaned"])
  }

  @Test(arguments: [
    "[ true ] whileTrue", "1 to: 10000000000 do: [ :i | i ]", "[ ] repeat",
    "10000000000 timesRepeat: [ 1 ]", "self spin", "[ :x | self perform: #spin ] value: 1",
    "3 raisedTo: 100000000", "(3 raisedTo: 1000000) printString size. [ true ] whileTrue",
    "[ 1 / 0 ] on: ZeroDivide do: [ :e | e retry ]",
    "(1 to: 100000000) asArray sort: [ :a :b | a > b ]",
    "[ :b | b value: b ] value: [ :b | [ true ] whileTrue ]", "stdin nextLine",
  ])
  func anythingEnds(_ endless: String) {
    let result = run("-spin { [ true ] whileTrue }\nstdout println: 'stop'. \(endless)")
    #expect(result.outcome == "interrupted")
    #expect(result.output == ["stop"])
  }

  @Test(arguments: ["Exception", "Error", "Exception , Error"])
  func noHandlerSeesIt(_ exceptions: String) {
    for endless in ["[ true ] whileTrue", "3 raisedTo: 100000000", "stdin nextLine. 3 + 4"] {
      let result = run(
        """
        [ stdout println: 'stop'. \(endless) ] on: \(exceptions) do: [ :e |
          stdout println: 'caught' ].
        stdout println: 'not reached'.
        """)
      #expect(result.outcome == "interrupted")
      #expect(result.output == ["stop"])
    }
  }

  /// What is stopped while it reads answers nothing, though it could say that nothing more is coming.
  @Test(arguments: ["nextLine", "upToEnd", "next", "peek", "atEnd"])
  func whatIsStoppedHasNoValue(_ message: String) {
    let result = run(
      """
      var answer := 'none'.
      [ answer := stdin \(message) ] ensure: [ stdout println: answer printString ].
      """)
    #expect(result.outcome == "interrupted")
    #expect(result.output == ["'none'"])
  }

  /// A solver that the program wrote, at work for a change or asked when a connection is made.
  @Test(arguments: [
    "-settle: turn { stdout println: 'stop'. [ true ] whileTrue }",
    "-accept: some { stdout println: 'stop'. [ true ] whileTrue } -settle: turn { }",
    "-add: one { stdout println: 'stop'. [ true ] whileTrue } -settle: turn { }",
  ])
  func aSolverEnds(_ methods: String) {
    let result = run(
      """
      class Endless : Solver { \(methods) }
      var a := 1. var b.
      [ (b |= a + 1) solver: Endless ] on: Exception do: [ :e | stdout println: 'caught' ].
      stdout println: 'not reached'.
      """)
    #expect(result.outcome == "interrupted")
    #expect(result.output == ["stop"])
  }

  @Test func aReturnFromACleanUpBlockDoesNotStopIt() {
    let result = run(
      """
      -escape { [ stdout println: 'stop'. [ true ] whileTrue ] ensure: [ ^3 ] }
      stdout println: self escape.
      stdout println: 'not reached'.
      """)
    #expect(result.outcome == "interrupted")
    #expect(result.output == ["stop"])
  }

  @Test func anErrorInACleanUpBlockDoesNotStopIt() {
    let result = run(
      """
      [ [ stdout println: 'stop'. [ true ] whileTrue ] ensure: [ nil foo ] ]
        ensure: [ stdout println: 'outer' ].
      """)
    #expect(result.outcome == "interrupted")
    #expect(result.output == ["stop", "outer"])
  }

  @Test func aCleanUpBlockMayHandleExceptions() {
    let result = run(
      """
      [ stdout println: 'stop'. [ true ] whileTrue ] ensure: [
        stdout println: ([ 1 / 0 ] on: ZeroDivide do: [ :e | e return: 5 ]).
        stdout println: ([ [ 1 ] ensure: [ 2 ] ] ifCurtailed: [ 3 ]) ].
      """)
    #expect(result.outcome == "interrupted")
    #expect(result.output == ["stop", "5", "1"])
  }

  @Test func aCleanUpBlockThatLoopsIsEndedAfterTheGracePeriod() {
    let result = run(
      """
      [ [ stdout println: 'stop'. [ true ] whileTrue ] ensure: [
          stdout println: 'cleaning'. [ true ] whileTrue ] ]
        ensure: [ stdout println: 'too late' ].
      """)
    #expect(result.outcome == "interrupted")
    #expect(result.output == ["stop", "cleaning"])
  }

  @Test func aCleanUpBlockInALongCalculationIsEndedAfterTheGracePeriod() {
    let result = run(
      """
      [ stdout println: 'stop'. [ true ] whileTrue ] ensure: [ 3 raisedTo: 100000000 ].
      """)
    #expect(result.outcome == "interrupted")
  }

  @Test func aSecondRequestEndsCleanUpBlocksAtOnce() {
    let result = run(
      """
      [ [ stdout println: 'stop'. [ true ] whileTrue ] ensure: [
          stdout println: 'stop again'. stdout println: 'not reached' ] ]
        ensure: [ stdout println: 'not run' ].
      """)
    #expect(result.outcome == "interrupted")
    #expect(result.output == ["stop", "stop again"])
  }

  @Test func aCleanUpBlockThatRunsAlreadyMayFinish() {
    let result = run(
      """
      [ 3 ] ensure: [
        stdout println: 'stop'. 1 to: 1000 do: [ :i | i ]. 3 raisedTo: 1000.
        stdout println: 'finished' ].
      stdout println: 'not reached'.
      """)
    #expect(result.outcome == "interrupted")
    #expect(result.output == ["stop", "finished"])
  }

  @Test func everyCleanUpBlockRuns() {
    let result = run(
      """
      | count |
      -down: n {
        n = 0 ifTrue: [ stdout println: 'stop'. [ true ] whileTrue ].
        ^[ self down: n - 1 ] ensure: [ var:count := var:count + 1. n = 100 ifTrue: [
          stdout println: var:count ] ]
      }
      count := 0.
      self down: 100.
      """)
    #expect(result.outcome == "interrupted")
    #expect(result.output == ["stop", "100"])
  }

  @Test func theInterpreterGoesOnAfterwards() {
    let console = InterruptingConsole()
    let interpreter = Interpreter(console: console)
    console.interrupter = interpreter.interrupter
    for round in 1...20 {
      let outcome = interpreter.run(
        SourceText(name: "test.st", "x := \(round). stdout println: 'stop'. [ true ] whileTrue"))
      #expect(outcome.name == "interrupted")
      #expect(interpreter["x"]?.integer == round)
      let next = interpreter.run(SourceText(name: "test.st", "[ nil foo ] ensure: [ 1 ]"))
      #expect(next.name == "failed")
    }
  }

  @Test func aRequestIsKeptForWhatRunsNextUnlessItIsTakenBack() {
    let interpreter = Interpreter()
    let loop = SourceText(name: "test.st", "[ true ] whileTrue")
    interpreter.interrupter.interrupt()
    #expect(interpreter.run(loop).name == "interrupted")
    interpreter.interrupter.interrupt()
    interpreter.interrupter.withdraw()
    #expect(interpreter.run(SourceText(name: "test.st", "3 printString")).name == "finished")
  }

  @Test func definitionsAndDeclarationsHaveNoValue() {
    var values: [String] = []
    let interpreter = Interpreter()
    let script = "| a | var b := 2. class C { }\nextension C { }\n-m { }\na := 3. 4 factorial"
    let outcome = interpreter.run(
      SourceText(name: "test.st", script),
      observer: { value, _ in values.append(interpreter.printString(value)) })
    #expect(outcome.name == "finished")
    #expect(values == ["2", "3", "24"])
  }
}

extension Outcome {
  fileprivate var name: String {
    switch self {
    case .finished: "finished"
    case .rejected(let diagnostics, _): "rejected: \(diagnostics.map(\.message))"
    case .failed: "failed"
    case .interrupted: "interrupted"
    }
  }
}

/// A console that asks the program to stop when it prints a line with `stop` or waits for a line: nobody
/// ever types anything at it.
private final class InterruptingConsole: Console {
  var interrupter: Interrupter?
  private var text = ""

  var lines: [String] { text.split(separator: "\n").map(String.init) }

  func write(_ bytes: Span<UInt8>, to channel: ConsoleChannel) throws(ConsoleError) {
    let new = unsafe bytes.withUnsafeBufferPointer { unsafe String(decoding: $0, as: UTF8.self) }
    text += new
    if new.hasSuffix("\n"), lines.last?.hasPrefix("stop") == true { interrupter?.interrupt() }
  }

  func flush() throws(ConsoleError) {}

  func readLine(isInterrupted: () -> Bool) throws(ConsoleError) -> [UInt8]? {
    interrupter?.interrupt()
    while !isInterrupted() {}
    return nil
  }

  func readAll(limit: Int, isInterrupted: () -> Bool) throws(ConsoleError) -> [UInt8] {
    interrupter?.interrupt()
    return []
  }
}
