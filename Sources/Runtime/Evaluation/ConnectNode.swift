internal import TenonAnalysis
internal import TenonLexer
internal import TenonSolverKit
internal import TenonParser

/// How a side of a connection, or something its formula reads, is found in an activation.
indirect enum PlaceExpression {
  /// A captured variable.
  case context(slot: Int, hops: Int, index: Int)
  /// An instance variable of the receiver.
  case instanceVariable(index: Int, inBlock: Bool)
  /// A variable of the script or a class.
  case cell(ObjectRef)
  /// A path from a place through properties.
  case path(PlaceExpression, [NodeRef])
  /// A property of what an expression answers: `button width`.
  case property(NodeRef, Value)
  /// A chain of unary names, `pane button width`: a path from where it begins through properties. If
  /// the names are none, it is what the messages answer that counts.
  case chain(PlaceExpression, [NodeRef], orElse: PlaceExpression)
  /// An element of what an expression answers: `list[1]`. With the place that holds the list it is a
  /// path, which follows that.
  case element(NodeRef, NodeRef, of: PlaceExpression?)
  /// A place in a store.
  case stored(store: NodeRef, reference: NodeRef)
  /// A place in a store, or properties of what a variable holds, whose path has expressions in it; the
  /// block computes the reference, or the names of the properties.
  case computed(store: NodeRef?, base: PlaceExpression?, block: NodeRef)
}

/// `a |= e` or `a =|= b`: makes a connection each time it is evaluated.
final class ConnectNode: SiteNode {
  struct Operand {
    let place: PlaceExpression
    let name: String
  }

  /// A connection as a sum: what a solver for equations and inequalities is told.
  struct Linear {
    let relation: Relation
    let leaves: [Leaf]
    /// The sum over the leaves; nil if it is too large.
    let products: [LinearAnalysis.Product]?
    /// Whether it is that only where the left side is a layout attribute of a view.
    let isChoice: Bool
  }

  /// What a program says of a connection when it makes it.
  struct Option {
    static let names: Set<String> = ["strength:", "solver:"]

    let name: String
    let value: NodeRef
  }

  /// What is multiplied in a sum.
  struct Leaf {
    let name: String
    let place: PlaceExpression?
    /// Makes the block that computes its value, for what may be no place.
    let block: NodeRef?
    let reads: [Operand]
    /// The properties whose powers its text says, which may be layout attributes of a view.
    let attributes: [Operand]
  }

  let connector: String
  let text: String
  let target: Operand
  /// Makes the formula's block, for `|=`; for `=|=` with a formula an array of blocks.
  let block: NodeRef?
  let other: Operand?
  let reads: [Operand]
  let linear: Linear?
  let options: [Option]
  /// The right side of `|=`, in case it has to be read as a sum.
  let formula: Expression?
  /// How the formula runs backwards.
  let ways: FormulaWays?
  /// What paths to places that can be computed begin with: read by the formula only where one of them
  /// turns out to be none, so that it is what messages answer that counts.
  let roots: [Operand]
  /// Whether the connection waits for the solver that the message to it names.
  let awaitsSolver: Bool
  /// What messages call the right side.
  let rightName: String
  /// What stands against computing the places, unless they hold stores.
  let refusal: Failure?
  /// Whether the statement goes on with `policy:`.
  let awaitsPolicy: Bool
  /// The operand area below the marker: for the block and for values on the way.
  let base: Int

  init(
    connector: String, text: String, target: Operand, block: NodeRef?, other: Operand?,
    reads: [Operand], linear: Linear? = nil, options: [Option] = [],
    formula: Expression? = nil, ways: FormulaWays? = nil, roots: [Operand] = [],
    awaitsSolver: Bool = false,
    rightName: String? = nil, refusal: Failure? = nil, awaitsPolicy: Bool = false, base: Int,
    at position: CodePosition
  ) {
    self.connector = connector
    self.text = text
    self.target = target
    self.block = block
    self.other = other
    self.reads = reads
    self.linear = linear
    self.options = options
    self.formula = formula
    self.ways = ways
    self.roots = roots
    self.awaitsSolver = awaitsSolver
    self.refusal = refusal
    self.awaitsPolicy = awaitsPolicy
    self.rightName = rightName ?? other?.name ?? ""
    self.base = base
    super.init(at: position)
  }

