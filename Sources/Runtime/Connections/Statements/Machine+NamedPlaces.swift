internal import TenonAnalysis
internal import TenonLexer
internal import TenonParser
internal import TenonSolverKit
internal import TenonTables

// Places that the text of a formula names behind a variable: elements, properties, places named in a
// group. They are found when the formula runs, but errors about them are those of variables.

extension Machine {
  /// Refuses the statement that makes a connection whose formula turns out to need its own result when
  /// it runs for the first time, if the place read on that way is one that its text names.
  ///
  /// A cycle through reads of a method shows when it closes, which may be later: that is an error of
  /// the formula.
  func refuseStatement(of formula: Formula, reading cells: [CellID], because failure: Failure) {
    guard graph.log.structure.newConnections.contains(formula.connection.number), formula.runs <= 1,
      let text = formula.text
    else { return }
    let root = roots.count
    defer { dropRoots(to: root) }
    let starts = formula.constraint?.region.map { $0.cells.sorted() } ?? [formula.output]
    let named = Set(placesNamed(in: text, by: formula).compactMap { graph.cellsByPlace[$0] })
    let isNamed = cells.contains { cell in
      named.contains(cell) && graph.way(from: starts, to: [cell]) != nil
    }
    if isNamed { graph.halt.refusedStatement = failure }
  }

  /// Returns the places behind variables that a text names.
  ///
  /// Getters may run: the places are kept among the roots, which the caller removes.
  private func placesNamed(in text: Expression, by formula: Formula) -> [Place] {
    var paths: [(base: Place, names: [Value])] = []
    var open = [text]
    while let expression = open.popLast() {
      expression.forEachChild { open.append($0) }
      if let path = path(of: expression, in: formula), !path.names.isEmpty { paths.append(path) }
    }
    return paths.compactMap { path in
      guard let place = aim(.path(path.base, path.names)).place, let name = path.names.last,
        isNamed(place, by: name) || isGroup(ObjectRef(path.base.object)[slot: path.base.index])
      else { return nil }
      return place
    }
  }

  /// Returns whether a name is that of a place: not so where it is that of a method that returns its value.
  private func isNamed(_ place: Place, by name: Value) -> Bool {
    guard place.kind == .slot else { return true }
    let variables = classInfo(of: place.object).instanceVariables
    return variables.indices.contains(place.index) && text(name) == variables[place.index].name
  }

  /// Returns the path of a chain of names and indexes; nil for any other expression.
  private func path(
    of expression: Expression, in formula: Formula
  ) -> (base: Place, names: [Value])? {
    var names: [Value] = []
    var expression = expression
    while true {
      switch expression {
      case .unaryMessage(let message):
        names.append(symbol(message.selector.text))
        expression = message.receiver
      case .subscript(let part):
        guard case .integer(let integer) = part.index, !integer.isNegative, integer.radix == 10,
          let index = Int(integer.digits), index < Int32.max
        else { return nil }
        names.append(Value(small: index))
        expression = part.receiver
      case .name(let name):
        guard let base = place(named: name.name.text, in: formula) else { return nil }
        return (base, names.reversed())
      default: return nil
      }
    }
  }

  /// Returns the variable that a text means by a name, or that of the group.
  private func place(named name: String, in formula: Formula) -> Place? {
    if let index = formula.readNames.firstIndex(of: name),
      formula.staticInputs.indices.contains(index)
    {
      let place = graph.place(of: formula.staticInputs[index])
      return place.kind == .slot ? place : nil
    }
    guard isGroup(name), let cell = session.cells[name] else { return nil }
    return .slot(cell, 0)
  }
}
