internal import TenonSolverKit
internal import TenonTables

// Finding cells by their places. An object is found by its address, and its cells are a list: nearly
// all objects have one or a few. Only the cells of an object with more than that are found by their
// places, too.

/// The key by which a set of cells is hashed.
protocol CellKey {
  static func hash(_ cell: HotCell) -> UInt32
}

/// Hashes by the object: the first cell of each.
enum ObjectKey: CellKey {
  @inline(__always)
  static func hash(_ object: UInt) -> UInt32 {
    UInt32(truncatingIfNeeded: (UInt64(object) &* 0x9E37_79B9_7F4A_7C15) >> 32)
  }

  static func hash(_ cell: HotCell) -> UInt32 { hash(cell.object.bits) }
}

/// Hashes by the whole place.
enum PlaceKey: CellKey {
  @inline(__always)
  static func hash(_ object: UInt, _ index: Int, _ key: UInt) -> UInt32 {
    var hash = UInt64(object) &+ UInt64(bitPattern: Int64(index)) &* 0x9E37_79B9_7F4A_7C15
    hash ^= UInt64(key) &* 0xC2B2_AE3D_27D4_EB4F
    hash = (hash ^ hash >> 29) &* 0xBF58_476D_1CE4_E5B9
    return UInt32(truncatingIfNeeded: hash >> 32)
  }

  static func hash(_ cell: HotCell) -> UInt32 { hash(cell.object.bits, cell.index, cell.key.bits) }
}

/// Cells by a key: a hash table with open addressing over the table of cells.
///
/// It may have any number of places, as a hash is scaled to them: so it grows by a quarter when it is
/// large, and more than half of it is used.
struct CellSet<Key: CellKey>: ~Copyable {
  /// From so many places on it grows by a quarter.
  private static var large: Int { 4096 }

  private let entries = FlatTable<Int32>()
  /// One number: the count of cells.
  private let counts = FlatTable<Int>()

  init() {
    entries.extend(to: 16, with: -1)
    counts.append(0)
  }

  /// The number of cells.
  var count: Int { counts[0] }

  /// The number of entries that the table has.
  var capacity: Int { entries.count }

  @inline(__always)
  fileprivate func start(_ hash: UInt32) -> Int {
    Int(truncatingIfNeeded: (UInt64(hash) &* UInt64(truncatingIfNeeded: entries.count)) >> 32)
  }

  @inline(__always)
  fileprivate func after(_ position: Int) -> Int {
    position &+ 1 == entries.count ? 0 : position &+ 1
  }

  @inline(__always)
  fileprivate func entry(_ position: Int) -> Int32 { entries[position] }

  /// Returns how far one position stands behind another one.
  private func distance(from first: Int, to second: Int) -> Int {
    second >= first ? second - first : second - first + entries.count
  }

  /// Returns the position of a cell; nil if it is not there.
  private func position(of id: Int32, in cells: borrowing FlatTable<HotCell>) -> Int? {
    var position = start(Key.hash(cells[id]))
    while entries[position] != id {
      if entries[position] < 0 { return nil }
      position = after(position)
    }
    return position
  }

  /// Enters a cell whose key is not in the table.
  ///
  /// - Complexity: O(1), amortised.
  func insert(_ id: Int32, in cells: borrowing FlatTable<HotCell>) {
    if (counts[0] + 1) * 10 > entries.count * 7 { grow(cells) }
    counts[0] += 1
    enter(id, cells)
  }

  private func enter(_ id: Int32, _ cells: borrowing FlatTable<HotCell>) {
    var position = start(Key.hash(cells[id]))
    while entries[position] >= 0 { position = after(position) }
    entries[position] = id
  }

  /// Replaces a cell by another one of the same key.
  func replace(_ id: Int32, by other: Int32, in cells: borrowing FlatTable<HotCell>) {
    if let position = position(of: id, in: cells) { entries[position] = other }
  }

