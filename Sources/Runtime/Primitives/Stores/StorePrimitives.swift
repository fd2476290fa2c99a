internal import TenonParser
internal import TenonStoreKit
internal import TenonText

// The folder Stores: primitives of stores and references. The verbs themselves are in References.

extension Primitive {
  static let store: [Primitive] = [
    Primitive("reference: path", "The reference of a path in a store without a scheme.") {
      machine, arguments throws(Failure) in
      let path = try machine.swiftString(arguments[0])
      let components = path.parts(between: UInt8(ascii: "/"))
      do throws(StoreError) {
        return machine.makeReference(try Reference(scheme: "", components: components))
      } catch {
        throw .store(error)
      }
    }
  ]

  static let memoryStore: [Primitive] = [
    Primitive("get: reference", "What is at a reference; nil when nothing is.") {
      machine, arguments throws(Failure) in
      // A formula that sends the message itself reads the place like one that names it.
      if machine.recorder != nil {
        let key = try machine.reference(arguments[0], in: arguments.receiver)
        machine.recordRead(of: key, in: arguments.receiver)
      }
      return try machine.memoryValue(at: arguments[0], in: arguments.receiver)
    },
    Primitive("put: value at: reference", "Stores a value at a reference; answers it.") {
      machine, arguments throws(Failure) in
      try machine.setMemoryValue(arguments[0], at: arguments[1], in: arguments.receiver)
    },
  ]

  static let referenceParts: [Primitive] = [
    Primitive("asDirectory", "The reference to everything below the place.") {
      machine, arguments throws(Failure) in
      let reference = try machine.reference(arguments.receiver)
      do throws(StoreError) {
        return machine.makeReference(
          try Reference(
            scheme: reference.scheme, authority: reference.authority,
            components: reference.components, isAbsolute: reference.isAbsolute, isDirectory: true))
      } catch {
        throw .store(error)
      }
    },
    Primitive("isDirectory", "Whether everything below the place is meant.") {
      machine, arguments throws(Failure) in
      Value(try machine.reference(arguments.receiver).isDirectory)
    },
  ]

