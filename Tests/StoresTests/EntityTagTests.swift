import TenonStoreKit
import TenonText
import Testing

@Suite struct EntityTagTests {
  /// The examples of FIPS 180-4 and its supplements, and lengths around the ends of blocks.
  @Test(arguments: [
    ("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
    ("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
    (
      "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
      "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"
    ),
    (
      String(repeating: "a", count: 1_000_000),
      "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0"
    ),
    (
      String(repeating: "x", count: 63),
      "75220b47218278e656f2013bb8f0c455a25eaf01e86c64924e9d48d89776d6f2"
    ),
    (
      String(repeating: "x", count: 64),
      "7ce100971f64e7001e8fe5a51973ecdfe1ced42befe7ee8d5fd6219506b5393c"
    ),
  ])
  func digestsAreThoseOfTheStandard(_ text: String, _ digits: String) {
    let digest = SHA256.digest(of: Array(text.utf8))
    #expect(digest.map { hexadecimal($0) }.joined() == digits)
    #expect(EntityTag(of: Array(text.utf8)).text == String(digits.prefix(32)))
  }

  private func hexadecimal(_ byte: UInt8) -> String {
    (byte < 16 ? "0" : "") + String(byte, radix: 16)
  }
}
