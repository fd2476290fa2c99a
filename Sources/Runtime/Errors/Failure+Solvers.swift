// What is said of solvers that are written in the language.

extension Failure {
  static func failedSolver(_ message: String) -> Failure { .ofSolvers(message) }

  static func foreignFormula(_ solver: String) -> Failure {
    Failure(.constraintError, "\(solver) runs a formula that is none of its own")
  }

  static func foreignCell(_ solver: String, _ name: String) -> Failure {
    let what = name.isEmpty ? "a place" : "'\(name)'"
    return Failure(.constraintError, "\(solver) uses \(what), which is none of its own to compute")
  }

  static func endedTurn() -> Failure {
    Failure(.constraintError, "the turn has ended: a solver runs formulas in 'settle:' only")
  }

  static func idleSolver() -> Failure {
    Failure(.constraintError, "a place of a solver is known only while the solver is at work")
  }

  static func runsTooOften(_ solver: String, _ formula: String, _ limit: Int) -> Failure {
    let hint = limit == 1 ? "; one that iterates says how often in 'runsPerTurn'" : ""
    return Failure(
      .constraintError,
      "\(solver) runs '\(formula)' more than \(limit == 1 ? "once" : "\(limit) times") for a change\(hint)"
    )
  }

  static func overwritesChange(_ solver: String, _ name: String) -> Failure {
    Failure(.constraintError, "\(solver) would overwrite '\(name)', which has been written")
  }

  static func overwritesPinned(_ solver: String, _ name: String) -> Failure {
    Failure(
      .constraintError, "\(solver) would overwrite '\(name)', which another formula determines")
  }

  static func leftUnsatisfied(_ solver: String) -> Failure {
    Failure(.constraintError, "\(solver) has not brought it up to date")
  }

  static func impureSolver(_ name: String, _ solver: String) -> Failure {
    Failure(.constraintError, "'\(name)' must not be written by \(solver)")
  }

  static func connectingInSolver(_ solver: String) -> Failure {
    Failure(.constraintError, "\(solver) must not change connections")
  }

  static func severalSolvers(_ names: [String]) -> Failure {
    .ofSolvers(
      "connections that share places have one solver, not " + names.joined(separator: " and "))
  }

  static func nativeSolver(_ name: String) -> Failure {
    Failure(.constraintError, "the solver '\(name)' is not the program's own")
  }

  static func noSuchSolver(_ name: String, _ names: [String]) -> Failure {
    Failure(
      .constraintError,
      "there is no solver '\(name)'; there are \(names.map { "'\($0)'" }.joined(separator: ", "))")
  }
}
