import Tenon
import TenonLexer
import TenonRuntime
import Testing

/// Texts that change are taken up by a program that goes on.
@Suite struct ReloadTests {
  let interpreter = Interpreter()

  @discardableResult
  func load(_ text: String, name: String = "a.st") throws -> ReloadReport {
    try interpreter.reload(text, name: name)
  }

  func value(_ text: String) throws -> String {
    interpreter.printString(try interpreter.evaluate(text))
  }

  @Test func whatBothTextsSayStays() throws {
    let first = try load(
      "var score := 0. var speed := 1. name := 'a'. log := OrderedCollection new. log add: 1")
    #expect(first.isFirst && first.addedVariables == ["score", "speed", "name", "log"])
    _ = try interpreter.evaluate("score := 7. speed := 3. name := 'b'")
    let second = try load(
      "var <Integer> score := 0. var speed := 2. name := 'a'. log := OrderedCollection new. log add: 1. log add: 2. var lives := 3"
    )
    #expect(try value("#(score, speed, name, log size, lives)") == "#(7 2 'b' 2 3)")
    #expect(!second.isFirst && second.keptVariables == ["score", "name", "log"])
    #expect(second.setVariables == ["speed"] && second.addedVariables == ["lives"])
    let third = try load("var score := 0")
    #expect(third.removedVariables == ["speed", "name", "log", "lives"])
    #expect(try value("#(score, lives)") == "#(7 3)")
    // What comes back has been forgotten.
    try load("var score := 0. lives := 5")
    #expect(try value("lives") == "5")
  }

  @Test func instancesKeepWhatFits() throws {
    try load(
      "class Ball { var x := 1. var y. var old. -step { x := x + 1 } } ball := Ball new y: 5; yourself"
    )
    _ = try interpreter.evaluate("ball step")
    let report = try load(
      "class Ball { var y. var spin := 9. var x := 1. var mass. -step { x := x + 10 } } ball := Ball new y: 5; yourself"
    )
    _ = try interpreter.evaluate("ball step")
    #expect(try value("#(ball x, ball y, ball spin, ball mass)") == "#(12 5 9 nil)")
    let change = try #require(report.changedClasses.first)
    #expect(change.name == "Ball" && change.instanceCount == 1)
    #expect(change.addedVariables == ["spin", "mass"] && change.removedVariables == ["old"])
    #expect(report.description.contains("changed Ball (+spin +mass -old, 1 instance)"))
  }

  @Test func connectionsAreMadeAgain() throws {
    try load("var c := 20. var k. var f. k |= c + 273. f |= c * 2")
    _ = try interpreter.evaluate("c := 30")
    let shown = try interpreter.binding("k", as: Int.self)
    var seen: [Int] = []
    try shown.observe { seen.append($0) }
    let report = try load("var c := 20. var k. var g. g |= k + 1. k |= c + 274")
    #expect(try value("#(c, k, f, g)") == "#(30 304 60 305)")
    #expect(seen == [304])
    #expect(report.endedConnections == ["k |= c + 273", "f |= c * 2"])
    #expect(report.addedConnections == ["g |= k + 1", "k |= c + 274"])
    _ = try interpreter.evaluate("c := 31. f := 1")
    #expect(try value("#(k, f, g)") == "#(305 1 306)")
    let third = try load("var c := 20. var k. var g. g |= k + 1. k |= c + 274")
    #expect(third.remadeConnections == ["g |= k + 1", "k |= c + 274"])
    #expect(seen == [304, 305])
    // With that of the binding.
    #expect(try value("self connections size") == "3")
  }

  @Test func classesConnectTheirInstancesAnew() throws {
    let made = " a := Gauge new. b := Gauge new level: 4; yourself"
    try load("class Gauge { var level := 0. var double. ivar:double |= level * 2 }" + made)
    let report = try load(
      "class Gauge { var level := 0. var double. ivar:double |= level * 3 }" + made)
    #expect(try value("#(a double, b double)") == "#(0 12)")
    _ = try interpreter.evaluate("b level: 10")
    #expect(try value("#(b double, self connections size)") == "#(30 2)")
    #expect(report.addedConnections == ["ivar:double |= level * 3"])
    #expect(report.endedConnections == ["ivar:double |= level * 2"])
    #expect(report.changedClasses.first?.instanceCount == 2)
  }

