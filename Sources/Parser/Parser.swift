public import TenonLexer

/// Parses a text by recursive descent, one function for one production of `grammar/tenon.ebnf`.
///
/// Names and connectors the text itself declares are found while it is parsed; a hyphenated name
/// that is used before its declaration makes the text be parsed a second time, as only then it is
/// known that it was no subtraction.
///
/// Whatever the bytes, parsing ends with a tree or with located errors: brackets nest
/// `nestingLimit` deep at most, and no path from the root of a tree is longer than `heightLimit`.
///
/// A parser is an object, and one pass over the text is another, because the functions that call
/// each other for every bracket pass it on: as a value it would be copied to the stack in a debug
/// build, and a thousand brackets would not fit.
public final class Parser {
  /// How deep brackets nest at most, unless the caller says otherwise.
  ///
  /// Measured on x86-64, a level takes up to 2.5 KB of stack in release and 5.5 KB in debug to be
  /// parsed, and up to 3.5 KB and 7.5 KB to be printed: all of them fit in a thread of 8 MB. A host
  /// with smaller stacks sets a lower limit.
  public static let defaultNestingLimit = 1_000
  /// How high a tree is at most, unless the caller says otherwise.
  ///
  /// Brackets count, and every link of a chain such as `a + b + c` or `a := b := c`. Releasing a
  /// tree recurses once for each level, which takes about 100 bytes: 1 MB for all of them.
  public static let defaultHeightLimit = 10_000
  /// How many errors and warnings are reported at most.
  public static let diagnosticLimit = 20

  let source: SourceText
  let nestingLimit: Int
  let heightLimit: Int
  /// The hyphenated names known before the text, and those a first parse has found.
  let knownNames: Set<String>
  let knownConnectors: Set<String>

  var lexer: Lexer
  /// The token that is looked at.
  var token: Token
  /// The offset behind the token before.
  var previousEnd = 0
  var context = Context()
  /// The height of the tree parsed last.
  var height = 0
  /// A primary that is parsed already and comes before `token`.
  var pending: PendingPrimary?
  /// The first of the words and subscripts directly before `token` that begins a line.
  var wordsAtLineStart: WordsAtLineStart?

  /// Whether what went wrong ends with its line: it is written as in another language.
  var endsWithLine = false
  /// Where the statement begins that is parsed.
  var statementStart = 0
  var diagnostics: [Diagnostic] = []
  var reportedLines: [Range<Int>] = []
  var isStopped = false
  /// Whether a string has been skipped in vain.
  var hasUnclosedString = false

  var comments: [SourceRange] = []
  /// The variables the text declares.
  var declaredNames: Set<String> = []
  /// What was taken for a subtraction and would be a name if it were declared.
  var subtractions: Set<String> = []
  /// The end of the last of these.
  var subtractionEnd = 0
  var definedConnectors: Set<String> = []
  /// The connectors of every program that this one has given another meaning, up to here.
  var ownConnectors: Set<String>
  /// Unary selectors that begin a line.
  var selectorsAtLineStart: [SourceRange] = []
  /// How many digits the exponents of integers have been written out to.
  var writtenZeros = 0

  /// Creates a parser.
  ///
  /// - Parameters:
  ///   - source: The text.
  ///   - knownNames: The hyphenated names that are declared already.
  ///   - connectors: The connectors that are defined already, besides those of every program.
  ///   - nestingLimit: How deep brackets nest at most.
  ///   - heightLimit: How high the tree is at most.
  public convenience init(
    _ source: SourceText, knownNames: Set<String> = [], connectors: Set<String> = [],
    nestingLimit: Int = defaultNestingLimit, heightLimit: Int = defaultHeightLimit
  ) {
    self.init(
      source, in: nil, knownNames: knownNames, connectors: connectors, nestingLimit: nestingLimit,
      heightLimit: heightLimit)
  }

  private init(
    _ source: SourceText, in range: SourceRange?, knownNames: Set<String>, connectors: Set<String>,
    nestingLimit: Int, heightLimit: Int
  ) {
    self.source = source
    self.nestingLimit = nestingLimit
    self.heightLimit = heightLimit
    self.knownNames = knownNames
    knownConnectors = connectors
    ownConnectors = connectors.intersection(Connector.replaceable)
    let builtIn = Connector.all.lazy.map(\.spelling)
    lexer = Lexer(source, in: range, connectors: Array(builtIn) + connectors)
    // Nothing is read yet: the text may be too large or no UTF-8.
    token = lexer.token(from: lexer.end)
  }

  /// Parses the whole text.
  ///
  ///     script = [ signature ] , statements ;
  public func parseScript() -> ParseResult<Script> {
    run(in: nil) { parser throws(SyntaxFailure) in try parser.script() }
  }

