internal import TenonNumerics

extension Primitive {
  static let dictionary = lookups(byIdentity: false) + entryChanges(byIdentity: false)
  static let identityDictionary = lookups(byIdentity: true) + entryChanges(byIdentity: true)
  static let set = set(byIdentity: false)
  static let identitySet = set(byIdentity: true)

  static let bag: [Primitive] = [
    Primitive(
      "addUnwatched: element", "Private: adds element where nobody watches; whether it did."
    ) {
      machine, arguments throws(Failure) in
      let bag = ObjectRef(arguments.receiver)
      guard let counts = unwatchedCounts(of: bag, machine) else { return .false }
      let finding = machine.find(arguments[0], in: counts, byIdentity: false)
      if case .unwound = finding { return .unwind }
      // The element may have been asked, and have changed anything: counts, size and version.
      guard unwatchedCounts(of: bag, machine) == counts, let size = next(bag[slot: 1]),
        let version = next(bag[slot: 2])
      else { return .false }
      let table = HashTable(counts)
      switch finding {
      case .found(let number):
        guard let count = next(table.value(of: number)) else { return .false }
        table.setValue(count, of: number)
      case .absent(let hash):
        try table.insert(arguments[0], Value(small: 1), hash: hash, machine)
      case .unwound: break
      }
      bag[slot: 1] = size
      bag[slot: 2] = version
      return .true
    }
  ]

  static let hashedCollection: [Primitive] = [
    Primitive("removeAll", "Removes all entries.") { machine, arguments throws(Failure) in
      try machine.removeEntries(of: arguments.receiver)
    }
  ]

  private static func lookups(byIdentity: Bool) -> [Primitive] {
    [
      Primitive("at: key", "The value at key; an error when there is none.") {
        machine, arguments in
        lookUp(machine, arguments, byIdentity) {
          machine.send(
            machine.selector("keyNotFound:"), to: arguments.receiver, arguments[0])
        }
      },
      Primitive("at: key ifAbsent: aBlock", "The value at key, or what aBlock answers.") {
        machine, arguments in
        lookUp(machine, arguments, byIdentity) { machine.evaluateBlock(arguments[1]) }
      },
      Primitive(
        "at: key ifPresent: aBlock ifAbsent: absentBlock",
        "What aBlock answers for the value at key, or else absentBlock."
      ) { machine, arguments in
        lookUp(
          machine, arguments, byIdentity, found: { machine.evaluateBlock(arguments[1], $0) },
          absent: { machine.evaluateBlock(arguments[2]) })
      },
      Primitive("includesKey: key", "Whether there is a value at key.") { machine, arguments in
        machine.includes(arguments[0], in: arguments.receiver, byIdentity: byIdentity)
      },
    ]
  }

  private static func entryChanges(byIdentity: Bool) -> [Primitive] {
    [
      Primitive("at: key put: value", "Stores value at key; answers value.") {
        machine, arguments throws(Failure) in
        let finding = machine.find(arguments[0], in: arguments.receiver, byIdentity: byIdentity)
        return try put(
          machine, arguments[1], at: arguments[0], finding, in: HashTable(arguments.receiver))
      },
      Primitive("removeKey: key ifAbsent: aBlock", "Removes the key; answers its value.") {
        machine, arguments throws(Failure) in
        try removeEntry(machine, arguments, byIdentity) { $0.value(of: $1) }
      },
    ]
  }

