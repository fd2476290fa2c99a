import Foundation
import Tenon
import TenonRuntime
import Testing

/// Many connections that come and go, of every kind: nothing is left of them, and the tables do not
/// grow.
@Suite struct ChurnTests {
  struct Kind: Sendable, CustomTestStringConvertible {
    let name: String
    let definitions: String
    /// Connects and disconnects once.
    let round: String

    var testDescription: String { name }
  }

  static let kinds = [
    Kind(
      name: "one way, to a variable", definitions: "var a := 1. var b := 0.",
      round: "k := (b |= a + i). k disconnect."),
    Kind(
      name: "one way, to a place in a store", definitions: "var a := 1.",
      round: "k := (mem:b |= a + i). k disconnect."),
    Kind(
      name: "one of several readers", definitions: "var a := 1. var b := 0. var c. c |= a + 1.",
      round: "k := (b |= a + i). a := i. k disconnect."),
    Kind(
      name: "both ways, at the end of a chain",
      definitions: "var a := 1. var b := 0. var c := 0. c =|= b.",
      round: "k := (b =|= a). k disconnect."),
    Kind(
      name: "both ways, in the middle",
      definitions: "var a := 1. var b := 0. var c := 0. var d := 1. a =|= b. c =|= d.",
      round: "k := (b =|= c). a := i. k disconnect."),
    Kind(
      name: "an equation and an inequality", definitions: "var a := 1. var b := 0. var c := 4.",
      round: "k := (a =|= b + c). l := (a >=| b). k disconnect. l disconnect."),
    Kind(
      name: "a flow", definitions: "var a := 1. var b := 0.",
      round: "k := (var:a -> var:b). k disconnect."),
    Kind(
      name: "groups",
      definitions: """
        class Pair {
          var a := 1. var b := 2.
          group one { x -> ivar:a. }
          group two { x -> ivar:b. }
          -join { ^one =|= two }
        }
        var p := Pair new.
        """, round: "k := p join. k disconnect."),
    Kind(
      name: "a fold", definitions: "var list := #(1, 2, 3). var sum := 0.",
      round: "k := (sum |= list sum). list[1] := i. k disconnect."),
    Kind(
      name: "a policy", definitions: "var a := 1. var b := 0.",
      round: "k := ((b |= a) policy: Policy queued). a := i. k disconnect."),
    Kind(
      name: "a truth", definitions: "var a := 1. var b := 0.",
      round: "k := ((b =|= a) truth: #right). a := i. k disconnect."),
    Kind(
      name: "of an object that is dropped",
      definitions: "var a := 1. class View { var t. -follow: i { t |= a + i } }",
      // How many there are at once does not depend on when memory is wanted.
      round:
        "v := View new. v follow: i. i \\\\ 250 = 0 ifTrue: [ Smalltalk garbageCollect ]."),
  ]

  /// How often each kind comes and goes: about 37,000 connections in all, or 100,000 of each kind
  /// where the environment asks for as many.
  static let rounds =
    ProcessInfo.processInfo.environment["TENON_CHURN_ROUNDS"].flatMap { Int($0) } ?? 600

  @Test(arguments: kinds) func leavesNothing(_ kind: Kind) throws {
    try onThread {
      let program = Program()
      try program.run(kind.definitions + " var k. var l. var v.")
      func turn(_ rounds: Int) throws {
        try program.run(
          "1 to: \(rounds) do: [ :i | \(kind.round) ]. k := nil. l := nil. v := nil. RunLoop run.")
        program.collect()
      }
      // From here on the ring of causes is full, and the tables are as large as they have to be.
      try turn(2_500)
      let (size, tables) = (program.size, program.tableSizes)
      let bytes = program.liveBytes
      try turn(ChurnTests.rounds)
      #expect(program.size == size)
      #expect(program.tableSizes == tables)
      #expect(program.liveBytes - bytes < 16 << 10)
      #expect(program.console.text == "")
    }
  }

