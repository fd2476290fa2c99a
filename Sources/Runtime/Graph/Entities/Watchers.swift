internal import TenonTables

/// What hears of changes besides the formulas that read a place.
final class Watchers: GraphPart {
  /// Connections with a path that a change of a cell may lead elsewhere.
  var pathWatchers: [CellID: ConnectionSet] = [:]
  /// Those that may lead elsewhere now.
  var retargeted: [Connection] = [] {
    didSet { unsafe graph?.words[0][.retargeted] = !retargeted.isEmpty }
  }
  /// Whether any object has announced a change itself: from then on receivers are recorded.
  var hearsAnnouncements = false
  /// The observers of connections and their queue.
  @safe @exclusivity(unchecked) var observers = ConnectionObservers() {
    didSet {
      unsafe graph?.words[0].hasObserversOfTurn =
        !observers.deferred.isEmpty || !observers.queue.isEmpty
    }
  }
  var invariants = ConnectionGraph.Invariants() {
    didSet {
      unsafe graph?.words[0][.invariants] = invariants.count > 0 || !invariants.doubtful.isEmpty
    }
  }
}
