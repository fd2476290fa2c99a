internal import TenonLexer
internal import TenonSolverKit
internal import TenonStoreKit
internal import TenonTables

// The folder Explanations: the reasons of values, the log of changes, and the names in messages.

// The reasons of a place's value, its changes, and the places that a change of it would reach.

extension Machine {
  /// The cell that a connection or a reference is about.
  enum Subject {
    case cell(CellID)
    /// The place takes part in no connection, or in those that are suspended.
    case unconnected(String, suspended: [Connection])
    /// A connection that is suspended.
    case suspended(Connection)
    /// A connection that is not made at present: it waits for a path to lead somewhere, or has failed.
    case unmade(Connection)
    /// A connection of whole stores has not changed anything yet.
    case unmoved(String)
    /// A place of a store that is connected as a whole, by its path in the store.
    case stored(CellID, [String])
    case ended
    /// Finding it was unwound.
    case unwind
  }

  /// Returns the subject of a connection or a reference; `isForward`: its dependents are asked for.
  func subject(_ value: Value, isForward: Bool = false) throws(Failure) -> Subject {
    switch classInfo(of: value).name {
    case "Connection":
      guard let connection = connection(value) else { return .ended }
      if let observer = connection.observer, observer.kind == .places,
        let cell = observer.cells.first
      {
        guard graph[cell].place.kind == .whole else { return .cell(cell) }
        let change = graph.watchers.observers.stored.newestFirst.first {
          observer.cells.contains($0.whole)
        }
        return change.map { .stored($0.whole, $0.path) } ?? .unmoved(connection.text)
      }
      if let (left, _) = graph.replanning.redundant[connection] { return .cell(left) }
      // Inverses come first, in the order of which the last one wins.
      let formulas = connection.formulas
      guard let formula = formulas.first(where: { !$0.isInverse }) ?? formulas.first else {
        switch connection.status {
        case .active: return .unmade(connection)
        case .suspended: return .suspended(connection)
        case .disconnected: return .ended
        }
      }
      return .cell(formula.output)
    case "VariableReference":
      guard ObjectRef(value)[slot: 0].isObject else { return .ended }
      let (object, slot) = try variable(value)
      return subject(.slot(object, slot), displayText(ObjectRef(value)[slot: 2]))
    case "PropertyReference":
      return try subject(ofProperty: value, isForward: isForward)
    default:
      let reference = try self.reference(value)
      guard hasScheme(reference.scheme) else { throw .unknownScheme(reference.scheme, self) }
      let store = schemeCell(named: reference.scheme)[slot: 0]
      let place = Place(
        kind: .stored, object: store, index: -1, key: canonicalReference(value, in: store))
      if graph.cellsByPlace[place] == nil, let whole = wholeStore(of: store) {
        return .stored(whole, reference.components)
      }
      return subject(place, reference.description)
    }
  }

  private func subject(_ place: Place, _ name: String, isForward: Bool = false) -> Subject {
    let cell = graph.cellsByPlace[place]
    if place.kind == .property, !isForward || cell == nil {
      let slot = newestSlot(ofProperty: place, cell)
      if graph.isUnwinding {
        // Its getter has run, and the program is being unwound out of it.
        graph.isUnwinding = false
        return .unwind
      }
      if let slot { return .cell(slot) }
    }
    if let cell { return .cell(cell) }
    return .unconnected(name, suspended: isForward ? [] : graph.suspendedConnections(of: place))
  }

  /// Returns the variable through which a property with accessors of its own has changed last, if it was
  /// through one; where the property itself has no cell, any that it is read from.
  private func newestSlot(ofProperty place: Place, _ cell: CellID?) -> CellID? {
    let root = roots.count
    defer { dropRoots(to: root) }
    roots.append(place.object)
    // Reading it finds the inputs of its getter.
    if let cell { _ = currentValue(of: cell) }
    let slots =
      cell.map { graph[$0].slots }
      ?? plainValue(at: place).reads.compactMap { graph.cellsByPlace[$0] }
    let changes = slots.map { (slot: $0, number: graph.causes.last(of: $0) ?? -1) }
    guard let newest = changes.max(by: { $0.number < $1.number }) else { return nil }
    let own = cell.map { graph.causes.last(of: $0) ?? -1 }
    return own.map { $0 < newest.number } ?? true ? newest.slot : nil
  }

