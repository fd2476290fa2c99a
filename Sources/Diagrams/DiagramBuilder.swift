internal import TenonAnalysis
internal import TenonLexer
package import TenonParser

/// Makes a diagram of connector statements.
package struct DiagramBuilder {
  private(set) var diagram = Diagram()
  /// The statements that have been added, in order, those of groups left out.
  package private(set) var statements: [ConnectorStatement] = []
  /// The class in whose text each of them stands as a member; nil for all others.
  package private(set) var homes: [Home?] = []
  /// Where the first statement begins, in bytes, that is neither a connector's nor declares a lazy variable.
  private(set) var firstOther: Int?
  private var nodes: [NodeKey: Int] = [:]
  private var reads: Set<Diagram.Read> = []
  /// The definitions around the statement that is being looked at, outermost first.
  private var scopes: [Scope] = []
  /// The items of the definitions that are open; the first are those of the script.
  private var items: [[Diagram.Item]] = [[]]
  /// The spellings of each variable: they are one place.
  private var variables: [NodeKey: Int] = [:]
  /// The names that stand for stores as far as the text tells.
  private var storeNames: Set<String> = []
  /// The variables that are declared to be computed when they are read, by definition.
  private var lazyNames: [Int?: Set<String>] = [:]

  /// For the connections of a program that runs: the place that a text of the statement means.
  private var lookUp: (String) -> LivePlace? = { _ in nil }

  /// A place of a program that runs.
  package struct LivePlace {
    /// The number of its cell, if connections share it.
    package let cell: Int?
    package let value: String?
    package let owner: Diagram.Owner
    /// Whether it is a variable that is computed when it is read.
    package var isLazy = false

    package init(cell: Int?, value: String?, owner: Diagram.Owner, isLazy: Bool = false) {
      self.cell = cell
      self.value = value
      self.owner = owner
      self.isLazy = isLazy
    }
  }

  /// A class in whose text a statement stands that holds for each instance.
  package struct Home: Hashable {
    /// The beginning of its definition.
    let header: String
    /// The variables that it declares.
    let names: Set<String>

    package var className: String {
      header.split(separator: " ").dropFirst().first.map { String($0) } ?? header
    }
  }

  private struct NodeKey: Hashable {
    let container: Int?
    let text: String
    var cell: Int?
  }

  private struct Scope {
    let container: Int
    /// The names that belong to it.
    let names: Set<String>
    /// Whether it has instance variables.
    let isClass: Bool
  }

  package init() {}

  /// The diagram of what has been seen.
  ///
  /// - Parameter isLive: Whether it is of connections that are in force: these are no cycles.
  /// - Returns: The diagram.
  package mutating func finish(isLive: Bool = false) -> Diagram {
    diagram.items = items[0]
    diagram.markFilters()
    if !isLive { diagram.markCycles() }
    return diagram
  }
}

// MARK: - Programs

extension DiagramBuilder {
  package mutating func visit(_ script: Script) {
    storeNames = script.storeNames
    for statement in script.statements {
      guard case .variable(let variable) = statement else { continue }
      recordDeclaration(of: variable, in: nil)
    }
    script.statements.forEach { visit($0) }
  }

  private mutating func recordDeclaration(of variable: VariableStatement, in container: Int?) {
    guard variable.type?.text == ReservedName.lazyType else { return }
    lazyNames[container, default: []].insert(variable.name.text)
  }

  private mutating func visit(_ statement: Statement) {
    switch statement {
    case .expression(let expression): visit(expression, isStatement: true)
    case .return(let result):
      noteOther(statement.range)
      visit(result.value, isStatement: true)
    case .variable(let variable): visit(variable)
    case .definition(let definition): visit(definition)
    case .temporaries, .import: noteOther(statement.range)
    }
  }

  /// A connection that is the first value of a variable is under its name.
  private mutating func visit(_ variable: VariableStatement) {
    guard let value = variable.value else {
      if variable.type?.text != ReservedName.lazyType { noteOther(variable.range) }
      return
    }
    noteOther(variable.range)
    guard let statement = ConnectorStatement(value) else {
      return visit(value, isStatement: false)
    }
    add(ConnectorStatement(statement, name: variable.name.text, messagesOf: statement))
  }

