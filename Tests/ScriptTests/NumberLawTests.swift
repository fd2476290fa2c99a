import Foundation
import TenonGrammarSupport
import Testing

@testable import Tenon

/// What the writers of numbers write, the readers read back: floats and integers of all sizes, made
/// from their bits so that no reader is needed for the numbers themselves.
@Suite struct NumberLawTests {
  /// Ten times as many in full size.
  private static let scale =
    ProcessInfo.processInfo.environment["TENON_FULL_SCENARIOS"] == nil ? 1 : 10

  /// What a program prints; its error when it has one.
  private func run(_ program: String) -> String {
    onThread(stackSize: 64 << 20) {
      let console = RecordingConsole()
      do {
        _ = try Interpreter(console: console).evaluate(program)
      } catch {
        return "\(error)"
      }
      return console.lines.joined(separator: "\n")
    }
  }

  /// An expression for a float of these bits.
  private func expression(_ value: Double) -> String {
    if value.isNaN { return "Float nan" }
    if value.isInfinite { return value < 0 ? "Float negativeInfinity" : "Float infinity" }
    // As an expression a zero has no sign.
    if value == 0 { return value.sign == .minus ? "0 asFloat negated" : "0 asFloat" }
    let significand = value.significandBitPattern | (value.isNormal ? 1 << 52 : 0)
    let exponent = Int(value.isNormal ? value.exponentBitPattern : 1) - 1075
    let magnitude = "\(significand) asFloat timesTwoPower: \(exponent)"
    return value < 0 ? "(\(magnitude)) negated" : magnitude
  }

  private func floats(_ count: Int, _ random: inout RandomNumbers) -> [Double] {
    var floats: [Double] = [
      0, -0.0, 0.1, 1e16, 1e21, 1e-5, .leastNonzeroMagnitude, 2.2250738585072014e-308,
      .greatestFiniteMagnitude,
      .infinity, -.infinity, .nan,
    ]
    while floats.count < count {
      let value =
        random.happens(0.5)
        ? Double(bitPattern: random.next())
        : Double(Int.random(in: -10_000_000...10_000_000, using: &random)) / 1000
      if value.isFinite { floats.append(value) }
    }
    return floats
  }

  private func integers(_ count: Int, _ random: inout RandomNumbers) -> [String] {
    (0..<count).map { _ in
      let size = Int.random(in: 1...60, using: &random)
      let digits = (0..<size).map { place in
        String(Int.random(in: place == 0 ? 1...9 : 0...9, using: &random))
      }
      return (random.happens(0.5) ? "-" : "") + digits.joined()
    }
  }

