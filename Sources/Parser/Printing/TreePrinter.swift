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

  // MARK: Statements

  private mutating func print(_ statements: [Statement]) {
    for statement in statements { print(statement) }
  }

  private mutating func print(_ statement: Statement) {
    switch statement {
    case .expression(let expression): print(expression)
    case .return(let statement):
      word("(^")
      print(statement.value)
      output += ")"
    case .temporaries(let statement):
      word("(temps\(statement.names.map { " " + $0.text }.joined()))")
    case .variable(let statement): print(statement)
    case .import(let statement): word("(import \(LiteralText.string(statement.path)))")
    case .definition(let definition): print(definition)
    }
  }

  private mutating func print(_ statement: VariableStatement) {
    word(statement.isConstant ? "(val" : "(var")
    if let type = statement.type { word("<\(type.text)>") }
    word(statement.name.text)
    if let value = statement.value { print(value) }
    output += ")"
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

  // The parts are bound by the functions called: one that bound those of all cases would take a
  // kilobyte of stack for each level in a debug build.
  private mutating func closeLink(_ link: Expression) {
    switch link {
    case .unaryMessage(let message): word(message.selector.text)
    case .binaryMessage: closeBinaryMessage(link)
    case .keywordMessage: closeKeywordMessage(link)
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

  private mutating func closeBinaryMessage(_ link: Expression) {
    guard case .binaryMessage(let message) = link else { return }
    printBinary(message.selector, message.argument)
  }

  private mutating func closeKeywordMessage(_ link: Expression) {
    guard case .keywordMessage(let message) = link else { return }
    printKeywords(message.keywords, message.arguments)
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
    word("(")
    isFirst = true
    switch message {
    case .unary(let selector): word(selector.text)
    case .binary(let selector, let argument): printBinary(selector, argument)
    case .keyword(let keywords, let arguments): printKeywords(keywords, arguments)
    }
    output += ")"
  }

  // What has no parts is printed apart: a function that recurses should not need the stack for it.
  private mutating func printRoot(_ expression: Expression) {
    if let text = leafText(expression) { word(text) } else { printBranch(expression) }
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
    case .byteArray(let array): "(bytes\(array.bytes.map { " \($0)" }.joined()))"
    case .name(let name): name.name.text
    case .implicitParameter(let parameter): "$\(parameter.index)"
    case .interpolatedString, .array, .dictionary, .object, .identifier, .reference, .block,
      .assignment, .append, .connect, .unaryMessage, .binaryMessage, .keywordMessage, .pipe,
      .cascade, .subscript, .query:
      nil
    }
  }

  private mutating func printBranch(_ expression: Expression) {
    switch expression {
    case .interpolatedString(let string): print(string)
    case .array(let array): print(array)
    case .dictionary(let dictionary): print(dictionary)
    case .object(let object): print(object)
    case .identifier, .reference: printIdentifier(expression)
    case .block: printBlock(expression)
    case .assignment, .append, .connect: printConnect(expression)
    default: print(expression)
    }
  }

  private mutating func printBlock(_ expression: Expression) {
    guard case .block(let block) = expression else { return }
    print(block)
  }

  private mutating func printIdentifier(_ expression: Expression) {
    switch expression {
    case .identifier(let identifier): printPath("id \(identifier.scheme.text)", identifier.path)
    case .reference(let reference):
      printPath("ref \(reference.scheme?.text ?? "-")", reference.path)
    default: break
    }
  }

  private mutating func print(_ array: ArrayExpression) {
    word("(array")
    print(array.elements)
    output += ")"
  }

  private mutating func printPath(_ head: String, _ path: PathExpression) {
    word("(" + head)
    print(path)
    output += ")"
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
      word("(+=")
      print([append.target, append.value])
      output += ")"
    case .connect(let connect):
      word("(" + connect.connector.text)
      print(connect.operands)
      output += ")"
    default:
      print(value)
    }
    output += String(repeating: ")", count: depth)
  }

  private mutating func print(_ expressions: [Expression]) {
    for expression in expressions { print(expression) }
  }

  private mutating func print(_ block: BlockExpression) {
    word(isExact && block.usesBraces ? "(block{}" : "(block")
    words(block.parameters)
    print(block.statements)
    output += ")"
  }

  private mutating func print(_ string: InterpolatedStringExpression) {
    word("(str")
    for part in string.parts {
      switch part {
      case .text(let text): word("\"" + LiteralText.interpolated(text) + "\"")
      case .expression(let expression): print(expression)
      }
    }
    output += ")"
  }

  private mutating func print(_ dictionary: DictionaryExpression) {
    word("(dict")
    for entry in dictionary.entries {
      word("(")
      isFirst = true
      print(entry.key)
      print(entry.value)
      output += ")"
    }
    output += ")"
  }

  private mutating func print(_ object: ObjectExpression) {
    word("(object \(object.className.text)")
    for property in object.properties {
      word("(")
      isFirst = true
      if let key = property.key { print(key) } else { word(property.name.text) }
      print(property.value)
      output += ")"
    }
    output += ")"
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
      print("class", definition.name, definition.superclass, definition.members)
    case .extension(let definition):
      print("extension", definition.name, nil, definition.members)
    case .scheme(let definition):
      print("scheme", definition.name, definition.superclass, definition.members)
    case .filter(let definition):
      print("filter", definition.name, definition.superclass, definition.members)
    case .connector(let definition):
      print("connector", definition.connector, definition.superclass, definition.members)
    case .protocol(let definition): print(definition)
    case .template(let definition): print(definition)
    case .group(let definition): print(definition)
    case .method(let method): print(method)
    }
  }

  private mutating func print(
    _ word: String, _ name: Name, _ superclass: Name?, _ members: [Member]
  ) {
    self.word("(\(word) \(name.text)\(superclass.map { " : \($0.text)" } ?? "")")
    print(members)
    output += ")"
  }

  private mutating func print(_ definition: ProtocolDefinition) {
    let tail = definition.superprotocol.map { " : \($0.text)" } ?? ""
    word("(protocol \(definition.name.text)\(tail)")
    for requirement in definition.requirements { print(requirement) }
    output += ")"
  }

  private mutating func print(_ definition: TemplateDefinition) {
    word("(template \(definition.name.text)")
    print(definition.object)
    output += ")"
  }

  private mutating func print(_ definition: GroupDefinition) {
    word("(group \(definition.name.text)")
    for entry in definition.entries {
      word("(" + entry.name.text)
      print(entry.place)
      output += ")"
    }
    output += ")"
  }

  private mutating func print(_ members: [Member]) {
    for member in members { print(member) }
  }

  private mutating func print(_ member: Member) {
    switch member {
    case .variable(let member): print(member)
    case .classVariable(let member):
      word("(classvar \(member.names.map(\.text).joined(separator: " "))")
      if let value = member.value { print(value) }
      output += ")"
    case .method(let method): print(method)
    case .propertyPath(let member): print(member)
    case .emission(let member):
      let types = [
        member.inputType.map { " <\($0.text)>" }, member.outputType.map { " -> <\($0.text)>" },
      ]
      print("emit" + types.compactMap(\.self).joined(), member.statements)
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
    word("(path")
    for component in member.pattern { word(component.text) }
    for handler in member.handlers { print(handler.verb.rawValue, handler.statements) }
    output += ")"
  }

  private mutating func print(_ head: String, _ statements: [Statement]) {
    word("(" + head)
    print(statements)
    output += ")"
  }
}

extension PatternComponent {
  /// How it is written between slashes.
  var text: String {
    switch self {
    case .literal(let name): name.text
    case .parameter(let name): ":" + name.text
    case .integer(let name): ":" + name.text + "<int>"
    case .rest(let name): name.map { "*:" + $0.text } ?? "*"
    }
  }
}
