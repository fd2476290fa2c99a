import Foundation
import Testing

@testable import Tenon
@testable import TenonRuntime

/// The graph knows solvers by their protocol only: without any one of them the others go on, and
/// its nets are refused with what each of those that are left has against them.
@Suite struct SolverRegistrationTests {
  struct Net: Sendable, CustomTestStringConvertible {
    let solver: String
    let script: String
    /// A change, and what must hold after it.
    let change: String
    let law: String
    /// What the others say when the solver is missing.
    let refusal: String

    var testDescription: String { solver }
  }

  static let nets = [
    Net(
      solver: "dataflow", script: "a := 1. b := 0. c := 0. b |= a + 1. c |= b * a",
      change: "a := 4", law: "#(b, c) = #(5, 20)", refusal: "one direction only"),
    Net(
      solver: "propagation",
      script: "f := 32. g := 0. f |= g squared + 32. g |= (f - 32) sqrt",
      change: "f := 36", law: "g = 2", refusal: "more than one direction"),
    Net(
      solver: "linear", script: "x := 1. y := 5. x >=| y + 2", change: "x := 3", law: "y <= 1",
      refusal: "no formula to run"),
  ]

  @Test(arguments: nets)
  func without(_ missing: Net) throws {
    try onThread {
      let program = Program()
      program.interpreter.machine.unregister(solver: missing.solver)
      let error = try #require(program.error(of: missing.script), "\(missing.solver) is not needed")
      #expect(error.contains(missing.refusal), "\(error)")
      // The refusal names each of the others and the connection.
      let connection = missing.script.components(separatedBy: ". ").first { $0.contains("|") } ?? ""
      #expect(error.contains(connection), "\(error)")
      // What stood before it in its text.
      try program.run("self connections do: [ :each | each disconnect ]")
      #expect(program.size == Program.Size(), "\(missing.solver): something is left")
      for net in Self.nets where net.solver != missing.solver {
        #expect(error.contains("\(net.solver): "), "\(error)")
        // Formulas of several directions begin with one that goes one way.
        if missing.solver == "dataflow", net.solver == "propagation" { continue }
        try program.run(net.script)
        #expect(try program.run(net.change + ". " + net.law).boolean == true, "\(net.solver)")
      }
      let solvers = try program.print("self connections collect: [ :each | each solver ]")
      #expect(!solvers.contains(missing.solver))
      #expect(program.console.text == "")
      // Asked for by name it is unknown.
      let unknown = program.error(of: "p := 1. q := 0. (q |= p) solver: #\(missing.solver)")
      #expect(unknown?.contains(missing.solver) == true, "\(unknown ?? "accepted")")
    }
  }

  /// With all of them each net goes to its own.
  @Test func each() throws {
    try onThread {
      for net in Self.nets {
        let program = Program()
        try program.run(net.script)
        #expect(try program.run(net.change + ". " + net.law).boolean == true)
        let solvers = try program.print("(self connections collect: [ :e | e solver ]) asSet size")
        #expect(solvers == "1")
        #expect(try program.print("self connections first solver") == "#\(net.solver)")
      }
    }
  }
}
