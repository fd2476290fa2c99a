import Tenon
import TenonRuntime

/// A chain of formulas of the language, and what such a formula costs as a block by itself.
struct ScriptChain {
  let interpreter = Interpreter()
  let count: Int

  init(_ count: Int) throws {
    self.count = count
    var text = "v0 := 0.\n"
    for index in 1...count { text += "v\(index) |= v\(index - 1) + 1.\n" }
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
