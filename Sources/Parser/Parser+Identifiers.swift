internal import TenonLexer

extension Parser {
  /// The schemes in whose paths a component is a name, an index or an expression.
  ///
  ///     namingScheme == "ivar" | "this" | "self" | "var" | "class" | "default" ;
  static let namingSchemes: Set<String> = ["ivar", "this", "self", "var", "class", "default"]

  /// Parses the scheme that begins here, with its colon at an offset, and the path directly behind it.
  ///
  ///     identifier == ? a scheme ? , ":" , [ path ] | namingScheme , ":" , [ namePath ] ;
  func parseIdentifier(behind colon: Int) throws(SyntaxFailure) -> Expression {
    let start = token.start
    let schemeRange = SourceRange(start, colon)
    let scheme = Name(source.text(in: schemeRange), schemeRange)
    if scheme.text == "ref", !lexer.endsPath(at: colon + 1, openParentheses: 0) {
      return try parseReference(from: start)
    }
    let path = try parsePath(from: colon + 1, scheme: scheme.text)
    noteScheme(in: path, of: scheme.text)
    if path.range.start == path.range.end { try checkStore(scheme) }
    return .identifier(
      IdentifierExpression(scheme: scheme, path: path, range: range(from: start)))
  }

  /// Parses what a reference refers to: `ref:` is looked at.
  ///
  ///     reference == "ref:" , ( ? a scheme ? , ":" , [ path ] | namingScheme , ":" , [ namePath ]
  ///               | namePath ) ;
  private func parseReference(from start: Int) throws(SyntaxFailure) -> Expression {
    let nameStart = token.end
    var nameEnd = lexer.nameEnd(from: nameStart)
    // What a path of names would be has no colon in it: the scheme need not be known.
    if let colon = lexer.hyphenatedSchemeEnd(after: nameEnd) { nameEnd = colon }
    var scheme: Name?
    var pathStart = nameStart
    if nameEnd > nameStart, lexer.isKeywordColon(at: nameEnd) {
      let range = SourceRange(nameStart, nameEnd)
      scheme = Name(source.text(in: range), range)
      pathStart = nameEnd + 1
    }
    let path = try parsePath(from: pathStart, scheme: scheme?.text ?? "var")
    if let scheme { noteScheme(in: path, of: scheme.text) }
    return .reference(ReferenceExpression(scheme: scheme, path: path, range: range(from: start)))
  }

  /// Keeps the hyphenated scheme that a place of `scheme:` names, with its colon: what stands before
  /// that elsewhere in the text is no subtraction.
  private func noteScheme(in path: PathExpression, of scheme: String) {
    guard scheme == "scheme", path.components.count == 1, let name = path.components[0].text,
      name.isHyphenatedName
    else { return }
    declaredNames.insert(name + ":")
  }

  /// Parses a path up to where it ends.
  ///
  ///     path == [ root ] , components , [ "?" , query ] | root , [ "?" , query ] | "//" ,
  ///          authority , [ "?" , query ] ;
  ///     root == "/" | "//" , [ authority ] , "/" ;
  ///     components == component , { "/" , { "/" } , component } , [ "/" , { "/" } ] ;
  func parsePath(
    from start: Int, scheme: String
  ) throws(SyntaxFailure) -> PathExpression {
    var reader = PathReader(offset: start)
    let authority = try parseAuthority(&reader)
    let isAbsolute = lexer.byte(at: reader.offset) == UInt8(ascii: "/")
    if isAbsolute { reader.offset += 1 }
    var components: [PathComponent] = []
    var isDirectory = false
    while let component = try parseComponent(&reader) {
      components.append(component)
      isDirectory = lexer.byte(at: reader.offset) == UInt8(ascii: "/")
      guard isDirectory else { break }
      reader.offset += 1
    }
    let query = try parseQuery(&reader)
    let path = PathExpression(
      authority: authority, isAbsolute: isAbsolute, components: components,
      isDirectory: isDirectory, query: query, range: SourceRange(start, reader.offset))
    move(to: reader.offset)
    height = reader.tallest + 1
    try checkPathEnd(path)
    if Self.namingSchemes.contains(scheme) { try checkNames(in: path) }
    return path
  }

