internal import TenonSolverKit
internal import TenonLexer

extension Primitive {
  static let observers: [Primitive] = [
    Primitive("relay", "The object that is told what has changed, or nil.") {
      machine, arguments in
      machine.connection(arguments.receiver)?.observer?.object ?? .nil
    },
    Primitive("holdFormulasFor: aRelay looking: aBoolean", "Tells aRelay instead of running.") {
      machine, arguments throws(Failure) in
      guard let connection = machine.connection(arguments.receiver) else {
        return arguments.receiver
      }
      let observer = ConnectionObserver(arguments[0], .formulas)
      observer.looks = arguments[1].isTrue
      try machine.setObserver(observer, of: connection)
      return machine.settleGraph(answering: arguments.receiver)
    },
    Primitive("watchPlacesFor: aRelay looking: aBoolean", "Tells aRelay instead of joining.") {
      machine, arguments throws(Failure) in
      guard let connection = machine.connection(arguments.receiver) else {
        return arguments.receiver
      }
      let observer = ConnectionObserver(arguments[0], .places)
      observer.looks = arguments[1].isTrue
      observer.heldSide = connection.observer?.heldSide
      try machine.setObserver(observer, of: connection)
      return machine.settleGraph(answering: arguments.receiver)
    },
    Primitive("runFormulas", "Runs what has been held back.") { machine, arguments in
      guard let connection = machine.connection(arguments.receiver) else {
        return arguments.receiver
      }
      connection.observer?.isPending = false
      for formula in connection.formulas {
        // What cannot tell about changes is read anew.
        for input in formula.inputs where machine.isSilent(input) {
          machine.graph.lookAgain(at: input)
        }
        machine.graph.scheduledFormulas.append(formula)
      }
      guard !machine.graph.isSettling, machine.graph.atomicDepth == 0 else {
        return arguments.receiver
      }
      return machine.settleGraph(answering: arguments.receiver)
    },
    Primitive("changeClock", "A number that grows with each change that is told.") {
      machine, _ in Value(small: machine.graph.watchers.observers.clock)
    },
    Primitive("isInForce", "Whether it is neither ended nor suspended.") { machine, arguments in
      Value(machine.connection(arguments.receiver)?.status == .active)
    },
    Primitive("isSilent", "Private: whether it has a place that cannot tell about changes.") {
      machine, arguments in
      guard let connection = machine.connection(arguments.receiver) else { return .false }
      let read = connection.formulas.flatMap(\.inputs) + (connection.observer?.cells ?? [])
      return Value(connection.silence != nil || read.contains { machine.isSilent($0) })
    },
    Primitive("lacksPolicy", "Private: whether it is refused without a policy that looks.") {
      machine, arguments in
      Value(machine.connection(arguments.receiver)?.silence != nil)
    },
    Primitive("isTwoWay", "Whether it joins two places both ways.") { machine, arguments in
      let plan = machine.connection(arguments.receiver)?.plan
      return Value(plan?.other != nil && plan?.isOneWay == false)
    },
    Primitive("isBothWays", "Whether its statement joins both ways, formulas or places.") {
      machine, arguments in
      Value(machine.connection(arguments.receiver)?.connector == "=|=")
    },
    Primitive("isAimed", "Whether its paths lead somewhere.") { machine, arguments in
      Value(machine.connection(arguments.receiver)?.observer?.cells.isEmpty == false)
    },
    Primitive("valueAt: side", "What the left place, 1, or the right one, 2, holds.") {
      machine, arguments throws(Failure) in
      guard let cell = try machine.observedCell(arguments.receiver, arguments[0]) else {
        return .nil
      }
      if machine.isSilent(cell) { machine.graph.lookAgain(at: cell) }
      switch machine.reading(cell) {
      case .value(let value): return value.isUndefined ? .nil : value
      case .failed(let failure): throw failure
      case .unwound:
        machine.graph.isUnwinding = false
        return .unwind
      }
    },
    Primitive("write: value at: side", "Replaces what a place holds; answers value.") {
      machine, arguments throws(Failure) in
      guard let connection = machine.connection(arguments.receiver),
        let observer = connection.observer,
        let cell = try machine.observedCell(arguments.receiver, arguments[1])
      else { return arguments[0] }
      let cause = observer.cells.indices.first {
        observer.cells[$0] != cell && observer.heldSide != $0 + 1
      }
      return machine.write(
        arguments[0], to: cell, for: connection, because: cause.map { observer.cells[$0] })
    },
    Primitive(
      "write: value at: side because: aConnection at: anotherSide",
      "Replaces what a place holds because a side of aConnection has changed; answers value."
    ) { machine, arguments throws(Failure) in
      guard let connection = machine.connection(arguments.receiver),
        let cell = try machine.observedCell(arguments.receiver, arguments[1])
      else { return arguments[0] }
      let cause = try machine.observedCell(arguments[2], arguments[3])
      // What was held back has never been there.
      let isHeld = cause.map { machine.graph.watchers.observers.deferred[$0] != nil } ?? true
      return machine.write(
        arguments[0], to: cell, for: connection, because: isHeld ? nil : cause)
    },
    Primitive("checkWriteAt: side", "Fails where a place is determined by others.") {
      machine, arguments throws(Failure) in
      guard let cell = try machine.observedCell(arguments.receiver, arguments[0]) else {
        return .nil
      }
      try machine.graph.checkWrite(to: cell)
      return arguments.receiver
    },
    Primitive(
      "passively: aBlock",
      "Evaluates aBlock; what it begins to watch does not have the program go on."
    ) { machine, arguments throws(Failure) in
      let observer = machine.connection(arguments.receiver)?.observer
      observer?.watchesPassively = true
      defer { observer?.watchesPassively = false }
      return machine.evaluateBlock(arguments[0])
    },
    Primitive("silently: aBlock", "Evaluates aBlock; what it changes is not told.") {
      machine, arguments in
      let observer = machine.connection(arguments.receiver)?.observer
      let wasSilent = observer?.isSilent ?? false
      observer?.isSilent = true
      defer { observer?.isSilent = wasSilent }
      return machine.evaluateBlock(arguments[0])
    },
    Primitive(
      "exchangeLater: aBlock",
      "Evaluates aBlock, which may wait, after the turn, unless it is under way."
    ) { machine, arguments in
      if let connection = machine.connection(arguments.receiver) {
        machine.exchangeLater(arguments[0], for: connection)
      }
      return arguments.receiver
    },
    Primitive("noteUpdate", "Counts what is written for it.") { machine, arguments in
      machine.connection(arguments.receiver)?.observer?.updateCount += 1
      return arguments.receiver
    },
    Primitive("cellAt: side", "A number that connections of the same place share.") {
      machine, arguments throws(Failure) in
      let cell = try machine.observedCell(arguments.receiver, arguments[0])
      return cell.map { Value(small: $0.index) } ?? .nil
    },
    Primitive("relaysAt: side", "The relays of all connections that watch the same place.") {
      machine, arguments throws(Failure) in
      guard let cell = try machine.observedCell(arguments.receiver, arguments[0]) else {
        return machine.makeArray([])
      }
      let connections = machine.graph.watchers.observers.byCell[cell] ?? ConnectionSet()
      return machine.makeArray(
        connections.sorted { $0.number < $1.number }.compactMap(\.observer?.object))
    },
    Primitive("sideOf: aReference", "1 or 2 for the side that a reference leads to, or nil.") {
      machine, arguments throws(Failure) in
      let root = machine.roots.count
      defer { machine.dropRoots(to: root) }
      guard let plan = machine.connection(arguments.receiver)?.plan, let other = plan.other else {
        return .nil
      }
      let place = try machine.placePath(of: arguments[0])
      if machine.isSame(place, plan.target.place) { return Value(small: 1) }
      return machine.isSame(place, other.place) ? Value(small: 2) : .nil
    },
    Primitive("holdSide: side", "Has a side take no value from outside, or nil: both do.") {
      machine, arguments throws(Failure) in
      guard let connection = machine.connection(arguments.receiver) else {
        return arguments.receiver
      }
      guard let observer = connection.observer else {
        // Before it tells a relay: whether it could.
        let root = machine.roots.count
        defer { machine.dropRoots(to: root) }
        if let side = arguments[0].asSmallInteger,
          let operand = side == 1 ? connection.plan?.target : connection.plan?.other,
          let place = machine.aim(operand.place).place, place.kind == .property
        {
          throw .cannotHold(operand.name)
        }
        return arguments.receiver
      }
      if let side = observer.heldSide, observer.cells.count == 2 {
        machine.graph.watchers.observers.deferred[observer.cells[side - 1]] = nil
      }
      observer.heldSide = arguments[0].asSmallInteger.map { min(max($0, 1), 2) }
      if let side = observer.heldSide, observer.cells.count == 2 {
        let cell = observer.cells[side - 1]
        guard machine.graph[cell].place.kind != .property else {
          observer.heldSide = nil
          throw .cannotHold(machine.graph.displayName(of: cell))
        }
        machine.graph.watchers.observers.deferred[cell] = connection
      }
      return arguments.receiver
    },
    Primitive("takeWanted: aBlock", "What a side should have got, or what aBlock answers.") {
      machine, arguments in
      guard let observer = machine.connection(arguments.receiver)?.observer,
        let wanted = observer.wanted
      else { return machine.evaluateBlock(arguments[0]) }
      observer.wanted = nil
      return wanted
    },
    Primitive("relayError: aString", "Notes why something could not be taken up, or nil.") {
      machine, arguments in
      machine.connection(arguments.receiver)?.observer?.error = machine.text(arguments[0])
      return arguments.receiver
    },
    Primitive("relayRejection: aString", "Notes why a request was rejected, or nil.") {
      machine, arguments in
      machine.connection(arguments.receiver)?.observer?.rejection = machine.text(arguments[0])
      return arguments.receiver
    },
    Primitive("isRelayPending", "Private: whether changes wait to be taken up.") {
      machine, arguments in
      Value(machine.connection(arguments.receiver)?.observer?.isPending == true)
    },
    Primitive("relayPending: aBoolean", "Notes whether changes wait to be taken up.") {
      machine, arguments in
      machine.connection(arguments.receiver)?.observer?.isPending = arguments[0].isTrue
      return arguments.receiver
    },
    Primitive("warn: aString", "Tells about the connection at the statement that made it.") {
      machine, arguments throws(Failure) in
      guard let connection = machine.connection(arguments.receiver) else {
        return arguments.receiver
      }
      machine.report(try machine.swiftString(arguments[0]), about: connection)
      return arguments.receiver
    },
  ]

