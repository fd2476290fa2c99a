import Testing

/// What solvers have found out for a change is used again for the next one, as long as the connections
/// stay what they are.
@Suite struct PlanReuseTests {
  /// How many plans a script makes.
  private func plans(_ program: Program, for text: String) throws -> Int {
    let before = program.planCount
    try program.run(text)
    return program.planCount - before
  }

  @Test func severalDirections() throws {
    let program = Program()
    try program.run(
      """
      f := 32. c := 0. k := 273. text := nil. shown := nil.
      f |= c * 9 / 5 + 32. c |= f - 32 * 5 / 9.
      k |= c + 273. c |= k - 273.
      text |= "{k} K".
      """)
    try program.run("f := 50")
    // The same place again and again: the plan stands.
    #expect(try plans(program, for: "1 to: 1000 do: [ :i | f := i ]") == 0)
    // Another place turns formulas around: one plan, used again from then on.
    #expect(try plans(program, for: "k := 300") == 1)
    #expect(try plans(program, for: "1 to: 1000 do: [ :i | k := i ]") == 0)
    #expect(try plans(program, for: "1 to: 10 do: [ :i | f := i. k := i ]") == 20)
    // What another solver keeps leaves it alone.
    #expect(try plans(program, for: "shown |= text size. 1 to: 100 do: [ :i | k := i + 0.5 ]") == 0)
    // A connection in the region has it made anew, once.
    let made = try plans(program, for: "r := 0. m := r =|= f. k := 5")
    #expect((1...2).contains(made))
    #expect(try plans(program, for: "1 to: 1000 do: [ :i | k := i ]") == 0)
    #expect(try program.print("r = f") == "true")
  }

  @Test func copies() throws {
    let program = Program()
    try program.run("places := (1 to: 50) collect: [ :i | #{ x: i } ].")
    try program.run(
      "2 to: 50 do: [ :i | | a b | a := places[i - 1]. b := places[i]. b x =|= a x ]")
    try program.run("(places first) at: #x put: 7")
    #expect(
      try plans(program, for: "1 to: 1000 do: [ :i | (places first) at: #x put: i ]") == 0)
    #expect(try program.print("(places last) at: #x") == "1000")
    #expect(try plans(program, for: "(places last) at: #x put: 3") == 1)
    #expect(
      try plans(program, for: "1 to: 1000 do: [ :i | (places last) at: #x put: i ]") == 0)
  }

  /// A chain of a thousand: a write at the other end turns it around with one plan, and each formula runs
  /// once; links that come and go have nothing run.
  @Test func chainOfAThousand() throws {
    let program = Program()
    try program.run(
      """
      var cells := (1 to: 1_001) asArray collect: [ :i | 0 ].
      var links := Array new: 1_000.
      1 to: 1_000 do: [ :i | links[i] := (cells[i + 1] =|= cells[i]) ].
      cells[1] := 1.
      """)
    let runs = program.runCount
    #expect(try plans(program, for: "2 to: 100 do: [ :i | cells[1] := i ]") == 0)
    #expect(program.runCount - runs == 99_000)
    #expect(
      try plans(program, for: "1 to: 10 do: [ :i | cells[1_001] := i + 100. cells[1] := i ]") == 20)
    #expect(program.runCount - runs == 119_000)
    try program.run("links[500] disconnect. links[500] := (cells[501] =|= cells[500])")
    #expect(try plans(program, for: "1 to: 10 do: [ :i | cells[1] := i + 200 ]") == 1)
    #expect(try program.print("cells last") == "210")
  }

  @Test func equations() throws {
    let program = Program()
    try program.run(
      """
      bar := LayoutView new. row := (1 to: 10) collect: [ :i | LayoutView new ].
      (row first) left |= bar left + 10.
      2 to: 10 do: [ :i | | a b |
        a := row[i - 1]. b := row[i].
        b left |= a right + 10.
        b width |= a width ].
      (row last) right |= bar right - 10.
      bar left: 0. bar width: 1000
      """)
    try program.run("bar width: 900")
    // Only values change: nothing is searched.
    #expect(try plans(program, for: "1 to: 1000 do: [ :i | bar width: 500 + i ]") == 0)
    #expect(try program.print("(row first) width") == "139")
    // Another attribute is written: other variables are given from then on.
    #expect(try plans(program, for: "(row first) width: 20") > 0)
    #expect(try plans(program, for: "1 to: 1000 do: [ :i | (row first) width: i ]") == 0)
    #expect(try program.print("bar width") == "10110")
    // A bound that nothing comes near to.
    try program.run("bar width >=| 100. (row first) width: 20")
    #expect(try plans(program, for: "20 to: 100 do: [ :i | (row first) width: i ]") == 0)
  }

  /// A group of equations of two places needs no plan at all.
  @Test func groupsOfEquations() throws {
    let program = Program()
    try program.run(
      """
      a := 1. b := 2. c := 3.
      (a =|= b * 2 + 1) solver: #linear. (b =|= c - 4) solver: #linear
      """)
    #expect(try plans(program, for: "1 to: 100 do: [ :i | a := i. b := i. c := i ]") == 0)
    #expect(try program.print("#(a, b, c)") == "#(193 96 100)")
  }

  /// A row of views each of which depends on the one before it through a message: for each, the way around
  /// is looked for, but not all that stands is made anew.
  @Test func messagesInARow() throws {
    func work(_ count: Int) throws -> Int {
      let program = Program()
      try program.run(
        """
        row := (1 to: \(count)) collect: [ :i | LayoutView new ].
        2 to: \(count) do: [ :i | | view before |
          view := row[i]. before := row[i - 1].
          view left |= before right + 2.
          view width |= before width - 5 max: 10 ].
        row first left: 0; width: 30
        """)
      #expect(
        try program.print("row last right")
          == "\(30 + 25 + 20 + 15 + 10 * (count - 4) + 2 * (count - 1))")
      return program.structuralWork
    }
    let (short, long) = try (work(20), work(60))
    #expect(long < 9 * short, "\(short) \(long)")
  }
}
