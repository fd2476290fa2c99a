internal import TenonLexer

extension SyntaxPrinter {
  /// Words that begin a definition when a name follows them.
  private static let definitionWords: Set<String> = [
    "var", "val", "class", "extension", "scheme", "filter", "protocol", "object", "group",
    "connector",
  ]

  /// Prints an expression, in parentheses when it binds less tightly than it should.
  ///
  /// - Parameters:
  ///   - expression: The expression.
  ///   - level: The loosest level that may stand here.
  ///   - atStart: Whether a statement begins here.
  mutating func print(_ expression: Expression, _ level: Level = .connect, atStart: Bool = false) {
    if expression.level > level || isSeparatingComma(expression) {
      let outer = open("(")
      print(expression)
      return close(")", outer)
    }
    var links: [Expression] = []
    var base = expression
    while let receiver = base.spineReceiver, base.admitsReceiver(receiver),
      !isSeparatingComma(receiver)
    {
      links.append(base)
      base = receiver
    }
    if let receiver = base.spineReceiver {
      let outer = open("(")
      print(receiver)
      close(")", outer)
      printLink(base)
    } else if needsParenthesesAsRoot(base, atStart: atStart, of: links.last) {
      let outer = open("(")
      printRoot(base)
      close(")", outer)
    } else {
      printRoot(base, atStart: atStart)
    }
    for link in links.reversed() { printLink(link) }
  }

  /// Whether an expression is a concatenation where a comma separates.
  private func isSeparatingComma(_ expression: Expression) -> Bool {
    guard commaSeparates else { return false }
    switch expression {
    case .binaryMessage(let message): return message.selector.text == ","
    case .cascade(let cascade):
      return cascade.messages.contains { message in
        if case .binary(let selector, _) = message { return selector.text == "," }
        return false
      }
    default: return false
    }
  }

  /// Whether what messages are sent to would be taken for something else without parentheses: a
  /// word for the start of a definition, a subscript for the host of a path.
  private func needsParenthesesAsRoot(
    _ root: Expression, atStart: Bool, of link: Expression?
  ) -> Bool {
    guard let link else { return false }
    switch root {
    case .name(let name):
      return atStart && Self.definitionWords.contains(name.name.text)
    case .identifier(let identifier):
      guard identifier.path.authority?.isEmpty == true, !identifier.path.isAbsolute else {
        return false
      }
      if case .subscript = link { return true }
      if case .query = link { return true }
      return false
    default:
      return false
    }
  }

  // MARK: Messages

  /// Prints a message, a subscript or a bar behind its receiver.
  ///
  /// The parts are bound by the functions called: one that bound those of all cases would take a
  /// kilobyte of stack for each level in a debug build.
  private mutating func printLink(_ link: Expression) {
    switch link {
    case .unaryMessage(let message): text(" " + message.selector.text)
    case .binaryMessage: printBinaryMessage(link)
    case .keywordMessage: printKeywordMessage(link)
    case .pipe: text(" |")
    case .cascade(let cascade): print(cascade)
    case .subscript, .query: printSubscript(link)
    default: break
    }
  }

  private mutating func printBinaryMessage(_ link: Expression) {
    guard case .binaryMessage(let message) = link else { return }
    text(" ")
    printBinary(message.selector, message.argument)
  }

  private mutating func printKeywordMessage(_ link: Expression) {
    guard case .keywordMessage(let message) = link else { return }
    printKeywords(message.keywords, message.arguments, breaksBefore: true)
  }

  private mutating func printSubscript(_ link: Expression) {
    let outer = open("[")
    switch link {
    case .subscript(let expression): print(expression.index)
    case .query(let query): print(query.block)
    default: break
    }
    close("]", outer)
  }

  private mutating func printBinary(_ selector: Name, _ argument: Expression) {
    text(selector.text + " ")
    print(argument, .unary)
  }

  /// Prints keywords with their arguments; where they do not fit on the line, each on its own,
  /// but not where a keyword at the start of a line looks like a key.
  private mutating func printKeywords(
    _ keywords: [Name], _ arguments: [Expression], breaksBefore: Bool
  ) {
    let canBreak = keywords.count > 1 && !commaSeparates
    if canBreak {
      layout.open()
      layout.indent(2)
    }
    for (index, pair) in zip(keywords, arguments).enumerated() {
      if index > 0 || breaksBefore {
        if canBreak { layout.line() } else { text(" ") }
      }
      text(pair.0.text + " ")
      print(pair.1, .binary)
    }
    if canBreak {
      layout.indent(-2)
      layout.close()
    }
  }

