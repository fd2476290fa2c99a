internal import TenonAnalysis
internal import TenonLexer
internal import TenonParser
internal import TenonStoreKit

// Properties: what a component of a path through objects means.

extension Machine {
  /// Where a property of an object is kept; its name is a string or a number.
  ///
  /// - Returns: nil when the object is nil or has no such element.
  /// - Throws: a failure when it has no such property.
  func place(of name: Value, in object: Value) throws(Failure) -> Place? {
    if object.isNil { return nil }
    guard object.isObject else { throw .noProperty(displayText(name), describe(object)) }
    let info = classInfo(of: object)
    if info.inherits(from: kernel.dictionary) { return try dictionaryPlace(of: name, in: object) }
    if info.inherits(from: kernel.sequence), let index = index(name) {
      guard object.isObject(ofClass: ClassIndex.array) else {
        return Place(kind: .element, object: object, index: -1, key: Value(small: index))
      }
      let count = ObjectRef(object).elementCount
      guard index >= 1, index <= count else { return nil }
      return Place(kind: .element, object: object, index: index - 1, key: .nil)
    }
    guard let text = text(name) else { throw .noProperty(describe(name), describe(object)) }
    if info.inherits(from: kernel.store) {
      if info.inherits(from: kernel.group) { return try aliasedPlace(of: text, in: object) }
      return Place(
        kind: .stored, object: object, index: -1,
        key: canonicalReference(try storeReference([text], in: object), in: object))
    }
    // The value of a reference to a variable is that variable, whoever refers to it.
    if text == "value", info === kernel.variableReference,
      let (owner, slot) = try? variable(object)
    {
      return .slot(owner, slot)
    }
    return try propertyPlace(of: text, in: ObjectRef(object), info)
  }

  private func index(_ name: Value) -> Int? {
    name.asSmallInteger ?? text(name).flatMap { Int($0) }
  }

  /// A reference inside a store: that of its scheme, so that both ways lead to the same place.
  func storeReference(_ components: [String], in store: Value) throws(Failure) -> Value {
    let scheme = schemeNames.first { schemeCell(named: $0)[slot: 0] == store } ?? ""
    do throws(StoreError) {
      return makeReference(try Reference(scheme: scheme, components: components))
    } catch {
      throw .store(error)
    }
  }

  /// The entry of a dictionary: a number counts as one when the dictionary has it as a key.
  private func dictionaryPlace(of name: Value, in object: Value) throws(Failure) -> Place {
    if let index = index(name),
      case .found = find(Value(small: index), in: object, byIdentity: false)
    {
      return Place(kind: .element, object: object, index: -1, key: Value(small: index))
    }
    let key = text(name).map { symbol($0) } ?? name
    return Place(kind: .element, object: object, index: -1, key: key)
  }

  /// A slot, when accessors say no more than that; else the property as its accessors are.
  private func propertyPlace(
    of name: String, in object: ObjectRef, _ info: ClassInfo
  ) throws(Failure) -> Place {
    // A message with arguments is no way to read.
    let isUnary = Selector.argumentCount(of: name) == 0
    let getter = isUnary ? info.lookUp(selector(name)) : nil
    let setter = isUnary ? info.lookUp(selector(name + ":")) : nil
    let slot = info.slot(of: name)
    // What every object understands says nothing of a variable of that name.
    if let getter, slot == nil || getter.holder !== kernel.object {
      if let slot = plainSlot(of: getter, info), setter.map({ isPlain($0, slot: slot) }) ?? true {
        return .slot(object, slot)
      }
      return Place(kind: .property, object: Value(object), index: -1, key: symbol(name))
    }
    if let slot, setter.map({ isPlain($0, slot: slot) }) ?? true { return .slot(object, slot) }
    // A script's variables are those of the object it is.
    if object == session.script, let cell = session.cells[name] { return .slot(cell, 0) }
    throw .noProperty(name, describe(Value(object)))
  }