  /// Follows the path of a property reference to its end.
  private func subject(
    ofProperty reference: Value, isForward: Bool
  ) throws(Failure) -> Subject {
    var failure: Failure?
    var found: Subject = .unconnected(displayText(reference), suspended: [])
    let outcome = withPath(of: reference) { object, names in
      guard let last = names.last else { return .nil }
      let owner = names.count > 1 ? follow(Array(names.dropLast()), from: object) : object
      if owner.isUnwind { return owner }
      do throws(Failure) {
        if let place = try place(of: last, in: owner) {
          found = subject(place, displayText(last), isForward: isForward)
        }
      } catch let caught {
        failure = caught
      }
      return .nil
    }
    if outcome.isUnwind { return .unwind }
    if let failure { throw failure }
    return found
  }

  /// Returns the explanation of a place that has no cell.
  func explanation(
    ofUnconnected name: String, _ suspended: [Connection]
  ) -> String {
    guard !suspended.isEmpty else { return "'\(name)' takes part in no connection" }
    return suspended.map { explanation(ofSuspended: $0) }.joined(separator: "\n")
  }

  /// Returns the explanation of a connection that is suspended.
  func explanation(ofSuspended connection: Connection) -> String {
    "'\(connection.text)' (\(connection.location)) is suspended"
  }

  // MARK: Why

  /// Returns the chain of causes from a cell's value to a write from outside: a line for each step.
  ///
  /// - Complexity: O(logged changes).
  func explanation(of cell: CellID) -> String {
    guard let waiting = graph.source(of: cell)?.connection else { return explanationOfCell(cell) }
    return explanation(of: cell, in: waiting)
  }

  /// Returns the same, after the reason why a connection waits, if it does.
  func explanation(of cell: CellID, in connection: Connection) -> String {
    if let failure = connection.constantsFailure {
      return "'\(connection.text)' (\(connection.location)) has failed: \(failure)\n"
        + explanationOfCell(cell)
    }
    let lines = explainWaiting(of: connection)
    if lines.isEmpty { return explanationOfCell(cell) }
    // Of several directions the one that waits.
    let cell = waitingFormulas(of: connection).first?.output ?? cell
    // The missing value was explained already.
    let rest = isMissing(cell) ? [] : [explanationOfCell(cell)]
    return (lines + rest).joined(separator: "\n")
  }

  /// Returns the chain of causes of a cell's value.
  func explanationOfCell(_ cell: CellID) -> String {
    graph.withNames { causes(of: cell) }
  }

  private func causes(of cell: CellID) -> String {
    // The explained value is the one that reading it answers.
    _ = currentValue(of: cell)
    var lines: [String] = []
    var search = graph.causes.backwards
    var current: CellID? = cell
    var effect: CellID?
    while let cell = current {
      guard let (entry, isPresent) = search.next(of: cell) else {
        if let old = search.passed[cell.rawValue], !old.isUndefined {
          // It has changed since, and only its value at that time is known.
          lines.append("\(graph.displayName(of: cell)) was \(describeRecorded(old))")
        } else {
          // A change older than the log is explained by the present values.
          explainPresent(of: cell, &lines)
          let others = effect.flatMap { graph.source(of: $0) }?.elements(beside: cell, in: graph)
          for other in others ?? [] { explainPresent(of: other, &lines) }
        }
        break
      }
      if let solved = explainSolved(entry, of: cell, isPresent: isPresent, &lines) {
        current = solved.cause
        continue
      }
      if entry.writer <= 0, isPresent, let copied = explanation(ofCopied: cell) {
        lines.append(copied)
        break
      }
      if !graph.isInner(cell) { lines.append(line(for: entry, of: cell, isPresent: isPresent)) }
      current = cause(of: entry, search.number, cell)
      effect = cell
    }
    return lines.joined(separator: "\n")
  }

