internal import TenonLexer
internal import TenonParser

/// A formula that is one message to the collection in a place and asks for something that a change
/// of one element changes in a way that is known: `list sum`, `list[2 to: 5] max`.
struct FoldRecognition {
  /// What is asked for.
  enum Kind: String {
    case sum
    case average
    case max
    case min

    /// The messages of the kernel that the answer comes from.
    var selectors: [String] {
      switch self {
      case .sum: ["sum", "inject:into:", "do:"]
      case .average: ["average", "sum", "isEmpty", "size", "inject:into:", "do:"]
      case .max, .min: [rawValue, "reduce:", "do:"]
      }
    }
  }

  let kind: Kind
  /// The positions that take part, counted from 1; nil for all.
  let range: ClosedRange<Int>?

  /// Reads a formula; nil for one of another form.
  init?(_ formula: Expression) {
    guard case .unaryMessage(let message) = formula,
      let kind = Kind(rawValue: message.selector.text)
    else { return nil }
    self.kind = kind
    if message.receiver.isNameOfPlace {
      range = nil
      return
    }
    guard let range = FoldRecognition.range(message.receiver) else { return nil }
    self.range = range
  }

  /// The range of `list[2 to: 5]` and `list copyFrom: 2 to: 5`.
  private static func range(_ expression: Expression) -> ClosedRange<Int>? {
    switch expression {
    case .subscript(let subscription):
      guard subscription.receiver.isNameOfPlace,
        case .keywordMessage(let interval) = subscription.index,
        interval.keywords.map(\.text) == ["to:"]
      else { return nil }
      return range(from: interval.receiver, to: interval.arguments[0])
    case .keywordMessage(let message):
      guard message.receiver.isNameOfPlace,
        message.keywords.map(\.text) == ["copyFrom:", "to:"]
      else { return nil }
      return range(from: message.arguments[0], to: message.arguments[1])
    default: return nil
    }
  }

  private static func range(from first: Expression, to last: Expression) -> ClosedRange<Int>? {
    guard let first = first.smallNumber, let last = last.smallNumber, first >= 1, first <= last
    else { return nil }
    return first...last
  }
}

extension Expression {
  fileprivate var isNameOfPlace: Bool {
    switch self {
    case .name: true
    case .identifier(let identifier): VariablePlace(identifier)?.properties.isEmpty ?? false
    default: false
    }
  }

  /// The number that it is written as.
  fileprivate var smallNumber: Int? {
    guard case .integer = self else { return nil }
    return Int(SyntaxPrinter.print(self))
  }
}
