internal import TenonTables

/// A set of positions from which the least is taken: a bitmap, and a bitmap of its words.
///
/// - Complexity: O(1) to enter one; taking the least costs a step for each 4,096 positions that are
///   passed.
struct DirtySet: ~Copyable {
  private let words = FlatTable<UInt64>()
  private let summary = FlatTable<UInt64>()

  init() {}

  /// Makes room for positions `0 ..< count`.
  func reserve(_ count: Int) {
    words.extend(to: (count + 63) / 64, with: 0)
    summary.extend(to: (words.count + 63) / 64, with: 0)
  }

  @inline(__always)
  func insert(_ position: Int) {
    words[position >> 6] |= 1 << UInt64(position & 63)
    summary[position >> 12] |= 1 << UInt64(position >> 6 & 63)
  }

  @inline(__always)
  func remove(_ position: Int) {
    words[position >> 6] &= ~(1 << UInt64(position & 63))
    if words[position >> 6] == 0 { summary[position >> 12] &= ~(1 << UInt64(position >> 6 & 63)) }
  }

  @inline(__always)
  func contains(_ position: Int) -> Bool {
    words[position >> 6] & 1 << UInt64(position & 63) != 0
  }

  /// Takes the least position out that is not below a start; -1 when there is none.
  @inline(__always)
  func removeFirst(from start: inout Int) -> Int {
    var block = start
    while block < summary.count {
      let used = summary[block]
      if used == 0 {
        block += 1
        continue
      }
      start = block
      let word = block << 6 + used.trailingZeroBitCount
      let bits = words[word]
      let rest = bits & (bits &- 1)
      words[word] = rest
      if rest == 0 { summary[block] = used & (used &- 1) }
      return word << 6 + bits.trailingZeroBitCount
    }
    start = block
    return -1
  }
}
