internal import TenonLexer
internal import TenonParser

/// The steps that can be undone, and how: the table of what `=|=` knows.
enum InversionRules {
  typealias Step = @Sendable (InverseTerm, InversionNode) throws(Inversion.Problem) -> InverseTerm

  /// Messages without arguments, with what undoes them.
  private static let unary: [String: Step] = [
    "negated": sending("negated"), "not": sending("not"),
    "reciprocal": asking("reciprocal:"),
    "reversed": sending("reversed"), "reverse": sending("reversed"),
    "sorted": lens("sorted"),
    "yourself": { value, _ in value },
    "degreesToRadians": sending("radiansToDegrees"),
    "radiansToDegrees": sending("degreesToRadians"),
    "squared": root(2), "cubed": root(3), "sqrt": asking("square:"),
    "exp": asking("exponential:"), "ln": asking("powerOfE:"),
    "log": { .inverse("power:of:", [.number(10), $0], $1.at) },
    "log2": { .inverse("power:of:", [.number(2), $0], $1.at) },
    "arcSinh": asking("hyperbolicSine:"), "sinh": asking("hyperbolicArea:"),
    "asString": asking("read:like:", withPresent: true),
    "displayString": asking("read:like:", withPresent: true),
    "printString": asking("literal:like:", withPresent: true),
    "asSymbol": checking("asString", against: "asSymbol"),
    "asNumber": asking("numberText:present:", withPresent: true),
    "parseJSON": asking("jsonText:present:", withPresent: true),
    "jsonString": sending("parseJSON"), "prettyJSONString": sending("parseJSON"),
    "base64Encoded": asking("base64:present:", withPresent: true),
    "base64Decoded": checking("base64Encoded", against: "base64Decoded"),
    "hex": sending("hexDecoded"), "hexDecoded": checking("hex", against: "hexDecoded"),
    "urlEncoded": sending("urlDecoded"),
    "urlDecoded": checking("urlEncoded", against: "urlDecoded"),
    "asHours": asking("duration:by:like:", "hours"),
    "asMinutes": asking("duration:by:like:", "minutes"),
    "asSeconds": asking("duration:by:like:", "seconds"),
    "asMilliseconds": asking("duration:by:like:", "milliseconds"),
    "asMicroseconds": asking("duration:by:like:", "microseconds"),
    "asNanoseconds": asking("duration:by:like:", "nanoseconds"),
    "asDays": asking("duration:by:like:", "days"),
    "asWeeks": asking("duration:by:like:", "weeks"),
    "asDate": asking("text:readBy:present:", "asDate"),
    "asTime": asking("text:readBy:present:", "asTime"),
    "asDateTime": asking("text:readBy:present:", "asDateTime"),
    "asDuration": asking("text:readBy:present:", "asDuration"),
    "utf8": checking("utf8Decoded", against: "utf8"),
    "utf8Encoded": checking("utf8Decoded", against: "utf8Encoded"),
    "utf8Decoded": checking("utf8", against: "utf8Decoded"),
  ]

  /// Messages that make durations of numbers, with those that undo them.
  ///
  /// Objects have properties of the same names.
  static let units: [String: Step] = [
    "nanosecond": number("asNanoseconds"), "nanoseconds": number("asNanoseconds"),
    "microsecond": number("asMicroseconds"), "microseconds": number("asMicroseconds"),
    "millisecond": number("asMilliseconds"), "milliseconds": number("asMilliseconds"),
    "second": number("asSeconds"), "seconds": number("asSeconds"),
    "minute": number("asMinutes"), "minutes": number("asMinutes"),
    "hour": number("asHours"), "hours": number("asHours"),
    "day": number("asDays"), "days": number("asDays"),
    "week": number("asWeeks"), "weeks": number("asWeeks"),
  ]

  /// Messages without arguments that run backwards for some kinds of receivers only.
  static let conditional: Set<String> = [
    "asString", "displayString", "printString", "asHours", "asMinutes", "asSeconds",
    "asMilliseconds", "asMicroseconds", "asNanoseconds", "asDays", "asWeeks", "asDate", "asTime",
    "asDateTime", "asDuration",
  ]

