internal import TenonLexer

/// The words that begin a definition when what follows them looks like one.
enum DefinitionWord: String {
  case `class`, `extension`, scheme, filter, `protocol`, object, group, connector
}

extension Parser {
  // MARK: Looking ahead

  /// Returns the word of the definition that begins here; nil when the word is a name.
  func definitionAhead() -> DefinitionWord? {
    guard (5...9).contains(token.end - token.start),
      let word = DefinitionWord(rawValue: source.text(in: token.range))
    else { return nil }
    let isAhead = word == .connector ? isConnectorAhead : isDefinedNameAhead(word)
    return isAhead ? word : nil
  }

  private var isConnectorAhead: Bool {
    let next = lexer.token(from: token.end)
    // An attempt at what cannot be: no assignment goes on with a colon.
    if next.kind == .assignment { return lexer.token(from: next.end).kind == .colon }
    let run = lexer.operatorRun(at: next.start)
    // An attempt as well: a name where a sign is needed.
    guard run.end > run.start else { return isDefinedNameAhead(.connector) }
    let kind = lexer.token(from: Int(run.end)).kind
    return kind == .openBrace || kind == .colon
  }

  private func isDefinedNameAhead(_ word: DefinitionWord) -> Bool {
    let name = lexer.token(from: token.end)
    guard name.kind == .name || name.kind == .keyword else { return false }
    var end = lexer.nameEnd(from: name.start)
    while lexer.byte(at: end) == UInt8(ascii: "-"), lexer.isNameStart(at: end + 1) {
      end = lexer.nameEnd(from: end + 1)
    }
    let next = lexer.token(from: end)
    switch next.kind {
    case .openBrace: return word != .object
    case .bar: return word == .filter && isEmission(at: next)
    case .colon: return next.followsBlank || isSuperclassAhead(next, word)
    default: return false
    }
  }

  /// Whether a colon directly behind a name begins a superclass and is not that of a keyword.
  private func isSuperclassAhead(_ colon: Token, _ word: DefinitionWord) -> Bool {
    let name = lexer.token(from: colon.end)
    guard word != .object else { return name.kind == .objectOpening }
    guard name.kind == .name else { return false }
    let next = lexer.token(from: name.end)
    return next.kind == .openBrace || word == .filter && isEmission(at: next)
  }

  private func isEmission(at bar: Token) -> Bool {
    guard bar.kind == .bar else { return false }
    var next = lexer.token(from: bar.end)
    if let end = typeEnd(at: next) { next = lexer.token(from: end) }
    if next.kind == .connector {
      guard let end = typeEnd(at: lexer.token(from: next.end)) else { return false }
      next = lexer.token(from: end)
    }
    return next.kind == .openBrace
  }

  // MARK: Definitions

  /// Parses a definition.
  ///
  ///     definition = class | extension | scheme | filter | protocol | template | group |
  ///                connectorDefinition | ? outside of all brackets ? , methodDefinition ;
  func parseDefinition(_ word: DefinitionWord) throws(SyntaxFailure) -> Definition {
    switch word {
    case .class: .class(try parseClass())
    case .extension: .extension(try parseExtension())
    case .scheme: .scheme(try parseScheme())
    case .filter: .filter(try parseFilter())
    case .protocol: .protocol(try parseProtocol())
    case .object: .template(try parseTemplate())
    case .group: .group(try parseGroup())
    case .connector: .connector(try parseConnectorDefinition())
    }
  }

  /// Parses a class.
  ///
  ///     class = "class" , declaredName , [ superclass ] , "{" , members , "}" ;
  func parseClass() throws(SyntaxFailure) -> ClassDefinition {
    let start = token.start
    advance()
    let name = try parseDeclaredName()
    let superclass = try parseSuperclass()
    let members = try parseMembers()
    return ClassDefinition(
      name: name, superclass: superclass, members: members, range: range(from: start))
  }

  /// Parses an extension.
  ///
  ///     extension = "extension" , name , "{" , members , "}" ;
  func parseExtension() throws(SyntaxFailure) -> ExtensionDefinition {
    let start = token.start
    advance()
    let name = try takeDeclaredName()
    let members = try parseMembers()
    return ExtensionDefinition(name: name, members: members, range: range(from: start))
  }

  /// Parses a scheme.
  ///
  ///     scheme = "scheme" , declaredName , [ superclass ] , "{" , members , "}" ;
  func parseScheme() throws(SyntaxFailure) -> SchemeDefinition {
    let start = token.start
    advance()
    let name = try parseDeclaredName()
    let superclass = try parseSuperclass()
    let members = try parseMembers()
    return SchemeDefinition(
      name: name, superclass: superclass, members: members, range: range(from: start))
  }

  /// Parses a filter.
  ///
  ///     filter = "filter" , declaredName , [ superclass ] , ( emission | "{" , filterMembers ,
  ///            "}" ) ;
  func parseFilter() throws(SyntaxFailure) -> FilterDefinition {
    let start = token.start
    advance()
    let name = try parseDeclaredName()
    let superclass = try parseSuperclass()
    let members =
      token.kind == .bar
      ? [Member.emission(try parseEmission())] : try parseMembers(allowsEmission: true)
    return FilterDefinition(
      name: name, superclass: superclass, members: members, range: range(from: start))
  }

