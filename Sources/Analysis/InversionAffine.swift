internal import TenonLexer
internal import TenonParser

/// Solves a part of a formula in which a place occurs more than once, when the part is `a * place +
/// b`: terms are collected, and constants among them are computed at once.
///
/// Algorithm: the part is taken apart into the factor of the place and the rest, from the leaves
/// up; products of two parts that both contain the place, and quotients with it below, are refused.
struct InversionAffine {
  private let solver: InversionSolver

  init(_ solver: InversionSolver) { self.solver = solver }

  /// A factor or a rest: known now, or computed when the formula runs.
  private enum Amount {
    case constant(InversionConstant)
    case computed(InverseTerm)

    static var zero: Amount { .constant(.zero) }
    static var one: Amount { .constant(.one) }

    var isZero: Bool {
      if case .constant(let constant) = self { constant.isZero } else { false }
    }

    func term(_ at: SourceRange) -> InverseTerm {
      switch self {
      case .constant(let constant): constant.term(at)
      case .computed(let term): term
      }
    }
  }

  private typealias Form = (factor: Amount, rest: Amount)

  /// How the place follows from the value of a part.
  func solve(
    _ node: InversionNode, _ value: InverseTerm
  ) throws(Inversion.Problem) -> InverseTerm {
    let form = try form(of: node)
    if form.factor.isZero {
      throw Inversion.Problem(
        message: InversionWording.cancelsOut(solver.name), range: node.expression.range)
    }
    let difference =
      form.rest.isZero ? value : .send("-", value, [form.rest.term(node.at)], node.at)
    // Of what is infinite the differences in the formula are no numbers.
    return .finite(.send("/", difference, [form.factor.term(node.at)], node.at), node.at)
  }

  private func form(
    of node: InversionNode, in whole: InversionNode? = nil
  ) throws(Inversion.Problem) -> Form {
    guard solver.contains(node) else {
      let constant = InversionConstant(node.expression)
      return (.zero, constant.map { .constant($0) } ?? .computed(.part(node.expression)))
    }
    guard !node.operands.isEmpty else { return (.one, .zero) }
    let whole = whole ?? node
    let at = node.at
    let operands = node.operands
    switch node.operation {
    case "negated":
      let form = try form(of: operands[0], in: whole)
      return (
        combine("-", .zero, form.factor, at), combine("-", .zero, form.rest, at)
      )
    case "+", "-":
      let left = try form(of: operands[0], in: whole)
      let right = try form(of: operands[1], in: whole)
      return (
        combine(node.operation, left.factor, right.factor, at),
        combine(node.operation, left.rest, right.rest, at)
      )
    case "*":
      let left = try form(of: operands[0], in: whole)
      let right = try form(of: operands[1], in: whole)
      if !solver.contains(operands[1]) {
        return (
          combine("*", left.factor, right.rest, at), combine("*", left.rest, right.rest, at)
        )
      }
      guard !solver.contains(operands[0]) else { throw refuse(node, in: whole) }
      return (combine("*", left.rest, right.factor, at), combine("*", left.rest, right.rest, at))
    case "/":
      guard !solver.contains(operands[1]) else { throw refuse(node, in: whole) }
      let left = try form(of: operands[0], in: whole)
      let right = try form(of: operands[1], in: whole)
      if right.rest.isZero {
        throw Inversion.Problem(message: InversionWording.divisionByZero, range: operands[1].at)
      }
      return (combine("/", left.factor, right.rest, at), combine("/", left.rest, right.rest, at))
    default: throw refuse(node, in: whole)
    }
  }

  private func refuse(_ node: InversionNode, in whole: InversionNode) -> Inversion.Problem {
    let isOnBothSides = node.operands.count { solver.contains($0) } > 1
    let message =
      isOnBothSides
      ? InversionWording.occursTwice(
        solver.name, node.operation, SyntaxPrinter.print(node.expression))
      : InversionWording.isNoSum(
        solver.name, node.operation, SyntaxPrinter.print(whole.expression))
    return Inversion.Problem(message: message, range: node.at)
  }

  private func combine(
    _ operation: String, _ left: Amount, _ right: Amount, _ at: SourceRange
  ) -> Amount {
    if case .constant(let a) = left, case .constant(let b) = right,
      let result = a.combined(operation, b)
    {
      return .constant(result)
    }
    switch operation {
    case "+" where left.isZero, "+" where right.isZero: return left.isZero ? right : left
    case "-" where right.isZero: return left
    // A zero that is a float would make the product one; it has been computed above.
    case "*" where left.isZero || right.isZero, "/" where left.isZero: return .zero
    default: return .computed(.send(operation, left.term(at), [right.term(at)], at))
    }
  }
}

