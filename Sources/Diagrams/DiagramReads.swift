internal import TenonAnalysis
internal import TenonLexer
package import TenonParser

/// Collects the places that the text of an expression reads, those left out that it declares
/// itself.
package struct DiagramReads {
  package private(set) var places: [Expression] = []
  private var declared: [Set<String>] = []

  package init(_ expression: Expression) {
    visit(expression)
  }

  private mutating func visit(_ expression: Expression) {
    // A chain of messages is a spine that may be long: only arguments are followed by recursion.
    var spine = [expression]
    while let receiver = spine[spine.count - 1].spineReceiver { spine.append(receiver) }
    for link in spine.reversed() { visit(link, isLink: link.spineReceiver != nil) }
  }

  private mutating func visit(_ expression: Expression, isLink: Bool) {
    switch expression {
    case .name(let name):
      guard Diagram.isVariable(name.name.text),
        !declared.contains(where: { $0.contains(name.name.text) })
      else { return }
      places.append(expression)
    case .identifier(let identifier):
      if identifier.path.hasNoExpressions, !identifier.path.isEmpty,
        identifier.scheme.text != "class"
      {
        places.append(expression)
      }
      expression.forEachChild { visit($0) }
    case .block(let block): visit(block)
    case .query(let query): visit(query.block)
    case .unaryMessage, .pipe: break
    case .binaryMessage(let message): visit(message.argument)
    case .keywordMessage(let message): message.arguments.forEach { visit($0) }
    case .cascade(let cascade):
      for message in cascade.messages { message.arguments.forEach { visit($0) } }
    case .subscript(let subscription): visit(subscription.index)
    default: expression.forEachChild { visit($0) }
    }
  }

  private mutating func visit(_ block: BlockExpression) {
    declared.append(block.declaredNames)
    block.forEachValue { visit($0) }
    declared.removeLast()
  }
}

extension Diagram {
  /// Whether a bare name means a variable: classes begin with a capital.
  static func isVariable(_ name: String) -> Bool {
    guard ReservedName(rawValue: name) == nil, let first = name.unicodeScalars.first else {
      return false
    }
    return !first.properties.isUppercase
  }
}