  static let nativeStore: [Primitive] = [
    Primitive("get: reference", "What is at a place, or nil.") {
      machine, arguments throws(Failure) in
      try machine.readNative(arguments[0], from: arguments.receiver)
    },
    Primitive("exists: reference", "Whether anything is at a place, whatever it is.") {
      machine, arguments throws(Failure) in
      try machine.exists(arguments[0], in: arguments.receiver)
    },
    Primitive("put: value at: reference", "Replaces what is at a place; answers value.") {
      machine, arguments throws(Failure) in
      try machine.writeNative(arguments[0], at: arguments[1], in: arguments.receiver)
    },
    Primitive("delete: reference", "Removes what is there; answers whether anything was.") {
      machine, arguments throws(Failure) in
      try machine.deleteNative(arguments[0], in: arguments.receiver)
    },
    Primitive("post: value to: reference", "Adds value below a place; answers its reference.") {
      machine, arguments throws(Failure) in
      _ = try machine.openedStore(arguments.receiver)
      return machine.post(arguments[0], to: arguments[1], in: arguments.receiver)
    },
    Primitive("list: reference", "The names directly below a place.") {
      machine, arguments throws(Failure) in
      _ = try machine.openedStore(arguments.receiver)
      return try machine.list(arguments[0], in: arguments.receiver)
    },
    Primitive("get: reference if: condition", "What is at a place if a precondition holds.") {
      machine, arguments throws(Failure) in
      try machine.readNative(arguments[0], from: arguments.receiver, if: arguments[1])
    },
    Primitive(
      "put: value at: reference if: condition", "Replaces what is at a place, conditionally."
    ) { machine, arguments throws(Failure) in
      try machine.writeNative(
        arguments[0], at: arguments[1], in: arguments.receiver, if: arguments[2])
    },
    Primitive("delete: reference if: condition", "Removes what is there, conditionally.") {
      machine, arguments throws(Failure) in
      try machine.deleteNative(arguments[0], in: arguments.receiver, if: arguments[1])
    },
    Primitive("makeDirectory: reference", "Makes a directory, and those above it.") {
      machine, arguments throws(Failure) in
      let receiver = arguments.receiver
      return try machine.change(arguments[0], in: receiver, .makeDirectory) {
        (store, place) throws(StoreError) in
        try store.makeDirectory(place)
        return receiver
      }
    },
    Primitive("deleteTree: reference", "Removes what is there and all below it.") {
      machine, arguments throws(Failure) in
      try machine.change(arguments[0], in: arguments.receiver, .deleteTree) {
        (store, place) throws(StoreError) in Value(try store.deleteTree(place))
      }
    },
    Primitive("move: reference to: another if: condition", "Gives it another place.") {
      machine, arguments throws(Failure) in
      let destination = try machine.reference(arguments[1])
      let precondition = try machine.asPrecondition(arguments[2])
      let target = arguments[1]
      let answer = try machine.change(arguments[0], in: arguments.receiver, .move) {
        (store, place) throws(StoreError) in
        try store.move(place, to: destination, if: precondition)
        return target
      }
      if answer.isUnwind { return answer }
      machine.didChangeStore(
        machine.makeReference(destination.asDirectory), in: arguments.receiver)
      machine.didChangeTree(destination, in: arguments.receiver)
      return machine.settleObservers(answering: answer)
    },
    Primitive("mergeNatively: patch at: reference if: condition", "Has the store merge by itself.")
    {
      machine, arguments throws(Failure) in
      try machine.merge(
        arguments[0], at: arguments[1], in: arguments.receiver, if: arguments[2])
    },
    Primitive("perform: command with: value at: reference", "Has the store carry out a command.") {
      machine, arguments throws(Failure) in
      try machine.perform(arguments[0], arguments[1], at: arguments[2], in: arguments.receiver)
    },
    Primitive("flush", "Makes what was written as durable as it can be.") {
      machine, arguments throws(Failure) in
      let store = try machine.openedStore(arguments.receiver)
      try machine.storing("put") { () throws(StoreError) in try store.flush() }
      return arguments.receiver
    },
    Primitive("close", "Ends the use of the store.") { machine, arguments throws(Failure) in
      let store = try machine.openedStore(arguments.receiver)
      try machine.storing("put") { () throws(StoreError) in try store.close() }
      return arguments.receiver
    },
    Primitive("answersLater", "Whether its verbs may take time.") { machine, arguments in
      Value(machine.nativeStore(arguments.receiver)?.executor != nil)
    },
    Primitive("verbs", "The verbs that it has.") { machine, arguments in
      let verbs = machine.nativeStore(arguments.receiver)?.capabilities.verbs ?? []
      return machine.makeArray(verbs.map { machine.symbol($0.rawValue) })
    },
    Primitive("durability", "What a write survives: #none, #process or #power.") {
      machine, arguments in
      switch machine.nativeStore(arguments.receiver)?.capabilities.durability {
      case .power: machine.symbol("power")
      case .process: machine.symbol("process")
      case .some(.none), nil: machine.symbol("none")
      }
    },
    Primitive("contentTypeOf: reference", "What a resource at a place is: 'text/plain'.") {
      machine, arguments throws(Failure) in
      let place = try machine.reference(arguments[0])
      return machine.makeString(
        machine.nativeStore(arguments.receiver)?.contentType(of: place) ?? "")
    },
    Primitive("statusPartsOf: reference", "What is known of a place, as an array; nil for nothing.")
    {
      machine, arguments throws(Failure) in
      try machine.status(of: arguments[0], in: arguments.receiver)
    },
    Primitive("isExternal", "Whether it lies outside the process.") { machine, arguments in
      Value(machine.nativeStore(arguments.receiver)?.capabilities.isExternal ?? false)
    },
  ]

