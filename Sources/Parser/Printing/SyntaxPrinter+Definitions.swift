internal import TenonLexer

extension SyntaxPrinter {
  mutating func print(_ definition: Definition) {
    switch definition {
    case .class(let definition):
      printHead("class", definition.name, definition.superclass)
      print(definition.members)
    case .extension(let definition):
      printHead("extension", definition.name, nil)
      print(definition.members)
    case .scheme(let definition):
      printHead("scheme", definition.name, definition.superclass)
      print(definition.members)
    case .filter(let definition):
      print(definition)
    case .protocol(let definition):
      printHead("protocol", definition.name, definition.superprotocol)
      printBraced(definition.requirements) { printer, requirement in
        printer.text(requirement.isClassMethod ? "+" : "-")
        printer.printBehindSign(requirement.header)
        printer.text(".")
      }
    case .template(let definition):
      text("object \(definition.name.text) : ")
      print(definition.object)
    case .group(let definition):
      printHead("group", definition.name, nil)
      printBraced(definition.entries) { printer, entry in
        printer.text(entry.name.text + " -> ")
        printer.print(entry.place, .unary)
        printer.text(".")
      }
    case .connector(let definition):
      printHead("connector", definition.connector, definition.superclass)
      print(definition.members)
    case .method(let method):
      print(method)
    }
  }

  private mutating func printHead(_ word: String, _ name: Name, _ superclass: Name?) {
    text("\(word) \(name.text) ")
    if let superclass { text(": \(superclass.text) ") }
  }

  private mutating func print(_ filter: FilterDefinition) {
    printHead("filter", filter.name, filter.superclass)
    if filter.members.count == 1, case .emission(let emission) = filter.members[0] {
      print(emission)
    } else {
      print(filter.members)
    }
  }

  private mutating func print(_ emission: EmissionDefinition) {
    let input = emission.inputType.map { "<\($0.text)> " } ?? ""
    let output = emission.outputType.map { "-> <\($0.text)> " } ?? ""
    printStatements(emission.statements, "|\(input)\(output){", "}")
  }

  // MARK: Members

  private mutating func print(_ members: [Member]) {
    printBraced(members) { printer, member in
      printer.print(member)
      if member.needsPeriod { printer.text(".") }
    }
  }

  private mutating func printBraced<Item>(
    _ items: [Item], _ print: (inout SyntaxPrinter, Item) -> Void
  ) {
    guard !items.isEmpty else { return text("{ }") }
    text("{")
    layout.indent(2)
    for item in items {
      layout.hardLine()
      print(&self, item)
    }
    layout.indent(-2)
    layout.hardLine()
    text("}")
  }

  mutating func print(_ member: Member) {
    switch member {
    case .variable(let member): print(member)
    case .classVariable(let member):
      text("classvar" + member.names.map { " " + $0.text }.joined())
      printFirstValue(member.value)
    case .method(let method): print(method)
    case .propertyPath(let member): print(member)
    case .emission(let member): print(member)
    case .statement(let statement): print(statement)
    }
  }

  mutating func print(_ method: MethodDefinition) {
    text(method.isClassMethod ? "+" : "-")
    printBehindSign(method.header)
    text(" ")
    printStatements(method.statements, "{", "}")
  }

  /// Prints a header behind a sign; a blank keeps an operator apart from it.
  private mutating func printBehindSign(_ header: MethodHeader) {
    let isOperator =
      header.selectorParts.count == 1 && !header.parameters.isEmpty
      && !header.selectorParts[0].text.hasSuffix(":")
    if isOperator, header.resultType == nil { text(" ") }
    print(header)
  }

  mutating func print(_ header: MethodHeader) {
    if let type = header.resultType { text("<\(type.text)>") }
    let isKeyword = header.selectorParts.first?.text.hasSuffix(":") == true
    for (index, part) in header.selectorParts.enumerated() {
      let isOperator = !isKeyword && !header.parameters.isEmpty
      if index > 0 || isOperator && header.resultType != nil { text(" ") }
      text(part.text)
      guard index < header.parameters.count else { continue }
      if isOperator { text(" ") }
      let parameter = header.parameters[index]
      if let type = parameter.type { text("<\(type.text)>") }
      text(parameter.name.text)
    }
  }

  private mutating func print(_ path: PropertyPathDefinition) {
    text("/" + path.pattern.map(\.text).joined(separator: "/") + " ")
    printBraced(path.handlers) { printer, handler in
      printer.printStatements(handler.statements, handler.verb.rawValue + " {", "}")
    }
  }
}

extension Member {
  /// Whether a full stop must stand between it and the next member.
  fileprivate var needsPeriod: Bool {
    switch self {
    case .variable, .classVariable: true
    case .method, .propertyPath, .emission: false
    case .statement(let statement): statement.needsPeriod
    }
  }
}
