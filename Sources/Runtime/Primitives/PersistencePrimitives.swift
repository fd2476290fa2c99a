extension Primitive {
  static let persistentStore: [Primitive] = [
    Primitive("path", "The path of its directory.") { machine, arguments in
      machine.durableStore(arguments.receiver).map { machine.makeString($0.path) } ?? .nil
    },
    Primitive("level", "What a write survives: #fast, #journal or #full.") {
      machine, arguments in
      machine.durableStore(arguments.receiver).map { machine.symbol($0.levelName) } ?? .nil
    },
    Primitive(
      "state",
      "How things stand: #live; #degraded as long as the disk refuses something; #readOnly; #closed."
    ) { machine, arguments in
      machine.durableStore(arguments.receiver).map { machine.symbol($0.stateName) } ?? .nil
    },
    Primitive("lastError", "What the disk refuses at present, as a text, or nil.") {
      machine, arguments in
      let error = machine.durableStore(arguments.receiver)?.lastError
      return error.map { machine.makeString($0.description) } ?? .nil
    },
    Primitive("unsavedCount", "How many references wait to be written to their files.") {
      machine, arguments in
      Value(small: machine.durableStore(arguments.receiver)?.unsavedCount ?? 0)
    },
  ]
}

extension Machine {
  fileprivate func durableStore(_ value: Value) -> (any DurableStore)? {
    nativeStore(value) as? any DurableStore
  }
}
