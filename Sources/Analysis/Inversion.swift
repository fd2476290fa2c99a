// The kit of syntax analysis: what can be said of code by its syntax alone. How a formula is run backwards
// (Inversion and what belongs to it), which fold it is (FoldRecognition), which names it assigns and
// declares (AssignedNames), where variables live (Scope), what a path stands for (VariablePlace).
//
// It imports the parser and knows no machine. What asks for classes and values while it looks at names
// (Analyzer, ScriptCheck), what makes nodes (Builder), and sums with the numbers of solvers
// (LinearAnalysis) are in the runtime's Resolver.

package import TenonLexer
package import TenonParser

/// How each place that a formula reads follows from the formula's value and the other places.
///
/// The formula on the right of `=|=` becomes a tree of steps, each of which knows from which of its
/// operands its value can be taken back. A place that occurs once is found by undoing the steps from
/// the formula down to it, one after the other; one that occurs more often, all of them below one
/// sum or product, by collecting what it is multiplied with and what is added (`InversionAffine`).
///
/// - Which places can be computed: variables that may be assigned, properties, elements and places
///   of stores. What stands where a step has no inverse for it, but has one for another operand (the
///   condition of a choice, the map that is looked into), is a parameter: it is read, never written.
/// - A step without any inverse above a place makes the whole formula one that cannot run backwards.
/// - Complexity: O(size of the formula) for each place.
package struct Inversion {
  /// A direction in which the formula can be run.
  package struct Direction {
    /// What follows.
    package let place: Expression
    /// How.
    package let value: InverseTerm
  }

  /// Why a formula cannot run backwards.
  package struct Problem: Error {
    package let message: String
    package let range: SourceRange

    package init(message: String, range: SourceRange) {
      self.message = message
      self.range = range
    }
  }

  /// What is found, or what stands against it.
  package private(set) var directions: [Direction] = []
  package private(set) var problem: Problem?
  /// The places of the formula in the order of its text.
  package private(set) var places: [Expression] = []
  /// Their spellings, in the same order: one place has one.
  package private(set) var names: [String] = []
  /// The expressions between texts of which more than one holds places: writing the text writes all.
  ///
  /// Empty where no such text holds all places of the formula.
  package private(set) var holes: [Hole] = []
  /// The steps that run backwards for some kinds of objects: of which kind theirs is, is known when the
  /// connection is made.
  package let conditionalSteps: [ConditionalStep]

  /// The most steps of all directions together: each direction is code of its own.
  static let stepLimit = 20_000

  /// Looks for the directions of a formula.
  ///
  /// `isGiven`: whether the program gives an inverse itself: every message is a step then, none a
  /// property.
  ///
  /// `hasUnits`: whether messages such as `hours` make durations of numbers; else they name properties.
  package init(
    of formula: Expression, names environment: any InversionNames, isGiven: Bool = false,
    hasUnits: Bool = false
  ) {
    var reader = InversionReader(
      names: environment, hasProperties: !isGiven, hasUnits: hasUnits)
    let root = reader.read(formula)
    conditionalSteps = isGiven ? [] : root.conditionalSteps
    // What says where a place is, is only read: to write it would lead to another place.
    let deciding = reader.deciding
    for leaf in reader.leaves where !names.contains(leaf.name) && !deciding.contains(leaf.name) {
      names.append(leaf.name)
      places.append(leaf.expression)
    }
    let leaves = Dictionary(grouping: reader.leaves, by: \.name)
    var steps = 0
    for (name, place) in zip(names, places) {
      let solver = InversionSolver(name: name, leaves: (leaves[name] ?? []).map(\.node))
      steps += solver.stepCount
      do throws(Problem) {
        guard steps <= Inversion.stepLimit else {
          throw Problem(message: InversionWording.tooManyDirections, range: formula.range)
        }
        guard let value = try solver.solve(root) else { continue }
        directions.append(Direction(place: place, value: value))
      } catch {
        problem = problem ?? error
      }
    }
    if problem == nil { problem = root.adjacentHoles }
    guard problem == nil else { return }
    holes = InversionSolver.holes(of: root, directions, reader.leaves)
    guard directions.isEmpty else { return }
    // The leaves know those above them weakly.
    problem = withExtendedLifetime(root) {
      reader.leaves.first.map { parameterProblem($0.node) }
        ?? Problem(message: InversionWording.nothingToCompute, range: formula.range)
    }
  }

  private func parameterProblem(_ leaf: InversionNode) -> Problem {
    var node = leaf
    var reader: InversionNode?
    while let parent = node.parent {
      if !parent.canSolve(node.position) { reader = parent }
      node = parent
    }
    return reader.map {
      Problem(message: InversionWording.isOnlyRead(leaf.name, by: $0.operation), range: $0.at)
    } ?? Problem(message: InversionWording.nothingToCompute, range: leaf.at)
  }
}