  private mutating func noteOther(_ range: SourceRange) {
    if firstOther == nil { firstOther = Int(range.start) }
  }

  private mutating func visit(_ definition: Definition) {
    switch definition {
    case .class(let definition):
      visit(head("class", definition.name, definition.superclass), definition.members)
    case .extension(let definition):
      visit(head("extension", definition.name, nil), definition.members)
    case .scheme(let definition):
      visit(head("scheme", definition.name, definition.superclass), definition.members)
    case .filter(let definition):
      visit(head("filter", definition.name, definition.superclass), definition.members)
    case .connector(let definition):
      visit(head("connector", definition.connector, definition.superclass), definition.members)
    case .method(let method): visit(method)
    case .group(let group): visit(group)
    case .protocol, .template: noteOther(definition.range)
    }
  }

  private func head(_ word: String, _ name: Name, _ superclass: Name?) -> String {
    "\(word) \(name.text)" + (superclass.map { " : \($0.text)" } ?? "")
  }

  private mutating func visit(_ header: String, _ members: [Member]) {
    var names: Set<String> = []
    for member in members {
      switch member {
      case .variable(let variable): names.insert(variable.name.text)
      case .classVariable(let variable): names.formUnion(variable.names.map(\.text))
      default: break
      }
    }
    within(header, names: names, isClass: true) { builder in
      for member in members {
        guard case .variable(let variable) = member else { continue }
        builder.recordDeclaration(of: variable, in: builder.scopes.last?.container)
      }
      for member in members { builder.visit(member) }
    }
  }

  private mutating func visit(_ member: Member) {
    switch member {
    case .variable(let variable): visit(variable)
    case .classVariable(let variable):
      noteOther(variable.range)
      if let value = variable.value { visit(value, isStatement: false) }
    case .method(let method): visit(method)
    case .propertyPath(let path):
      let pattern = PropertyPathDefinition(
        pattern: path.pattern, handlers: [], range: path.range)
      let header = headerText(.propertyPath(pattern))
      within(header, names: path.parameterNames, isClass: false) { builder in
        for handler in path.handlers {
          builder.visit(handler.verb.rawValue, handler.statements, parameters: [])
        }
      }
    case .emission(let emission):
      let empty = EmissionDefinition(
        inputType: emission.inputType, outputType: emission.outputType, statements: [],
        range: emission.range)
      visit(headerText(.emission(empty)), emission.statements, parameters: [])
    case .statement(let statement): visit(statement)
    }
  }

  private mutating func visit(_ method: MethodDefinition) {
    let empty = MethodDefinition(
      isClassMethod: method.isClassMethod, header: method.header, statements: [],
      range: method.range)
    visit(
      headerText(.method(empty)), method.statements,
      parameters: method.header.parameters.map(\.name.text))
  }

  private mutating func visit(_ group: GroupDefinition) {
    within("group \(group.name.text)", names: [], isClass: false) { builder in
      for entry in group.entries {
        let name = builder.node(entry.name.text, .place, in: builder.scopes.last?.container)
        let place = builder.operand(entry.place, SyntaxPrinter.print(entry.place))
        builder.append(
          Diagram.Statement(connector: "->", operands: [name, place], direction: .rightward))
      }
    }
  }

  private mutating func visit(_ header: String, _ statements: [Statement], parameters: [String]) {
    var names = AssignedNames()
    names.visit(statements)
    within(header, names: names.declared.union(parameters), isClass: false) { builder in
      statements.forEach { builder.visit($0) }
    }
  }

  /// The beginning of a member that holds nothing, without its braces.
  private func headerText(_ member: Member) -> String {
    var text = SyntaxPrinter.print(member)
    while let last = text.last, last == "{" || last == "}" || last == " " || last == "\n" {
      text.removeLast()
    }
    return text
  }

  /// Looks at the inside of a definition; one without connectors leaves nothing.
  private mutating func within(
    _ header: String, names: Set<String>, isClass: Bool, _ body: (inout DiagramBuilder) -> Void
  ) {
    let saved = diagram.containers.count
    lazyNames[saved] = nil
    diagram.containers.append(
      Diagram.Container(header: header, parent: scopes.last?.container))
    scopes.append(Scope(container: saved, names: names, isClass: isClass))
    items.append([])
    body(&self)
    scopes.removeLast()
    let inner = items.removeLast()
    if inner.isEmpty {
      diagram.containers.removeLast(diagram.containers.count - saved)
    } else {
      items[items.count - 1].append(.container(saved, inner))
    }
  }
}