  override func evaluate(_ frame: Frame) -> Value {
    frame[base] = .nil
    if let block {
      let made = block.evaluate(frame)
      if made.isUnwind { return made }
      frame[base] = made
    }
    return withMachine(in: frame) { machine in
      let root = machine.roots.count
      defer { machine.dropRoots(to: root) }
      do throws(Failure) {
        guard var plan = try resolvePlan(frame, machine) else { return .unwind }
        if let joined = machine.joinStores(plan, connector, rightName: rightName, text: text) {
          return joined
        }
        if let refusal { throw refusal }
        if connector == "=|=" { try settleDirections(of: &plan, machine) }
        guard try takeOptions(&plan, frame, machine), try takeSum(&plan, frame, machine) else {
          return .unwind
        }
        return machine.connect(
          plan, connector: connector, text: text, awaitsSolver: awaitsSolver,
          at: TraceEntry(self))
      } catch {
        return machine.signal(machine.takingBackChain(at: range, error))
      }
    }
  }

  /// What the statement joins and reads in this activation; nil when evaluating a part of it unwinds.
  private func resolvePlan(_ frame: Frame, _ machine: Machine) throws(Failure) -> ConnectionSpec? {
    guard let target = try resolve(target, frame, machine) else { return nil }
    var other: ConnectionSpec.Operand?
    if let operand = self.other {
      guard let resolved = try resolve(operand, frame, machine) else { return nil }
      other = resolved
    }
    guard var reads = try resolve(self.reads, frame, machine),
      let backs = try resolve(ways?.places ?? [], frame, machine)
    else { return nil }
    if !roots.isEmpty,
      zip([self.target] + (ways?.places ?? []), [target] + backs).contains(where: isNoPath)
    {
      guard let resolved = try resolve(roots, frame, machine) else { return nil }
      reads += resolved
    }
    var plan = ConnectionSpec(
      target: target, block: block == nil ? nil : frame[base], other: other, reads: reads)
    plan.formula = formula
    plan.backs = backs
    plan.ways = ways
    plan.awaitsPolicy = awaitsPolicy
    return plan
  }

  /// Refuses sides of a connection both ways that are messages, and marks operands that can only be read.
  private func settleDirections(
    of plan: inout ConnectionSpec, _ machine: Machine
  ) throws(Failure) {
    try refuseMessage(target.place, plan.target.place, machine)
    if let operand = other, let other = plan.other {
      try refuseMessage(operand.place, other.place, machine)
    }
    guard let places = ways?.places else { return }
    for index in plan.backs.indices
    where message(places[index].place, plan.backs[index].place, isSent: true, machine) != nil {
      plan.backs[index].isReadOnly = true
    }
  }

  /// Takes the strength and the solver that the statement asks for.
  ///
  /// - Returns: whether evaluating them has not unwound.
  private func takeOptions(
    _ plan: inout ConnectionSpec, _ frame: Frame, _ machine: Machine
  ) throws(Failure) -> Bool {
    for option in options {
      guard let value = evaluate(option.value, frame, machine) else { return false }
      if option.name == "strength:" {
        plan.strength = try machine.strength(value)
        continue
      }
      let solver = try machine.requestedSolver(value)
      if let native = solver.native {
        plan.solver = native.name
      } else {
        plan.requestedSolver = solver
      }
    }
    return true
  }

  /// Takes the sum that the statement is, or may be where its formulas cannot hold together with others.
  ///
  /// - Returns: whether evaluating a part of it has not unwound.
  private func takeSum(
    _ plan: inout ConnectionSpec, _ frame: Frame, _ machine: Machine
  ) throws(Failure) -> Bool {
    guard let linear else { return true }
    let isSum = !linear.isChoice || machine.isLayoutAttribute(plan.target.place)
    guard isSum || !plan.backs.isEmpty else { return true }
    guard let resolved = try resolve(linear, plan.target, frame, machine) else { return false }
    if isSum { plan.linear = resolved } else { plan.otherwise = resolved }
    return true
  }

  /// The entry of a dictionary that a name seems to be which is a message to it.
  ///
  /// Nothing would read that entry. A formula sends the message, whatever entries there are.
  private func message(
    _ expression: PlaceExpression, _ path: ConnectionSpec.PlacePath, isSent: Bool,
    _ machine: Machine
  ) -> Place? {
    switch (expression, path) {
    case (.property, .place), (.chain, .place): break
    case (.chain, .path) where isSent: break
    default: return nil
    }
    guard let place = machine.aim(path).place, place.kind == .element, place.index < 0,
      machine.isMessage(place.key, to: place.object, evenWithEntry: isSent)
    else { return nil }
    return place
  }

  /// Refuses to write what a dictionary answers to a message.
  private func refuseMessage(
    _ expression: PlaceExpression, _ path: ConnectionSpec.PlacePath, _ machine: Machine
  ) throws(Failure) {
    guard let place = message(expression, path, isSent: false, machine) else { return }
    throw .noWayBack(machine.displayText(place.key), machine.describe(place.object))
  }

