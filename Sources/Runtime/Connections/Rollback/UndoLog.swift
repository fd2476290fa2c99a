internal import TenonSolverKit
internal import TenonTables

/// What places held before they were written in a turn, for when it cannot be finished.
struct UndoLog: ~Copyable {
  /// A place and what it held: three words for a slot; of other places the number says where they
  /// are listed.
  struct Entry: BitwiseCopyable {
    var object: Value
    /// The number of the slot; below 0 the position in `places`, negated, less one.
    var number: Int
    var value: Value
  }

  private let entries = FlatTable<Entry>()
  private let places = FlatTable<Place>()

  /// Remembers what a slot held.
  @inline(__always)
  func logSlot(_ object: Value, _ slot: Int, _ value: Value) {
    entries.append(Entry(object: object, number: slot, value: value))
  }

  /// Whether what a slot held is remembered without anything else to be done.
  @inline(__always) var hasRoom: Bool { entries.hasRoom }

  /// Remembers what a slot held, where `hasRoom` says that there is memory for it.
  @inline(__always)
  func logSlotWithinCapacity(_ object: Value, _ slot: Int, _ value: Value) {
    entries.appendWithinCapacity(Entry(object: object, number: slot, value: value))
  }

  /// Remembers what a place held.
  func record(_ place: Place, _ value: Value) {
    if place.kind == .slot {
      logSlot(place.object, place.index, value)
      return
    }
    entries.append(Entry(object: place.object, number: ~places.count, value: value))
    places.append(place)
  }

  /// Makes room for slots to come.
  ///
  /// - Returns: Where they go; good until anything else is noted. `take` says how many have come.
  @unsafe
  func reserve(_ number: Int) -> UnsafeMutablePointer<Entry> {
    unsafe entries.reserveMore(number)
  }

  /// Remembers so many slots as have been written where `reserve` has made room.
  func take(_ number: Int) { entries.extendReserved(by: number) }

  var count: Int { entries.count }

  var isEmpty: Bool { entries.isEmpty }

  /// A place and what it held.
  subscript(index: Int) -> (place: Place, value: Value) {
    let entry = entries[index]
    if entry.number < 0 { return (places[~entry.number], entry.value) }
    return (.slot(ObjectRef(entry.object), entry.number), entry.value)
  }

  /// Forgets everything.
  @inline(__always)
  func removeAll() {
    entries.removeAll()
    if !places.isEmpty { places.removeAll() }
  }

  /// Takes the entries of another log in place of its own.
  func exchange(with other: borrowing UndoLog) {
    entries.exchange(with: other.entries)
    places.exchange(with: other.places)
  }
}
