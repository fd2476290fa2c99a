internal import TenonLexer
package import TenonParser

/// Makes a tree of steps from the syntax of a formula, and finds the places in it.
struct InversionReader {
  /// An occurrence of a place.
  struct Leaf {
    package let name: String
    let expression: Expression
    let node: InversionNode
  }

  let names: any InversionNames
  /// Whether a message that is no step is a property.
  let hasProperties: Bool
  /// Whether messages such as `hours` make durations of numbers; else they name properties.
  let hasUnits: Bool
  /// The parameter of the block that is read, if it is one.
  let element: String?
  private(set) var leaves: [Leaf] = []

  init(names: any InversionNames, hasProperties: Bool, hasUnits: Bool, element: String? = nil) {
    self.names = names
    self.hasProperties = hasProperties
    self.hasUnits = hasUnits
    self.element = element
  }

  mutating func read(_ expression: Expression) -> InversionNode {
    if let name = placeName(expression) { return leaf(expression, name) }
    switch expression {
    case .pipe(let pipe): return read(pipe.input)
    case .unaryMessage(let message):
      return step(
        expression, message.selector.text, message.selector.range, message.receiver, [])
    case .binaryMessage(let message):
      return step(
        expression, message.selector.text, message.selector.range, message.receiver,
        [message.argument])
    case .keywordMessage(let message): return read(message, expression)
    case .subscript(let subscription):
      return step(
        expression, "at:", subscription.index.range, subscription.receiver, [subscription.index])
    case .interpolatedString(let string): return read(string, expression)
    case .query(let query):
      return step(expression, "select:", query.range, query.receiver, [.block(query.block)])
    case .array(let array):
      return InversionNode(
        expression, operation: SyntaxPrinter.print(expression), at: array.range,
        operands: array.elements.map { read($0) }, rule: InversionRules.elements)
    case .dictionary(let dictionary) where dictionary.entries.allSatisfy(\.key.isPlainLiteral):
      return InversionNode(
        expression, operation: SyntaxPrinter.print(expression), at: dictionary.range,
        operands: dictionary.entries.map { read($0.value) },
        rule: InversionRules.entries(dictionary.entries.map(\.key)))
    default: return opaque(expression)
    }
  }

  private mutating func leaf(_ expression: Expression, _ name: String) -> InversionNode {
    let node = InversionNode(expression, at: expression.range, name: name)
    leaves.append(Leaf(name: name, expression: expression, node: node))
    return node
  }

  private mutating func step(
    _ expression: Expression, _ selector: String, _ at: SourceRange, _ receiver: Expression,
    _ arguments: [Expression]
  ) -> InversionNode {
    let operands = ([receiver] + arguments).map { read($0) }
    let declared = names.declaredInverses(of: selector)
    let rule: InversionRule =
      if !declared.isEmpty {
        InversionRules.rule(for: selector, declared: declared)
      } else if selector == "at:", isMember(expression) {
        .steps([0: InversionRules.member])
      } else if selector == "@" {
        InversionRules.coordinates
      } else if selector == "collect:" {
        InversionRules.collecting(InversionReader.inverse(of: arguments[0], names: names))
      } else {
        InversionRules.rule(for: selector, declared: declared)
      }
    return InversionNode(
      expression, operation: selector, at: at, operands: operands, rule: rule)
  }

  private mutating func read(
    _ message: KeywordMessageExpression, _ expression: Expression
  ) -> InversionNode {
    let selector = message.keywords.map(\.text).joined()
    let at = message.keywords.map(\.range).reduce(message.keywords[0].range) { $0.union($1) }
    if case .conditional(let conditional)? = InlinedMessage(message),
      let consequence = conditional.consequence?.onlyExpression,
      let alternative = conditional.alternative?.onlyExpression
    {
      let operands = [conditional.condition, consequence, alternative].map { read($0) }
      let isDecision = consequence.isConstant && alternative.isConstant
      return InversionNode(
        expression, operation: selector, at: at, operands: operands,
        rule: !isDecision ? .choice : consequence.isSameConstant(alternative) ? .none : .decision)
    }
    return step(expression, selector, at, message.receiver, message.arguments)
  }

  private mutating func read(
    _ string: InterpolatedStringExpression, _ expression: Expression
  ) -> InversionNode {
    let operands = string.flattenedParts.map { part in
      switch part {
      case .text(let text):
        InversionNode(
          .string(StringExpression(value: text, range: string.range)), at: string.range)
      case .expression(let expression): read(expression)
      }
    }
    return InversionNode(
      expression, operation: "\"...\"", at: string.range, operands: operands, rule: .text)
  }

  /// What no step is known for: all places in it are lost there.
  private mutating func opaque(_ expression: Expression) -> InversionNode {
    var parts: [Expression] = []
    expression.forEachPart { parts.append($0) }
    let operands = parts.map { read($0) }
    return InversionNode(
      expression, operation: SyntaxPrinter.print(expression), at: expression.range,
      operands: operands)
  }

