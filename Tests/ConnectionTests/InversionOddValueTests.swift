import TenonGrammarSupport
import Testing

/// What is put through a formula of `=|=` that nobody would expect there: either the connection says
/// that it cannot be, or the formula gives it back, and putting that again changes nothing.
@Suite struct InversionOddValueTests {
  @Test func whatIsPutIsRefusedOrComesBack() throws {
    try onThread {
      var generator = RandomNumbers(seed: testSeed)
      let drawn = (0..<150).map { _ in OddFormula.composed(using: &generator) }
      var formulas = (OddFormula.all + drawn)[...]
      var tried = 0
      while !formulas.isEmpty {
        let program = Program()
        let some = formulas.prefix(50)
        formulas = formulas.dropFirst(50)
        let report = try program.print(
          Self.prelude + some.map(\.check).joined(separator: "\n") + "\n(failures joined: '; ')")
        #expect(report == "''", "seed \(testSeed): \(report)")
        tried += Int(program["satisfied"] ?? 0)
      }
      // Most of what is put where it does not belong is refused.
      #expect(tried > 1_000)
    }
  }

  private static let values = [
    "0", "1", "-1", "7", "10 ** 45", "(10 ** 400) + 1", "1 / (10 ** 400)", "1 / 3", "-8 / 27",
    "2.50s2", "0.0", "-0.0", "0.5", "1.0e300", "5.0e-324", "Float infinity",
    "Float negativeInfinity", "Float nan", "''", "' 5 '", "'007'", "'abc'", "'%ff'", "'a b'",
    "'/w=='", "'zz'", "'\u{1F600}e\u{301}'", "'''q'''", "'#(1 2)'", "'#a'", "'nan'", "'inf'",
    "'null'", "'[1]'", "'1e999'", "'$a'", "#abc", "#'a b'", "$a", "true", "false",
    "#(1, 2)", "#($a, $b)", "(OrderedCollection withAll: #(1, 2))", "(1 to: 3)", "#[255 1]",
    "#{ 'a': 1 }", "#{ a: 1 / 3 }", "(Set withAll: #(1))", "3 @ 4",
  ]

  private static let prelude = """
    var x. var y. var k. var was. var again.
    val none := 0. failures := OrderedCollection new. satisfied := 0.
    -is: one same: other {
      one = other ifTrue: [ ^true ].
      (one isKindOf: Point) && [ other isKindOf: Point ] ifTrue: [
        ^(self is: one x same: other x) && [ self is: one y same: other y ] ].
      (one isNumber && [ other isNumber ]) ifFalse: [ ^false ].
      (one isNaN || [ other isNaN ]) ifTrue: [ ^one isNaN && [ other isNaN ] ].
      (one isFinite && [ other isFinite ]) ifFalse: [ ^false ].
      (one isExact && [ other isExact ]) ifTrue: [ ^false ].
      ^(one - other) abs <= ((other abs max: 1) * 0.000001)
    }
    odd := #(\(values.joined(separator: ", "))).

    """
}

/// A formula over `x`, with what `x` is before.
private struct OddFormula {
  var text: String
  var x: String

  var check: String {
    let name = text.replacing("'", with: "''")
    return """
      x := \(x). y := nil.
      k := [ y =|= \(text) ] on: Error do: [ :error | error return: nil ].
      k isNil ifFalse: [
        odd do: [ :v |
          [ y := v ] on: Error do: [ :error | error return: nil ].
          k state == #satisfied ifTrue: [
            satisfied := satisfied + 1.
            (self is: y same: v) ifFalse: [
              failures add: 'put: \(name) with ' , v printString ].
            was := x.
            again := [ \(text) ] on: Error do: [ :error | error return: #failed ].
            (self is: again same: v) ifFalse: [
              // Another spelling of the same value.
              again isString && [ v isString ]
                ifTrue: [
                  y := again.
                  k state == #satisfied && [ self is: x same: was ] ifFalse: [
                    failures add: 'spelling: \(name) with ' , v printString ] ]
                ifFalse: [
                  failures add: 'get: \(name) with ' , v printString , ' gives '
                    , again printString ] ] ] ].
        k disconnect ].
      """
  }

  private static let numeric = [
    "x negated", "x reciprocal", "x squared", "x cubed", "x sqrt", "x exp", "x ln", "x log",
    "x log2", "x sinh", "x arcSinh", "x degreesToRadians", "x + 3", "3 - x", "x * 2.5", "x / 3",
    "12 / x", "none / x", "x * 1.0e-300", "x ** 3", "x ** 4", "x ** -1", "x ** (1 / 2)", "2 ** x",
    "0.5 raisedTo: x", "3 raisedTo: x", "1.5 raisedTo: x", "x nthRoot: 3", "x log: 2",
    "3 * x - x + 1", "(#(5, 6, 7) at: x)", "(#(3, 1, 3) indexOf: x)",
    "(#{ a: 3, b: 4, c: 3 } keyAtValue: x)", "x asString", "x printString", "x displayString",
    "\"<{x}>\"", "x jsonString", "x yourself",
  ]

  private static let textual = [
    "x asNumber", "x parseJSON", "x asSymbol", "x asString", "x printString", "x displayString",
    "x reversed", "x jsonString", "x base64Encoded", "x base64Decoded", "x urlEncoded",
    "x urlDecoded", "x utf8", "x hexDecoded", "x , '!'", "'a' , x", "\"<{x}>\"",
    "(#{ a: 3, 'b': nil } at: x)",
  ]

  static let all =
    numeric.map { OddFormula(text: $0, x: "3") }
    + textual.map { OddFormula(text: $0, x: "'12'") }
    + [
      OddFormula(text: "x printString", x: "#a"), OddFormula(text: "x asString", x: "#a"),
      OddFormula(text: "x printString", x: "$b"), OddFormula(text: "x asString", x: "$b"),
      OddFormula(text: "x printString", x: "true"), OddFormula(text: "\"{x}\"", x: "true"),
      OddFormula(text: "x printString", x: "#(1)"), OddFormula(text: "x printString", x: "nil"),
      OddFormula(text: "x reversed", x: "#(1, 2)"), OddFormula(text: "x , #(9)", x: "#(1)"),
      OddFormula(text: "x not", x: "true"), OddFormula(text: "x hex", x: "#[1 2]"),
      OddFormula(text: "x utf8Decoded", x: "#[65]"), OddFormula(text: "x jsonString", x: "#(1)"),
      OddFormula(text: "(#($a, nil) at: x)", x: "1"),
    ]

  /// One step after another.
  static func composed(using generator: inout RandomNumbers) -> OddFormula {
    let isNumeric = Bool.random(using: &generator)
    let steps = isNumeric ? numeric : textual
    var formula = OddFormula(
      text: steps.randomElement(using: &generator) ?? "x", x: isNumeric ? "2" : "'12'")
    let next = (numeric + textual).randomElement(using: &generator) ?? "x"
    // A place occurs once, or all of it below one sum. What a map has is not found for what has been
    // rounded, nor does JSON read what is another spelling of a URL.
    guard !next.contains("- x"), !next.contains("(#"), !next.hasSuffix("parseJSON") else {
      return formula
    }
    // What has been rounded to 0 has no reciprocal.
    if next.contains("reciprocal") || next.contains("/ x") || next.contains("-1"),
      formula.text.contains("3")
    {
      return formula
    }
    formula.text = next.replacing("x ", with: "(\(formula.text)) ")
      .replacing("{x}", with: "{(\(formula.text))}").replacing(" x)", with: " (\(formula.text)))")
    return formula
  }
}