  static let resourceStatusClass: [Primitive] = [
    Primitive("tagOf: anObject", "What tells its text or JSON from that of others.") {
      machine, arguments throws(Failure) in try machine.tag(of: arguments[0])
    }
  ]

  static let scheme: [Primitive] = [
    Primitive("get: reference", "What the get handler of the fitting path answers.", getDescribed),
    Primitive("put: value at: reference", "Runs the put handler; answers value.", putDescribed),
    Primitive("post: value to: reference", "What the post handler answers.", postDescribed),
    Primitive("delete: reference", "Runs the delete handler; answers true.", deleteDescribed),
  ]

  static let objectStore: [Primitive] = [
    Primitive(
      "countDescribed: names in: anObject",
      "Private: how many names lead to one place as a path of its class says; 0 for no such path."
    ) { machine, arguments throws(Failure) in
      let names = try machine.array(arguments[0])
      return Value(
        small: machine.countDescribed(
          (0..<names.elementCount).map { names[element: $0] }, of: arguments[1]))
    },
    Primitive("describesPost: anObject", "Private: whether a path of its class has a post handler.")
    { machine, arguments in
      Value(
        arguments[0].isObject
          && machine.propertyPaths(of: arguments[0]).contains { $0.handlers[.post] != nil })
    },
  ]

  static let describedPlaces: [Primitive] = [
    Primitive("describes: reference", "Private: whether a property path of its class fits.") {
      machine, arguments throws(Failure) in
      let components = try machine.reference(arguments[0]).components
      return Value(
        machine.propertyPaths(of: arguments.receiver).contains {
          $0.arguments(for: components) != nil
        })
    },
    Primitive("getDescribed: reference", "Private: what the get handler answers.", getDescribed),
    Primitive(
      "putDescribed: value at: reference", "Private: runs the put handler; answers value.",
      putDescribed),
    Primitive(
      "postDescribed: value to: reference", "Private: what the post handler answers.",
      postDescribed),
    Primitive(
      "deleteDescribed: reference", "Private: runs the delete handler; answers true.",
      deleteDescribed),
  ]

  private static let getDescribed: Body = { machine, arguments throws(Failure) in
    try machine.handle(.get, at: arguments[0], in: arguments.receiver)
  }

  private static let putDescribed: Body = { machine, arguments throws(Failure) in
    let answer = try machine.handle(
      .put, at: arguments[1], in: arguments.receiver, newValue: arguments[0])
    return answer.isUnwind ? answer : arguments[0]
  }

  private static let postDescribed: Body = { machine, arguments throws(Failure) in
    try machine.handle(.post, at: arguments[1], in: arguments.receiver, newValue: arguments[0])
  }

  private static let deleteDescribed: Body = { machine, arguments throws(Failure) in
    let answer = try machine.handle(.delete, at: arguments[0], in: arguments.receiver)
    return answer.isUnwind ? answer : .true
  }

  static let schemeTable: [Primitive] = [
    Primitive("get: reference", "The store of a scheme, or nil.") {
      machine, arguments throws(Failure) in
      let name = try machine.schemeName(arguments[0])
      return machine.hasScheme(name) ? machine.schemeCell(named: name)[slot: 0] : .nil
    },
    Primitive("put: value at: reference", "Mounts a store as a scheme; answers it.") {
      machine, arguments throws(Failure) in
      let name = try machine.schemeName(arguments[1])
      guard machine.isStore(arguments[0]) else {
        throw .invalidArgument("a store", found: machine.describe(arguments[0]))
      }
      machine.mount(arguments[0], as: name)
      return arguments[0]
    },
    Primitive("delete: reference", "Unmounts a scheme; answers whether there was one.") {
      machine, arguments throws(Failure) in
      let name = try machine.schemeName(arguments[0])
      guard machine.hasScheme(name) else { return .false }
      machine.mount(.nil, as: name)
      return .true
    },
    Primitive("list: reference", "The names of the schemes.") { machine, _ in
      machine.makeArray(machine.schemeNames.map { machine.makeString($0) })
    },
  ]

