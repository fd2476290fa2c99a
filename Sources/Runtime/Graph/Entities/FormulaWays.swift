/// The ways back of a formula both ways.
final class FormulaWays {
  /// A part of a text with several places, by the positions of its blocks among those of the formula.
  struct Hole {
    /// The formula that looks at the other parts without depending on them.
    let forward: Int
    /// The places in it, by their positions, and the blocks that compute them from the text alone.
    var ways: [(back: Int, block: Int)]
  }

  /// What the blocks behind the first one compute.
  let places: [ConnectNode.Operand]
  /// The parts of a text that holds all of these places.
  let holes: [Hole]
  /// Whether the text wins at the start.
  let beginsWithText: Bool
  /// What stands against them, where only a solver of the program's own needs none.
  let problem: Failure?

  init(
    places: [ConnectNode.Operand], holes: [Hole] = [], beginsWithText: Bool = false,
    problem: Failure? = nil
  ) {
    self.places = places
    self.holes = holes
    self.beginsWithText = beginsWithText
    self.problem = problem
  }
}