  /// Parses a protocol.
  ///
  ///     protocol = "protocol" , declaredName , [ superclass ] , "{" , { [ requirement ] , "." } ,
  ///              [ requirement ] , "}" ;
  func parseProtocol() throws(SyntaxFailure) -> ProtocolDefinition {
    let start = token.start
    advance()
    let name = try parseDeclaredName()
    let superprotocol = try parseSuperclass()
    let requirements = try readBraced { parser throws(SyntaxFailure) in
      try parser.parseRequirement()
    }
    return ProtocolDefinition(
      name: name, superprotocol: superprotocol, requirements: requirements,
      range: range(from: start))
  }

  /// Parses a message a protocol asks for.
  ///
  ///     requirement = ( "-" | "+" ) , methodHeader ;
  func parseRequirement() throws(SyntaxFailure) -> ProtocolRequirement {
    let start = token.start
    guard beginsMethod else { throw failExpected("'-' and a message") }
    let isClassMethod = takeMethodSign()
    let header = try parseMethodHeader()
    guard token.kind != .openBrace else { throw fail(bodyInProtocol()) }
    return ProtocolRequirement(
      isClassMethod: isClassMethod, header: header, range: range(from: start))
  }

  /// Parses a template.
  ///
  ///     template = "object" , declaredName , ":" , object ;
  func parseTemplate() throws(SyntaxFailure) -> TemplateDefinition {
    let start = token.start
    advance()
    let name = try parseDeclaredName()
    guard token.kind == .colon else { throw failExpected("':' and an object literal") }
    advance()
    guard token.kind == .objectOpening else { throw failExpected("an object literal '#Name{'") }
    let object = try parseObject()
    return TemplateDefinition(name: name, object: object, range: range(from: start))
  }

  /// Parses a group.
  ///
  ///     group = "group" , declaredName , "{" , { [ groupEntry ] , "." } , [ groupEntry ] , "}" ;
  func parseGroup() throws(SyntaxFailure) -> GroupDefinition {
    let start = token.start
    advance()
    let name = try parseDeclaredName()
    let entries = try readBraced { parser throws(SyntaxFailure) in
      try parser.parseGroupEntry()
    }
    return GroupDefinition(name: name, entries: entries, range: range(from: start))
  }

  /// Parses a name of a group with the place it stands for.
  ///
  ///     groupEntry = declaredName , ( "->" | "→" ) , place ;
  func parseGroupEntry() throws(SyntaxFailure) -> GroupEntry {
    let start = token.start
    let name = try takeDeclaredName()
    guard token.kind == .connector, connectorHere.text == "->" else {
      throw failExpected("'->' and a place")
    }
    advance()
    let placeStart = token.start
    let place = try parseOperand()
    try checkLineBreak(from: placeStart)
    guard place.isPlace else { throw fail(notAPlaceInGroup(placeStart)) }
    return GroupEntry(name: name, place: place, range: range(from: start))
  }

  /// Parses the definition of a connector, which is one from here on.
  ///
  ///     connectorDefinition = "connector" , ? new connector ? , [ superclass ] , "{" , members ,
  ///                         "}" ;
  func parseConnectorDefinition() throws(SyntaxFailure) -> ConnectorDefinition {
    let start = token.start
    advance()
    guard token.kind != .name, token.kind != .keyword else { throw fail(namedConnector()) }
    let run =
      token.kind == .assignment ? token.range : lexer.operatorRun(at: token.start)
    let connector = Name(source.text(in: run), run)
    let isReplaced = Connector.replaceable.contains(connector.text)
    guard isReplaced || Connector.named(connector.text) == nil,
      Connector.otherSpellings[connector.text] == nil,
      !Connector.reserved.contains(connector.text)
    else { throw fail(connectorTaken(connector)) }
    guard lexer.addConnector(connector.text) else { throw fail(connectorTooLong(connector)) }
    definedConnectors.insert(connector.text)
    move(to: Int(run.end))
    // In its own definition the sign means what it does in every program, however often it has been
    // defined: a definition takes the place of the one before, which nothing could mean any more.
    ownConnectors.remove(connector.text)
    let superclass = try parseSuperclass()
    let members = try parseMembers()
    if isReplaced { ownConnectors.insert(connector.text) }
    return ConnectorDefinition(
      connector: connector, superclass: superclass, members: members, range: range(from: start))
  }

  /// Parses the colon and the name behind what is defined, if they are there.
  ///
  ///     superclass = ":" , name ;
  func parseSuperclass() throws(SyntaxFailure) -> Name? {
    guard token.kind == .colon else { return nil }
    advance()
    return try takeDeclaredName()
  }

  // MARK: Members