  /// Explains a cell, and its causes, by their last writers.
  private func explainPresent(of cell: CellID, _ lines: inout [String]) {
    var visited: Set<CellID> = []
    var current: CellID? = cell
    while let cell = current, visited.insert(cell).inserted {
      let cause = graph.cause(of: cell)
      var line = "\(graph.displayName(of: cell)) is \(describeCell(cell))"
      if let id = cause.formula, let formula = graph[id] {
        line += byText(formula.connection, cell)
      } else if let site = cause.site {
        let place = site.code.source.location(of: site.site.range.start)
        line += ", written at \(site.code.source.name):\(place.line):\(place.column)"
      } else {
        line += " since before it was connected"
      }
      line += failureText(of: cell, by: cause.formula.flatMap { graph[$0]?.connection })
      // The place with which a failure began is explained next.
      let failed =
        graph.failure(of: cell) == nil
        ? nil : graph.source(of: cell)?.inputs.first { graph.failure(of: $0) != nil }
      let next = failed ?? cause.cell ?? cause.formula.flatMap { graph[$0]?.inputs.first }
      if !graph.isInner(cell) { lines.append(line) }
      current = next
    }
  }

  private func line(for entry: ChangeLog.Entry, of cell: CellID, isPresent: Bool) -> String {
    // All of a collection is no value: its elements are.
    if graph[cell].place.kind == .whole { return text(of: entry, cell) }
    // A place in a store may have been written without a read of the value.
    let value =
      entry.new.isUndefined && isPresent ? describeCell(cell) : describeRecorded(entry.new)
    var line = "\(graph.displayName(of: cell)) \(isPresent ? "is" : "was") \(value)"
    line += writerText(entry, cell)
    let writer = entry.writer > 0 ? graph.connections[Int(entry.writer)] : nil
    return isPresent ? line + failureText(of: cell, by: writer) : line
  }

  private func byText(_ connection: Connection, _ cell: CellID) -> String {
    " by '\(graph.text(of: connection, at: cell))' (\(connection.location))"
  }

  /// Returns the writer of a change: ` by 'b |= a + 1' (file.st:2)`, `, written at file.st:3:1`.
  private func writerText(_ entry: ChangeLog.Entry, _ cell: CellID) -> String {
    guard entry.writer > 0 else {
      return graph.causes.location(of: entry).map { ", written at \($0)" }
        ?? ", written from outside"
    }
    guard let connection = graph.connections[Int(entry.writer)] else {
      return " by a connection that has ended"
    }
    return byText(connection, cell)
  }

  /// Returns the changed cell because of which a formula ran; its newest input, if it ran only for being new.
  ///
  /// `number`: that of the change.
  private func cause(of entry: ChangeLog.Entry, _ number: Int, _ cell: CellID) -> CellID? {
    guard entry.writer > 0 else { return nil }
    // A place read on the way of a path may not be watched any more.
    if entry.cause >= 0, tells(CellID(entry.cause), at: number) { return CellID(entry.cause) }
    guard let connection = graph.connections[Int(entry.writer)],
      let formula = connection.formulas.first(where: { $0.output == cell })
        ?? graph.effect(of: entry)
    else { return nil }
    let input = newestInput(of: formula)
    return newestStep(of: connection, since: input) ?? input
  }

  /// Returns the place on the way of a connection's paths that has changed last; nil where the place at the
  /// end has changed since.
  func newestStep(of connection: Connection, since input: CellID?) -> CellID? {
    var newest: (cell: CellID, number: Int)?
    for step in connection.steps {
      let number = graph.causes.last(of: step) ?? -1
      if number > newest?.number ?? -1 { newest = (step, number) }
    }
    let known = input.flatMap { graph.causes.last(of: $0) } ?? -1
    return newest.flatMap { known < $0.number ? $0.cell : nil }
  }

  /// Returns whether a cell that has caused a change is the same still, and not a collection as a whole
  /// without known changes: a change of its elements is told then.
  private func tells(_ cause: CellID, at number: Int) -> Bool {
    guard graph.isInUse(cause), graph.causes.knows(cause, at: number) else { return false }
    return graph[cause].place.kind != .whole || graph.causes.last(of: cause) != nil
  }

