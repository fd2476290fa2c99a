internal import TenonSolverKit
internal import TenonStoreKit

// Connections when a scheme gets another store.

extension ConnectionSpec {
  /// Changes each place or path that the connection joins or reads.
  fileprivate mutating func changeOperands(_ body: (inout Operand) -> Void) {
    func changeLeaves(of plan: inout LinearPlan?) {
      guard let old = plan else { return }
      let leaves = old.leaves.map { leaf in
        var leaf = leaf
        if var operand = leaf.operand {
          body(&operand)
          leaf.operand = operand
        }
        for index in leaf.reads.indices { body(&leaf.reads[index]) }
        return leaf
      }
      plan = LinearPlan(
        relation: old.relation, leaves: leaves, products: old.products, frozen: old.frozen)
    }
    body(&target)
    if var side = other {
      body(&side)
      other = side
    }
    reads = reads.map { changed($0, body) }
    backs = backs.map { changed($0, body) }
    changeLeaves(of: &linear)
    changeLeaves(of: &otherwise)
  }

  private func changed(_ operand: Operand, _ body: (inout Operand) -> Void) -> Operand {
    var operand = operand
    body(&operand)
    return operand
  }
}

extension Machine {
  /// Moves connections to places of a scheme to the store that the scheme has now.
  ///
  /// A connection of whole stores goes on with the stores that it has joined, and reports that.
  ///
  /// - Complexity: O(connections, and places of the store that they know).
  func followScheme(_ name: String, from old: Value, to new: Value) {
    if graph.connections.count == 0 { return }
    let root = roots.count
    defer { dropRoots(to: root) }
    roots.append(contentsOf: [old, new])
    for connection in graph.connections.values.sorted(by: { $0.number < $1.number }) {
      guard var plan = connection.plan, connection.status != .disconnected else { continue }
      if plan.joinsStores {
        recordOtherStore(of: connection, plan, name)
        continue
      }
      var isConcerned = false
      plan.changeOperands { operand in
        guard let path = remounted(operand, name, from: old, to: new) else { return }
        operand = ConnectionSpec.Operand(
          place: path, name: operand.name, isReadOnly: operand.isReadOnly)
        isConcerned = true
      }
      guard isConcerned || leads(connection, plan, to: old, as: name) else { continue }
      connection.plan = plan
      guard connection.status == .active, !connection.awaitsAim else { continue }
      connection.awaitsAim = true
      graph.watchers.retargeted.append(connection)
    }
    // Formulas that read the scheme in a method find out when they run.
    for place in graph.places(in: old) {
      if let cell = graph.cellsByPlace[place] { graph.didChange(of: cell) }
    }
  }

  /// Returns the stores whose places connections join under the name of a scheme: those of their making.
  ///
  /// - Complexity: O(connections).
  func storesJoined(by name: String) -> [Value] {
    var found: [Value] = []
    for connection in graph.connections.values.sorted(by: { $0.number < $1.number }) {
      for cell in connection.formulas.flatMap({ $0.inputs + [$0.output] }) {
        let place = graph.place(of: cell)
        if place.kind == .stored, !found.contains(place.object),
          (try? reference(place.key))?.scheme == name
        {
          found.append(place.object)
        }
      }
    }
    return found
  }

  /// Returns whether a path of a connection leads to a place of a scheme through another object, such as
  /// a group.
  private func leads(
    _ connection: Connection, _ plan: ConnectionSpec, to store: Value, as name: String
  ) -> Bool {
    plan.hasPaths
      && connection.formulas.flatMap { $0.inputs + [$0.output] }.contains { cell in
        let place = graph.place(of: cell)
        return place.kind == .stored && place.object == store
          && (try? reference(place.key))?.scheme == name
      }
  }

  /// Returns the path to the place that a side of a connection names, in the store that its scheme has now;
  /// nil for a side of another scheme or store.
  private func remounted(
    _ operand: ConnectionSpec.Operand, _ name: String, from old: Value, to new: Value
  ) -> ConnectionSpec.PlacePath? {
    switch operand.place {
    case .place(let place):
      return place.object == old && isNamed(operand, by: name, at: place)
        ? remounted(place, in: new).map { .place($0) } : nil
    case .path(let place, let names):
      return place.object == old && isNamed(operand, by: name, at: place)
        ? remounted(place, in: new).map { .path($0, names) } : nil
    case .computed(let path):
      guard path.store == old, operand.name.hasPrefix(name + ":") else { return nil }
      return .computed(
        ComputedPath(store: new, base: path.base, block: path.block, names: path.names))
    }
  }

  /// Returns whether a side is named by a scheme, in its text, or where the text names something else in
  /// the reference of its place.
  private func isNamed(
    _ operand: ConnectionSpec.Operand, by name: String, at place: Place
  ) -> Bool {
    guard place.kind == .stored else { return false }
    let scheme = operand.name.prefix { $0 != ":" }
    // A name of a group stands for a reference.
    let isGroup = ["ivar", "var"].contains(scheme)
    if scheme == name || !isGroup && hasScheme(String(scheme)) { return scheme == name }
    guard let known = try? reference(place.key).scheme else { return false }
    // A place of which the store itself was asked first has a name that says nothing about schemes.
    return known == name || !hasScheme(known) || schemeCell(named: known)[slot: 0] != place.object
  }

  private func remounted(_ place: Place, in store: Value) -> Place? {
    guard isStore(store) else { return nil }
    let key = canonicalReference(place.key, in: store)
    roots.append(key)
    return Place(kind: .stored, object: store, index: -1, key: key)
  }

  /// Records for a connection of whole stores that one of its names stands for another store.
  private func recordOtherStore(
    of connection: Connection, _ plan: ConnectionSpec, _ name: String
  ) {
    guard connection.status == .active, let observer = connection.observer,
      [plan.target.name, plan.other?.name ?? ""].contains(name + ":")
    else { return }
    observer.error = Failure.otherStore(name).message
    // Later copies do not change that.
    connection.pathFailure = observer.error
  }
}
