internal import Synchronization

/// A change at a place: which one and what was done, not the value.
///
/// Whoever hears of it reads the place.
public struct Change: Sendable {
  /// What was done.
  public enum Verb: String, Sendable {
    case put, delete
    /// Anything may have changed below the place.
    case invalidate
  }

  /// The place.
  public let reference: Reference
  /// What was done.
  public let verb: Verb
  /// A number that grows with each change of the store.
  public let sequence: UInt64
}

/// Where a store announces its changes.
///
/// Posting calls the subscribers in the order they came, on the poster's thread; a subscriber that
/// cannot work there only takes a note. Any thread may post and subscribe.
public final class ChangeFeed: Sendable {
  private struct State {
    var sequence: UInt64 = 0
    var nextNumber = 0
    var subscribers: [(number: Int, handler: @Sendable (Change) -> Void)] = []
  }

  private let state = Mutex(State())

  /// Creates a feed without subscribers.
  public init() {}

  /// Announces a change that can be seen already.
  public func post(_ verb: Change.Verb, _ reference: Reference) {
    let (change, subscribers) = state.withLock { state in
      state.sequence += 1
      return (
        Change(reference: reference, verb: verb, sequence: state.sequence), state.subscribers
      )
    }
    for subscriber in subscribers { subscriber.handler(change) }
  }

  /// Adds a subscriber, which stays as long as the subscription does.
  public func subscribe(_ handler: @escaping @Sendable (Change) -> Void) -> ChangeSubscription {
    let number = state.withLock { state in
      state.nextNumber += 1
      state.subscribers.append((state.nextNumber, handler))
      return state.nextNumber
    }
    return ChangeSubscription(feed: self, number: number)
  }

  fileprivate func unsubscribe(_ number: Int) {
    state.withLock { state in state.subscribers.removeAll { $0.number == number } }
  }
}

/// A subscription to a feed; it ends when it is released.
public final class ChangeSubscription: Sendable {
  private let feed: ChangeFeed
  private let number: Int

  fileprivate init(feed: ChangeFeed, number: Int) {
    self.feed = feed
    self.number = number
  }

  deinit { feed.unsubscribe(number) }
}
