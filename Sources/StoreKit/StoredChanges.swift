internal import CTenonPlatform
internal import Synchronization

/// The places that stores have announced as changed and nobody has looked at yet, each once.
///
/// Any thread may add; the interpreter's takes.
package final class StoredChanges: Sendable {
  /// A place that has changed.
  package struct Noted {
    /// The number of the store that has announced it.
    package var store = 0
    package let reference: Reference
    /// Whether anything below may have changed, too.
    package let coversBelow: Bool
    /// Whether only the listing is meant: somebody who knows has changed something in it.
    package var isListing = false
  }

  /// As many places as wait one by one; of more, those above them stand for them.
  package static let limit = 4096

  private struct State {
    var schedule: ChangeSchedule<AnnouncedPlace>
    /// The places that the interpreter is writing to, by the threads that do it.
    var own: [UInt: AnnouncedPlace] = [:]
    /// The directories in which the interpreter has changed something, each once.
    var listings: [AnnouncedPlace] = []
    var knownListings: Set<AnnouncedPlace> = []

    init() {
      var options = ChangeQueueOptions()
      // Only the detail counts: it is the interpreter that says when it takes what waits.
      options.throttle = ChangeQueueOptions.Throttle(window: 1, budget: StoredChanges.limit)
      schedule = ChangeSchedule(options)
    }
  }

  private let state = Mutex(State())

  package init() {}

  /// How many places wait.
  package var count: Int { state.withLock { $0.schedule.count } }

  /// Notes a change that the store with a number has announced.
  package func note(_ change: Change, of store: Int = 0) {
    let place = AnnouncedPlace(store: store, reference: change.reference)
    state.withLock { state in
      if !state.own.isEmpty, state.own[tenon_thread_number()] == place { return }
      state.schedule.post(place, change.verb, sequence: change.sequence)
    }
  }

  /// Does something that changes a place; what the store announces about it meanwhile, on this
  /// thread, is known.
  ///
  /// The listing of what the place is in is noted if anybody may have read it.
  package func changing<Result>(
    _ reference: Reference, of store: Int = 0, notesListing: Bool,
    _ body: () throws(StoreError) -> Result
  ) throws(StoreError) -> Result {
    let thread = tenon_thread_number()
    let outer = state.withLock {
      $0.own.updateValue(AnnouncedPlace(store: store, reference: reference), forKey: thread)
    }
    defer { state.withLock { $0.own[thread] = outer } }
    let result = try body()
    if notesListing, let parent = reference.parent {
      let listing = AnnouncedPlace(store: store, reference: parent)
      state.withLock { state in
        if state.knownListings.insert(listing).inserted { state.listings.append(listing) }
      }
    }
    return result
  }

  package var isEmpty: Bool { state.withLock { $0.schedule.isEmpty && $0.listings.isEmpty } }

  /// Takes what was noted, in its order.
  package func takeAll() -> [Noted] {
    state.withLock { state in
      let listings = state.listings.map {
        Noted(
          store: $0.store, reference: $0.reference, coversBelow: false, isListing: true)
      }
      state.listings = []
      state.knownListings = []
      return listings
        + state.schedule.removeAll().map {
          Noted(
            store: $0.told.store, reference: $0.told.reference, coversBelow: $0.toldCovers)
        }
    }
  }
}

/// A place of a store that announces its changes: others may have a place of the same name.
struct AnnouncedPlace: Hashable, PathIdentifier {
  /// The number of the store.
  let store: Int
  let reference: Reference

  var steps: [PathStep] { [PathStep(String(store))] + reference.steps }

  var leastSteps: Int { reference.leastSteps + 1 }

  var coversBelow: Bool { reference.coversBelow }

  func widened(to count: Int) -> AnnouncedPlace {
    AnnouncedPlace(store: store, reference: reference.widened(to: count - 1))
  }
}
