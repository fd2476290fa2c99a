internal import TenonLexer
package import TenonSolverKit
package import TenonParser

/// A formula as a sum of products, read from its text.
///
/// What is not arithmetic is a leaf: a place, or an expression whose value is all that counts.
/// Products and sums are multiplied out, so that `2 * (x + y) - x` is `x + 2 * y`. Whether that is
/// linear depends on which leaves are variables, which is known when the connection is made.
package struct LinearAnalysis {
  /// What numbers are multiplied by.
  package struct Leaf {
    package let expression: Expression
    /// Its text, which tells leaves apart.
    package let name: String
    /// Whether it may be a place; else only its value counts.
    package let isPlace: Bool
  }

  /// `number * factor * ... / divisor / ...`, the factors being numbers of leaves.
  package struct Product {
    package var number: SolverNumber
    package var factors: [Int]
    package var divisors: [Int]
    /// The part of the text that multiplies or divides, for messages.
    package var text: String?

    package init(
      number: SolverNumber, factors: [Int], divisors: [Int], text: String? = nil
    ) {
      self.number = number
      self.factors = factors
      self.divisors = divisors
      self.text = text
    }
  }

  /// The most summands that multiplying out may come to.
  package static let limit = 4_096

  package private(set) var leaves: [Leaf] = []
  package private(set) var products: [Product] = []
  private var numberOfLeaf: [String: Int] = [:]
  /// Whether multiplying out came to more than the limit.
  package private(set) var isTooLarge = false

  /// Analyses an expression.
  package init(_ expression: Expression) {
    products = sum(of: expression)
  }

  /// Analyses `left - right`; the left side is the first leaf.
  package init(_ left: Expression, less right: Expression) {
    let first = leaf(left, isPlace: true)
    let subtrahend = sum(of: right).map { negated($0) }
    products = collected([Product(number: .one, factors: [first], divisors: [])] + subtrahend)
  }

  /// Analyses `left - right` where both are sums with places; nil when that is not affine, or has
  /// no places on the left.
  init?(_ left: Expression, equals right: Expression) {
    let first = sum(of: left)
    products = collected(first + sum(of: right).map { negated($0) })
    guard isAffine, first.contains(where: { !$0.factors.isEmpty }), leaves.count > 1,
      Set(products.flatMap(\.factors)).count == leaves.count
    else { return nil }
  }

  /// Whether any leaf may be a place.
  var hasPlaces: Bool { leaves.contains { $0.isPlace } }

  /// Whether every summand has a place at most once and nothing else but numbers.
  package var isAffine: Bool {
    !isTooLarge
      && products.allSatisfy { product in
        product.factors.count <= 1 && product.divisors.isEmpty
          && product.factors.allSatisfy { leaves[$0].isPlace }
      }
  }

  /// Whether it is affine as soon as enough of its places count as constants.
  package var mayBeLinear: Bool {
    !isTooLarge
      && products.allSatisfy { product in
        (product.factors + product.divisors).allSatisfy { leaves[$0].isPlace }
      }
  }

  /// The text of the first product or quotient of places, unless something else is not linear, too.
  package var productOfPlaces: String? {
    guard mayBeLinear else { return nil }
    return products.lazy.compactMap { product in
      product.factors.count + product.divisors.count > 1 || !product.divisors.isEmpty
        ? product.text : nil
    }.first
  }

  // MARK: Reading

  private mutating func sum(of expression: Expression) -> [Product] {
    switch expression {
    case .integer(let integer): return number(LinearAnalysis.number(integer))
    case .float(let float): return number(SolverNumber(float.value))
    case .scaledDecimal(let decimal): return number(LinearAnalysis.number(decimal))
    case .unaryMessage(let message) where message.selector.text == "negated":
      return sum(of: message.receiver).map { negated($0) }
    case .binaryMessage(let message):
      return arithmetic(message) ?? opaque(expression)
    default: return opaque(expression)
    }
  }

  private func number(_ number: SolverNumber) -> [Product] {
    [Product(number: number, factors: [], divisors: [])]
  }

  private mutating func opaque(_ expression: Expression) -> [Product] {
    let index = leaf(expression, isPlace: expression.mayBePlace)
    return [Product(number: .one, factors: [index], divisors: [])]
  }

  private mutating func leaf(_ expression: Expression, isPlace: Bool) -> Int {
    let name = SyntaxPrinter.print(expression)
    if let known = numberOfLeaf[name] { return known }
    numberOfLeaf[name] = leaves.count
    leaves.append(Leaf(expression: expression, name: name, isPlace: isPlace))
    return leaves.count - 1
  }

  private func negated(_ product: Product) -> Product {
    var product = product
    product.number = -product.number
    return product
  }

  private mutating func arithmetic(_ message: BinaryMessageExpression) -> [Product]? {
    switch message.selector.text {
    case "+": return collected(sum(of: message.receiver) + sum(of: message.argument))
    case "-":
      let left = sum(of: message.receiver)
      return collected(left + sum(of: message.argument).map { negated($0) })
    case "*":
      let (left, right) = (sum(of: message.receiver), sum(of: message.argument))
      guard left.count * right.count <= LinearAnalysis.limit else {
        isTooLarge = true
        return nil
      }
      let text = SyntaxPrinter.print(.binaryMessage(message))
      return collected(
        left.flatMap { a in
          right.map { b in
            Product(
              number: a.number * b.number, factors: a.factors + b.factors,
              divisors: a.divisors + b.divisors,
              text: a.factors.isEmpty || b.factors.isEmpty ? a.text ?? b.text : text)
          }
        })
    case "/":
      let right = sum(of: message.argument)
      // What is divided by a sum is divided by a leaf that is worth as much.
      let divisor = right.count == 1 && !right[0].number.isZero ? right[0] : nil
      let by = divisor ?? opaque(message.argument)[0]
      let text = SyntaxPrinter.print(.binaryMessage(message))
      return sum(of: message.receiver).map { product in
        Product(
          number: product.number / by.number, factors: product.factors + by.divisors,
          divisors: product.divisors + by.factors,
          text: by.factors.isEmpty ? product.text : text)
      }
    default: return nil
    }
  }

  /// A sum with like summands put together.
  ///
  /// What is multiplied by 0 or cancels out is left out, but for places, and for what might divide by
  /// zero.
  private func collected(_ sum: [Product]) -> [Product] {
    var collected: [Product] = []
    var places: [[Int]: Int] = [:]
    for product in sum {
      var product = product
      product.factors.sort()
      product.divisors.sort()
      let key = product.factors + [-1] + product.divisors
      if let place = places[key] {
        collected[place].number = collected[place].number + product.number
      } else {
        places[key] = collected.count
        collected.append(product)
      }
    }
    return collected.filter {
      !$0.number.isZero || !$0.factors.isEmpty || !$0.divisors.isEmpty
    }
  }

  // MARK: Numbers

  private static func number(_ integer: IntegerExpression) -> SolverNumber {
    let sign = integer.isNegative ? "-" : ""
    if let value = Int(sign + integer.digits, radix: integer.radix) { return SolverNumber(value) }
    let radix = Double(integer.radix)
    let magnitude = integer.digits.reduce(0.0) { $0 * radix + Double($1.hexDigitValue ?? 0) }
    return SolverNumber(integer.isNegative ? -magnitude : magnitude)
  }

  private static func number(_ decimal: ScaledDecimalExpression) -> SolverNumber {
    var scale = 1
    for _ in 0..<decimal.fractionCount where scale <= Int.max / 10 { scale *= 10 }
    if decimal.fractionCount <= 18, let digits = Int(decimal.digits),
      let number = SolverNumber(
        numerator: decimal.isNegative ? -digits : digits, denominator: scale)
    {
      return number
    }
    var value = Double(decimal.digits) ?? 0
    for _ in 0..<decimal.fractionCount { value /= 10 }
    return SolverNumber(decimal.isNegative ? -value : value)
  }
}

extension Expression {
  /// Whether it could be a place: that is known when it runs.
  fileprivate var mayBePlace: Bool {
    switch self {
    case .name(let name): ReservedName(rawValue: name.name.text) == nil
    case .identifier(let identifier): !identifier.path.isEmpty
    case .subscript: true
    case .keywordMessage: askedElement != nil
    case .unaryMessage(let message): message.receiver.isPlaceOrSelf
    default: false
    }
  }

  /// Whether it ends in the name of a layout attribute, so that it may be one of a view.
  package var mayBeLayoutAttribute: Bool {
    let name: String?
    switch self {
    case .name(let expression): name = expression.name.text
    case .unaryMessage(let message): name = message.selector.text
    case .identifier(let identifier): name = identifier.path.components.last?.text
    default: name = nil
    }
    return name.map { layoutAttributes.contains($0) } ?? false
  }
}

/// The properties of views that layout determines.
package let layoutAttributes: Set<String> = [
  "left", "right", "top", "bottom", "width", "height", "centerX", "centerY", "baseline",
]
