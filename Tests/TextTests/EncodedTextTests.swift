import TenonGrammarSupport
import Testing

@testable import TenonText

@Suite struct PercentEncodingTests {
  @Test func eachByteIsTwoDigits() {
    let encoded = PercentEncoding.encoding("a b/ü?") { $0 == 0x20 || $0 == 0x2F || $0 >= 0x80 }
    #expect(encoded == "a%20b%2F%C3%BC?")
    #expect(PercentEncoding.encoding("plain") { $0 == 0x20 } == "plain")
  }

  @Test func decodingIsTheWayBack() {
    var generator = RandomNumbers(seed: 20_261_128)
    for _ in 0..<500 {
      let scalars = (0..<Int.random(in: 0...12, using: &generator)).compactMap { _ in
        Unicode.Scalar(UInt32.random(in: 1...0x2FFF, using: &generator))
      }
      var text = ""
      text.unicodeScalars.append(contentsOf: scalars)
      let encoded = PercentEncoding.encoding(text) { $0 >= 0x80 || $0 == 0x25 || $0 < 0x30 }
      #expect(encoded.utf8.allSatisfy { $0 < 0x80 })
      #expect(PercentEncoding.decoded(encoded) == text)
    }
  }
}

/// The quick way of reading dates: what it leaves to the kernel's scanner is slow, not wrong, so that no
/// script shows whether it works.
@Suite struct PlainDateTextTests {
  private func read(_ text: String) -> PlainDateText? {
    let bytes = Array(text.utf8)
    return unsafe bytes.withUnsafeBytes { unsafe PlainDateText(UTF8Bytes(borrowing: $0)) }
  }

  @Test func datesAndTimesAreRead() {
    #expect(read("1970-01-01")?.dayNumber == 0)
    #expect(read("2000-03-01")?.dayNumber == 11_017)
    #expect(read("0000-03-01")?.dayNumber == -719_468)
    let time = read("2026-11-21T18:42:40.5+01:00")?.time
    #expect(time?.nanoseconds == 67_360_500_000_000)
    #expect(time?.offset == 3600)
    #expect(read("2026-11-21T00:00:00Z")?.time?.offset == 0)
  }

  @Test(arguments: [
    "2026-13-01", "2026-02-29", "2026-00-01", "2026-11-2x", "2026/11/21", "2026-11-21T24:00:00Z",
    "2026-11-21T18:60:40Z", "2026-11-21T18:42:40", "2026-11-21T18:42:40Zx", "2026-1-021",
  ])
  func othersAreLeft(_ text: String) { #expect(read(text) == nil) }
}
