internal import TenonLexer
package import TenonParser

/// A message that is evaluated without building its literal blocks.
///
/// The analyzer and the builder both ask here, so that they agree on which blocks become part of
/// the method around them.
package enum InlinedMessage {
  case conditional(Conditional)
  case and(Expression, BlockExpression)
  case or(Expression, BlockExpression)
  case nilTest(subject: Expression, absent: BlockExpression?, present: BlockExpression?)
  case whileLoop(condition: BlockExpression, body: BlockExpression?, sense: Bool)
  case repeatLoop(BlockExpression)
  case count(Count)

  /// `ifTrue:ifFalse:`, its parts and its other order.
  package struct Conditional {
    package let condition: Expression
    package let consequence: BlockExpression?
    package let alternative: BlockExpression?
  }

  /// `to:do:`, `to:by:do:` and `timesRepeat:`.
  package struct Count {
    /// The first number; nil for `timesRepeat:`, which counts from 1.
    package let start: Expression?
    package let limit: Expression
    package let step: Expression?
    package let body: BlockExpression
  }

  /// The messages that are looked at, with the arity each block argument must have; -1 stands
  /// for an argument that is no block.
  package static let blockArities: [String: [Int]] = [
    "ifTrue:": [0], "ifFalse:": [0], "ifTrue:ifFalse:": [0, 0], "ifFalse:ifTrue:": [0, 0],
    "and:": [0], "or:": [0], "ifNil:": [0], "ifNotNil:": [1], "ifNil:ifNotNil:": [0, 1],
    "ifNotNil:ifNil:": [1, 0], "whileTrue:": [0], "whileFalse:": [0], "timesRepeat:": [0],
    "to:do:": [-1, 1], "to:by:do:": [-1, -1, 1], "ifEmpty:": [0], "ifNotEmpty:": [1],
    "ifEmpty:ifNotEmpty:": [0, 1], "ifNotEmpty:ifEmpty:": [1, 0],
  ]

  /// The messages of which a block may leave out its parameter.
  package static let optionalParameter: Set<String> = [
    "ifNotNil:", "ifNil:ifNotNil:", "ifNotNil:ifNil:", "ifNotEmpty:", "ifEmpty:ifNotEmpty:",
    "ifNotEmpty:ifEmpty:",
  ]

  /// Recognises a keyword message whose blocks are all literal and of the right arity.
  package init?(_ message: KeywordMessageExpression) {
    let selector = message.keywords.map(\.text).joined()
    guard let arities = InlinedMessage.blockArities[selector], !message.receiver.isRecorder else {
      return nil
    }
    var blocks: [BlockExpression] = []
    for (argument, arity) in zip(message.arguments, arities) where arity >= 0 {
      guard let block = argument.literalBlock else { return nil }
      let count = block.parameterCount
      guard count == arity || count == 0 && InlinedMessage.optionalParameter.contains(selector)
      else { return nil }
      blocks.append(block)
    }
    let receiver = message.receiver
    switch selector {
    case "ifTrue:":
      self = .conditional(
        Conditional(condition: receiver, consequence: blocks[0], alternative: nil))
    case "ifFalse:":
      self = .conditional(
        Conditional(condition: receiver, consequence: nil, alternative: blocks[0]))
    case "ifTrue:ifFalse:":
      self = .conditional(
        Conditional(condition: receiver, consequence: blocks[0], alternative: blocks[1]))
    case "ifFalse:ifTrue:":
      self = .conditional(
        Conditional(condition: receiver, consequence: blocks[1], alternative: blocks[0]))
    case "and:": self = .and(receiver, blocks[0])
    case "or:": self = .or(receiver, blocks[0])
    case "ifNil:": self = .nilTest(subject: receiver, absent: blocks[0], present: nil)
    case "ifNotNil:": self = .nilTest(subject: receiver, absent: nil, present: blocks[0])
    case "ifNil:ifNotNil:":
      self = .nilTest(subject: receiver, absent: blocks[0], present: blocks[1])
    case "ifNotNil:ifNil:":
      self = .nilTest(subject: receiver, absent: blocks[1], present: blocks[0])
    case "whileTrue:", "whileFalse:":
      guard let condition = receiver.literalBlock, condition.parameterCount == 0 else {
        return nil
      }
      self = .whileLoop(
        condition: condition, body: blocks[0], sense: selector == "whileTrue:")
    case "timesRepeat:":
      self = .count(Count(start: nil, limit: receiver, step: nil, body: blocks[0]))
    case "to:do:":
      self = .count(
        Count(start: receiver, limit: message.arguments[0], step: nil, body: blocks[0]))
    case "to:by:do:":
      self = .count(
        Count(
          start: receiver, limit: message.arguments[0], step: message.arguments[1],
          body: blocks[0]))
    default:
      return nil
    }
  }

  /// Recognises `whileTrue`, `whileFalse` and `repeat` sent to a literal block.
  package init?(_ message: UnaryMessageExpression) {
    guard let block = message.receiver.literalBlock, block.parameterCount == 0 else { return nil }
    switch message.selector.text {
    case "whileTrue": self = .whileLoop(condition: block, body: nil, sense: true)
    case "whileFalse": self = .whileLoop(condition: block, body: nil, sense: false)
    case "repeat": self = .repeatLoop(block)
    default: return nil
    }
  }

  /// Recognises `&&` and `||` with a literal block.
  package init?(_ message: BinaryMessageExpression) {
    guard let block = message.argument.literalBlock, block.parameterCount == 0,
      !message.receiver.isRecorder
    else { return nil }
    switch message.selector.text {
    case "&&": self = .and(message.receiver, block)
    case "||": self = .or(message.receiver, block)
    default: return nil
    }
  }
}

extension Expression {
  /// Whether it looks like what records the next message, as `list collect` does: that message must
  /// be sent.
  fileprivate var isRecorder: Bool {
    switch self {
    case .unaryMessage(let message):
      ["collect", "select", "reject", "do", "detect", "reduce"].contains(message.selector.text)
    case .pipe(let pipe): pipe.input.isRecorder
    default: false
    }
  }

  /// The block if this is one, a bar behind it or not.
  var literalBlock: BlockExpression? {
    switch self {
    case .block(let block): block
    case .pipe(let pipe): pipe.input.literalBlock
    default: nil
    }
  }
}

extension BlockExpression {
  /// How many values the block takes.
  package var parameterCount: Int { max(parameters.count, implicitCount) }
}