  /// Parses the members of a definition in their braces.
  ///
  ///     members = { ( methodDefinition | propertyPath | group ) , [ "." ] | [ member ] , "." } ,
  ///             [ member ] ;
  ///     filterMembers = { ( methodDefinition | emission ) , [ "." ] | [ member ] , "." } , [
  ///                   member ] ;
  func parseMembers(allowsEmission: Bool = false) throws(SyntaxFailure) -> [Member] {
    try readBraced { parser throws(SyntaxFailure) in
      let member = try parser.parseMember()
      if case .emission(let emission) = member, !allowsEmission {
        throw parser.fail(parser.emissionOutOfPlace(emission.range))
      }
      return member
    }
  }

  /// Parses what ends like statements in braces; no full stop is needed behind a closing brace.
  func readBraced<Item>(
    _ parse: (Parser) throws(SyntaxFailure) -> Item
  ) throws(SyntaxFailure) -> [Item] {
    let opening = token.range
    guard token.kind == .openBrace else { throw failExpected("'{'") }
    let outer = try open(.closeBrace)
    context.implicitParameters = .outside
    let inner = context
    let outerStart = statementStart
    var items: [Item] = []
    var tallest = 0
    while true {
      while token.kind == .period { takePeriod() }
      if closesOpenBracket { break }
      statementStart = token.start
      do {
        items.append(try parse(self))
        tallest = Swift.max(tallest, height)
        let isBraced = lexer.byte(at: previousEnd - 1) == UInt8(ascii: "}")
        guard isBraced || token.kind == .period || closesOpenBracket else {
          throw failAfterExpression("'.'")
        }
      } catch {
        recover(to: inner, endsAfterBraces: true)
        if closesOpenBracket { break }
      }
    }
    context.implicitParameters = outer.implicitParameters
    statementStart = outerStart
    height = tallest + 1
    try checkHeight()
    try close(.closeBrace, opening, outer)
    return items
  }

  /// Parses a member of a class, an extension, a scheme, a filter or a connector.
  ///
  ///     memberVariable = ( "var" | "val" ) , [ type ] , declaredName , [ ":=" , pipe ] ;
  ///     member = memberVariable | classVariables | methodDefinition | propertyPath | group |
  ///            ? no sign first ? , ( assignment | append | connection ) ;
  func parseMember() throws(SyntaxFailure) -> Member {
    if beginsMethod { return .method(try parseMethodDefinition()) }
    switch token.kind {
    case .name:
      if isVariableAhead { return .variable(try parseVariable(isMember: true)) }
      if isClassVariableAhead { return .classVariable(try parseClassVariables()) }
      if definitionAhead() == .group {
        return .statement(.definition(.group(try parseGroup())))
      }
    case .operator, .connector:
      if firstByte == UInt8(ascii: "/") { return .propertyPath(try parsePropertyPath()) }
    case .bar:
      if lexer.token(from: token.end).kind == .name {
        endsWithLine = true
        throw fail(temporariesInClass())
      }
      return .emission(try parseEmission())
    default:
      break
    }
    return try readStatementMember()
  }

  /// Parses an assignment, an addition or a connection that is made for every instance.
  private func readStatementMember() throws(SyntaxFailure) -> Member {
    let start = token.start
    guard canBeginOperand else { throw failExpected("a member") }
    let expression = try parseConnect()
    switch expression {
    case .assignment, .append, .connect: return .statement(.expression(expression))
    default: throw token.kind == .endOfText ? failExpected("'}'") : fail(notAMember(start))
    }
  }

  private var canBeginOperand: Bool {
    switch token.kind {
    case .name, .keyword, .openParenthesis: true
    case .bar, .caret, .semicolon, .comma, .colon: false
    default: true
    }
  }

  private var isClassVariableAhead: Bool {
    token.end - token.start == 8 && source.text(in: token.range) == "classvar"
      && lexer.token(from: token.end).kind == .name
  }

  /// Parses the declaration of variables of a class.
  ///
  ///     classVariables = "classvar" , declaredName , ( ":=" , pipe | { declaredName } ) ;
  func parseClassVariables() throws(SyntaxFailure) -> ClassVariableDefinition {
    let start = token.start
    advance()
    var names: [Name] = []
    while token.kind == .name {
      names.append(try parseDeclaredName())
    }
    height = 1
    let value = names.count == 1 ? try readFirstValue(of: names[0]) : nil
    return ClassVariableDefinition(names: names, value: value, range: range(from: start))
  }

  /// Parses what a filter does with each object.
  ///
  ///     emission = "|" , [ type ] , [ ( "->" | "→" ) , type ] , body ;
  func parseEmission() throws(SyntaxFailure) -> EmissionDefinition {
    let start = token.start
    takeBar()
    let inputType = typeEnd(at: token) == nil ? nil : try parseType()
    var outputType: Name?
    if token.kind == .connector, connectorHere.text == "->" {
      advance()
      outputType = try parseType()
    }
    let statements = try parseBody()
    return EmissionDefinition(
      inputType: inputType, outputType: outputType, statements: statements,
      range: range(from: start))
  }
}
