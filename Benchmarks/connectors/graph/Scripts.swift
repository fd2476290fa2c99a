import Tenon
import TenonRuntime

/// A chain of formulas of the language, and what such a formula costs as a block by itself.
struct ScriptChain {
  let interpreter = Interpreter()
  let count: Int

  /// A chain of so many formulas, beside which the program may have an equality that has nothing to do
  /// with it.
  init(_ count: Int, besideEquality equality: Bool = false) throws {
    self.count = count
    var text = "v0 := 0.\n"
    for index in 1...count { text += "v\(index) |= v\(index - 1) + 1.\n" }
    if equality { text += "p := 1. q := 2. p =|= q." }
    _ = try interpreter.evaluate(text)
    _ = try interpreter.evaluate("w := 3. b := [ w + 1 ]. t := 0.")
  }

  /// Nanoseconds for an update, and for evaluating its formula as a block from a loop.
  func measure(rounds: Int) throws -> (update: Double, formula: Double) {
    let source = interpreter.variable("v0").cell
    var update = Double.infinity
    var formula = Double.infinity
    let times = 1_000_000
    for turn in 0..<5 {
      var start = cpuTime()
      interpreter.machine.writeRepeatedly(source, count: rounds) { $0 + 1 + turn * rounds }
      update = min(update, (cpuTime() - start) / Double(rounds * count))
      start = cpuTime()
      _ = try interpreter.evaluate("1 to: \(times) do: [ :i | t := b value ]")
      let withBlock = cpuTime() - start
      start = cpuTime()
      _ = try interpreter.evaluate("1 to: \(times) do: [ :i | t := w ]")
      formula = min(formula, (withBlock - (cpuTime() - start)) / Double(times))
    }
    return (update * 1e9, formula * 1e9)
  }
}

/// A list of the language with a formula over all of its elements.
struct FoldedList {
  let interpreter = Interpreter()

  init(_ count: Int) throws {
    _ = try interpreter.evaluate(
      "list := Array new: \(count) withAll: 1. s := 0. k := (s |= list sum). x := 0. y := 0. y |= x + 1."
    )
  }

  /// Nanoseconds for a write of an element, and for one of a variable that a plain formula reads.
  func measure(_ times: Int) throws -> (element: Double, variable: Double) {
    var element = Double.infinity
    var variable = Double.infinity
    for _ in 0..<5 {
      var start = cpuTime()
      _ = try interpreter.evaluate("1 to: \(times) do: [ :i | list at: 5 put: i ]")
      element = min(element, (cpuTime() - start) / Double(times))
      start = cpuTime()
      _ = try interpreter.evaluate("1 to: \(times) do: [ :i | x := i ]")
      variable = min(variable, (cpuTime() - start) / Double(times))
    }
    return (element * 1e9, variable * 1e9)
  }
}

/// Formulas of the language whose reads cannot be told from their text: they send messages to objects, and
/// what the methods read is recorded while they run.
struct RecordedNet {
  let name: String
  let interpreter = Interpreter()
  /// How many formulas run for one change.
  let updates: Int

  private let isWrittenTogether: Bool

  /// The first `sources` objects follow a variable each, the others the formulas; `blocks` are two
  /// formulas by themselves that stand for all.
  private init(_ name: String, sources: Int, _ formulas: [String], blocks: (String, String)) throws
  {
    self.name = name
    updates = formulas.count
    isWrittenTogether = sources > 1
    var text = "class Node { var value := 0. -now { ^value } }\n"
    for index in 0..<sources + formulas.count { text += "n\(index) := Node new.\n" }
    for (index, formula) in formulas.enumerated() {
      text += "n\(sources + index) value |= \(formula).\n"
    }
    for index in 0..<sources { text += "v\(index) := 0. n\(index) value |= v\(index).\n" }
    _ = try interpreter.evaluate(text)
    _ = try interpreter.evaluate("b := [ \(blocks.0) ]. c := [ \(blocks.1) ]. t := 0.")
  }

  static func chain(_ count: Int) throws -> RecordedNet {
    let next = "n0 now + 1"
    return try RecordedNet(
      "chain \(count)", sources: 1, (0..<count).map { "n\($0) now + 1" }, blocks: (next, next))
  }

  static func wide(_ count: Int) throws -> RecordedNet {
    let next = "n0 now + 1"
    return try RecordedNet(
      "wide \(count)", sources: 1, Array(repeating: next, count: count), blocks: (next, next))
  }

  static func cellx(_ layers: Int) throws -> RecordedNet {
    let formulas = (0..<layers).flatMap { layer in
      let (a, b, c, d) = (layer * 4, layer * 4 + 1, layer * 4 + 2, layer * 4 + 3)
      return ["n\(b) now", "n\(a) now - n\(c) now", "n\(b) now + n\(d) now", "n\(c) now"]
    }
    return try RecordedNet(
      "cellx \(layers)", sources: 4, formulas, blocks: ("n0 now", "n0 now - n1 now"))
  }

  /// Nanoseconds for an update, and for evaluating a formula of one and one of two messages as a block.
  func measure(rounds: Int) throws -> (update: Double, formula: Double) {
    var update = Double.infinity
    var (one, two) = (Double.infinity, Double.infinity)
    let times = 300_000
    func loop(_ body: String, _ count: Int) throws -> Double {
      let start = cpuTime()
      _ = try interpreter.evaluate("1 to: \(count) do: [ :i | \(body) ]")
      return (cpuTime() - start) / Double(count)
    }
    let write =
      isWrittenTogether
      ? "self atomically: [ v0 := r + i. v1 := i + 1. v2 := i + 2. v3 := r - i ]" : "v0 := r + i"
    for turn in 0..<5 {
      _ = try interpreter.evaluate("r := \((turn + 1) * rounds)")
      update = min(update, try loop(write, rounds) / Double(updates))
      let empty = try loop("t := i", times)
      one = min(one, try loop("t := b value", times) - empty)
      two = min(two, try loop("t := c value", times) - empty)
    }
    return (update * 1e9, (one + two) / 2 * 1e9)
  }
}

/// The three temperatures of the paper, kept by formulas in both directions.
struct Temperatures {
  let interpreter = Interpreter()

  init() throws {
    _ = try interpreter.evaluate(
      """
      c := 0. f := 0. k := 0.
      f |= c * 9 / 5 + 32. c |= (f - 32) * 5 / 9.
      k |= c + 273. c |= k - 273.
      """)
  }

  /// Nanoseconds for an edit of `c`, which runs two formulas, and for the two as blocks.
  func measure(_ times: Int) throws -> (edit: Double, formulas: Double) {
    var edit = Double.infinity
    var formulas = Double.infinity
    _ = try interpreter.evaluate("x := 5. b := [ x * 9 / 5 + 32 ]. d := [ x + 273 ]. t := 0.")
    func loop(_ body: String) throws -> Double {
      let start = cpuTime()
      _ = try interpreter.evaluate("1 to: \(times) do: [ :i | \(body) ]")
      return (cpuTime() - start) / Double(times)
    }
    for _ in 0..<5 {
      let empty = try loop("x := i * 5")
      edit = min(edit, try loop("c := i * 5") - empty)
      formulas = min(formulas, try loop("x := i * 5. t := b value. t := d value") - empty)
    }
    return (edit * 1e9, formulas * 1e9)
  }
}