  static let reference: [Primitive] = [
    Primitive("pathKey", "Private: the components in one text, parted by what none of them holds.")
    {
      machine, arguments throws(Failure) in
      try machine.pathKey(of: arguments.receiver)
    },
    Primitive("store", "The store of the reference's scheme.") {
      machine, arguments throws(Failure) in
      try machine.store(of: arguments.receiver)
    },
    Primitive("schemeExists", "Whether the reference's scheme has a store.") {
      machine, arguments throws(Failure) in
      Value(machine.hasScheme(try machine.reference(arguments.receiver).scheme))
    },
    Primitive("value", "What is there, or nil.") { machine, arguments throws(Failure) in
      machine.get(arguments.receiver, from: try machine.store(of: arguments.receiver))
    },
    Primitive("value: anObject", "Replaces what is there; answers it.") {
      machine, arguments throws(Failure) in
      machine.write(
        arguments[0], at: arguments.receiver, in: try machine.store(of: arguments.receiver))
    },
    Primitive("delete", "Removes what is there; answers whether anything was.") {
      machine, arguments throws(Failure) in
      machine.delete(arguments.receiver, in: try machine.store(of: arguments.receiver))
    },
    Primitive("value: anObject if: condition", "Replaces what is there if a precondition holds.") {
      machine, arguments throws(Failure) in
      _ = try machine.asPrecondition(arguments[1])
      return machine.write(
        arguments[0], at: arguments.receiver, in: try machine.store(of: arguments.receiver),
        if: arguments[1])
    },
    Primitive("valueIf: condition", "What is there if a precondition holds.") {
      machine, arguments throws(Failure) in
      _ = try machine.asPrecondition(arguments[0])
      return machine.get(
        arguments.receiver, from: try machine.store(of: arguments.receiver), if: arguments[0])
    },
    Primitive("deleteIf: condition", "Removes what is there if a precondition holds.") {
      machine, arguments throws(Failure) in
      _ = try machine.asPrecondition(arguments[0])
      return machine.delete(
        arguments.receiver, in: try machine.store(of: arguments.receiver), if: arguments[0])
    },
    Primitive("isPrefixOf: other", "Whether other names this place or one below it.") {
      machine, arguments throws(Failure) in
      Value(
        try machine.reference(arguments.receiver).isPrefix(
          of: try machine.reference(arguments[0])))
    },
    Primitive("queryAt: key", "The value of a key of the query; nil for none.") {
      machine, arguments throws(Failure) in
      let key = try machine.swiftString(arguments[0])
      let pair = try machine.reference(arguments.receiver).query.first { $0.key == key }
      return pair.map { machine.makeString($0.value ?? "") } ?? .nil
    },
    Primitive("withComponents: names", "The reference with other components, which are names.") {
      machine, arguments throws(Failure) in
      let reference = try machine.reference(arguments.receiver)
      let components = try machine.texts(arguments[0])
      // What leads up was written into the reference, and stays; a name that is given never does.
      let kept = zip(reference.components, components).prefix { $0.hasSameBytes(as: $1) }.count
      do throws(StoreError) {
        // An empty one is said to be that.
        let name = components.dropFirst(kept).first { !$0.isEmpty && !Reference.isName($0) }
        if let name {
          throw Reference.refusal(
            of: name, in: reference.scheme + ":" + components.joined(separator: "/"))
        }
        return machine.makeReference(
          try Reference(
            scheme: reference.scheme, authority: reference.authority, components: components,
            isAbsolute: reference.isAbsolute))
      } catch {
        throw .store(error)
      }
    },
  ]

