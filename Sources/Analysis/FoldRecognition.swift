package import TenonLexer
package import TenonParser

/// A formula that asks the elements in a place for something that a change of one element changes in
/// a way that is known: `list sum`, `list[2 to: 5] max`, `orders sum: [ :o | o price ]`,
/// `#(a, b, c) sum`.
package struct FoldRecognition {
  /// What is asked for.
  package enum Kind {
    case sum
    case average
    case max
    case min
    case count
  }

  /// What is done with each element first.
  package struct Step {
    package enum Kind {
      case collect
      case select
      case reject
    }

    package let kind: Kind
    /// Where its block stands.
    package let block: SourceRange
  }

  /// Where the elements come from.
  package enum Source {
    /// The collection that a place holds.
    case place(String)
    /// The places that the text lists.
    case elements([String])
  }

  package private(set) var kind: Kind
  /// The number with which `inject:into:` begins.
  package private(set) var start: Int?
  /// Whether no number stands for no elements: `reduce:`.
  package private(set) var needsElements: Bool
  package private(set) var steps: [Step] = []
  package private(set) var source: Source
  /// The positions that take part, counted from 1; nil for all.
  package private(set) var range: ClosedRange<Int>?

  /// The messages of the kernel that the answers come from.
  package static let selectors = [
    "sum", "sum:", "sumNumbers", "detectSum:", "average", "average:", "max", "max:", "min", "min:",
    "count:", "size", "isEmpty", "reduce:", "inject:into:", "do:", "collect:", "select:",
    "reject:", "collectedElements:", "selectedElements:", "copyEmpty", "species", "addAll:",
    "asArray", "copyFrom:to:", "at:",
  ]

  /// The messages to numbers that the answers come from.
  package static let numberSelectors = ["+", "/", "<", ">", "max:", "min:"]

  /// Reads a formula; nil for one of another form.
  package init?(_ formula: Expression) {
    guard let question = Question(formula.withoutPipe) else { return nil }
    kind = question.kind
    start = question.start
    needsElements = question.isReduction || start == nil && (kind == .max || kind == .min)
    var steps = question.step.map { [$0] } ?? []
    var receiver = question.receiver.withoutPipe
    while let (step, inner) = receiver.step {
      steps.insert(step, at: 0)
      receiver = inner.withoutPipe
    }
    // The size of what nothing was left out of is known anyway.
    if kind == .count, !steps.contains(where: { $0.kind != .collect }) { return nil }
    self.steps = steps
    if receiver.isNameOfPlace {
      source = .place(SyntaxPrinter.print(receiver))
    } else if case .array(let array) = receiver {
      guard !array.elements.isEmpty, array.elements.allSatisfy(\.isNameOfPlaceOrStored) else {
        return nil
      }
      source = .elements(array.elements.map { SyntaxPrinter.print($0) })
    } else {
      guard let (place, range) = FoldRecognition.range(receiver) else { return nil }
      source = .place(SyntaxPrinter.print(place))
      self.range = range
    }
  }

  /// What is asked, and of whom.
  private struct Question {
    var kind: Kind
    var receiver: Expression
    /// The number that the answer begins with.
    var start: Int?
    var isReduction = false
    var step: Step?

    init?(_ formula: Expression) {
      switch formula {
      case .unaryMessage(let message):
        receiver = message.receiver
        switch message.selector.text {
        case "sum", "sumNumbers": kind = .sum
        case "average": kind = .average
        case "max": kind = .max
        case "min": kind = .min
        case "size": kind = .count
        default: return nil
        }
      case .keywordMessage(let message):
        receiver = message.receiver
        guard let last = message.arguments.last, case .block(let block) = last else { return nil }
        var step: Step.Kind?
        var joining: Kind?
        switch message.keywords.map(\.text).joined() {
        case "sum:", "detectSum:": (joining, step) = (.sum, .collect)
        case "average:": (joining, step) = (.average, .collect)
        case "max:": (joining, step) = (.max, .collect)
        case "min:": (joining, step) = (.min, .collect)
        case "count:": (joining, step) = (.count, .select)
        case "reduce:":
          joining = block.joining
          isReduction = true
        case "inject:into:":
          joining = block.joining
          start = message.arguments[0].smallNumber
          if start == nil { return nil }
        default: return nil
        }
        guard let joining else { return nil }
        kind = joining
        if let step {
          guard block.isStep else { return nil }
          self.step = Step(kind: step, block: block.range)
        }
      default: return nil
      }
    }
  }

  /// The place and the range of `list[2 to: 5]` and `list copyFrom: 2 to: 5`.
  private static func range(_ expression: Expression) -> (Expression, ClosedRange<Int>)? {
    let place: Expression
    let (first, last): (Expression, Expression)
    switch expression {
    case .subscript(let subscription):
      guard case .keywordMessage(let interval) = subscription.index,
        interval.keywords.map(\.text) == ["to:"]
      else { return nil }
      (place, first, last) = (subscription.receiver, interval.receiver, interval.arguments[0])
    case .keywordMessage(let message):
      guard message.keywords.map(\.text) == ["copyFrom:", "to:"] else { return nil }
      (place, first, last) = (message.receiver, message.arguments[0], message.arguments[1])
    default: return nil
    }
    guard place.isNameOfPlace, let first = first.smallNumber, let last = last.smallNumber,
      first >= 1, first <= last
    else { return nil }
    return (place, first...last)
  }
}

