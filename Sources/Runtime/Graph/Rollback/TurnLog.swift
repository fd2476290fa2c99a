internal import TenonSolverKit
internal import TenonTables

/// The inverses of all that a turn has changed: `ConnectionGraph.abandonTurn` applies them.
///
/// Values are in a table of words, as each write of a cell appends one; all else is in a list.
struct TurnLog: ~Copyable {
  /// A place and its old value: three words for a slot; of other places the number says where they are
  /// listed.
  struct Entry: BitwiseCopyable {
    /// The object of the slot; undefined for an edit of a cell.
    var object: Value
    /// The number of the slot; below 0 the position in `places`, negated, less one; for an edit the cell.
    var number: Int
    var value: Value
  }

  /// A change of the graph, by its inverse.
  enum Change {
    /// The status of a formula, and its failure. The order of its declaration tells it from another formula
    /// that may have its number by now.
    case status(FormulaID, order: Int, HotFormula.Status, failure: String?)
    /// The places that the last run of a formula had read besides its text.
    case reads(FormulaID, order: Int, [Place])
    /// The slots from which a property was computed.
    case slots(of: Place, [Place])
    /// The solver of a region that another one has replaced.
    case solver(SolverEscalation)
    /// A soft constraint that was retracted, and its state.
    case retraction(Formula, Formula.State)
  }

  /// The changes of the graph besides those of values.
  final class Structure {
    /// The first one first; they are removed when a turn stands.
    var changes: [Change] = []
    /// The numbers of the connections that have come into force since the last settling, negated for those that
    /// were suspended before.
    var newConnections: [Int] = []

    var isEmpty: Bool { changes.isEmpty && newConnections.isEmpty }

    /// Removes the soft constraints that were retracted since a position, and returns them.
    func removeRetractions(since first: Int) -> [(formula: Formula, state: Formula.State)] {
      guard first < changes.count else { return [] }
      var retracted: [(formula: Formula, state: Formula.State)] = []
      let rest = changes[first...].filter { change in
        guard case .retraction(let formula, let state) = change else { return true }
        retracted.append((formula, state))
        return false
      }
      if !retracted.isEmpty { changes.replaceSubrange(first..., with: rest) }
      return retracted
    }

    /// Removes the solvers that were replaced: they will not come back.
    func removeSolvers() { changes.removeAll { if case .solver = $0 { true } else { false } } }

    func removeAll() {
      removeChanges()
      newConnections.removeAll(keepingCapacity: newConnections.count < 1_024)
    }

    /// Removes all but the connections: the turn stands, but others may follow.
    func removeChanges() { changes.removeAll(keepingCapacity: changes.count < 1_024) }

    /// Marks the places that would be read again.
    func mark(_ heap: Heap) {
      for change in changes {
        switch change {
        case .reads(_, _, let places): places.forEach { mark($0, heap) }
        case .slots(let property, let places): (places + [property]).forEach { mark($0, heap) }
        case .status, .solver, .retraction: break
        }
      }
    }

    private func mark(_ place: Place, _ heap: Heap) {
      heap.mark(place.object)
      heap.mark(place.key)
    }
  }

  private let entries = FlatTable<Entry>()
  private let places = FlatTable<Place>()
  let structure = Structure()

  // MARK: Values

  /// Appends the old value of a slot.
  @inline(__always)
  func logSlot(_ object: Value, _ slot: Int, _ value: Value) {
    entries.append(Entry(object: object, number: slot, value: value))
  }

  /// Whether there is memory for another slot.
  @inline(__always) var hasRoom: Bool { entries.hasRoom }

  /// Appends the old value of a slot, where `hasRoom` says that there is memory for it.
  @inline(__always)
  func logSlotWithinCapacity(_ object: Value, _ slot: Int, _ value: Value) {
    entries.appendWithinCapacity(Entry(object: object, number: slot, value: value))
  }

  /// Appends the old value of a place.
  func record(_ place: Place, _ value: Value) {
    if place.kind == .slot {
      logSlot(place.object, place.index, value)
      return
    }
    entries.append(Entry(object: place.object, number: ~places.count, value: value))
    places.append(place)
  }

  /// Appends the age that a cell had before its solver was told of a write.
  func logEdit(of cell: CellID, age: UInt64) {
    entries.append(
      Entry(object: .undefined, number: Int(cell.rawValue), value: Value(bits: UInt(age))))
  }

  /// Removes the edit that was appended last, if nothing was appended after it, and returns it.
  @discardableResult
  func removeLastEdit() -> (cell: CellID, age: UInt64)? {
    guard count > 0, let edit = edit(at: count - 1) else { return nil }
    _ = entries.popLast()
    return edit
  }

  /// Makes room for slots to come.
  ///
  /// - Returns: The address of the first; good until anything else is appended. `take` says how many have come.
  @unsafe
  func reserve(_ number: Int) -> UnsafeMutablePointer<Entry> {
    unsafe entries.reserveMore(number)
  }

  /// Appends so many slots as have been written where `reserve` has made room.
  func take(_ number: Int) { entries.extendReserved(by: number) }

  /// The number of values and edits.
  var count: Int { entries.count }

  /// A place and its old value; nil for an edit.
  subscript(index: Int) -> (place: Place, value: Value)? {
    let entry = entries[index]
    if entry.object.isUndefined { return nil }
    if entry.number < 0 { return (places[~entry.number], entry.value) }
    return (.slot(ObjectRef(entry.object), entry.number), entry.value)
  }

  /// The cell of an edit and its age before; nil for a value.
  func edit(at index: Int) -> (cell: CellID, age: UInt64)? {
    let entry = entries[index]
    guard entry.object.isUndefined else { return nil }
    return (CellID(Int32(truncatingIfNeeded: entry.number)), UInt64(entry.value.bits))
  }

  /// Removes all values and edits.
  @inline(__always)
  func removeValues() {
    entries.removeAll()
    if !places.isEmpty { places.removeAll() }
  }

  /// Removes the values that `isKept` says no for; positions after them move.
  func purgeValues(where isKept: (Place, Value) -> Bool) {
    // The last ones first: the array that a collection had before it got another one is kept by the entry of
    // that, and with it the entries of the array before.
    var kept: [Int] = []
    for index in (0..<count).reversed() {
      if let entry = self[index], !isKept(entry.place, entry.value) { continue }
      kept.append(index)
    }
    guard kept.count < count else { return }
    let rest = TurnLog()
    for index in kept.reversed() {
      if let (cell, age) = edit(at: index) {
        rest.logEdit(of: cell, age: age)
      } else if let entry = self[index] {
        rest.record(entry.place, entry.value)
      }
    }
    entries.exchange(with: rest.entries)
    places.exchange(with: rest.places)
  }
}