  // MARK: Places

  /// One spelling for a place that can be written; nil for everything else.
  func placeName(_ expression: Expression) -> String? {
    switch expression {
    case .name(let name): return names.isAssignable(name.name) ? name.name.text : nil
    case .implicitParameter(let parameter): return element == "$\(parameter.index)" ? element : nil
    case .identifier(let identifier):
      if let place = VariablePlace(identifier) {
        guard place.properties.isEmpty else {
          return isKnown(identifier.path) ? SyntaxPrinter.print(expression) : nil
        }
        return names.isAssignable(place.name) ? place.name.text : nil
      }
      guard !identifier.path.isEmpty, identifier.scheme.text != "class",
        isKnown(identifier.path)
      else { return nil }
      return SyntaxPrinter.print(expression)
    case .unaryMessage(let message):
      let selector = message.selector.text
      guard hasProperties, !isOperation(selector), isOwner(message.receiver),
        names.declaredInverses(of: selector).isEmpty
      else { return nil }
      return SyntaxPrinter.print(expression)
    case .subscript(let subscription):
      guard isOwner(subscription.receiver), subscription.index.isPlainLiteral,
        !isMember(expression)
      else { return nil }
      return SyntaxPrinter.print(expression)
    case .keywordMessage:
      guard let element = expression.askedElement, names.declaredInverses(of: "at:").isEmpty else {
        return nil
      }
      return placeName(.subscript(element))
    default: return nil
    }
  }

  /// Whether an expression is a member of a value that is put anew when the member changes.
  private func isMember(_ expression: Expression) -> Bool {
    expression.isMemberOfValue || element.map { expression.isMember(ofVariable: $0) } ?? false
  }

  /// Whether the expressions of a path mean something outside of all blocks of the formula, whose
  /// parameters belong to no one place.
  private func isKnown(_ path: PathExpression) -> Bool {
    var isKnown = true
    path.forEachExpression { isKnown = isKnown && self.isKnown($0) }
    return isKnown
  }

  private func isKnown(_ expression: Expression) -> Bool {
    switch expression {
    case .name(let name): return names.isKnown(name.name)
    case .implicitParameter(let parameter):
      return names.isKnown(Name("$\(parameter.index)", parameter.range))
    default:
      var isKnown = true
      expression.forEachChild { isKnown = isKnown && self.isKnown($0) }
      return isKnown
    }
  }

  /// The names of the places that say where others are: what stands in braces in the paths of places.
  var deciding: Set<String> {
    var found: Set<String> = []
    func visit(_ expression: Expression) {
      if let name = placeName(expression) { found.insert(name) }
      expression.forEachPart { visit($0) }
    }
    func visitPaths(in expression: Expression) {
      if case .identifier(let identifier) = expression {
        identifier.path.forEachExpression { visit($0) }
      }
      expression.forEachChild { visitPaths(in: $0) }
    }
    for leaf in leaves { visitPaths(in: leaf.expression) }
    return found
  }

  /// Whether an expression may stand before a property that can be written.
  private func isOwner(_ expression: Expression) -> Bool {
    switch expression {
    case .name(let name): names.isValue(name.name) || name.name.text == "self"
    case .identifier: true
    case .subscript(let subscription):
      isOwner(subscription.receiver) && subscription.index.isPlainLiteral
    case .keywordMessage: expression.askedElement.map { isOwner(.subscript($0)) } ?? false
    case .unaryMessage(let message):
      isOwner(message.receiver) && !isOperation(message.selector.text)
    default: false
    }
  }

  private func isOperation(_ selector: String) -> Bool {
    InversionRules.isOperation(selector) || hasUnits && InversionRules.units[selector] != nil
  }
}

extension BlockExpression {
  /// The expression that the block consists of, if it is nothing else.
  fileprivate var onlyExpression: Expression? {
    guard parameterCount == 0, statements.count == 1, case .expression(let only) = statements[0]
    else { return nil }
    return only
  }
}

extension Expression {
  /// The element that is asked for by a message with its index or key as a literal: `list at: 1`.
  package var askedElement: SubscriptExpression? {
    guard case .keywordMessage(let message) = self, message.keywords.map(\.text) == ["at:"],
      message.arguments[0].isPlainLiteral, message.receiver.isPlaceOrSelf
    else { return nil }
    return SubscriptExpression(
      receiver: message.receiver, index: message.arguments[0], range: message.range)
  }

  package var isPlainLiteral: Bool {
    switch self {
    case .integer, .string, .symbol, .character: true
    default: false
    }
  }

