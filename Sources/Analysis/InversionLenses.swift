internal import TenonLexer
package import TenonParser

// Formulas that are views of collections, and literals with places in them: what the whole was is needed to
// run them backwards.

extension InversionRules {
  /// The collection of which a message shows a part, by what it holds at present and another such part.
  static func lens(_ selector: String) -> Step {
    { value, node in put(value, selector, node.arguments, node) }
  }

  /// The same for a message with a text that has to stand between elements.
  static func separated(_ selector: String) -> Step {
    { value, node throws(Inversion.Problem) in
      if case .string(let text) = node.operands[1].expression, text.value.isEmpty {
        throw Inversion.Problem(
          message: InversionWording.noSeparator(selector), range: node.operands[1].at)
      }
      return put(value, selector, node.arguments, node)
    }
  }

  /// The collection from which a block has made another one, where the block runs backwards.
  static func collecting(
    _ inner: Result<(BlockExpression, InverseTerm), Inversion.Problem>
  ) -> InversionRule {
    .steps([
      0: { value, node throws(Inversion.Problem) in
        let (block, term) = try inner.get()
        return put(value, "collect:undone:", node.arguments + [.element(block, term)], node)
      }
    ])
  }

  private static func put(
    _ value: InverseTerm, _ selector: String, _ arguments: [InverseTerm], _ node: InversionNode
  ) -> InverseTerm {
    .inverse(
      "put:into:through:",
      [value, .present(node.operands[0].expression), .lens(selector, arguments, node.at)], node.at)
  }

  /// The parts of a literal array.
  static let elements = InversionRule.parts { value, node in
    .inverse("parts:size:", [value, .number(node.operands.count)], node.at)
  }

  /// The parts of a literal dictionary with keys that are literals.
  static func entries(_ keys: [Expression]) -> InversionRule {
    .parts { value, node in
      .inverse("parts:keys:", [value, .list(keys.map { .part($0) }, node.at)], node.at)
    }
  }

  /// The coordinates of a point.
  static let coordinates = InversionRule.parts { value, node in
    .inverse("coordinates:", [value], node.at)
  }
}

extension InversionNode {
  fileprivate var arguments: [InverseTerm] { operands.dropFirst().map { .part($0.expression) } }

  /// Whether each of its operands follows from its value by itself.
  var hasHoles: Bool {
    switch rule {
    case .text, .parts: true
    case .none, .steps, .choice, .decision: false
    }
  }

  /// What an operand is worth by the value of a literal, in which some others are what they are.
  func part(
    _ operand: InversionNode, of value: InverseTerm, fixing isFixed: (InversionNode) -> Bool
  ) -> InverseTerm {
    guard case .parts(let parts) = rule else { return value }
    let fixed = operands.filter(isFixed)
    return .inverse(
      "part:of:fixed:values:",
      [
        .number(operand.position + 1), parts(value, self),
        .list(fixed.map { .number($0.position + 1) }, at),
        .list(fixed.map { .part($0.expression) }, at),
      ], at)
  }
}

// MARK: - Blocks

extension InversionReader {
  /// How the parameter of a block follows from what the block answers.
  static func inverse(
    of argument: Expression, names: any InversionNames
  ) -> Result<(BlockExpression, InverseTerm), Inversion.Problem> {
    guard case .block(let block) = argument, let parameter = block.onlyParameter,
      block.statements.count == 1, case .expression(let body) = block.statements[0]
    else {
      return .failure(
        Inversion.Problem(message: InversionWording.noElementBlock, range: argument.range))
    }
    var reader = InversionReader(
      names: ElementNames(outer: names, element: parameter), hasProperties: false, hasUnits: false,
      element: parameter)
    let root = reader.read(body)
    let leaves = reader.leaves.filter { $0.name == parameter }
    guard !leaves.isEmpty else {
      return .failure(
        Inversion.Problem(message: InversionWording.ignoresElement(parameter), range: block.range))
    }
    // The leaves know those above them weakly.
    return withExtendedLifetime(root) {
      do throws(Inversion.Problem) {
        let solver = InversionSolver(name: parameter, leaves: leaves.map(\.node))
        if let term = try solver.solve(root) { return .success((block, term)) }
        return .failure(
          Inversion.Problem(
            message: InversionWording.isOnlyRead(parameter, by: root.operation), range: root.at))
      } catch {
        return .failure(error)
      }
    }
  }
}

extension BlockExpression {
  /// The name of its parameter, if it has one and no more.
  package var onlyParameter: String? {
    guard parameterCount == 1 else { return nil }
    return parameters.first?.text ?? "$0"
  }

  /// What no name in a text can be: the element of the view, while a block is undone.
  package static let viewName = "(view)"
}

/// The names in a block: its parameter is what can be computed, and nothing else is.
private struct ElementNames: InversionNames {
  let outer: any InversionNames
  let element: String

  func isAssignable(_ name: Name) -> Bool { name.text == element }
  func isValue(_ name: Name) -> Bool { name.text == element || outer.isValue(name) }
  func isKnown(_ name: Name) -> Bool { name.text == element || outer.isKnown(name) }
  func declaredInverses(of selector: String) -> Set<Int> {
    outer.declaredInverses(of: selector)
  }
}
