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
  /// Who made the change, if that was said.
  public let origin: ChangeOrigin?

  /// Creates a change.
  public init(
    _ verb: Verb, _ reference: Reference, sequence: UInt64 = 0, origin: ChangeOrigin? = nil
  ) {
    self.reference = reference
    self.verb = verb
    self.sequence = sequence
    self.origin = origin
  }
}

/// Where a store announces its changes.
///
/// Any thread may post and subscribe. Posting takes O(length of the path + subscribers it concerns)
/// and runs nothing of theirs: they find the change in their queues.
public final class ChangeFeed: Sendable {
  fileprivate struct Subscriber {
    let number: Int
    /// Whether it hears of everything below, and not only of what is directly below.
    let isDeep: Bool
    let target: Target
  }

  fileprivate enum Target {
    case queue(ChangeQueue)
    /// Notes the change somewhere, and neither waits nor calls anybody.
    case note(@Sendable (Change) -> Void)
  }

  fileprivate struct State {
    var sequence: UInt64 = 0
    var nextNumber = 0
    var subscribers = ReferenceTree<[Subscriber]>()
    var paths: [Int: [PathStep]] = [:]
  }

  private let state = Mutex(State())

  /// Creates a feed without subscribers.
  public init() {}

  /// Announces a change that can be seen already; `invalidate` says that anything at the place and
  /// below may have changed.
  ///
  /// A store that several threads use posts while it holds the lock that put its changes in order.
  ///
  /// - Complexity: O(length of the path + subscribers that are told).
  public func post(
    _ verb: Change.Verb, _ reference: Reference, origin: ChangeOrigin? = nil
  ) {
    // Other threads that post wait for no more than the search.
    let path = reference.steps
    let (change, subscribers) = state.withLock { state in
      state.sequence += 1
      let change = Change(verb, reference, sequence: state.sequence, origin: origin)
      return (change, state.subscribers(concernedBy: change, at: path))
    }
    for subscriber in subscribers {
      switch subscriber.target {
      case .queue(let queue): queue.post(change)
      case .note(let note): note(change)
      }
    }
  }

  /// Lets a queue hear of the changes at a place and below it, as long as the subscription lives.
  ///
  /// - Parameters:
  ///   - reference: The place.
  ///   - isDeep: Whether changes anywhere below count; otherwise those directly below, as they may
  ///     change the listing.
  ///   - queue: The queue.
  /// - Returns: The subscription.
  public func subscribe(
    to reference: Reference, isDeep: Bool, _ queue: ChangeQueue
  ) -> ChangeSubscription {
    subscribe(at: reference.steps, isDeep: isDeep, .queue(queue))
  }

  /// Lets a queue hear of all changes.
  public func subscribe(_ queue: ChangeQueue) -> ChangeSubscription {
    subscribe(at: [], isDeep: true, .queue(queue))
  }

  /// Has all changes noted on the poster's thread; a note must neither wait nor post.
  package func subscribe(
    noting note: @escaping @Sendable (Change) -> Void
  ) -> ChangeSubscription {
    subscribe(at: [], isDeep: true, .note(note))
  }

  private func subscribe(
    at path: [PathStep], isDeep: Bool, _ target: Target
  ) -> ChangeSubscription {
    let number = state.withLock { state in
      state.nextNumber += 1
      let node = state.subscribers.makeNode(at: path)
      let subscriber = Subscriber(number: state.nextNumber, isDeep: isDeep, target: target)
      node.element = (node.element ?? []) + [subscriber]
      state.paths[state.nextNumber] = path
      return state.nextNumber
    }
    return ChangeSubscription { [weak self] in self?.unsubscribe(number) }
  }

  private func unsubscribe(_ number: Int) {
    state.withLock { state in
      guard let path = state.paths.removeValue(forKey: number),
        let node = state.subscribers.node(at: path)
      else { return }
      let others = node.element?.filter { $0.number != number } ?? []
      if others.isEmpty { state.subscribers.clear(at: path) } else { node.element = others }
    }
  }
}

extension ChangeFeed.State {
  /// Those who hear of a change, in the order in which they came.
  fileprivate func subscribers(
    concernedBy change: Change, at path: [PathStep]
  ) -> [ChangeFeed.Subscriber] {
    var found: [ChangeFeed.Subscriber] = []
    var position = 0
    let end = subscribers.first(on: path) { node in
      defer { position += 1 }
      let isNear = position >= path.count - 1
      found += node.element?.filter { $0.isDeep || isNear } ?? []
      return position == path.count
    }
    if let end, change.verb == .invalidate {
      subscribers.forEach(below: end) { found += $0.element ?? [] }
    }
    return found.count > 1 ? found.sorted { $0.number < $1.number } : found
  }
}

/// A subscription; it ends when it is released, or earlier by `end`.
public final class ChangeSubscription: Sendable {
  private let ending: Mutex<(@Sendable () -> Void)?>

  /// Creates a subscription from what ends it.
  package init(_ end: @escaping @Sendable () -> Void) { ending = Mutex(end) }

  /// Ends it; nothing is told after this.
  public func end() {
    let end = ending.withLock { ending in
      defer { ending = nil }
      return ending
    }
    end?()
  }

  deinit { end() }
}