  /// Removes a cell, if it is there.
  ///
  /// - Complexity: O(1), amortised.
  func remove(_ id: Int32, in cells: borrowing FlatTable<HotCell>) {
    guard var hole = position(of: id, in: cells) else { return }
    counts[0] -= 1
    // The entries that follow move up if they may: none stands behind a gap.
    var position = after(hole)
    while entries[position] >= 0 {
      let start = start(Key.hash(cells[entries[position]]))
      if distance(from: start, to: position) >= distance(from: hole, to: position) {
        entries[hole] = entries[position]
        hole = position
      }
      position = after(position)
    }
    entries[hole] = -1
  }

  private func grow(_ cells: borrowing FlatTable<HotCell>) {
    let old = FlatTable<Int32>()
    let count = entries.count
    old.extend(to: count < Self.large ? count * 2 : count + count / 4, with: -1)
    entries.exchange(with: old)
    for position in 0..<old.count where old[position] >= 0 { enter(old[position], cells) }
  }
}

extension CellSet<ObjectKey> {
  /// Returns the first cell of an object, or -1.
  @inline(__always)
  func find(_ object: UInt, in cells: borrowing FlatTable<HotCell>) -> Int32 {
    var position = start(ObjectKey.hash(object))
    while true {
      let id = entry(position)
      if id < 0 || cells[id].object.bits == object { return id }
      position = after(position)
    }
  }
}

extension CellSet<PlaceKey> {
  /// Returns the cell of a place, or -1.
  func find(_ place: Place, in cells: borrowing FlatTable<HotCell>) -> Int32 {
    var position = start(PlaceKey.hash(place.object.bits, place.index, place.key.bits))
    while true {
      let id = entry(position)
      if id < 0 || cells[id].stands(for: place) { return id }
      position = after(position)
    }
  }
}

/// The cells of each watched object, and those of places in stores, which are never searched by the store.
///
/// The cells of an object are a list, the last one first. The first one has the number of the others;
/// of an object with many cells all are found by their places, and the list leads both ways.
final class ObjectMap {
  /// The number of cells, besides the first one, of an object whose list is searched.
  private static var few: UInt8 { 3 }
  /// The number that marks the first cell of an object that has had more.
  private static var many: UInt8 { .max }

  /// The first cells of objects.
  private let heads = CellSet<ObjectKey>()
  /// The cells of objects that have many, and those of places in stores.
  private let places = CellSet<PlaceKey>()
  private let next = NumberMap()
  /// For the cells of objects that have many.
  private let previous = NumberMap()

  /// The number of watched objects.
  var count: Int { heads.count }

  /// The number of entries that the table of objects has.
  var capacity: Int { heads.capacity }

  /// The number of cells that are found by their places.
  var placeCount: Int { places.count }

  /// The memory of the tables in bytes.
  var byteCount: Int {
    4 * (heads.capacity + places.capacity) + next.byteCount + previous.byteCount
  }

  // MARK: Looking

  /// Returns the first cell of an object, or -1.
  @inline(__always)
  func first(_ object: UInt, in cells: borrowing FlatTable<HotCell>) -> Int32 {
    heads.find(object, in: cells)
  }

  /// Returns the cell of its object before another one, or -1.
  func next(_ cell: Int32) -> Int32 { next[cell] }

  /// Returns the cell of a place, or -1.
  @inline(__always)
  func find(_ place: Place, in cells: borrowing FlatTable<HotCell>) -> Int32 {
    if place.kind == .stored { return places.find(place, in: cells) }
    let head = heads.find(place.object.bits, in: cells)
    if head < 0 { return -1 }
    if cells[head].standsInObject(for: place) { return head }
    return cells[head].others == 0 ? -1 : find(place, after: head, in: cells)
  }

  /// Returns the cell of a slot, or -1: the path of nearly all writes.
  @inline(__always)
  func find(
    slot: Int, of object: ObjectRef, in cells: borrowing FlatTable<HotCell>
  ) -> Int32 {
    let head = heads.find(object.bits, in: cells)
    if head < 0 || cells[head].standsInObject(forSlot: slot) { return head }
    return cells[head].others == 0 ? -1 : find(.slot(object, slot), after: head, in: cells)
  }

