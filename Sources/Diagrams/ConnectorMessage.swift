internal import TenonAnalysis
internal import TenonLexer
package import TenonParser

/// A message that a statement sends to its connection: `strength: #weak`.
package struct ConnectorMessage: Equatable {
  package let selector: String
  /// The texts of its arguments.
  package let arguments: [String]

  package init(_ selector: String, _ arguments: [String] = []) {
    self.selector = selector
    self.arguments = arguments
  }

  /// The messages that say something of a connection, and answer it.
  package static let settings: Set<String> = [
    "inverse:", "solver:", "iterate:within:", "policy:", "strength:", "within:", "truth:",
    "validate:", "arbitrate:", "arbitrate:within:", "priority:", "onReject:", "mirror:",
    "requestOnly", "optimistic",
    "override:", "suspend", "resume",
  ]

  /// The message as it is written.
  package var text: String {
    guard selector.hasSuffix(":") else { return ([selector] + arguments).joined(separator: " ") }
    let keywords = selector.split(separator: ":").map { "\($0):" }
    return zip(keywords, arguments).map { "\($0) \($1)" }.joined(separator: " ")
  }

  /// The messages along the chain of an expression, in order: those of a cascade, and what stands
  /// behind the bar of a pipe, included.
  static func list(in expression: Expression) -> [ConnectorMessage] {
    var groups: [[ConnectorMessage]] = []
    var link = expression
    while let receiver = link.spineReceiver {
      groups.append(messages(of: link))
      link = receiver
    }
    return groups.reversed().flatMap { $0 }
  }

  private static func messages(of link: Expression) -> [ConnectorMessage] {
    switch link {
    case .unaryMessage(let message): [ConnectorMessage(message.selector.text)]
    case .binaryMessage(let message):
      [ConnectorMessage(message.selector.text, [text(ofArgument: message.argument)])]
    case .keywordMessage(let message):
      [ConnectorMessage(message.keywords, message.arguments)]
    case .cascade(let cascade):
      cascade.messages.map { message in
        switch message {
        case .unary(let selector): ConnectorMessage(selector.text)
        case .binary(let selector, let argument):
          ConnectorMessage(selector.text, [text(ofArgument: argument)])
        case .keyword(let keywords, let arguments): ConnectorMessage(keywords, arguments)
        }
      }
    default: []
    }
  }

  private init(_ words: [Name], _ arguments: [Expression]) {
    selector = words.map(\.text).joined()
    self.arguments = arguments.map { ConnectorMessage.text(ofArgument: $0) }
  }

  /// An argument as it stands behind a keyword, in parentheses where it needs them.
  package static func text(ofArgument argument: Expression) -> String {
    let stand = Expression.name(NameExpression(name: Name("k", .none), range: .none))
    let message = KeywordMessageExpression(
      receiver: stand, keywords: [Name("k:", .none)], arguments: [argument], range: .none)
    return String(SyntaxPrinter.print(.keywordMessage(message)).dropFirst(5))
  }
}
