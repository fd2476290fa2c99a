/// How tightly an expression binds, the tightest first.
enum Level: Int, Comparable {
  /// Tighter than everything: nothing stands there without parentheses.
  case parenthesized
  case primary, unary, binary, keyword, pipe, connect

  static func < (left: Level, right: Level) -> Bool { left.rawValue < right.rawValue }
}

extension Expression {
  /// The level of the expression's outermost form, as far as what follows it is concerned.
  ///
  /// In `a | b + c` that is the binary message: what precedes a bar stands as if in parentheses.
  var outermostLevel: Level {
    switch self {
    case .integer, .float, .scaledDecimal, .string, .interpolatedString, .character, .symbol,
      .array, .byteArray, .dictionary, .object, .name, .implicitParameter, .identifier,
      .reference, .block:
      .primary
    case .unaryMessage, .subscript, .query: .unary
    case .binaryMessage: .binary
    case .keywordMessage: .keyword
    case .pipe, .cascade: .pipe
    case .assignment, .append, .connect: .connect
    }
  }

  /// The level of the whole expression: that of a pipe where a bar stands in it outside of
  /// parentheses.
  var level: Level {
    var link = self
    while true {
      if link.outermostLevel >= .pipe { return link.outermostLevel }
      guard let receiver = link.spineReceiver, link.admitsReceiver(receiver) else { break }
      link = receiver
    }
    return outermostLevel
  }

  /// Whether a receiver can stand before this message without parentheses.
  func admitsReceiver(_ receiver: Expression) -> Bool {
    switch self {
    case .pipe: return receiver.outermostLevel <= .pipe && !receiver.isPipe
    case .subscript, .query: return receiver.outermostLevel <= .unary
    default: break
    }
    if receiver.isPipe { return true }
    switch self {
    case .unaryMessage: return receiver.outermostLevel <= .unary
    case .binaryMessage, .keywordMessage: return receiver.outermostLevel <= .binary
    case .cascade(let cascade):
      guard case .unary = cascade.messages.first else { return receiver.outermostLevel <= .binary }
      return receiver.outermostLevel <= .unary
    default: return false
    }
  }

  private var isPipe: Bool {
    if case .pipe = self { return true }
    return false
  }
}