  /// Messages to collections that run backwards for some kinds of them only.
  static let ofCollections: Set<String> = [
    "select:", "reject:", "collect:", "sorted", "sorted:", "sortedBy:", "first:", "last:",
    "allButFirst:", "allButLast:", "joined:", "splitOn:",
  ]

  /// Messages of one or more arguments: the receiver is operand 0.
  private static let others: [String: [Int: Step]] = [
    "+": [
      0: { .send("-", $0, [.part($1.operands[1].expression)], $1.at) },
      1: { .send("-", $0, [.part($1.operands[0].expression)], $1.at) },
    ],
    "-": [
      0: { .send("+", $0, [.part($1.operands[1].expression)], $1.at) },
      1: { .send("-", .part($1.operands[0].expression), [$0], $1.at) },
    ],
    "*": [
      0: { value, node throws(Inversion.Problem) in
        try refuseZero(node.operands[1], InversionWording.timesZero)
        return .send("/", value, [.part(node.operands[1].expression)], node.at)
      },
      1: { value, node throws(Inversion.Problem) in
        try refuseZero(node.operands[0], InversionWording.timesZero)
        return .send("/", value, [.part(node.operands[0].expression)], node.at)
      },
    ],
    "/": [
      0: { value, node throws(Inversion.Problem) in
        try refuseZero(node.operands[1], InversionWording.divisionByZero)
        let divisor = node.operands[1].expression
        // Whatever is divided by 0, the quotient is not what is wanted: the product would be 0.
        let factor =
          InversionConstant(divisor) == nil
          ? InverseTerm.divisor(divisor, node.at) : .part(divisor)
        return .send("*", value, [factor], node.at)
      },
      1: { value, node throws(Inversion.Problem) in
        try refuseZero(node.operands[0], InversionWording.timesZero)
        return .inverse(
          "divide:to:", [.part(node.operands[0].expression), value], node.at)
      },
    ],
    ",": [
      0: { .inverse("suffix:of:", [.part($1.operands[1].expression), $0], $1.at) },
      1: { .inverse("prefix:of:", [.part($1.operands[0].expression), $0], $1.at) },
    ],
    "raisedTo:": power, "**": power,
    "nthRoot:": [0: { .inverse("power:degree:", [$0, .part($1.operands[1].expression)], $1.at) }],
    "log:": [0: { .inverse("power:of:", [.part($1.operands[1].expression), $0], $1.at) }],
    "at:": [
      1: { value, node throws(Inversion.Problem) in
        if let value = node.operands[0].expression.repeatedConstant {
          throw Inversion.Problem(
            message: InversionWording.severalKeys(SyntaxPrinter.print(value)), range: node.at)
        }
        return .inverse("key:of:", [value, .part(node.operands[0].expression)], node.at)
      }
    ],
    "indexOf:": [1: { .inverse("at:of:", [$0, .part($1.operands[0].expression)], $1.at) }],
    "keyAtValue:": [
      1: { .inverse("valueAt:of:", [$0, .part($1.operands[0].expression)], $1.at) }
    ],
    "select:": [0: lens("select:")], "reject:": [0: lens("reject:")],
    "sorted:": [0: lens("sorted:")], "sortedBy:": [0: lens("sortedBy:")],
    "first:": [0: lens("first:")], "last:": [0: lens("last:")],
    "allButFirst:": [0: lens("allButFirst:")], "allButLast:": [0: lens("allButLast:")],
    "joined:": [0: separated("joined:")], "splitOn:": [0: separated("splitOn:")],
    "get:": [
      1: { value, node in
        let present = InverseTerm.present(node.operands[1].expression)
        return .inverse(
          "put:into:through:", [value, present, .part(node.operands[0].expression)], node.at)
      }
    ],
  ]

  /// The collection that a member was taken from, with another member in its place.
  static let member: Step = { value, node in
    .inverse(
      "put:at:in:",
      [value, .part(node.operands[1].expression), .present(node.operands[0].expression)], node.at)
  }

