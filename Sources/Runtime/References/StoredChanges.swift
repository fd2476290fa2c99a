internal import CTenonPlatform
internal import Synchronization

/// The places that stores have announced as changed and nobody has looked at yet, each once.
///
/// Any thread may add; the interpreter's takes.
final class StoredChanges: Sendable {
  /// A place that has changed.
  struct Noted {
    let reference: Reference
    /// Whether anything below may have changed, too.
    let coversBelow: Bool
    /// Whether only the listing is meant: somebody who knows has changed something in it.
    var isListing = false
  }

  /// As many places as wait one by one; of more, those above them stand for them.
  static let limit = 4096

  private struct State {
    var schedule: ChangeSchedule<Reference>
    /// The place that the interpreter is writing to, and its thread.
    var own: (reference: Reference, thread: UInt)?
    /// The directories in which the interpreter has changed something, each once.
    var listings: [Reference] = []
    var knownListings: Set<Reference> = []

    init() {
      var options = ChangeQueueOptions()
      // Only the detail counts: it is the interpreter that says when it takes what waits.
      options.throttle = ChangeQueueOptions.Throttle(window: 1, budget: StoredChanges.limit)
      schedule = ChangeSchedule(options)
    }
  }

  private let state = Mutex(State())

  /// How many places wait.
  var count: Int { state.withLock { $0.schedule.count } }

  /// Notes a change.
  func note(_ change: Change) {
    state.withLock { state in
      if let own = state.own, own.reference == change.reference,
        own.thread == tenon_thread_number()
      {
        return
      }
      state.schedule.post(change.reference, change.verb, sequence: change.sequence)
    }
  }

  /// Does something that changes a place; what the store announces about it meanwhile, on this
  /// thread, is known.
  ///
  /// The listing of what the place is in is noted if anybody may have read it.
  func changing<Result>(
    _ reference: Reference, notesListing: Bool, _ body: () throws(StoreError) -> Result
  ) throws(StoreError) -> Result {
    let outer = state.withLock { state in
      defer { state.own = (reference, tenon_thread_number()) }
      return state.own
    }
    defer { state.withLock { $0.own = outer } }
    let result = try body()
    if notesListing, let parent = reference.parent {
      state.withLock { state in
        if state.knownListings.insert(parent).inserted { state.listings.append(parent) }
      }
    }
    return result
  }

  var isEmpty: Bool { state.withLock { $0.schedule.isEmpty && $0.listings.isEmpty } }

  /// Takes what was noted, in its order.
  func takeAll() -> [Noted] {
    state.withLock { state in
      let listings = state.listings.map {
        Noted(reference: $0, coversBelow: false, isListing: true)
      }
      state.listings = []
      state.knownListings = []
      return listings
        + state.schedule.removeAll().map {
          Noted(reference: $0.told, coversBelow: $0.toldCovers)
        }
    }
  }
}
