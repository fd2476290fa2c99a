internal import TenonSolverKit

/// A cell of a constraint of a `PropagationSolver`, and the formula that computes it.
///
/// Those of a constraint stand in a row, at first those that have a formula, in the order of the
/// formulas.
struct PropagationMember {
  /// The constraint, or -1 for a free record.
  var constraint: Int32
  var variable: Int32
  /// The number of the formula, or -1.
  var formula: Int32
  /// The next one of the same cell; of free ones in a row, the next such row.
  var nextOfVariable: Int32 = -1
  /// The one before it of the same cell; of the first one, the last.
  var previousOfVariable: Int32 = -1

  static let free = PropagationMember(constraint: -1, variable: -1, formula: -1)
}

struct PropagationConstraint {
  /// The member whose formula is chosen, or -1 while it is given up.
  var chosen: Int32 = -1
  /// Its first cell, or the next free record.
  var firstMember: Int32 = -1
  /// The last search that has visited it.
  var visit: UInt32 = 0
  var strength: Strength
  var isOnPath = false
  var mustRun = false
  /// Whether it is to be satisfied, while all choices are made anew.
  var isActive = false
  /// Whether the record is in use.
  var isUsed = true
}

struct PropagationVariable {
  /// The number of the cell.
  var id: Int32
  /// The first constraint that joins it.
  var firstMember: Int32 = -1
  /// The constraint whose chosen formula computes it, or -1.
  var source: Int32 = -1
  /// Of cells never written, those below 2^31 give way first; of those equally far left, the
  /// lowest.
  var rank: UInt32 = 0
  var visit: UInt32 = 0
  /// The turn in which it last changed.
  var changed: UInt32 = 0
  /// The turn after which it was last written.
  var written = UInt32.max
  /// Its least distance from the left in statements, and how often it stands there.
  var left = LeftMost()
  private var ageAndFlags: UInt64 = 0

  init(id: Int32) { self.id = id }

  /// When it was written last.
  var age: UInt64 {
    get { ageAndFlags >> 3 }
    set { ageAndFlags = newValue << 3 | ageAndFlags & 7 }
  }

  /// Whether no formula may compute it.
  var isPinned: Bool {
    get { ageAndFlags & 1 != 0 }
    set { ageAndFlags = newValue ? ageAndFlags | 1 : ageAndFlags & ~1 }
  }

  /// Whether it keeps its value, and a cell that counts more may be able to in its place.
  var isLoose: Bool {
    get { ageAndFlags & 2 != 0 }
    set { ageAndFlags = newValue ? ageAndFlags | 2 : ageAndFlags & ~2 }
  }

  /// Whether it is computed, and counts more than when that was chosen.
  var hasRisen: Bool {
    get { ageAndFlags & 4 != 0 }
    set { ageAndFlags = newValue ? ageAndFlags | 4 : ageAndFlags & ~4 }
  }
}

/// A list for which it costs nothing to ask whether there is anything in it.
struct TestedList<Element> {
  var entries: [Element] = [] { didSet { hasAny = !entries.isEmpty } }
  private(set) var hasAny = false
}

/// The least distance of a cell from the left in the statements that join it, and how often it has that.
///
/// When its last occurrence is gone, the distance has to be searched again.
struct LeftMost: BitwiseCopyable {
  private var word: UInt32 = 0

  private static var mostPlaces: Int32 { 255 }
  private static var mostCount: UInt32 { 1 << 24 - 1 }

  private var count: UInt32 { word >> 8 }

  /// The distance; great distances are the same.
  var place: UInt32 { word & 255 }

  var isUnknown: Bool { count == 0 }

  mutating func add(_ place: Int32) {
    let place = UInt32(min(place, LeftMost.mostPlaces))
    if isUnknown || place < self.place {
      // An unknown distance with members stays unknown, except where the new one is 0.
      if isUnknown, word != 0, place > 0 { return }
      word = 1 << 8 | place
    } else if place == self.place, count < LeftMost.mostCount {
      word += 1 << 8
    }
  }

  mutating func remove(_ place: Int32) {
    guard !isUnknown, min(place, LeftMost.mostPlaces) == Int32(self.place),
      count < LeftMost.mostCount
    else { return }
    // Not 0, which is for a cell that no statement has named.
    word = count == 1 ? 255 : word - 1 << 8
  }
}
