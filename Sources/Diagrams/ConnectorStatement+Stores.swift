internal import TenonAnalysis
internal import TenonLexer
package import TenonParser

// Assignments between stores: `model := persistence` fills one from the other, and is drawn beside the
// connectors that keep them so.

extension ConnectorStatement {
  /// An assignment from one store to another as a statement; nil for any other assignment.
  ///
  /// `storeNames`: the names that stand for stores.
  package init?(_ assignment: AssignmentExpression, _ storeNames: Set<String>) {
    let sides = [assignment.target, assignment.value]
    guard sides.allSatisfy({ ConnectorStatement.isStore($0, storeNames) }) else { return nil }
    self.init(
      ConnectExpression(
        connector: Name(":=", assignment.range), operands: sides, range: assignment.range))
  }

  private static func isStore(_ expression: Expression, _ names: Set<String>) -> Bool {
    switch expression {
    case .name(let name): names.contains(name.name.text)
    case .identifier(let identifier): identifier.path.isEmpty
    case .pipe(let pipe): isStore(pipe.input, names)
    default: false
    }
  }

  /// Whether it is an assignment.
  package var isAssignment: Bool { connect.connector.text == ":=" }
}

extension Script {
  /// The names that stand for stores as far as the text tells: those of groups, and those that it joins by
  /// connectors and gives no other value.
  ///
  /// - Complexity: O(statements).
  package var storeNames: Set<String> {
    var groups: Set<String> = []
    var joined: Set<String> = []
    var valued: Set<String> = []
    for statement in statements {
      switch statement {
      case .definition(.group(let group)): groups.insert(group.name.text)
      case .variable(let variable) where variable.value != nil: valued.insert(variable.name.text)
      case .expression(.assignment(let assignment)):
        guard let target = assignment.target.variableName, assignment.value.variableName == nil
        else { continue }
        valued.insert(target.text)
      case .expression(let expression):
        guard let connect = ConnectorStatement(expression)?.connect,
          connect.connector.text == "=|=" || connect.connector.text == "|="
        else { continue }
        let names = connect.operands.map(Script.storeName)
        guard names.allSatisfy({ $0 != nil }) else { continue }
        joined.formUnion(names.compactMap { $0 })
      default: break
      }
    }
    return groups.union(joined.subtracting(valued))
  }

  /// The variable whose store an operand is, or one of its names: `model`, `var:model/title`.
  private static func storeName(_ operand: Expression) -> String? {
    if let name = operand.variableName { return name.text }
    guard case .identifier(let identifier) = operand, let place = VariablePlace(identifier) else {
      return nil
    }
    return place.properties.isEmpty ? nil : place.name.text
  }
}
