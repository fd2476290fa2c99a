internal import TenonLexer
internal import TenonParser

// The diagram of the connections that are in force.

extension Machine {
  /// The connections that are in force as a diagram, with the values of the moment.
  ///
  /// - Complexity: O(connections and the lengths of their texts).
  package func liveDiagram() -> Diagram {
    var builder = DiagramBuilder()
    let owners = OwnerNames()
    var stated = StatedConnections()
    let failed = graph.failedCells
    let root = roots.count
    defer { roots.removeLast(roots.count - root) }
    for connection in graph.connections.values.sorted(by: { $0.number < $1.number }) {
      if graph.isUnwinding { break }
      // What makes up a view no program says.
      if connection.statement.origin == .kernel { continue }
      guard let statement = statement(of: connection, &stated) else { continue }
      let stages = stages(of: connection, statement)
      var named = namedCells(of: connection)
      for (text, place) in stages { named[text] = graph.cellsByPlace[place] }
      let said = Set(named.values)
      var hidden: [String: CellID] = [:]
      // What a formula has read that failed is mostly what the error was made of.
      for formula in connection.formulas where formula.state == .satisfied {
        for input in formula.dynamicInputs where !said.contains(input) && !isClass(input) {
          hidden[graph[input].name] = input
        }
      }
      builder.add(
        statement, mark: mark(of: connection, failed),
        hidden: hidden.sorted { $0.value < $1.value }.map(\.key)
      ) { [unowned self, named] text in
        // A variable that was never written holds nothing to be shown.
        func shown(_ value: Value?) -> String? {
          value.flatMap { $0.isUndefined ? nil : describe($0) }
        }
        if let cell = named[text] ?? hidden[text], graph.isInUse(cell) {
          return DiagramBuilder.LivePlace(
            cell: cell.index, value: shown(currentValue(of: cell)),
            owner: owners.owner(of: graph[cell].place, in: self),
            isLazy: isLazy(graph[cell].place))
        }
        guard let place = stages[text] else { return nil }
        let value = place.kind == .slot ? ObjectRef(place.object)[slot: place.index] : .undefined
        return DiagramBuilder.LivePlace(
          cell: nil, value: shown(value),
          owner: owners.owner(of: place, in: self))
      }
    }
    return builder.finish(isLive: true)
  }

  /// Whether a cell is a variable that holds a class.
  private func isClass(_ cell: CellID) -> Bool {
    let place = graph[cell].place
    return place.kind == .slot && ObjectRef(place.object).classIndex == ClassIndex.variableCell
      && classInfo(named: ObjectRef(place.object)[slot: place.index]) != nil
  }

  /// The statement that a connection was made of, parsed again, with what has been said of it since.
  private func statement(
    of connection: Connection, _ stated: inout StatedConnections
  ) -> ConnectorStatement? {
    guard let statement = connectorStatement(connection.text) else { return nil }
    let whole = stated.statement(at: connection.range, in: connection.source, of: self)
    // What joins stores makes a connection for each name: it is called otherwise.
    let isWhole =
      whole.map { SyntaxPrinter.print(.connect($0.connect)) == connection.text } ?? false
    // The messages are printed together: their lines break as they would in a statement.
    let told = messages(of: connection, stated: whole).flatMap { messages in
      connectorStatement("(\(connection.text)) \(messages)")
    }
    return ConnectorStatement(
      statement, name: isWhole ? whole?.name : nil, messagesOf: told)
  }

  /// A text as a statement with a connector; nil for any other text.
  private func connectorStatement(_ text: String) -> ConnectorStatement? {
    let source = SourceText(name: "<diagram>", text)
    let result = parse(source, names: hyphenatedNames, connectors: definedConnectors)
    guard let statements = result.script?.statements, statements.count == 1,
      case .expression(let expression) = statements[0]
    else { return nil }
    return ConnectorStatement(expression)
  }

