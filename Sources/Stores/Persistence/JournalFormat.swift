/// One change of a place: the value that it got, or that it lost it.
package struct JournalRecord: Equatable {
  /// The components of the reference.
  package let path: [String]
  /// The bytes of the value; nil when the place was deleted.
  package let value: [UInt8]?

  package init(path: [String], value: [UInt8]?) {
    self.path = path
    self.value = value
  }
}

/// Records that are valid together or not at all: the changes of one batch.
package struct JournalGroup: Equatable {
  /// One more than that of the group before.
  package let sequence: UInt64
  package let records: [JournalRecord]

  package init(sequence: UInt64, records: [JournalRecord]) {
    self.sequence = sequence
    self.records = records
  }
}

/// How a journal is written.
///
/// After eight bytes that say what the file is, one group follows another. A group is a series of
/// records, the last of which closes it: it holds the number of the records before it and the
/// checksum of all their bytes. A record is the length of its body, the CRC-32C of its body and the
/// body: sequence, kind, and for a change the reference as it stands in URLs, the content type and
/// the bytes. Numbers begin with their least byte.
///
/// A write that was cut short, or that reached the disk in part, leaves a group without a right end:
/// there the journal ends.
package enum JournalFormat {
  package static let magic = Array("TENONJ1\n".utf8)

  private enum Kind {
    static let end: UInt8 = 0
    static let put: UInt8 = 1
    static let delete: UInt8 = 2
  }

  private static let contentType = Array("application/json".utf8)
  /// Sequence and kind.
  private static let prefixSize = 9
}

// MARK: - Writing

extension JournalFormat {
  /// Returns the bytes of a group.
  ///
  /// - Complexity: O(*n*) in the number of bytes.
  package static func bytes(of group: JournalGroup) -> [UInt8] {
    var bytes: [UInt8] = []
    for record in group.records {
      var body: [UInt8] = []
      append(group.sequence, to: &body)
      body.append(record.value == nil ? Kind.delete : Kind.put)
      let name = text(of: record.path)
      append(UInt16(truncatingIfNeeded: name.count), to: &body)
      body += name
      if let value = record.value {
        body.append(UInt8(truncatingIfNeeded: contentType.count))
        body += contentType
        body += value
      }
      appendRecord(body, to: &bytes)
    }
    var end: [UInt8] = []
    append(group.sequence, to: &end)
    end.append(Kind.end)
    append(UInt32(truncatingIfNeeded: group.records.count), to: &end)
    append(CRC32C.checksum(bytes[...]), to: &end)
    appendRecord(end, to: &bytes)
    return bytes
  }

  private static func appendRecord(_ body: [UInt8], to bytes: inout [UInt8]) {
    append(UInt32(truncatingIfNeeded: body.count), to: &bytes)
    append(CRC32C.checksum(body[...]), to: &bytes)
    bytes += body
  }

  private static func append(_ number: some FixedWidthInteger, to bytes: inout [UInt8]) {
    for shift in stride(from: 0, to: type(of: number).bitWidth, by: 8) {
      bytes.append(UInt8(truncatingIfNeeded: number >> shift))
    }
  }

  /// The components with slashes between them; a slash inside one, and the sign that this takes,
  /// are escaped.
  private static func text(of path: [String]) -> [UInt8] {
    var bytes: [UInt8] = []
    for (index, component) in path.enumerated() {
      if index > 0 { bytes.append(UInt8(ascii: "/")) }
      for byte in component.utf8 {
        switch byte {
        case UInt8(ascii: "/"): bytes += Array("%2F".utf8)
        case UInt8(ascii: "%"): bytes += Array("%25".utf8)
        default: bytes.append(byte)
        }
      }
    }
    return bytes
  }
}

// MARK: - Reading

extension JournalFormat {
  /// What a journal holds, up to its first record that is not right.
  package struct Content {
    package var groups: [JournalGroup] = []
    /// Bytes up to the end of the last whole group.
    package var length = 0
    /// Whether right records stand behind the place where the journal ends: not a write that was cut
    /// short, but damage, or writes of which a loss of power has kept the later ones.
    package var isDamaged = false
  }

  /// Reads a journal; nil when it does not begin as one does.
  ///
  /// - Complexity: O(*n*) in the number of bytes.
  package static func read(_ bytes: [UInt8]) -> Content? {
    guard bytes.starts(with: magic) else { return nil }
    var content = Content(length: magic.count)
    while let (group, end) = group(in: bytes, at: content.length, after: content.groups.last) {
      content.groups.append(group)
      content.length = end
    }
    content.isDamaged = hasRecords(bytes, behind: content.length)
    return content.groups.isEmpty ? nil : content
  }

