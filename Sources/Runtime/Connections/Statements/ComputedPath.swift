internal import TenonSolverKit
internal import TenonTables

// Places whose path has expressions in it: `mem:task/{selected}`, `var:record/{field}`.

/// A path whose components are computed: it is followed anew whenever an input of the computation changes.
struct ComputedPath {
  /// The store of the place; nil for properties of a variable's value.
  let store: Value
  /// The variable with which a path through properties begins.
  let base: Place?
  /// Computes the reference in the store, or the array of the properties' names.
  let block: Value
  /// The properties after the place.
  var names: [Value] = []

  /// Calls a closure with the values that the path refers to.
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

/// The places of a connection whose paths depend on more than the places they go through: on the values of
/// expressions, on the sizes of lists.
///
/// A side that leads elsewhere later begins with the value there.
struct AimedSides {
  var left: Place?
  /// The other place, or those of a formula that can be computed.
  var right: [Place?]
  var reads: [Place?]
  var steps: [Place]

  /// Calls a closure with the values that are compared with later ones.
  func forEachValue(_ body: (Value) -> Void) {
    for place in ([left] + right + reads).compactMap({ $0 }) + steps {
      body(place.key)
      if place.kind == .stored { body(place.object) }
    }
  }
}

extension ConnectionSpec.PlacePath {
  /// Whether expressions decide which place it is.
  var isComputed: Bool { if case .computed = self { true } else { false } }

  /// Returns the path that goes on through properties.
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

/// The place to which a path leads at present.
struct ResolvedPath {
  /// The place at its end; nil when a value on the way is nil or has no such property.
  var place: Place?
  /// The places on the way, whose changes lead the path elsewhere.
  var steps: [Place] = []
  /// The reason why the path cannot be followed.
  var failure: Failure?
  /// Whether it has reached a dictionary that has no such entry and understands the name as a message.
  var isMessage = false
  /// The places among the steps from which the components of the path are computed.
  var components: [Place] = []
}

extension Machine {
  /// Follows a path.
  ///
  /// Getters may run: the result is kept among the roots, which the caller removes.
  func aim(_ path: ConnectionSpec.PlacePath) -> ResolvedPath {
    switch path {
    case .place(let place): return ResolvedPath(place: place)
    case .computed(let computed):
      let (path, reads, failure) = locate(computed)
      guard let path else { return ResolvedPath(steps: reads, failure: failure, components: reads) }
      var aim = aim(path)
      aim.steps = reads + aim.steps
      aim.components = reads
      return aim
    case .path(let base, let names): return aim(names, from: base)
    }
  }

  /// Follows names from a place.
  private func aim(_ names: [Value], from base: Place) -> ResolvedPath {
    var aim = ResolvedPath()
    var detours = AliasCycleGuard()
    var current = base
    var rest = names[...]
    while !rest.isEmpty {
      do throws(Failure) {
        if let alias = try aliasInGroup(rest, at: current, &detours) {
          // The place of the name may be reached on a path of its own; a group itself does not change.
          if current.kind != .whole { aim.steps.append(current) }
          current = alias.base
          rest = alias.names[...]
          continue
        }
      } catch {
        if current.kind != .whole { aim.steps.append(current) }
        aim.failure = error
        return aim
      }
      do throws(Failure) {
        guard try follow(&rest, from: &current, &detours, &aim) else { return aim }
      } catch {
        aim.failure = error
        return aim
      }
    }
    aim.place = current
    return aim
  }

  /// Follows one step, which may take several names.
  ///
  /// - Returns: whether the path leads on; else its end is not there.
  private func follow(
    _ rest: inout ArraySlice<Value>, from current: inout Place, _ detours: inout AliasCycleGuard,
    _ aim: inout ResolvedPath
  ) throws(Failure) -> Bool {
    let (object, reads) = plainValue(at: current)
    // A getter's inputs lead elsewhere as well; the place itself comes last.
    aim.steps += reads + [current]
    for value in reads.flatMap({ [$0.object, $0.key] }) + [object] { roots.append(value) }
    if let way = wayThroughReference(rest, at: object) {
      try detours.begin(at: "value", of: object, remaining: rest.count, self)
      current = way.base
      rest = way.names[...]
      return true
    }
    if let name = rest.first, isKept(object, at: current), let end = end(named: name, of: object) {
      // It is another element when the size changes.
      aim.steps.append(.whole(ObjectRef(object)))
      guard let end else { return false }
      roots.append(end.key)
      current = end
      rest = rest.dropFirst()
      return true
    }
    aim.isMessage = aim.isMessage || isMessage(rest.first, to: object)
    let (next, count) = try step(rest, from: object)
    guard let next else { return false }
    rest = rest.dropFirst(count)
    roots.append(next.key)
    current = next
    return true
  }

  /// Returns whether a place holds an object, rather than that its getter makes one for each read.
  private func isKept(_ object: Value, at place: Place) -> Bool {
    place.kind != .property || plainValue(at: place).value == object
  }

