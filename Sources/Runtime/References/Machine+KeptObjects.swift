internal import TenonStoreKit

// Objects of the program that a memory store keeps. A path that leads on from such an object is that of its
// property, and the object tells those who watch the store when it has changed.

extension Machine {
  /// Returns whether a value is an object of a class of the program whose variables are properties: no
  /// collection, number or store.
  func isModelObject(_ value: Value) -> Bool {
    guard value.isObject else { return false }
    let info = classInfo(of: value)
    return !info.isKernel && info.format == .slots
      && ![kernel.collection, kernel.magnitude, kernel.store, kernel.reference].contains {
        info.inherits(from: $0)
      }
  }

  /// Returns the place of a property of an object that a memory store keeps above a reference, at which it
  /// has no value of its own and nothing below.
  func keptPlace(at reference: Value, in store: Value) throws(Failure) -> Place? {
    guard stores.keepsObjects,
      case .absent = find(try pathKey(of: reference), in: try entries(of: store), byIdentity: false)
    else { return nil }
    return try placeInKeptObject(reference, in: store)
  }

  /// Returns the place of a property of the object that a memory store keeps nearest above a reference.
  ///
  /// A formula that runs depends on the place of the object and on what the path leads over.
  ///
  /// - Returns: nil when no object of the program is kept there, or it has no such property.
  /// - Complexity: O(components of the path) look-ups.
  func placeInKeptObject(_ reference: Value, in store: Value) throws(Failure) -> Place? {
    guard stores.keepsObjects else { return nil }
    let form = try self.reference(reference)
    guard form.components.count > 1, !form.isDirectory else { return nil }
    let root = roots.count
    defer { dropRoots(to: root) }
    let entries = try self.entries(of: store)
    var next = form.parent
    while let above = next, !above.components.isEmpty {
      next = above.parent
      let key = makeString(above.components.joined(separator: ReferenceSlot.separator))
      roots.append(key)
      guard case .found(let number) = find(key, in: entries, byIdentity: false) else { continue }
      let object = HashTable(entries).value(of: number)
      guard isModelObject(object) else { return nil }
      roots.append(object)
      if recorder != nil {
        let read = makeReference(above)
        roots.append(read)
        recordRead(of: read, in: store)
      }
      return try place(along: form.components[above.components.count...], from: object)
    }
    return nil
  }

  /// Returns the place to which names lead from an object; nil when there is none.
  private func place(along names: ArraySlice<String>, from object: Value) throws(Failure) -> Place?
  {
    var owner = object
    var found: Place?
    for name in names {
      if let place = found {
        owner = value(at: place)
        if owner.isUnwind { throw .unwinding() }
        roots.append(owner)
      }
      let key = makeString(name)
      roots.append(key)
      found = try? place(of: key, in: owner)
      if found == nil { return nil }
    }
    return found
  }

  /// Writes a property of an object that a memory store keeps, under the reference to it.
  ///
  /// The object tells those who watch the store.
  ///
  /// - Returns: the value, or `unwind`.
  func assign(
    _ value: Value, to place: Place, of reference: Value, in store: Value
  ) throws(Failure) -> Value {
    guard isWritable(place) else {
      let form = try self.reference(reference)
      throw .store(
        StoreError(
          .readOnly, form,
          "\(describe(place.object)) has no message '\(form.name ?? ""):' that sets it"),
        during: "put")
    }
    let root = roots.count
    roots.append(place.object)
    roots.append(place.key)
    defer { dropRoots(to: root) }
    let answer = assign(value, to: place)
    if !answer.isUnwind {
      graph.storedCells.directWrite = (store, reference, referenceText(reference))
    }
    return answer
  }

  /// Returns whether a stored place is that of a property of a kept object.
  func isInKeptObject(_ place: Place) -> Bool {
    guard stores.keepsObjects, place.kind == .stored, isMemory(place.object) else { return false }
    return (try? keptPlace(at: place.key, in: place.object)) != nil
  }

  /// Tells connections of the properties of an object that has come to a place of a memory store, or has gone.
  ///
  /// - Complexity: O(places of the store that connections know), where there is such an object.
  func didReplaceObject(
    _ old: Value, by new: Value, at reference: Value, in store: Value
  ) {
    guard stores.keepsObjects, graph.hasStoredCells, isModelObject(old) || isModelObject(new),
      let form = try? self.reference(reference)
    else { return }
    for cell in knownCells(from: form, in: store) {
      guard let below = try? self.reference(graph[cell].place.key),
        below.components.count > form.components.count
      else { continue }
      graph.takeUpChange(of: cell)
    }
  }

  /// Has a store that is watched follow an object of the program that has come to it.
  ///
  /// - Returns: `unwind` when that failed.
  func followObject(_ value: Value, in store: Value) -> Value {
    guard ObjectRef(store).flags & ObjectFlag.watched != 0, isModelObject(value) else {
      return .nil
    }
    return send(selector("followKeptObjects"), to: store)
  }

  /// Returns the values of the variables of an object of the program as an array, which a formula that runs
  /// depends on; nil for any other value.
  func modelState(of value: Value) -> Value {
    guard isModelObject(value) else { return .nil }
    let object = ObjectRef(value)
    for slot in 0..<object.slotCount where recorder != nil {
      if recordRead(object, slot: slot).isUnwind { return .unwind }
    }
    return makeArray((0..<object.slotCount).map { object[slot: $0] })
  }
}