  /// Whether what is written as a chain of names is none that could be followed.
  private func isNoPath(_ operand: Operand, _ resolved: ConnectionSpec.Operand) -> Bool {
    guard case .chain = operand.place, case .place = resolved.place else { return false }
    return true
  }

  /// Settles what depends on the activation; nil when evaluating a part of it unwinds.
  private func resolve(
    _ linear: Linear, _ target: ConnectionSpec.Operand, _ frame: Frame, _ machine: Machine
  ) throws(Failure) -> LinearPlan? {
    guard let products = linear.products else { throw .formulaTooLarge(text) }
    var leaves: [LinearPlan.Leaf] = []
    for (index, leaf) in linear.leaves.enumerated() {
      var made = LinearPlan.Leaf(name: leaf.name)
      if index == 0 {
        made.operand = target
      } else if let place = leaf.place {
        do throws(Failure) {
          guard let path = try resolve(place, frame, machine) else { return nil }
          // What cannot be written is a value, too: 'text size'.
          if leaf.block == nil
            || machine.isWritable(path) && message(place, path, isSent: false, machine) == nil
          {
            made.operand = ConnectionSpec.Operand(place: path, name: leaf.name)
          }
        } catch {
          // What is no place is a value.
          guard error.errorClass == .constraintError || leaf.block != nil else { throw error }
        }
      }
      if made.operand == nil, let block = leaf.block {
        guard let block = evaluate(block, frame, machine) else { return nil }
        made.block = block
        for read in leaf.reads {
          guard let resolved = try resolve(read, frame, machine) else { return nil }
          made.reads.append(resolved)
        }
        for attribute in leaf.attributes {
          do throws(Failure) {
            guard let resolved = try resolve(attribute, frame, machine) else { return nil }
            made.attributes.append(resolved)
          } catch {
            // What is no place is none of a view.
            guard !error.isUnwinding else { throw error }
          }
        }
        made.storage = Value(machine.makeCell(.nil))
        machine.roots.append(made.storage)
      }
      leaves.append(made)
    }
    return LinearPlan(relation: linear.relation, leaves: leaves, products: products)
  }

  /// Settles what depends on the activation; nil when evaluating a part of it unwinds.
  private func resolve(
    _ operands: [Operand], _ frame: Frame, _ machine: Machine
  ) throws(Failure) -> [ConnectionSpec.Operand]? {
    var resolved: [ConnectionSpec.Operand] = []
    for operand in operands {
      guard let made = try resolve(operand, frame, machine) else { return nil }
      resolved.append(made)
    }
    return resolved
  }

  /// Settles what depends on the activation; nil when evaluating a part of it unwinds.
  private func resolve(
    _ operand: Operand, _ frame: Frame, _ machine: Machine
  ) throws(Failure) -> ConnectionSpec.Operand? {
    guard let place = try resolve(operand.place, frame, machine) else { return nil }
    return ConnectionSpec.Operand(place: place, name: operand.name)
  }

  private func resolve(
    _ expression: PlaceExpression, _ frame: Frame, _ machine: Machine
  ) throws(Failure) -> ConnectionSpec.PlacePath? {
    switch expression {
    case .context(let slot, let hops, let index):
      return .place(.slot(frame.context(in: slot, hops: hops), index))
    case .instanceVariable(let index, let isInBlock):
      let receiver = isInBlock ? Closure(frame.receiver).receiver : frame.receiver
      return .place(.slot(ObjectRef(receiver), index))
    case .cell(let cell):
      return .place(.slot(cell, 0))
    case .path(let base, let nodes):
      guard case .place(let place)? = try resolve(base, frame, machine) else { return nil }
      var names: [Value] = []
      for node in nodes {
        guard let name = evaluate(node, frame, machine) else { return nil }
        names.append(name)
      }
      return .path(place, names)
    case .chain(let base, let nodes, let other):
      return try followChain(from: base, nodes, orElse: other, frame, machine)
    case .property(let node, let name):
      return try resolveProperty(name, of: node, frame, machine)
    case .element(let node, let index, let base):
      return try resolveElement(index, of: node, base, frame, machine)
    case .stored(let storeNode, let referenceNode):
      guard let store = evaluate(storeNode, frame, machine),
        let reference = evaluate(referenceNode, frame, machine)
      else { return nil }
      if machine.isGroup(store) { return try machine.alias(of: reference, in: store) }
      let key = machine.canonicalReference(reference, in: store)
      machine.roots.append(key)
      return .place(Place(kind: .stored, object: store, index: -1, key: key))
    case .computed(let storeNode, let base, let blockNode):
      var store = Value.nil
      if let storeNode {
        guard let made = evaluate(storeNode, frame, machine) else { return nil }
        store = made
      }
      var start: Place?
      if let base {
        guard case .place(let place)? = try resolve(base, frame, machine) else { return nil }
        start = place
      }
      guard let block = evaluate(blockNode, frame, machine) else { return nil }
      return .computed(ComputedPath(store: store, base: start, block: block))
    }
  }

