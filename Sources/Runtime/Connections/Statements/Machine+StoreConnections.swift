internal import TenonSolverKit
internal import TenonLexer
internal import TenonStoreKit

// Groups and other stores as the sides of connections.

/// The slots of the kernel's Group.
private enum GroupSlot {
  static let names = 0
  static let places = 1
}

/// The names of groups, and the references, whose paths are being followed: each stands for a path that
/// goes on from elsewhere, and one that contains itself would have no end.
struct AliasCycleGuard {
  /// The number of paths that may lie in one another.
  static let limit = 1000
  /// The number of references in one another that are followed by recursion.
  static let depthLimit = 50

  private var open: [(name: String, object: Value, after: Int)] = []

  /// Begins the path that a name of a group, or the value of a reference, stands for.
  ///
  /// - Parameters:
  ///   - name: The name, or `value`.
  ///   - object: The group, or the reference.
  ///   - remaining: The number of components still to be followed, the name among them.
  ///   - machine: The machine, which describes the object to the program.
  /// - Throws: a failure when the path leads back to the name, or through too many others.
  /// - Complexity: O(*d*) for *d* paths in one another.
  mutating func begin(
    at name: String, of object: Value, remaining: Int, _ machine: Machine
  ) throws(Failure) {
    while let last = open.last, last.after >= remaining { open.removeLast() }
    if open.contains(where: { $0.object == object && $0.name == name }) {
      throw .aliasOfItself(name, machine.describe(object))
    }
    guard open.count < AliasCycleGuard.limit else {
      throw .tooManyAliases(name, machine.describe(object))
    }
    open.append((name, object, remaining - 1))
  }
}

extension Machine {
  /// Returns the base and the names of a path; nil where they cannot be known yet.
  ///
  /// The result is kept among the roots, which the caller removes.
  fileprivate func parts(
    of path: ConnectionSpec.PlacePath
  ) throws(Failure) -> (base: Place, rest: [Value])? {
    switch path {
    case .place(let place): return (place, [])
    case .path(let base, let names): return (base, names)
    case .computed(let computed):
      let found = locate(computed)
      if let failure = found.failure { throw failure }
      guard let way = found.path else { return nil }
      return try parts(of: way)
    }
  }

  /// Whether a cell cannot tell about changes.
  func isSilent(_ cell: CellID) -> Bool {
    let place = graph[cell].place
    return place.kind == .stored && !canTell(of: place.key, in: place.object)
  }
}

/// The slots of the kernel's EntryReference.
private enum EntrySlot {
  static let container = 0
  static let key = 1
}

extension Machine {
  // MARK: Groups

  /// Returns whether a value is a group.
  func isGroup(_ value: Value) -> Bool {
    value.isObject && classInfo(of: value).inherits(from: kernel.group)
  }

  /// Returns whether a value is a store.
  func isStore(_ value: Value) -> Bool {
    value.isObject && classInfo(of: value).inherits(from: kernel.store)
  }

  /// Returns the path to the place that a name of a group stands for.
  ///
  /// - Throws: a failure when the group has no such name.
  ///
  /// The result is kept among the roots, which the caller removes.
  func alias(named name: String, in group: Value) throws(Failure) -> ConnectionSpec.PlacePath {
    // Groups that are schemes lead on by references, each inside the one before.
    stores.aliasDepth += 1
    defer { stores.aliasDepth -= 1 }
    guard stores.aliasDepth <= AliasCycleGuard.depthLimit else {
      throw .tooManyAliases(name, describe(group))
    }
    let object = ObjectRef(group)
    let names = try array(object[slot: GroupSlot.names])
    let places = try array(object[slot: GroupSlot.places])
    for index in 0..<min(names.elementCount, places.elementCount)
    where text(names[element: index]) == name {
      return try placePath(of: places[element: index])
    }
    throw .noNameInGroup(name, describe(group))
  }

