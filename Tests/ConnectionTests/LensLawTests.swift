import TenonGrammarSupport
import TenonNumerics
import Testing

/// The laws of lenses: what is put is what is got, what is got and put back changes nothing, and what is
/// refused leaves everything as it was.
@Suite struct LensLawTests {
  /// A view of `x`, with a value of `x` and another one of the view.
  struct Case {
    let formula: String
    /// The same as a lens; nil where none is made by hand.
    let lens: String
    let source: String
    let view: String
  }

  /// 1,000 views, 20,000 in full size, of lists and of tables as dictionaries; what is refused is counted, and not
  /// most of it.
  @Test func putAndGetAgree() throws {
    try onThread {
      var generator = RandomNumbers(seed: testSeed)
      var refused = 0
      for round in 0..<(isFullSize ? 80 : 4) {
        let cases = (0..<250).map { _ in LensGenerator.makeCase(using: &generator) }
        let program = Program()
        let script =
          "failures := OrderedCollection new. refused := 0. x := nil. y := nil.\n"
          + "val limit := 4.\n"
          + cases.map(Self.check).joined(separator: "\n") + "\n(failures joined: '; ')"
        let report = try program.print(script)
        #expect(report == "''", "seed \(testSeed), round \(round): \(report)")
        refused += Int(program["refused"] ?? 0)
      }
      let count = isFullSize ? 20_000 : 1_000
      #expect(refused < count * 3 / 4, "seed \(testSeed): \(refused) of \(count) are refused")
      #expect(refused > 0, "seed \(testSeed)")
    }
  }

  private static func check(_ law: Case) -> String {
    let name =
      law.formula.replacing("'", with: "''") + " of "
      + law.source.replacing("'", with: "''") + " put " + law.view.replacing("'", with: "''")
    return """
      x := \(law.source). y := nil. view := \(law.view). before := x copy.
      k := [ y =|= \(law.formula) ] on: Error do: [ :error | error return: nil ].
      k isNil || [ k isSatisfied not ] ifTrue: [ refused += 1 ] ifFalse: [
        (Lens is: y same: \(law.formula)) ifFalse: [ failures add: 'get: \(name)' ].
        y := view.
        k isSatisfied
          ifTrue: [ (Lens is: \(law.formula) same: view) ifFalse: [ failures add: 'put, get: \(name)' ] ]
          ifFalse: [
            refused += 1.
            (Lens is: x same: before) ifFalse: [ failures add: 'half: \(name)' ] ].
        x := \(law.source).
        lens := \(law.lens).
        (Lens is: (lens put: (lens get: x) copy into: x) same: before) ifFalse: [ failures add: 'get, put: \(name)' ].
        new := [ lens put: view into: x ] on: Error do: [ :error | error return: nil ].
        (new isNil or: [ Lens is: (lens get: new) same: view ]) ifFalse: [ failures add: 'lens: \(name)' ].
        (Lens is: x same: before) ifFalse: [ failures add: 'in place: \(name)' ].
        ].
      k ifNotNil: [ k disconnect ].
      """
  }
}

/// Draws views of collections, with lists that they may show.
private enum LensGenerator {
  static func makeCase(using generator: inout RandomNumbers) -> LensLawTests.Case {
    switch Int.random(in: 0..<6, using: &generator) {
    case 0: table(using: &generator)
    case 1: joined(using: &generator)
    default: list(using: &generator)
    }
  }

  private static func numbers(_ sizes: ClosedRange<Int>, using generator: inout RandomNumbers)
    -> [Int]
  {
    (0..<Int.random(in: sizes, using: &generator)).map { _ in
      Int.random(in: 0...9, using: &generator)
    }
  }

  private static func text(_ list: [Int], using generator: inout RandomNumbers) -> String {
    let literal = "#(\(list.map(String.init).joined(separator: ", ")))"
    return Bool.random(using: &generator) ? literal : "\(literal) asOrderedCollection"
  }

