internal import TenonLexer

/// Prints trees in prefix form, as tests compare them: `3 + 4` is `(send 3 + 4)`.
///
/// Bars leave no trace, as `a | b` means `(a) b`, nor does it matter which brackets a block has;
/// an exact printer shows both.
public struct TreePrinter {
  /// Whether trees that mean the same, but are written differently, are told apart.
  public let isExact: Bool

  private var output = ""
  /// Whether nothing stands yet in what is printed or in its innermost parentheses.
  private var isFirst = true

  private init(isExact: Bool) {
    self.isExact = isExact
  }

  /// Returns a script as text: its statements one behind the other.
  public static func dump(_ script: Script, isExact: Bool = false) -> String {
    dump(isExact: isExact) { printer in
      if let signature = script.signature {
        printer.word("(signature -")
        printer.print(signature.header)
        printer.output += ")"
      }
      printer.print(script.statements)
    }
  }

  /// Returns an expression as text.
  public static func dump(_ expression: Expression, isExact: Bool = false) -> String {
    dump(isExact: isExact) { $0.print(expression) }
  }

  /// Returns a member of a definition as text.
  public static func dump(_ member: Member, isExact: Bool = false) -> String {
    dump(isExact: isExact) { $0.print(member) }
  }

  /// Returns a method as text.
  public static func dump(_ method: MethodDefinition, isExact: Bool = false) -> String {
    dump(isExact: isExact) { $0.print(method) }
  }

  private static func dump(isExact: Bool, _ body: (inout TreePrinter) -> Void) -> String {
    var printer = TreePrinter(isExact: isExact)
    body(&printer)
    return printer.output
  }

  // MARK: Words

  /// Appends a word, with a blank before it where one belongs.
  private mutating func word(_ text: String) {
    if !isFirst { output += " " }
    isFirst = false
    output += text
  }

  private mutating func words(_ names: [Name]) {
    word("(")
    output += names.map(\.text).joined(separator: " ") + ")"
  }

  private mutating func parenthesized(_ head: String, _ body: (inout TreePrinter) -> Void) {
    word("(" + head)
    isFirst = head.isEmpty
    body(&self)
    isFirst = false
    output += ")"
  }

  // MARK: Statements

  private mutating func print(_ statements: [Statement]) {
    for statement in statements { print(statement) }
  }

  private mutating func print(_ statement: Statement) {
    switch statement {
    case .expression(let expression): print(expression)
    case .return(let statement): parenthesized("^") { $0.print(statement.value) }
    case .temporaries(let statement):
      word("(temps")
      for name in statement.names { word(name.text) }
      output += ")"
    case .variable(let statement): print(statement)
    case .definition(let definition): print(definition)
    }
  }

  private mutating func print(_ statement: VariableStatement) {
    parenthesized("var") { printer in
      if let type = statement.type { printer.word("<\(type.text)>") }
      printer.word(statement.name.text)
      if let value = statement.value { printer.print(value) }
    }
  }

  // MARK: Expressions

  private mutating func print(_ expression: Expression) {
    var spine: [Expression] = []
    var root = expression
    while let receiver = root.spineReceiver {
      spine.append(root)
      root = receiver
    }
    for link in spine { openLink(link) }
    printRoot(root)
    for link in spine.reversed() { closeLink(link) }
  }

  private mutating func openLink(_ link: Expression) {
    switch link {
    case .unaryMessage, .binaryMessage, .keywordMessage: word("(send")
    case .cascade: word("(cascade")
    case .subscript: word("(sub")
    case .query: word("(query")
    case .pipe: if isExact { word("(pipe") }
    default: break
    }
  }

  private mutating func closeLink(_ link: Expression) {
    switch link {
    case .unaryMessage(let message): word(message.selector.text)
    case .binaryMessage(let message): printBinary(message.selector, message.argument)
    case .keywordMessage(let message): printKeywords(message.keywords, message.arguments)
    case .cascade(let cascade):
      for message in cascade.messages { print(message) }
    case .subscript(let expression): print(expression.index)
    case .query(let query): print(query.block)
    case .pipe:
      guard isExact else { return }
    default: break
    }
    output += ")"
  }