  /// Returns the path to the place that a reference inside a group leads to.
  func alias(
    of reference: Value, in group: Value
  ) throws(Failure) -> ConnectionSpec.PlacePath {
    let components = try self.reference(reference).components
    guard let first = components.first else {
      throw .noProperty(referenceText(reference), describe(group))
    }
    let path = try alias(named: first, in: group)
    if components.count == 1 { return path }
    // Below a place in a store are other places of it.
    if case .place(let place) = path, place.kind == .stored {
      return .place(try stored(components.dropFirst(), below: place))
    }
    let more = components.dropFirst().map { makeString($0) }
    roots.append(contentsOf: more)
    return path.appending(more)
  }

  /// Returns the place of a store below another one.
  private func stored(
    _ components: ArraySlice<String>, below place: Place
  ) throws(Failure) -> Place {
    var reference = try self.reference(place.key)
    do throws(StoreError) {
      for component in components { reference = try reference.appending(component) }
    } catch {
      throw .store(error)
    }
    let key = canonicalReference(makeReference(reference), in: place.object)
    roots.append(key)
    return Place(kind: .stored, object: place.object, index: -1, key: key)
  }

  /// Returns the place that a name of a group stands for at present.
  ///
  /// - Returns: nil when the path to it leads nowhere.
  /// - Throws: a failure when the group has no such name, or the path to it leads back to it.
  func aliasedPlace(of name: String, in group: Value) throws(Failure) -> Place? {
    let root = roots.count
    defer { dropRoots(to: root) }
    var detours = AliasCycleGuard()
    try detours.begin(at: name, of: group, remaining: 1, self)
    guard let way = try parts(of: alias(named: name, in: group)) else { return nil }
    var (current, rest) = (way.base, way.rest[...])
    while !rest.isEmpty {
      let object = value(at: current)
      if object.isUnwind { return nil }
      roots.append(object)
      if isGroup(object), let name = rest.first.flatMap({ text($0) }) {
        // A path through another group goes on here: such a path may be long.
        try detours.begin(at: name, of: object, remaining: rest.count, self)
        guard let way = try parts(of: alias(named: name, in: object)) else { return nil }
        (current, rest) = (way.base, way.rest + rest.dropFirst())
        continue
      }
      let (next, count) = try step(rest, from: object.isUndefined ? .nil : object)
      guard let next else { return nil }
      roots.append(next.key)
      current = next
      rest = rest.dropFirst(count)
    }
    return current
  }

  /// Returns the rest of a path that has reached a group.
  func aliasInGroup(
    _ names: ArraySlice<Value>, at place: Place, _ detours: inout AliasCycleGuard
  ) throws(Failure) -> (base: Place, names: [Value])? {
    guard let first = names.first, let name = text(first) else { return nil }
    let group: Value
    switch place.kind {
    case .slot: group = ObjectRef(place.object)[slot: place.index]
    case .whole: group = place.object
    default: return nil
    }
    guard isGroup(group) else { return nil }
    try detours.begin(at: name, of: group, remaining: names.count, self)
    return try parts(of: alias(named: name, in: group)).map {
      ($0.base, $0.rest + names.dropFirst())
    }
  }

  /// Returns the value at the end of a path, recorded when a formula runs.
  ///
  /// - Returns: the value, nil behind a nil, or `unwind`.
  private func value(at path: ConnectionSpec.PlacePath) -> Value {
    switch path {
    case .place(let place):
      let value = self.value(at: place)
      return value.isUndefined ? .nil : value
    case .path(let base, let names):
      let object = value(at: base)
      if object.isUnwind { return object }
      roots.append(contentsOf: names)
      defer { roots.removeLast(names.count) }
      return follow(names, from: object.isUndefined ? .nil : object)
    case .computed(let computed):
      let found = locate(computed)
      if let failure = found.failure { return signal(failure) }
      for read in found.reads { recorder?.record(read) }
      return found.path.map { value(at: $0) } ?? .nil
    }
  }