  private mutating func print(_ cascade: CascadeExpression) {
    layout.open()
    layout.indent(2)
    for (index, message) in cascade.messages.enumerated() {
      if index > 0 {
        text(";")
        layout.line()
      } else {
        text(" ")
      }
      switch message {
      case .unary(let selector): text(selector.text)
      case .binary(let selector, let argument): printBinary(selector, argument)
      case .keyword(let keywords, let arguments):
        printKeywords(keywords, arguments, breaksBefore: false)
      }
    }
    layout.indent(-2)
    layout.close()
  }

  // MARK: Roots

  /// Prints what is no message.
  ///
  /// What has no parts is printed apart: a function that recurses should not need the stack for it.
  private mutating func printRoot(_ expression: Expression, atStart: Bool = false) {
    if let leaf = leafText(expression) { text(leaf) } else { printBranch(expression, atStart) }
  }

  /// Returns the text of what has no parts.
  private func leafText(_ expression: Expression) -> String? {
    switch expression {
    case .integer(let number): LiteralText.integer(number)
    case .float(let number): LiteralText.float(number)
    case .scaledDecimal(let number): LiteralText.scaledDecimal(number)
    case .string(let string): LiteralText.string(string.value)
    case .character(let character): LiteralText.character(character.value)
    case .symbol(let symbol): LiteralText.symbol(symbol.value)
    case .byteArray(let array): "#[" + array.bytes.map { "\($0)" }.joined(separator: " ") + "]"
    case .name(let name): name.name.text
    case .implicitParameter(let parameter): "$\(parameter.index)"
    case .interpolatedString, .array, .dictionary, .object, .identifier, .reference, .block,
      .assignment, .append, .connect, .unaryMessage, .binaryMessage, .keywordMessage, .pipe,
      .cascade, .subscript, .query:
      nil
    }
  }

  private mutating func printBranch(_ expression: Expression, _ atStart: Bool) {
    switch expression {
    case .interpolatedString(let string): print(string)
    case .array(let array): print(array)
    case .dictionary(let dictionary): print(dictionary)
    case .object(let object): print(object)
    case .identifier, .reference: printIdentifier(expression)
    case .block: printBlock(expression)
    case .assignment, .append, .connect: printConnect(expression, atStart: atStart)
    default: print(expression)
    }
  }

  private mutating func printBlock(_ expression: Expression) {
    guard case .block(let block) = expression else { return }
    print(block)
  }

  private mutating func printIdentifier(_ expression: Expression) {
    switch expression {
    case .identifier(let identifier):
      text(identifier.scheme.text + ":")
      print(identifier.path)
    case .reference(let reference):
      text("ref:" + (reference.scheme.map { $0.text + ":" } ?? ""))
      print(reference.path)
    default: break
    }
  }

  private mutating func printConnect(_ expression: Expression, atStart: Bool) {
    var value = expression
    var isFirst = atStart
    while case .assignment(let assignment) = value {
      print(assignment.target, .unary, atStart: isFirst)
      text(" := ")
      value = assignment.value
      isFirst = false
    }
    switch value {
    case .append(let append):
      print(append.target, .unary, atStart: isFirst)
      text(" += ")
      print(append.value, .pipe)
    case .connect(let connect):
      for (index, operand) in connect.operands.enumerated() {
        if index > 0 { text(" \(connect.connector.text) ") }
        print(operand, .pipe, atStart: isFirst && index == 0)
      }
    default:
      print(value)
    }
  }

  mutating func print(_ block: BlockExpression) {
    let parameters = block.parameters.map { " :" + $0.text }.joined()
    let opening = (block.usesBraces ? "{" : "[") + parameters + (parameters.isEmpty ? "" : " |")
    let separated = commaSeparates
    commaSeparates = false
    printStatements(block.statements, opening, block.usesBraces ? "}" : "]")
    commaSeparates = separated
  }