  /// Returns the input of a formula that has changed last: the first, if no change is known.
  func newestInput(of formula: Formula) -> CellID? {
    let inputs = graph.shownInputs(of: formula)
    // Looking at more of them would tell no more.
    let changes = inputs.prefix(32).map { (input: $0, number: graph.causes.last(of: $0) ?? -1) }
    guard let newest = changes.max(by: { $0.number < $1.number }), newest.number >= 0 else {
      // What is read of a collection tells more than that it is one, if no store has it.
      return inputs.first { graph[$0].place.kind == .stored }
        ?? inputs.first { graph[$0].place.kind == .element } ?? inputs.first
    }
    return newest.input
  }

  // MARK: Changes

  /// Makes the object of a change.
  func makeChange(_ number: Int, of cell: CellID) -> Value {
    let entry = graph.causes[number]
    let root = roots.count
    defer { dropRoots(to: root) }
    let object = makeInstance(of: "PlaceChange")
    roots.append(Value(object))
    func present(_ value: Value) -> Value {
      value == ChangeLog.gone || value.isUndefined ? .nil : value
    }
    object[slot: 0] = makeInteger(Int(entry.turn))
    object[slot: 1] = entry.time > 0 ? makeInteger(entry.time) : .nil
    object[slot: 2] = makeString(graph.displayName(of: cell))
    object[slot: 3] = present(entry.old)
    object[slot: 4] = present(entry.new)
    if entry.writer > 0, let connection = graph.connections[Int(entry.writer)] {
      object[slot: 5] = makeConnectionObject(connection)
    } else if let location = graph.causes.location(of: entry) {
      object[slot: 5] = makeString(location)
    }
    if entry.writer > 0, entry.cause >= 0, graph.isInUse(CellID(entry.cause)) {
      object[slot: 6] = makeString(graph.displayName(of: CellID(entry.cause)))
    }
    object[slot: 7] = makeString(text(of: entry, cell))
    return Value(object)
  }

  /// Returns a change as text: `b := 6 (was 2) by 'b |= a + 1' (file.st:2)`.
  private func text(of entry: ChangeLog.Entry, _ cell: CellID) -> String {
    let name = graph.displayName(of: cell)
    if graph[cell].place.kind == .whole { return "\(name) has changed\(writerText(entry, cell))" }
    let old = entry.old.isUndefined ? "" : " (was \(describeRecorded(entry.old)))"
    return "\(name) := \(describeRecorded(entry.new))\(old)\(writerText(entry, cell))"
  }

  /// Prints a change in the trace.
  @inline(never)
  func printChange(_ entry: ChangeLog.Entry) {
    let cell = CellID(entry.cell)
    var line = "turn \(entry.turn): \(text(of: entry, cell))"
    if entry.writer > 0, entry.cause >= 0 {
      line += " because of \(graph.displayName(of: CellID(entry.cause)))"
    }
    trace(line)
  }

  /// Prints a line in the trace.
  func trace(_ line: String) {
    if graph.causes.traceStream.isNil {
      printError(line)
    } else {
      graph.causes.traceLines.append(line)
    }
  }

  /// Writes the traced lines to the stream that the program has given: between two turns, as
  /// writing runs code of the program.
  func flushTrace() {
    guard !graph.causes.traceLines.isEmpty, !graph.isSettling else { return }
    let lines = graph.causes.traceLines
    graph.causes.traceLines = []
    // Changes by the stream itself are not traced: that would never end.
    let wasTracing = graph.causes.isTracing
    graph.causes.isTracing = false
    defer { if !graph.causes.traceStream.isNil { graph.causes.isTracing = wasTracing } }
    for line in lines {
      let outcome = withErrorsCaught {
        send(selector("nextPutAll:"), to: graph.causes.traceStream, makeString(line + "\n"))
      }
      switch outcome {
      case .value: break
      case .failed(let failure):
        // One warning says why lines are missing.
        if !graph.causes.hasLostLines {
          printError("warning: the trace cannot be written: \(failure.message)")
        }
        graph.causes.hasLostLines = true
      case .unwound:
        graph.isUnwinding = true
        return
      }
    }
  }
}

