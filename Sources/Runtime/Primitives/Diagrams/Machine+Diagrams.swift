internal import TenonAnalysis
internal import TenonDiagrams
internal import TenonLexer
internal import TenonSolverKit
internal import TenonParser
internal import TenonStoreKit

// The diagram of the connections that are in force.

extension Machine {
  /// The connections that are in force as a diagram, with the values of the moment.
  ///
  /// What the text of a class connects in each instance stands there once, within the class.
  ///
  /// - Complexity: O(connections and the lengths of their texts).
  package func liveDiagram() -> Diagram {
    var builder = DiagramBuilder()
    let owners = OwnerNames()
    let failed = graph.failedCells
    let root = roots.count
    defer { dropRoots(to: root) }
    for part in liveParts() {
      if graph.isUnwinding { break }
      guard let home = part.home else {
        for each in part.statements { draw(each, of: nil, owners, failed, in: &builder) }
        continue
      }
      let count = part.statements.map(\.instanceCount).max() ?? 0
      builder.add(home, note: count == 1 ? "1 instance" : "\(count) instances") { builder in
        for each in part.statements { draw(each, of: home, owners, failed, in: &builder) }
      }
    }
    return builder.finish(isLive: true)
  }

  /// What is drawn together, in the order in which the connections were made: a statement, or those
  /// that the text of a class says for each instance.
  private func liveParts() -> [LivePart] {
    var parts: [LivePart] = []
    var stated = StatedConnections()
    /// The parts of classes, and the statements in each.
    var known: [StatedConnections.Home: Int] = [:]
    var numbers: [StatementKey: Int] = [:]
    /// How many of the assignments between stores of each text stand among the parts.
    var assigned: [ObjectIdentifier: Int] = [:]
    var sources: [SourceText] = []
    for connection in graph.connections.values.sorted(by: { $0.number < $1.number }) {
      // What makes up a view no program says, nor what a prompt watches.
      if connection.statement.origin == .kernel || isOfLibrary(connection) { continue }
      if !sources.contains(where: { $0 === connection.source }) {
        sources.append(connection.source)
      }
      parts += assignments(
        in: connection.source, before: connection.range.start, &assigned, &stated)
      guard let home = stated.home(of: connection, in: self) else {
        guard let statement = statement(of: connection, &stated) else { continue }
        parts.append(LivePart(home: nil, statements: [LiveStatement(statement, [connection])]))
        continue
      }
      let number = known[home] ?? parts.count
      if number == parts.count {
        known[home] = number
        parts.append(LivePart(home: home.home, statements: []))
      }
      let whole = stated.statement(at: connection.range, in: connection.source, of: self)
      let isWhole = whole.map { connection.isMade(by: $0.connect) } ?? false
      let key = StatementKey(
        home: home, range: connection.range, text: isWhole ? "" : connection.text)
      if let index = numbers[key] {
        parts[number].statements[index].connections.append(connection)
        continue
      }
      // As the class says it: what an instance has been told since is none of that.
      guard let statement = isWhole ? whole : connectorStatement(connection.text) else { continue }
      numbers[key] = parts[number].statements.count
      parts[number].statements.append(LiveStatement(statement, [connection]))
    }
    for source in sources {
      parts += assignments(in: source, before: .max, &assigned, &stated)
    }
    return parts
  }

  /// The assignments between stores that stand in a text before an offset and have not been met yet.
  private func assignments(
    in source: SourceText, before end: Int32, _ met: inout [ObjectIdentifier: Int],
    _ stated: inout StatedConnections
  ) -> [LivePart] {
    let key = ObjectIdentifier(source)
    let rest = stated.assignments(in: source, of: self).dropFirst(met[key] ?? 0)
    let found = rest.prefix { $0.connect.range.start < end }
    met[key, default: 0] += found.count
    return found.filter { joinsStores($0) }.map {
      LivePart(home: nil, statements: [LiveStatement($0, [])])
    }
  }

  /// Whether the variables that a statement joins hold stores, as far as they are variables of the script.
  private func joinsStores(_ statement: ConnectorStatement) -> Bool {
    statement.connect.operands.allSatisfy { operand in
      guard let name = operand.variableName, let cell = session.cells[name.text] else {
        return operand.variableName == nil
      }
      return isStore(cell[slot: 0])
    }
  }

  /// Draws a statement with what its connections hold.
  private func draw(
    _ live: LiveStatement, of home: DiagramBuilder.Home?, _ owners: OwnerNames,
    _ failed: Set<CellID>, in builder: inout DiagramBuilder
  ) {
    let all = live.connections.map { livePlaces(of: $0, live.statement) }
    // Places of several instances that are called alike are one, those of one statement are not.
    var hidden = all.count == 1 ? all[0].hidden : []
    if all.count > 1 {
      var texts: Set<String> = []
      hidden = all.flatMap(\.hidden).filter { texts.insert($0.text).inserted }
    }
    let marks = live.connections.map { mark(of: $0, failed) }
    let order: [Diagram.Mark] = [.error, .conflict, .waiting, .suspended]
    builder.add(
      live.statement, mark: order.first { marks.contains($0) } ?? .none,
      hidden: hidden.sorted { $0.cell < $1.cell }.map { each in
        let places =
          all.count == 1
          ? [livePlace(each.cell, owners)]
          : all.compactMap { livePlace(each.text, $0, owners) }
        return (each.text, .together(places, of: home))
      },
      whole: live.connections.first.flatMap { connection in
        guard case .part(let text) = connection.statement.origin else { return nil }
        return connectorStatement(text)
      }
    ) { [unowned self] text in
      .together(all.compactMap { livePlace(text, $0, owners) }, of: home)
    }
  }

