internal import TenonAnalysis
internal import TenonSolverKit
internal import TenonLexer

/// A connection as a sum over leaves, with everything that depends on the activation settled.
struct LinearPlan {
  struct Leaf {
    let name: String
    /// The place, or the path to one.
    var operand: ConnectionSpec.Operand?
    /// The block that computes the value of a leaf that is no place.
    var block: Value?
    /// The places that the block reads.
    var reads: [ConnectionSpec.Operand] = []
    /// The properties of which its text takes powers, which may be layout attributes of a view.
    var attributes: [ConnectionSpec.Operand] = []
    /// The object that holds the value that the block computes.
    var storage = Value.nil

    init(name: String) { self.name = name }
  }

  let relation: Relation
  /// The leaves; the first is the left side.
  let leaves: [Leaf]
  let products: [LinearAnalysis.Product]
  /// The leaves that are places and count as constants all the same: the formulas that determine them come
  /// before.
  var frozen: Set<Int> = []
}

extension LinearPlan {
  /// Whether no places are multiplied or divided by others.
  var isAffine: Bool { products.allSatisfy { $0.factors.count < 2 && $0.divisors.isEmpty } }

  /// Creates the equation of two places.
  init(equating left: ConnectionSpec.Operand, _ right: ConnectionSpec.Operand) {
    var leaves = [Leaf(name: left.name), Leaf(name: right.name)]
    leaves[0].operand = left
    leaves[1].operand = right
    self.init(
      relation: .equal, leaves: leaves,
      products: [
        LinearAnalysis.Product(number: .one, factors: [0], divisors: []),
        LinearAnalysis.Product(number: -.one, factors: [1], divisors: []),
      ])
  }
}

extension Machine {
  /// Returns whether a place is a layout attribute of a view.
  func isLayoutAttribute(_ path: ConnectionSpec.PlacePath) -> Bool {
    let place: Place
    switch path {
    case .place(let end): place = end
    case .path, .computed: place = aim(path).place ?? .slot(session.script, 0)
    }
    guard place.object.isObject else { return false }
    let info = classInfo(of: place.object)
    guard info.inherits(from: kernelClass("LayoutView")) else { return false }
    switch place.kind {
    case .slot:
      return info.instanceVariables.indices.contains(place.index)
        && layoutAttributes.contains(info.instanceVariables[place.index].name)
    case .property: return text(place.key).map { layoutAttributes.contains($0) } ?? false
    case .element, .stored, .whole: return false
    }
  }

  /// Returns whether the place to which a path leads at present can be written; true while it is not known.
  func isWritable(_ path: ConnectionSpec.PlacePath) -> Bool {
    aim(path).place.map { isWritable($0) } ?? true
  }

  /// Refuses powers of layout attributes of views: they are no constants, as little as products are.
  private func refusePowers(in leaves: [LinearPlan.Leaf]) throws(Failure) {
    for leaf in leaves {
      for attribute in leaf.attributes where isLayoutAttribute(attribute.place) {
        throw .notLinear(leaf.name, inAttribute: displayName(of: attribute))
      }
    }
  }

