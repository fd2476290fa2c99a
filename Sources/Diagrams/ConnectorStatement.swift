internal import TenonLexer
package import TenonParser

/// A statement with a connector, taken apart: `name := (a >=| e) strength: #weak`.
package struct ConnectorStatement {
  package let connect: ConnectExpression
  /// The place that the connection is assigned to.
  package let name: String?
  /// What is sent to the connection.
  package let messages: String?
  /// The same, one by one.
  package let messageList: [ConnectorMessage]

  init(_ connect: ConnectExpression) {
    self.connect = connect
    name = nil
    messages = nil
    messageList = []
  }

  /// A statement under another name, and with what is sent to the connection of a third one.
  package init(
    _ statement: ConnectorStatement, name: String?, messagesOf other: ConnectorStatement?
  ) {
    connect = statement.connect
    self.name = name
    messages = other?.messages
    messageList = other?.messageList ?? []
  }

  /// Takes an expression apart; nil for one that is not about a connection in the first place.
  package init?(_ expression: Expression) {
    var value = expression
    var names: [String] = []
    /// The chains of messages, the outermost first.
    var chains: [Expression] = []
    while true {
      if case .connect(let connect) = value {
        self.connect = connect
        break
      }
      if case .assignment(let assignment) = value {
        names.append(SyntaxPrinter.print(assignment.target))
        // What answers something else is not what is assigned here: the connection is.
        chains.removeAll { chain in
          !ConnectorMessage.list(in: chain).allSatisfy {
            ConnectorMessage.settings.contains($0.selector)
          }
        }
        value = assignment.value
      } else {
        var root = value
        while let receiver = root.spineReceiver { root = receiver }
        guard value.spineReceiver != nil else { return nil }
        chains.append(value)
        value = root
      }
    }
    name = names.isEmpty ? nil : names.joined(separator: " := ")
    messageList = chains.reversed().flatMap { ConnectorMessage.list(in: $0) }
    // What is left when the connection is a short name is what is sent to it.
    let stand = Expression.name(NameExpression(name: Name("k", .none), range: .none))
    let texts = chains.map { SyntaxPrinter.print($0.replacingSpineRoot(by: stand)) }
    if texts.isEmpty {
      messages = nil
    } else if texts.count == 1, texts[0].hasPrefix("k ") {
      messages = String(texts[0].dropFirst(2))
    } else {
      // One behind the other instead of one around the other.
      guard chains.allSatisfy(\.isMessageChain) else { return nil }
      messages = messageList.map(\.text).joined(separator: " | ")
    }
  }

  /// What matters from afar of what is sent to the connection.
  var policyText: String {
    messageList.filter { ["policy:", "truth:"].contains($0.selector) }
      .map(\.text).joined(separator: ", ")
  }

  /// The operands as they stand in the statement, parentheses included where it needs them.
  package var operandTexts: [String] {
    let connector = connect.connector.text
    let stand = Expression.name(NameExpression(name: Name("k", .none), range: .none))
    func text(_ left: Expression, _ right: Expression) -> String {
      SyntaxPrinter.print(
        Statement.expression(
          .connect(
            ConnectExpression(
              connector: connect.connector, operands: [left, right], range: connect.range))))
    }
    return connect.operands.enumerated().map { index, operand in
      index == 0
        ? String(text(operand, stand).dropLast(connector.count + 3))
        : String(text(stand, operand).dropFirst(connector.count + 3))
    }
  }
}

extension Expression {
  /// Whether nothing but messages are sent to what stands at the beginning of its chain.
  fileprivate var isMessageChain: Bool {
    var link = self
    while let receiver = link.spineReceiver {
      switch link {
      case .unaryMessage, .binaryMessage, .keywordMessage, .cascade, .pipe: link = receiver
      default: return false
      }
    }
    return true
  }

  /// The expression with something else at the beginning of its chain of messages.
  ///
  /// - Complexity: O(length of the chain).
  fileprivate func replacingSpineRoot(by root: Expression) -> Expression {
    var links: [Expression] = []
    var link = self
    while let receiver = link.spineReceiver {
      links.append(link)
      link = receiver
    }
    return links.reversed().reduce(root) { $1.with(receiver: $0) }
  }

  private func with(receiver: Expression) -> Expression {
    switch self {
    case .unaryMessage(let message):
      .unaryMessage(
        UnaryMessageExpression(
          receiver: receiver, selector: message.selector, range: message.range))
    case .binaryMessage(let message):
      .binaryMessage(
        BinaryMessageExpression(
          receiver: receiver, selector: message.selector, argument: message.argument,
          range: message.range))
    case .keywordMessage(let message):
      .keywordMessage(
        KeywordMessageExpression(
          receiver: receiver, keywords: message.keywords, arguments: message.arguments,
          range: message.range))
    case .cascade(let cascade):
      .cascade(
        CascadeExpression(receiver: receiver, messages: cascade.messages, range: cascade.range))
    case .subscript(let expression):
      .subscript(
        SubscriptExpression(receiver: receiver, index: expression.index, range: expression.range))
    case .query(let query):
      .query(QueryExpression(receiver: receiver, block: query.block, range: query.range))
    case .pipe: .pipe(PipeExpression(input: receiver, range: self.range))
    default: self
    }
  }
}