extension BlockExpression {
  /// Whether it says something of one element.
  fileprivate var isStep: Bool {
    parameters.count + implicitCount == 1
      && !statements.contains { if case .return = $0 { true } else { false } }
  }

  /// What two elements are joined to: `[ :a :b | a + b ]`, `[ :a :b | a max: b ]`.
  fileprivate var joining: FoldRecognition.Kind? {
    guard parameters.count == 2, statements.count == 1,
      case .expression(let expression) = statements[0]
    else { return nil }
    let kind: FoldRecognition.Kind
    let operands: [Expression]
    switch expression {
    case .binaryMessage(let message) where message.selector.text == "+":
      (kind, operands) = (.sum, [message.receiver, message.argument])
    case .keywordMessage(let message) where message.keywords.map(\.text) == ["max:"]:
      (kind, operands) = (.max, [message.receiver, message.arguments[0]])
    case .keywordMessage(let message) where message.keywords.map(\.text) == ["min:"]:
      (kind, operands) = (.min, [message.receiver, message.arguments[0]])
    default: return nil
    }
    let names = operands.map { if case .name(let name) = $0 { name.name.text } else { "" } }
    return names == parameters.map(\.text) ? kind : nil
  }
}

extension Expression {
  /// What stands before a bar that only ends it.
  fileprivate var withoutPipe: Expression {
    var expression = self
    while case .pipe(let pipe) = expression { expression = pipe.input }
    return expression
  }

  /// What is done with each element, and of which collection they are.
  fileprivate var step: (FoldRecognition.Step, Expression)? {
    guard case .keywordMessage(let message) = self, message.keywords.count == 1,
      case .block(let block) = message.arguments[0], block.isStep
    else { return nil }
    let kind: FoldRecognition.Step.Kind
    switch message.keywords[0].text {
    case "collect:": kind = .collect
    case "select:": kind = .select
    case "reject:": kind = .reject
    default: return nil
    }
    return (FoldRecognition.Step(kind: kind, block: block.range), message.receiver)
  }

  fileprivate var isNameOfPlace: Bool {
    switch self {
    case .name: true
    case .identifier(let identifier): VariablePlace(identifier)?.properties.isEmpty ?? false
    default: false
    }
  }

  fileprivate var isNameOfPlaceOrStored: Bool {
    if case .identifier(let identifier) = self { return identifier.path.hasNoExpressions }
    return isNameOfPlace
  }

  /// The number that it is written as.
  fileprivate var smallNumber: Int? {
    guard case .integer = self else { return nil }
    return Int(SyntaxPrinter.print(self))
  }
}