  /// Whether a right record follows one that is not, as far as lengths lead to it.
  private static func hasRecords(_ bytes: [UInt8], behind start: Int) -> Bool {
    var offset = start
    var isPastDamage = false
    while offset + 8 <= bytes.count {
      if body(in: bytes, at: offset) == nil {
        isPastDamage = true
      } else if isPastDamage {
        return true
      }
      offset += 8 + Int(number(UInt32.self, bytes[offset...]))
    }
    return false
  }

  private static func group(
    in bytes: [UInt8], at start: Int, after previous: JournalGroup?
  ) -> (JournalGroup, end: Int)? {
    var records: [JournalRecord] = []
    var offset = start
    var expected = previous.map { $0.sequence &+ 1 }
    while let body = body(in: bytes, at: offset) {
      let sequence = number(UInt64.self, bytes[body])
      guard sequence == expected ?? sequence else { return nil }
      expected = sequence
      let rest = bytes[body].dropFirst(prefixSize)
      switch bytes[body.lowerBound + prefixSize - 1] {
      case Kind.end:
        guard rest.count == 8, Int(number(UInt32.self, rest)) == records.count,
          number(UInt32.self, rest.dropFirst(4)) == CRC32C.checksum(bytes[start..<offset])
        else { return nil }
        return (JournalGroup(sequence: sequence, records: records), body.upperBound)
      case Kind.put:
        guard let (path, value) = path(rest), let size = value.first,
          value.dropFirst().starts(with: contentType), Int(size) == contentType.count
        else { return nil }
        records.append(
          JournalRecord(path: path, value: Array(value.dropFirst(1 + contentType.count))))
      case Kind.delete:
        guard let (path, value) = path(rest), value.isEmpty else { return nil }
        records.append(JournalRecord(path: path, value: nil))
      default: return nil
      }
      offset = body.upperBound
    }
    return nil
  }

  /// Where the body of the record at an offset is; nil when there is no right one.
  private static func body(in bytes: [UInt8], at offset: Int) -> Range<Int>? {
    let start = offset + 8
    guard start + prefixSize <= bytes.count else { return nil }
    let length = Int(number(UInt32.self, bytes[offset...]))
    guard length >= prefixSize, length <= bytes.count - start else { return nil }
    let body = start..<start + length
    guard number(UInt32.self, bytes[(offset + 4)...]) == CRC32C.checksum(bytes[body]) else {
      return nil
    }
    return body
  }

  /// The number that a slice begins with, which is long enough.
  private static func number<Number: FixedWidthInteger>(
    _ type: Number.Type, _ bytes: ArraySlice<UInt8>
  ) -> Number {
    var result: Number = 0
    for (index, byte) in bytes.prefix(Number.bitWidth / 8).enumerated() {
      result |= Number(truncatingIfNeeded: byte) << (8 * index)
    }
    return result
  }

  /// The reference that a slice begins with, and what follows.
  private static func path(_ bytes: ArraySlice<UInt8>) -> ([String], ArraySlice<UInt8>)? {
    guard bytes.count >= 2 else { return nil }
    let size = Int(number(UInt16.self, bytes))
    let rest = bytes.dropFirst(2)
    guard size > 0, rest.count >= size else { return nil }
    let parts = rest.prefix(size).split(
      separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
    let path = parts.compactMap { NameEncoding.decoded($0) }
    guard path.count == parts.count else { return nil }
    return (path, rest.dropFirst(size))
  }
}

/// Bytes written as `%` and two digits.
enum NameEncoding {
  private static let digits = Array("0123456789ABCDEF".utf8)

  static func append(_ byte: UInt8, to bytes: inout [UInt8]) {
    bytes += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
  }

  /// Returns the text that bytes stand for; nil when they stand for none.
  static func decoded(_ bytes: ArraySlice<UInt8>) -> String? {
    var result: [UInt8] = []
    var rest = bytes
    while let byte = rest.popFirst() {
      guard byte == UInt8(ascii: "%") else {
        result.append(byte)
        continue
      }
      guard let high = rest.popFirst().flatMap(digits.firstIndex(of:)),
        let low = rest.popFirst().flatMap(digits.firstIndex(of:))
      else { return nil }
      result.append(UInt8(high << 4 | low))
    }
    return result.isEmpty ? nil : String(validating: result, as: UTF8.self)
  }
}
