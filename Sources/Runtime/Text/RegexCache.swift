/// The regular expressions that a machine has used of late, compiled: programs know theirs by the
/// pattern.
struct RegexCache {
  /// A compiled pattern with what its matches need.
  final class Entry {
    fileprivate let pattern: [UInt8]
    var matcher: RegexMatcher

    fileprivate init(pattern: [UInt8], _ program: RegexProgram) {
      self.pattern = pattern
      matcher = RegexMatcher(program)
    }

    var program: RegexProgram { matcher.program }
  }

  /// The most patterns, and instructions of all their programs together.
  private static let countLimit = 128
  private static let sizeLimit = 4 * RegexProgram.sizeLimit

  private var entries: [UInt32: Entry] = [:]
  private var size = 0

  /// The entry for a pattern.
  ///
  /// - Throws: `RegexError` when the pattern is wrong.
  mutating func entry(_ pattern: ObjectRef) throws(RegexError) -> Entry {
    let hash = pattern.bytesHash
    if let entry = entries[hash], unsafe entry.pattern.elementsEqual(pattern.bytes) {
      return entry
    }
    let bytes = unsafe Array(pattern.bytes)
    let entry = Entry(pattern: bytes, try RegexProgram(String(decoding: bytes, as: UTF8.self)))
    let added = entry.program.instructions.count
    if entries.count >= RegexCache.countLimit || size + added > RegexCache.sizeLimit {
      entries = [:]
      size = 0
    }
    if let other = entries.updateValue(entry, forKey: hash) {
      size -= other.program.instructions.count
    }
    size += added
    return entry
  }
}