  private func resolveProperty(
    _ name: Value, of node: NodeRef, _ frame: Frame, _ machine: Machine
  ) throws(Failure) -> ConnectionSpec.PlacePath? {
    guard let object = evaluate(node, frame, machine) else { return nil }
    if let way = machine.wayThroughReference([name], at: object) {
      return way.names.isEmpty ? .place(way.base) : .path(way.base, way.names)
    }
    if machine.end(named: name, of: object) != nil {
      machine.roots.append(object)
      // A list that a message makes for each who asks is no place of anybody's.
      guard let again = evaluate(node, frame, machine) else { return nil }
      if again == object { return .path(.whole(ObjectRef(object)), [name]) }
    }
    let place = try property(name, of: object, machine)
    machine.roots.append(place.key)
    return .place(place)
  }

  private func resolveElement(
    _ indexNode: NodeRef, of node: NodeRef, _ base: PlaceExpression?, _ frame: Frame,
    _ machine: Machine
  ) throws(Failure) -> ConnectionSpec.PlacePath? {
    guard let object = evaluate(node, frame, machine),
      let index = evaluate(indexNode, frame, machine)
    else { return nil }
    guard let place = try machine.place(of: index, in: object) else {
      throw .noElement(machine.describe(index), machine.describe(object))
    }
    // The symbol that stands for a string may be known nowhere else.
    machine.roots.append(place.key)
    guard let base, place.kind == .element else { return .place(place) }
    return try self.element(index, of: base, frame, machine) ?? .place(place)
  }

  /// The way to an element from the place that holds the collection; nil for a place that is not
  /// followed.
  func element(
    _ index: Value, of base: PlaceExpression, _ frame: Frame, _ machine: Machine
  ) throws(Failure) -> ConnectionSpec.PlacePath? {
    switch try resolve(base, frame, machine) {
    case .place(let place) where place.kind != .stored: .path(place, [index])
    case .path(let place, let names): .path(place, names + [index])
    case .computed(let path): ConnectionSpec.PlacePath.computed(path).appending([index])
    case .place, nil: nil
    }
  }

  /// The path that a chain of unary names is, or the other place where something on the way has no
  /// such property; nil when evaluating a part of it unwinds.
  private func followChain(
    from base: PlaceExpression, _ nodes: [NodeRef], orElse other: PlaceExpression, _ frame: Frame,
    _ machine: Machine
  ) throws(Failure) -> ConnectionSpec.PlacePath? {
    let start: ConnectionSpec.PlacePath?
    do throws(Failure) {
      guard let resolved = try resolve(base, frame, machine) else { return nil }
      start = resolved
    } catch {
      // What the messages answer may have it.
      start = nil
    }
    if let start {
      var names: [Value] = []
      for node in nodes {
        guard let name = evaluate(node, frame, machine) else { return nil }
        names.append(name)
      }
      let path = start.appending(names)
      let aim = machine.aim(path)
      if machine.graph.isUnwinding {
        machine.graph.isUnwinding = false
        return nil
      }
      if aim.failure == nil, !aim.isMessage { return path }
    }
    return try resolve(other, frame, machine)
  }

  /// The place of a property; what both sides are computed from must have one.
  private func property(
    _ name: Value, of object: Value, _ machine: Machine
  ) throws(Failure) -> Place {
    let found: Place?
    do throws(Failure) {
      found = try machine.place(of: name, in: object)
    } catch {
      guard connector == "=|=", error.errorClass == .error else { throw error }
      found = nil
    }
    if let found { return found }
    let name = machine.displayText(name)
    let owner = machine.describe(object)
    throw connector == "=|=" ? .noWayBack(name, owner) : .noProperty(name, owner)
  }

  /// Evaluates a part and keeps its value alive until the connection is made.
  func evaluate(_ node: NodeRef, _ frame: Frame, _ machine: Machine) -> Value? {
    let value = node.evaluate(frame)
    // The node may have moved the place where Swift code builds frames.
    frame[depth] = marker
    state.top = frame.advanced(by: depth + 1)
    state.base = state.top
    if value.isUnwind { return nil }
    machine.roots.append(value)
    return value
  }
}
