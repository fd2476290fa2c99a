internal import TenonStoreKit
internal import TenonTables

// What one turn, or one `atomically:`, writes to a store that survives the program is one batch of the store:
// after a crash all of it is found, or none.

/// The stores that keep what this turn writes to them together.
struct OpenBatches {
  fileprivate var stores: [any DurableStore] = []
  /// Whether the program itself has written in it, and no connection.
  fileprivate var isOfProgram = false

  var isEmpty: Bool { stores.isEmpty }
}

extension Machine {
  /// Has a store keep what it is about to be given together with what else this turn gives it.
  func joinBatch(_ store: any Store) {
    guard isInTurn else {
      // Whatever has left a turn in another way than by its end.
      if !stores.batches.isEmpty { _ = endBatches() }
      return
    }
    guard let store = store as? any DurableStore else { return }
    if graph.atomicDepth > 0, !graph.isSettling, !graph.watchers.observers.isTelling {
      stores.batches.isOfProgram = true
    }
    if stores.batches.stores.contains(where: { $0 === store }) { return }
    _ = store.beginBatch(keepsUndo: false)
    stores.batches.stores.append(store)
    graph.words[0][.batches] = true
  }

  /// Whether something is under way that ends by bringing connections up to date.
  var isInTurn: Bool {
    graph.atomicDepth > 0 || graph.isSettling || graph.watchers.observers.isTelling
  }

  /// Ends the batches of a turn.
  ///
  /// - Returns: Why what the program itself has written is not as durable as it should be; what
  ///   connections have written stays written, and the store tells of the trouble.
  func endBatches() -> StoreError? {
    let ended = stores.batches
    stores.batches = OpenBatches()
    graph.words[0][.batches] = false
    var failure: StoreError?
    for store in ended.stores {
      do throws(StoreError) {
        try store.endBatch()
      } catch {
        failure = failure ?? error
      }
    }
    return ended.isOfProgram ? failure : nil
  }

  /// Ends the batches of a turn that is over.
  ///
  /// - Returns: the answer, or `unwind`.
  @inline(never)
  func endBatches(answering value: Value) -> Value {
    guard !isInTurn, graph.runningNumber < 0 else { return value }
    // Storing runs no code of the language: the answer is safe meanwhile.
    guard let error = endBatches(), !value.isUnwind else { return value }
    return signal(.store(error))
  }
}
