internal import TenonSolverKit
internal import TenonStoreKit

// What connections read in stores that must be told what to watch.

/// The places of such stores that an interpreter watches.
///
/// As long as there are any, a program goes on when its last statement has run.
final class StoreWatches: LiveSource {
  /// A place that is watched for the sake of a cell.
  struct Watch {
    let place: Place
    let subscription: ChangeSubscription
    /// Whether a connection reads the place, rather than only writes it: the program waits for what
    /// others change there.
    var isRead: Bool
  }

  var byCell: [CellID: Watch] = [:]
  /// Those of places that are being read: the cell comes later, if at all.
  var beforeReading: [Place: ChangeSubscription] = [:]
  /// Those that connections hear of below places, by the connection's number.
  private var byConnection: [Int: ConnectionWatch] = [:]
  /// What was read at places that are watched: who is told that a place may have changed looks whether
  /// it has.
  var contents: [Place: ReadContent] = [:]

  /// What is watched for the sake of a connection.
  private struct ConnectionWatch {
    let connection: Connection
    var subscriptions: [ChangeSubscription] = []
    /// Whether the program waits for what others change there.
    var isLive = false
  }

  /// Keeps a watch as long as a connection is there.
  func add(_ subscription: ChangeSubscription, for connection: Connection) {
    var watch = byConnection[connection.number] ?? ConnectionWatch(connection: connection)
    watch.subscriptions.append(subscription)
    if connection.observer?.watchesPassively != true { watch.isLive = true }
    byConnection[connection.number] = watch
  }

  /// Ends the watches of connections that are there no more.
  func forgetEnded() {
    if byConnection.isEmpty { return }
    byConnection = byConnection.filter { $0.value.connection.status != .disconnected }
  }

  var isLive: Bool {
    forgetEnded()
    return byConnection.values.contains(where: \.isLive) || byCell.values.contains(where: \.isRead)
  }
}

extension Machine {
  /// Begins to watch a place of a store that connections are about to read: what changes after that is
  /// told.
  func watchBeforeReading(_ place: Place) {
    guard let store = watchingStore(place.object), stores.watches.beforeReading[place] == nil,
      let reference = try? reference(place.key)
    else { return }
    if let cell = graph.cellsByPlace[place], stores.watches.byCell[cell]?.place == place { return }
    // What cannot be watched cannot be read either, and that says why.
    stores.watches.beforeReading[place] = try? store.watch(reference, isDeep: false)
  }

  /// Begins and ends watches as cells have got and lost those who read them.
  func updateStoreWatches() {
    let touched = graph.storedCells.touchedStoredCells
    let begun = stores.watches.beforeReading
    graph.storedCells.touchedStoredCells = []
    stores.watches.beforeReading = [:]
    for cell in touched {
      let place = graph[cell].place
      let isRead = graph.isRead(cell)
      let isWanted = isRead || graph.isDetermined(cell)
      if !isWanted { stores.coming.forget(place) }
      stores.watches.byCell[cell]?.isRead = isRead
      if let known = stores.watches.byCell[cell], !isWanted || known.place != place {
        stores.watches.byCell[cell] = nil
        stores.watches.contents[known.place] = nil
      }
      guard isWanted, stores.watches.byCell[cell] == nil, let store = watchingStore(place.object),
        let reference = try? reference(place.key),
        let subscription = begun[place] ?? (try? store.watch(reference, isDeep: false))
      else { continue }
      loop.add(stores.watches)
      stores.watches.byCell[cell] = StoreWatches.Watch(
        place: place, subscription: subscription, isRead: isRead)
      if begun[place] == nil {
        // It may have changed after it was read and before it was watched.
        graph.forgetCachedValue(of: cell)
        graph.recordWrite(to: cell, by: nil)
      }
    }
    for place in begun.keys where graph.cellsByPlace[place].map({ !graph.isRead($0) }) ?? true {
      stores.watches.contents[place] = nil
    }
  }

  /// The store behind a value, if it must be told what to watch.
  func watchingStore(_ value: Value) -> (any WatchingStore)? {
    guard nativeStore(value) != nil, let number = ObjectRef(value)[slot: 0].asSmallInteger else {
      return nil
    }
    return stores.native[number].watching
  }
}
