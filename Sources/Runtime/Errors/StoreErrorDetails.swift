internal import TenonStoreKit

extension Failure {
  /// Whether a store is locked now, and needs but to be asked again.
  var isPassing: Bool { storeError?.error.isPassing == true }
}

/// What a store said, boxed: few failures have it.
final class StoreErrorDetails: Sendable {
  let error: StoreError
  /// What the store was to do: a verb, or a command that it has beside them; nil when that is no
  /// matter.
  let verb: String?

  init(_ error: StoreError, verb: String?) {
    self.error = error
    self.verb = verb
  }
}
