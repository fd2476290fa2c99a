import Tenon
import TenonRuntime
import Testing

/// Nets that are built link by link, and taken apart: what is looked at grows with the number of
/// links, in whatever order they come.
///
/// Steps are counted, no time is taken.
@Suite struct NetBuildingTests {
  struct Shape: Sendable, CustomTestStringConvertible {
    let name: String
    /// Builds a net of `n` cells in `cells`.
    let text: String
    /// How many times as many steps six times as many links may take.
    var factor = 7

    var testDescription: String { name }
  }

  static let shapes = [
    Shape(name: "a chain from its start", text: "1 to: n - 1 do: link."),
    Shape(name: "a chain from its end", text: "n - 1 to: 1 by: -1 do: link."),
    Shape(
      name: "pairs, then what joins them",
      text: "1 to: n - 1 by: 2 do: link. 2 to: n - 1 by: 2 do: link.", factor: 12),
    Shape(
      name: "blocks of ten, then what joins them",
      text: """
        1 to: n - 1 do: [ :i | i \\\\ 10 = 0 ifFalse: [ link value: i ] ].
        10 to: n - 1 by: 10 do: link.
        """, factor: 12),
    Shape(
      name: "a chain whose first cell a formula determines",
      text: "var source := 1. cells[1] |= source + 0. 1 to: n - 1 do: link."),
    Shape(
      name: "a chain whose cells formulas read",
      text: """
        var sinks := (1 to: n) asArray.
        1 to: n - 1 do: [ :i | link value: i. sinks[i] |= cells[i] + 1 ].
        """),
    Shape(
      name: "formulas that read more than their text says",
      text: """
        class Box { var v := 0. -v { ^v } -v: number { v := number } }
        var boxes := (1 to: n) asArray collect: [ :i | Box new ].
        1 to: n - 1 do: [ :i | | x y | x := boxes[i]. y := boxes[i + 1]. x v =|= y v * 1 ].
        """),
    Shape(name: "inequalities", text: "1 to: n - 1 do: [ :i | cells[i] >=| cells[i + 1] ]."),
  ]

  private func work(of shape: Shape, _ count: Int) throws -> (building: Int, ending: Int) {
    let program = Program()
    try program.run(
      """
      var n := \(count).
      var cells := (1 to: n) asArray collect: [ :i | 0 ].
      var link := [ :i | cells[i] =|= cells[i + 1] ].
      \(shape.text)
      """)
    let built = program.structuralWork
    try program.run("self connections do: [ :each | each disconnect ].")
    #expect(program.size.regions == 0)
    return (built, program.structuralWork - built)
  }

  @Test(arguments: shapes) func steps(_ shape: Shape) throws {
    try onThread {
      let small = try work(of: shape, 40)
      let large = try work(of: shape, 240)
      #expect(large.building <= shape.factor * small.building + 300)
      #expect(large.ending <= shape.factor * small.ending + 300)
    }
  }

  /// Connections whose paths go through one place, and policies of one place, end one by one.
  @Test(arguments: [
    "views collect: [ :each | each shown |= var:root/model/value ]",
    "views collect: [ :each | (each shown =|= common) truth: #right ]",
  ])
  func sharedPlaces(_ connect: String) throws {
    try onThread {
      var work: [Int] = []
      for count in [60, 300] {
        let program = Program()
        try program.run(
          """
          class Model { var value := 1. -value { ^value } -value: number { value := number } }
          class Root { var model. -model { ^model } -model: aModel { model := aModel } }
          class View { var shown. -shown { ^shown } -shown: number { shown := number } }
          var root := Root new. var common := 1.
          root model: Model new.
          var views := (1 to: \(count)) asArray collect: [ :i | View new ].
          var links := \(connect).
          """)
        #expect(try program.run("views last shown").integer == 1)
        let before = program.structuralWork
        try program.run("links do: [ :each | each disconnect ]")
        work.append(program.structuralWork - before)
        #expect(program.size.connections == 0)
      }
      #expect(work[0] >= 60)
      #expect(work[1] <= 6 * work[0] + 100)
    }
  }
}
