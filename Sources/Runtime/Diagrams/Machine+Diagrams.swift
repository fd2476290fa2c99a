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
    let failed = graph.failedCells
    for connection in graph.connections.values.sorted(by: { $0.number < $1.number }) {
      if graph.isUnwinding { break }
      guard let statement = statement(of: connection) else { continue }
      let named = namedCells(of: connection)
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
      ) { [unowned self] text in
        guard let cell = named[text] ?? hidden[text], graph.isInUse(cell) else { return nil }
        return DiagramBuilder.LivePlace(
          cell: cell.index, value: currentValue(of: cell).map { describe($0) },
          owner: owners.owner(of: graph[cell].place, in: self))
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

  /// The statement that a connection was made of, parsed again.
  private func statement(of connection: Connection) -> ConnectorStatement? {
    let source = SourceText(name: connection.source.name, connection.text)
    let result = parse(source, names: hyphenatedNames, connectors: definedConnectors)
    guard let statements = result.script?.statements, statements.count == 1,
      case .expression(let expression) = statements[0],
      let statement = ConnectorStatement(expression)
    else { return nil }
    guard connection.strength != .required, statement.messages == nil else { return statement }
    // It was sent to the connection later.
    return ConnectorStatement(
      statement.connect, messages: "strength: #\(connection.strength.name)")
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
    case "satisfied": .none
    case "waiting": .waiting
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
    let name = machine.classInfo(of: place.object).name
    if let known = numbers[place.object.bits] { return Diagram.Owner(store: name, object: known) }
    let number = (counts[name] ?? 0) + 1
    counts[name] = number
    let object = machine.withArticle(name) + (number > 1 ? " (\(number))" : "")
    numbers[place.object.bits] = object
    return Diagram.Owner(store: name, object: object)
  }
}
