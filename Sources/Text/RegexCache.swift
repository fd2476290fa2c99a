/// The regular expressions that a machine has used of late, compiled: programs know theirs by the
/// pattern.
package struct RegexCache {
  /// A compiled pattern with what its matches need.
  package final class Entry {
    fileprivate let pattern: [UInt8]
    package var matcher: RegexMatcher

    fileprivate init(pattern: [UInt8], _ program: RegexProgram) {
      self.pattern = pattern
      matcher = RegexMatcher(program)
    }

    package var program: RegexProgram { matcher.program }
  }

  /// The most patterns, and instructions of all their programs together.
  private static let countLimit = 128
  private static let sizeLimit = 4 * RegexProgram.sizeLimit

  private var entries: [UInt32: Entry] = [:]
  private var size = 0

  package init() {}

  /// The entry for a pattern.
  ///
  /// - Parameters:
  ///   - pattern: The pattern.
  ///   - hash: A hash of its bytes.
  /// - Returns: The entry, made unless there is one.
  /// - Throws: `RegexError` when the pattern is wrong.
  package mutating func entry(_ pattern: UTF8Bytes, hash: UInt32) throws(RegexError) -> Entry {
    if let entry = entries[hash], pattern.isEqual(to: entry.pattern) { return entry }
    let bytes = pattern.copy
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
