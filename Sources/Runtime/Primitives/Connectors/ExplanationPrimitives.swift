internal import TenonAnalysis
internal import TenonLexer
internal import TenonParser

extension Primitive {
  /// What connections and references tell of their places.
  static let explaining: [Primitive] = [
    Primitive(
      "why",
      "How the place came to hold what it holds, a line for each step, up to a write from outside."
    ) { machine, arguments throws(Failure) in
      switch try machine.subject(arguments.receiver) {
      case .cell(let cell):
        let connection = machine.connection(of: arguments.receiver)
        return machine.makeExplanation(
          connection.map { machine.explanation(of: cell, in: $0) } ?? machine.explanation(of: cell))
      case .unmade(let connection):
        return machine.makeExplanation(machine.explanation(ofUnmade: connection))
      case .unconnected(let name, let suspended):
        return machine.makeString(machine.explanation(ofUnconnected: name, suspended))
      case .suspended(let connection):
        return machine.makeString(machine.explanation(ofSuspended: connection))
      case .unmoved(let text):
        return machine.makeString("'\(text)' has not changed any place yet")
      case .stored(let whole, let path):
        return machine.makeExplanation(machine.explanation(ofStored: path, in: whole))
      case .ended: return machine.makeString("the connection has ended")
      case .unwind: return .unwind
      }
    },
    Primitive("when", "The last change of the place: a PlaceChange; nil when none is known.") {
      machine, arguments throws(Failure) in
      switch try machine.subject(arguments.receiver) {
      case .cell(let cell):
        return machine.graph.causes.last(of: cell).map { machine.makeChange($0, of: cell) } ?? .nil
      case .stored(let whole, let path):
        guard let changes = machine.changes(ofStored: path, in: whole, limit: 1) else {
          return .unwind
        }
        return changes.first ?? .nil
      case .unconnected, .suspended, .unmade, .unmoved, .ended: return .nil
      case .unwind: return .unwind
      }
    },
    Primitive("changes", "The changes of the place that are still known, the oldest first.") {
      machine, arguments throws(Failure) in
      switch try machine.subject(arguments.receiver) {
      case .cell(let cell):
        let root = machine.roots.count
        defer { machine.dropRoots(to: root) }
        for number in machine.graph.causes.changes(of: cell) {
          machine.roots.append(machine.makeChange(number, of: cell))
        }
        return machine.makeArray(machine.roots[root...])
      case .stored(let whole, let path):
        guard let changes = machine.changes(ofStored: path, in: whole) else { return .unwind }
        return machine.makeArray(changes.reversed())
      case .unconnected, .suspended, .unmade, .unmoved, .ended: return machine.makeArray([])
      case .unwind: return .unwind
      }
    },
    Primitive(
      "wouldChange", "The texts of the places that a change of the place may reach, in order."
    ) { machine, arguments throws(Failure) in
      switch try machine.subject(arguments.receiver, isForward: true) {
      case .cell(let cell):
        return machine.makeArray(
          machine.graph.withNames { machine.reachedNames(from: cell) }
            .map { machine.makeString($0) })
      case .stored(let whole, let path):
        return machine.makeArray(
          machine.graph.withNames { machine.reachedNames(fromStored: path, in: whole) }
            .map { machine.makeString($0) })
      case .unconnected, .suspended, .unmade, .unmoved, .ended: return machine.makeArray([])
      case .unwind: return .unwind
      }
    },
    Primitive(
      "lastWriter",
      "Who changed the place last: a Connection, the place of a statement as text, or nil."
    ) { machine, arguments throws(Failure) in
      switch try machine.subject(arguments.receiver) {
      case .cell(let cell):
        guard let number = machine.graph.causes.last(of: cell) else { return .nil }
        if let copier = machine.copier(of: cell) { return machine.makeConnectionObject(copier) }
        return ObjectRef(machine.makeChange(number, of: cell))[slot: 5]
      case .stored(let whole, let path): return machine.lastWriter(ofStored: path, in: whole)
      case .unconnected, .suspended, .unmade, .unmoved, .ended: return .nil
      case .unwind: return .unwind
      }
    },
  ]

  static let connectionList: [Primitive] = [
    Primitive(
      "gaveUp",
      "Those in force that do not hold, what counts most first: a formula has failed, or something stronger is against it."
    ) { machine, _ in
      let failed = machine.graph.failedCells
      let given = machine.graph.connections.values.filter { connection in
        let state = machine.state(of: connection) { connection in
          connection.constantsFailure != nil
            || connection.formulas.contains { failed.contains($0.output) }
        }
        return !["satisfied", "waiting", "suspended"].contains(state)
      }
      let sorted = given.sorted { ($1.strength, $0.number) < ($0.strength, $1.number) }
      return machine.makeArray(sorted.map { machine.makeConnectionObject($0) })
    },
    Primitive("writtenAs: format zoom: zoom", "The diagram as text, with the values of the moment.")
    { machine, arguments throws(Failure) in
      let format = try machine.choice(arguments[0], Diagram.Format.self, "a format of diagrams")
      let zoom = try machine.choice(arguments[1], Diagram.Zoom.self, "a zoom of diagrams")
      let diagram = machine.liveDiagram()
      if machine.graph.isUnwinding {
        machine.graph.isUnwinding = false
        return .unwind
      }
      return machine.makeString(diagram.written(as: format, zoom))
    },
  ]

