import Tenon
import TenonGrammarSupport
import Testing

@testable import TenonRuntime

/// Nets by chance in which handlers write, connect, disconnect, suspend, validate and fail: setters,
/// watchers and validators while a change is under way.
@Suite struct RandomInterferenceTests {
  private static let actions = [
    "y := n", "n < 50 ifTrue: [ x := n + 1 ]", "x := n + 1", "z |= y + n",
    "(z |= y + n) disconnect", "x |= y", "y |= z + 1",
    "self connections do: [ :each | each disconnect ]", "k disconnect",
    "self connections do: [ :each | each suspend ]",
    "self connections do: [ :each | each suspend ]. "
      + "self connections do: [ :each | each resume ]",
    "nil foo", "u := n", "ref:y watch: [ :v | z := v ]. y := n",
    "self atomically: [ y := n. z := n ]", "(z |= x + n) policy: Policy queued",
    "(z =|= y) truth: #right. z := n", "z := y + 1", "ref:x watch: [ :v | y := v ]", "y =|= z",
    "z =|= x * 2", "(y =|= x) validate: [ :new :old | z := new. new ]",
    "ref:z watch: [ :v | y := v + 1 ]", "x := y", "Smalltalk garbageCollect", "q := n. p",
    "p |= n + q", "o changed",
  ]
  private static let handlers = [
    "m action: [ :n | ACTION ]", "o action: [ :n | ACTION ]", "ref:z watch: [ :n | ACTION ]",
    "ref:y watch: [ :n | ACTION ]", "(y =|= x) validate: [ :n :old | ACTION. n ]",
    "ref:m addDependent: [ :n | ACTION ]",
  ]

  /// Each change ends, well or with an error; what is connected afterwards works as ever, and nothing
  /// is left when all is disconnected.
  @Test(arguments: 0..<8)
  func ends(_ group: Int) throws {
    try onThread {
      for net in 0..<6 {
        var what = "seed \(testSeed), group \(group), net \(net)"
        var generator = RandomNumbers(seed: testSeed &+ UInt64(500_000 + group * 6 + net))
        let program = Program(collectEvery: net == 5 ? 200 : 0)
        try program.run(
          """
          class Model { var v := 0. var action. -v { ^v }
            -v: n { v := n. action ifNotNil: [ action value: n ] } }
          x := 1. y := 2. z := 0. u := 0. q := 0. m := Model new. k := nil. o := Model new. free := 0.
          var <lazy> p. p |= q + 1.
          u |= x * 2. k := (var:m/v |= x). var:o/v |= y + 1.
          """)
        for handler in Self.handlers where Int.random(in: 0..<3, using: &generator) > 0 {
          let actions = (0..<Int.random(in: 1...2, using: &generator)).map { _ in
            Self.actions.randomElement(using: &generator) ?? ""
          }
          let text = handler.replacing("ACTION", with: actions.joined(separator: ". "))
          what += "\n" + text
          _ = program.error(of: text)
        }
        for _ in 0..<4 {
          let name = ["x", "y", "z", "q"].randomElement(using: &generator) ?? "x"
          let value = Int.random(in: 1...99, using: &generator)
          _ = program.error(of: "\(name) := \(value)")
          #expect(!program.interpreter.machine.graph.isSettling, "\(what)")
          #expect(program.interpreter.machine.graph.atomicDepth == 0, "\(what)")
        }
        // What a change that was given up has connected runs with the next one, which may fail by it.
        _ = program.error(of: "first := 1. left := 0. left |= first + 1")
        // What is independent of all that.
        #expect(program.error(of: "other := 1. free |= other * 3. other := 7") == nil, "\(what)")
        #expect(program["free"] == 21, "\(what)")
        try program.run("self connections do: [ :each | each disconnect ]. RunLoop step")
        try program.run(
          "self connections do: [ :each | each disconnect ]. m := nil. o := nil. k := nil")
        program.collect()
        #expect(program.size == Program.Size(), "\(what): something is left")
      }
    }
  }
}
