extension Expression {
  /// What a message, a subscript or a bar is applied to; nil for everything else.
  ///
  /// A chain of messages is a spine of receivers, which may be thousands long: whoever walks a
  /// tree follows it by a loop and recurses only into arguments, which nest as deep as brackets do.
  public var spineReceiver: Expression? {
    switch self {
    case .unaryMessage(let message): message.receiver
    case .binaryMessage(let message): message.receiver
    case .keywordMessage(let message): message.receiver
    case .cascade(let cascade): cascade.receiver
    case .subscript(let expression): expression.receiver
    case .query(let query): query.receiver
    case .pipe(let pipe): pipe.input
    default: nil
    }
  }
}