extension PropertyPathDefinition {
  fileprivate var parameterNames: Set<String> {
    var names: Set<String> = ["newValue"]
    for component in pattern {
      switch component {
      case .parameter(let name), .integer(let name): names.insert(name.text)
      case .rest(let name): if let name { names.insert(name.text) }
      case .literal: break
      }
    }
    return names
  }
}

// MARK: - Statements

extension DiagramBuilder {
  /// Looks for connectors in an expression.
  private mutating func visit(_ expression: Expression, isStatement: Bool) {
    if isStatement, let statement = ConnectorStatement(expression) {
      add(statement)
      return
    }
    if isStatement, scopes.isEmpty, case .assignment(let assignment) = expression,
      let statement = ConnectorStatement(assignment, storeNames)
    {
      add(statement)
      return
    }
    if isStatement { noteOther(expression.range) }
    var spine = [expression]
    while let receiver = spine[spine.count - 1].spineReceiver { spine.append(receiver) }
    for link in spine.reversed() { visit(link, isLink: link.spineReceiver != nil) }
  }

  private mutating func visit(_ expression: Expression, isLink: Bool) {
    switch expression {
    case .connect(let connect): add(ConnectorStatement(connect))
    case .block(let block): block.statements.forEach { visit($0) }
    case .query(let query): query.block.statements.forEach { visit($0) }
    case .unaryMessage, .pipe: break
    case .binaryMessage(let message): visit(message.argument, isStatement: false)
    case .keywordMessage(let message):
      message.arguments.forEach { visit($0, isStatement: false) }
    case .cascade(let cascade):
      for message in cascade.messages {
        message.arguments.forEach { visit($0, isStatement: false) }
      }
    case .subscript(let subscription): visit(subscription.index, isStatement: false)
    default: expression.forEachChild { visit($0, isStatement: false) }
    }
  }

  /// Adds the statements of connections in force that the text of a class has made.
  ///
  /// - Parameters:
  ///   - home: The class.
  ///   - note: How many instances there are, in words.
  ///   - body: Adds the statements.
  package mutating func add(_ home: Home, note: String, _ body: (inout DiagramBuilder) -> Void) {
    let number = diagram.containers.count
    within(home.header, names: home.names, isClass: true, body)
    if number < diagram.containers.count { diagram.containers[number].note = note }
  }

  /// Adds the statement of a connection that is in force.
  ///
  /// - Parameters:
  ///   - statement: The statement, parsed again.
  ///   - mark: What has become of it.
  ///   - hidden: The places it reads that its own text does not say, and what they are called.
  ///   - whole: The statement between stores that it is one name of.
  ///   - lookUp: The place that a text of the statement means.
  package mutating func add(
    _ statement: ConnectorStatement, mark: Diagram.Mark,
    hidden: [(text: String, place: LivePlace?)],
    whole: ConnectorStatement? = nil,
    lookUp: @escaping (String) -> LivePlace?
  ) {
    self.lookUp = lookUp
    defer { self.lookUp = { _ in nil } }
    add(statement)
    let number = diagram.statements.count - 1
    diagram.statements[number].mark = mark
    diagram.statements[number].whole = whole.map {
      Diagram.Whole(connector: $0.connect.connector.text, stores: $0.operandTexts)
    }
    let operands = diagram.statements[number].operands
    guard let first = operands.first, let last = operands.last else { return }
    let direction = diagram.statements[number].direction
    let (source, target) = direction == .leftward ? (last, first) : (first, last)
    diagram.nodes[target].mark = mark
    for each in hidden {
      let place = node(each.text, .place, in: nil, each.place)
      link(Diagram.Read(from: place, to: source))
    }
  }

