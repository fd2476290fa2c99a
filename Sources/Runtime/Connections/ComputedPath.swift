internal import TenonSolverKit
internal import TenonTables

// Places whose path has expressions in it: `mem:task/{selected}`, `var:record/{field}`.

/// A path whose components are computed: where it leads is found anew whenever what they read changes.
struct ComputedPath {
  /// The store whose place it is; nil for properties of what a variable holds.
  let store: Value
  /// The variable with which a path through properties begins.
  let base: Place?
  /// Computes the reference in the store, or the array of the properties' names.
  let block: Value
  /// The properties behind the place.
  var names: [Value] = []

  /// The values that the path refers to.
  func forEachValue(_ body: (Value) -> Void) {
    body(store)
    body(block)
    if let base {
      body(base.object)
      body(base.key)
    }
    names.forEach(body)
  }
}

/// Where a connection has led some of whose ways depend on more than what its paths go through: on the
/// values of expressions, on how many elements a list has.
///
/// A side that leads elsewhere later begins with what is there.
struct AimedSides {
  var left: Place?
  /// The other place, or those of a formula that can be computed.
  var right: [Place?]
  var reads: [Place?]
  var steps: [Place]

  /// The values that are compared with later ones.
  func forEachValue(_ body: (Value) -> Void) {
    for place in ([left] + right + reads).compactMap({ $0 }) + steps {
      body(place.key)
      if place.kind == .stored { body(place.object) }
    }
  }
}

extension ConnectionSpec.PlacePath {
  /// Whether expressions say which place it is.
  var isComputed: Bool { if case .computed = self { true } else { false } }

  /// The path that goes on through properties.
  func appending(_ more: [Value]) -> ConnectionSpec.PlacePath {
    if more.isEmpty { return self }
    switch self {
    case .place(let place): return .path(place, more)
    case .path(let base, let names): return .path(base, names + more)
    case .computed(var path):
      path.names += more
      return .computed(path)
    }
  }
}

extension Machine {
  /// Computes the components of a path.
  ///
  /// What it finds and has read is kept among the roots, which the caller takes back.
  ///
  /// - Returns: The path as it is now, nil where it cannot be known, with what its components have read.
  ///   The failure is nil where one of those places holds nothing yet.
  func locate(
    _ path: ComputedPath
  ) -> (path: ConnectionSpec.PlacePath?, reads: [Place], failure: Failure?) {
    let outer = recorder
    let recorder = DependencyRecorder(within: outer)
    self.recorder = recorder
    trackingDepth += 1
    let outcome = withErrorsCaught { evaluateBlock(path.block) }
    trackingDepth -= 1
    self.recorder = outer
    let reads = recorder.reads
    for value in reads.flatMap({ [$0.object, $0.key] }) { roots.append(value) }
    switch outcome {
    case .value(let value):
      roots.append(value)
      do throws(Failure) {
        return (try located(path, at: value), reads, nil)
      } catch {
        return (nil, reads, error)
      }
    case .failed(let failure):
      let waits = failure.isOfNil ?? reads.contains { plainValue(at: $0).value.isNil }
      return (nil, reads, waits ? nil : failure)
    case .unwound:
      graph.isUnwinding = true
      return (nil, reads, nil)
    }
  }

  /// The path whose components have been computed.
  private func located(
    _ path: ComputedPath, at value: Value
  ) throws(Failure) -> ConnectionSpec.PlacePath {
    guard path.store.isNil else {
      if isGroup(path.store) { return try alias(of: value, in: path.store).appending(path.names) }
      let key = canonicalReference(value, in: path.store)
      roots.append(key)
      let place = Place(kind: .stored, object: path.store, index: -1, key: key)
      return .place(place).appending(path.names)
    }
    let names = try array(value)
    let way = (0..<names.elementCount).map { names[element: $0] }
    return .path(path.base ?? .slot(script, 0), way + path.names)
  }

