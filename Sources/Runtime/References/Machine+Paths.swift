internal import TenonParser
internal import TenonStoreKit

// Paths through objects. A component is a property of what the components before it lead to; or
// several components together are a place that the object's class describes: `/tasks/:id { ... }`.

/// A place that a class describes, as the key of a `Place`: the components, interned in one text.
private enum HandledKey {
  /// Parts the components, and stands before the first, where no name of a property has it.
  static let separator: Character = "\u{1F}"

  static func text(_ components: [String]) -> String {
    components.map { String(separator) + $0 }.joined()
  }

  /// The components; nil for the name of a property.
  static func components(_ text: String) -> [String]? {
    guard text.first == separator else { return nil }
    return text.dropFirst().split(separator: separator, omittingEmptySubsequences: false)
      .map(String.init)
  }
}

extension Machine {
  // MARK: Steps

  /// The place that the first components of a path lead to from an object, and how many they are:
  /// as many as a path of the object's class describes, else one.
  ///
  /// - Returns: no place when the object is nil or has no such element.
  /// - Throws: a failure when it has no such property.
  func step(
    _ names: ArraySlice<Value>, from object: Value
  ) throws(Failure) -> (place: Place?, count: Int) {
    if let handled = handledPlace(names, of: object) { return handled }
    guard let name = names.first else { return (nil, 0) }
    return (try place(of: name, in: object), 1)
  }

  /// How many of the components name a place together that the object's class describes.
  func countDescribed(_ names: [Value], of object: Value) -> Int {
    handledPlace(names[...], of: object)?.count ?? 0
  }

  /// The place that most of the components name together, if the object's class describes one.
  private func handledPlace(
    _ names: ArraySlice<Value>, of object: Value
  ) -> (place: Place?, count: Int)? {
    guard object.isObject else { return nil }
    let paths = propertyPaths(of: object)
    guard !paths.isEmpty else { return nil }
    let isStore = classInfo(of: object).inherits(from: kernel.store)
    var components: [String] = []
    for name in names {
      guard let text = componentText(name), !text.contains(HandledKey.separator) else { break }
      components.append(text)
    }
    while !components.isEmpty {
      if paths.contains(where: { $0.arguments(for: components) != nil }) {
        if isStore, let reference = try? storeReference(components, in: object) {
          let key = canonicalReference(reference, in: object)
          return (Place(kind: .stored, object: object, index: -1, key: key), components.count)
        }
        let key = symbol(HandledKey.text(components))
        return (Place(kind: .property, object: object, index: -1, key: key), components.count)
      }
      components.removeLast()
    }
    return nil
  }

  /// The text of a name or number in a path.
  private func componentText(_ name: Value) -> String? {
    text(name) ?? name.asSmallInteger.map { String($0) }
  }

  // MARK: Whole paths

  /// Follows a path from an object.
  ///
  /// - Returns: what it leads to, nil behind a nil, or `unwind`.
  func follow(_ names: [Value], from object: Value) -> Value {
    var current = object
    var rest = names[...]
    let root = roots.count
    roots.append(current)
    defer { dropRoots(to: root) }
    while !rest.isEmpty {
      do throws(Failure) {
        let (place, count) = try step(rest, from: current)
        guard let place else { return .nil }
        current = value(at: place)
        if current.isUnwind { return current }
        roots[root] = current
        rest = rest.dropFirst(count)
      } catch {
        return signal(error)
      }
    }
    return current
  }

  /// Writes the place at the end of a path.
  ///
  /// - Returns: the value, or `unwind`.
  func put(_ value: Value, at names: [Value], of object: Value) -> Value {
    withLastPlace(of: names, from: object) { place throws(Failure) in assign(value, to: place) }
  }

  /// Adds a value to what is at the end of a path: as its class says, else as `+=` does.
  ///
  /// - Returns: anything, or `unwind`.
  func post(_ value: Value, to names: [Value], of object: Value) -> Value {
    withLastPlace(of: names, from: object) { place throws(Failure) in
      if place.kind == .stored, handles(.post, place) || !handles(.get, place) && isHandled(place) {
        return post(value, to: place.key, in: place.object)
      }
      if let components = handledComponents(of: place),
        handles(.post, place) || !handles(.get, place) || !handles(.put, place)
      {
        return try handle(.post, at: components, in: place.object, newValue: value) {
          pathText(of: place)
        }
      }
      let old = self.value(at: place)
      if old.isUnwind { return old }
      let sum = send(selector("appending:"), to: old, value)
      if sum.isUnwind { return sum }
      roots.append(sum)
      return assign(sum, to: place)
    }
  }

  /// Removes what is at the end of a path: as its class says, else by giving it nil.
  ///
  /// - Returns: whether anything was there, or `unwind`.
  func delete(_ names: [Value], of object: Value) -> Value {
    withLastPlace(of: names, from: object) { place throws(Failure) in
      if place.kind == .stored, isHandled(place) { return delete(place.key, in: place.object) }
      let old = handledComponents(of: place) == nil ? self.value(at: place) : .true
      if old.isUnwind { return old }
      if let components = handledComponents(of: place) {
        let outcome = try handle(.delete, at: components, in: place.object) {
          pathText(of: place)
        }
        return outcome.isUnwind ? outcome : .true
      }
      let outcome = assign(.nil, to: place)
      return outcome.isUnwind ? outcome : Value(!old.isNil)
    }
  }