  /// How far a path has been read.
  struct PathReader {
    var offset: Int
    var openParentheses = 0
    var tallest = 0
  }

  /// Parses a host with its port, if the path begins with `//`.
  ///
  ///     authority == ( ? a host in brackets ? | pathPart ) , { pathPart } ;
  private func parseAuthority(
    _ reader: inout PathReader
  ) throws(SyntaxFailure) -> [PathPart]? {
    guard lexer.byte(at: reader.offset) == UInt8(ascii: "/"),
      lexer.byte(at: reader.offset + 1) == UInt8(ascii: "/")
    else { return nil }
    reader.offset += 2
    var parts: [PathPart] = []
    if let end = lexer.bracketedHostEnd(from: reader.offset) {
      parts.append(.text(source.text(in: SourceRange(reader.offset, end))))
      reader.offset = end
    }
    return parts + (try readPathParts(&reader, in: .authority))
  }

  /// Parses a component; nil when the path ends where one could begin.
  ///
  ///     component == ".." | pathExpression | pathPart , { pathPart } ;
  private func parseComponent(
    _ reader: inout PathReader
  ) throws(SyntaxFailure) -> PathComponent? {
    let start = reader.offset
    if lexer.isParentComponent(at: start) {
      reader.offset += 2
      return PathComponent(parts: [.text("..")])
    }
    let parts = try readPathParts(&reader, in: .component)
    if parts.isEmpty {
      // Between two slashes stands a component without text.
      let isBetween = lexer.byte(at: start) == UInt8(ascii: "/")
      return isBetween ? PathComponent(parts: [.text("")]) : nil
    }
    if parts.count > 1, parts.contains(where: \.isSplice) {
      throw fail(spliceInComponent(SourceRange(start, reader.offset)))
    }
    return PathComponent(parts: parts)
  }

  /// Parses the pairs behind `?`.
  ///
  ///     query == pair , { "&" , pair } ;
  ///     pair == { queryPart } , [ "=" , { queryPart } ] ;
  private func parseQuery(_ reader: inout PathReader) throws(SyntaxFailure) -> [QueryItem] {
    guard lexer.byte(at: reader.offset) == UInt8(ascii: "?") else { return [] }
    var items: [QueryItem] = []
    repeat {
      let start = reader.offset
      reader.offset += 1
      let key = try readPathParts(&reader, in: .key)
      var value: [PathPart]?
      if !lexer.endsPath(at: reader.offset, openParentheses: reader.openParentheses),
        lexer.byte(at: reader.offset) == UInt8(ascii: "=")
      {
        reader.offset += 1
        value = try readPathParts(&reader, in: .value)
      }
      if (key + (value ?? [])).contains(where: \.isSplice) {
        throw fail(spliceInComponent(SourceRange(start + 1, reader.offset)))
      }
      items.append(QueryItem(key: key, value: value))
    } while lexer.byte(at: reader.offset) == UInt8(ascii: "&")
    return items
  }

  /// Parses text and expressions up to the end of a section.
  ///
  ///     pathPart == ? path characters ? | "{" , connect , "}" ;
  ///     queryPart == ? query characters ? | "{" , connect , "}" ;
  private func readPathParts(
    _ reader: inout PathReader, in section: PathSection
  ) throws(SyntaxFailure) -> [PathPart] {
    var parts: [PathPart] = []
    while true {
      let end = lexer.pathTextEnd(
        from: reader.offset, in: section, openParentheses: &reader.openParentheses)
      if end > reader.offset {
        parts.append(.text(source.text(in: SourceRange(reader.offset, end))))
        reader.offset = end
      }
      guard lexer.byte(at: end) == UInt8(ascii: "{") else { return parts }
      parts.append(try parsePathExpression(&reader))
    }
  }