  /// Parses the definition of a method that stands in a part of the text.
  public func parseMethodDefinition(in range: SourceRange) -> ParseResult<MethodDefinition> {
    run(in: range) { parser throws(SyntaxFailure) in
      let method = try parser.parseMethodDefinition()
      try parser.expectEnd()
      return method
    }
  }

  /// Parses a member of a class, an extension, a scheme, a filter or a connector that stands in a
  /// part of the text.
  public func parseMember(in range: SourceRange) -> ParseResult<Member> {
    run(in: range) { parser throws(SyntaxFailure) in
      let member = try parser.parseMember()
      try parser.expectEnd()
      return member
    }
  }

  // MARK: Passes

  private func run<Tree>(
    in range: SourceRange?, _ body: (Parser) throws(SyntaxFailure) -> Tree
  ) -> ParseResult<Tree> {
    let problems = encodingProblems(in: range)
    guard problems.isEmpty else {
      return ParseResult(
        tree: nil, diagnostics: problems, isIncomplete: false, hyphenatedNames: [], connectors: [])
    }
    var pass = Parser(
      source, in: range, knownNames: knownNames, connectors: knownConnectors,
      nestingLimit: nestingLimit, heightLimit: heightLimit)
    var tree = pass.parsed(body)
    let late = pass.subtractions.intersection(pass.declaredNames)
    if !late.isEmpty {
      pass = Parser(
        source, in: range, knownNames: knownNames.union(pass.declaredNames),
        connectors: knownConnectors, nestingLimit: nestingLimit, heightLimit: heightLimit)
      tree = pass.parsed(body)
    }
    return pass.result(tree)
  }

  private func encodingProblems(in range: SourceRange?) -> [Diagnostic] {
    guard source.bytes.count <= SourceText.largestSize else {
      return [.textTooLarge(source.bytes.count)]
    }
    return source.encodingErrors(in: range, limit: Self.diagnosticLimit)
  }

  private func parsed<Tree>(
    _ body: (Parser) throws(SyntaxFailure) -> Tree
  ) -> Tree? {
    move(to: lexer.start)
    do {
      let tree = try body(self)
      warnAboutMissingPeriods()
      return tree
    } catch {
      return nil
    }
  }

  private func result<Tree>(_ tree: Tree?) -> ParseResult<Tree> {
    let errors = diagnostics.filter { $0.severity == .error }
    let warnings = diagnostics.filter { $0.severity == .warning }
    let room = Self.diagnosticLimit - errors.count
    let shown = errors + warnings.prefix(Swift.max(0, room))
    return ParseResult(
      tree: errors.isEmpty ? tree : nil,
      diagnostics: shown.sorted { $0.range.start < $1.range.start },
      isIncomplete: !errors.isEmpty && errors.allSatisfy(\.isIncomplete),
      hyphenatedNames: declaredNames.filter { $0.utf8.contains(UInt8(ascii: "-")) },
      connectors: definedConnectors)
  }

  private func script() throws(SyntaxFailure) -> Script {
    let signature = try? parseSignature()
    let statements = try parseStatements(until: .endOfText)
    return Script(
      signature: signature, statements: statements, comments: comments,
      range: SourceRange(0, source.bytes.count))
  }
}

/// What parsing an unfinished construct ends with; what is wrong is reported already.
struct SyntaxFailure: Error {}

extension Parser {
  /// What the brackets around a place say about it; kept and put back with them.
  struct Context {
    /// How many brackets are open.
    var nesting = 0
    var openParentheses = 0
    var openBrackets = 0
    var openBraces = 0
    /// What a comma means here.
    var comma = Comma.concatenates
    /// Where `$n` belongs.
    var implicitParameters = ImplicitParameters.outside
    /// Where the outermost string begins in whose braces a part of this statement stands.
    var string: Int?
  }

  /// What a comma means.
  enum Comma {
    /// It is an operator.
    case concatenates
    /// It separates the elements of an array.
    case separatesElements
    /// It separates the entries of a dictionary or an object.
    case separatesEntries
  }

  /// Where an implicit parameter belongs.
  enum ImplicitParameters {
    /// There is no block.
    case outside
    /// The innermost block has named parameters.
    case named
    /// The innermost block has had this many so far.
    case counted(Int)
  }

  /// A primary that is parsed already.
  struct PendingPrimary {
    let expression: Expression
    let start: Int
    let height: Int
  }

  /// Words of which the first begins a line.
  struct WordsAtLineStart {
    /// The offset behind the last token on the line before.
    let lineBreak: Int
    /// Where the first word begins.
    let start: Int
  }
}
