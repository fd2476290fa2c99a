internal import TenonStoreKit

// What connections of whole stores exchange where a side takes time: after the turn, on a coroutine, so that
// nothing waits for it but who asks for one of the two stores.

/// What a connection of whole stores exchanges.
struct StoreExchange {
  let connection: Connection
  /// The block of the relay that does it.
  let block: Value
  /// The number of what has begun when it was put off.
  let number: Int
  /// When it was put off, in nanoseconds of the monotonic clock.
  let since: Int
  /// The coroutine that does it, once it has begun.
  weak var coroutine: Coroutine?
}

extension Machine {
  /// Has the relay of a connection exchange what two stores hold when the turn is over; one that does so
  /// already goes on with what has come.
  func exchangeLater(_ block: Value, for connection: Connection) {
    let coming = stores.coming
    guard coming.exchanges[connection.number] == nil else { return }
    coming.exchanges[connection.number] = StoreExchange(
      connection: connection, block: block, number: coming.takeNumber(),
      since: host.clock?.monotonicTime ?? 0)
    loop.addWork { machine in machine.exchange(connection.number) }
  }

  private func exchange(_ number: Int) {
    guard let block = stores.coming.exchanges[number]?.block else { return }
    stores.coming.exchanges[number]?.coroutine = loop.coroutines.current
    _ = withErrorsCaught { evaluateBlock(block) }
    stores.coming.exchanges[number] = nil
    didEndRequest()
  }

  /// Whether somebody else exchanges what a store holds that takes time.
  func isExchanging(_ store: Value) -> Bool {
    guard !stores.coming.exchanges.isEmpty, let whole = graph.cellsByPlace[.whole(ObjectRef(store))]
    else { return false }
    let exchanges = stores.coming.exchanges.values
    // What takes part in one waits for no other.
    guard
      !exchanges.contains(where: { $0.coroutine.map { $0 === loop.coroutines.current } == true })
    else { return false }
    return exchanges.contains { $0.connection.observer?.cells.contains(whole) == true }
      && answersLater(store)
  }
}
