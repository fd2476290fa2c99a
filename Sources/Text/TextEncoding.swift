/// How the characters of a text are written as bytes.
public enum TextEncoding: String, Sendable, CaseIterable {
  /// UTF-8.
  case utf8 = "utf-8"
  /// ISO 8859-1: one byte for each of the first 256 characters.
  case latin1 = "iso-8859-1"
  /// Windows-1252: ISO 8859-1 with signs in place of the second block of controls.
  case windows1252 = "windows-1252"
  /// UTF-16 with a byte order mark; without one the more significant byte comes first.
  case utf16 = "utf-16"
  /// UTF-16, the less significant byte first.
  case utf16LittleEndian = "utf-16le"
  /// UTF-16, the more significant byte first.
  case utf16BigEndian = "utf-16be"

  /// The encoding of a name as the IANA has it, or of one of the usual others; nil for a name of none
  /// of these.
  public init?(named name: String) {
    let plain = name.lowercased()
    switch plain {
    case "utf8", "us-ascii", "ascii": self = .utf8
    case "latin1", "latin-1", "iso8859-1", "iso_8859-1", "l1": self = .latin1
    case "cp1252", "ansi": self = .windows1252
    case "utf16": self = .utf16
    default:
      guard let known = TextEncoding(rawValue: plain) else { return nil }
      self = known
    }
  }

  /// The name as it is printed: `UTF-16`.
  public var name: String { rawValue.uppercased() }

  /// The bytes for a text; nil when it has a character that the encoding has not.
  ///
  /// - Complexity: O(n) in the length of the text.
  public func bytes(for text: String) -> [UInt8]? {
    switch self {
    case .utf8: return Array(text.utf8)
    case .latin1, .windows1252:
      var bytes: [UInt8] = []
      bytes.reserveCapacity(text.utf8.count)
      for scalar in text.unicodeScalars {
        guard let byte = byte(for: scalar) else { return nil }
        bytes.append(byte)
      }
      return bytes
    case .utf16, .utf16BigEndian, .utf16LittleEndian:
      var bytes: [UInt8] = self == .utf16 ? [0xFE, 0xFF] : []
      for unit in text.utf16 {
        let (high, low) = (UInt8(unit >> 8), UInt8(unit & 0xFF))
        bytes += self == .utf16LittleEndian ? [low, high] : [high, low]
      }
      return bytes
    }
  }

  private func byte(for scalar: Unicode.Scalar) -> UInt8? {
    let code = scalar.value
    if self == .latin1 { return code < 0x100 ? UInt8(code) : nil }
    if code < 0x80 || 0xA0..<0x100 ~= code { return UInt8(code) }
    return TextEncoding.windowsSigns.firstIndex(of: code).map { UInt8($0 + 0x80) }
  }

  /// The characters of the bytes from 80 to 9F in Windows-1252; the five that it leaves open are
  /// controls, as browsers read them.
  ///
  /// Source: the WHATWG's Encoding Standard, index windows-1252.
  static let windowsSigns: [UInt32] = [
    0x20AC, 0x81, 0x201A, 0x0192, 0x201E, 0x2026, 0x2020, 0x2021, 0x02C6, 0x2030, 0x0160, 0x2039,
    0x0152, 0x8D, 0x017D, 0x8F, 0x90, 0x2018, 0x2019, 0x201C, 0x201D, 0x2022, 0x2013, 0x2014,
    0x02DC, 0x2122, 0x0161, 0x203A, 0x0153, 0x9D, 0x017E, 0x0178,
  ]
}

/// Makes UTF-8 of bytes in another encoding, piece by piece.
public struct TextDecoder: Sendable {
  /// The encoding of the bytes.
  public let encoding: TextEncoding
  /// Bytes of a character that goes on in the next piece.
  private var rest: [UInt8] = []
  /// Whether the less significant byte comes first; nil until the first unit has been seen.
  private var isLittleEndian: Bool?

  /// Creates a decoder.
  public init(_ encoding: TextEncoding) {
    self.encoding = encoding
    switch encoding {
    case .utf16BigEndian: isLittleEndian = false
    case .utf16LittleEndian: isLittleEndian = true
    default: break
    }
  }

  /// Forgets the beginning of a character; the order of bytes stays what it was found to be.
  public mutating func restart() { rest = [] }

  /// Decodes the next bytes.
  ///
  /// - Parameters:
  ///   - piece: The bytes.
  ///   - isLast: Whether no more bytes come.
  /// - Returns: The text in UTF-8; nil for what is no text in the encoding. UTF-8 is not looked at.
  /// - Complexity: O(n) in the number of bytes.
  public mutating func decode(_ piece: [UInt8], isLast: Bool) -> [UInt8]? {
    switch encoding {
    case .utf8: return piece
    case .latin1, .windows1252:
      var bytes: [UInt8] = []
      bytes.reserveCapacity(piece.count + piece.count / 8)
      for byte in piece {
        if byte < 0x80 {
          bytes.append(byte)
        } else {
          let isSign = encoding == .windows1252 && byte < 0xA0
          let code = isSign ? TextEncoding.windowsSigns[Int(byte) - 0x80] : UInt32(byte)
          append(code, to: &bytes)
        }
      }
      return bytes
    case .utf16, .utf16BigEndian, .utf16LittleEndian: return decodeUnits(piece, isLast)
    }
  }

  private mutating func decodeUnits(_ piece: [UInt8], _ isLast: Bool) -> [UInt8]? {
    let input = rest + piece
    rest = []
    var bytes: [UInt8] = []
    bytes.reserveCapacity(input.count)
    var index = 0
    if isLittleEndian == nil, input.count >= 2 {
      isLittleEndian = input[0] == 0xFF && input[1] == 0xFE
    }
    let low = isLittleEndian == true ? 0 : 1
    func unit(_ index: Int) -> UInt32 {
      UInt32(input[index + 1 - low]) << 8 | UInt32(input[index + low])
    }
    while index + 1 < input.count {
      var code = unit(index)
      var length = 2
      if 0xD800..<0xDC00 ~= code {
        guard index + 3 < input.count else { break }
        let second = unit(index + 2)
        guard 0xDC00..<0xE000 ~= second else { return nil }
        code = 0x10000 + (code - 0xD800) << 10 + (second - 0xDC00)
        length = 4
      } else if 0xDC00..<0xE000 ~= code {
        return nil
      }
      append(code, to: &bytes)
      index += length
    }
    rest = Array(input[index...])
    return isLast && !rest.isEmpty ? nil : bytes
  }

  /// Appends a character that is a scalar.
  private func append(_ code: UInt32, to bytes: inout [UInt8]) {
    guard let scalar = Unicode.Scalar(code), let encoded = UTF8.encode(scalar) else { return }
    bytes += encoded
  }
}