  static let relayClass: [Primitive] = [
    Primitive(
      "link: anObject to: anotherObject oneWay: aBoolean names: anArray text: aString for: aRelay",
      "Makes a connection that tells aRelay of changes anywhere in two stores."
    ) { machine, arguments throws(Failure) in
      let names = try machine.array(arguments[3])
      guard names.elementCount == 2, let site = machine.stackTrace(limit: 1).first,
        arguments[0].isObject, arguments[1].isObject
      else { throw .invalidArgument("two stores", found: machine.describe(arguments[0])) }
      func operand(_ object: Value, _ index: Int) throws(Failure) -> ConnectionSpec.Operand {
        ConnectionSpec.Operand(
          place: .place(.whole(ObjectRef(object))),
          name: try machine.swiftString(names[element: index]))
      }
      let plan = ConnectionSpec(
        target: try operand(arguments[0], 0), block: nil, other: try operand(arguments[1], 1),
        reads: [], isOneWay: arguments[2].isTrue)
      return machine.connect(
        plan, connector: arguments[2].isTrue ? "|=" : "=|=",
        text: try machine.swiftString(arguments[4]),
        observer: ConnectionObserver(arguments[5], .places), at: site)
    }
  ]
}

extension Machine {
  /// The cell of a side of a connection; nil while its paths lead nowhere.
  fileprivate func observedCell(_ value: Value, _ side: Value) throws(Failure) -> CellID? {
    guard let connection = connection(value) else { return nil }
    let index = try offset(side, count: 2)
    if let cells = connection.observer?.cells { return cells.count == 2 ? cells[index] : nil }
    // One that is not told yet joins what its statement says.
    guard let plan = connection.plan, let other = plan.other,
      case .place(let place) = index == 0 ? plan.target.place : other.place
    else { return nil }
    return graph.cellsByPlace[place]
  }

