internal import TenonLexer

/// Prints syntax as source.
///
/// The source is made from the tree alone, so that a program can build what it prints; parsed again
/// it gives the same tree, ranges apart. Statements stand on lines of their own, blocks on one line
/// when they are short; parentheses stand only where the tree needs them. Comments are not part of
/// a tree and get lost.
public struct SyntaxPrinter {
  /// How many characters a line has where it can be broken.
  private static let lineWidth = 80

  var layout = Layout()
  /// Whether a comma separates, so that the operator needs parentheses.
  var commaSeparates = false

  private init() {}

  /// Returns the source of a script; each statement ends a line.
  public static func print(_ script: Script) -> String {
    print { printer in
      if let signature = script.signature {
        printer.text("#-")
        printer.print(signature.header)
        printer.layout.hardLine()
      }
      for statement in script.statements {
        printer.print(statement)
        if statement.needsPeriod { printer.text(".") }
        printer.layout.hardLine()
      }
    }
  }

  /// Returns the source of an expression.
  public static func print(_ expression: Expression) -> String {
    print { $0.print(expression) }
  }

  /// Returns the source of a statement without its full stop.
  public static func print(_ statement: Statement) -> String {
    print { $0.print(statement) }
  }

  /// Returns the source of a member of a definition without its full stop.
  public static func print(_ member: Member) -> String {
    print { $0.print(member) }
  }

  private static func print(_ body: (inout SyntaxPrinter) -> Void) -> String {
    var printer = SyntaxPrinter()
    body(&printer)
    return printer.layout.rendered(width: lineWidth)
  }

  // MARK: Statements

  mutating func print(_ statement: Statement) {
    switch statement {
    case .expression(let expression):
      print(expression, .connect, atStart: true)
    case .return(let statement):
      text("^")
      print(statement.value)
    case .temporaries(let statement):
      text("|" + statement.names.map { " " + $0.text }.joined() + " |")
    case .variable(let statement):
      print(statement)
    case .import(let statement):
      text("import " + LiteralText.string(statement.path))
    case .definition(let definition):
      print(definition)
    }
  }

  mutating func print(_ statement: VariableStatement) {
    text(statement.isConstant ? "val " : "var ")
    if let type = statement.type { text("<\(type.text)> ") }
    text(statement.name.text)
    printFirstValue(statement.value)
  }

  /// Prints the first value of a variable, if it has one.
  mutating func printFirstValue(_ value: Expression?) {
    guard let value else { return }
    text(" := ")
    print(value, .pipe)
  }

  /// Prints statements between brackets: on one line if they are short.
  mutating func printStatements(_ statements: [Statement], _ opening: String, _ closing: String) {
    layout.open()
    text(opening)
    layout.indent(2)
    for (index, statement) in statements.enumerated() {
      layout.line()
      print(statement)
      if index < statements.count - 1, statement.needsPeriod { text(".") }
    }
    layout.indent(-2)
    layout.line()
    text(closing)
    layout.close()
  }

  // MARK: Text

  /// Whether what was printed last is a path in which a parenthesis is open.
  private var endsInOpenPath = false

  mutating func text(_ text: String) {
    // A parenthesis that closes one of the path's own would become part of the path.
    if endsInOpenPath, text.hasPrefix(")") { layout.text(" ") }
    endsInOpenPath = false
    layout.text(text)
  }

  /// Notes that a path was printed.
  mutating func endPath(openParentheses: Int) {
    endsInOpenPath = openParentheses > 0
  }

  /// Prints an opening bracket, within which a comma is an operator.
  ///
  /// - Returns: What a comma was outside, to be handed to `close`.
  mutating func open(_ bracket: String) -> Bool {
    let separates = commaSeparates
    commaSeparates = false
    text(bracket)
    return separates
  }

  /// Prints a closing bracket.
  mutating func close(_ bracket: String, _ outer: Bool) {
    text(bracket)
    commaSeparates = outer
  }
}

extension Statement {
  /// Whether a full stop must stand between it and the next statement.
  var needsPeriod: Bool {
    switch self {
    case .definition, .temporaries: false
    case .expression, .return, .variable, .import: true
    }
  }
}