  /// An instance that is older than a variable has no place for a connection of it.
  @Test func whatCannotBeConnectedIsToldOf() throws {
    let made = " a := Gauge new. b := Gauge new level: 4; yourself"
    try load("class Gauge { var level := 0. var double. ivar:double |= level * 2 }" + made)
    let report = try load(
      "class Gauge { var level := 0. var double. var half. ivar:double |= level * 2. ivar:half |= level / 2 }"
        + made)
    #expect(report.failedConnections.map(\.text) == ["Gauge"])
    #expect(report.failedConnections.first?.message.contains("'ivar:half'") == true)
    #expect(report.remadeConnections == ["ivar:double |= level * 2"])
    _ = try interpreter.evaluate("b level: 10")
    #expect(try value("#(b double, b half, (Gauge new level: 8) half)") == "#(20 nil 4)")
  }

  @Test func methodsAreRemoved() throws {
    try load(
      "-twice: n { ^n * 2 } extension Integer { -thrice { ^self * 3 } } extension String { -size { ^7 } }"
    )
    #expect(try value("#((self twice: 2), 2 thrice, 'a' size)") == "#(4 6 7)")
    let report = try load("-half: n { ^n / 2 }")
    #expect(report.removedMethods == ["Script>>twice:", "Integer>>thrice"])
    #expect(report.remainingMethods == ["String>>size"])
    #expect(try value("#((self half: 2), (self respondsTo: #twice:))") == "#(1 false)")
  }

  @Test func aWrongTextChangesNothing() throws {
    try load("var a := 1. var b. b |= a + 1")
    _ = try interpreter.evaluate("a := 5")
    for wrong in ["var a := 1. b |= a + ", "var a := 1. b |= nobody + 1", "class X : Nobody { }"] {
      #expect(throws: EvaluationError.self) { try load(wrong) }
      _ = try interpreter.evaluate("a := a + 1")
    }
    #expect(try value("#(a, b)") == "#(8 9)")
  }

  @Test func anErrorSaysWhereItStopped() throws {
    try load("var a := 1. var b. b |= a + 1. var c. c |= a + 2")
    let report = try load("var a := 1. var b. b |= a + 10.\n3 foo. c |= a + 2. var d := 4. d |= a.")
    #expect(report.failure?.rendered().hasPrefix("a.st:2:3: error") == true)
    #expect(report.description.contains("stopped by a.st:2:3"))
    _ = try interpreter.evaluate("a := 2")
    // What was connected below the error is.
    #expect(try value("#(b, c)") == "#(12 4)")
    let next = try load("var a := 1. var b. b |= a + 10. var c. c |= a + 2. var d := 4.")
    #expect(next.failure == nil)
    #expect(try value("#(a, b, c, d)") == "#(2 12 4 4)")
  }

  @Test func valuesThatDoNotFitAreToldOf() throws {
    try load("var size := 3. var label := 'x'. var other")
    _ = try interpreter.evaluate("label := 4. other := 'text'")
    let report = try load("var size := 3. var <String> label := 'x'. var <Integer> other")
    #expect(try value("#(size, label, other)") == "#(3 'x' nil)")
    #expect(report.resetVariables == ["label", "other"] && report.keptVariables == ["size"])
  }

  @Test func connectionsOfOthersStay() throws {
    try load("var a := 1. var b. b |= a + 1")
    try load("var c. c |= a + 3. -keep { ^c |= a + 3 }", name: "b.st")
    let report = try load("var a := 1. var b. b |= a + 2")
    #expect(report.remadeConnections.isEmpty)
    #expect(try value("#(b, c)") == "#(3 4)")
    // Those of a loop that stays.
    try load("var cells := #(0, 0). 1 to: 2 do: [ :i | cells[i] |= a * i ]", name: "c.st")
    try load(
      "var cells := #(0, 0). 1 to: 2 do: [ :i | cells[i] |= a * i ]. var d := 1", name: "c.st")
    _ = try interpreter.evaluate("a := 10")
    #expect(try value("cells") == "#(10 20)")
    try load("var cells := #(0, 0). 1 to: 2 do: [ :i | cells[i] |= a * i * 2 ]", name: "c.st")
    #expect(try value("#(cells, self connections size)") == "#(#(20 40) 4)")
  }

  @Test func definitionsOfEachKindAreTakenUp() throws {
    let text = """
      protocol Steps { -step. }
      class Ball { var x. -step { x := 1 } }
      filter Twice |{ ^object. ^object }
      scheme Words { /of/:name { get { name } } }
      -area { ^3 }
      """
    for _ in 1...2 { try load(text) }
    #expect(try value("#(self area, Ball new step x, (Words new at: 'of/x'))") == "#(3 1 'x')")
  }

  @Test func anEvaluationIsNotReloaded() throws {
    interpreter["reload"] = interpreter.function { [unowned interpreter] () throws -> Bool in
      _ = try interpreter.reload("var x := 1", name: "a.st")
      return true
    }
    #expect(throws: EvaluationError.self) { try interpreter.evaluate("reload value") }
    #expect(interpreter["x"] as Int? == nil)
  }
}
