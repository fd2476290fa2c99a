package import TenonLexer
package import TenonParser

// Formulas that are texts with several expressions in braces, and what else of a formula has an inverse
// that depends on constants or on the kinds of objects.

extension Inversion {
  /// An expression in the braces of a text that has others beside it.
  package struct Hole {
    /// Where the expression stands.
    package let range: SourceRange
    /// The directions to the places in it, by their position among all directions, with the value that
    /// follows from this part of the text alone.
    package let ways: [(direction: Int, value: InverseTerm)]
  }

  /// A step that runs backwards for some kinds of objects.
  package struct ConditionalStep {
    /// What it is sent to.
    package let receiver: Expression
    package let selector: String
    package let range: SourceRange
  }
}

extension InversionNode {
  /// Whether a place has a part in it.
  var holdsPlace: Bool { !name.isEmpty || operands.contains { $0.holdsPlace } }

  /// The steps below this one that run backwards for some kinds of objects, those of texts in braces
  /// included.
  ///
  /// - Complexity: O(steps).
  var conditionalSteps: [Inversion.ConditionalStep] {
    var steps: [Inversion.ConditionalStep] = []
    var waiting = [self]
    while let node = waiting.popLast() {
      waiting += node.operands.reversed()
      let selector: String
      switch node.rule {
      case .text: selector = "displayString"
      case .steps
      where InversionRules.conditional.contains(node.operation)
        || InversionRules.ofCollections.contains(node.operation):
        selector = node.operation
      default: continue
      }
      let operands =
        InversionRules.ofCollections.contains(selector)
        ? node.operands.prefix(1) : node.operands[...]
      for operand in operands where operand.holdsPlace {
        steps.append(
          Inversion.ConditionalStep(
            receiver: operand.expression, selector: selector, range: operand.at))
      }
    }
    return steps
  }

  /// What stands against a text two of whose parts are not told apart by a text between them.
  var adjacentHoles: Inversion.Problem? {
    var waiting = [self]
    while let node = waiting.popLast() {
      waiting += node.operands.reversed()
      guard case .text = node.rule else { continue }
      var last: InversionNode?
      for operand in node.operands {
        if operand.holdsPlace {
          if let last {
            let names = [last, operand].map { SyntaxPrinter.print($0.expression) }
            return Inversion.Problem(
              message: InversionWording.adjacentHoles(names[0], names[1]), range: operand.at)
          }
          last = operand
        } else if case .string(let string) = operand.expression, string.value.isEmpty {
          continue
        } else {
          last = nil
        }
      }
    }
    return nil
  }
}

extension InversionSolver {
  /// The expressions in the text or literal that holds all places of a formula, with the ways back from
  /// their own parts of it.
  ///
  /// - Returns: none when there is no such text or literal with places in more than one of its
  ///   expressions.
  /// - Complexity: O(steps) for each direction.
  static func holes(
    of root: InversionNode, _ directions: [Inversion.Direction], _ leaves: [InversionReader.Leaf]
  ) -> [Inversion.Hole] {
    let names = directions.map { SyntaxPrinter.print($0.place) }
    guard Set(names).count > 1 else { return [] }
    let all = InversionSolver(name: "", leaves: leaves.map(\.node))
    do throws(Inversion.Problem) {
      guard let (whole, value) = try all.whole(below: root) else { return [] }
      var found: [Inversion.Hole] = []
      for (hole, own) in all.holes(of: whole, value) {
        var ways: [(direction: Int, value: InverseTerm)] = []
        for (index, direction) in directions.enumerated() {
          let text = SyntaxPrinter.print(direction.place)
          let nodes = leaves.filter { SyntaxPrinter.print($0.expression) == text }.map(\.node)
          let solver = InversionSolver(name: names[index], leaves: nodes)
          guard solver.contains(hole) else { continue }
          ways.append((index, try solver.solve(hole, own)))
        }
        if ways.isEmpty { return [] }
        found.append(Inversion.Hole(range: hole.expression.range, ways: ways))
      }
      return found
    } catch {
      return []
    }
  }

  /// The text or literal with several expressions that the places have a part in, and what it is worth by
  /// the value of the formula.
  private func whole(
    below root: InversionNode
  ) throws(Inversion.Problem) -> (InversionNode, InverseTerm)? {
    var node = root
    var value = InverseTerm.given
    while true {
      let concerned = node.operands.filter { contains($0) }
      if concerned.count > 1, node.hasHoles { return (node, value) }
      guard concerned.count == 1, node.canSolve(concerned[0].position) else { return nil }
      if case .choice = node.rule { return nil }
      value = try undo(node, concerned[0], value)
      node = concerned[0]
    }
  }

  /// The expressions of a text or literal, those of literals in it instead of these, with what each is
  /// worth by the value of the whole.
  private func holes(
    of whole: InversionNode, _ value: InverseTerm
  ) -> [(InversionNode, InverseTerm)] {
    let holes = whole.operands.filter { contains($0) }
    return holes.enumerated().flatMap { number, hole -> [(InversionNode, InverseTerm)] in
      let own: InverseTerm
      if case .parts = whole.rule {
        own = whole.part(hole, of: value) { !contains($0) }
      } else {
        own = self.value(of: number, of: holes, in: whole, value)
      }
      let count = hole.operands.count { contains($0) }
      return hole.hasHoles && count > 1 ? self.holes(of: hole, own) : [(hole, own)]
    }
  }

  /// What one of the expressions of a text is worth by the value of the text.
  private func value(
    of number: Int, of holes: [InversionNode], in text: InversionNode, _ value: InverseTerm
  ) -> InverseTerm {
    var separators: [InverseTerm] = []
    var start = 0
    for hole in holes {
      separators.append(text.joined(text.operands[start..<hole.position]))
      start = hole.position + 1
    }
    separators.append(text.joined(text.operands[start...]))
    return .inverse(
      "hole:of:between:like:",
      [
        .number(number + 1), value, .list(separators, text.at),
        .list(holes.map { .present($0.expression) }, text.at),
      ], text.at)
  }
}

// MARK: - Constants

extension InterpolatedStringExpression {
  /// Its parts, with those of texts that stand in its braces.
  var flattenedParts: [InterpolatedStringPart] {
    parts.flatMap { part -> [InterpolatedStringPart] in
      if case .expression(.interpolatedString(let inner)) = part { return inner.flattenedParts }
      return [part]
    }
  }
}
