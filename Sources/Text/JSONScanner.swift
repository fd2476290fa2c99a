/// Finds where the values of a JSON text stand, as RFC 8259 has it, without exceptions, and keeps none.
///
/// What the language makes of JSON is read by the reader of the runtime, which makes values and takes
/// its characters and numbers from here. Here a part
/// of a document is taken out or put in as it was written.
///
/// What is read may nest 512 deep; reading takes no more of the native stack for it.
package struct JSONScanner {
  private let bytes: [UInt8]
  package private(set) var offset = 0

  /// Why a text is not JSON.
  package struct Failure: Error {
    /// What was expected.
    package let reason: String
    /// The offset in bytes of what was found instead.
    package let offset: Int

    package init(reason: String, offset: Int) {
      self.reason = reason
      self.offset = offset
    }
  }

  private enum Container {
    case array, object
  }

  private static let deepest = 512

  /// - Throws: `Failure` when the bytes are not UTF-8.
  package init(_ bytes: [UInt8]) throws(Failure) {
    guard String(validating: bytes, as: UTF8.self) != nil else {
      throw Failure(reason: "expected UTF-8", offset: 0)
    }
    self.bytes = bytes
    // A byte order mark, which says nothing in UTF-8.
    if bytes.starts(with: ByteOrderMark.utf8) { offset = ByteOrderMark.utf8.count }
  }

  /// The bytes of the one value that a text is, without blanks around it.
  ///
  /// - Throws: `Failure`.
  package static func onlyValue(of bytes: [UInt8]) throws(Failure) -> [UInt8] {
    var scanner = try JSONScanner(bytes)
    let range = try scanner.value()
    guard scanner.isAtEnd else { throw scanner.expected("the end") }
    return Array(bytes[range])
  }

  /// Reads one value.
  ///
  /// - Returns: Where it is, without blanks around it.
  /// - Throws: `Failure`.
  package mutating func value() throws(Failure) -> Range<Int> {
    skipBlanks()
    let start = offset
    var open: [Container] = []
    repeat {
      if try beginValue(&open) { try endValues(&open) }
    } while !open.isEmpty
    return start..<offset
  }

  /// Begins a value; true when it has ended already, false when the value inside it comes next.
  private mutating func beginValue(_ open: inout [Container]) throws(Failure) -> Bool {
    skipBlanks()
    switch next {
    case UInt8(ascii: "{"): return try beginContainer(.object, "}", &open)
    case UInt8(ascii: "["): return try beginContainer(.array, "]", &open)
    case UInt8(ascii: "\""): _ = try string()
    case UInt8(ascii: "t"): try word("true")
    case UInt8(ascii: "f"): try word("false")
    case UInt8(ascii: "n"): try word("null")
    default: try number()
    }
    return true
  }

  private mutating func beginContainer(
    _ kind: Container, _ end: Unicode.Scalar, _ open: inout [Container]
  ) throws(Failure) -> Bool {
    guard open.count < JSONScanner.deepest else {
      throw Failure(reason: "nested deeper than \(JSONScanner.deepest)", offset: offset)
    }
    offset += 1
    if take(end) { return true }
    open.append(kind)
    if kind == .object { _ = try key() }
    return false
  }

  /// Ends the containers that end after a value, up to the next value.
  private mutating func endValues(_ open: inout [Container]) throws(Failure) {
    while let container = open.last {
      if take(",") {
        if container == .object { _ = try key() }
        return
      }
      let end: Unicode.Scalar = container == .object ? "}" : "]"
      guard take(end) else { throw expected("',' or '\(end)'") }
      open.removeLast()
    }
  }

  /// Reads the key of a member, and the colon.
  ///
  /// - Throws: `Failure`.
  package mutating func key() throws(Failure) -> String {
    skipBlanks()
    guard next == UInt8(ascii: "\"") else { throw expected("a string") }
    let key = try string()
    guard take(":") else { throw expected("':'") }
    return key
  }
}

// MARK: - Signs

extension JSONScanner {
  private var next: UInt8? { offset < bytes.count ? bytes[offset] : nil }

  /// Whether all has been read, blanks aside.
  package var isAtEnd: Bool {
    mutating get {
      skipBlanks()
      return next == nil
    }
  }

  private mutating func skipBlanks() {
    while let byte = next, byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 {
      offset += 1
    }
  }

  /// Goes past a sign, and blanks before it, if it comes next.
  package mutating func take(_ sign: Unicode.Scalar) -> Bool {
    skipBlanks()
    guard next == UInt8(ascii: sign) else { return false }
    offset += 1
    return true
  }

  /// The failure to find something at this place.
  package func expected(_ what: String) -> Failure {
    guard let next else { return Failure(reason: "expected \(what)", offset: offset) }
    let isPrintable = next > 0x20 && next < 0x7F
    let found = isPrintable ? ", found '\(Unicode.Scalar(next))'" : ""
    return Failure(reason: "expected \(what)\(found)", offset: offset)
  }

  private mutating func word(_ word: String) throws(Failure) {
    guard bytes[offset...].starts(with: word.utf8) else { throw expected("a value") }
    offset += word.utf8.count
  }
}

// MARK: - Numbers

extension JSONScanner {
  private mutating func number() throws(Failure) {
    do throws(DecimalText.Failure) {
      offset = try DecimalText(bytes, at: offset, .json).end
    } catch {
      switch error {
      case .noNumber: throw expected("a value")
      case .leadingZero:
        throw Failure(reason: "a number does not begin with 0", offset: offset)
      case .noDigit(let place):
        offset = place
        throw expected("a digit")
      }
    }
  }
}

// MARK: - Strings

extension JSONScanner {
  /// Reads a string; its quote comes next.
  package mutating func string() throws(Failure) -> String {
    offset += 1
    var text: [UInt8] = []
    while let byte = next {
      switch byte {
      case UInt8(ascii: "\""):
        offset += 1
        return String(decoding: text, as: UTF8.self)
      case UInt8(ascii: "\\"):
        offset += 1
        text += try escape()
      case 0..<0x20:
        throw Failure(reason: "control characters are escaped", offset: offset)
      default:
        offset += 1
        text.append(byte)
      }
    }
    throw expected("'\"'")
  }

  private mutating func escape() throws(Failure) -> [UInt8] {
    do throws(JSONEscape.Failure) {
      let escape = try JSONEscape(in: bytes, at: offset)
      offset = escape.end
      return Array(String(Character(escape.scalar)).utf8)
    } catch {
      switch error {
      case .end(let place):
        offset = place
        throw expected("a sign after '\\'")
      case .unknownSign(let place):
        throw Failure(reason: "no such sign after '\\'", offset: place)
      case .noDigit(let place):
        offset = place
        throw expected("four hexadecimal digits")
      case .halfOfCharacter(let place):
        throw Failure(reason: "half of a character", offset: place)
      }
    }
  }
}

extension JSONScanner.Failure {
  /// The failure with the line and column of the text it is in, both from 1.
  package func located(in bytes: [UInt8]) -> String {
    let place = TextPlace(of: offset, in: bytes)
    return "line \(place.line), column \(place.column): \(reason)"
  }
}