  /// Writes a cell for a relay, which is told nothing of it.
  ///
  /// - Parameters:
  ///   - value: What it is to hold.
  ///   - cell: The cell.
  ///   - connection: The connection that writes.
  ///   - cause: The cell whose change it passes on; nil where that has never held what it asked for.
  /// - Returns: value, or `unwind`.
  fileprivate func write(
    _ value: Value, to cell: CellID, for connection: Connection, because cause: CellID?
  ) -> Value {
    guard let observer = connection.observer else { return value }
    let wasSilent = observer.isSilent
    let outer = graph.watchers.observers.write
    observer.isSilent = true
    graph.watchers.observers.write = ConnectionObservers.Write(
      cell: cell, connection: connection, cause: cause)
    defer {
      observer.isSilent = wasSilent
      graph.watchers.observers.write = outer
    }
    observer.updateCount += 1
    return assign(value, to: graph[cell].place)
  }

  /// Tells a relay that its connection has ended.
  ///
  /// - Returns: what it answers, or `unwind`.
  func tellEnd(of observer: ConnectionObserver) -> Value {
    send(selector("ended"), to: observer.object)
  }

  /// Gives a connection a relay and has it made anew.
  fileprivate func setObserver(_ observer: ConnectionObserver, of connection: Connection)
    throws(Failure)
  {
    let old = connection.observer
    if observer.kind == .formulas, isSolved(connection) {
      if connection.silence != nil { graph.disconnect(connection) }
      throw .policyOfEquation(connection.text)
    }
    if connection.isInvariant {
      throw .takesNo("policy", connection.text, because: "it is asked in the turn of each change")
    }
    if observer.kind == .places, connection.tolerance != nil {
      throw .takesNo(
        "policy and no truth", connection.text,
        because: "it has a tolerance, which 'within: nil' ends")
    }
    if let silence = connection.silence, !observer.looks {
      graph.disconnect(connection)
      throw silence
    }
    connection.silence = nil
    guard connection.status == .active, let plan = connection.plan else {
      connection.observer = observer
      return
    }
    if observer.kind == .formulas, old?.looks ?? observer.looks == observer.looks,
      !connection.formulas.isEmpty
    {
      // What it joins does not follow from the formulas alone any more.
      connection.materialize()
      connection.observer = observer
      for formula in connection.formulas {
        graph.leaveLaziness(of: formula)
        formula.isDeferred = true
      }
      return
    }
    // The change log of its places is kept.
    try graph.keepingCells { () throws(Failure) in
      do throws(Failure) { try establish(connection, plan, with: observer) } catch {
        if let old, !graph.isUnwinding, (try? establish(connection, plan, with: old)) != nil {
          throw error
        }
        graph.disconnect(connection)
        throw error
      }
    }
  }

