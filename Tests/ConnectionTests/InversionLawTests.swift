import TenonGrammarSupport
import TenonNumerics
import Testing

/// The laws of `=|=` with a formula: what is put is what is got, and putting back what was there
/// gives back what it came from.
@Suite struct InversionLawTests {
  /// A formula over `x`, with two values of `x` and how results are compared.
  struct Formula {
    var text: String
    /// The texts of two values of `x`.
    var values: (String, String)
    /// Whether results are compared as floats.
    var isFloat = false
    /// Whether two values of `x` give the same result, so that the other one may come back.
    var isEven = false
  }

  /// 2,500 formulas, 20,000 in full size; those that have no value for what was drawn, a division by zero, are counted
  /// and few.
  @Test func putAndGetAgree() throws {
    try onThread {
      var generator = RandomNumbers(seed: testSeed)
      var skipped = 0
      for round in 0..<(isFullSize ? 40 : 5) {
        let formulas = (0..<500).map { _ in FormulaGenerator.formula(using: &generator) }
        let program = Program()
        let script =
          "failures := OrderedCollection new. skipped := 0. x := nil. y := nil.\n"
          + "other := 3. val rate := 5.\n"
          + formulas.map(Self.check).joined(separator: "\n") + "\n(failures joined: '; ')"
        let report = try program.print(script)
        #expect(report == "''", "seed \(testSeed), round \(round): \(report)")
        skipped += Int(program["skipped"] ?? 0)
      }
      #expect(skipped < 2_000, "seed \(testSeed): \(skipped) formulas have no value")
    }
  }

  private static func check(_ formula: Formula) -> String {
    let text = formula.text
    let name = text.replacing("'", with: "''")
    let (first, second) = formula.values
    func equal(_ left: String, _ right: String) -> String {
      formula.isFloat
        ? "((\(left)) - (\(right))) abs <= (((\(right)) abs max: 1) * 0.000001)"
        : "(\(left)) = (\(right))"
    }
    let comesBack = formula.isEven ? "true" : equal("x", first)
    return """
      x := \(second). y := nil.
      second := [ \(text) ] on: Error do: [ :error | error return: #none ].
      x := \(first).
      first := [ \(text) ] on: Error do: [ :error | error return: #none ].
      first == #none || [ second == #none ] ifTrue: [ skipped += 1 ] ifFalse: [
        k := (y =|= \(text)).
        (\(equal("y", "first"))) ifFalse: [ failures add: 'get: \(name)' ].
        y := second.
        (y = second && [ \(equal(text, "second")) ]) ifFalse: [ failures add: 'put, get: \(name)' ].
        y := first.
        (y = first && [ \(equal(text, "first")) ]) ifFalse: [ failures add: 'back: \(name)' ].
        (\(comesBack)) ifFalse: [ failures add: 'get, put: \(name), ' , x printString ].
        k disconnect ].
      """
  }
}

/// Draws formulas that can be run backwards.
private enum FormulaGenerator {
  static func formula(using generator: inout RandomNumbers) -> InversionLawTests.Formula {
    switch Int.random(in: 0..<13, using: &generator) {
    case 0..<4: exact(using: &generator)
    case 4: linear(using: &generator)
    case 5: float(using: &generator)
    case 6, 7: text(using: &generator)
    case 8: map(using: &generator)
    case 9: decision(using: &generator)
    case 10: time(using: &generator)
    case 11: template(using: &generator)
    default: choice(using: &generator)
    }
  }

  /// A choice between two constants, which tells its condition.
  private static func decision(
    using generator: inout RandomNumbers
  ) -> InversionLawTests.Formula {
    let constants = ["'on'", "'off'", "0", "1", "#a", "2.5", "true", "nil"]
      .shuffled(using: &generator)
    let condition = ["x", "x not", "x yourself"].randomElement(using: &generator) ?? "x"
    let selectors =
      [("ifTrue:", "ifFalse:"), ("ifFalse:", "ifTrue:")]
      .randomElement(using: &generator) ?? ("ifTrue:", "ifFalse:")
    var text =
      "(\(condition) \(selectors.0) [ \(constants[0]) ] \(selectors.1) [ \(constants[1]) ])"
    // What is nil would be missing.
    if text.contains("nil") { text = text.replacing("nil", with: "9") }
    return InversionLawTests.Formula(text: text, values: ("true", "false"))
  }