  private static func set(byIdentity: Bool) -> [Primitive] {
    [
      Primitive("add: element", "Adds element unless an equal one is there; answers it.") {
        machine, arguments throws(Failure) in
        let finding = machine.find(arguments[0], in: arguments.receiver, byIdentity: byIdentity)
        switch finding {
        case .found: return arguments[0]
        case .absent(let hash):
          let table = HashTable(arguments.receiver)
          return try machine.changeElements(of: table.object, answering: arguments[0]) {
            () throws(Failure) in
            machine.logEntry(arguments[0], finding, in: table)
            try table.insert(arguments[0], .nil, hash: hash, machine)
            machine.logInserted(in: table)
          }
        case .unwound: return .unwind
        }
      },
      Primitive("includes: element", "Whether an equal element is there.") {
        machine, arguments in
        machine.includes(arguments[0], in: arguments.receiver, byIdentity: byIdentity)
      },
      Primitive("remove: element ifAbsent: aBlock", "Removes the equal element; answers it.") {
        machine, arguments throws(Failure) in
        try removeEntry(machine, arguments, byIdentity) { _, _ in arguments[0] }
      },
    ]
  }

  /// The dictionary in which a bag counts, if nobody watches either.
  private static func unwatchedCounts(of bag: ObjectRef, _ machine: Machine) -> Value? {
    let counts = bag[slot: 0]
    guard counts.isObject(ofClass: machine.kernel.dictionary.index) else { return nil }
    let flags = bag.flags | ObjectRef(counts).flags
    return flags & (ObjectFlag.watched | ObjectFlag.immutable) == 0 ? counts : nil
  }

  /// The small integer behind a small integer, if there is one.
  private static func next(_ value: Value) -> Value? {
    value.asSmallInteger.flatMap { Value(exactlySmall: $0 &+ 1) }
  }

  /// Looks the first argument up in the receiver.
  @inline(__always)
  private static func lookUp(
    _ machine: Machine, _ arguments: Arguments, _ byIdentity: Bool,
    found: (Value) -> Value = { $0 },
    absent: () -> Value
  ) -> Value {
    switch machine.find(arguments[0], in: arguments.receiver, byIdentity: byIdentity) {
    case .found(let number): found(HashTable(arguments.receiver).value(of: number))
    case .absent: absent()
    case .unwound: .unwind
    }
  }

  /// Removes the entry of the first argument from the receiver; without one the second is evaluated.
  @inline(__always)
  private static func removeEntry(
    _ machine: Machine, _ arguments: Arguments, _ byIdentity: Bool,
    answering value: (HashTable, Int) -> Value
  ) throws(Failure) -> Value {
    let table = HashTable(arguments.receiver)
    let finding = machine.find(arguments[0], in: arguments.receiver, byIdentity: byIdentity)
    switch finding {
    case .found(let number):
      return try machine.changeElements(of: table.object, answering: value(table, number)) {
        machine.logEntry(arguments[0], finding, in: table)
        machine.logRemoved(number, in: table)
        table.remove(number)
      }
    case .absent: return machine.evaluateBlock(arguments[1])
    case .unwound: return .unwind
    }
  }

  /// Stores a value at a key for which a table was searched; answers the value.
  private static func put(
    _ machine: Machine, _ value: Value, at key: Value, _ finding: Machine.Finding,
    in table: HashTable
  ) throws(Failure) -> Value {
    if case .unwound = finding { return .unwind }
    return try machine.changeElements(of: table.object, at: key, answering: value) {
      () throws(Failure) in
      machine.logEntry(key, finding, in: table)
      switch finding {
      case .found(let number): table.setValue(value, of: number)
      case .absent(let hash):
        try table.insert(key, value, hash: hash, machine)
        machine.logInserted(in: table)
      case .unwound: break
      }
    }
  }
}

extension Machine {
  fileprivate func removeEntries(of collection: Value) throws(Failure) -> Value {
    let table = HashTable(collection)
    if table.count == 0 {
      table.clear()
      return collection
    }
    return try changeElements(of: table.object, answering: collection) {
      logEntries(of: table)
      table.clear()
    }
  }

  fileprivate func includes(_ key: Value, in collection: Value, byIdentity: Bool) -> Value {
    switch find(key, in: collection, byIdentity: byIdentity) {
    case .found: .true
    case .absent: .false
    case .unwound: .unwind
    }
  }
}
