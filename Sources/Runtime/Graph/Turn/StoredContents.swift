internal import TenonSolverKit
internal import TenonTables

// Collections that a store keeps a copy of: a change of one in place changes the contents of the store.
// A store that keeps the object itself, as `mem:` does, need not be told.
//
// Collections of which a formula both ways shows another one: a change of either in place is a write of its place,
// from which the other follows.

/// The collections held by places that a store with copies is kept equal to, or a formula both ways.
struct StoredContents {
  /// The cells of all of each collection that a place holds, those within it included.
  private(set) var collections: [CellID: [CellID]] = [:]
  /// The places that hold a collection, by its cell.
  private var holders: [CellID: [CellID]] = [:]
  /// The places to which a formula that runs backwards as well has given a collection in this turn.
  var moved: [Place] = []

  var isEmpty: Bool { collections.isEmpty }

  /// Returns the places that hold a collection or one that contains it.
  func holders(of collection: CellID) -> [CellID] { holders[collection] ?? [] }

  /// Sets the collections that a place holds.
  mutating func set(_ cells: [CellID], heldBy place: CellID) {
    for cell in collections[place] ?? [] {
      holders[cell]?.removeAll { $0 == place }
      if holders[cell]?.isEmpty ?? true { holders[cell] = nil }
    }
    collections[place] = cells.isEmpty ? nil : cells
    for cell in cells { holders[cell, default: []].append(place) }
  }

  /// Forgets a cell that is gone.
  mutating func forget(_ cell: CellID) {
    set([], heldBy: cell)
    for place in holders[cell] ?? [] { collections[place]?.removeAll { $0 == cell } }
    holders[cell] = nil
  }
}

extension Constraint {
  /// Whether one of its formulas is another one that is run backwards.
  fileprivate var hasInverse: Bool { isMultiWay && formulas.contains { $0.isInverse } }
}

extension ConnectionGraph {
  /// Watches the collection that a connection of two places has moved from one to the other, if a store
  /// keeps a copy of it at one of them.
  func watchContents(of value: Value, movedBy formula: Formula) {
    guard case .copy(let input) = formula.source else { return }
    let sides = [input, formula.output]
    let isCopied = sides.map { machine.isCopied(value, to: place(of: $0)) }
    guard isCopied.contains(true), let index = isCopied.firstIndex(of: false) else {
      for side in sides where storedCells.contents.collections[side] != nil {
        watch([], heldBy: side)
      }
      return
    }
    let cells = machine.contents(of: value).map { cell(for: $0, name: machine.name(of: $0)) }
    watch(cells, heldBy: sides[index])
  }

  private func watch(_ cells: [CellID], heldBy place: CellID) {
    let old = storedCells.contents.collections[place] ?? []
    guard old != cells else { return }
    storedCells.contents.set(cells, heldBy: place)
    for cell in old + cells { updateHooks(of: cell) }
    release(old)
  }

  /// Notes a value that a formula has given a place, if it is a collection and another formula of the constraint
  /// runs backwards.
  @inline(never)
  func noteCollection(_ value: Value, by number: Int32) {
    guard machine.isCollection(ObjectRef(value)), let formula = self[FormulaID(number)],
      formula.constraint?.hasInverse ?? false
    else { return }
    storedCells.contents.moved.append(place(of: formula.output))
    words[0][.movedCollections] = true
  }

  /// Watches the collections that formulas both ways have moved in this turn.
  func watchMovedCollections() {
    let places = storedCells.contents.moved
    storedCells.contents.moved = []
    words[0][.movedCollections] = false
    for place in places {
      guard let holder = cellsByPlace[place], let value = machine.currentValue(of: holder),
        value.isObject
      else { continue }
      let cells = machine.contents(of: value).map { cell(for: $0, name: machine.name(of: $0)) }
      watch(cells, heldBy: holder)
    }
  }

  /// Returns whether a place that a formula both ways shows, or that shows one, holds a collection still.
  private func isShown(_ collection: CellID, heldBy place: CellID) -> Bool {
    guard let value = machine.currentValue(of: place), value.isObject,
      machine.contents(of: value).contains(self.place(of: collection))
    else { return false }
    return cells[place.index].region?.constraints.contains {
      $0.hasInverse && $0.cells.contains(place)
    } ?? false
  }

  /// Takes a change of a collection as an edit of the places that hold it, where a store with copies is kept
  /// equal to them, or a formula both ways.
  ///
  /// - Throws: a failure that names the connection that determines such a place.
  func recordContents(of collection: CellID, by site: TraceEntry?) throws(Failure) {
    for place in storedCells.contents.holders(of: collection) {
      guard isInStep(place) || isShown(collection, heldBy: place) else {
        watch([], heldBy: place)
        continue
      }
      try prepareWrite(to: place)
      recordWrite(to: place, by: site, new: machine.currentValue(of: place) ?? .undefined)
    }
  }

  /// Returns whether a place is still connected with one in a store.
  private func isInStep(_ place: CellID) -> Bool {
    cells[place.index].region?.constraints.contains { constraint in
      constraint.cells.contains(place)
        && constraint.cells.contains { self.place(of: $0).kind == .stored }
    } ?? false
  }

  /// Forgets the collections that a cell that is gone held, and the places that held it.
  func forgetContents(_ cell: CellID) {
    guard !storedCells.contents.isEmpty else { return }
    let held = storedCells.contents.collections[cell] ?? []
    storedCells.contents.forget(cell)
    for each in held { updateHooks(of: each) }
    release(held)
  }
}