  /// Writes the value at the end of a path.
  ///
  /// - Returns: the value, or `unwind`.
  private func assign(_ value: Value, to path: ConnectionSpec.PlacePath) -> Value {
    switch path {
    case .place(let place): return assign(value, to: place)
    case .path(let base, let names):
      let object = self.value(at: base)
      if object.isUnwind { return object }
      roots.append(contentsOf: names)
      defer { roots.removeLast(names.count) }
      return put(value, at: names, of: object.isUndefined ? .nil : object)
    case .computed(let computed):
      let found = locate(computed)
      guard let path = found.path else {
        return signal(found.failure ?? .invalidArgument("a component of a path", found: "nil"))
      }
      return assign(value, to: path)
    }
  }

  /// Answers a message whose selector is one of a group's names.
  ///
  /// - Returns: the answer, `unwind`, or nil when it has no such name.
  func answer(
    of group: Value, to selector: Value, _ count: Int, _ argument: (Int) -> Value
  ) -> Value? {
    guard let selector = text(selector) else { return nil }
    let root = roots.count
    defer { dropRoots(to: root) }
    if count == 0, let path = try? alias(named: selector, in: group) { return value(at: path) }
    guard count == 1, selector.last == ":",
      let path = try? alias(named: String(selector.dropLast()), in: group)
    else { return nil }
    return assign(argument(0), to: path).isUnwind ? .unwind : group
  }

  func get(_ reference: Value, fromGroup group: Value) throws(Failure) -> Value {
    let root = roots.count
    defer { dropRoots(to: root) }
    return value(at: try alias(of: reference, in: group))
  }

  func put(
    _ value: Value, at reference: Value, inGroup group: Value
  ) throws(Failure) -> Value {
    let root = roots.count
    defer { dropRoots(to: root) }
    return assign(value, to: try alias(of: reference, in: group))
  }

  // MARK: References

  /// Returns the path to the place that a reference refers to.
  ///
  /// The result is kept among the roots, which the caller removes.
  ///
  /// - Throws: a failure for a value that is no reference.
  func placePath(of value: Value) throws(Failure) -> ConnectionSpec.PlacePath {
    guard value.isObject else { throw .invalidArgument("a reference", found: describe(value)) }
    let object = ObjectRef(value)
    switch classInfo(of: value).name {
    case "VariableReference":
      let (owner, slot) = try variable(value)
      return .place(.slot(owner, slot))
    case "PropertyReference":
      let names = try array(object[slot: 1])
      let way = (0..<names.elementCount).map { names[element: $0] }
      let base = object[slot: 0]
      guard base.isObject else { throw .noProperty(displayText(way.first ?? .nil), describe(base)) }
      if classInfo(of: base).name == "VariableReference",
        case .place(let place) = try placePath(of: base)
      {
        return .path(place, way)
      }
      // A group may lead on through any number of others: its path is followed step by step.
      if isGroup(base) { return .path(.whole(ObjectRef(base)), way) }
      guard let first = way.first, let place = try place(of: first, in: base) else {
        throw .noProperty(displayText(way.first ?? .nil), describe(base))
      }
      roots.append(place.key)
      return way.count == 1 ? .place(place) : .path(place, Array(way.dropFirst()))
    case "EntryReference":
      return .place(
        try entry(object[slot: EntrySlot.key], in: object[slot: EntrySlot.container]))
    case "Reference":
      let scheme = try reference(value).scheme
      guard hasScheme(scheme) else { throw .unknownScheme(scheme, self) }
      let store = schemeCell(named: scheme)[slot: 0]
      if isGroup(store) { return try alias(of: value, in: store) }
      return .place(storedPlace(value, in: store))
    default: throw .invalidArgument("a reference", found: describe(value))
    }
  }

  /// Returns the rest of a path that has reached a reference: its value is the place that it refers to, and
  /// no place of its own.
  ///
  /// The result is kept among the roots, which the caller removes.
  func wayThroughReference(
    _ names: ArraySlice<Value>, at object: Value
  ) -> (base: Place, names: [Value])? {
    guard object.isObject,
      ["PropertyReference", "EntryReference", "Reference"].contains(classInfo(of: object).name),
      let first = names.first, text(first) == "value"
    else { return nil }
    guard let path = try? placePath(of: object), let way = try? parts(of: path) else { return nil }
    return (way.base, way.rest + names.dropFirst())
  }