  /// Adds a connector statement; a connector within an operand is part of the operand's text.
  package mutating func add(_ statement: ConnectorStatement) {
    statements.append(statement)
    homes.append(
      scopes.count == 1 && scopes[0].isClass
        ? Home(
          header: diagram.containers[scopes[0].container].header, names: scopes[0].names) : nil)
    let connect = statement.connect
    let texts = statement.operandTexts
    var operands: [Int] = []
    for (index, operand) in connect.operands.enumerated() {
      operands.append(self.operand(operand, texts[index]))
    }
    let direction = Diagram.Direction(of: connect.connector.text)
    append(
      Diagram.Statement(
        connector: connect.connector.text, operands: operands, name: statement.name,
        messages: statement.messages, policy: statement.policyText, direction: direction))
  }

  private mutating func append(_ statement: Diagram.Statement) {
    items[items.count - 1].append(.statement(diagram.statements.count))
    diagram.statements.append(statement)
  }

  /// The box of an operand, with the lines from what it reads.
  private mutating func operand(_ expression: Expression, _ text: String) -> Int {
    let kind: Diagram.Node.Kind = expression.isDiagramPlace ? .place : .formula
    let number = node(text, kind, in: container(of: expression))
    noteSpelling(of: expression, number)
    let isAtom: Bool =
      switch expression {
      case .name, .identifier: true
      default: false
      }
    guard !isAtom else { return number }
    for place in DiagramReads(expression).places {
      let source = node(SyntaxPrinter.print(place), .place, in: container(of: place))
      noteSpelling(of: place, source)
      link(Diagram.Read(from: source, to: number))
    }
    return number
  }

  private mutating func link(_ read: Diagram.Read) {
    guard read.from != read.to, reads.insert(read).inserted else { return }
    diagram.reads.append(read)
  }

  /// A variable that is spelt `c` here and `ivar:c` there is one place: a line says so.
  private mutating func noteSpelling(of expression: Expression, _ number: Int) {
    let name: String
    let spelling = diagram.nodes[number].text
    switch expression {
    case .name(let expression): name = expression.name.text
    case .identifier(let identifier):
      guard let place = VariablePlace(identifier), place.properties.isEmpty else { return }
      name = place.name.text
    default: return
    }
    let live = lookUp(spelling)
    let container = diagram.nodes[number].container
    if live?.isLazy ?? (lazyNames[container]?.contains(name) == true) {
      diagram.nodes[number].lazyVariable = name
    }
    let key = NodeKey(container: container, text: name, cell: live?.cell)
    guard let first = variables[key] else {
      variables[key] = number
      return
    }
    link(Diagram.Read(from: first, to: number, isSamePlace: true))
  }

  private mutating func node(
    _ text: String, _ kind: Diagram.Node.Kind, in container: Int?
  ) -> Int {
    node(text, kind, in: container, lookUp(text))
  }

  private mutating func node(
    _ text: String, _ kind: Diagram.Node.Kind, in container: Int?, _ live: LivePlace?
  ) -> Int {
    let key = NodeKey(container: container, text: text, cell: live?.cell)
    if let known = nodes[key] { return known }
    nodes[key] = diagram.nodes.count
    diagram.nodes.append(
      Diagram.Node(
        kind: kind, text: text, container: container, value: live?.value, owner: live?.owner))
    return diagram.nodes.count - 1
  }

  /// The definition that what an operand names belongs to; nil for the script and for stores.
  private func container(of expression: Expression) -> Int? {
    guard let innermost = scopes.last else { return nil }
    switch expression {
    case .name(let name): return container(declaring: name.name.text)
    case .identifier(let identifier):
      guard let place = VariablePlace(identifier) else {
        return identifier.scheme.text == "self" ? classScope : nil
      }
      if place.scheme == .instanceVariable { return classScope }
      return container(declaring: place.name.text)
    default: return innermost.container
    }
  }

  private var classScope: Int? { scopes.last { $0.isClass }?.container }

  private func container(declaring name: String) -> Int? {
    if name == "self" { return scopes.last?.container }
    return scopes.last { $0.names.contains(name) }?.container
  }
}

extension Expression {
  /// Whether it is drawn as a place rather than as a formula.
  fileprivate var isDiagramPlace: Bool {
    switch self {
    case .name, .identifier, .reference, .subscript: return true
    case .unaryMessage:
      var root = self
      while case .unaryMessage(let message) = root { root = message.receiver }
      switch root {
      case .name, .identifier, .subscript: return true
      default: return false
      }
    default: return false
    }
  }
}
