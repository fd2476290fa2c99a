internal import TenonAnalysis
internal import TenonLexer
internal import TenonParser

/// `formula =|= formula`: the directions in which both together can be run.
///
/// A place on the left follows from the value of the right formula as it would from that of any
/// other side, and the other way round. So each formula is inverted by itself, and what is given to
/// one is the other.
struct InversionPair {
  let left: Inversion
  let right: Inversion
  /// What stands against it.
  let problem: Inversion.Problem?
  /// What they say as a sum, where all of it is places times numbers.
  let sum: LinearAnalysis?

  /// Looks for the directions of two formulas; nil when nothing on the left is a place, or the left
  /// side is one.
  init?(
    _ left: Expression, _ leftNames: FormulaNames, _ right: Expression, _ rightNames: FormulaNames
  ) {
    guard Inversion.isFormula(left, names: leftNames) else { return nil }
    self.left = Inversion(of: left, names: leftNames)
    if self.left.places.isEmpty { return nil }
    self.right = Inversion(of: right, names: rightNames)
    let rightPlaces = Set(self.right.names)
    let places = rightPlaces.union(self.left.names)
    let analysis = LinearAnalysis(left, equals: right)
    sum = analysis.flatMap { $0.leaves.allSatisfy { places.contains($0.name) } ? $0 : nil }
    guard sum == nil else {
      problem = nil
      return
    }
    let shared = zip(self.left.names, self.left.places).first { rightPlaces.contains($0.0) }
    problem =
      self.left.problem ?? self.right.problem
      ?? shared.map { name, place in
        Inversion.Problem(message: InversionWording.onBothSides(name), range: place.range)
      }
  }
}

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
    return code.add(
      ConnectNode(
        connector: connect.connector.text, text: SyntaxPrinter.print(.connect(written)),
        target: target, block: array, other: nil, reads: reads, options: buildOptions(inner),
        backs: operands, roots: roots, isHeld: holdsConnection, base: depth,
        at: position(connect.range, inner)))
  }
}
