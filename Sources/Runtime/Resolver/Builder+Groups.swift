internal import TenonAnalysis
internal import TenonLexer
internal import TenonParser

// Groups, and connectors between stores.

extension Builder {
  /// Builds the definition of a group: its variable is assigned, and is a group's from here on.
  mutating func buildGroup(_ group: GroupDefinition, _ depth: Int) -> NodeRef {
    if let cell = machine.session.cells[group.name.text] {
      machine.session.groupCells.insert(cell.bits)
    }
    return build(group.assignment, depth)
  }

  /// Builds `group := store` and `mem: := store`: what is there is filled by name; nil for an
  /// assignment of any other place.
  mutating func buildFilling(_ assignment: AssignmentExpression, _ depth: Int) -> Built? {
    let receiver: Built
    switch assignment.target {
    case .name(let name):
      guard isGroup(name.name), !assignment.value.makesGroup else { return nil }
      receiver = read(name.name, depth)
    case .identifier(let identifier):
      if let place = VariablePlace(identifier) {
        guard place.properties.isEmpty, isGroup(place.name), !assignment.value.makesGroup else {
          return nil
        }
        receiver = build(assignment.target, depth)
      } else if identifier.path.isEmpty, !["class", "self"].contains(identifier.scheme.text) {
        receiver = schemeNode(identifier.scheme, depth)
      } else {
        return nil
      }
    default: return nil
    }
    let value = build(assignment.value, depth + 2)
    let names = operandNames([assignment.target, assignment.value])
    return send("fillFrom:names:", to: receiver, [value, names], assignment.range, depth)
  }

  private func isGroup(_ name: Name) -> Bool {
    scope.lookUp(name.text) == nil && environment.isGroup(name.text)
  }

  /// Builds a connector one of whose sides can only be a store: a scheme's, a part of one, or one
  /// under other names; nil when neither says so.
  mutating func buildStorePair(
    _ connector: String, _ left: Expression, _ right: Expression, _ text: String,
    _ range: SourceRange, _ depth: Int
  ) -> NodeRef? {
    let rightIsStore = connector == "=|=" && right.isAlwaysStore
    guard left.isAlwaysStore || rightIsStore else { return nil }
    let sides = [buildOperand(left, depth + 2), buildOperand(right, depth + 3)]
    let sign = constant(machine.makeString(connector))
    let awaits = constant(Value(awaitsPolicy))
    return send(
      "connect:to:by:names:text:awaitsPolicy:", to: classNode("StoreConnection"),
      sides + [sign, operandNames([left, right]), constant(machine.makeString(text)), awaits],
      range, depth
    ).node
  }

  /// Builds a side of a connection that is evaluated once: the analyzer has made it a block.
  private mutating func buildOperand(_ operand: Expression, _ depth: Int) -> Built {
    guard let inner = scopes[operand.formulaRange] else { return constant(.nil) }
    let block = closure(inner, range: operand.range) { builder, depth in
      builder.build(operand, depth).node
    }
    return send("value", to: block, [], operand.range, depth)
  }

  /// What messages call the sides of a connection.
  private func operandNames(_ operands: [Expression]) -> Built {
    let names = operands.map { machine.makeString(SyntaxPrinter.print($0)) }
    return constant(machine.makeArray(names))
  }
}