  @inline(never)
  private func find(
    _ place: Place, after head: Int32, in cells: borrowing FlatTable<HotCell>
  ) -> Int32 {
    if cells[head].others == ObjectMap.many { return places.find(place, in: cells) }
    var cell = next[head]
    while cell >= 0, !cells[cell].standsInObject(for: place) { cell = next[cell] }
    return cell
  }

  // MARK: Entering

  /// Enters the cell of a place in a store that has none.
  func insertStored(_ cell: Int32, in cells: borrowing FlatTable<HotCell>) {
    places.insert(cell, in: cells)
  }

  /// Removes the cell of a place in a store.
  func removeStored(_ cell: Int32, in cells: borrowing FlatTable<HotCell>) {
    places.remove(cell, in: cells)
  }

  /// Enters the cell of a place that has none.
  ///
  /// - Complexity: O(1), amortised.
  func insert(_ cell: Int32, in cells: borrowing FlatTable<HotCell>) {
    let head = heads.find(cells[cell].object.bits, in: cells)
    guard head >= 0 else {
      cells[cell].others = 0
      heads.insert(cell, in: cells)
      return
    }
    let others = cells[head].others
    heads.replace(head, by: cell, in: cells)
    next.set(cell, to: head)
    if others < ObjectMap.few {
      cells[cell].others = others + 1
      return
    }
    cells[cell].others = ObjectMap.many
    if others == ObjectMap.many {
      previous.set(head, to: cell)
      places.insert(cell, in: cells)
      return
    }
    var (last, each) = (Int32(-1), cell)
    while each >= 0 {
      if last >= 0 { previous.set(each, to: last) }
      places.insert(each, in: cells)
      (last, each) = (each, next[each])
    }
  }

  /// Removes the cell of a place.
  ///
  /// - Returns: whether it was the last one of its object.
  /// - Complexity: O(1), amortised.
  func remove(_ cell: Int32, in cells: borrowing FlatTable<HotCell>) -> Bool {
    let head = heads.find(cells[cell].object.bits, in: cells)
    guard head >= 0 else { return true }
    let others = cells[head].others
    let after = next[cell]
    if head == cell, after < 0 {
      heads.remove(cell, in: cells)
      return true
    }
    let hasMany = others == ObjectMap.many
    if hasMany { places.remove(cell, in: cells) }
    next.remove(cell)
    var first = head
    if head == cell {
      heads.replace(head, by: after, in: cells)
      first = after
      if hasMany { previous.remove(after) }
    } else {
      let before = hasMany ? previous[cell] : cellBefore(cell, from: head)
      if hasMany { previous.remove(cell) }
      link(before, after, bothWays: hasMany)
    }
    cells[first].others = hasMany ? ObjectMap.many : others - 1
    if hasMany, next[first] < 0 {
      // It is found by its object from now on.
      places.remove(first, in: cells)
      cells[first].others = 0
    }
    return false
  }

  private func cellBefore(_ cell: Int32, from head: Int32) -> Int32 {
    var each = head
    while each >= 0, next[each] != cell { each = next[each] }
    return each
  }

  private func link(_ before: Int32, _ after: Int32, bothWays: Bool) {
    guard before >= 0 else { return }
    guard after >= 0 else {
      next.remove(before)
      return
    }
    next.set(before, to: after)
    if bothWays { previous.set(after, to: before) }
  }
}

/// The cells of each watched object.
///
/// For the reference to the graph see `CellView`.
struct WatchedObjects {
  @Uncounted var graph: ConnectionGraph

  /// The number of watched objects.
  var count: Int { graph.objectMap.count }

  /// The cells of an object, in the order in which they came; nil if it is not watched.
  subscript(object: UInt) -> [CellID]? {
    var next = graph.objectMap.first(object, in: graph.hot)
    guard next >= 0 else { return nil }
    var cells: [CellID] = []
    while next >= 0 {
      cells.append(CellID(next))
      next = graph.objectMap.next(next)
    }
    return cells.reversed()
  }
}

extension ConnectionGraph {
  /// Returns the cell of an object that has exactly one.
  func onlyCell(of object: UInt) -> CellID? {
    let first = objectMap.first(object, in: hot)
    guard first >= 0, hot[first].others == 0 else { return nil }
    return CellID(first)
  }
}
