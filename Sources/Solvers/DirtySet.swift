internal import TenonTables

/// A set of positions from which the least is taken: a bitmap, and a bitmap of its words.
///
/// A caller that takes many in a row holds the current word itself: `Cursor`.
///
/// - Complexity: O(1) to enter one; taking the least costs a step for each 4,096 positions that are
///   passed.
struct DirtySet: ~Copyable {
  private let words = FlatTable<UInt64>()
  /// A set bit marks a word that may have a position.
  private let summary = FlatTable<UInt64>()
  /// One number: how often the set was changed other than by the cursor.
  private let versions = FlatTable<UInt64>()

  init() { versions.append(0) }

  /// Makes room for positions `0 ..< count`.
  func reserve(_ count: Int) {
    words.extend(to: (count + 63) / 64, with: 0)
    summary.extend(to: (words.count + 63) / 64, with: 0)
  }

  @inline(__always)
  private func enter(_ position: Int) {
    let bits = words[position >> 6]
    words[position >> 6] = bits | 1 << UInt64(truncatingIfNeeded: position & 63)
    if bits == 0 {
      summary[position >> 12] |= 1 << UInt64(truncatingIfNeeded: position >> 6 & 63)
    }
  }

  func insert(_ position: Int) {
    enter(position)
    versions[0] &+= 1
  }

  func remove(_ position: Int) {
    words[position >> 6] &= ~(1 << UInt64(truncatingIfNeeded: position & 63))
    versions[0] &+= 1
  }

  @inline(__always)
  func contains(_ position: Int) -> Bool {
    words[position >> 6] & 1 << UInt64(truncatingIfNeeded: position & 63) != 0
  }

  /// Takes positions out in order, while others are entered behind the one taken last.
  ///
  /// The current word is held in registers. Before any other code may look at the set, `suspend` has
  /// to write it back, and afterwards `resume` read it again.
  struct Cursor {
    fileprivate var word = -1
    fileprivate var bits: UInt64 = 0
    fileprivate var block = 0
    fileprivate var version: UInt64
  }

  /// The number of times that positions have been inserted or removed other than by a cursor.
  @inline(__always) var version: UInt64 { versions[0] }

  /// Returns a cursor before the first position.
  func makeCursor() -> Cursor { Cursor(version: versions[0]) }

  /// Enters a position behind the one that was taken last.
  @inline(__always)
  func insert(_ position: Int, _ cursor: inout Cursor) {
    if position >> 6 == cursor.word {
      cursor.bits |= 1 << UInt64(truncatingIfNeeded: position & 63)
    } else {
      enter(position)
    }
  }

  /// Takes a position if it is in the word of the cursor and nothing stands before it.
  @inline(__always)
  func takeNext(_ position: Int, _ cursor: inout Cursor) -> Bool {
    let bit: UInt64 = 1 << UInt64(truncatingIfNeeded: position & 63)
    guard position >> 6 == cursor.word, cursor.bits & (bit &- 1) == 0 else { return false }
    cursor.bits &= ~bit
    return true
  }

  /// Takes the least position; -1 when there is none.
  @inline(__always)
  func next(_ cursor: inout Cursor) -> Int {
    if cursor.bits == 0, !advance(&cursor) { return -1 }
    let position = cursor.word &<< 6 &+ cursor.bits.trailingZeroBitCount
    cursor.bits &= cursor.bits &- 1
    return position
  }

  /// Advances to the next word that has a position, and returns whether there is one.
  private func advance(_ cursor: inout Cursor) -> Bool {
    if cursor.word >= 0 {
      words[cursor.word] = 0
      summary[cursor.word >> 6] &= ~(1 << UInt64(truncatingIfNeeded: cursor.word & 63))
    }
    while cursor.block < summary.count {
      let used = summary[cursor.block]
      if used == 0 {
        cursor.block += 1
        continue
      }
      let word = cursor.block << 6 + used.trailingZeroBitCount
      if words[word] != 0 {
        cursor.word = word
        cursor.bits = words[word]
        return true
      }
      summary[cursor.block] = used & (used &- 1)
    }
    cursor.word = -1
    return false
  }

  /// Writes back the word that the cursor holds.
  @inline(__always)
  func suspend(_ cursor: Cursor) {
    if cursor.word >= 0 { words[cursor.word] = cursor.bits }
  }

  /// Reads the word of the cursor again; begins anew if others have changed the set.
  @inline(__always)
  func resume(_ cursor: inout Cursor) {
    if versions[0] != cursor.version { cursor = makeCursor() }
  }
}
