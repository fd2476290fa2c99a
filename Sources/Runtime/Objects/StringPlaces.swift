internal import TenonText

/// Where the characters of strings outside ASCII stand: an index counts characters, the bytes of
/// which differ in number.
///
/// Remembers the character that was asked for last, and for long strings the offsets of some
/// characters on the way, so that reading a string in any order costs little for each character.
/// Strings are known by their addresses, so a collection, after which others may stand there, must
/// clear everything.
struct StringPlaces {
  /// The place of one character, with the size of its string.
  private struct Place {
    var string: UInt
    var count: Int
    var scalar: Int
    var offset: Int
  }

  /// The offset of every `stride`-th character of a string.
  private struct Map {
    let count: Int
    let offsets: [UInt32]
  }

  /// Up to this many bytes a string is searched from its beginning.
  private static let shortLimit = 256
  /// Characters between two remembered ones: steps that an access may cost.
  private static let stride = 64
  /// Maps that are kept: they take a sixteenth of their strings' sizes or less.
  private static let mapLimit = 256

  private var last = Place(string: 0, count: 0, scalar: 0, offset: 0)
  private var maps: [UInt: Map] = [:]

  /// Forgets everything: the addresses may belong to other strings now.
  mutating func clear() {
    last.string = 0
    if !maps.isEmpty { maps = [:] }
  }

  // MARK: Places

  /// The number of characters of a string that is not ASCII.
  ///
  /// - Complexity: O(1) for the string asked for last and for long ones asked for before, else
  ///   O(bytes).
  mutating func count(of string: ObjectRef) -> Int {
    enter(string)
    return last.count
  }

  /// The byte offset of a character counted from 0, or of the end.
  ///
  /// - Requires: `scalar` is in `0 ... count(of: string)`.
  /// - Complexity: O(1) for neighbours of the character asked for last and in strings asked for
  ///   before, else O(bytes).
  mutating func offset(in string: ObjectRef, ofScalar scalar: Int) -> Int {
    enter(string)
    if abs(scalar - last.scalar) > StringPlaces.stride, let map = maps[string.bits] {
      let index = min(scalar / StringPlaces.stride, map.offsets.count - 1)
      last.scalar = index * StringPlaces.stride
      last.offset = Int(map.offsets[index])
    } else if scalar < last.scalar / 2 {
      last.scalar = 0
      last.offset = 0
    }
    while last.scalar < scalar { stepForward(string) }
    while last.scalar > scalar { stepBackward(string) }
    return last.offset
  }

  /// The number of characters before a byte offset at which one begins.
  ///
  /// - Complexity: as for `offset`, with a search by halves.
  mutating func scalar(in string: ObjectRef, atOffset offset: Int) -> Int {
    enter(string)
    if abs(offset - last.offset) > StringPlaces.shortLimit, let map = maps[string.bits] {
      var low = 0
      var high = map.offsets.count - 1
      while low < high {
        let middle = (low + high + 1) / 2
        if Int(map.offsets[middle]) <= offset { low = middle } else { high = middle - 1 }
      }
      last.scalar = low * StringPlaces.stride
      last.offset = Int(map.offsets[low])
    } else if offset < last.offset / 2 {
      last.scalar = 0
      last.offset = 0
    }
    while last.offset < offset { stepForward(string) }
    while last.offset > offset { stepBackward(string) }
    return last.scalar
  }

  // MARK: Steps

  private mutating func stepForward(_ string: ObjectRef) {
    let end = string.byteCount
    var offset = last.offset + 1
    while offset < end, string[byte: offset] & 0xC0 == 0x80 { offset += 1 }
    last.offset = offset
    last.scalar += 1
  }

  private mutating func stepBackward(_ string: ObjectRef) {
    var offset = last.offset - 1
    while offset > 0, string[byte: offset] & 0xC0 == 0x80 { offset -= 1 }
    last.offset = offset
    last.scalar -= 1
  }

  /// Makes a string the one asked for last.
  private mutating func enter(_ string: ObjectRef) {
    guard last.string != string.bits else { return }
    last = Place(string: string.bits, count: 0, scalar: 0, offset: 0)
    guard string.byteCount > StringPlaces.shortLimit else {
      for index in 0..<string.byteCount where string[byte: index] & 0xC0 != 0x80 {
        last.count += 1
      }
      return
    }
    if let map = maps[string.bits] {
      last.count = map.count
      return
    }
    let map = StringPlaces.map(of: string)
    if maps.count >= StringPlaces.mapLimit { maps = [:] }
    maps[string.bits] = map
    last.count = map.count
  }

  private static func map(of string: ObjectRef) -> Map {
    var offsets: [UInt32] = []
    var count = 0
    for index in 0..<string.byteCount where string[byte: index] & 0xC0 != 0x80 {
      if count % stride == 0 { offsets.append(UInt32(truncatingIfNeeded: index)) }
      count += 1
    }
    return Map(count: count, offsets: offsets)
  }
}