/// What an inversion must know of the names around a formula.
package protocol InversionNames {
  /// Whether a name stands for a variable that may be assigned.
  func isAssignable(_ name: Name) -> Bool
  /// Whether a name stands for a variable or an argument, and not for a class.
  func isValue(_ name: Name) -> Bool
  /// Whether a name stands for anything around the formula.
  func isKnown(_ name: Name) -> Bool
  /// The operands of a message whose inverse the program declares: 0 for the receiver.
  func declaredInverses(of selector: String) -> Set<Int>
}

/// How a value follows from that of the formula.
package indirect enum InverseTerm: Sendable {
  /// The value of the whole formula: that of the other side.
  case given
  /// What a part of the formula is worth that the place has no part in.
  case part(Expression)
  /// What a part of the formula is worth that divides what is asked for.
  case divisor(Expression, SourceRange)
  /// What a part of the formula is worth at present: nil where that cannot be told. It is looked at
  /// and not depended on.
  case present(Expression)
  case number(Int)
  case text(String)
  /// Several values in an array.
  case list([InverseTerm], SourceRange)
  /// A message that the language has.
  case send(String, InverseTerm, [InverseTerm], SourceRange)
  /// A message to the kernel's class of inverses.
  case inverse(String, [InverseTerm], SourceRange)
  /// The declared inverse of a message: its name with the number of the operand, the operands.
  case declared(String, [InverseTerm], SourceRange)
  case choice(Expression, InverseTerm, InverseTerm, SourceRange)
  /// A lens that the kernel's class of lenses makes for a message.
  case lens(String, [InverseTerm], SourceRange)
  /// A block that undoes another one for an element: its parameter is the element there was, and what is
  /// given the one in the view.
  case element(BlockExpression, InverseTerm)
  /// A value that the formula does not have for what is infinite.
  case finite(InverseTerm, SourceRange)

  /// Whether it is what a calculation has come to, or a part of the text.
  package var isArithmetic: Bool {
    switch self {
    case .send(let selector, _, _, _): ["+", "-", "*", "/", "negated"].contains(selector)
    case .number, .part: true
    default: false
    }
  }

  /// Whether it may be infinite where the value of the formula is not: what has been put into a map.
  package var mayBeInfinite: Bool {
    switch self {
    case .given, .declared: true
    case .inverse(let selector, _, _): selector.hasSuffix(":of:") && selector != "power:of:"
    default: false
    }
  }
}

// MARK: - The tree of steps

/// A part of a formula.
final class InversionNode {
  package let expression: Expression
  /// What the step is called: a selector, `at:`.
  let operation: String
  /// Where errors point.
  let at: SourceRange
  /// What the step works on; empty for a place and for what no place has a part in.
  let operands: [InversionNode]
  /// The place it is, if it is one.
  package let name: String
  /// How an operand follows from the step's value.
  let rule: InversionRule
  private(set) weak var parent: InversionNode?
  /// Which operand of its parent it is.
  private(set) var position = 0

  init(
    _ expression: Expression, operation: String = "", at: SourceRange,
    operands: [InversionNode] = [], name: String = "", rule: InversionRule = .none
  ) {
    self.expression = expression
    self.operation = operation
    self.at = at
    self.operands = operands
    self.name = name
    self.rule = rule
    for (index, operand) in operands.enumerated() {
      operand.parent = self
      operand.position = index
    }
  }

  /// Whether an operand can be computed from the step's value.
  func canSolve(_ position: Int) -> Bool {
    switch rule {
    case .none: false
    case .choice: position > 0
    case .decision: position == 0
    case .text, .parts: true
    case .steps(let steps): steps[position] != nil
    }
  }

  /// Whether any operand can.
  var canSolveAny: Bool {
    switch rule {
    case .none: false
    case .choice, .decision, .text, .parts: true
    case .steps(let steps): !steps.isEmpty
    }
  }
}