  static let connectionTrace: [Primitive] = [
    Primitive("on", "Has each change of a connected place printed with its cause.") {
      machine, arguments in
      machine.graph.causes.traceStream = .nil
      machine.graph.causes.isTracing = true
      return arguments.receiver
    },
    Primitive("onto: aStream", "Has each change written to a stream when its turn has ended.") {
      machine, arguments throws(Failure) in
      guard machine.classInfo(of: arguments[0]).lookUp(machine.selector("nextPutAll:")) != nil
      else {
        throw .invalidArgument("a stream for 'onto:'", found: machine.describe(arguments[0]))
      }
      machine.graph.causes.traceStream = arguments[0]
      machine.graph.causes.isTracing = true
      return arguments.receiver
    },
    Primitive("off", "Has no change printed any more.") { machine, arguments in
      machine.graph.causes.isTracing = false
      machine.graph.causes.traceStream = .nil
      machine.graph.causes.traceLines = []
      return arguments.receiver
    },
    Primitive("isOn", "Whether changes are printed.") { machine, _ in
      Value(machine.graph.causes.isTracing)
    },
  ]

  static let diagramClass: [Primitive] = [
    Primitive("statementsIn: aString", "The connector statements that a diagram in Mermaid says.") {
      machine, arguments throws(Failure) in
      let text = try machine.swiftString(arguments[0])
      do throws(DiagramError) {
        let diagram = try Diagram(mermaid: text, connectors: machine.session.definedConnectors) {
          source, names, connectors in
          machine.parse(source, names: names, connectors: connectors)
        }
        return machine.makeString(diagram.statementsText)
      } catch {
        throw .invalidDiagram(error)
      }
    },
    Primitive("mermaidOf: aString", "The diagram of a program's connector statements in Mermaid.") {
      machine, arguments throws(Failure) in
      machine.makeString(try machine.diagram(ofText: arguments[0]).written(as: .mermaid))
    },
    Primitive(
      "mermaidOf: aString zoom: aSymbol",
      "The same at a zoom, #cells, #objects or #stores."
    ) { machine, arguments throws(Failure) in
      let zoom = try machine.choice(arguments[1], Diagram.Zoom.self, "a zoom")
      return machine.makeString(
        try machine.diagram(ofText: arguments[0]).written(as: .mermaid, zoom))
    },
    Primitive(
      "svgOf: texts arrows: numbers",
      "An image of boxes, and of arrows between them: the numbers of two boxes for each."
    ) { machine, arguments throws(Failure) in
      machine.makeString(try machine.drawing(of: arguments[0], arguments[1]).svg())
    },
  ]
}

extension Machine {
  /// The diagram of the connector statements of a program, which does not run.
  fileprivate func diagram(ofText text: Value) throws(Failure) -> Diagram {
    let source = SourceText(name: "<diagram>", try swiftString(text))
    let result = parse(
      source, names: session.hyphenatedNames, connectors: session.definedConnectors)
    guard let script = result.script else { throw .invalidDiagram(result.diagnostics, in: source) }
    return Diagram(script)
  }

  /// Boxes with texts, and arrows between boxes by their numbers.
  fileprivate func drawing(of texts: Value, _ numbers: Value) throws(Failure) -> Drawing {
    let texts = try array(texts)
    let numbers = try array(numbers)
    let objects = try (0..<texts.elementCount).map { index throws(Failure) in
      try swiftString(texts[element: index])
    }
    var arrows: [(from: Int, to: Int)] = []
    for index in stride(from: 0, to: numbers.elementCount - 1, by: 2) {
      guard let from = numbers[element: index].asSmallInteger,
        let to = numbers[element: index + 1].asSmallInteger,
        objects.indices.contains(from - 1), objects.indices.contains(to - 1)
      else {
        throw .invalidArgument("the numbers of two boxes", found: describe(numbers[element: index]))
      }
      arrows.append((from - 1, to - 1))
    }
    return Drawing(objects: objects, arrows: arrows)
  }

  /// The choice that a symbol or string names.
  fileprivate func choice<Choice: RawRepresentable & CaseIterable>(
    _ value: Value, _ type: Choice.Type, _ expected: String
  ) throws(Failure) -> Choice where Choice.RawValue == String {
    if let choice = text(value).flatMap({ Choice(rawValue: $0) }) { return choice }
    let choices = Choice.allCases.map { "#\($0.rawValue)" }.joined(separator: ", ")
    throw .invalidArgument("\(expected) (\(choices))", found: describe(value))
  }
}

extension Machine {
  /// An explanation as a string of the language; `unwind` where looking at places was unwound.
  fileprivate func makeExplanation(_ text: String) -> Value {
    guard graph.isUnwinding else { return makeString(text) }
    graph.isUnwinding = false
    return .unwind
  }
}