  /// Whether a place can be written: a property needs a message for it.
  ///
  /// `sum` and `sum:` of a collection are two messages and no property, as are others of the kernel whose
  /// objects keep nothing of that name.
  func isWritable(_ place: Place) -> Bool {
    guard place.kind == .property else { return true }
    if isHandled(place) { return handles(.put, place) }
    guard let name = text(place.key) else { return true }
    let info = classInfo(of: place.object)
    guard let setter = info.lookUp(selector(name + ":")) else { return false }
    // What a program adds to a class of the kernel is the program's.
    guard case .kernel = setter.origin else { return true }
    return info.slot(of: name) != nil
      || ![kernel.collection, kernel.magnitude, kernel.block].contains { info.inherits(from: $0) }
  }

  /// The slot that a getter answers, when that is all it does.
  private func plainSlot(of method: Method, _ info: ClassInfo) -> Int? {
    switch method.origin {
    case .getter(let slot): return slot
    case .definition(let definition, _):
      guard definition.statements.count == 1, case .return(let statement) = definition.statements[0]
      else { return nil }
      return statement.value.instanceVariableName.flatMap { info.slot(of: $0) }
    default: return nil
    }
  }

  private func isPlain(_ setter: Method, slot: Int) -> Bool {
    if case .setter(let own, nil, false) = setter.origin { return own == slot }
    return false
  }

  // MARK: Reading and writing

  /// The value of a property.
  ///
  /// - Returns: the value, nil for a property of nil, or `unwind`.
  func property(_ name: Value, of object: Value) -> Value {
    do throws(Failure) {
      guard let place = try place(of: name, in: object) else { return .nil }
      return value(at: place)
    } catch {
      return signal(error)
    }
  }

  /// The value of a property that a query names.
  ///
  /// What every object understands is no property here: `name` and the like may be variables.
  ///
  /// - Returns: the value, `undefined` when the object has no such property, or `unwind`.
  func queriedProperty(_ name: Selector, key: Value, of object: Value) -> Value {
    let info = classInfo(of: object)
    if info.inherits(from: kernel.dictionary) {
      recordUse(of: object)
      if settle(before: object, at: key).isUnwind { return .unwind }
      let byIdentity = info.inherits(from: kernel.identityDictionary)
      switch find(key, in: object, byIdentity: byIdentity) {
      case .found(let number): return HashTable(object).value(of: number)
      case .unwound: return .unwind
      default: return .undefined
      }
    }
    if let method = info.lookUp(name), method.holder !== kernel.object {
      return send(name, to: object)
    }
    guard info.slot(of: name.name) != nil else { return .undefined }
    return property(key, of: object)
  }

  /// What a name in a query means that is neither a property nor a variable: a message that every
  /// object understands.
  func lastProperty(_ name: Selector, of object: Value) -> Value {
    guard classInfo(of: object).lookUp(name) != nil else {
      return signal(.unknownInQuery(name.name, describe(object)))
    }
    return send(name, to: object)
  }

  /// The value at a place; noted when a formula runs.
  func value(at place: Place) -> Value {
    switch place.kind {
    case .slot:
      let object = ObjectRef(place.object)
      let isNoted = trackingDepth > 0 || session.hasLazyVariables
      let noted = isNoted ? recordRead(object, slot: place.index) : .nil
      return noted.isUnwind ? noted : object[slot: place.index]
    case .element:
      let key = place.index >= 0 ? Value(small: place.index + 1) : place.key
      recordUse(of: place.object, at: key)
      if settle(before: place.object, at: key).isUnwind { return .unwind }
      if place.index >= 0 { return ObjectRef(place.object)[element: place.index] }
      if classInfo(of: place.object).inherits(from: kernel.dictionary) {
        return element(of: place)
      }
      return send(selector("at:"), to: place.object, place.key)
    case .property: return propertyValue(at: place)
    case .stored: return rooting(place) { get(place.key, from: place.object) }
    case .whole: return place.object
    }
  }