/// How the operands of a step follow from its value.
enum InversionRule {
  /// Not at all: a step that loses what it was made of, or one that nobody knows.
  case none
  /// Each by itself: receives the value and the node.
  case steps([Int: InversionRules.Step])
  /// A choice: the condition, and what is chosen from.
  case choice
  /// A choice between two constants that differ: the condition follows from which of them it is.
  case decision
  /// A text with parts in braces.
  case text
  /// A literal of parts: how an array of their values follows from its value.
  case parts(@Sendable (InverseTerm, InversionNode) -> InverseTerm)
}

// MARK: - Solving

/// Finds one place of a formula.
struct InversionSolver {
  package let name: String
  private let leaves: [InversionNode]
  /// The steps that the place has a part in.
  private let involved: Set<ObjectIdentifier>

  init(name: String, leaves: [InversionNode]) {
    self.name = name
    self.leaves = leaves
    var involved: Set<ObjectIdentifier> = []
    for leaf in leaves {
      var node: InversionNode? = leaf
      while let current = node, involved.insert(ObjectIdentifier(current)).inserted {
        node = current.parent
      }
    }
    self.involved = involved
  }

  var stepCount: Int { involved.count }

  func contains(_ node: InversionNode) -> Bool { involved.contains(ObjectIdentifier(node)) }

  /// How the place follows from the formula's value; nil when it is a parameter.
  func solve(_ root: InversionNode) throws(Inversion.Problem) -> InverseTerm? {
    var isParameter = false
    for leaf in leaves {
      var node = leaf
      var isRead = false
      var loss: InversionNode?
      while let parent = node.parent {
        if !parent.canSolve(node.position) {
          // What a parameter consists of does not matter.
          isRead = parent.canSolveAny
          loss = isRead ? nil : parent
        }
        node = parent
      }
      if let loss { throw Inversion.Problem(message: loss.lossMessage, range: loss.at) }
      if isRead { isParameter = true }
    }
    if isParameter { return nil }
    return try solve(root, .given)
  }

  func solve(
    _ start: InversionNode, _ value: InverseTerm
  ) throws(Inversion.Problem) -> InverseTerm {
    var node = start
    var value = value
    while !node.operands.isEmpty {
      let concerned = node.operands.filter { contains($0) }
      if case .choice = node.rule { return try choose(node, value) }
      guard concerned.count == 1, let operand = concerned.first else {
        return try InversionAffine(self).solve(node, value)
      }
      value = try undo(node, operand, value)
      node = operand
    }
    return value
  }

  func undo(
    _ node: InversionNode, _ operand: InversionNode, _ value: InverseTerm
  ) throws(Inversion.Problem) -> InverseTerm {
    switch node.rule {
    case .steps(let steps):
      guard let step = steps[operand.position] else { break }
      return try step(value, node)
    case .text:
      let before = node.joined(node.operands[..<operand.position])
      let after = node.joined(node.operands[(operand.position + 1)...])
      let inner = InverseTerm.inverse("inner:from:to:", [value, before, after], node.at)
      return .inverse("word:like:", [inner, .present(operand.expression)], node.at)
    case .parts:
      return node.part(operand, of: value) { $0 !== operand }
    case .decision where operand.position == 0:
      return .inverse(
        "decide:between:and:",
        [value, .part(node.operands[1].expression), .part(node.operands[2].expression)], node.at)
    case .none, .choice, .decision: break
    }
    throw Inversion.Problem(message: node.lossMessage, range: node.at)
  }

  private func choose(
    _ node: InversionNode, _ value: InverseTerm
  ) throws(Inversion.Problem) -> InverseTerm {
    func branch(_ operand: InversionNode) throws(Inversion.Problem) -> InverseTerm {
      contains(operand)
        ? try solve(operand, value)
        : .inverse("unreachable:", [.text(name)], operand.at)
    }
    return .choice(
      node.operands[0].expression, try branch(node.operands[1]), try branch(node.operands[2]),
      node.at)
  }
}

extension InversionNode {
  /// What is said of a step that cannot be undone.
  var lossMessage: String {
    InversionRules.lossy.contains(operation)
      ? InversionWording.losesInformation(operation) : InversionWording.noInverse(operation)
  }

  /// Parts of a text in one.
  func joined(_ parts: ArraySlice<InversionNode>) -> InverseTerm {
    let texts = parts.map { part -> InverseTerm in
      if case .string(let string) = part.expression { return .text(string.value) }
      return .send("displayString", .part(part.expression), [], part.at)
    }
    guard let first = texts.first else { return .text("") }
    return texts.dropFirst().reduce(first) { .send(",", $0, [$1], at) }
  }
}
