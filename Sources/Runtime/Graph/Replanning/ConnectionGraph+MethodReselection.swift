internal import TenonSolverKit
internal import TenonTables

// Another formula of a constraint in place of one that cannot compute its cell as things stand: it
// waits for something that another formula could compute, or undoes a choice in a branch that is not
// taken.

/// A formula of several directions that could not compute its cell.
struct BlockedFormula {
  let formula: Formula
  /// Why; nil for one that waits for what is missing.
  let failure: Failure?
}

/// The formulas that could not compute their cells.
struct BlockedFormulas {
  /// Those of the region that is being settled.
  var waiting: [BlockedFormula] = []
  /// Those for which another one was looked for, in the turn that this happened in.
  var tried: Set<FormulaID> = []
  var turn: UInt32 = 0
  /// The formula that has last come to a branch which does not depend on its cell, or -1.
  var unreached: Int32 = -1
}

extension ConnectionGraph {
  /// Notes that a formula could not compute its cell.
  ///
  /// - Returns: Whether another one of its constraint may be looked for.
  func recordBlocked(_ formula: Formula, _ failure: Failure?) -> Bool {
    guard let region = settling, type(of: region.solver).choosesFormulas,
      let constraint = formula.constraint, constraint.region === region, constraint.isMultiWay
    else { return false }
    replanning.stuck.waiting.append(BlockedFormula(formula: formula, failure: failure))
    return true
  }

  /// Notes that a formula waits for what is missing: what its constraint says holds in no direction.
  func markWaiting(_ formula: Formula) {
    guard let constraint = formula.constraint, constraint.region != nil else { return }
    for other in constraint.formulas where other != formula && other.state == .satisfied {
      other.state = .waiting
    }
    _ = recordBlocked(formula, nil)
  }

  /// Looks for other formulas in place of those that could not compute their cells.
  ///
  /// Each is replaced once in a turn at most.
  func reselectBlocked(in region: Region) {
    let waiting = replanning.stuck.waiting
    replanning.stuck.waiting = []
    if replanning.stuck.turn != words[0].firstTurn {
      replanning.stuck.turn = words[0].firstTurn
      replanning.stuck.tried = []
    }
    for each in waiting {
      let formula = each.formula
      guard self[formula.id] == formula, let constraint = formula.constraint,
        constraint.region === region
      else { continue }
      replanning.stuck.tried.insert(formula.id)
      if let other = alternative(to: each, of: constraint, in: region) {
        region.transaction.forcedFormulas.append(other.id)
      } else if let failure = each.failure {
        machine.record(failure, of: formula)
        // Those that read its cell hear of it as of a change.
        region.transaction.changes.append(formula.output)
        enqueue(region)
        _ = markNews(of: formula.id.rawValue)
      }
    }
  }

  /// The formula that is chosen when the cell of another one keeps its value.
  ///
  /// What was written last of all keeps its value, too.
  private func alternative(
    to stuck: BlockedFormula, of constraint: Constraint, in region: Region
  ) -> Formula? {
    let formula = stuck.formula
    let solver = region.solver
    let newest = constraint.cells.map { writes.age(of: $0) }.max() ?? 0
    let waits = stuck.failure == nil
    if waits, machine.isMissing(formula.output) { return nil }
    let open = constraint.formulas.filter { other in
      other != formula && !self.replanning.stuck.tried.contains(other.id)
        && (newest == 0 || writes.age(of: other.output) < newest)
        && (!waits || machine.isMissing(other.output))
    }
    if open.isEmpty { return nil }
    let outputs = Set(open.map(\.output))
    // The others count as written just now until the constraint has been satisfied.
    let kept =
      constraint.cells.filter {
        $0 != formula.output && !outputs.contains($0) && solver.formula(computing: $0) == nil
      } + [formula.output]
    for cell in kept {
      clock += 1
      solver.begin(with: cell, age: clock)
    }
    // Where nothing comes of it, the region is to hear that it is over.
    enqueue(region)
    let chosen = constraint.formulas.first { solver.formula(computing: $0.output) == $0.id }
    guard let chosen, chosen != formula, outputs.contains(chosen.output) else { return nil }
    return chosen
  }
}
