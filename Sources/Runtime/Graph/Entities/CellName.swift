internal import TenonSolverKit
internal import TenonTables
internal import TenonText

/// The name of a cell in messages, and two rare flags, in a word.
///
/// A name of up to eight characters of ASCII stands in the word; of another one the number in the table
/// of names, which many cells may have in common.
struct CellName: BitwiseCopyable {
  /// The number of characters in the word, of seven bits each.
  static let shortCount = 8

  private var word: UInt64 = 0

  private static var length: UInt64 { UInt64(shortCount * 7) }
  private static var shared: UInt64 { 1 << length }
  private static var named: UInt64 { 2 << length }
  private static var free: UInt64 { 4 << length }
  private static var joined: UInt64 { 8 << length }
  private static var empty: UInt64 { 16 << length }
  private static var text: UInt64 { shared - 1 }

  /// Whether a statement gave the cell its name.
  var isNamed: Bool {
    get { word & CellName.named != 0 }
    set { word = newValue ? word | CellName.named : word & ~CellName.named }
  }

  /// Whether the record of the cell is unused.
  var isFree: Bool {
    get { word & CellName.free != 0 }
    set { word = newValue ? word | CellName.free : word & ~CellName.free }
  }

  /// Whether the place held nothing before a value was computed for it; nil where that was not examined.
  var wasEmpty: Bool? {
    get { word & CellName.joined == 0 ? nil : word & CellName.empty != 0 }
    set {
      word &= ~(CellName.joined | CellName.empty)
      if let newValue { word |= newValue ? CellName.joined | CellName.empty : CellName.joined }
    }
  }

  /// Returns the name.
  func text(in names: borrowing SharedTable<String>) -> String {
    if let number { return names[number] ?? "" }
    return unsafe String(unsafeUninitializedCapacity: CellName.shortCount) { bytes in
      var (rest, count) = (word & CellName.text, 0)
      while rest > 0 {
        unsafe bytes[count] = UInt8(truncatingIfNeeded: rest & 127)
        rest >>= 7
        count += 1
      }
      return count
    }
  }

  /// Sets the name of the cell.
  mutating func setText(_ name: String, in names: borrowing SharedTable<String>) {
    let old = number
    let flags = word & ~(CellName.text | CellName.shared)
    if let short = CellName.pack(name) {
      word = short | flags
    } else {
      let number = names.take(name, hash: CellName.hash(name)) { $0.hasSameBytes(as: name) }
      word = UInt64(UInt32(bitPattern: number)) | CellName.shared | flags
    }
    if let old { names.release(old) }
  }

  /// The number in the table of names; nil for a name that stands in the word.
  private var number: Int32? {
    word & CellName.shared == 0 ? nil : Int32(truncatingIfNeeded: word)
  }

  /// Returns a name as a word; nil when it is too long or has other characters.
  private static func pack(_ name: String) -> UInt64? {
    guard name.utf8.count <= shortCount else { return nil }
    var (word, shift) = (UInt64(0), UInt64(0))
    for byte in name.utf8 {
      guard byte > 0, byte < 128 else { return nil }
      word |= UInt64(byte) << shift
      shift += 7
    }
    return word
  }

  /// Returns a hash of the end: long names that differ only before it are all kept.
  private static func hash(_ name: String) -> UInt {
    var hash = UInt(bitPattern: name.utf8.count)
    for byte in name.utf8.suffix(64) { hash = (hash ^ UInt(byte)) &* 0x0100_0000_01B3 }
    return hash ^ hash >> 29
  }
}
