internal import TenonAnalysis
internal import TenonLexer
internal import TenonParser

// What the text of a class connects in every instance.

extension Machine {
  /// Turns the statements of a class into a method that `new` calls after `initialize`, and those of
  /// them that hold for a copy as well into one that `copy` calls after `postCopy`.
  func addConnections(_ members: [Member], to info: ClassInfo, source: SourceText) {
    var statements: [Statement] = []
    var ofCopies: [Statement] = []
    // What stands for places of the instance: another one has its own.
    var groups = info.groupNames
    for member in members {
      switch member {
      case .statement(let statement):
        statements.append(statement)
        guard case .expression(let expression) = statement else { continue }
        if expression.isConnected || expression.makes(groups) { ofCopies.append(statement) }
        if let made = expression.assignedName(from: groups) { groups.insert(made) }
      case .variable(let variable):
        // A connection may be the first value of the variable that holds it.
        guard let value = variable.value, value.isConnected else { continue }
        let target = Expression.name(
          NameExpression(name: variable.name, range: variable.name.range))
        ofCopies.append(
          .expression(
            .assignment(
              AssignmentExpression(target: target, value: value, range: variable.range))))
      default: continue
      }
    }
    info.ownStatements.connections = method(
      HiddenSelector.connections, statements, in: info, source: source)
    info.ownStatements.copies = method(
      HiddenSelector.connectionsOfCopies, ofCopies, in: info, source: source)
  }

  /// Makes the connections that a class and its superclasses ask for in every instance.
  ///
  /// - Returns: the instance, or `unwind`.
  func connectInstance(_ instance: Value, of classValue: Value) -> Value {
    guard let info = classInfo(named: classValue), !info.statements.connections.isEmpty else {
      return instance
    }
    return connect(instance, by: info.statements.connections)
  }

  /// Makes the connections that its classes ask for in a copy, whose variables have their values.
  ///
  /// - Returns: the copy, or `unwind`.
  func connectCopy(_ copy: Value) -> Value {
    guard copy.isObject else { return copy }
    let info = classInfo(of: copy)
    guard info.statements.connectsCopies else { return copy }
    let kernelMethods = info.lineage.compactMap { each in
      each.ownStatements.copySelector.flatMap { each.lookUp($0) }
    }
    return connect(copy, by: kernelMethods + info.statements.copies)
  }

  func connect(_ instance: Value, by methods: [Method]) -> Value {
    graph.beginBatch()
    var outcome = instance
    for method in methods {
      outcome = call(method, on: instance)
      if outcome.isUnwind { break }
    }
    do throws(Failure) { try graph.endBatch() } catch {
      return outcome.isUnwind ? outcome : signalForBatch(error)
    }
    if outcome.isUnwind { return outcome }
    return graph.isSettling || graph.atomicDepth > 0
      ? instance : settleGraph(answering: instance)
  }
}

extension Expression {
  /// Whether it makes a group, or something of one, that stands for places of an instance.
  fileprivate func makes(_ groups: Set<String>) -> Bool { assignedName(from: groups) != nil }

  /// The variable to which it assigns a group, or what it makes of some.
  ///
  /// A group itself is filled by an assignment of another one, which is nothing that a copy would need.
  fileprivate func assignedName(from groups: Set<String>) -> String? {
    guard case .assignment(let assignment) = self, let name = assignment.target.variableName else {
      return nil
    }
    if assignment.value.makesGroup { return name.text }
    let places = DiagramReads(assignment.value).places
    let isOfGroups = places.contains { $0.variableName.map { groups.contains($0.text) } ?? false }
    return isOfGroups && !groups.contains(name.text) ? name.text : nil
  }
}