  /// Makes an equation or an inequality of a connection and takes it into force.
  ///
  /// - Throws: a failure when it is not linear, or cannot hold with the others.
  func establish(
    _ connection: Connection, _ plan: ConnectionSpec, _ linear: LinearPlan
  ) throws(Failure) {
    let root = roots.count
    defer { dropRoots(to: root) }
    plan.forEachPlace { place in
      roots.append(place.object)
      roots.append(place.key)
    }
    try refusePowers(in: linear.leaves)
    guard let (aims, reads) = try followPaths(of: connection, linear),
      let cells = try cells(of: linear, aims, for: connection)
    else { return }
    connection.lifetimeOwners = aims.compactMap { $0?.place }.flatMap {
      lifetimeOwners(target: $0, reads: [])
    }
    let form = try graph.form(of: linear, cells)
    let constant = form.terms.reduce(SolverNumber.zero) { $1.cell == nil ? $0 + $1.number : $0 }
    guard constant.isFinite, form.terms.allSatisfy({ $0.number.isFinite }) else {
      throw .tooLargeNumbers(connection.text)
    }
    let output = linear.frozen.contains(0) ? form.cells.first ?? cells[0] : cells[0]
    let formula = graph.makeFormula(
      of: connection, output: output, inputs: form.cells.filter { $0 != output },
      source: .equation(Equation(relation: linear.relation, form: form)))
    formula.dynamicInputs = form.constants
    var added = [formula]
    for (index, leaf) in linear.leaves.enumerated() {
      guard let block = leaf.block else { continue }
      let part = try makePart(leaf, of: formula, form, block, output: cells[index], reads[index])
      added.append(part)
      guard let value = try firstValue(of: part, leaf, block, formula, form) else {
        guard connection.status == .active else { return }
        continue
      }
      // A part without inputs keeps its value.
      if solverNumber(value)?.isZero ?? false, part.inputs.isEmpty,
        linear.products.contains(where: { $0.divisors.contains(index) })
      {
        throw Failure(.zeroDivide, "division by zero")
      }
      ObjectRef(leaf.storage)[slot: 0] = value
    }
    try graph.add(added, origin: nil)
    graph.weighWishes(of: form.cells)
  }

  /// Follows the paths of a sum's leaves and of their blocks' inputs, and watches the places on the way.
  ///
  /// - Returns: nil when the connection has ended meanwhile.
  private func followPaths(
    of connection: Connection, _ linear: LinearPlan
  ) throws(Failure) -> (aims: [ResolvedPath?], reads: [[ResolvedPath]])? {
    connection.fixedOwners = linear.leaves.flatMap { leaf in
      leaf.operand.map { fixedOwners(of: $0.place) } ?? []
    }
    connection.awaitsAim = true
    let aims = linear.leaves.map { leaf in leaf.operand.map { aim($0.place) } }
    let reads = linear.leaves.map { leaf in leaf.reads.map { aim($0.place) } }
    connection.awaitsAim = false
    // A getter on the way may have ended it.
    guard connection.status == .active else { return nil }
    let all = aims.compactMap { $0 } + reads.flatMap { $0 }
    graph.watchPath(of: connection, through: all.flatMap(\.steps), nameOf: { name(of: $0) })
    connection.lifetimeOwners = aims.compactMap { $0 }.flatMap { lifetimeOwners(waitingAt: $0) }
    if let failure = all.lazy.compactMap(\.failure).first { throw failure }
    try refuseOwnPath(all, computing: aims.compactMap { $0?.place }, for: connection)
    return (aims, reads)
  }

  /// Returns the cells of a sum's leaves; nil when a path leads nowhere yet.
  private func cells(
    of linear: LinearPlan, _ aims: [ResolvedPath?], for connection: Connection
  ) throws(Failure) -> [CellID]? {
    var cells: [CellID] = []
    for (leaf, aim) in zip(linear.leaves, aims) {
      guard let operand = leaf.operand else {
        let storage = Place.slot(ObjectRef(leaf.storage), 0)
        cells.append(graph.cell(for: storage, named: leaf.name))
        continue
      }
      guard let place = aim?.place else { return nil }
      try refuseReadOnly(place, for: connection)
      let cell = graph.cell(for: place, named: cellName(of: operand, at: place))
      try refuseSilent(cell, for: connection)
      cells.append(cell)
    }
    return cells
  }

  /// Makes the formula that computes a leaf which is no place.
  private func makePart(
    _ leaf: LinearPlan.Leaf, of formula: Formula, _ form: LinearForm, _ block: Value,
    output: CellID,
    _ reads: [ResolvedPath]
  ) throws(Failure) -> Formula {
    var read: [CellID] = []
    for (operand, aim) in zip(leaf.reads, reads) {
      guard let place = aim.place else { continue }
      read.append(graph.cell(for: place, named: operand.name))
    }
    try refuseVariable(among: read, leaf, form)
    return graph.makeFormula(
      of: formula.connection, output: output, inputs: read, source: .block(block))
  }

