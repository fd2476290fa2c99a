import TenonRuntime
import Testing

/// A connection lives as long as the places it joins, and leaves nothing behind.
@Suite struct LifetimeTests {
  static let definitions = """
    class Temperature {
      var celsius := 0.0. var fahrenheit. var kelvin. var label.
      fahrenheit |= (9.0/5.0) * celsius + 32.
      celsius |= (fahrenheit - 32) * (5.0/9.0).
      kelvin |= celsius + 273.15.
      celsius |= kelvin - 273.15.
      label |= self text , ' degrees'.
      -text { ^celsius printString }
    }
    class View { var text. }
    """

  /// Ten thousand instances of a class with connectors in its body: none is left when they are
  /// dropped.
  @Test func instancesOfClassesWithConnectors() throws {
    try onThread {
      let program = Program()
      try program.run(LifetimeTests.definitions)
      // The last changes are remembered: from now on there are as many of them as there can be.
      try program.run(
        "1 to: 2_000 do: [ :i | | t | t := Temperature new. t fahrenheit: i ]")
      program.collect()
      #expect(program.size == Program.Size())
      let before = program.liveBytes
      try program.run(
        "1 to: 10_000 do: [ :i | | t | t := Temperature new. t fahrenheit: i ]")
      program.collect()
      #expect(program.size == Program.Size())
      #expect(program.liveBytes - before < 64 << 10)
      #expect(program.console.text == "")
    }
  }