  /// Does something with the place at the end of a path; what it adds to the roots ends with it.
  private func withLastPlace(
    of names: [Value], from object: Value, _ body: (Place) throws(Failure) -> Value
  ) -> Value {
    var current = object
    var rest = names[...]
    let root = roots.count
    roots.append(current)
    defer { dropRoots(to: root) }
    do throws(Failure) {
      while true {
        let (place, count) = try step(rest, from: current)
        guard let place else {
          throw .noProperty(rest.first.map { displayText($0) } ?? "", describe(current))
        }
        rest = rest.dropFirst(count)
        // The name of a place that a class describes is made for it.
        roots.append(place.key)
        if rest.isEmpty { return try body(place) }
        current = value(at: place)
        if current.isUnwind { return current }
        roots[root] = current
      }
    } catch {
      return signal(error)
    }
  }

  /// Whether a path ends before its last component: at nil, or at an object without such a property.
  ///
  /// Accessors on the way run; the last place is not read. One that fails is no missing place.
  ///
  /// - Returns: true or false, or `unwind`.
  func lacksPlace(_ names: [Value], from object: Value) -> Value {
    var current = object
    var rest = names[...]
    let root = roots.count
    roots.append(current)
    defer { dropRoots(to: root) }
    while !rest.isEmpty {
      let found: (place: Place?, count: Int)
      do throws(Failure) {
        found = try step(rest, from: current)
      } catch {
        return .true
      }
      guard let place = found.place else { return .true }
      rest = rest.dropFirst(found.count)
      if rest.isEmpty { return .false }
      roots.append(place.key)
      switch withErrorsCaught({ value(at: place) }) {
      case .value(let value): current = value
      case .failed: return .false
      case .unwound: return .unwind
      }
      roots[root] = current
    }
    return .false
  }

  // MARK: Handled places

  /// The components of a place that a class describes; nil for any other, and for those of stores.
  private func handledComponents(of place: Place) -> [String]? {
    guard place.kind == .property else { return nil }
    return HandledKey.components(displayText(place.key))
  }

  /// The components of a place that a class may describe, a store's too.
  private func components(of place: Place) -> [String]? {
    guard place.kind == .stored else { return handledComponents(of: place) }
    return try? reference(place.key).components
  }

  /// Whether a class describes a place.
  func isHandled(_ place: Place) -> Bool {
    if place.kind != .stored { return handledComponents(of: place) != nil }
    let paths = propertyPaths(of: place.object)
    guard !paths.isEmpty, let components = components(of: place) else { return false }
    return paths.contains { $0.arguments(for: components) != nil }
  }

  func handles(_ verb: PropertyVerb, _ place: Place) -> Bool {
    let paths = propertyPaths(of: place.object)
    guard !paths.isEmpty, let components = components(of: place) else { return false }
    return paths.contains { $0.arguments(for: components) != nil && $0.handlers[verb] != nil }
  }

  /// What messages call a property.
  func pathText(of place: Place) -> String {
    let components = handledComponents(of: place) ?? [displayText(place.key)]
    return ([classInfo(of: place.object).name] + components).joined(separator: "/")
  }

  /// The value of a property whose accessors are the program's own.
  ///
  /// - Returns: the value, or `unwind`.
  func propertyValue(at place: Place) -> Value {
    guard let components = handledComponents(of: place) else {
      return send(selector(displayText(place.key)), to: place.object)
    }
    do throws(Failure) {
      return try handle(.get, at: components, in: place.object) { pathText(of: place) }
    } catch {
      return signal(error)
    }
  }

  /// Gives a property another value whose accessors are the program's own.
  ///
  /// - Returns: anything, or `unwind`.
  func setPropertyValue(_ value: Value, at place: Place) -> Value {
    guard let components = handledComponents(of: place) else {
      return send(selector(displayText(place.key) + ":"), to: place.object, value)
    }
    do throws(Failure) {
      return try handle(.put, at: components, in: place.object, newValue: value) {
        pathText(of: place)
      }
    } catch {
      return signal(error)
    }
  }
}

// MARK: - Schemes of an object

extension Machine {
  /// The store that an object's method `schemes` names: it answers a dictionary of stores.
  ///
  /// - Returns: the store, nil when the dictionary has none of that name, or `unwind`.
  func ownScheme(_ name: String, of receiver: Value) -> Value {
    let schemes = send(selector("schemes"), to: receiver)
    if schemes.isUnwind { return schemes }
    guard classInfo(of: schemes).inherits(from: kernel.dictionary) else {
      return signal(.invalidArgument("a dictionary of stores", found: describe(schemes)))
    }
    roots.append(schemes)
    defer { roots.removeLast() }
    switch find(symbol(name), in: schemes, byIdentity: false) {
    case .found(let number): return HashTable(schemes).value(of: number)
    case .unwound: return .unwind
    default: return .nil
    }
  }
}
