extension Primitive {
  static let persistentStoreClass: [Primitive] = [
    Primitive(
      "open: aPath level: aLevel readOnly: aBoolean",
      "The store in the directory at aPath, opened; at: and its like say more."
    ) { machine, arguments throws(Failure) in
      let path = try machine.swiftString(arguments[0])
      let level = try machine.swiftString(arguments[1])
      guard let source = machine.persistence else { throw .noPersistence() }
      guard ["fast", "journal", "full"].contains(level) else {
        throw .invalidArgument(
          "#fast, #journal or #full", found: machine.describe(arguments[1]))
      }
      do throws(StoreError) {
        let store = try source.open(path, level: level, isReadOnly: arguments[2].isTrue)
        return machine.makeNativeStore(store, className: "PersistentStore")
      } catch {
        throw .store(error)
      }
    }
  ]

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

  /// Closes all stores written in Swift, in the order in which they were made.
  ///
  /// - Returns: What could not be made durable.
  package func closeStores() -> [StoreError] {
    var errors: [StoreError] = []
    for entry in nativeStores {
      do throws(StoreError) {
        try entry.store.close()
      } catch {
        errors.append(error)
      }
    }
    return errors
  }
}
