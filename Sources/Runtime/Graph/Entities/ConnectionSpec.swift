internal import TenonAnalysis
internal import TenonLexer
internal import TenonParser
internal import TenonSolverKit
internal import TenonTables

// The folder Statements: from a connector statement to formulas: places and paths, sums, groups and whole
// stores, strengths, observers and policies.

/// The places that a connector statement joins, with everything that depends on the activation settled:
/// from this the connection can be made anew whenever a path in it leads elsewhere.
struct ConnectionSpec {
  /// A side, or an input of a formula.
  struct Operand {
    /// The place, known or at the end of a path.
    let place: PlacePath
    /// The name in messages.
    var name: String
    /// Whether it is only read, though it is among the places that could be computed.
    var isReadOnly = false
  }

  /// A place, or a path to one.
  enum PlacePath {
    case place(Place)
    /// From a place through properties; the names are values that a root holds.
    case path(Place, [Value])
    /// A path with expressions in it, which decide where it leads.
    case computed(ComputedPath)
  }

  var target: Operand
  /// The block that computes the target, for `|=`.
  let block: Value?
  /// The other side, for `=|=`.
  var other: Operand?
  /// The places that the text of the formula reads.
  var reads: [Operand]
  /// The code that computes the target, for a formula in Swift code.
  var native: NativeCode?
  /// The text of the formula, in case it has to be read as a sum.
  var formula: Expression?
  /// The strength of the connection.
  var strength = Strength.required
  /// The only solver that may keep it: one that ships, by its name, or one of the language.
  var solver: String?
  var requestedSolver: RequestedSolver?
  /// The sum for a solver of equations and inequalities, if it is for one.
  var linear: LinearPlan?
  /// The sum for such a solver where its formulas conflict with others.
  var otherwise: LinearPlan?

  /// The places that `=|=` computes with a formula's inverses: `block` is then an array of blocks, the
  /// formula's and one for each of these.
  var backs: [Operand] = []
  /// How the formula runs backwards to them.
  var ways: FormulaWays?

  /// Whether the other side only gives: `a |= b` between places that no text names.
  var isOneWay = false
  /// Whether the statement goes on with `policy:`.
  var awaitsPolicy = false

  /// Whether its sides are whole stores.
  var joinsStores: Bool {
    guard case .place(let place) = target.place else { return false }
    return place.kind == .whole && other != nil
  }

  private var leaves: [LinearPlan.Leaf] { (linear ?? otherwise)?.leaves ?? [] }

  /// The operands that it joins and reads.
  private var operands: [Operand] {
    [target, other].compactMap { $0 } + reads + backs
      + leaves.flatMap { [$0.operand].compactMap { $0 } + $0.reads }
  }

  /// Calls a closure with the places from which its paths begin, or which it joins.
  func forEachPlace(_ body: (Place) -> Void) {
    for operand in operands {
      switch operand.place {
      case .place(let place), .path(let place, _): body(place)
      case .computed(let path): if let base = path.base { body(base) }
      }
    }
  }

  /// Returns whether it computes a place that stands in the statement itself.
  func determines(_ place: Place) -> Bool {
    ([target] + [other].compactMap { $0 } + backs).contains { operand in
      guard case .place(let own) = operand.place, !operand.isReadOnly else { return false }
      return own == place
    }
  }

  /// Calls a closure with the values that the specification refers to.
  func forEachValue(_ body: (Value) -> Void) {
    if let block { body(block) }
    if let requestedSolver { body(requestedSolver.prototype) }
    for leaf in leaves {
      if let block = leaf.block { body(block) }
      body(leaf.storage)
    }
    for operand in operands {
      switch operand.place {
      case .path(let base, let names):
        // The path is followed again whenever it may lead elsewhere.
        body(base.object)
        body(base.key)
        names.forEach(body)
      case .place(let place):
        if place.kind == .stored { body(place.object) }
        body(place.key)
      case .computed(let path): path.forEachValue(body)
      }
    }
  }
}