  private mutating func printBinary(_ selector: Name, _ argument: Expression) {
    word(selector.text)
    print(argument)
  }

  private mutating func printKeywords(_ keywords: [Name], _ arguments: [Expression]) {
    for (keyword, argument) in zip(keywords, arguments) {
      word(keyword.text)
      print(argument)
    }
  }

  private mutating func print(_ message: Message) {
    parenthesized("") { printer in
      switch message {
      case .unary(let selector): printer.word(selector.text)
      case .binary(let selector, let argument): printer.printBinary(selector, argument)
      case .keyword(let keywords, let arguments): printer.printKeywords(keywords, arguments)
      }
    }
  }

  private mutating func printRoot(_ expression: Expression) {
    switch expression {
    case .integer(let number): word(LiteralText.integer(number))
    case .float(let number): word(LiteralText.float(number))
    case .scaledDecimal(let number): word(LiteralText.scaledDecimal(number))
    case .string(let string): word(LiteralText.string(string.value))
    case .interpolatedString(let string): print(string)
    case .character(let character): word(LiteralText.character(character.value))
    case .symbol(let symbol): word(LiteralText.symbol(symbol.value))
    case .array(let array): parenthesized("array") { $0.print(array.elements) }
    case .byteArray(let array):
      parenthesized("bytes") { printer in
        for byte in array.bytes { printer.word(String(byte)) }
      }
    case .dictionary(let dictionary): print(dictionary)
    case .object(let object): print(object)
    case .name(let name): word(name.name.text)
    case .implicitParameter(let parameter): word("$\(parameter.index)")
    case .identifier(let identifier):
      parenthesized("id \(identifier.scheme.text)") { $0.print(identifier.path) }
    case .reference(let reference):
      parenthesized("ref \(reference.scheme?.text ?? "-")") { $0.print(reference.path) }
    case .block(let block): print(block)
    case .assignment, .append, .connect: printConnect(expression)
    case .unaryMessage, .binaryMessage, .keywordMessage, .pipe, .cascade, .subscript, .query:
      print(expression)
    }
  }

  private mutating func printConnect(_ expression: Expression) {
    var value = expression
    var depth = 0
    while case .assignment(let assignment) = value {
      word("(:=")
      print(assignment.target)
      value = assignment.value
      depth += 1
    }
    switch value {
    case .append(let append):
      parenthesized("+=") { $0.print([append.target, append.value]) }
    case .connect(let connect):
      parenthesized(connect.connector.text) { $0.print(connect.operands) }
    default:
      print(value)
    }
    output += String(repeating: ")", count: depth)
  }

  private mutating func print(_ expressions: [Expression]) {
    for expression in expressions { print(expression) }
  }

  private mutating func print(_ block: BlockExpression) {
    parenthesized(isExact && block.usesBraces ? "block{}" : "block") { printer in
      printer.words(block.parameters)
      printer.print(block.statements)
    }
  }

  private mutating func print(_ string: InterpolatedStringExpression) {
    parenthesized("str") { printer in
      for part in string.parts {
        switch part {
        case .text(let text): printer.word("\"" + LiteralText.interpolated(text) + "\"")
        case .expression(let expression): printer.print(expression)
        }
      }
    }
  }

  private mutating func print(_ dictionary: DictionaryExpression) {
    parenthesized("dict") { printer in
      for entry in dictionary.entries {
        printer.parenthesized("") { $0.print([entry.key, entry.value]) }
      }
    }
  }

  private mutating func print(_ object: ObjectExpression) {
    parenthesized("object \(object.className.text)") { printer in
      for property in object.properties {
        printer.parenthesized(property.name.text) { $0.print(property.value) }
      }
    }
  }

  // MARK: Paths