  /// Returns the place at a key of a dictionary, or at a reference of a store.
  private func entry(_ key: Value, in container: Value) throws(Failure) -> Place {
    if isStore(container) {
      return storedPlace(try reference(key, in: container), in: container)
    }
    guard let place = try place(of: key, in: container) else {
      throw .noProperty(displayText(key), describe(container))
    }
    roots.append(place.key)
    return place
  }

  /// Returns the place of a store at a reference, whose key may have been made for it alone.
  private func storedPlace(_ reference: Value, in store: Value) -> Place {
    let key = canonicalReference(reference, in: store)
    roots.append(store)
    roots.append(key)
    return Place(kind: .stored, object: store, index: -1, key: key)
  }

  /// Returns the place that an EntryReference of a store leads to.
  func placeInStore(_ entry: Value) throws(Failure) -> Place {
    guard case .place(let place) = try placePath(of: entry), place.kind == .stored else {
      throw .invalidArgument("a place in a store", found: describe(entry))
    }
    return place
  }

  /// Returns a reference with its store's scheme, so that both forms lead to the same place.
  func reference(_ key: Value, in store: Value) throws(Failure) -> Value {
    let reference = try self.reference(key)
    if !reference.scheme.isEmpty, hasScheme(reference.scheme),
      schemeCell(named: reference.scheme)[slot: 0] == store
    {
      return key
    }
    let scheme = schemeNames.first { schemeCell(named: $0)[slot: 0] == store } ?? ""
    return reference.scheme == scheme ? key : makeReference(reference.inScheme(scheme))
  }

  // MARK: Connecting

  /// Connects two stores, when both sides hold stores now.
  ///
  /// - Returns: the connection, `unwind`, or nil when they are not both stores.
  func joinStores(
    _ plan: ConnectionSpec, _ connector: String, rightName: String, text: String
  ) -> Value? {
    guard let left = storeHeld(at: plan.target.place) else { return nil }
    let root = roots.count
    defer { dropRoots(to: root) }
    roots.append(left)
    let right: Value
    if let other = plan.other {
      guard let held = storeHeld(at: other.place) else { return nil }
      right = held
    } else {
      guard let block = plan.block, graph.running == nil else { return nil }
      // Its answer decides now; its failures are those of the formula.
      switch withErrorsCaught({ evaluateBlock(block) }) {
      case .value(let value): right = value
      case .failed: return nil
      case .unwound: return .unwind
      }
    }
    guard isStore(left) && isSide(right) || isSide(left) && isStore(right) else { return nil }
    roots.append(right)
    let names = makeArray([makeString(plan.target.name), makeString(rightName)])
    roots.append(names)
    return send(
      selector("connect:to:by:names:text:awaitsPolicy:"), to: kernelClass("StoreConnection").object,
      left, right, makeString(connector), names, makeString(text), Value(plan.awaitsPolicy))
  }

  /// Returns whether a value can be a side of a connection between stores.
  private func isSide(_ value: Value) -> Bool {
    isStore(value) || value.isObject && classInfo(of: value).inherits(from: kernel.dictionary)
  }

  /// Returns the store or dictionary that a place holds now.
  private func storeHeld(at path: ConnectionSpec.PlacePath) -> Value? {
    var value: Value
    switch path {
    case .place(let place):
      switch place.kind {
      case .slot: value = ObjectRef(place.object)[slot: place.index]
      case .element: value = element(of: place)
      case .stored:
        guard classInfo(of: place.object) === kernel.schemeTable else { return nil }
        value = get(place.key, from: place.object)
      default: return nil
      }
    case .path(let base, let names):
      guard base.kind == .slot else { return nil }
      let object = ObjectRef(base.object)[slot: base.index]
      guard object.isObject,
        case .value(let end) = withErrorsCaught({ follow(names, from: object) })
      else { return nil }
      value = end
    case .computed(let computed):
      let root = roots.count
      defer { dropRoots(to: root) }
      return locate(computed).path.flatMap { storeHeld(at: $0) }
    }
    return isSide(value) ? value : nil
  }
}