  /// Returns the element that `first` or `last` answers of a list; the place is nil where the list is empty.
  ///
  /// - Returns: nil for other names, and where the message may mean something else.
  func end(named name: Value, of object: Value) -> Place?? {
    guard object.isObject, let text = text(name), text == "first" || text == "last" else {
      return nil
    }
    let info = classInfo(of: object)
    let isArray = object.isObject(ofClass: ClassIndex.array)
    guard isArray || info.inherits(from: kernel.orderedCollection),
      let method = info.lookUp(selector(text)), method.holder.isKernel
    else { return nil }
    // A method that a program adds to a class of the kernel may answer anything.
    if case .definition = method.origin { return nil }
    let count = isArray ? ObjectRef(object).elementCount : self.count(of: object)
    guard count > 0 else { return .some(nil) }
    let index = text == "first" ? 1 : count
    return .some(try? place(of: Value(small: index), in: object))
  }

  /// Returns the number of elements of a list.
  private func count(of list: Value) -> Int {
    unrecordedValue { send(selector("size"), to: list) }?.asSmallInteger ?? 0
  }

  /// Returns whether a name that no entry of a dictionary has is a message to it.
  func isMessage(_ name: Value?, to object: Value, evenWithEntry: Bool = false) -> Bool {
    guard let name, let text = text(name), object.isObject else { return false }
    let info = classInfo(of: object)
    guard info.inherits(from: kernel.dictionary), Selector.argumentCount(of: text) == 0,
      let method = info.lookUp(selector(text)), method.holder !== kernel.object
    else { return false }
    if !evenWithEntry, case .found = find(symbol(text), in: object, byIdentity: false) {
      return false
    }
    return true
  }

  /// Refuses to compute a property that cannot be written.
  func refuseReadOnly(_ place: Place, for connection: Connection) throws(Failure) {
    if isWritable(place) { return }
    let name = isHandled(place) ? pathText(of: place) : displayText(place.key)
    let owner = describe(place.object)
    throw connection.connector == "=|="
      ? .noWayBack(name, owner) : .readOnlyProperty(name, owner)
  }

  /// Returns the value at a place, without recording the read, and the reads of its getter.
  func plainValue(at place: Place) -> (value: Value, reads: [Place]) {
    let outer = recorder
    let recorder = DependencyRecorder(within: outer)
    self.recorder = recorder
    let hasGetter = place.kind == .property
    if hasGetter { trackingDepth += 1 }
    defer {
      if hasGetter { trackingDepth -= 1 }
      self.recorder = outer
    }
    let found = valueUnlessUnwinding(withErrorsCaught { value(at: place) }) ?? .nil
    let reads = hasGetter && !graph.isUnwinding ? recorder.reads : []
    return (found.isUndefined ? .nil : found, reads)
  }

  /// Computes the components of a path.
  ///
  /// The path and the reads are kept among the roots, which the caller removes.
  ///
  /// - Returns: The path as it is now, nil where it cannot be known, with the reads of its components.
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
      do throws(Failure) { return (try located(path, at: value), reads, nil) } catch {
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

  /// Returns the path whose components have been computed.
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
    return .path(path.base ?? .slot(session.script, 0), way + path.names)
  }

  /// Refuses a path whose components read the place that the connection computes, as the place would depend
  /// on itself, or a place that cannot announce changes.
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

  /// Returns the name in messages of a place that a text names: one whose path is computed as it is now.
  func cellName(of operand: ConnectionSpec.Operand, at place: Place) -> String {
    operand.place.isComputed ? nameOnPath(of: place) : operand.name
  }

  /// Returns the name in messages of a place on the way of a path, or at its end where that is computed.
  func nameOnPath(of place: Place) -> String {
    guard place.kind == .stored else { return name(of: place) }
    return ownName(of: place) ?? name(of: place)
  }

  /// Records the places to which a connection leads.
  ///
  /// - Returns: The side with a computed path that leads elsewhere than before, which has another value
  ///   to begin with; nil where it begins as every other does. Where both do it is the right one.
  func recordTargets(
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

  /// Follows all paths of a specification.
  func aims(of plan: ConnectionSpec) -> PlanAims {
    PlanAims(
      target: aim(plan.target.place), other: plan.other.map { aim($0.place) },
      reads: plan.reads.map { aim($0.place) }, backs: plan.backs.map { aim($0.place) })
  }

  /// Returns whether a connection whose paths may lead elsewhere still leads to the same places, so that it
  /// stays in force as it is; the places on the way may be others.
  func staysAimed(_ connection: Connection, _ plan: ConnectionSpec) -> Bool {
    guard let old = connection.aimed, connection.pathFailure == nil, connection.firstFormula != nil,
      plan.linear == nil
    else { return false }
    let root = roots.count
    defer { dropRoots(to: root) }
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

/// The places to which the paths of a specification lead.
struct PlanAims {
  let target: ResolvedPath
  let other: ResolvedPath?
  let reads: [ResolvedPath]
  let backs: [ResolvedPath]

  var all: [ResolvedPath] { [target] + [other].compactMap { $0 } + backs + reads }

  /// Whether any of them depends on more than the places that its path goes through.
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