extension ConnectionGraph {
  /// Returns whether there is a place of that number.
  func isInUse(_ cell: CellID) -> Bool {
    cells.indices.contains(cell.rawValue) && !cells[cell.index].isFree
  }

  /// The cells whose formulas have failed, and those that depend on them.
  ///
  /// - Complexity: O(formulas).
  var failedCells: Set<CellID> {
    var found: Set<CellID> = []
    var stack: [CellID] = []
    for formula in formulasInUse where formula.equation == nil {
      if case .failed = formula.state { stack.append(formula.output) }
    }
    while let cell = stack.popLast() {
      guard found.insert(cell).inserted else { continue }
      stack += targets(of: cell)
    }
    return found
  }

  /// Returns the cells that a change of a cell may change, each before those that depend on it.
  ///
  /// Cells of several directions come in the order in which they are reached.
  ///
  /// - Complexity: O(dependents of the cell).
  func downstream(of start: CellID) -> [CellID] {
    var visited: Set<CellID> = [start]
    var finished: [CellID] = []
    var stack = [(cell: start, targets: reached(from: start), next: 0)]
    while let (cell, targets, next) = stack.last {
      guard next < targets.count else {
        stack.removeLast()
        finished.append(cell)
        continue
      }
      stack[stack.count - 1].next += 1
      let target = targets[next]
      if visited.insert(target).inserted { stack.append((target, reached(from: target), 0)) }
    }
    return finished.reversed().filter { $0 != start }
  }

  /// Returns the cells that depend on a cell directly, and those that flows from it are put into.
  private func reached(from cell: CellID) -> [CellID] {
    let sinks = ([cell] + self[cell].properties).flatMap { machine.sinks(ofFlowInto: $0) }
    return sinks.reversed() + targets(of: cell)
  }

  /// Returns the cells that depend on a cell directly, in reverse, as the first reached is told last.
  private func targets(of cell: CellID) -> [CellID] {
    var targets: [CellID] = []
    for each in [cell] + self[cell].properties {
      if each != cell { targets.append(each) }
      targets += self[each].readers.map(\.output)
      if let region = self[each].region {
        for constraint in region.constraints where constraint.cells.contains(each) {
          targets += constraint.formulas.map(\.output)
          // Any place of an inequality may have to follow.
          if let equation = constraint.equation, equation.relation != .equal {
            targets += constraint.cells.filter { !self[$0].hasOwner && !targets.contains($0) }
          }
        }
      }
      targets += partners(of: each)
      for connection in watchers.pathWatchers[each]?.sorted(by: { $0.number < $1.number }) ?? [] {
        targets += connection.formulas.map(\.output)
      }
    }
    return targets.reversed()
  }

  /// Returns the places to which a relay passes the value of a cell, or a request for it.
  private func partners(of cell: CellID) -> [CellID] {
    guard let connections = watchers.observers.byCell[cell] else { return [] }
    var partners: [CellID] = []
    for connection in connections.sorted(by: { $0.number < $1.number }) {
      let cells = connection.observer?.cells ?? []
      if connection.storedPlan?.isOneWay == true, cells.last != cell { continue }
      partners += cells.filter { $0 != cell }
    }
    return partners
  }

  /// Returns why the formula that determines a cell at present has failed, or one that it depends on.
  func failure(of cell: CellID) -> String? {
    guard hasFailures, let formula = source(of: cell), hasFailed(formula.id.rawValue) else {
      return nil
    }
    return failing.failures[formula.id]
  }
}

extension ConnectionGraph {
  /// Returns the suspended connections that would determine a place, in the order of their statements.
  ///
  /// - Complexity: O(connections).
  fileprivate func suspendedConnections(of place: Place) -> [Connection] {
    connections.values.sorted { $0.number < $1.number }.filter { connection in
      guard connection.status == .suspended, let plan = connection.plan else { return false }
      return plan.determines(place)
    }
  }
}