  private mutating func print(_ string: InterpolatedStringExpression) {
    text("\"")
    for part in string.parts {
      switch part {
      case .text(let plain): text(LiteralText.interpolated(plain))
      case .expression(let expression): printBraced("{", expression)
      }
    }
    text("\"")
  }

  // MARK: Collections

  private mutating func print(_ array: ArrayExpression) {
    let isLiteral = array.elements.allSatisfy(\.isArrayLiteral)
    let separated = commaSeparates
    commaSeparates = true
    layout.open()
    text("#(")
    layout.indent(2)
    for (index, element) in array.elements.enumerated() {
      if index > 0 {
        if !isLiteral { text(",") }
        layout.line()
      }
      // One element that is all words would look as if they were several.
      print(element, array.elements.count == 1 && element.isWords ? .parenthesized : .connect)
    }
    layout.indent(-2)
    text(")")
    layout.close()
    commaSeparates = separated
  }

  private mutating func print(_ dictionary: DictionaryExpression) {
    printEntries("#{", dictionary.entries) { printer, entry in
      printer.printKey(entry.key)
      printer.text(": ")
      printer.print(entry.value)
    }
  }

  private mutating func printKey(_ key: Expression) {
    switch key {
    case .symbol(let symbol): text(LiteralText.key(symbol.value))
    case .name: print(key, .parenthesized)
    default: print(key, key.isArrayLiteral ? .connect : .parenthesized)
    }
  }

  mutating func print(_ object: ObjectExpression) {
    printEntries("#\(object.className.text){", object.properties) { printer, property in
      if let key = property.key {
        printer.printKey(key)
      } else {
        printer.text(LiteralText.key(property.name.text))
      }
      printer.text(": ")
      printer.print(property.value)
    }
  }

  private mutating func printEntries<Entry>(
    _ opening: String, _ entries: [Entry], _ print: (inout SyntaxPrinter, Entry) -> Void
  ) {
    guard !entries.isEmpty else { return text(opening + "}") }
    let separated = commaSeparates
    commaSeparates = true
    layout.open()
    text(opening)
    layout.indent(2)
    for (index, entry) in entries.enumerated() {
      if index > 0 { text(",") }
      layout.line()
      print(&self, entry)
    }
    layout.indent(-2)
    layout.line()
    text("}")
    layout.close()
    commaSeparates = separated
  }

  // MARK: Paths

  private mutating func print(_ path: PathExpression) {
    if let authority = path.authority {
      text("//")
      print(authority)
    }
    if path.isAbsolute { text("/") }
    for (index, component) in path.components.enumerated() {
      if index > 0 { text("/") }
      print(component.parts)
    }
    if path.isDirectory { text("/") }
    for (index, item) in path.query.enumerated() {
      text(index == 0 ? "?" : "&")
      print(item.key)
      guard let value = item.value else { continue }
      text("=")
      print(value)
    }
    endPath(openParentheses: path.openParentheses)
  }

  private mutating func print(_ parts: [PathPart]) {
    for part in parts {
      switch part {
      case .text(let plain): layout.text(plain)
      case .expression(let expression): printBraced("{", expression)
      case .splice(let expression): printBraced("{*", expression)
      }
    }
  }

  private mutating func printBraced(_ opening: String, _ expression: Expression) {
    let outer = open(opening)
    print(expression)
    close("}", outer)
  }
}

extension Expression {
  /// Whether it may stand in an array between blanks.
  fileprivate var isArrayLiteral: Bool {
    switch self {
    case .integer, .float, .scaledDecimal, .string, .interpolatedString, .character, .symbol,
      .array, .byteArray, .dictionary, .object:
      true
    case .name(let name): ["true", "false", "nil"].contains(name.name.text)
    default: false
    }
  }
}

extension PathExpression {
  /// How many parentheses its text opens and does not close.
  fileprivate var openParentheses: Int {
    let parts =
      (authority ?? []) + components.flatMap(\.parts) + query.flatMap { $0.key + ($0.value ?? []) }
    return parts.reduce(0) { count, part in
      guard case .text(let text) = part else { return count }
      return text.utf8.reduce(count) { count, byte in
        switch byte {
        case UInt8(ascii: "("): count + 1
        case UInt8(ascii: ")"): count - 1
        default: count
        }
      }
    }
  }
}
