internal import CTenonPlatform
import Tenon
import TenonRuntime

/// The bytes that this process has allocated and not freed; 0 where the system does not tell.
///
/// Interpreters allocate memory for the objects of programs by the mebibyte: the blocks that formulas of
/// the language are belong to what a connection takes.
func allocatedBytes() -> Int { Int(tenon_allocated_bytes()) }

/// The bytes that connections take, with their cells and what explains them.
struct ConnectionMemory {
  /// For each connection.
  let resident: Double
  let allocated: Double

  /// Measures what a body adds that makes `count` connections.
  init(count: Int, _ body: () throws -> Void) rethrows {
    let before = (residentBytes(), allocatedBytes())
    try body()
    resident = Double(residentBytes() - before.0) / Double(count)
    allocated = Double(allocatedBytes() - before.1) / Double(count)
  }

  func report(_ name: String) {
    TenonConnectorBenchmarks.report(
      name, [(resident, "bytes"), (allocated, "bytes")], goal: "250 bytes")
  }

  /// A chain of formulas in Swift code over variables that are there already.
  static func nativeChain(_ count: Int) throws {
    let interpreter = Interpreter()
    let cells = (0...count).map { interpreter.variable("v\($0)").cell }
    func next(_ inputs: IntegerInputs) -> Int { inputs[0] &+ 1 }
    let memory = try ConnectionMemory(count: count) {
      for index in 0..<count {
        let outcome = interpreter.machine.connect(
          cells[index + 1], reading: [cells[index]], integers: next)
        guard case .finished = outcome else { throw BenchmarkFailure("no connection") }
      }
    }
    withExtendedLifetime(interpreter) {}
    memory.report("chain of \(count), formulas in Swift")
  }

  /// Instances that are there already, each with one connection made by the same statement: `made`
  /// tells how it begins, with `before` and `here`, the objects before it and itself.
  static func instances(_ count: Int, _ name: String, _ statement: String) throws {
    let interpreter = Interpreter()
    _ = try interpreter.evaluate(
      """
      class Place {
        var value := 0. var before.
        -before: aPlace { before := aPlace. }
        -connect { \(statement) }
      }
      var all := Array new: \(count).
      1 to: \(count) do: [ :i | all[i] := Place new ].
      2 to: \(count) do: [ :i | all[i] before: all[i - 1] ].
      Smalltalk garbageCollect
      """)
    let memory = try ConnectionMemory(count: count) {
      _ = try interpreter.evaluate(
        "2 to: \(count) do: [ :i | all[i] connect ]. Smalltalk garbageCollect")
    }
    withExtendedLifetime(interpreter) {}
    memory.report("\(name), \(count) times")
  }

  /// Elements of an array, each equal to the next.
  static func elements(_ count: Int) throws {
    let interpreter = Interpreter()
    _ = try interpreter.evaluate(
      "var cells := (1 to: \(count + 1)) asArray collect: [ :i | 0 ]. Smalltalk garbageCollect")
    let memory = try ConnectionMemory(count: count) {
      _ = try interpreter.evaluate(
        "1 to: \(count) do: [ :i | cells[i] =|= cells[i + 1] ]. Smalltalk garbageCollect")
    }
    withExtendedLifetime(interpreter) {}
    memory.report("equalities of elements in a chain, \(count) times")
  }

  /// Instances, each with one formula of the language that reads the same variables.
  static func readers(_ count: Int, _ formula: String) throws {
    let interpreter = Interpreter()
    _ = try interpreter.evaluate(
      """
      class Place { var value := 0. -connect { value |= \(formula). } }
      var source := 1. var other := 2.
      var all := Array new: \(count).
      1 to: \(count) do: [ :i | all[i] := Place new ].
      Smalltalk garbageCollect
      """)
    let memory = try ConnectionMemory(count: count) {
      _ = try interpreter.evaluate("all do: [ :each | each connect ]. Smalltalk garbageCollect")
    }
    withExtendedLifetime(interpreter) {}
    memory.report("formulas of the language, \(count) times, '\(formula)'")
  }
}

/// A chain of equalities of the language: built, changed at its start, and taken apart.
struct TakenApart {
  /// Nanoseconds for a link.
  static func measure(_ count: Int, fromStart: Bool) throws -> (build: Double, remove: Double) {
    // A million links take more than an interpreter may have unless told otherwise.
    var options = Interpreter.Options()
    options.memoryLimit = 16 << 30
    let interpreter = Interpreter(options)
    _ = try interpreter.evaluate(
      """
      var cells := (1 to: \(count)) asArray collect: [ :i | 0 ].
      var links := Array new: \(count).
      """)
    var start = cpuTime()
    _ = try interpreter.evaluate(
      """
      self atomically: [ 1 to: \(count - 1) do: [ :i | links[i] := (cells[i] =|= cells[i + 1]) ] ].
      cells[1] := 1
      """)
    let build = cpuTime() - start
    start = cpuTime()
    _ = try interpreter.evaluate(
      fromStart
        ? "1 to: \(count - 1) do: [ :i | links[i] disconnect ]"
        : "\(count - 1) to: 1 by: -1 do: [ :i | links[i] disconnect ]")
    let remove = cpuTime() - start
    let scale = 1e9 / Double(count)
    return (build * scale, remove * scale)
  }
}
