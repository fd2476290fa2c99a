import Foundation
import TenonGrammarSupport
import Testing

@testable import TenonText

/// Base64 as Foundation has it.
@Suite struct Base64Tests {
  @Test func sameAsFoundation() {
    var generator = RandomNumbers(seed: 64)
    for count in 0..<100 {
      let bytes = (0..<count).map { _ in UInt8.random(in: 0...255, using: &generator) }
      let expected = Data(bytes).base64EncodedString()
      let found = (0..<(count + 2) / 3 * 4).map { index in
        Base64.digit(index) { $0 < bytes.count ? bytes[$0] : nil }
      }
      #expect(String(decoding: found, as: UTF8.self) == expected)
      #expect(Base64.encoded(bytes) == expected)
      #expect(Base64.decode(expected.utf8) == bytes)
      #expect(Base64.decoded(expected) == bytes)
    }
  }

  @Test(arguments: ["A", "AAAAA", "A=", "AA=", "AAA==", "AAAA=", "=", "AA=A", "A*AA", "Ä"])
  func whatIsNoBase64(_ text: String) {
    #expect(Base64.decode(text.utf8) == nil)
  }
  /// What programs write in other ways is no base64 as the RFC has it.
  @Test(arguments: ["", "QQ==", "QUI=", "QUJD", "QUJDRA=="])
  func bothReadWhatIsWrittenWell(_ text: String) {
    #expect(Base64.decoded(text) != nil && Base64.decoded(text) == Base64.decode(text.utf8))
  }

  @Test(arguments: ["QQ", "QUI", "QU JD", "QUJD\n", "-_-_", "QQ==QQ==", "Q===", "===="])
  func theStrictReaderRefuses(_ text: String) {
    #expect(Base64.decoded(text) == nil)
  }
}
