import Foundation
import TenonLexer
import TenonParser
import Testing

/// Runs something on a thread whose stack has the size that the main thread of a program has, and
/// returns what it finds wrong.
private func onMainThreadStack(_ body: @escaping @Sendable () -> [String]) async -> [String] {
  await withCheckedContinuation { continuation in
    let thread = Thread { continuation.resume(returning: body()) }
    thread.stackSize = 8 << 20
    thread.start()
  }
}

/// Parses, dumps and prints a text, and returns what is wrong with it.
private func problems(_ source: String) -> [String] {
  let result = parse(source)
  let errors = result.diagnostics.filter { $0.severity == .error }.map(\.message)
  guard let script = result.script else { return errors }
  let isPrinted = !SyntaxPrinter.print(script).isEmpty && !TreePrinter.dump(script).isEmpty
  return errors + (isPrinted ? [] : ["nothing is printed"])
}

@Suite struct LimitTests {
  /// A way to nest, and how many levels one repetition has.
  struct Nesting: Sendable, CustomTestStringConvertible {
    let opening: String
    let closing: String
    var middle = "x"
    var levels = 1

    var testDescription: String { opening }

    func source(_ count: Int) -> String {
      String(repeating: opening, count: count) + middle + String(repeating: closing, count: count)
    }
  }

  static let nestings = [
    Nesting(opening: "(", closing: ")"),
    Nesting(opening: "[", closing: "]"),
    Nesting(opening: "{", closing: "}"),
    Nesting(opening: "#(", closing: ")", middle: "1"),
    Nesting(opening: "#(x + ", closing: ", 2)", middle: "1"),
    Nesting(opening: "#{ a: ", closing: " }"),
    Nesting(opening: "#{ (", closing: "): 1 }", levels: 2),
    Nesting(opening: "#P{ a: ", closing: " }"),
    Nesting(opening: "x[", closing: "]"),
    Nesting(opening: "x[{ ", closing: " }]", levels: 2),
    Nesting(opening: "\"{", closing: "}\""),
    Nesting(opening: "file:{", closing: "}/a"),
    Nesting(opening: "http://h/a?q={", closing: "}"),
    Nesting(opening: "ref:file:a/{*", closing: "}"),
    Nesting(opening: "x foo: 3 bar: [ :y | ", closing: " ] | baz"),
    Nesting(opening: "x + (", closing: ")"),
    Nesting(opening: "a := (b := ", closing: ")"),
    Nesting(opening: "(a |= ", closing: " + 1)"),
    Nesting(opening: "x a; foo: (", closing: ") ; bar"),
    Nesting(opening: "x foo: y + file:a/{*", closing: "} b: 3 | c"),
    Nesting(opening: "a |= b + x foo: #{ a: ", closing: " }"),
    Nesting(opening: "a := b |= c foo: #(1, ", closing: ")"),
    Nesting(opening: "[ ^", closing: " ] + 3"),
    Nesting(opening: "class A { -foo { ", closing: " } }", levels: 2),
    Nesting(opening: "scheme S { /a { get { ", closing: " } } }", levels: 3),
    Nesting(opening: "filter f |{ ", closing: " }"),
    Nesting(opening: "[ group g { a -> file:{", closing: "} } ]", levels: 3),
    Nesting(opening: "object O : #P{ a: [", closing: "] }", levels: 2),
  ]

  /// A thousand levels of each kind parse, print, dump and go away on 8 MB, in debug too.
  @Test(arguments: nestings) func aThousandLevels(_ nesting: Nesting) async {
    let found = await onMainThreadStack {
      let limit = Parser.defaultNestingLimit / nesting.levels
      return problems(nesting.source(200)) + problems(nesting.source(limit))
    }
    #expect(found == [])
  }

  @Test(arguments: nestings) func moreLevelsAreOneError(_ nesting: Nesting) async {
    let found = await onMainThreadStack {
      let limit = Parser.defaultNestingLimit / nesting.levels
      return problems(nesting.source(limit + 1)) + problems(nesting.source(5_000))
        + problems(String(repeating: nesting.opening, count: limit + 1))
        + problems(String(repeating: nesting.opening, count: 20_000))
    }
    #expect(found == Array(repeating: "brackets nest more than 1000 deep", count: 4))
  }

  @Test func aMillionBrackets() {
    for (bracket, count) in [("(", 1_000_000), ("[", 100_000), ("{", 100_000), ("#(", 100_000)] {
      let result = parse(String(repeating: bracket, count: count))
      #expect(result.diagnostics.map(\.message) == ["brackets nest more than 1000 deep"])
    }
  }

  /// Ways to build a high tree without brackets.
  static let links = [
    " foo", "[1]", " + y", " | foo", " | + y", " | at: 1", "[{ z }]",
  ]