  @Test func whatIsWrittenIsReadBack() {
    var random = RandomNumbers(seed: testSeed)
    for _ in 0..<Self.scale {
      let numbers = floats(150, &random).map { "(\(expression($0)))" } + integers(60, &random)
      let program = """
        same := [ :a :b | a class == b class and: [
          (a isFloat and: [ a isNaN ]) ifTrue: [ b isNaN ] ifFalse: [
            a = b and: [ a isFloat not or: [ a printString = b printString ] ] ] ] ].
        over := [ :format :value | | store | store := format -> MemoryStore new. store at: 'a' put: value. store at: 'a' ].
        exact := [ :n | (n isFloat and: [ n isFinite not ]) not ].
        inBytes := [ :n | n isFloat or: [ n between: -9223372036854775808 and: 18446744073709551615 ] ].
        any := [ :n | true ].
        ways := #(
          #('asNumber', any, [ :n | n printString asNumber ]),
          #('displayString', any, [ :n | n displayString asNumber ]),
          #('JSON', exact, [ :n | JSON parse: (JSON write: n) ]),
          #('JSON in lines', exact, [ :n | (JSON parse: (JSON writePretty: #{ 'a': n })) at: 'a' ]),
          #('JSON of text', exact, [ :n | n printString parseJSON ]),
          #('JSONStore', exact, [ :n | over value: JSONStore new value: n ]),
          #('NDJSONStore', exact, [ :n | (over value: NDJSONStore new value: #(n, n)) last ]),
          #('CSVStore', any, [ :n | (over value: (#CSVStore{ types: true, header: false }) value: #(#(n, 'x'))) first first ]),
          #('PropertyList', any, [ :n | PropertyList parse: (PropertyList write: n) ]),
          #('reals', any, [ :n | n isFloat ifTrue: [ PropertyList parse: "<real>{n printString}</real>" ] ifFalse: [ n ] ]),
          #('bytes', inBytes, [ :n | PropertyList parse: (PropertyList writeBinary: n) ])).
        #(\(numbers.joined(separator: ", "))) do: [ :n |
          ways do: [ :way |
            ((way at: 2) value: n) ifTrue: [
              | back |
              back := [ (way at: 3) value: n ] on: Error do: [ :e | e messageText ].
              (same value: n value: back) ifFalse: [
                stdout println: "{way first} of {n printString}: {back printString}" ] ] ] ].
        // What is no way to read the literal may not stand before it.
        #(\(numbers.joined(separator: ", "))) do: [ :n | stdout println: '=', n storeString ].
        """
      let lines = run(program).split(separator: "\n").map(String.init)
      let wrong = lines.filter { !$0.hasPrefix("=") }
      #expect(wrong.isEmpty, "TENON_TEST_SEED=\(testSeed): \(wrong.prefix(10))")
      #expect(lines.count - wrong.count == numbers.count)
      // The language reads what storeString writes.
      let literals = lines.filter { $0.hasPrefix("=") }.map { String($0.dropFirst()) }
      let pairs = zip(literals, numbers).map { "#((\($0)), \($1))" }.joined(separator: ", ")
      let unequal = run(
        """
        #(\(pairs)) do: [ :pair |
          (pair first printString = pair last printString and: [ pair first class == pair last class ])
            ifFalse: [ stdout println: pair ] ].
        """)
      #expect(unequal.isEmpty, "TENON_TEST_SEED=\(testSeed): \(unequal)")
    }
  }

  /// What Python's json, csv and plistlib write, or refuse.
  @Test func numbersOfPythonAreRead() throws {
    let file = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .deletingLastPathComponent().appending(path: "TextTests/Fixtures/numbers.txt")
    let lines = try String(contentsOf: file, encoding: .utf8).split(separator: "\n")
    var program = """
      check := [ :line :expected :block |
        | value isRight |
        value := [ block value ] on: FormatError do: [ :e | e messageText ].
        isRight := expected == #refused
          ifTrue: [ value isString and: [ value includesSubstring: 'at line 1, column ' ] ]
          ifFalse: [ value isNumber and: [ value = expected || [ expected isNaN && [ value isNaN ] ]
            // Without a point it is an integer here: 1e+23 has no float that is equal.
            || [ expected isFloat && [ value asFloat = expected ] ] ] ].
        isRight ifFalse: [ stdout println: "{line}: {value printString}" ] ].
      csv := #CSVStore{ types: true, header: false } -> MemoryStore new.

      """
    for (number, line) in lines.enumerated() {
      let parts = line.split(separator: "\t", omittingEmptySubsequences: false)
      let expected: String
      let words = parts[2].split(separator: " ")
      switch parts[2] {
      case "refused": expected = "#refused"
      case "nan": expected = "Float nan"
      case "inf": expected = "Float infinity"
      case "-inf": expected = "Float negativeInfinity"
      default:
        expected =
          words.count == 1
          ? String(words[0])
          : words[0] == "-0"
            ? "0 asFloat negated" : "\(words[0]) asFloat timesTwoPower: \(words[1])"
      }
      let text = "'\(parts[1])'"
      let reading =
        switch parts[0] {
        case "json": "\(text) parseJSON"
        case "csv": "csv source at: 'a' put: \(text). (csv at: 'a') first first"
        default: "PropertyList parse: \(text)"
        }
      program += "check value: \(number + 1) value: (\(expected)) value: [ \(reading) ].\n"
    }
    #expect(lines.count > 1000)
    let wrong = run(program)
    #expect(wrong.isEmpty, "lines of numbers.txt: \(wrong)")
  }
}