  /// Refuses a path whose components read what the connection computes, as its place would depend on
  /// itself, or what cannot tell of changes.
  func refuseOwnPath(
    _ aims: [ResolvedPath], computing places: [Place], for connection: Connection
  ) throws(Failure) {
    for aim in aims where !aim.components.isEmpty {
      if let own = places.first(where: { aim.components.contains($0) }) {
        throw .decidesItsPlace(graph.cellsByPlace[own].map { graph[$0].name } ?? name(of: own))
      }
      for cell in aim.components.compactMap({ graph.cellsByPlace[$0] }) {
        try refuseSilent(cell, for: connection)
      }
    }
  }

  /// What messages call a place that a text names: one whose path is computed as it is now.
  func cellName(of operand: ConnectionSpec.Operand, at place: Place) -> String {
    operand.place.isComputed ? nameOnPath(of: place) : operand.name
  }

  /// What messages call a place on the way of a path, or at its end where that is computed.
  func nameOnPath(of place: Place) -> String {
    guard place.kind == .stored else { return name(of: place) }
    return ownName(of: place) ?? name(of: place)
  }

  /// Notes where a connection leads.
  ///
  /// - Returns: The side with a computed path that leads elsewhere than before, which has another value
  ///   to begin with; nil where it begins as every other does. Where both do it is the right one.
  func noteAims(
    of connection: Connection, _ plan: ConnectionSpec, _ aims: PlanAims
  ) -> AimedSide? {
    guard aims.dependOnMore else { return nil }
    let old = connection.aimed
    let new = aims.sides
    connection.aimed = new
    guard let old else { return nil }
    let others = plan.other.map { [$0] } ?? plan.backs
    for (index, operand) in others.enumerated() where operand.place.isComputed {
      if index >= old.right.count || old.right[index] != new.right[index] { return .right }
    }
    return plan.target.place.isComputed && old.left != new.left ? .left : nil
  }

  /// Follows all paths of a plan.
  func aims(of plan: ConnectionSpec) -> PlanAims {
    PlanAims(
      target: aim(plan.target.place), other: plan.other.map { aim($0.place) },
      reads: plan.reads.map { aim($0.place) }, backs: plan.backs.map { aim($0.place) })
  }

  /// Looks whether a connection whose paths may lead elsewhere leads where it has led, so that it stays
  /// in force as it is; what is on the way may be other places.
  func staysAimed(_ connection: Connection, _ plan: ConnectionSpec) -> Bool {
    guard let old = connection.aimed, connection.pathFailure == nil, connection.firstFormula != nil,
      plan.linear == nil
    else { return false }
    let root = roots.count
    defer { roots.removeLast(roots.count - root) }
    let aims = aims(of: plan)
    let new = aims.sides
    guard connection.status == .active, !graph.isUnwinding,
      aims.all.allSatisfy({ $0.failure == nil }), old.left == new.left, old.right == new.right,
      old.reads == new.reads
    else { return false }
    if old.steps != new.steps {
      graph.unwatchPath(of: connection)
      graph.watchPath(of: connection, through: new.steps, nameOf: { nameOnPath(of: $0) })
      connection.aimed = new
    }
    return true
  }
}

/// Where the paths of a plan lead.
struct PlanAims {
  let target: ResolvedPath
  let other: ResolvedPath?
  let reads: [ResolvedPath]
  let backs: [ResolvedPath]

  var all: [ResolvedPath] { [target] + [other].compactMap { $0 } + backs + reads }

  /// Whether any of them depends on more than what its path goes through.
  var dependOnMore: Bool {
    all.contains { !$0.components.isEmpty || $0.steps.contains { $0.kind == .whole } }
  }

  var sides: AimedSides {
    AimedSides(
      left: target.place, right: other.map { [$0.place] } ?? backs.map(\.place),
      reads: reads.map(\.place), steps: all.flatMap(\.steps))
  }
}

/// A side of a connection in several directions.
enum AimedSide {
  case left
  case right
}