  static let variableReference: [Primitive] = [
    Primitive("value", "What the variable holds.") { machine, arguments throws(Failure) in
      let (object, slot) = try machine.variable(arguments.receiver)
      let value = machine.value(at: .slot(object, slot))
      return value.isUndefined ? .nil : value
    },
    Primitive("value: anObject", "Assigns the variable; answers anObject.") {
      machine, arguments throws(Failure) in
      let (object, slot) = try machine.variable(arguments.receiver)
      return machine.assign(arguments[0], to: .slot(object, slot))
    },
    Primitive("= other", "Whether other is a reference to the same variable.") {
      machine, arguments throws(Failure) in
      let other = arguments[0]
      guard machine.classInfo(of: other) === machine.classInfo(of: arguments.receiver) else {
        return .false
      }
      let (object, slot) = try machine.variable(arguments.receiver)
      let (otherObject, otherSlot) = try machine.variable(other)
      return Value(object == otherObject && slot == otherSlot)
    },
    Primitive("hash", "A number that references to the same variable have in common.") {
      machine, arguments throws(Failure) in
      let (object, slot) = try machine.variable(arguments.receiver)
      return Value(small: (machine.identityHash(Value(object)) &+ slot) & HashLimits.mask)
    },
  ]

  static let propertyReference: [Primitive] = [
    Primitive("value", "What is at the place; nil behind a nil.") { machine, arguments in
      machine.withPath(of: arguments.receiver) { object, names in
        machine.follow(names, from: object)
      }
    },
    Primitive("value: anObject", "Replaces what is at the place; answers anObject.") {
      machine, arguments in
      machine.withPath(of: arguments.receiver) { object, names in
        machine.put(arguments[0], at: names, of: object)
      }
    },
    Primitive("delete", "Removes what is at the place; answers whether anything was.") {
      machine, arguments in
      machine.withPath(of: arguments.receiver) { object, names in
        machine.delete(names, of: object)
      }
    },
    Primitive("post: anObject", "Adds to what is at the place, as += does.") {
      machine, arguments in
      machine.withPath(of: arguments.receiver) { object, names in
        machine.post(arguments[0], to: names, of: object)
      }
    },
    Primitive("lacksPlace", "Private: whether an object on the way has no such property.") {
      machine, arguments in
      machine.withPath(of: arguments.receiver) { object, names in
        machine.lacksPlace(names, from: object)
      }
    },
  ]
}

extension Machine {

  /// The store that a reference's scheme stands for.
  fileprivate func store(of reference: Value) throws(Failure) -> Value {
    guard isReference(reference) else {
      throw .invalidArgument("a reference", found: describe(reference))
    }
    let name = text(ObjectRef(reference)[slot: ReferenceSlot.scheme]) ?? ""
    guard hasScheme(name) else { throw .unknownScheme(name, self) }
    return schemeCell(named: name)[slot: 0]
  }

  /// The scheme that a reference in the table of schemes names.
  fileprivate func schemeName(_ reference: Value) throws(Failure) -> String {
    let reference = try self.reference(reference)
    guard reference.components.count == 1 else {
      throw .store(StoreError(.invalidReference, reference, "a scheme is one name"))
    }
    return reference.components[0]
  }

  /// The slot that a variable reference stands for.
  ///
  /// - Throws: a failure for one that a program has made itself, and that stands for none.
  func variable(_ value: Value) throws(Failure) -> (ObjectRef, Int) {
    let (owner, slot) = (ObjectRef(value)[slot: 0], ObjectRef(value)[slot: 1])
    guard owner.isObject, ObjectRef(owner).hasFormat(.slots), let slot = slot.asSmallInteger,
      slot >= 0, slot < ObjectRef(owner).slotCount
    else { throw .invalidArgument("a reference to a variable", found: describe(value)) }
    return (ObjectRef(owner), slot)
  }
}
