internal import TenonSolverKit
internal import TenonTables

/// The places that formulas have read besides those that their texts name in their last runs, in the order
/// of reading: the same places in the same order contain nothing new.
///
/// The places of a formula stand in a row, whose length is the next power of two; free rows are used
/// again for as many.
struct RecordedReads: ~Copyable {
  /// For the number of a formula the first index of its row, and the number of its places.
  private let rows = NumberMap()
  private let counts = NumberMap()
  private let places = FlatTable<Place>()
  /// For an exponent the first free row of that length, or -1; a free row begins with the index of the next.
  private let free = FlatTable<Int32>()

  /// The places of a formula; none for one that has read only those that its text names.
  ///
  /// - Complexity: O(places).
  subscript(number: Int32) -> [Place] {
    get {
      let row = rows[number]
      if row < 0 { return [] }
      return (row..<row + counts[number]).map { places[$0] }
    }
    nonmutating set {
      let count = Int32(clamping: newValue.count)
      if rows[number] >= 0, count == 0 || exponent(for: counts[number]) != exponent(for: count) {
        remove(number)
      }
      if count == 0 { return }
      if rows[number] < 0 { rows.set(number, to: takeRow(exponent(for: count))) }
      counts.set(number, to: count)
      let row = rows[number]
      for index in 0..<count { places[row + index] = newValue[Int(index)] }
    }
  }

  /// Returns whether the places of a formula are those of a table.
  ///
  /// - Complexity: O(places).
  @inline(__always)
  func areSame(_ reads: borrowing FlatTable<Place>, of number: Int32) -> Bool {
    let row = rows[number]
    guard row >= 0, Int(counts[number]) == reads.count else { return false }
    for index in 0..<reads.count where places[Int(row) + index] != reads[index] { return false }
    return true
  }

  /// Forgets the places of a formula.
  func remove(_ number: Int32) {
    let row = rows[number]
    guard row >= 0 else { return }
    let exponent = exponent(for: counts[number])
    rows.remove(number)
    counts.remove(number)
    if exponent >= free.count { free.extend(to: exponent + 1, with: -1) }
    places[row] = Place(kind: .slot, object: .nil, index: Int(free[exponent]), key: .nil)
    free[exponent] = row
  }

  /// Returns the exponent of the power of two that has room for a number of places.
  private func exponent(for count: Int32) -> Int {
    count <= 1 ? 0 : Int32.bitWidth - (count - 1).leadingZeroBitCount
  }

  private func takeRow(_ exponent: Int) -> Int32 {
    let known = exponent < free.count ? free[exponent] : -1
    if known >= 0 {
      free[exponent] = Int32(places[known].index)
      return known
    }
    let row = places.count
    places.extend(
      to: row + 1 << exponent, with: Place(kind: .slot, object: .nil, index: -1, key: .nil))
    return Int32(row)
  }
}
