internal import TenonLexer
package import TenonParser

/// `formula =|= formula`: the directions in which both together can be run.
///
/// A place on the left follows from the value of the right formula as it would from that of any
/// other side, and the other way round. So each formula is inverted by itself, and what is given to
/// one is the other.
package struct InversionPair {
  package let left: Inversion
  package let right: Inversion
  /// What stands against it.
  package let problem: Inversion.Problem?
  /// What they say as a sum, where all of it is places times numbers.
  package let sum: LinearAnalysis?

  /// Looks for the directions of two formulas; nil when nothing on the left is a place, or the left
  /// side is one.
  package init?(
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