  /// Runs the formula of a leaf for the first time: its value is needed to decide whether everything holds
  /// together, and its reads to decide the order.
  ///
  /// - Returns: nil when it has failed, or has ended the connection.
  private func firstValue(
    of part: Formula, _ leaf: LinearPlan.Leaf, _ block: Value, _ formula: Formula,
    _ form: LinearForm
  ) throws(Failure) -> Value? {
    let (outcome, places) = runUntaken(part) { withErrorsCaught { evaluateBlock(block) } }
    guard formula.connection.status == .active else { return nil }
    part.dynamicInputs = graph.takeReads(
      places.map { graph.cell(for: $0, name: name(of: $0)) }, of: part)
    try refuseVariable(among: part.dynamicInputs, leaf, form)
    guard case .value(let value) = outcome else { return nil }
    guard value.isNil || solverNumber(value)?.isFinite ?? false else {
      throw .noNumber(leaf.name, describe(value), formula)
    }
    return value
  }

  /// Refuses a leaf that is computed from a variable of its own sum.
  private func refuseVariable(
    among cells: [CellID], _ leaf: LinearPlan.Leaf, _ form: LinearForm
  ) throws(Failure) {
    guard let variable = cells.first(where: { form.cells.contains($0) }) else { return }
    throw .notLinear(leaf.name, in: graph.displayName(of: variable))
  }
}

extension ConnectionGraph {
  /// Returns the sum over cells for a sum over leaves.
  ///
  /// Of a product of places all but one have to be constants: places that a one-way connection
  /// determines, or that no solver computes while it computes the other one.
  /// - Throws: a failure that names a product of two variables.
  fileprivate func form(of plan: LinearPlan, _ cells: [CellID]) throws(Failure) -> LinearForm {
    let isLayout = plan.leaves[0].operand.map { machine.isLayoutAttribute($0.place) } ?? false
    var constants = plan.frozen.union(plan.leaves.indices.filter { plan.leaves[$0].operand == nil })
    for leaf in cells.indices.dropFirst() where !constants.contains(leaf) {
      let cell = self[cells[leaf]]
      // Formulas that run, in its region, give way to sums.
      if cell.hasOwner, !(cell.region?.solvesSums ?? false),
        plan.products.contains(where: { product in
          product.divisors.contains(leaf)
            || product.factors.contains(leaf) && product.factors.count > 1
        })
      {
        constants.insert(leaf)
      }
    }
    for product in plan.products {
      for leaf in product.divisors where !constants.contains(leaf) {
        guard leaf > 0, self[cells[leaf]].region == nil else {
          throw .multipliesVariables(product.text ?? plan.leaves[leaf].name, isLayout: isLayout)
        }
        constants.insert(leaf)
      }
      let open = product.factors.filter { !constants.contains($0) }
      guard open.count > 1 else { continue }
      let solved = open.filter { $0 == 0 || self[cells[$0]].region != nil }
      guard solved.count == 1 else {
        throw .multipliesVariables(
          product.text ?? open.map { plan.leaves[$0].name }.joined(separator: " * "),
          isLayout: isLayout)
      }
      constants.formUnion(open.filter { !solved.contains($0) })
    }
    var terms: [LinearForm.Term] = []
    for product in plan.products {
      let open = product.factors.filter { !constants.contains($0) }
      guard open.count < 2 else {
        throw .multipliesVariables(
          product.text ?? open.map { plan.leaves[$0].name }.joined(separator: " * "),
          isLayout: isLayout)
      }
      terms.append(
        LinearForm.Term(
          product.number,
          factors: product.factors.filter { constants.contains($0) }.map { cells[$0] },
          divisors: product.divisors.map { cells[$0] }, open.first.map { cells[$0] }))
    }
    return LinearForm(terms)
  }
}
