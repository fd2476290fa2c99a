internal import TenonLexer
package import TenonParser

extension Expression {
  /// Whether it makes a connection, which may be told something and be assigned.
  package var isConnected: Bool {
    var value = self
    while true {
      if case .connect(let connect) = value {
        return ![":=", "+="].contains(connect.connector.text)
      }
      if case .assignment(let assignment) = value {
        value = assignment.value
      } else if let receiver = value.spineReceiver {
        value = receiver
      } else {
        return false
      }
    }
  }

  /// Whether the expression may stand before a property on the left of a connector.
  package var isPlaceOrSelf: Bool {
    switch self {
    case .name, .identifier, .subscript: true
    case .unaryMessage(let message): message.receiver.isPlaceOrSelf
    case .keywordMessage: askedElement != nil
    default: false
    }
  }
}

extension PathExpression {
  /// Whether there is nothing behind the colon.
  package var isEmpty: Bool {
    components.isEmpty && authority == nil && query.isEmpty && !isAbsolute && !isDirectory
  }

  /// Whether the path is plain text, so that its place is known before running.
  package var hasNoExpressions: Bool {
    var isPlain = true
    forEachExpression { _ in isPlain = false }
    return isPlain
  }
}

extension Message {
  /// The arguments in order.
  package var arguments: [Expression] {
    switch self {
    case .unary: []
    case .binary(_, let argument): [argument]
    case .keyword(_, let arguments): arguments
    }
  }
}