  /// Parses an expression in the braces of a path.
  ///
  ///     pathExpression == "{" , [ "*" ] , connect , "}" ;
  private func parsePathExpression(
    _ reader: inout PathReader
  ) throws(SyntaxFailure) -> PathPart {
    let opening = SourceRange(reader.offset, reader.offset + 1)
    let outer = try enter(.closeBrace)
    let isSplice = lexer.byte(at: reader.offset + 1) == UInt8(ascii: "*")
    move(to: reader.offset + (isSplice ? 2 : 1))
    let expression = try parseConnect()
    guard token.kind == .closeBrace else { throw failUnclosed(.closeBrace, opening) }
    // The token behind the brace is part of the path and not looked at.
    reader.offset = token.end
    reader.tallest = Swift.max(reader.tallest, height)
    leave(to: outer)
    return isSplice ? .splice(expression) : .expression(expression)
  }

  // MARK: Checks

  /// Checks that no literal or bracket follows a store, as if its colon were that of a keyword or
  /// of a dictionary's key.
  private func checkStore(_ scheme: Name) throws(SyntaxFailure) {
    switch token.kind {
    case .number, .string, .quotation, .character, .symbol, .openParenthesis, .openBrace,
      .arrayOpening, .byteArrayOpening, .dictionaryOpening, .objectOpening, .collectionOpening:
      break
    case .openBracket where token.followsBlank: break
    case .operator where isNegativeNumber: break
    default: return
    }
    guard !token.beginsLine else { return }
    throw fail(missingReceiver(scheme))
  }

  /// Checks that the text of a path does not end in a sign that would end it before a blank.
  private func checkPathEnd(_ path: PathExpression) throws(SyntaxFailure) {
    let last = lexer.byte(at: Int(path.range.end) - 1)
    let isSign =
      last == UInt8(ascii: ".") || last == UInt8(ascii: ",") || last == UInt8(ascii: ";")
    guard path.range.end > path.range.start, isSign else { return }
    if path.query.isEmpty, !path.isDirectory, path.components.last?.text == ".." { return }
    throw fail(signAtPathEnd(path.range))
  }

  /// Checks that each component is a name, an index or an expression.
  ///
  ///     namePath == [ "/" ] , nameComponent , { "/" , nameComponent } ;
  private func checkNames(in path: PathExpression) throws(SyntaxFailure) {
    let isPlain = path.authority == nil && path.query.isEmpty && !path.isDirectory
    if path.components.contains(where: { $0.parts.contains(where: \.isSplice) }) {
      throw fail(spliceOfNames(path.range))
    }
    var isNamed = true
    for component in path.components where isNamed {
      isNamed = isName(component)
    }
    guard isPlain, isNamed else { throw fail(notAName(path.range)) }
  }

  /// Returns whether a component names something: a name, an index or an expression.
  ///
  ///     nameComponent == name | hyphenatedName | digit , { digit } | "{" , connect , "}" ;
  private func isName(_ component: PathComponent) -> Bool {
    guard let text = component.text else { return component.parts.count == 1 }
    if text.utf8.contains(UInt8(ascii: "-")) { return isDeclared(text) && text.isHyphenatedName }
    return text.isPlainName || !text.isEmpty && text.utf8.allSatisfy { (0x30...0x39).contains($0) }
  }
}

extension PathPart {
  fileprivate var isSplice: Bool {
    if case .splice = self { return true }
    return false
  }
}

extension String {
  /// Whether it is a name.
  var isPlainName: Bool {
    guard let first = unicodeScalars.first else { return false }
    guard first == "_" || first.properties.isXIDStart else { return false }
    return unicodeScalars.allSatisfy(\.properties.isXIDContinue)
  }

  /// Whether it is a name with hyphens in it.
  var isHyphenatedName: Bool {
    let parts = split(separator: "-", omittingEmptySubsequences: false)
    return parts.count > 1 && parts.allSatisfy { String($0).isPlainName }
  }
}