  /// What messages are sent to in it that make durations of numbers, or name properties of other objects.
  ///
  /// - Complexity: O(size of the expression).
  package var unitReceivers: [Expression] {
    var found: [Expression] = []
    var waiting = [self]
    while let expression = waiting.popLast() {
      if case .unaryMessage(let message) = expression,
        InversionRules.units[message.selector.text] != nil, message.receiver.isPlaceOrSelf
      {
        found.append(message.receiver)
      }
      expression.forEachChild { waiting.append($0) }
    }
    return found
  }

  /// Whether it is a literal that is always the same value.
  var isConstant: Bool {
    switch self {
    case .integer, .float, .scaledDecimal, .string, .character, .symbol: true
    case .name(let name):
      [ReservedName.true, .false, .nil].contains { $0.rawValue == name.name.text }
    case .pipe(let pipe): pipe.input.isConstant
    case .unaryMessage, .binaryMessage: InversionConstant(self) != nil
    default: false
    }
  }

  /// Whether another constant has the same value: numbers by what they are worth, texts and symbols by
  /// what they say.
  func isSameConstant(_ other: Expression) -> Bool {
    if let one = InversionConstant(self), let another = InversionConstant(other) {
      return one.combined("-", another)?.isZero ?? true
    }
    if let one = constantText, let another = other.constantText { return one == another }
    return SyntaxPrinter.print(self) == SyntaxPrinter.print(other)
  }

  /// Whether it is a member, by a literal key, of what a store holds or a text says: to change it is to
  /// change the whole.
  package var isMemberOfValue: Bool {
    let receiver: Expression
    switch self {
    case .subscript(let subscription) where subscription.index.isPlainLiteral:
      receiver = subscription.receiver
    case .keywordMessage:
      guard let element = literalElement else { return false }
      receiver = element.receiver
    case .pipe(let pipe): return pipe.input.isMemberOfValue
    default: return false
    }
    return receiver.isStoredValue || receiver.isMemberOfValue
  }

  /// Whether it is a member, by a literal key, of what a variable holds, or of such a member.
  func isMember(ofVariable name: String) -> Bool {
    let receiver: Expression
    switch self {
    case .subscript(let subscription) where subscription.index.isPlainLiteral:
      receiver = subscription.receiver
    case .keywordMessage:
      guard let element = literalElement else { return false }
      receiver = element.receiver
    case .pipe(let pipe): return pipe.input.isMember(ofVariable: name)
    default: return false
    }
    switch receiver {
    case .name(let variable): return variable.name.text == name
    case .implicitParameter(let parameter): return "$\(parameter.index)" == name
    default: return receiver.isMember(ofVariable: name)
    }
  }

  private var literalElement: SubscriptExpression? {
    guard case .keywordMessage(let message) = self, message.keywords.map(\.text) == ["at:"],
      message.arguments[0].isPlainLiteral
    else { return nil }
    return SubscriptExpression(
      receiver: message.receiver, index: message.arguments[0], range: message.range)
  }

  /// Whether it is a place of a store, or a text that is read as JSON.
  private var isStoredValue: Bool {
    switch self {
    case .identifier(let identifier):
      VariablePlace(identifier) == nil && !identifier.path.isEmpty
        && !["self", "class", "ref"].contains(identifier.scheme.text)
    case .pipe(let pipe): pipe.input.isStoredValue
    case .unaryMessage(let message): message.selector.text == "parseJSON"
    default: false
    }
  }

  private var constantText: String? {
    switch self {
    case .string(let string): string.value
    case .symbol(let symbol): symbol.value
    case .pipe(let pipe): pipe.input.constantText
    default: nil
    }
  }

  /// The first value that a literal map has under several keys, as far as constants tell.
  ///
  /// - Complexity: O(n²) for the n entries of a literal of at most 1,000; of a larger one that is not told.
  var repeatedConstant: Expression? {
    let values: [Expression]
    switch self {
    case .dictionary(let dictionary): values = dictionary.entries.map(\.value)
    case .array(let array): values = array.elements
    case .pipe(let pipe): return pipe.input.repeatedConstant
    default: return nil
    }
    guard values.count <= 1_000 else { return nil }
    for (index, value) in values.enumerated() where value.isConstant {
      if values[..<index].contains(where: { $0.isConstant && $0.isSameConstant(value) }) {
        return value
      }
    }
    return nil
  }

  /// Calls a function with every expression directly inside this one, those of a block's statements
  /// as well.
  fileprivate func forEachPart(_ body: (Expression) -> Void) {
    forEachChild(body)
    let block: BlockExpression? =
      switch self {
      case .block(let block): block
      case .query(let query): query.block
      default: nil
      }
    for statement in block?.statements ?? [] {
      switch statement {
      case .expression(let expression): body(expression)
      case .return(let statement): body(statement.value)
      case .variable(let statement): if let value = statement.value { body(value) }
      case .temporaries, .definition, .import: break
      }
    }
  }
}
