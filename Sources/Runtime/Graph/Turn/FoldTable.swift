internal import TenonAnalysis
internal import TenonSolverKit
internal import TenonTables

/// The contribution of an element to a table.
struct FoldEntry: BitwiseCopyable, Equatable {
  enum Kind: UInt8 {
    /// It was left out.
    case absent
    /// An integer or a fraction.
    case exact
    case double
    /// It is only counted.
    case counted
  }

  let kind: Kind
  let number: SolverNumber

  static var absent: FoldEntry { FoldEntry(kind: .absent, number: .zero) }
  static var counted: FoldEntry { FoldEntry(kind: .counted, number: .zero) }

  private init(kind: Kind, number: SolverNumber) {
    self.kind = kind
    self.number = number
  }

  /// Creates the entry of a number; nil for one that is not finite.
  init?(_ number: SolverNumber) {
    guard number.isFinite else { return nil }
    self.init(kind: number.isExact ? .exact : .double, number: number)
  }

  /// Returns whether both are the same, down to the sign of a zero.
  static func == (left: FoldEntry, right: FoldEntry) -> Bool {
    left.kind == right.kind
      && (left.kind == .double
        ? left.number.double.bitPattern == right.number.double.bitPattern
        : left.number == right.number)
  }

  /// Returns the number in units of 2^-20, if it is a whole number of them less than `limit`; nil for other
  /// numbers, and for -0.0, which a sum may show.
  fileprivate func units(below limit: Double) -> Int? {
    if kind == .exact, number.fraction?.denominator != 1 { return nil }
    let double = number.double
    if double == 0, double.sign == .minus { return nil }
    let units = double * FoldTable.unit
    guard units.magnitude < limit, units == units.rounded(.towardZero) else { return nil }
    return Int(units)
  }
}

/// The contributions of a collection's elements, and their result.
///
/// The results are those of the kernel's messages, which take the numbers one after the other. Integers
/// and fractions have the same result in any order. With floating-point numbers a sum is kept as long as
/// none of the kernel's additions would round: as long as all of them are whole multiples of 2^-20 whose
/// magnitudes add up to less than 2^33. An extreme is kept as long as all comparisons are exact. Nothing
/// drifts, as a sum that would is not kept.
final class FoldTable {
  private let kind: FoldRecognition.Kind
  private let isExtreme: Bool
  private let start: Int?
  private let needsElements: Bool
  /// The number of elements, and how many of them take part.
  private(set) var count = 0
  private var passing = 0
  /// The sum of the exact numbers.
  private var sum = SolverNumber.zero
  /// The number of floating-point numbers that take part, and of numbers that cannot be mixed with them.
  private var doubles = 0
  private var uneven = 0
  /// Whether units are counted: from the first floating-point number of a sum on.
  private var countsUnits = false
  /// The sum of the even numbers, in units, and that of their magnitudes.
  private var units = 0
  private var magnitude = 0
  private var unitLimit = 0.0
  /// The elements; for an extreme they stand behind as many entries, each the extreme of the two at twice
  /// its index and after it, as in a tournament: the winner is at 1.
  private let entries = FlatTable<FoldEntry>()
  private var base = 0

  /// The number of units in 1.
  fileprivate static var unit: Double { 1_048_576 }
  /// The limit of the sum of all magnitudes for each double to hold all sums of them, in units.
  private static var exactLimit: Int { 1 << 53 }
  /// The integers up to this have doubles that are exactly equal.
  private static var wideLimit: Int { 1 << 53 }

  init(_ recognition: FoldRecognition) {
    kind = recognition.kind
    // `==` of an enumeration of another module is a call of its witness; patterns are compared in place.
    isExtreme =
      switch kind {
      case .max, .min: true
      case .sum, .average, .count: false
      }
    start = recognition.start
    needsElements =
      if case .average = kind { true } else { recognition.needsElements }
  }

  /// The bytes it takes.
  var size: Int { entries.count * MemoryLayout<FoldEntry>.stride }