  /// The places that a flow joins, by what its statement calls them.
  private func stages(
    of connection: Connection, _ statement: ConnectorStatement
  ) -> [String: Place] {
    guard statement.connect.connector.text == "->", connection.kept.isObject else { return [:] }
    let flow = KernelObject(connection.kept, in: self)["flow"]
    guard flow.isObject, let stages = try? array(KernelObject(flow, in: self)["stages"]) else {
      return [:]
    }
    var places: [String: Place] = [:]
    for (index, text) in statement.operandTexts.enumerated() where index < stages.elementCount {
      guard let path = try? placePath(of: stages[element: index]) else { continue }
      places[text] = aim(path).place
    }
    return places
  }

  /// The cells of a connection by what its statement calls them.
  private func namedCells(of connection: Connection) -> [String: CellID] {
    var cells: [String: CellID] = [:]
    for formula in connection.formulas {
      for cell in formula.staticInputs + [formula.output] where !graph[cell].isFree {
        cells[graph[cell].name] = cell
      }
    }
    guard let plan = connection.plan else { return cells }
    for operand in [plan.target, plan.other].compactMap({ $0 }) + plan.reads {
      guard case .place(let place) = operand.place, let cell = graph.cellsByPlace[place] else {
        continue
      }
      cells[operand.name] = cell
    }
    return cells
  }

  private func mark(of connection: Connection, _ failed: Set<CellID>) -> Diagram.Mark {
    let state = state(of: connection) { connection in
      connection.formulas.contains { failed.contains($0.output) }
    }
    return switch state {
    // What is computed when it is read has been read to be drawn.
    case "satisfied", "stale": .none
    case "waiting", "pending": .waiting
    case "suspended": .suspended
    case "error": .error
    default: .conflict
    }
  }
}

/// What the coarser views call objects: those of a class are numbered as they are met.
private final class OwnerNames {
  private var numbers: [UInt: String] = [:]
  private var counts: [String: Int] = [:]

  func owner(of place: Place, in machine: Machine) -> Diagram.Owner {
    if place.kind == .stored {
      guard let reference = try? machine.reference(place.key) else {
        return Diagram.Owner(store: "a store", object: "a store")
      }
      return Diagram.Owner(
        store: "\(reference.scheme):", object: (reference.parent ?? reference).description)
    }
    let index = ObjectRef(place.object).classIndex
    if index == ClassIndex.variableCell || index == ClassIndex.context {
      return Diagram.Owner(store: "script", object: "script")
    }
    if place.kind == .whole, let name = machine.storeName(place.object) {
      return Diagram.Owner(store: name, object: name)
    }
    let name = machine.classInfo(of: place.object).name
    if let known = numbers[place.object.bits] { return Diagram.Owner(store: name, object: known) }
    let number = (counts[name] ?? 0) + 1
    counts[name] = number
    let object = machine.withArticle(name) + (number > 1 ? " (\(number))" : "")
    numbers[place.object.bits] = object
    return Diagram.Owner(store: name, object: object)
  }
}

/// The connector statements of the texts that have made connections, by where they stand.
private struct StatedConnections {
  private var known: [ObjectIdentifier: [SourceRange: ConnectorStatement]] = [:]

  /// The statement whose connector stands at a place; nil when the text says none there.
  ///
  /// - Complexity: O(length of the text) for the first one of a text.
  mutating func statement(
    at range: SourceRange, in source: SourceText, of machine: Machine
  ) -> ConnectorStatement? {
    let key = ObjectIdentifier(source)
    if let statements = known[key] { return statements[range] }
    var statements: [SourceRange: ConnectorStatement] = [:]
    let result = machine.parse(
      source, names: machine.hyphenatedNames, connectors: machine.definedConnectors)
    if let script = result.script {
      var builder = DiagramBuilder()
      builder.visit(script)
      for statement in builder.statements { statements[statement.connect.range] = statement }
    }
    known[key] = statements
    return statements[range]
  }
}
