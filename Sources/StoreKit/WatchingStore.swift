/// A store that announces changes only of what it was told to watch.
public protocol WatchingStore: Store {
  /// Has the changes at a place posted on the store's feed, under the reference that is given here.
  ///
  /// - Parameters:
  ///   - reference: The place; nothing need be there.
  ///   - isDeep: Whether changes anywhere below are posted; otherwise those directly below.
  /// - Returns: What ends the watch when it is released.
  /// - Throws: `StoreError` when the place cannot be watched.
  func watch(_ reference: Reference, isDeep: Bool) throws(StoreError) -> ChangeSubscription
}

extension Store {
  /// Lets a queue hear of the changes at a place and below it.
  ///
  /// - Parameters:
  ///   - reference: The place.
  ///   - isDeep: Whether changes anywhere below count; otherwise those directly below.
  ///   - queue: Where the changes wait.
  /// - Returns: A subscription, which ends when it is released.
  /// - Throws: `StoreError`, of the kind `unsupported` for a store that announces nothing.
  public func watch(
    _ reference: Reference, isDeep: Bool, _ queue: ChangeQueue
  ) throws(StoreError) -> ChangeSubscription {
    guard let feed else {
      throw StoreError(.unsupported, reference, "the store does not tell about changes")
    }
    let subscription = feed.subscribe(to: reference, isDeep: isDeep, queue)
    guard let store = self as? any WatchingStore else { return subscription }
    let watch = try store.watch(reference, isDeep: isDeep)
    return ChangeSubscription {
      watch.end()
      subscription.end()
    }
  }
}