  private static let power: [Int: Step] = [
    0: { value, node throws(Inversion.Problem) in
      try refuseZero(node.operands[1], InversionWording.powerZero)
      return .inverse(
        "root:degree:present:",
        [value, .part(node.operands[1].expression), .present(node.operands[0].expression)],
        node.at)
    },
    1: { value, node throws(Inversion.Problem) in
      let base = node.operands[0]
      guard InversionConstant(base.expression)?.isBaseOfLogarithms ?? true else {
        let text = SyntaxPrinter.print(base.expression)
        throw Inversion.Problem(message: InversionWording.powerOf(text), range: base.at)
      }
      return .inverse("logarithm:base:", [value, .part(base.expression)], node.at)
    },
  ]

  /// What is known to lose what it was made of.
  static let lossy: Set<String> = [
    "sin", "cos", "tan", "cosh", "tanh", "degreeSin", "degreeCos", "degreeTan", "abs", "sign",
    "rounded", "truncated", "floor", "ceiling", "asInteger", "asFloat", "integerPart",
    "fractionPart", "roundTo:", "truncateTo:", "roundUpTo:", "roundDownTo:", "round:", "min:",
    "max:", "min:max:", "asUppercase", "asLowercase", "trimmed", "asSet", "asBag",
    "isNil", "notNil", "isEmpty", "notEmpty", "even", "odd", "isZero", "hash", "=", "~=", "==",
    "~~", "<", ">", "<=", ">=", "&", "|", "&&", "||", "and:", "or:", "~/", "\\\\", "%", "div:",
    "mod:", "quo:", "rem:", "between:and:", "includes:", "sum", "average", "max", "min",
  ]

  /// Whether a message without arguments is a step of a formula, and not a property, whoever it is
  /// sent to.
  static func isOperation(_ selector: String) -> Bool {
    unary[selector] != nil || lossy.contains(selector) && !mayBeProperty.contains(selector)
  }

  /// Words that objects have as properties as well.
  private static let mayBeProperty: Set<String> = [
    "max", "min", "sum", "average", "sign", "isEmpty",
  ]

  /// How the operands of a message follow from its answer.
  static func rule(for selector: String, declared: Set<Int>) -> InversionRule {
    guard declared.isEmpty else {
      let steps = declared.map { position -> (Int, Step) in
        (
          position,
          { value, node in
            var operands = node.operands.map { InverseTerm.part($0.expression) }
            operands.remove(at: position)
            return .declared("\(selector) \(position)", [value] + operands, node.at)
          }
        )
      }
      return .steps(Dictionary(uniqueKeysWithValues: steps))
    }
    if let step = unary[selector] ?? units[selector] { return .steps([0: step]) }
    return others[selector].map { .steps($0) } ?? .none
  }

  // MARK: Steps

  private static func sending(_ selector: String) -> Step {
    { .send(selector, $0, [], $1.at) }
  }

  private static func asking(_ selector: String, withPresent: Bool = false) -> Step {
    { value, node in
      let present = withPresent ? [InverseTerm.present(node.operands[0].expression)] : []
      return .inverse(selector, [value] + present, node.at)
    }
  }

  /// A message to the kernel's class of inverses with a selector and the present value.
  private static func asking(_ selector: String, _ word: String) -> Step {
    { value, node in
      .inverse(
        selector, [value, .text(word), .present(node.operands[0].expression)], node.at)
    }
  }

  /// The number that a unit has made a duration of.
  private static func number(_ selector: String) -> Step {
    { value, node in
      .inverse(
        "number:by:like:", [value, .text(selector), .present(node.operands[0].expression)], node.at)
    }
  }

  /// The message that undoes a step, where the step answers the value again.
  private static func checking(_ undoing: String, against selector: String) -> Step {
    {
      .inverse(
        "send:to:against:", [.text(undoing), $0, .text(selector)], $1.at)
    }
  }

  private static func root(_ degree: Int) -> Step {
    { value, node in
      .inverse(
        "root:degree:present:",
        [value, .number(degree), .present(node.operands[0].expression)], node.at)
    }
  }

  private static func refuseZero(
    _ operand: InversionNode, _ message: String
  ) throws(Inversion.Problem) {
    guard InversionConstant(operand.expression)?.isZero ?? false else { return }
    throw Inversion.Problem(message: message, range: operand.at)
  }
}
