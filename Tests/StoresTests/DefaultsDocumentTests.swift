import TenonGrammarSupport
import Testing

@testable import TenonStores

/// The document that a store of defaults is.
@Suite struct DefaultsDocumentTests {
  @Test func randomDamageIsNeverATrap() {
    let text = #"{"a": [1, -2.5e3, "x\u00e9\uD83D\uDE00", {"b": null}], "d": {"e": true}}"#
    let bytes = Array(text.utf8)
    var generator = RandomNumbers(seed: 7)
    for _ in 0..<20_000 {
      var damaged = bytes
      for _ in 0..<Int.random(in: 1...3, using: &generator) {
        let index = Int.random(in: damaged.indices, using: &generator)
        switch Int.random(in: 0..<3, using: &generator) {
        case 0: damaged[index] = UInt8.random(in: 0...255, using: &generator)
        case 1: damaged.remove(at: index)
        default: damaged.insert(damaged[index], at: index)
        }
      }
      // What is accepted is kept and found again, byte for byte.
      guard let document = try? DefaultsDocument(damaged) else { continue }
      let again = try? DefaultsDocument(document.bytes)
      #expect(again?.values == document.values)
      #expect(again?.bytes == document.bytes)
    }
  }
}
