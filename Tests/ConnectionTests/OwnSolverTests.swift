import Tenon
import TenonGrammarSupport
import Testing

@testable import TenonRuntime

/// Solvers that are written in the language, and formulas that run backwards, as the graph sees them.
@Suite struct OwnSolverTests {
  private static let eager = """
    class Eager : Solver {
      -settle: turn {
        | changed pending |
        pending := constraints collect: [ :each | each formulas first ].
        pending do: [ :each | turn run: each ] } }
    class Other : Solver {
      -settle: turn {
        constraints do: [ :each |
          turn run: (each formulas detect: [ :one | (turn changed includes: one target) not ]) ] } }
    """

  /// Connecting and disconnecting leaves nothing behind, in the graph and of the solvers.
  @Test func connectionsComeAndGo() throws {
    try onThread {
      let program = Program()
      try program.run(Self.eager + "\na := 1. b := nil. c := nil. d := 2. e := nil.")
      let round = """
        k := (b |= a + 1) solver: Eager.
        l := (c |= b * 2) solver: #fixed.
        m := (e =|= d * 2) solver: Other.
        a := a + 1. d := d + 1. e := 20.
        l disconnect. k disconnect. m disconnect.
        n := (e =|= d * 3 + a).
        e := 7.
        n disconnect
        """
      try program.run("solver:fixed := Eager new. k := nil. l := nil. m := nil. n := nil.")
      let fixed = round.replacing("solver: #fixed", with: "solver: Eager")
      // So often that the ring of causes has grown to its size.
      try program.run("500 timesRepeat: [ \(fixed) ]")
      program.collect()
      let size = program.size
      let memory = program.liveBytes
      try program.run("500 timesRepeat: [ \(fixed) ]")
      program.collect()
      #expect(program.size == size)
      #expect(program.interpreter.machine.connections.solverRoots.isEmpty)
      #expect(program.liveBytes < memory + 10_000)
    }
  }

  /// Connections of two solvers, and one-way ones between them: the same as without solvers of one's
  /// own, whatever is written.
  @Test func likeTheBuiltInSolvers() throws {
    try onThread {
      var generator = RandomNumbers(seed: testSeed)
      let own = Program()
      let plain = Program()
      let variables = "a := 1. b := 2. c := 0. d := 0. e := 0. f := 0. "
      try own.run(
        Self.eager + "\n" + variables
          + " (c |= a + b) solver: Eager. d |= c * 2. (e |= d + 1) solver: Eager. f |= e - b.")
      try plain.run(variables + "c |= a + b. d |= c * 2. e |= d + 1. f |= e - b.")
      for step in 0..<200 {
        let name = Bool.random(using: &generator) ? "a" : "b"
        let edit = "\(name) := \(Int.random(in: -9...9, using: &generator))"
        try own.run(edit)
        try plain.run(edit)
        for variable in ["a", "b", "c", "d", "e", "f"] {
          #expect(own[variable] == plain[variable], "step \(step), \(edit): \(variable)")
        }
      }
    }
  }

  /// A solver that fails every other time leaves its places as they are, and the rest as it should
  /// be; each time that it works heals.
  @Test func failuresStayWhereTheyAre() throws {
    try onThread {
      let program = Program()
      try program.run(
        """
        class Moody : Solver {
          -settle: turn {
            var:count := count + 1.
            count odd ifTrue: [ ^nil foo ].
            constraints do: [ :each | turn run: each formulas first ] } }
        count := 0. a := 1. b := nil. c := nil. d := nil.
        k := (b |= a + 1) solver: Moody.
        c |= a * 2.
        d |= b
        """)
      for value in 2..<60 {
        let before = program["b"]
        try program.run("a := \(value)")
        let isGood = value % 2 == 0
        #expect(program["b"] == (isGood ? Double(value + 1) : before), "\(value)")
        #expect(program["c"] == Double(value * 2))
        #expect(program["d"] == program["b"])
        #expect(try program.print("k state") == (isGood ? "#satisfied" : "#error"))
      }
    }
  }
}
