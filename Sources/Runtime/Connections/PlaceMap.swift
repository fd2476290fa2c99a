internal import TenonTables

/// Finds cells by their places: a hash table with open addressing over the table of cells.
struct PlaceMap: ~Copyable {
  /// A power of two of them.
  private let entries = FlatTable<Int32>()
  /// One number: how many cells there are.
  private let counts = FlatTable<Int>()

  init() {
    entries.extend(to: 16, with: -1)
    counts.append(0)
  }

  @inline(__always) private var mask: Int { entries.count &- 1 }

  @inline(__always)
  private func start(_ object: UInt, _ index: Int, _ key: UInt) -> Int {
    var hash = UInt64(object) &+ UInt64(bitPattern: Int64(index)) &* 0x9E37_79B9_7F4A_7C15
    hash ^= UInt64(key) &* 0xC2B2_AE3D_27D4_EB4F
    hash = (hash ^ hash >> 29) &* 0xBF58_476D_1CE4_E5B9
    return Int(truncatingIfNeeded: hash >> 32) & mask
  }

  /// The number of the cell of a place, or -1.
  @inline(__always)
  func find(_ place: Place, in cells: borrowing FlatTable<HotCell>) -> Int32 {
    var position = start(place.object.bits, place.index, place.key.bits)
    while true {
      let id = entries[position]
      if id < 0 { return -1 }
      if cells[id].stands(for: place) { return id }
      position = (position + 1) & mask
    }
  }

  /// Enters a cell whose place is not in the table.
  func insert(_ id: Int32, in cells: borrowing FlatTable<HotCell>) {
    if counts[0] * 3 >= (mask + 1) * 2 { grow(cells) }
    counts[0] += 1
    enter(id, cells)
  }

  private func enter(_ id: Int32, _ cells: borrowing FlatTable<HotCell>) {
    var position = start(id, cells)
    while entries[position] >= 0 { position = (position + 1) & mask }
    entries[position] = id
  }

  private func start(_ id: Int32, _ cells: borrowing FlatTable<HotCell>) -> Int {
    start(cells[id].object.bits, cells[id].index, cells[id].key.bits)
  }

  /// Takes a cell out.
  func remove(_ id: Int32, in cells: borrowing FlatTable<HotCell>) {
    var hole = start(id, cells)
    while entries[hole] != id {
      if entries[hole] < 0 { return }
      hole = (hole + 1) & mask
    }
    counts[0] -= 1
    // What follows moves up if it may: no cell stands behind a gap.
    var position = (hole + 1) & mask
    while entries[position] >= 0 {
      let distance = (position - start(entries[position], cells)) & mask
      if distance >= (position - hole) & mask {
        entries[hole] = entries[position]
        hole = position
      }
      position = (position + 1) & mask
    }
    entries[hole] = -1
  }

  private func grow(_ cells: borrowing FlatTable<HotCell>) {
    let old = FlatTable<Int32>()
    old.extend(to: (mask + 1) * 2, with: -1)
    entries.exchange(with: old)
    for position in 0..<old.count where old[position] >= 0 { enter(old[position], cells) }
  }
}
