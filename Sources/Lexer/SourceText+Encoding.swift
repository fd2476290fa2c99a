extension SourceText {
  /// The size in bytes of the largest text that is read.
  ///
  /// Offsets are 32 bits wide, and a tree takes up to a hundred times the room of its text.
  public static let largestSize = 64 << 20

  /// Returns an error for each place that is not UTF-8 or holds a NUL, one for a line and `limit`
  /// at most.
  ///
  /// - Complexity: O(*n*) in the bytes of the range.
  public func encodingErrors(in range: SourceRange? = nil, limit: Int) -> [Diagnostic] {
    var errors: [Diagnostic] = []
    var index = Swift.max(0, Int(range?.start ?? 0))
    let end = Swift.min(bytes.count, Swift.max(index, Int(range?.end ?? Int32.max)))
    while index < end, errors.count < limit {
      let byte = bytes[index]
      if byte &- 1 < 0x7F {
        index += 1
        continue
      }
      let length = sequenceLength(at: index, end: end)
      if length > 0 {
        index += length
        continue
      }
      errors.append(
        byte == 0 ? .nulByte(at: index) : .invalidEncoding(at: index, byte: byte))
      while index < end, bytes[index] != UInt8(ascii: "\n") { index += 1 }
    }
    return errors
  }

  /// Returns the length of the well-formed UTF-8 sequence at an offset, 0 when there is none.
  private func sequenceLength(at index: Int, end: Int) -> Int {
    func byte(_ offset: Int) -> UInt8 { index + offset < end ? bytes[index + offset] : 0 }
    func isContinuation(_ offset: Int) -> Bool { byte(offset) & 0xC0 == 0x80 }
    switch bytes[index] {
    case 0xC2...0xDF:
      return isContinuation(1) ? 2 : 0
    case 0xE0...0xEF:
      // The second byte is narrower at the borders: no overlong forms, no surrogates.
      let low: UInt8 = bytes[index] == 0xE0 ? 0xA0 : 0x80
      let high: UInt8 = bytes[index] == 0xED ? 0x9F : 0xBF
      return byte(1) >= low && byte(1) <= high && isContinuation(2) ? 3 : 0
    case 0xF0...0xF4:
      let low: UInt8 = bytes[index] == 0xF0 ? 0x90 : 0x80
      let high: UInt8 = bytes[index] == 0xF4 ? 0x8F : 0xBF
      return byte(1) >= low && byte(1) <= high && isContinuation(2) && isContinuation(3) ? 4 : 0
    default:
      return 0
    }
  }
}

extension Diagnostic {
  fileprivate static func nulByte(at offset: Int) -> Diagnostic {
    Diagnostic(.error, "a NUL byte is not allowed in a text", SourceRange(offset, offset + 1))
  }

  fileprivate static func invalidEncoding(at offset: Int, byte: UInt8) -> Diagnostic {
    let digits = String(byte, radix: 16, uppercase: true)
    let hex = digits.count < 2 ? "0" + digits : digits
    return Diagnostic(
      .error, "the text is not UTF-8: byte 0x\(hex)", SourceRange(offset, offset + 1))
  }
}
