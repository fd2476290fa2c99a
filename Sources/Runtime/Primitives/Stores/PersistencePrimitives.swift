internal import TenonStoreKit

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
    Primitive("beginTransaction", "Begins a batch; answers how many changes were in one before.") {
      machine, arguments in
      Value(small: machine.durableStore(arguments.receiver)?.beginBatch(keepsUndo: true) ?? 0)
    },
    Primitive("endTransaction", "Ends the batch that was begun last.") {
      machine, arguments throws(Failure) in
      do throws(StoreError) {
        try machine.durableStore(arguments.receiver)?.endBatch()
      } catch {
        throw .store(error)
      }
      return arguments.receiver
    },
    Primitive("takeBackTo: count", "Takes back the changes of the batch after so many.") {
      machine, arguments throws(Failure) in
      let count = try machine.integer(arguments[0])
      machine.durableStore(arguments.receiver)?.takeBackBatch(to: count)
      return machine.takeUpStoredChanges().isUnwind ? .unwind : arguments.receiver
    },
  ]
}

extension Machine {
  fileprivate func durableStore(_ value: Value) -> (any DurableStore)? {
    nativeStore(value) as? any DurableStore
  }
}
