internal import TenonLexer
internal import TenonParser

// What connectors would write and no program can.

extension Analyzer {
  /// Notes the blocks of a formula that run backwards for each element, where they get a place for what is
  /// in the view.
  mutating func noteUndoneBlocks(in formula: Expression) {
    if case .keywordMessage(let message) = formula, message.keywords.map(\.text) == ["collect:"],
      case .block(let block) = message.arguments[0]
    {
      undoneBlocks.insert(block.range)
      for case .expression(let body) in block.statements { noteUndoneBlocks(in: body) }
    }
    formula.forEachChild { noteUndoneBlocks(in: $0) }
  }

  /// Reports what a connector would write and no program can: a class, an argument, a parameter.
  ///
  /// An argument may hold a store, which is joined as it is: then nothing is assigned, which is known
  /// when the connection is made.
  mutating func checkTargets(of connect: ConnectExpression) {
    let sign = connect.connector.text
    guard sign.isFormulaConnector, !connect.isOwn else { return }
    for (left, right) in zip(connect.operands, connect.operands.dropFirst()) {
      checkTarget(left, mayBeJoined: sign.joinsStores && right.mayBeStore)
      if sign == "=|=" { checkTarget(right, mayBeJoined: left.mayBeStore) }
    }
  }

  private mutating func checkTarget(_ operand: Expression, mayBeJoined: Bool) {
    guard let name = operand.variableName else { return }
    if !refuseClass(name), !mayBeJoined, issues.last?.range != name.range,
      let problem = Wording.assignment(to: scope.lookUp(name.text))
    {
      report(problem, name.range)
    }
  }

  /// Reports the name of a class where something would assign it.
  ///
  /// - Returns: whether it is one.
  @discardableResult
  mutating func refuseClass(_ name: Name) -> Bool {
    guard scope.lookUp(name.text) == nil,
      case .classNamed = environment.kind(of: name.text)
    else { return false }
    if issues.last?.range != name.range {
      report(Wording.assignmentToClass(name.text), name.range)
    }
    return true
  }

  /// Reports a variable declared with `val` where something may assign it.
  ///
  /// `unlessInstanceVariable`: those of instances may be assigned once.
  mutating func refuseConstant(_ name: Name, unlessInstanceVariable: Bool = false) {
    if let variable = scope.lookUp(name.text) {
      if variable.isConstant { report(Wording.constant(name.text), name.range) }
      return
    }
    if unlessInstanceVariable, case .instanceVariable = environment.kind(of: name.text) { return }
    if environment.isConstant(name.text) { report(Wording.constant(name.text), name.range) }
  }

  /// Reports the target of a connection that is declared with `val`.
  mutating func refuseConstant(in operand: Expression) {
    switch operand {
    case .name(let name): refuseConstant(name.name)
    case .identifier(let identifier):
      guard let place = VariablePlace(identifier), place.properties.isEmpty else { return }
      refuseConstant(place.name)
    default: break
    }
  }
}
