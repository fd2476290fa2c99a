import TenonGrammarSupport
import Testing

@testable import TenonText

/// What the engine promises besides the matches: how much it does, what it refuses.
@Suite struct RegexTests {
  /// Patterns that take exponential or quadratic time where ways are tried one after the other.
  private static let hard = [
    "(a*)*b", "(a|a)*b", "(a|aa)+b", "(a+)+b", "(.*)(.*)(.*)(.*)b", "(x+x+)+y", "a*a*a*a*a*b",
    "(a?){20}a{20}b",
  ]

  /// Twice the text takes twice the steps, whatever the pattern.
  @Test(arguments: RegexTests.hard)
  func stepsGrowWithTheText(_ pattern: String) throws {
    let program = try RegexProgram(pattern)
    let texts = Texts()
    let steps = [1000, 2000, 4000].map { count in
      var matcher = RegexMatcher(program)
      let text = texts.string(String(repeating: "a", count: count))
      _ = matcher.match(text, from: 0) {}
      return matcher.steps
    }
    #expect(steps[1] > 0 || pattern.hasPrefix("(x"))
    // The first characters cost less, as not all ways have begun.
    let size = program.instructions.count
    for (less, more) in zip(steps, steps.dropFirst()) {
      #expect(more <= 2 * less + size * size, "\(steps)")
    }
    #expect(steps[2] <= 4001 * 2 * size)
  }

  @Test func sizeIsLimited() throws {
    #expect(throws: RegexError.self) { try RegexProgram("(a{1000}){1000}") }
    #expect(throws: RegexError.self) { try RegexProgram("((((a{100}){100}){100}){100}){100}") }
    #expect(throws: RegexError.self) { try RegexProgram("(?:){999999999}") }
    #expect(throws: RegexError.self) { try RegexProgram(String(repeating: "a", count: 60_000)) }
    let most = try RegexProgram("(a{100}){100}")
    #expect(most.instructions.count > 10_000 && most.instructions.count < 15_000)
    // Each thread keeps the places of all groups.
    #expect(throws: RegexError.self) { try RegexProgram(String(repeating: "()", count: 5_000)) }
  }

  /// Neither parsing nor compiling nor freeing recurses.
  @Test func deepNesting() throws {
    let count = 15_000
    let pattern =
      String(repeating: "(?:", count: count) + "a" + String(repeating: ")", count: count)
    #expect(Texts().isWhole(try RegexProgram(pattern), "a"))
    let starred =
      String(repeating: "(?:", count: count) + "a" + String(repeating: ")?", count: count)
    #expect(Texts().isWhole(try RegexProgram(starred), ""))
  }

  @Test func errorsHaveColumns() {
    for (pattern, column) in [("ab(c", 3), ("äö)", 3), ("a|*", 3), ("[a", 1), ("a{2}{3}", 5)] {
      var found: Int?
      do throws(RegexError) {
        _ = try RegexProgram(pattern)
      } catch {
        found = error.column
      }
      #expect(found == column, "\(pattern)")
    }
  }

  @Test func anInterruptEndsAMatch() throws {
    let program = try RegexProgram("(a*)*b")
    let texts = Texts()
    let text = texts.string(String(repeating: "a", count: 100_000))
    var matcher = RegexMatcher(program)
    var polls = 0
    var wasStopped = false
    do throws(Stop) {
      _ = try matcher.match(text) { () throws(Stop) in
        polls += 1
        if polls == 3 { throw Stop() }
      }
    } catch {
      wasStopped = true
    }
    #expect(wasStopped && polls == 3)
    // And the matcher can be used again.
    #expect(matcher.match(texts.string("ab")) {})
  }

  /// The cache forgets when it is full, and what it forgot is compiled again.
  @Test func theCacheIsBounded() throws {
    let texts = Texts()
    var cache = RegexCache()
    let first = try cache.entry(texts.string("x0"), hash: 0)
    #expect(try cache.entry(texts.string("x0"), hash: 0) === first)
    // Two patterns of the same hash are still two.
    #expect(try cache.entry(texts.string("y0"), hash: 0) !== first)
    for index in 1...200 {
      let entry = try cache.entry(texts.string("x\(index)"), hash: UInt32(index))
      #expect(entry.matcher.match(texts.string("x\(index)"), .whole) {})
    }
    #expect(try cache.entry(texts.string("x0"), hash: 0) !== first)
  }

  private struct Stop: Error {}

  /// Random nonsense is either a pattern or an error with a column inside it.
  @Test func anyTextIsAPatternOrAnError() throws {
    var generator = RandomNumbers(seed: 4)
    let pieces = Array("ab()[]{}|*+?^$.\\-,12:<>=!P{pLdwsxunk#&é")
    let texts = Texts()
    // Bytes do not keep the memory that they are in.
    defer { withExtendedLifetime(texts) {} }
    let text = texts.string("ab12 é\nLp")
    var errors = 0
    for _ in 0..<20_000 {
      let count = Int.random(in: 0..<12, using: &generator)
      let pattern = String((0..<count).map { _ in generator.pick(pieces, "a") })
      do throws(RegexError) {
        var matcher = RegexMatcher(try RegexProgram(pattern))
        _ = matcher.match(text) {}
      } catch {
        errors += 1
        #expect((1...count + 1).contains(error.column), "\(pattern): \(error)")
      }
    }
    #expect(errors > 1000 && errors < 19_000)
  }
}