  /// Dates, times and durations, their texts and their lengths.
  private static func time(
    using generator: inout RandomNumbers
  ) -> InversionLawTests.Formula {
    func two(_ range: ClosedRange<Int>) -> String {
      let number = Int.random(in: range, using: &generator)
      return (number < 10 ? "0" : "") + String(number)
    }
    func day() -> String { "20\(two(10...60))-\(two(1...12))-\(two(1...28))" }
    func clock() -> String { "\(two(0...23)):\(two(0...59)):\(two(0...59))" }
    func length() -> String { "(\(Int.random(in: -9...90, using: &generator)) minutes)" }
    var formula: InversionLawTests.Formula
    switch Int.random(in: 0..<4, using: &generator) {
    case 0:
      formula = .init(text: "x", values: ("'\(day())' asDate", "'\(day())' asDate"))
    case 1:
      formula = .init(text: "x", values: ("'\(clock())' asTime", "'\(clock())' asTime"))
    case 2:
      let units = ["hours", "minutes", "days", "weeks", "seconds"].shuffled(using: &generator)
      formula = .init(text: "(x as\(units[0].capitalized) * 3)", values: (length(), length()))
      if Bool.random(using: &generator) { return formula }
      // Parts of an hour need not be whole nanoseconds.
      let values = (1...9).shuffled(using: &generator).map { String($0) }
      return .init(
        text: "x \(units[0]) as\(units[1].capitalized)", values: (values[0], values[1]))
    default:
      formula = .init(text: "x", values: (length(), length()))
    }
    if formula.text == "x" {
      formula.text =
        ["x printString", "x asString", "\"at {x}!\"", "x displayString reversed"]
        .randomElement(using: &generator) ?? "x printString"
    }
    return formula
  }

  /// A text with several places, of which only `x` is another one in the second text.
  private static func template(
    using generator: inout RandomNumbers
  ) -> InversionLawTests.Formula {
    let separators = [":", ", ", "-", " of ", "--", "aa"]
    func separator() -> String { separators.randomElement(using: &generator) ?? ":" }
    let places = ["{x}", "{other}", "{other * 2}", "{x + 1}"]
    let isFirst = Bool.random(using: &generator)
    let own = isFirst ? places[0] : places[3]
    let rest = places[Int.random(in: 1...2, using: &generator)]
    let parts = Bool.random(using: &generator) ? [own, rest] : [rest, own]
    let text =
      "\"\(Bool.random(using: &generator) ? separator() : "")\(parts[0])\(separator())\(parts[1])"
      + "\(Bool.random(using: &generator) ? separator() : "")\""
    if isFirst, Int.random(in: 0..<3, using: &generator) == 0 {
      let words = ["'a'", "'b:c'", "', '", "'of'", "''", "'aaa'"].shuffled(using: &generator)
      return .init(text: text, values: (words[0], words[1]))
    }
    return .init(text: text, values: values(using: &generator))
  }

  private static func number(
    using generator: inout RandomNumbers, signed: Bool = true
  ) -> String {
    let number = Int.random(in: 1...9, using: &generator)
    switch Int.random(in: 0..<6, using: &generator) {
    case 0: return "(\(number) / \(Int.random(in: 2...7, using: &generator)))"
    case 1 where signed: return "(-\(number))"
    default: return "\(number)"
    }
  }

  private static func values(
    using generator: inout RandomNumbers
  ) -> (String, String) {
    (number(using: &generator), number(using: &generator))
  }

  private static func exact(
    using generator: inout RandomNumbers
  ) -> InversionLawTests.Formula {
    var formula = InversionLawTests.Formula(text: "x", values: values(using: &generator))
    for _ in 0..<Int.random(in: 1...6, using: &generator) {
      let number = number(using: &generator)
      formula.text =
        switch Int.random(in: 0..<11, using: &generator) {
        case 0: "(\(formula.text) + \(number))"
        case 1: "(\(number) + \(formula.text))"
        case 2: "(\(formula.text) - \(number))"
        case 3: "(\(number) - \(formula.text))"
        case 4: "(\(formula.text) * \(number))"
        case 5: "(\(number) * \(formula.text))"
        case 6: "(\(formula.text) / \(number))"
        case 7: "(\(number) / \(formula.text))"
        case 8: "\(formula.text) negated"
        case 9: "\(formula.text) reciprocal"
        // Another place that could give way; twice it would be a square.
        default: "(\(formula.text) * \(formula.text.contains("other") ? "rate" : "other") - 1)"
        }
    }
    if Int.random(in: 0..<8, using: &generator) == 0 { formula.text = "\(formula.text) cubed" }
    return formula
  }

