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
    let source = [interpreter.variable("v0").cell]
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
