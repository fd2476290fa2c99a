internal import TenonTables

/// Numbers by numbers: a hash table with open addressing and linear probing.
///
/// - Complexity: O(1) for each operation, amortised; eight bytes for an entry at a load of at most
///   two thirds.
final class NumberMap {
  private let entries = FlatTable<Entry>()
  private var mask: Int
  /// How many entries there are.
  private(set) var count = 0

  struct Entry {
    var key: Int32
    var value: Int32
  }

  /// Creates an empty table.
  init() {
    entries.extend(to: 8, with: Entry(key: -1, value: -1))
    mask = 7
  }

  private func start(_ key: Int32) -> Int {
    Int(truncatingIfNeeded: (UInt64(UInt32(bitPattern: key)) &* 0x9E37_79B9_7F4A_7C15) >> 32) & mask
  }

  /// The number for a key, which is not negative, or -1.
  subscript(key: Int32) -> Int32 {
    var index = start(key)
    while true {
      let entry = entries[index]
      if entry.key == key { return entry.value }
      if entry.key < 0 { return -1 }
      index = (index + 1) & mask
    }
  }

  /// Enters a number for a key, which is not negative.
  func set(_ key: Int32, to value: Int32) {
    if count * 3 >= (mask + 1) * 2 { grow() }
    var index = start(key)
    while entries[index].key >= 0, entries[index].key != key { index = (index + 1) & mask }
    if entries[index].key < 0 { count += 1 }
    entries[index] = Entry(key: key, value: value)
  }

  /// Takes a key out.
  func remove(_ key: Int32) {
    var hole = start(key)
    while entries[hole].key != key {
      if entries[hole].key < 0 { return }
      hole = (hole + 1) & mask
    }
    count -= 1
    // What follows moves up if it may: no key stands behind a gap.
    var index = (hole + 1) & mask
    while entries[index].key >= 0 {
      let distance = (index - start(entries[index].key)) & mask
      if distance >= (index - hole) & mask {
        entries[hole] = entries[index]
        hole = index
      }
      index = (index + 1) & mask
    }
    entries[hole] = Entry(key: -1, value: -1)
  }

  private func grow() {
    let old = mask + 1
    let grown = FlatTable<Entry>()
    grown.extend(to: old * 2, with: Entry(key: -1, value: -1))
    entries.exchange(with: grown)
    mask = old * 2 - 1
    count = 0
    for index in 0..<old where grown[index].key >= 0 {
      set(grown[index].key, to: grown[index].value)
    }
  }
}
