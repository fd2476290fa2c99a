public import TenonLexer

/// An expression.
///
/// Parentheses leave no trace: the printer puts them back where the shape of the tree needs them.
public indirect enum Expression: Sendable {
  case integer(IntegerExpression)
  case float(FloatExpression)
  case scaledDecimal(ScaledDecimalExpression)
  case string(StringExpression)
  case interpolatedString(InterpolatedStringExpression)
  case character(CharacterExpression)
  case symbol(SymbolExpression)
  case array(ArrayExpression)
  case byteArray(ByteArrayExpression)
  case dictionary(DictionaryExpression)
  case object(ObjectExpression)
  case name(NameExpression)
  case implicitParameter(ImplicitParameterExpression)
  case identifier(IdentifierExpression)
  case reference(ReferenceExpression)
  case block(BlockExpression)
  case unaryMessage(UnaryMessageExpression)
  case binaryMessage(BinaryMessageExpression)
  case keywordMessage(KeywordMessageExpression)
  case pipe(PipeExpression)
  case cascade(CascadeExpression)
  case `subscript`(SubscriptExpression)
  case query(QueryExpression)
  case assignment(AssignmentExpression)
  case append(AppendExpression)
  case connect(ConnectExpression)

  /// Where the expression stands; parentheses around the whole of it are not part of it.
  public var range: SourceRange {
    switch self {
    case .integer(let expression): expression.range
    case .float(let expression): expression.range
    case .scaledDecimal(let expression): expression.range
    case .string(let expression): expression.range
    case .interpolatedString(let expression): expression.range
    case .character(let expression): expression.range
    case .symbol(let expression): expression.range
    case .array(let expression): expression.range
    case .byteArray(let expression): expression.range
    case .dictionary(let expression): expression.range
    case .object(let expression): expression.range
    case .name(let expression): expression.range
    case .implicitParameter(let expression): expression.range
    case .identifier(let expression): expression.range
    case .reference(let expression): expression.range
    case .block(let expression): expression.range
    case .unaryMessage(let expression): expression.range
    case .binaryMessage(let expression): expression.range
    case .keywordMessage(let expression): expression.range
    case .pipe(let expression): expression.range
    case .cascade(let expression): expression.range
    case .subscript(let expression): expression.range
    case .query(let expression): expression.range
    case .assignment(let expression): expression.range
    case .append(let expression): expression.range
    case .connect(let expression): expression.range
    }
  }
}
