internal import TenonAnalysis
internal import TenonLexer
internal import TenonParser
internal import TenonSolverKit
internal import TenonTables

// Connections whose paths may lead elsewhere now, and those that are suspended and resumed.

extension Connection {
  /// The message of a failed formula; nil where none has failed by itself.
  fileprivate var ownFailure: String? {
    formulas.lazy.compactMap { formula in
      if case .failed(let message) = formula.state { message } else { nil }
    }.first
  }
}

extension ConnectionGraph {
  // MARK: Paths

  /// Watches the places on the way of a connection's paths.
  func watchPath(
    of connection: Connection, through steps: [Place], nameOf: (Place) -> String
  ) {
    for step in steps {
      let cell = cell(for: step, name: nameOf(step))
      watchers.pathWatchers[cell, default: ConnectionSet()].insert(connection)
      updateHooks(of: cell)
      connection.steps.append(cell)
    }
  }

  /// Ends the watching of the places on the way of a connection's paths.
  func unwatchPath(of connection: Connection) {
    let steps = connection.steps
    connection.steps = []
    for step in steps {
      regionWork.structuralWork += watchers.pathWatchers[step]?.remove(connection) ?? 0
      if watchers.pathWatchers[step]?.isEmpty ?? true { watchers.pathWatchers[step] = nil }
      updateHooks(of: step)
    }
    release(steps)
  }

  /// Makes connections anew whose paths may lead elsewhere now.
  ///
  /// One that cannot be made is in error until a path leads elsewhere again; the writer goes on.
  ///
  /// - Throws: a failure when an accessor on the way was interrupted.
  func retarget() throws(Failure) {
    let waiting = watchers.retargeted
    watchers.retargeted = []
    var failure: Failure?
    for connection in waiting {
      guard connection.status == .active, let plan = connection.plan else { continue }
      // Its formula may have followed the path before, with the same result.
      if machine.staysAimed(connection, plan) {
        connection.awaitsAim = false
        continue
      }
      do throws(Failure) {
        // The change log of its places, and of those on the way, is kept.
        try keepingCells { () throws(Failure) in try retarget(connection, plan) }
      } catch {
        failure = failure ?? error
      }
    }
    if let failure { throw failure }
  }

  private func retarget(_ connection: Connection, _ plan: ConnectionSpec) throws(Failure) {
    let known = connection.pathFailure ?? connection.ownFailure
    dissolve(connection)
    replanning.blockingPlace = nil
    do throws(Failure) { try machine.establish(connection, plan) } catch {
      if isUnwinding { throw error }
      if connection.status == .active {
        if known != error.message { machine.report(error, of: connection) }
        connection.pathFailure = error.message
        if let place = replanning.blockingPlace {
          watchPath(of: connection, through: [place], nameOf: { machine.name(of: $0) })
        }
        return
      }
    }
    connection.pathFailure = nil
  }

  // MARK: Suspending

  func suspend(_ connection: Connection) {
    guard connection.status == .active else { return }
    connection.status = .suspended
    dissolve(connection)
  }

  func resume(_ connection: Connection) throws(Failure) {
    guard connection.status == .suspended, let plan = connection.plan else { return }
    unwatch(connection)
    connection.status = .active
    // It begins with the changes since it was suspended.
    connection.observer?.isPending = false
    do throws(Failure) {
      try machine.establish(connection, plan)
      connection.compact()
      connection.pathFailure = nil
      recordNewConnection(connection, wasSuspended: true)
    } catch {
      dissolve(connection)
      connection.status = .suspended
      throw error
    }
  }

  /// Has a cell read anew whose place cannot tell about changes.
  func lookAgain(at cell: CellID) {
    cells[cell.index].cachedValue = nil
    machine.stores.coming.lookAgain(at: place(of: cell))
  }

  func forgetCachedValue(of cell: CellID) {
    cells[cell.index].cachedValue = nil
    if hot[cell.rawValue].kind == .stored { machine.stores.coming.markStale(place(of: cell)) }
  }
}
