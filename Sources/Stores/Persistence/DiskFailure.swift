internal import TenonStoreKit

/// What the system reported about a file of a store.
struct DiskFailure: Error {
  let failure: FileFailure
  /// The file, as whoever opened the store would write it.
  let file: String
  /// A place whose value could not be written for it, if that is known.
  let place: [String]?

  init(_ failure: FileFailure, _ file: String, at place: [String]? = nil) {
    self.failure = failure
    self.file = file
    self.place = place
  }

  /// The file, the system's words and its number of the error.
  var reason: String { "\(file): \(words)" }

  fileprivate var words: String {
    failure.code == 0 ? failure.reason : "\(failure.reason) (errno \(failure.code))"
  }
}

extension StoreError {
  /// The failure as an error about a place.
  init(_ failure: DiskFailure, _ reference: String) {
    self.init(
      failure.failure.kind, reference, failure.file == reference ? failure.words : failure.reason,
      systemCode: failure.failure.code == 0 ? nil : failure.failure.code)
  }
}

/// A failure that stays until the same has been tried again with success.
struct Trouble {
  let error: StoreError
  /// When to try again, in milliseconds of the system's clock.
  let nextAttempt: Int
  /// How long the pause before that is, in milliseconds.
  let pause: Int

  private static let shortest = 1000
  private static let longest = 30_000

  /// - Parameters:
  ///   - error: What happened.
  ///   - previous: What happened before, without a success since.
  ///   - now: In milliseconds.
  init(_ error: StoreError, after previous: Trouble?, now: Int) {
    self.error = error
    pause = previous.map { min($0.pause * 2, Trouble.longest) } ?? Trouble.shortest
    nextAttempt = now + pause
  }
}
