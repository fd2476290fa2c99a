internal import TenonAnalysis
internal import TenonLexer
internal import TenonParser

// `formula =|= formula`.

extension Builder {
  /// Builds a connection both ways between two formulas; nil when the left side is none.
  mutating func buildFormulaPair(
    _ connect: ConnectExpression, _ left: Expression, _ right: Expression, _ depth: Int
  ) -> NodeRef? {
    guard let pair = InversionPair(left, names(of: left), right, names(of: right)) else {
      return nil
    }
    if let sum = pair.sum, let target = place(sum.leaves[0].expression, depth + 1) {
      // It is kept as an equation, whatever else shares its places.
      return buildEquation(connect, left, right, sum, target: target, depth)
    }
    if let problem = pair.problem {
      return code.add(
        FailureNode(.cannotInvert(problem.message), at: position(problem.range, depth)))
    }
    if let text = buildTextOnTheLeft(connect, pair, left, right, depth) { return text }
    typealias Direction = (place: Expression, make: (inout Builder, Int) -> NodeRef)
    let directions =
      pair.left.directions.map { direction -> Direction in
        (direction.place, { $0.buildInverse(direction.value, of: right, left, $1) })
      }
      + pair.right.directions.map { direction -> Direction in
        (direction.place, { $0.buildInverse(direction.value, of: left, right, $1) })
      }
    let inner = depth + 1
    var operands: [ConnectNode.Operand] = []
    for direction in directions {
      let name = SyntaxPrinter.print(direction.place)
      guard let place = place(direction.place, inner) else {
        return code.add(
          FailureNode(
            .noPlace(name, connect.connector.text), at: position(direction.place.range, depth)))
      }
      operands.append(ConnectNode.Operand(place: place, name: name))
    }
    let paths = operands.paths
    let target = operands.removeFirst()
    var reads: [ConnectNode.Operand] = []
    for read in self.reads(of: left, paths: paths, inner)
      + self.reads(of: right, paths: paths, inner) + operands
    where read.name != target.name && !reads.contains(where: { $0.name == read.name }) {
      reads.append(read)
    }
    var roots: [ConnectNode.Operand] = []
    for root in self.reads(of: left, inner) + self.reads(of: right, inner)
    where !(reads + roots + [target]).contains(where: { $0.name == root.name }) {
      roots.append(root)
    }
    let blocks = directions.map { $0.make(&self, depth + 1) }
    let array = code.add(ArrayNode(elements: list(blocks), slot: depth, state: state))
    let written = ConnectExpression(
      connector: connect.connector, operands: [left, right], range: connect.range)
    let node = code.add(
      ConnectNode(
        connector: connect.connector.text, text: SyntaxPrinter.print(.connect(written)),
        target: target, block: array, other: nil, reads: reads, options: buildOptions(inner),
        ways: FormulaWays(places: operands), roots: roots, awaitsSolver: holdsConnection,
        base: depth, at: position(connect.range, inner)))
    return checked(node, pair.left.conditionalSteps + pair.right.conditionalSteps, depth)
  }

  /// Builds a connection between a text with several places and a place, which is taken apart as one on the
  /// right; nil for any other.
  private mutating func buildTextOnTheLeft(
    _ connect: ConnectExpression, _ pair: InversionPair, _ left: Expression, _ right: Expression,
    _ depth: Int
  ) -> NodeRef? {
    guard !pair.left.holes.isEmpty, place(right, depth + 1) != nil,
      !Inversion.isFormula(right, names: names(of: right))
    else { return nil }
    return buildInversion(connect, right, left, isReversed: true, depth)
  }
}