  /// Makes room for a number of elements, all absent.
  func begin(_ count: Int) {
    self.count = count
    (passing, doubles, uneven, units, magnitude) = (0, 0, 0, 0, 0)
    sum = .zero
    countsUnits = false
    unitLimit = Double(Int.max / 4 / max(count + 1, 1))
    entries.removeAll()
    base = 0
    if isExtreme {
      // A power of two, so that the order of the elements is that of the tournament.
      base = 1
      while base < count + 1 { base *= 2 }
      entries.extend(to: 2 * base, with: .absent)
    } else {
      entries.extend(to: count + 1, with: .absent)
    }
    if let start, let entry = FoldEntry(SolverNumber(start)) { enter(entry, at: 0) }
    if start != nil { passing -= 1 }
  }

  func removeAll() {
    entries.removeAll()
    count = 0
  }

  /// Replaces the entry of an element at an offset.
  ///
  /// - Complexity: O(1) for sums, O(log n) for extremes.
  func set(_ entry: FoldEntry, at offset: Int) { enter(entry, at: offset + 1) }

  private func enter(_ entry: FoldEntry, at position: Int) {
    var index = base + position
    let old = entries[index]
    if old == entry { return }
    entries[index] = entry
    if old.kind != .absent { count(old, -1) }
    if entry.kind != .absent { count(entry, 1) }
    guard isExtreme else { return }
    while index > 1 {
      index /= 2
      let new = better(entries[2 * index], entries[2 * index + 1])
      if new == entries[index] { break }
      entries[index] = new
    }
  }

  /// Adds an element to the counts, or removes it.
  private func count(_ entry: FoldEntry, _ step: Int) {
    passing += step
    switch kind {
    case .count: return
    case .max, .min:
      if entry.kind == .double {
        doubles += step
      } else if let (integer, divisor) = entry.number.fraction,
        divisor != 1 || integer.magnitude > UInt(FoldTable.wideLimit)
      {
        uneven += step
      }
    case .sum, .average:
      if countsUnits { countUnits(entry, step) }
      if entry.kind == .double {
        doubles += step
      } else {
        sum = step > 0 ? sum + entry.number : sum - entry.number
      }
    }
  }

  private func countUnits(_ entry: FoldEntry, _ step: Int) {
    if let number = entry.units(below: unitLimit) {
      units += step * number
      magnitude += step * Int(number.magnitude)
    } else {
      uneven += step
    }
  }

  /// Counts the units of all elements.
  ///
  /// - Complexity: O(n), once for a table.
  private func beginUnits() {
    countsUnits = true
    for index in 0..<entries.count where entries[index].kind != .absent {
      countUnits(entries[index], 1)
    }
  }

  /// Returns the one that the kernel's messages choose of two, of which the left one comes first.
  private func better(_ left: FoldEntry, _ right: FoldEntry) -> FoldEntry {
    if left.kind == .absent { return right }
    if right.kind == .absent { return left }
    if case .max = kind { return right.number < left.number ? left : right }
    return left.number < right.number ? left : right
  }

  /// The result of a table.
  enum Result {
    case number(SolverNumber)
    /// There are no elements where there should be some.
    case empty
    /// It cannot be computed exactly, or not in the order of the messages.
    case unknown
  }

  var result: Result {
    if passing == 0, needsElements { return .empty }
    if doubles > 0, !isExtreme, !countsUnits { beginUnits() }
    guard doubles == 0 || uneven == 0 else { return .unknown }
    switch kind {
    case .count: return .number(SolverNumber(passing))
    case .max, .min: return .number(entries[1].number)
    case .sum, .average:
      var total = sum
      if doubles > 0 {
        guard magnitude < FoldTable.exactLimit else { return .unknown }
        total = SolverNumber(Double(units) / FoldTable.unit)
      } else if !total.isExact {
        return .unknown
      }
      if case .sum = kind { return .number(total) }
      let average = total / SolverNumber(passing)
      return average.isExact == total.isExact ? .number(average) : .unknown
    }
  }
}