  /// A chain of equalities that is taken apart: the work for each link is the same for any length,
  /// from whichever end it is taken.
  @Test(arguments: ["1 to: n - 1", "n - 1 to: 1 by: -1"])
  func chainTakenApart(_ order: String) throws {
    try onThread {
      var work: [Int] = []
      for length in [200, 2_000] {
        let program = Program()
        try program.run(
          """
          var n := \(length).
          var cells := (1 to: n) asArray collect: [ :i | 0 ].
          var links := Array new: n.
          self atomically: [ 1 to: n - 1 do: [ :i | links[i] := (cells[i] =|= cells[i + 1]) ] ].
          cells[1] := 7.
          """)
        #expect(try program.run("cells asSet size").integer == 1)
        let before = program.structuralWork
        try program.run("\(order) do: [ :i | links[i] disconnect ]")
        work.append(program.structuralWork - before)
        #expect(program.size == Program.Size())
        #expect(try program.run("cells[n]").integer == 7)
      }
      #expect(work[1] <= 10 * work[0] + 10)
    }
  }

  /// Every second link of a chain goes: what is left are pairs, and no cycle is seen where the chain
  /// once was.
  @Test func chainInPieces() throws {
    try onThread {
      let program = Program()
      try program.run(
        """
        var cells := Array new: 100.
        var links := Array new: 99.
        2 to: 100 do: [ :i | links[i - 1] := (cells[i] =|= cells[i - 1]) ].
        cells[1] := 1.
        2 to: 98 by: 2 do: [ :i | links[i] disconnect ].
        1 to: 99 by: 2 do: [ :i | cells[i] := i ].
        """)
      for pair in stride(from: 1, to: 100, by: 2) {
        #expect(try program.run("cells[\(pair + 1)]").integer == pair)
      }
      // From the last pair to the first, one way: refused while they hung together.
      try program.run("cells[1] |= cells[99] + 1")
      #expect(try program.run("cells[2]").integer == 100)
      #expect(program.size.regions == 50)
      try program.run("cells[99] := 5")
      #expect(try program.run("cells[2]").integer == 6)
    }
  }

  /// Many formulas that read one place end in the order in which they began.
  @Test func manyReaders() throws {
    try onThread {
      let program = Program()
      try program.run(
        """
        var a := 1.
        var cells := Array new: 2_000.
        var links := Array new: 2_000.
        1 to: 2_000 do: [ :i | links[i] := (cells[i] |= a + i) ].
        1 to: 1_990 do: [ :i | links[i] disconnect ].
        a := 5.
        """)
      #expect(try program.run("cells[1_990]").integer == 1_991)
      #expect(try program.run("cells[1_991]").integer == 1_996)
      try program.run("1_991 to: 2_000 do: [ :i | links[i] disconnect ]")
      #expect(program.size == Program.Size())
    }
  }

  /// A connection that was suspended says the same when it is resumed, whatever it was made of.
  @Test func suspendedAndResumed() throws {
    try onThread {
      let program = Program()
      try program.run(
        """
        class View { var text. }
        var a := 1. var b. var c. var v := View new.
        var all := [ #((b |= a + 1), (c =|= b), (v text |= a)) ] value.
        all do: [ :k | k suspend ].
        a := 10.
        """)
      program.collect()
      #expect(try program.run("b").integer == 2)
      try program.run("all do: [ :k | k resume ]")
      #expect(
        try program.print("#(b, c, v text, all first target, (all at: 2) target)")
          == "#(11 11 10 'b' 'c')")
      #expect(
        try program.print("all collect: [ :k | k sourceText ]")
          == "#('b |= a + 1' 'c =|= b' 'v text |= a')")
      // One that is suspended ends with its object.
      try program.run("(all at: 3) suspend. v := nil")
      program.collect()
      #expect(try program.print("(all at: 3) state") == "#disconnected")
      #expect(try program.print("(all at: 1) state") == "#satisfied")
    }
  }
}
