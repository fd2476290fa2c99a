internal import TenonAnalysis
internal import TenonLexer
internal import TenonParser

/// A text that consists of one expression, and what it was compiled to.
struct KnownText {
  let source: SourceText
  let script: Script
  let code: Code
  /// The number of the names that it was compiled with.
  let names: Int
}

/// The texts that a host has had evaluated: one that comes again is not read again.
///
/// Reading, checking and compiling a short expression takes fifty times as long as evaluating it, and hosts
/// evaluate the same few. What a text means depends on which names there are; a text is read again when any
/// has been declared since.
struct KnownTexts {
  private var texts: [ContiguousArray<UInt8>: KnownText] = [:]

  /// How many there may be.
  private static let most = 128
  /// The most bytes of one.
  private static let mostBytes = 1024

  /// The code of all of them.
  var code: [Code] { texts.values.map(\.code) }

  /// What a text was compiled to with the names that there are now; nil when it is to be read.
  ///
  /// - Complexity: O(*n*) in its bytes.
  subscript(source: SourceText, names: Int) -> KnownText? {
    guard source.bytes.count <= KnownTexts.mostBytes, let known = texts[source.bytes],
      known.names == names, known.source.name == source.name
    else { return nil }
    return known
  }

  /// Enters a text.
  ///
  /// - Returns: The code that no text needs any more.
  mutating func enter(_ known: KnownText) -> [Code] {
    var left: [Code] = []
    if let old = texts.removeValue(forKey: known.source.bytes) {
      left = [old.code]
    } else if texts.count >= KnownTexts.most {
      left = code
      texts = [:]
    }
    texts[known.source.bytes] = known
    return left
  }

  /// Whether a script consists of an expression whose code depends on the names in it and on nothing else.
  ///
  /// A hyphen between letters may be a part of a scheme's name, which can come to be at any time.
  static func mayKeep(_ script: Script, of source: SourceText) -> Bool {
    guard script.signature == nil, script.statements.count == 1,
      case .expression(let expression)? = script.statements.first,
      source.bytes.count <= KnownTexts.mostBytes
    else { return false }
    return isPlain(expression) && !source.bytes.contains(UInt8(ascii: "-"))
  }

  private static func isPlain(_ expression: Expression) -> Bool {
    switch expression {
    case .integer, .float, .scaledDecimal, .string, .character, .symbol, .name, .implicitParameter,
      .interpolatedString, .array, .byteArray, .dictionary, .unaryMessage, .binaryMessage,
      .keywordMessage, .cascade, .subscript, .assignment:
      break
    case .block(let block): return block.statements.allSatisfy(isPlain)
    case .object, .identifier, .reference, .pipe, .query, .append, .connect: return false
    }
    var isPlain = true
    expression.forEachChild { isPlain = isPlain && KnownTexts.isPlain($0) }
    return isPlain
  }

  private static func isPlain(_ statement: Statement) -> Bool {
    switch statement {
    case .expression(let expression): isPlain(expression)
    case .return(let statement): isPlain(statement.value)
    case .temporaries: true
    case .variable, .definition, .import: false
    }
  }
}
