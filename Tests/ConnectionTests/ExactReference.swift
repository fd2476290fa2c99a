internal import TenonSolverKit
import TenonRuntime

/// A fraction of integers of 128 bits.
struct Rational: Comparable {
  let top: Int128
  let bottom: Int128

  init(_ top: Int128, _ bottom: Int128 = 1) {
    var (a, b) = (top.magnitude, bottom.magnitude)
    while b != 0 { (a, b) = (b, a % b) }
    let divisor = a == 0 ? 1 : Int128(a)
    let sign: Int128 = bottom < 0 ? -1 : 1
    self.top = sign * top / divisor
    self.bottom = sign * bottom / divisor
  }

  static func + (a: Rational, b: Rational) -> Rational {
    Rational(a.top * b.bottom + b.top * a.bottom, a.bottom * b.bottom)
  }
  static func * (a: Rational, b: Rational) -> Rational {
    Rational(a.top * b.top, a.bottom * b.bottom)
  }
  static func / (a: Rational, b: Rational) -> Rational {
    Rational(a.top * b.bottom, a.bottom * b.top)
  }
  static prefix func - (a: Rational) -> Rational { Rational(-a.top, a.bottom) }
  static func < (a: Rational, b: Rational) -> Bool { a.top * b.bottom < b.top * a.bottom }

  var isZero: Bool { top == 0 }
}

/// A slow and exact way to say what the solution is: eliminate all variables but one, put that one
/// as near as possible to where it should be, and go on with the next.
///
/// Algorithm: J. Fourier's and T. Motzkin's elimination, without regard to how many inequalities
/// come of it.
struct ExactReference {
  /// `sum of factors * variables + constant >= 0`, or `= 0`.
  struct Statement {
    var factors: [Int: Rational]
    var constant: Rational
    var isEquation: Bool
  }

  private(set) var statements: [Statement] = []

  mutating func add(
    _ factors: [Int: Int], _ constant: Rational, _ relation: Relation
  ) {
    var factors = factors.mapValues { Rational(Int128($0)) }.filter { !$0.value.isZero }
    var constant = constant
    if relation == .atMost {
      factors = factors.mapValues { -$0 }
      constant = -constant
    }
    statements.append(
      Statement(factors: factors, constant: constant, isEquation: relation == .equal))
  }

  /// The least and the greatest value of a sum; nil where there is no solution at all.
  func range(
    of factors: [Int: Int], _ constant: Rational = Rational(0)
  ) -> (low: Rational?, high: Rational?)? {
    let goal = -1
    var all = statements
    var definition = factors.mapValues { Rational(Int128($0)) }.filter { !$0.value.isZero }
    definition[goal] = Rational(-1)
    all.append(Statement(factors: definition, constant: constant, isEquation: true))
    while let variable = all.lazy.flatMap(\.factors.keys).first(where: { $0 != goal }) {
      all = ExactReference.eliminate(variable, from: all)
    }
    var (low, high): (Rational?, Rational?)
    for statement in all {
      guard let factor = statement.factors[goal] else {
        let holds =
          statement.isEquation ? statement.constant.isZero : statement.constant >= Rational(0)
        if !holds { return nil }
        continue
      }
      let bound = -statement.constant / factor
      if statement.isEquation || factor > Rational(0) { low = low.map { max($0, bound) } ?? bound }
      if statement.isEquation || factor < Rational(0) {
        high = high.map { min($0, bound) } ?? bound
      }
    }
    if let low, let high, low > high { return nil }
    return (low, high)
  }

  private static func eliminate(_ variable: Int, from all: [Statement]) -> [Statement] {
    func combine(_ a: Statement, _ p: Rational, _ b: Statement, _ q: Rational) -> Statement {
      var factors = a.factors.mapValues { $0 * p }
      for (variable, factor) in b.factors {
        factors[variable] = (factors[variable] ?? Rational(0)) + factor * q
      }
      factors = factors.filter { !$0.value.isZero }
      return Statement(
        factors: factors, constant: a.constant * p + b.constant * q,
        isEquation: a.isEquation && b.isEquation)
    }
    if let index = all.firstIndex(where: { $0.isEquation && $0.factors[variable] != nil }) {
      let equation = all[index]
      guard let own = equation.factors[variable] else { return all }
      return all.enumerated().compactMap { position, statement in
        guard position != index else { return nil }
        guard let factor = statement.factors[variable] else { return statement }
        var result = combine(statement, Rational(1), equation, -factor / own)
        result.isEquation = statement.isEquation
        return result
      }
    }
    var rest: [Statement] = []
    var lower: [(Statement, Rational)] = []
    var upper: [(Statement, Rational)] = []
    for statement in all {
      guard let factor = statement.factors[variable] else {
        rest.append(statement)
        continue
      }
      if factor > Rational(0) {
        lower.append((statement, factor))
      } else {
        upper.append((statement, -factor))
      }
    }
    for (a, p) in lower { for (b, q) in upper { rest.append(combine(a, q, b, p)) } }
    return rest
  }

  /// Puts a sum as near to zero, or to the side of it that the relation says, as the others let it.
  mutating func settle(_ factors: [Int: Int], _ constant: Rational, _ relation: Relation) {
    guard let range = range(of: factors, constant) else { return }
    let zero = Rational(0)
    let isBelow = range.high.map { $0 < zero } ?? false
    let isAbove = range.low.map { $0 > zero } ?? false
    switch relation {
    case .equal where !isBelow && !isAbove: add(factors, constant, .equal)
    case .atLeast where !isBelow: add(factors, constant, .atLeast)
    case .atMost where !isAbove: add(factors, constant, .atMost)
    default:
      guard let end = isBelow ? range.high : range.low else { return }
      add(factors, constant + -end, .equal)
    }
  }
}