  /// Writes a place from outside.
  ///
  /// - Returns: the value, or `unwind`.
  func assign(_ value: Value, to place: Place) -> Value {
    switch place.kind {
    case .slot:
      let object = ObjectRef(place.object)
      if let (type, name) = declaredType(of: object, slot: place.index),
        checkType(of: value, type, variable: name).isUnwind
      {
        return .unwind
      }
      return store(value, into: object, slot: place.index)
    case .element:
      let key = place.index >= 0 ? Value(small: place.index + 1) : place.key
      return send(selector("at:put:"), to: place.object, key, value)
    case .property:
      let outcome = setPropertyValue(value, at: place)
      return outcome.isUnwind ? outcome : value
    case .stored:
      return rooting(place) { write(value, at: place.key, in: place.object) }
    case .whole:
      return signal(.notAvailable("writing a whole collection"))
    }
  }

  /// Does something with a place of a store whose reference may have been made for that alone, and
  /// which nobody else may know any more.
  private func rooting(_ place: Place, _ body: () -> Value) -> Value {
    let root = roots.count
    roots.append(place.object)
    roots.append(place.key)
    defer { dropRoots(to: root) }
    return body()
  }

  // MARK: Components

  /// The text that a value is in a path.
  ///
  /// - Returns: nil when an exception was signalled for it.
  func pathText(_ value: Value) -> String? {
    if value.isUnwind { return nil }
    if let text = text(value) { return text }
    if value.isNil {
      _ = signal(.invalidArgument("a component of a path", found: "nil"))
      return nil
    }
    let shown = send(selector("displayString"), to: value)
    if shown.isUnwind { return nil }
    if let text = text(shown) { return text }
    let expected = "a string from 'displayString' of \(describe(value))"
    _ = signal(.invalidArgument(expected, found: describe(shown)))
    return nil
  }

  /// The texts that the elements of a collection are in a path.
  ///
  /// - Returns: nil when an exception was signalled.
  func pathTexts(_ value: Value) -> [String]? {
    if value.isUnwind { return nil }
    guard classInfo(of: value).lookUp(selector("asArray")) != nil else {
      _ = signal(.invalidArgument("a collection of components", found: describe(value)))
      return nil
    }
    let array = send(selector("asArray"), to: value)
    if array.isUnwind { return nil }
    guard array.isObject(ofClass: ClassIndex.array) else {
      _ = signal(
        .invalidArgument("an array from 'asArray' of \(describe(value))", found: describe(array)))
      return nil
    }
    roots.append(array)
    defer { roots.removeLast() }
    var texts: [String] = []
    for index in 0..<ObjectRef(array).elementCount {
      guard let text = pathText(ObjectRef(array)[element: index]) else { return nil }
      texts.append(text)
    }
    return texts
  }

  /// Does something with the object that a property reference begins at, and with its names.
  func withPath(of reference: Value, _ body: (Value, [Value]) -> Value) -> Value {
    var base = ObjectRef(reference)[slot: 0]
    // An object may have a 'value' of its own.
    if isReferenceToPlace(base) { base = send(selector("value"), to: base) }
    if base.isUnwind { return base }
    let names = ObjectRef(reference)[slot: 1]
    guard names.isObject(ofClass: ClassIndex.array) else {
      return signal(.invalidArgument("the names of a path", found: describe(names)))
    }
    let elements = (0..<ObjectRef(names).elementCount).map { ObjectRef(names)[element: $0] }
    // The program may write into the array meanwhile.
    let root = roots.count
    roots.append(contentsOf: elements)
    defer { dropRoots(to: root) }
    return body(base, elements)
  }

  /// Whether what a property reference begins at is a place, and not the object that has the property.
  private func isReferenceToPlace(_ base: Value) -> Bool {
    base.isObject && ["VariableReference", "EntryReference"].contains(classInfo(of: base).name)
  }
}

extension Expression {
  /// The instance variable that the expression names, if it is nothing but that.
  fileprivate var instanceVariableName: String? {
    switch self {
    case .name(let name): return name.name.text
    case .identifier(let identifier):
      guard let place = VariablePlace(identifier), place.properties.isEmpty else { return nil }
      return place.name.text
    default: return nil
    }
  }
}