  private mutating func print(_ path: PathExpression) {
    if let authority = path.authority { word("//" + text(authority)) }
    if path.isAbsolute, path.authority == nil || path.components.isEmpty { word("/") }
    var components = path.components.map { text($0.parts) }
    if path.isDirectory { components.append("/") }
    if !path.query.isEmpty {
      let query = "?" + path.query.map(text).joined(separator: "&")
      if let last = components.last, last != "/" {
        components[components.count - 1] = last + query
      } else {
        components.append(query)
      }
    }
    for component in components { word(component.isEmpty ? "\"\"" : component) }
  }

  private func text(_ item: QueryItem) -> String {
    text(item.key) + (item.value.map { "=" + text($0) } ?? "")
  }

  private func text(_ parts: [PathPart]) -> String {
    parts.map { part in
      switch part {
      case .text(let text): text
      case .expression(let expression): "{\(Self.dump(expression, isExact: isExact))}"
      case .splice(let expression): "{*\(Self.dump(expression, isExact: isExact))}"
      }
    }.joined()
  }

  // MARK: Definitions

  private mutating func print(_ definition: Definition) {
    switch definition {
    case .class(let definition):
      head("class", definition.name, definition.superclass) { $0.print(definition.members) }
    case .extension(let definition):
      head("extension", definition.name, nil) { $0.print(definition.members) }
    case .scheme(let definition):
      head("scheme", definition.name, definition.superclass) { $0.print(definition.members) }
    case .filter(let definition):
      head("filter", definition.name, definition.superclass) { $0.print(definition.members) }
    case .protocol(let definition):
      head("protocol", definition.name, definition.superprotocol) { printer in
        for requirement in definition.requirements { printer.print(requirement) }
      }
    case .template(let definition):
      head("template", definition.name, nil) { $0.print(definition.object) }
    case .group(let definition):
      head("group", definition.name, nil) { printer in
        for entry in definition.entries {
          printer.parenthesized(entry.name.text) { $0.print(entry.place) }
        }
      }
    case .connector(let definition):
      head("connector", definition.connector, definition.superclass) {
        $0.print(definition.members)
      }
    case .method(let method): print(method)
    }
  }

  private mutating func head(
    _ word: String, _ name: Name, _ superclass: Name?, _ body: (inout TreePrinter) -> Void
  ) {
    let tail = superclass.map { " : \($0.text)" } ?? ""
    parenthesized("\(word) \(name.text)\(tail)", body)
  }

  private mutating func print(_ members: [Member]) {
    for member in members { print(member) }
  }

  private mutating func print(_ member: Member) {
    switch member {
    case .variable(let member): print(member)
    case .classVariable(let member):
      parenthesized("classvar") { printer in
        for name in member.names { printer.word(name.text) }
      }
    case .method(let method): print(method)
    case .propertyPath(let member): print(member)
    case .emission(let member): parenthesized("emit") { $0.print(member.statements) }
    case .statement(let statement): print(statement)
    }
  }

  private mutating func print(_ method: MethodDefinition) {
    word("(method \(method.isClassMethod ? "+" : "-")")
    print(method.header)
    print(method.statements)
    output += ")"
  }

  private mutating func print(_ requirement: ProtocolRequirement) {
    word("(method \(requirement.isClassMethod ? "+" : "-")")
    print(requirement.header)
    output += ")"
  }

  /// Appends the selector directly behind a sign, the type of the result and the parameters.
  private mutating func print(_ header: MethodHeader) {
    output += header.selector
    if let type = header.resultType { word("<\(type.text)>") }
    let parameters = header.parameters.map { parameter in
      (parameter.type.map { "<\($0.text)>" } ?? "") + parameter.name.text
    }
    word("(" + parameters.joined(separator: " ") + ")")
  }

  private mutating func print(_ member: PropertyPathDefinition) {
    parenthesized("path") { printer in
      for component in member.pattern { printer.word(component.text) }
      for handler in member.handlers {
        printer.parenthesized(handler.verb.rawValue) { $0.print(handler.statements) }
      }
    }
  }
}

extension PatternComponent {
  /// How it is written between slashes.
  var text: String {
    switch self {
    case .literal(let name): name.text
    case .parameter(let name): ":" + name.text
    case .rest(let name): name.map { "*:" + $0.text } ?? "*"
    }
  }
}
