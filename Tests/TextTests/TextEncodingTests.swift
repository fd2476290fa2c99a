import TenonGrammarSupport
import TenonText
import Testing

@Suite struct TextEncodingTests {
  /// Characters that an encoding has, by chance.
  private func text(of encoding: TextEncoding, _ generator: inout RandomNumbers) -> String {
    var text = ""
    for _ in 0..<Int.random(in: 0...40, using: &generator) {
      let code: UInt32 =
        switch encoding {
        case .latin1: .random(in: 1...0xFF, using: &generator)
        case .windows1252:
          [0x41, 0xE4, 0x20AC, 0x201E, 0x0161].randomElement(using: &generator) ?? 1
        default: .random(in: 1...0x1_FFFF, using: &generator)
        }
      if let scalar = Unicode.Scalar(code), code != 0xFEFF { text.unicodeScalars.append(scalar) }
    }
    return text
  }

  /// Whatever pieces the bytes come in, the text is the same.
  @Test(arguments: TextEncoding.allCases)
  func decodingIsTheWayBack(_ encoding: TextEncoding) throws {
    var generator = RandomNumbers(seed: 20_261_129)
    for _ in 0..<300 {
      let text = text(of: encoding, &generator)
      var rest = try #require(encoding.bytes(for: text))[...]
      var decoder = TextDecoder(encoding)
      var decoded: [UInt8] = []
      while !rest.isEmpty {
        let piece = rest.prefix(Int.random(in: 1...9, using: &generator))
        rest = rest.dropFirst(piece.count)
        let found = decoder.decode(Array(piece), isLast: false)
        decoded += try #require(found)
      }
      let end = decoder.decode([], isLast: true)
      decoded += try #require(end)
      if decoded.starts(with: ByteOrderMark.utf8) { decoded.removeFirst(3) }
      #expect(String(decoding: decoded, as: UTF8.self).utf8.elementsEqual(text.utf8))
    }
  }

  @Test(
    arguments: [
      (TextEncoding.utf16BigEndian, [0xD8]), (.utf16BigEndian, [0xD8, 0x34]),
      (.utf16BigEndian, [0xD8, 0x34, 0x00, 0x41]), (.utf16LittleEndian, [0x00, 0xDC]),
    ] as [(TextEncoding, [UInt8])])
  func halvesOfCharactersAreNoText(_ encoding: TextEncoding, _ bytes: [UInt8]) {
    var decoder = TextDecoder(encoding)
    let first = decoder.decode(bytes, isLast: false)
    #expect(first == nil || decoder.decode([], isLast: true) == nil)
  }

  @Test func charactersThatAreNotThereAreTold() {
    #expect(TextEncoding.latin1.bytes(for: "€") == nil)
    #expect(TextEncoding.windows1252.bytes(for: "€ä") == [0x80, 0xE4])
    #expect(TextEncoding.windows1252.bytes(for: "Ω") == nil)
  }

  @Test func encodingsHaveTheNamesThatPeopleWrite() {
    for (name, encoding) in [
      ("UTF-8", TextEncoding.utf8), ("latin1", .latin1), ("ISO-8859-1", .latin1),
      ("cp1252", .windows1252), ("utf16", .utf16), ("UTF-16LE", .utf16LittleEndian),
    ] {
      #expect(TextEncoding(named: name) == encoding)
    }
    #expect(TextEncoding(named: "ebcdic") == nil)
  }
}
