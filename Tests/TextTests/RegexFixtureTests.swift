import Foundation
import Testing

@testable import TenonText

/// What Python's `re` matches, matched here.
@Suite struct RegexFixtureTests {
  private struct Fixture: Sendable {
    let pattern: String
    let text: String
    let isWhole: Bool
    let matches: String

    init(_ line: Substring) {
      let parts = line.split(separator: "\t", omittingEmptySubsequences: false).map(String.init)
      pattern = parts[0]
      text = parts[1].replacing(";", with: "\n")
      isWhole = parts[2] == "1"
      matches = parts[3]
    }
  }

  private func fixtures() throws -> [Fixture] {
    let url = URL(filePath: #filePath).deletingLastPathComponent()
      .appending(path: "Fixtures/regex.txt")
    return try String(contentsOf: url, encoding: .utf8).split(separator: "\n")
      .map { Fixture($0) }
  }

  @Test func sameMatches() throws {
    let fixtures = try fixtures()
    #expect(fixtures.count == 4000)
    let texts = Texts()
    var compared = 0
    for fixture in fixtures {
      let matcher = try RegexProgram(fixture.pattern)
      if fixture.matches != "?" {
        let found = texts.matches(of: matcher, in: fixture.text).map(Self.places)
        let expected = fixture.matches == "none" ? "" : fixture.matches
        #expect(
          found.joined(separator: " ") == expected,
          "\(fixture.pattern) in \(fixture.text.debugDescription)")
        compared += 1
      }
      #expect(
        texts.isWhole(matcher, fixture.text) == fixture.isWhole,
        "\(fixture.pattern) as a whole in \(fixture.text.debugDescription)")
    }
    #expect(compared > 2000)
  }

  /// The places of a match and its groups as a fixture has them.
  private static func places(_ places: [Int]) -> String {
    stride(from: 0, to: places.count, by: 2).map { "\(places[$0]):\(places[$0 + 1])" }
      .joined(separator: ",")
  }
}

/// Texts in memory of their own, and matches in them.
@safe
final class Texts {
  private var buffers: [UnsafeMutableRawBufferPointer] = unsafe []

  deinit {
    while let buffer = unsafe buffers.popLast() { unsafe buffer.deallocate() }
  }

  /// The bytes of a text; they stay as long as this does.
  func string(_ text: String) -> UTF8Bytes {
    let bytes = Array(text.utf8)
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: bytes.count, alignment: 1)
    unsafe buffer.copyBytes(from: bytes)
    unsafe buffers.append(buffer)
    return unsafe UTF8Bytes(borrowing: UnsafeRawBufferPointer(buffer))
  }

  func isWhole(_ program: RegexProgram, _ text: String) -> Bool {
    var matcher = RegexMatcher(program)
    return matcher.match(string(text), .whole, wantsPlaces: false) {}
  }

  /// The places of all matches, from left to right.
  func matches(of program: RegexProgram, in text: String) -> [[Int]] {
    var matcher = RegexMatcher(program)
    let string = string(text)
    var found: [[Int]] = []
    var start = 0
    while start <= string.count, matcher.match(string, from: start, poll: {}) {
      found.append(matcher.places)
      start = matcher.places[1] > matcher.places[0] ? matcher.places[1] : matcher.places[1] + 1
    }
    return found
  }
}