  /// Up to three steps behind each other.
  private static func list(using generator: inout RandomNumbers) -> LensLawTests.Case {
    var formula = "x"
    var lens = ""
    var view = numbers(0...6, using: &generator)
    for _ in 0..<Int.random(in: 1...3, using: &generator) {
      let count = Int.random(in: 0...3, using: &generator)
      let step: (message: String, lens: String)
      switch Int.random(in: 0..<11, using: &generator) {
      case 0:
        step = ("select: [ :e | e even ]", "select: [ :e | e even ]")
        if Bool.random(using: &generator) { view = view.filter { $0.isMultiple(of: 2) } }
      case 1: step = ("reject: { $0 > limit }", "reject: [ :e | e > limit ]")
      case 2:
        step = (
          "collect: [ :e | e + \(count) ]",
          "collect: [ :e | e + \(count) ] inverse: [ :e | e - \(count) ]"
        )
      case 3:
        step = (
          "collect: { $0 asString }", "collect: [ :e | e asString ] inverse: [ :e | e asNumber ]"
        )
      case 4, 5:
        step = ("sorted", "sorted")
        if Bool.random(using: &generator) { view.sort() }
      case 6:
        step = (
          "sorted: [ :a :b | (a div: 3) >= (b div: 3) ]",
          "sorted: [ :a :b | (a div: 3) >= (b div: 3) ]"
        )
        if Bool.random(using: &generator) { view.sort(by: >) }
      case 7: step = ("reversed", "reversed")
      case 8: step = ("first: \(count)", "first: \(count)")
      case 9: step = ("last: \(count)", "last: \(count)")
      default: step = ("allButFirst: \(count)", "allButFirst: \(count)")
      }
      formula = "(\(formula) \(step.message))"
      let made = "(Lens \(step.lens))"
      lens = lens.isEmpty ? made : "(\(lens) then: \(made))"
    }
    var shown = text(view, using: &generator)
    if formula.hasSuffix("asString })") { shown = "(\(shown) collect: { $0 asString })" }
    return LensLawTests.Case(
      formula: formula, lens: lens,
      source: text(numbers(2...7, using: &generator), using: &generator),
      view: shown)
  }

  /// The elements of a list as a text.
  private static func joined(using generator: inout RandomNumbers) -> LensLawTests.Case {
    let separator = [", ", "-", "1"].randomElement(using: &generator) ?? "-"
    let parts = numbers(0...5, using: &generator).map(String.init)
    return LensLawTests.Case(
      formula: "(x joined: '\(separator)')", lens: "(Lens joined: '\(separator)')",
      source: text(numbers(0...5, using: &generator), using: &generator),
      view: "'\(parts.joined(separator: separator))'")
  }

  /// Rows of a table, by a query or by a column.
  private static func table(using generator: inout RandomNumbers) -> LensLawTests.Case {
    func rows(_ ages: [Int]) -> String {
      let rows = ages.enumerated().map { "#{ name: 'n\($0.offset)', age: \($0.element) }" }
      return "#(\(rows.joined(separator: ", ")))"
    }
    let source = rows(numbers(0...6, using: &generator))
    if Bool.random(using: &generator) {
      let view = numbers(0...5, using: &generator)
      return LensLawTests.Case(
        formula: "(x collect: { $0['age'] * 2 })",
        lens:
          "(Lens collect: { $0['age'] * 2 } inverse: [ :n :row | (row ifNil: [ #{} ]) copy at: 'age' put: n / 2; yourself ])",
        source: source, view: text(view, using: &generator))
    }
    var ages = numbers(0...5, using: &generator)
    if Bool.random(using: &generator) { ages = ages.map { $0 + 5 } }
    return LensLawTests.Case(
      formula: "x[{ age > limit }]", lens: "(Lens select: [ :row | (row at: 'age') > limit ])",
      source: source, view: rows(ages))
  }
}
