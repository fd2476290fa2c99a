import Testing

@testable import TenonText

/// What is JSON and what is not.
@Suite struct JSONScannerTests {
  private func problem(_ bytes: [UInt8]) -> String? {
    do throws(JSONScanner.Failure) {
      var reader = try JSONScanner(bytes)
      _ = try reader.value()
      return reader.isAtEnd ? nil : reader.expected("the end").located(in: bytes)
    } catch {
      return error.located(in: bytes)
    }
  }

  private func problem(_ text: String) -> String? { problem(Array(text.utf8)) }

  @Test(arguments: [
    "0", "-0", "1", "-12", "1.5", "1e5", "1E+5", "-1.25e-10", "123456789012345678901234567890",
    "1e999", "true", "false", "null", "\"\"", "\"a\"", "\"\\\"\\\\\\/\\b\\f\\n\\r\\t\"",
    "\"\\u00e9\\uD83D\\uDE00\\u0000\"", "\"é😀\u{7F}\"", "[]", "[ ]", "[1]", "[1,2 , 3]", "{}",
    "{ }",
    "{\"a\":1}", " {\"a\" : [1, {\"b\": null}], \"a\": 2}\r\n\t", "[[[[]]]]", "[{},{}]",
  ])
  func isJSON(_ text: String) {
    #expect(problem(text) == nil)
  }

  @Test(arguments: [
    "", " ", "01", "+1", "-", "1.", ".5", "1e", "1e+", "0x1", "NaN", "Infinity", "tru", "True",
    "nul", "'a'", "\"", "\"a", "\"\\\"", "\"\\x\"", "\"\\u12\"", "\"\\u12G4\"", "\"\\uD800\"",
    "\"\\uD800\\u0041\"", "\"\\uDC00\"", "\"\u{1}\"", "\"\n\"", "[", "]", "[1", "[1,", "[1,]",
    "[,1]",
    "[1 2]", "{", "}", "{\"a\"}", "{\"a\":}", "{\"a\":1,}", "{a:1}", "{\"a\":1 \"b\":2}", "{1:2}",
    "[1}", "{\"a\":1]", "1 2", "{} {}", "// 1", "[1] x", "1\u{FEFF}", "\u{A0}1", "1\u{0}",
  ])
  func isNotJSON(_ text: String) {
    #expect(problem(text) != nil)
  }

  @Test func problemsAreLocated() {
    #expect(problem("{\n  \"é\" 1}") == "line 2, column 7: expected ':', found '1'")
    #expect(problem("[1,]") == "line 1, column 4: expected a value, found ']'")
    #expect(problem("[1 2]") == "line 1, column 4: expected ',' or ']', found '2'")
    #expect(problem("{\"a\":1") == "line 1, column 7: expected ',' or '}'")
    #expect(problem("\"\\ud800\"") == "line 1, column 4: half of a character")
    #expect(problem([0x22, 0xFF, 0x22]) == "line 1, column 1: expected UTF-8")
  }

  @Test func depthIsBounded() {
    func nested(_ depth: Int) -> String {
      String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
    }
    #expect(problem(nested(512)) == nil)
    #expect(problem(nested(513)) == "line 1, column 513: nested deeper than 512")
    #expect(problem(String(repeating: "[", count: 1_000_000)) != nil)
    #expect(problem(String(repeating: "{\"a\":", count: 1_000_000)) != nil)
  }

  @Test func everyBeginningOfADocumentIsRefused() throws {
    let text = #"{"a": [1, -2.5e3, "x\u00e9\n", {"b": null, "c": [true, false]}], "d": {}}"#
    let bytes = Array(text.utf8)
    #expect(problem(bytes) == nil)
    for count in bytes.indices { #expect(problem(Array(bytes[..<count])) != nil, "\(count)") }
  }
}
