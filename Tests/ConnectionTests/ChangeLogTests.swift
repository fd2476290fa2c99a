import Tenon
import TenonGrammarSupport
import TenonLexer
import Testing

@testable import TenonRuntime

/// What is remembered of changes, and for how long.
@Suite struct ChangeLogTests {
  private func ring(_ program: Program) -> ChangeLog { program.interpreter.machine.graph.causes }

  @Test func anEntryTakesFortyBytesAndThereAreNoMoreThanItsCapacity() throws {
    #expect(MemoryLayout<ChangeLog.Entry>.stride == 40)
    let program = Program()
    #expect(ring(program).byteCount == 0)
    try program.run("var a := 0. var b. b |= a + 1. 1 to: 10000 do: [ :i | var:a := i ]")
    #expect(ring(program).byteCount == 40 * ChangeLog.capacity)
    #expect(ring(program).count == 20_001)
    #expect(try program.print("(ref:b changes) size") == "\(ChangeLog.capacity / 2)")
    #expect(
      try program.print("(ref:b changes collect: [ :each | each newValue ]) first: 2")
        == "#(7954 7955)")
    #expect(try program.print("ref:b when newValue") == "10001")
  }

  @Test func whatIsOlderThanTheRingIsToldByThePlaceItself() throws {
    let program = Program()
    try program.run(
      """
      var a := 1. var b. var x := 0. var y.
      b |= a + 1.
      y |= x.
      a := 5.
      1 to: 5000 do: [ :i | var:x := i ].
      """)
    #expect(try program.print("ref:b when") == "nil")
    #expect(
      try program.run("ref:b why").string
        == "b is 6 by 'b |= a + 1' (<eval>:2)\na is 5, written at <eval>:4:1")
  }

  @Test func aPlaceThatGetsTheNumberOfAnotherHasNoneOfItsChanges() throws {
    let program = Program()
    try program.run(
      """
      var a := 1. var b. var c := 1. var d.
      k := b |= a + 1.
      a := 5. a := 6.
      k disconnect.
      d |= c + 1.
      """)
    // Whichever of the numbers they got.
    #expect(try program.print("(ref:d changes collect: [ :each | each newValue ])") == "#(2)")
    #expect(try program.print("ref:c changes") == "#()")
    #expect(try program.run("ref:c why").string == "c is 1 since before it was connected")
  }

  @Test(arguments: [0, 1]) func shortTextsAndNumbersStayAndOtherObjectsGo(_ collectEvery: Int)
    throws
  {
    let program = Program(collectEvery: collectEvery)
    try program.run(
      """
      var a. var b.
      b |= a.
      a := 'a' , 'b'. a := 1.0e300 * 2. a := 2 / 3. a := 10 ** 30. a := 314 / 100s2. a := $x.
      a := #(1 2) copy. a := Object new. a := (1 to: 1000) joined. a := 3.
      Smalltalk garbageCollect.
      """)
    #expect(
      try program.print("(ref:b changes collect: [ :each | each newValue ]) first: 7")
        == "#('ab' 2.0e300 2/3 1000000000000000000000000000000 3.14s2 $x nil)")
    #expect(
      try program.print("(ref:b changes last: 4) collect: [ :each | each oldValue ]")
        == "#($x nil nil nil)")
    #expect(
      try program.print("ref:b changes last") == "turn 11: b := 3 (was something that is gone)"
        + " by 'b |= a' (<eval>:2)")
  }

  @Test func statementsOfManyTextsAreToldAsLongAsTheirTextsAreKnown() throws {
    let program = Program()
    try program.run("var a := 0. var b. b |= a.")
    for number in 1...200 {
      _ = try program.interpreter.evaluate("a := \(number)", name: "line\(number)")
    }
    #expect(try program.print("ref:a lastWriter") == "'line200:1:1'")
    let writers = try program.print(
      "ref:a changes collect: [ :each | each writer ]")
    #expect(writers.contains("'line150:1:1'"))
    #expect(!writers.contains("'line100:1:1'"))
    #expect(writers.hasPrefix("#(nil nil "))
    // One that comes again is known again.
    _ = try program.interpreter.evaluate("a := 1000", name: "line1")
    #expect(try program.print("ref:a lastWriter") == "'line1:1:1'")
  }

  @Test func withoutAClockThereIsNoTime() throws {
    let program = Program()
    try program.run("var a := 0. var b. b |= a.")
    #expect(try program.print("ref:b when time") == "nil")
  }

  @Test func aTraceWithManyLinesAndAStreamThatFails() throws {
    let program = Program()
    try program.run(
      """
      var a := 0. var b. b |= a + 1.
      class Broken { var count. -nextPutAll: text { ivar:count := (ivar:count ifNil: [ 0 ]) + 1. nil foo } }
      out := Broken new.
      self connections trace onto: out.
      1 to: 100 do: [ :i | var:a := i ].
      self connections trace off.
      """)
    #expect(try program.print("out count") == "200")
    #expect(program["b"] == 101)
  }

  @Test func aTurnThatIsGivenUpHasNotBeen() throws {
    let program = Program()
    try program.run(
      """
      class Model {
        var x := 0. var y := 0.
        -x { ^x } -y { ^y }
        -x: value { x := value. self y: value + 1 }
        -y: value { y := value }
      }
      m := Model new. var a := 1. var b.
      b |= a.
      a := 2.
      k := var:m/x =|= var:m/y.
      before := (ref:m/x changes) size.
      [ m y: 5 ] on: ConstraintError do: [ :error | nil ].
      """)
    #expect(try program.print("#(m x, m y, (ref:m/x changes) size = before)") == "#(0 0 true)")
    #expect(try program.print("ref:b when newValue") == "2")
    try program.run("a := 3")
    #expect(try program.print("ref:b changes collect: [ :each | each newValue ]") == "#(1 2 3)")
    // Also when the changes of the turn were more than there is room for.
    try program.run(
      "1 to: 5000 do: [ :i | var:a := i ]. [ m y: 5 ] on: ConstraintError do: [ :e | nil ]")
    #expect(try program.print("ref:b when newValue") == "5000")
    #expect(try program.run("ref:b why lines first").string == "b is 5000 by 'b |= a' (<eval>:8)")
  }

  /// What the stream writes is a change like any other, and not traced.
  @Test func aStreamThatWritesIntoThePlacesThatAreTraced() throws {
    let program = Program()
    try program.run(
      """
      var a := 0. var b. var lines := 0.
      b |= a + 1.
      class Echo { -nextPutAll: text { var:lines := var:lines + 1. var:a := var:a + 1 } }
      self connections trace onto: Echo new.
      a := 10.
      """)
    #expect(try program.print("#(lines, a, b)") == "#(2 12 13)")
    #expect(try program.print("self connections trace isOn") == "true")
    try program.run("a := 20")
    #expect(try program.print("#(lines, a, b)") == "#(4 22 23)")
  }

  @Test func downstreamOfALongChain() throws {
    let program = Program()
    try program.run(
      """
      var cells := (1 to: 3000) asArray collect: [ :i | 0 ].
      2 to: 3000 do: [ :i | cells[i] |= cells[i - 1] + 1 ].
      """)
    #expect(try program.print("(self connections first) wouldChange size") == "2998")
    try program.run("cells[1] := 5")
    #expect(try program.print("(self connections last why lines) size") == "3000")
  }
}
