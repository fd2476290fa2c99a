extension Primitive {
  static let nativeStoreClass: [Primitive] = [
    Primitive(
      "open: kind at: reference options: texts", "Opens a store; texts are keys and values."
    ) {
      machine, arguments throws(Failure) in
      try machine.openStore(
        try machine.swiftString(arguments[0]), at: arguments[1], arguments[2])
    }
  ]

  static let keptObjects: [Primitive] = [
    Primitive("modelState", "The values of the variables of an object of the program, or nil.") {
      machine, arguments in
      machine.modelState(of: arguments.receiver)
    }
  ]

  static let keptPlaces: [Primitive] = [
    Primitive(
      "deleteProperty: reference", "Has a property of a kept object hold nil, if it is one."
    ) {
      machine, arguments throws(Failure) in
      let (store, reference) = (arguments.receiver, arguments[0])
      guard let place = try machine.placeInKeptObject(reference, in: store) else { return .false }
      let held = machine.value(at: place)
      if held.isUnwind || held.isNil { return held.isUnwind ? .unwind : .nil }
      let answer = try machine.assign(.nil, to: place, of: reference, in: store)
      return answer.isUnwind ? .unwind : .true
    },
    Primitive("isProperty: reference", "Whether it is the place of a property of a kept object.") {
      machine, arguments throws(Failure) in
      Value(try machine.keptPlace(at: arguments[0], in: arguments.receiver) != nil)
    },
    Primitive("mayKeepObjects", "Whether a store in memory has ever got an object of the program.")
    {
      machine, _ in
      Value(machine.stores.keepsObjects)
    },
    Primitive(
      "noteContent: reference", "Tells who watches the store that an object in it has changed."
    ) {
      machine, arguments in
      machine.didChangeStore(arguments[0], in: arguments.receiver)
      return machine.settleObservers(answering: arguments.receiver)
    },
  ]

  static let memoryDirectories: [Primitive] = [
    Primitive("hasPlacesBelow: reference", "Whether there are values below a reference.") {
      machine, arguments throws(Failure) in
      Value(
        try machine.hasPlaces(
          below: try machine.pathKey(of: arguments[0]), in: arguments.receiver))
    },
    Primitive("noteRemoved: reference held: value", "Private.") {
      machine, arguments throws(Failure) in
      let store = arguments.receiver
      let entries = HashTable(try machine.entries(of: store))
      machine.didRemove(try machine.pathKey(of: arguments[0]), in: store, entries)
      machine.didReplaceObject(arguments[1], by: .nil, at: arguments[0], in: store)
      return try machine.didComeOrGo(at: arguments[0], in: store, before: arguments[1])
    },
  ]
}