  /// The places of a connection by what its statement calls them.
  private func livePlaces(of connection: Connection, _ statement: ConnectorStatement) -> LivePlaces
  {
    let stages = stages(of: connection, statement)
    var named = namedCells(of: connection)
    for (text, place) in stages { named[text] = graph.cellsByPlace[place] }
    let said = Set(named.values)
    var hidden: [(text: String, cell: CellID)] = []
    var met = said
    // What a formula has read that failed is mostly what the error was made of.
    for formula in connection.formulas where formula.state == .satisfied {
      for input in graph.places(of: formula.dynamicInputs)
      where !graph.isNameless(input) && !isClass(input) && met.insert(input).inserted {
        hidden.append((graph.displayName(of: input), input))
      }
    }
    return LivePlaces(named: named, hidden: hidden, stages: stages)
  }

  private func livePlace(
    _ text: String, _ places: LivePlaces, _ owners: OwnerNames
  ) -> DiagramBuilder.LivePlace? {
    let hidden = places.hidden.first { $0.text == text }?.cell
    if let cell = places.named[text] ?? hidden, graph.isInUse(cell) {
      return livePlace(cell, owners)
    }
    guard let place = places.stages[text] else { return nil }
    let value = place.kind == .slot ? ObjectRef(place.object)[slot: place.index] : .undefined
    return DiagramBuilder.LivePlace(
      cell: nil, value: shown(value), owner: owners.owner(of: place, in: self))
  }

  private func livePlace(_ cell: CellID, _ owners: OwnerNames) -> DiagramBuilder.LivePlace {
    DiagramBuilder.LivePlace(
      cell: cell.index, value: shown(currentValue(of: cell)),
      owner: owners.owner(of: graph[cell].place, in: self), isLazy: isLazy(graph[cell].place))
  }

  /// A value in a box; nil for a variable that was never written, which holds nothing to be shown.
  private func shown(_ value: Value?) -> String? {
    value.flatMap { $0.isUndefined ? nil : describe($0) }
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
    let result = parse(
      source, names: session.hyphenatedNames, connectors: session.definedConnectors)
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
        cells[graph.displayName(of: cell)] = cell
        cells[graph[cell].name] = cell
      }
    }
    guard let plan = connection.plan else { return cells }
    for operand in [plan.target, plan.other].compactMap({ $0 }) + plan.reads {
      guard case .place(let place) = operand.place, let cell = graph.cellsByPlace[place] else {
        continue
      }
      cells[operand.name] = cell
      cells[displayName(of: operand)] = cell
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

/// What is drawn together of the connections in force.
private struct LivePart {
  /// The class whose text says it, if one does.
  let home: DiagramBuilder.Home?
  var statements: [LiveStatement]
}

/// A statement, and the connections that it has made.
private struct LiveStatement {
  let statement: ConnectorStatement
  var connections: [Connection]

  /// In how many instances: what joins stores has made a connection for each name there.
  var instanceCount: Int {
    Dictionary(grouping: connections, by: \.text).values.map(\.count).max() ?? 0
  }

  init(_ statement: ConnectorStatement, _ connections: [Connection]) {
    self.statement = statement
    self.connections = connections
  }
}

/// A statement of a class by where it stands: the text of one that is told by itself.
private struct StatementKey: Hashable {
  let home: StatedConnections.Home
  let range: SourceRange
  let text: String
}

extension Connection {
  /// Whether it is what a statement makes, or a part of that: one of the pairs of a chain, or of the names
  /// of stores that it joins.
  fileprivate func isMade(by connect: ConnectExpression) -> Bool {
    if connect.operands.count > 2, connect.connector.text == connector { return true }
    let whole = SyntaxPrinter.print(.connect(connect))
    if case .part(let text) = statement.origin { return text == whole }
    return text == whole
  }
}

/// The places of a connection by what its statement calls them.
private struct LivePlaces {
  let named: [String: CellID]
  /// What it reads besides: two places may be called alike.
  let hidden: [(text: String, cell: CellID)]
  /// What a flow joins.
  let stages: [String: Place]
}

extension DiagramBuilder.LivePlace {
  /// How many values of instances are shown beside each other.
  private static let shownCount = 3

  /// The places that one text means in several instances as one.
  fileprivate static func together(
    _ places: [DiagramBuilder.LivePlace], of home: DiagramBuilder.Home?
  ) -> DiagramBuilder.LivePlace? {
    // A connection of a chain shares places with the next one.
    var met: Set<Int?> = []
    let places = places.filter { $0.cell == nil || met.insert($0.cell).inserted }
    guard places.count > 1, let first = places.first else { return places.first }
    let values = places.map(\.value)
    var value = values[0]
    if values.contains(where: { $0 != value }) {
      var shown = values.prefix(shownCount).map { $0 ?? "nil" }
      if values.count > shownCount { shown.append("…") }
      value = shown.joined(separator: ", ")
    }
    let isOne = places.allSatisfy { $0.owner == first.owner }
    let name = home?.className ?? first.owner.store
    return DiagramBuilder.LivePlace(
      cell: places.allSatisfy { $0.cell == first.cell } ? first.cell : nil, value: value,
      owner: isOne
        ? first.owner
        : Diagram.Owner(store: name, object: "\(places.count) × \(name)"),
      isLazy: first.isLazy)
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