/// A number in a formula that is known before it runs: exact, or a float.
enum InversionConstant: Sendable {
  case exact(numerator: Int, denominator: Int)
  case float(Double)

  static let zero = InversionConstant.exact(numerator: 0, denominator: 1)
  static let one = InversionConstant.exact(numerator: 1, denominator: 1)

  /// The value of an expression of literals; nil when it is another one, or too large a number.
  init?(_ expression: Expression) {
    switch expression {
    case .integer(let integer):
      guard let magnitude = Int(integer.digits, radix: integer.radix) else { return nil }
      self = .exact(numerator: integer.isNegative ? -magnitude : magnitude, denominator: 1)
    case .float(let float): self = .float(float.value)
    case .pipe(let pipe):
      guard let inner = InversionConstant(pipe.input) else { return nil }
      self = inner
    case .unaryMessage(let message) where message.selector.text == "negated":
      guard let inner = InversionConstant(message.receiver)?.combined("*", .minusOne) else {
        return nil
      }
      self = inner
    case .binaryMessage(let message):
      guard let left = InversionConstant(message.receiver),
        let right = InversionConstant(message.argument),
        let result = left.combined(message.selector.text, right)
      else { return nil }
      self = result
    default: return nil
    }
  }

  private static let minusOne = InversionConstant.exact(numerator: -1, denominator: 1)

  var isZero: Bool {
    switch self {
    case .exact(let numerator, _): numerator == 0
    case .float(let value): value == 0
    }
  }

  /// Whether it has powers that tell the exponent.
  var isBaseOfLogarithms: Bool { double > 0 && double != 1 }

  private var double: Double {
    switch self {
    case .exact(let numerator, let denominator): Double(numerator) / Double(denominator)
    case .float(let value): value
    }
  }

  /// The result of an operation; nil for one that is none of the four, a division by zero, or an
  /// exact number that is too large.
  func combined(_ operation: String, _ other: InversionConstant) -> InversionConstant? {
    guard case .exact(let a, let b) = self, case .exact(let c, let d) = other else {
      return combinedFloats(operation, other)
    }
    switch operation {
    case "+", "-":
      let (left, overLeft) = a.multipliedReportingOverflow(by: d)
      let (right, overRight) = c.multipliedReportingOverflow(by: b)
      let (sum, overSum) =
        operation == "+"
        ? left.addingReportingOverflow(right) : left.subtractingReportingOverflow(right)
      let (below, overBelow) = b.multipliedReportingOverflow(by: d)
      guard !overLeft, !overRight, !overSum, !overBelow else { return nil }
      return InversionConstant(sum, below)
    case "*": return InversionConstant(a, c, over: b, d)
    case "/": return c == 0 ? nil : InversionConstant(a, d, over: b, c)
    default: return nil
    }
  }

  private func combinedFloats(
    _ operation: String, _ other: InversionConstant
  ) -> InversionConstant? {
    switch operation {
    case "+": .float(double + other.double)
    case "-": .float(double - other.double)
    case "*": .float(double * other.double)
    case "/": other.isZero ? nil : .float(double / other.double)
    default: nil
    }
  }

  private init?(_ a: Int, _ c: Int, over b: Int, _ d: Int) {
    let (above, overAbove) = a.multipliedReportingOverflow(by: c)
    let (below, overBelow) = b.multipliedReportingOverflow(by: d)
    guard !overAbove, !overBelow else { return nil }
    self.init(above, below)
  }

  /// A fraction in lowest terms; nil when a part has no negative.
  private init?(_ numerator: Int, _ denominator: Int) {
    guard numerator != .min, denominator != .min, denominator != 0 else { return nil }
    var (a, b) = (abs(numerator), abs(denominator))
    while b != 0 { (a, b) = (b, a % b) }
    let sign = denominator < 0 ? -1 : 1
    self = .exact(numerator: sign * numerator / a, denominator: sign * denominator / a)
  }

  func term(_ at: SourceRange) -> InverseTerm {
    switch self {
    case .exact(let numerator, 1): .number(numerator)
    case .exact(let numerator, let denominator):
      .send("/", .number(numerator), [.number(denominator)], at)
    case .float(let value): .part(.float(FloatExpression(value: value, range: at)))
    }
  }
}
