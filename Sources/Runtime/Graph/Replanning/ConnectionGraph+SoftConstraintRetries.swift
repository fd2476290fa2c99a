internal import TenonSolverKit
internal import TenonTables

// Wishes that do not hold, and are tried again when what stood against them may have ended.
//
// A connection that is new has its left side follow. One that is tried again has been there before: it gets
// no more than its strength gives it, so that what was written last, and what was ever written beside a weak
// wish, stays as it is.

/// Wishes that are to be tried again.
struct Retries {
  /// Their formulas, which are among those that must run.
  var formulas: Set<FormulaID> = []
  /// What was written last in their regions.
  var written: [CellID] = []
}

extension ConnectionGraph {
  /// Has a wish tried again after the next settling has begun.
  func retry(_ constraint: Constraint) {
    // One that is new all the same stays so.
    guard let formula = constraint.firstFormula, !scheduledFormulas.contains(formula) else {
      return
    }
    retries.formulas.insert(formula.id)
    scheduledFormulas.append(formula)
  }

  /// Tells regions which of their formulas that must run are no news, and what was written last.
  func distributeRetries() {
    var regions: [Region] = []
    for id in retries.formulas {
      guard let region = self[id]?.constraint?.region, region.isWaiting else { continue }
      // What has been written since counts instead of what was written before.
      if region.transaction.retried.isEmpty, region.transaction.changes.isEmpty {
        regions.append(region)
      }
      region.transaction.retried.insert(id)
    }
    for cell in retries.written {
      guard let region = cells[cell.index].region, !region.pinned.contains(cell),
        regions.contains(where: { $0 === region })
      else { continue }
      region.transaction.changes.append(cell)
    }
    retries = Retries()
  }

  /// Notes what is written in a turn of a region.
  func recordWritten(in region: Region) {
    region.writtenLast = region.transaction.changed.filter { !region.pinned.contains($0) }
  }
}