  /// Makes a connection anew with another observer.
  private func establish(
    _ connection: Connection, _ plan: ConnectionSpec, with observer: ConnectionObserver
  ) throws(Failure) {
    graph.dissolve(connection)
    connection.observer = observer
    try establish(connection, plan)
  }

  /// Whether what a connection says is an equation or an inequality, so that no formula of it runs.
  private func isSolved(_ connection: Connection) -> Bool {
    connection.plan?.linear != nil
      || connection.formulas.contains {
        $0.equation != nil || $0.constraint?.region?.solvesSums ?? false
      }
  }

  /// Whether two ways lead to the same place by the same steps.
  fileprivate func isSame(
    _ left: ConnectionSpec.PlacePath, _ right: ConnectionSpec.PlacePath
  ) -> Bool {
    switch (left, right) {
    case (.place(let left), .place(let right)): return left == right
    case (.path(let left, let names), .path(let right, let others)):
      return left == right && names.map { displayText($0) } == others.map { displayText($0) }
    case (.computed(let left), .computed(let right)):
      return left.store == right.store && left.base == right.base && left.block == right.block
        && left.names.map { displayText($0) } == right.names.map { displayText($0) }
    default: return false
    }
  }

  /// Writes a warning about a connection.
  func report(_ message: String, about connection: Connection) {
    let warning = Diagnostic(.warning, message, connection.range)
    printError(warning.rendered(in: connection.source))
  }
}
