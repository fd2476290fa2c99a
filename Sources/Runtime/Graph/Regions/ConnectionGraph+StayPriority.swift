internal import TenonSolverKit

// The priority of stays: the time of the last write, and for places never written a number that does not
// depend on when they were connected.

extension ConnectionGraph {
  /// Records whether a place holds nothing, before a value is computed for it.
  func markEmptiness(of cell: CellID) {
    let record = cells[cell.rawValue]
    if record.wasEmpty == nil { record.wasEmpty = holdsNothing(cell) }
  }

  /// Returns whether a place holds nothing, as far as that is known without running code.
  private func holdsNothing(_ cell: CellID) -> Bool {
    let place = place(of: cell)
    switch place.kind {
    case .slot:
      let value = ObjectRef(place.object)[slot: place.index]
      return value.isNil || value.isUndefined
    case .element where place.index >= 0:
      let value = machine.element(of: place)
      return value.isNil || value.isUndefined
    case .element, .property, .stored, .whole:
      return cells[cell.rawValue].cachedValue.map { $0.isNil || $0.isUndefined } ?? false
    }
  }

  /// Returns the rank of a place, which does not depend on when it was connected: places that held nothing
  /// come first; variables in the order of their declaration, then instance variables and elements by their
  /// positions, then all other places in an order that their names fix.
  func rank(of cell: CellID) -> UInt32 {
    markEmptiness(of: cell)
    let isEmpty = cells[cell.rawValue].wasEmpty ?? false
    return isEmpty ? position(of: cell) : position(of: cell) | 1 << 31
  }

  /// Returns the rank without regard to the value that the place held: below 2^31.
  private func position(of cell: CellID) -> UInt32 {
    let place = place(of: cell)
    let most: UInt32 = 1 << 29 - 1
    func position(_ kind: UInt32, _ index: Int) -> UInt32 {
      kind << 29 | min(most, UInt32(clamping: index))
    }
    switch place.kind {
    case .slot:
      if let number = machine.session.declarations[place.object.bits] { return position(0, number) }
      return position(1, place.index)
    case .element where place.index >= 0: return position(2, place.index)
    case .element, .property, .stored, .whole:
      // The hash is the same in all runs of a program.
      var hash: UInt32 = 0x811C_9DC5
      for byte in machine.describe(place.key).utf8 {
        hash = (hash ^ UInt32(byte)) &* 0x0100_0193
      }
      return 3 << 29 | (hash ^ hash >> 29) & most
    }
  }
}
