package import TenonStoreKit

/// The end of a program: what it has put off is done then, and what cannot be done is told.
extension Machine {
  /// Runs the loop until nothing can come any more.
  ///
  /// What was put off is not waited for when nothing else is: it is done at once.
  package func runLoop() -> RunOutcome {
    withEntry {
      defer { loop.isEnding = false }
      while true {
        if turnAndWait().isUnwind, let outcome = endOfTurn() { return ending(outcome) }
        guard loop.isLive || loop.coroutines.wakeStuck() else { return .finished(nilHandle) }
        // What was put off may have begun something else.
        loop.isEnding = loop.isDoneButForPutOff
        guard loop.isEnding else { continue }
        if turnWithoutWaiting().isUnwind, let outcome = endOfTurn() { return ending(outcome) }
      }
    }
  }

  /// Notes when somebody does not wait for what was put off.
  private func ending(_ outcome: RunOutcome) -> RunOutcome {
    if loop.isEnding, case .interrupted = outcome { session.isAbandoned = true }
    return outcome
  }

  /// Closes all stores.
  ///
  /// Those of the language do what they have put off, however the program has ended, and then those
  /// written in Swift are closed, in the order in which they were made.
  /// An interrupt ends what the stores of the language do; then they only tell what is left.
  ///
  /// - Returns: What could not be made durable.
  package func closeStores() -> [StoreError] {
    let unwritten = unwrittenPlaces
    endCoroutines()
    var errors = unwritten + withEntry { finishStores() } + stores.streams.end()
    for entry in stores.native {
      do throws(StoreError) { try entry.store.close() } catch {
        errors.append(error)
      }
    }
    return errors
  }

  /// What connections have begun to write to stores that take time, and have not ended: the normal end of a
  /// program waits for it, others do not.
  private var unwrittenPlaces: [StoreError] {
    stores.coming.entries.filter(\.value.isWriting).keys
      .map { place in
        var error = StoreError(
          .unavailable, referenceText(place.key),
          "a connection was still writing it when the program ended")
        error.verb = .put
        return error
      }
      .sorted { $0.reference < $1.reference }
  }

  private func finishStores() -> [StoreError] {
    loop.isEnding = true
    defer {
      loop.isEnding = false
      session.isAbandoned = false
    }
    var errors: [StoreError] = []
    let root = roots.count
    defer { dropRoots(to: root) }
    while let finisher = loop.takeFinisher() {
      roots.append(finisher)
      // Whoever is interrupted is asked once more, only for what is left.
      while true {
        let isLast = session.isAbandoned
        let answer = evaluateBlock(finisher, Value(isLast))
        guard answer.isUnwind else {
          errors += storeErrors(in: answer)
          break
        }
        switch endOfTurn() {
        case .interrupted:
          endInterruption()
          session.isAbandoned = true
          if !isLast { continue }
        case .failed(let error): errors.append(StoreError(.io, "a store", error.message))
        case .finished, .rejected, nil: break
        }
        break
      }
    }
    return errors
  }

  /// The errors that a finisher has answered: arrays of a kind, a verb, a place and a reason.
  private func storeErrors(in answer: Value) -> [StoreError] {
    guard let lists = elements(of: answer) else { return [] }
    return lists.compactMap { list in
      guard let parts = elements(of: list), parts.count == 4,
        let kind = try? swiftString(parts[0]), let verb = try? swiftString(parts[1]),
        let place = try? swiftString(parts[2]), let reason = try? swiftString(parts[3])
      else { return nil }
      var error = StoreError(StoreError.Kind(rawValue: kind) ?? .io, place, reason)
      error.verb = StoreCapabilities.Verb(rawValue: verb)
      return error
    }
  }

  private func elements(of value: Value) -> [Value]? {
    guard let array = try? array(value) else { return nil }
    return (0..<array.elementCount).map { array[element: $0] }
  }
}