  static let tooHigh = "an expression of more than 10000 parts in a chain"

  @Test(arguments: links) func longChains(_ link: String) async {
    let found = await onMainThreadStack {
      let height = link.hasPrefix(" |") ? 2 : 1
      let limit = Parser.defaultHeightLimit / height
      return [limit - 3, limit + 1, 30_000].flatMap { count in
        problems("x" + String(repeating: link, count: count))
      }
    }
    #expect(found == [Self.tooHigh, Self.tooHigh])
  }

  @Test func longAssignments() async {
    let found = await onMainThreadStack {
      problems(String(repeating: "x := ", count: 9_990) + "3")
        + problems(String(repeating: "x := ", count: 30_000) + "3")
    }
    #expect(found == [Self.tooHigh])
  }

  /// Chains in brackets in chains: the height of the whole tree counts.
  @Test func chainsInBrackets() async {
    let found = await onMainThreadStack {
      let nested = { (depth: Int, count: Int) in
        let chain = String(repeating: " foo", count: count)
        return String(repeating: "(", count: depth) + "x"
          + String(repeating: chain + ")", count: depth)
      }
      return problems(nested(900, 10)) + problems(nested(900, 12))
    }
    #expect(found == [Self.tooHigh])
  }

  @Test func whatIsWideIsNotHigh() {
    for source in [
      "x foo" + String(repeating: "; bar: 3", count: 50_000),
      "x" + String(repeating: " at: 1", count: 20_000),
      "#(" + String(repeating: "1 ", count: 50_000) + ")",
      "#(" + String(repeating: "x, ", count: 50_000) + ")",
      "a" + String(repeating: " |= b", count: 20_000),
      "file:" + String(repeating: "a/", count: 50_000),
      "[ " + String(repeating: "a. ", count: 50_000) + "]",
    ] {
      #expect(parse(source).script != nil, "\(source.prefix(10))")
    }
  }

  @Test func limitsCanBeSet() {
    func messages(_ source: String, nesting: Int, height: Int) -> [String] {
      Parser(SourceText(name: "test.st", source), nestingLimit: nesting, heightLimit: height)
        .parseScript().diagnostics.map(\.message)
    }
    #expect(messages("((x))", nesting: 2, height: 100) == [])
    #expect(messages("(((x)))", nesting: 2, height: 100) == ["brackets nest more than 2 deep"])
    #expect(messages("x foo foo", nesting: 2, height: 3) == [])
    #expect(
      messages("x foo foo foo", nesting: 2, height: 3)
        == ["an expression of more than 3 parts in a chain"])
    #expect(messages("(x)", nesting: 0, height: 3) == ["brackets nest more than 0 deep"])
  }

  /// Each form is higher than what stands in it by the nodes between them.
  @Test(arguments: [
    ("a := %", 1), ("a += %", 1), ("a |= %", 1), ("a =|= %", 1), ("% foo", 1), ("% + y", 1),
    ("y + (%)", 1), ("y foo: %", 1), ("y foo: z bar: %", 1), ("% | foo", 2), ("y | foo: %", 1),
    ("y | + %", 1), ("%[1]", 1), ("y[%]", 1), ("%[{ z }]", 1), ("y foo: %; bar", 1),
    ("y foo; bar: %; baz", 1),
    ("[ % ] foo", 2), ("[ :k | k. % ] foo", 2), ("a += b foo: %", 2), ("x := y := %", 2),
    ("#(%, 1) foo", 2),
    ("#(1, (%)) foo", 2), ("#{ a: %, b: 1 } foo", 2), ("#{ (%): 1 } foo", 2), ("#P{ a: % } foo", 2),
    ("\"a{%}b\" foo", 2), ("file:{%}/a foo", 2), ("ref:file:{%} foo", 2),
    ("http://h/a?q={%} foo", 2), ("^%", 0),
    ("var a := %", 0), ("y -> %", 1), ("-m { % }", 0), ("class A { -m { ^% } }", 2),
    ("(% |= y) foo", 2),
  ]) func formsAreHigherThanTheirParts(_ form: String, _ more: Int) {
    func height(_ source: String) -> Int? {
      (1...60).first { limit in
        !Parser(SourceText(name: "test.st", source), heightLimit: limit).parseScript()
          .diagnostics.contains { $0.severity == .error }
      }
    }
    for count in [1, 7, 30] {
      let part = "x" + String(repeating: " foo", count: count)
      #expect(height(part) == count + 1)
      #expect(height(form.replacing("%", with: part)) == count + 1 + more, "\(form)")
    }
  }

  @Test func exponentsDoNotFillTheMemory() {
    let many = String(repeating: "1e9999. ", count: 100)
    #expect(parse(many).diagnostics.count == 1)
    #expect(parse("1e9999").script != nil)
  }
}
