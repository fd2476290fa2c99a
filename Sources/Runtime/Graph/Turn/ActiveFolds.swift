internal import TenonSolverKit
internal import TenonTables

/// The active folds, found by the numbers of their formulas and by the cells of their collections.
///
/// Every write of an element comes through here: no references are counted and nothing is hashed. A fold is
/// kept by its formula, which removes it here before it releases it.
final class ActiveFolds {
  /// The number of active folds, and of elements that were evaluated for them.
  var foldCount = 0
  var foldReads = 0
  /// The number of folds with elements that depend on a cell.
  var foldsByCell: [CellID: Int] = [:]
  /// Whether collections and numbers have the kernel's methods for folds; nil when that was not examined
  /// since a method was defined.
  var foldsAnswerAsKernel: Bool?

  @safe
  private struct Entry: BitwiseCopyable {
    var fold: Unmanaged<Fold>
    /// The cell of all of the collection, or -1.
    var whole: Int32
    /// The ones before and after it over the same collection, or -1; of a free record, the next one.
    var previous: Int32 = -1
    var next: Int32
  }

  private let entries = FlatTable<Entry>()
  /// The first free record.
  private var free: Int32 = -1
  /// The entries by the numbers of formulas, or -1: as long as the greatest number needs.
  private let byFormula = FlatTable<Int32>()
  /// The first entries by the numbers of the cells that stand for all of a collection, or -1.
  private let byWhole = FlatTable<Int32>()

  /// Returns the entry of a formula, or -1.
  @inline(__always)
  func index(ofFormula number: Int32) -> Int32 {
    number < byFormula.count ? byFormula[number] : -1
  }

  /// Returns the first entry over all of a collection, or -1.
  @inline(__always)
  func first(over whole: CellID) -> Int32 {
    whole.index < byWhole.count ? byWhole[whole.rawValue] : -1
  }

  /// Returns the entry after another one over the same collection, or -1.
  @inline(__always)
  func next(after index: Int32) -> Int32 { entries[index].next }

  /// Calls a closure with a fold; the closure runs no code of a program.
  @inline(__always)
  func withFold<Result>(_ index: Int32, _ body: (Fold) -> Result) -> Result {
    unsafe entries[index].fold._withUnsafeGuaranteedRef { body($0) }
  }

  /// Inserts the fold of a formula that has none here.
  ///
  /// - Complexity: O(1), amortised.
  func insert(_ fold: Fold, of formula: FormulaID, over whole: CellID?) {
    byFormula.extend(to: Int(formula.rawValue) + 1, with: -1)
    if let whole { byWhole.extend(to: whole.index + 1, with: -1) }
    let entry = unsafe Entry(
      fold: Unmanaged.passUnretained(fold), whole: whole?.rawValue ?? -1,
      next: whole.map { byWhole[$0.rawValue] } ?? -1)
    let index: Int32
    if free >= 0 {
      index = free
      free = entries[index].next
      entries[index] = entry
    } else {
      index = Int32(entries.count)
      entries.append(entry)
    }
    byFormula[formula.rawValue] = index
    if entry.next >= 0 { entries[entry.next].previous = index }
    if let whole { byWhole[whole.rawValue] = index }
  }

  /// Removes the fold of a formula.
  ///
  /// - Complexity: O(1).
  func remove(_ formula: FormulaID) {
    let index = index(ofFormula: formula.rawValue)
    guard index >= 0 else { return }
    byFormula[formula.rawValue] = -1
    let entry = entries[index]
    if entry.next >= 0 { entries[entry.next].previous = entry.previous }
    if entry.previous >= 0 {
      entries[entry.previous].next = entry.next
    } else if entry.whole >= 0 {
      byWhole[entry.whole] = entry.next
    }
    entries[index].next = free
    free = index
  }
}