  /// `x` more than once, with coefficients that do not add up to 0.
  private static func linear(
    using generator: inout RandomNumbers
  ) -> InversionLawTests.Formula {
    var text = "x"
    var isPositive = true
    for _ in 0..<Int.random(in: 1...3, using: &generator) {
      let number = number(using: &generator, signed: false)
      switch Int.random(in: 0..<5, using: &generator) {
      case 0: text = "(\(text) + (\(number) * x))"
      case 1: text = "(x * \(number) + \(text))"
      case 2: text = "(\(text) * \(number) + x)"
      case 3: text = "(\(text) / \(number) + (x + \(number)))"
      default:
        text = "(\(text) + x) negated"
        isPositive.toggle()
      }
      // The sign of what has been collected would meet that of what comes.
      if !isPositive { break }
    }
    return InversionLawTests.Formula(text: text, values: values(using: &generator))
  }

  private static func float(
    using generator: inout RandomNumbers
  ) -> InversionLawTests.Formula {
    let number = number(using: &generator, signed: false)
    let values = (
      "\(Double.random(in: 1...9, using: &generator))",
      "\(Double.random(in: 1...9, using: &generator))"
    )
    let text =
      switch Int.random(in: 0..<9, using: &generator) {
      case 0: "(x * \(number) + 1.5)"
      case 1: "x sqrt + \(number)"
      case 2: "x ln * 2"
      case 3: "x exp"
      case 4: "x log + \(number)"
      case 5: "(x / 3.7 - \(number)) cubed"
      case 6: "x degreesToRadians"
      case 7: "(2 raisedTo: x) + \(number)"
      default: "x squared * \(number)"
      }
    return InversionLawTests.Formula(
      text: text, values: values, isFloat: true, isEven: text.contains("squared"))
  }

  private static func text(
    using generator: inout RandomNumbers
  ) -> InversionLawTests.Formula {
    func word() -> String {
      let letters = "abcdefgh{}'\\\" äß€."
      let count = Int.random(in: 0...5, using: &generator)
      let text = String((0..<count).compactMap { _ in letters.randomElement(using: &generator) })
      return "'" + text.replacing("'", with: "''") + "'"
    }
    func plain() -> String { "ab,c-".shuffled(using: &generator).map(String.init).joined() }
    let isNumber = Int.random(in: 0..<3, using: &generator) == 0
    var formula = InversionLawTests.Formula(
      text: "x", values: isNumber ? values(using: &generator) : (word(), word()))
    if isNumber {
      formula.text =
        switch Int.random(in: 0..<4, using: &generator) {
        case 0: "(x * 2 + 1) printString"
        case 1: "x asString"
        case 2: "\"<{x}>\""
        default: "\"\(plain()){x - 3}\""
        }
    }
    for _ in 0..<Int.random(in: 1...4, using: &generator) {
      formula.text =
        switch Int.random(in: 0..<8, using: &generator) {
        case 0: "(\(word()) , \(formula.text))"
        case 1: "(\(formula.text) , \(word()))"
        case 2: "\(formula.text) reversed"
        case 3: "\(formula.text) jsonString"
        case 4: "\(formula.text) base64Encoded"
        case 5: "\(formula.text) urlEncoded"
        case 6: "\(formula.text) printString"
        default: "\"\(plain()){\(formula.text)}\(plain())\""
        }
    }
    return formula
  }

  private static func map(
    using generator: inout RandomNumbers
  ) -> InversionLawTests.Formula {
    let values = (0..<4).shuffled(using: &generator).map { "\($0 * 3)" }
    let keys = ["#red", "#green", "#blue", "'x'"].shuffled(using: &generator)
    let entries = zip(["red", "green", "blue", "'x'"], values).map { "\($0): \($1)" }
      .joined(separator: ", ")
    switch Int.random(in: 0..<3, using: &generator) {
    case 0:
      return InversionLawTests.Formula(
        text: "(#{ \(entries) } at: x) + 1", values: (keys[0], keys[1]))
    case 1:
      return InversionLawTests.Formula(
        text: "(#(\(values.joined(separator: ", "))) at: x + 1)", values: ("1", "3"))
    default:
      return InversionLawTests.Formula(
        text: "(#(#red #green #blue 'x') indexOf: x) * 2", values: (keys[0], keys[1]))
    }
  }

  private static func choice(
    using generator: inout RandomNumbers
  ) -> InversionLawTests.Formula {
    let first = exact(using: &generator)
    let second = exact(using: &generator)
    let condition = ["other > 2", "other < 2", "(other = 3) not"].randomElement(using: &generator)
    return InversionLawTests.Formula(
      text: "(\(condition ?? "true") ifTrue: [ \(first.text) ] ifFalse: [ \(second.text) ])",
      values: first.values)
  }
}

extension String {
  fileprivate var capitalized: String { prefix(1).uppercased() + dropFirst() }
}