  /// Those that are kept stay connected while the others go.
  @Test(arguments: [0, 1]) func someAreKept(collectEvery: Int) throws {
    try onThread {
      let program = Program(collectEvery: collectEvery)
      try program.run(LifetimeTests.definitions)
      try program.run(
        """
        kept := OrderedCollection new.
        1 to: 60 do: [ :i | | t |
          t := Temperature new.
          i \\\\ 10 = 0 ifTrue: [ kept add: t ].
          t celsius: i * 1.0 ].
        """)
      program.collect()
      let kept = program.size
      #expect(kept.connections == 6 * 5)
      #expect(kept.regions == 6)
      try program.run("kept do: [ :each | each fahrenheit: 212.0 ]")
      #expect(
        try program.print("kept collect: [ :each | each label ]")
          == "an OrderedCollection("
          + Array(repeating: "'100.0 degrees'", count: 6).joined(separator: " ") + ")")
      try program.run("kept := nil")
      program.collect()
      #expect(program.size == Program.Size())
    }
  }

  /// Statements that connect an object that is dropped afterwards with something that stays, or
  /// with nothing else, and what is left then.
  static let droppedObjects = [
    "| v | v := View new. v text |= x printString",
    "| v | v := View new. v text =|= x",
    "| v w | v := View new. w := View new. v text =|= w text",
    "| v | v := View new. v text =|= mem:place",
    "| v | v := View new. var:v/text |= x + 1",
    "| v w | v := View new. w := View new. v text: w. var:v/text/text |= x + 1",
    "| a b | a := 1. b |= a + x. [ b ] value",
    "| a | a := Array new: 3. a[1] |= x. a[2] |= a[1]",
    "| d | d := Dictionary new. d['k'] =|= x. d['l'] |= x + 1",
    "| v w | v := View new. w := View new. v text |= w text. w text |= x",
    "| t | t := Temperature new. t label",
    "| v k | v := View new. k := v text |= x. k suspend",
    "| v k | v := View new. k := v text |= x. k disconnect",
  ]

  @Test(arguments: droppedObjects, [0, 1])
  func droppedObject(_ statements: String, collectEvery: Int) throws {
    try onThread {
      let program = Program(collectEvery: collectEvery)
      try program.run(LifetimeTests.definitions)
      try program.run("x := 1. mem:place := 1")
      for _ in 0..<3 {
        try program.run("[ \(statements) ] value. nil")
        try program.run("x := x + 1")
      }
      program.collect()
      #expect(program.size == Program.Size(), "\(statements)")
      try program.run("x := x + 1. mem:place := 5")
    }
  }

  /// A connection between variables of the script lives on, whatever becomes of its object.
  @Test func connectionsOfTheScriptStay() throws {
    let program = Program()
    try program.run("x := 1. y |= x + 1. z =|= x")
    program.collect()
    #expect(program.size.connections == 2)
    try program.run("x := 5")
    #expect(program["y"] == 6)
    #expect(program["z"] == 5)
    try program.run("self connections do: [ :each | each disconnect ]")
    #expect(program.size == Program.Size())
  }

  /// Objects that only a formula refers to live as long as its connection.
  @Test(arguments: [0, 1]) func formulasKeepWhatTheyUse(collectEvery: Int) throws {
    let program = Program(collectEvery: collectEvery)
    try program.run(LifetimeTests.definitions)
    try program.run(
      """
      x := 1.
      [ | v | v := View new. v text: 10. y |= v text + x. update := [ :n | v text: n ] ] value.
      """)
    program.collect()
    try program.run("update value: 20. x := 2")
    #expect(program["y"] == 22)
    try program.run("update := nil")
    program.collect()
    try program.run("x := 3")
    #expect(program["y"] == 23)
  }

  /// Collections that formulas make for themselves are not observed for ever.
  @Test(arguments: [0, 1]) func collectionsOfFormulas(collectEvery: Int) throws {
    let program = Program(collectEvery: collectEvery)
    try program.run(
      "n := 1. sum |= ((1 to: n) collect: [ :i | i * i ]) inject: 0 into: [ :a :b | a + b ]")
    program.collect()
    let before = program.size
    try program.run("2 to: 50 do: [ :i | n := i ]")
    #expect(program["sum"] == 42_925)
    program.collect()
    #expect(program.size == before)
  }

  /// A store that only a connection knows any more is kept for it.
  @Test(arguments: [0, 1]) func droppedStores(collectEvery: Int) throws {
    let program = Program(collectEvery: collectEvery)
    try program.run("scheme:box := MemoryStore new. y := 5. k := box:b =|= y.")
    try program.run("scheme:box := nil")
    program.collect()
    try program.run("y := 7")
    #expect(
      try program.run("k why").string == "box:b is 7 by 'box:b =|= y' (<eval>:1)\n"
        + "y is 7, written at <eval>:1:1")
    try program.run("k disconnect")
    program.collect()
    #expect(program.size == Program.Size())
  }

  /// The reference by which a group, a path or an entry finds a place in a store is made for that
  /// alone: it lives as long as the store is at work with it.
  @Test(arguments: [
    "foo a: i", "g:/a := i", "var:foo/a := i", "foo a", "g:/a", "var:foo/a", "entry value: i",
    "entry value", "var:store/{'a'} := i", "(ref:var:store/b) value",
  ])
  func referencesMadeForAPlace(statement: String) throws {
    let program = Program(collectEvery: 1)
    try program.run(
      """
      class Elsewhere : MemoryStore {
        -put: value at: reference { ^super put: value at: (self reference: 'elsewhere') }
        -get: reference { ^super get: (self reference: 'elsewhere') }
      }
      store := Elsewhere new.
      scheme:box := store.
      group foo { a -> box:/a/b. }
      scheme:g := foo.
      entry := store entryAt: #('a' 'b').
      seen := OrderedCollection new.
      k := ref:box: watchBelow: [ :changed | seen add: changed ].
      """)
    try program.run("(1 to: 5) do: [ :i | \(statement) ]")
    program.collect()
    #expect(try program.print("seen allSatisfy: [ :each | each scheme = 'box' ]") == "true")
    #expect(program.console.text == "")
  }

  /// Connections that die while formulas run do not disturb those that are running.
  @Test func collectionsInTheMiddle() throws {
    let count = isFullSize ? 60 : 20
    try onThread {
      let program = Program(collectEvery: 1)
      try program.run(LifetimeTests.definitions)
      try program.run(
        """
        x := 1.
        kept := Array new: \(count).
        dropped := OrderedCollection new.
        1 to: \(8 * count) do: [ :i |
          i \\\\ 8 = 0
            ifTrue: [ kept[i ~/ 8] |= (x + i) printString ]
            ifFalse: [ | v | v := View new. v text |= (x + i) printString. dropped add: v ] ].
        """)
      #expect(program.size.connections == 8 * count)
      try program.run("self atomically: [ dropped := nil. x := 1000 ]")
      #expect(program.size.connections == count)
      let texts = (1...count).map { "'\(1000 + 8 * $0)'" }
      #expect(try program.print("kept") == "#(\(texts.joined(separator: " ")))")
    }
  }
}
