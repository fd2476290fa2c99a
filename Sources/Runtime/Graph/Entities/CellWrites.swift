internal import TenonSolverKit
internal import TenonTables

/// The times of the last writes of cells from outside, and their sends: most cells never are written.
struct CellWrites: ~Copyable {
  /// The last write of a cell.
  struct Write: BitwiseCopyable {
    private var low: UInt32 = 0
    private var high: UInt32 = 0
    /// The number of the send, from 1, or 0.
    var site: Int32 = 0

    /// The time of the write.
    var age: UInt64 {
      @inline(__always) get { UInt64(high) << 32 | UInt64(low) }
      @inline(__always) set {
        low = UInt32(truncatingIfNeeded: newValue)
        high = UInt32(truncatingIfNeeded: newValue >> 32)
      }
    }
  }

  /// For a cell the index of its write.
  private let places = NumberMap()
  private let writes = FlatTable<Write>()
  /// The unused indexes of writes.
  private let free = FlatTable<Int32>()
  private let sites = SharedTable<TraceEntry>()
  /// The identities of the sends, by their numbers, from 1; at 0 the identity of no send.
  private let identities = FlatTable<UInt>()

  init() { identities.append(0) }

  /// The number of cells that have been written.
  var count: Int { places.count }

  /// The number of sends that are kept.
  var siteCount: Int { sites.count }

  /// Returns when a cell was last written from outside; 0 when it never was.
  func age(of cell: CellID) -> UInt64 {
    let place = places[cell.rawValue]
    return place < 0 ? 0 : writes[place].age
  }

  /// Returns the send that last wrote a cell from outside.
  func site(of cell: CellID) -> TraceEntry? {
    let place = places[cell.rawValue]
    guard place >= 0, writes[place].site > 0 else { return nil }
    return sites[writes[place].site - 1]
  }

  /// Records when a cell was written, from inside or outside.
  func setAge(_ age: UInt64, of cell: CellID) { writes[place(of: cell)].age = age }

  /// Records when a cell was written from outside, if the same send has written it last.
  ///
  /// Calls nothing, for the writes that have to be fast.
  ///
  /// - Returns: Whether the write was recorded.
  @inline(__always)
  func recordAgain(_ cell: CellID, at age: UInt64, from send: Unmanaged<SiteNode>?) -> Bool {
    let place = places[cell.rawValue]
    guard place >= 0 else { return false }
    let write = unsafe writes.address(of: place)
    let identity = unsafe send.map { unsafe UInt(bitPattern: $0.toOpaque()) } ?? 0
    guard unsafe identities[write.pointee.site] == identity else { return false }
    unsafe write.pointee.age = age
    return true
  }

  /// Records when a cell was written from outside, and by which send.
  func record(_ cell: CellID, at age: UInt64, from send: Unmanaged<SiteNode>?) {
    let known = places[cell.rawValue]
    let place = known < 0 ? enter(cell) : known
    let write = unsafe writes.address(of: place)
    unsafe write.pointee.age = age
    // Most writes of a cell come from the same send as the last one.
    let identity = unsafe send.map { unsafe UInt(bitPattern: $0.toOpaque()) } ?? 0
    if unsafe identities[write.pointee.site] != identity {
      unsafe setSite(send.map { unsafe TraceEntry($0.takeUnretainedValue()) }, identity, at: place)
    }
  }

  /// Records when a cell was written from outside, and by which send.
  func record(_ cell: CellID, at age: UInt64, by site: TraceEntry?) {
    unsafe record(cell, at: age, from: site.map { unsafe Unmanaged.passUnretained($0.site) })
  }

  /// Forgets the writes of a cell.
  func forget(_ cell: CellID) {
    let place = places[cell.rawValue]
    guard place >= 0 else { return }
    setSite(nil, 0, at: place)
    places.remove(cell.rawValue)
    free.append(place)
  }

  private func place(of cell: CellID) -> Int32 {
    let known = places[cell.rawValue]
    return known < 0 ? enter(cell) : known
  }

  @inline(never)
  private func enter(_ cell: CellID) -> Int32 {
    let place: Int32
    if let unused = free.popLast() {
      place = unused
      writes[place] = Write()
    } else {
      place = Int32(clamping: writes.count)
      writes.append(Write())
    }
    places.set(cell.rawValue, to: place)
    return place
  }

  @inline(never)
  private func setSite(_ site: TraceEntry?, _ identity: UInt, at place: Int32) {
    let old = writes[place].site
    var number: Int32 = 0
    if let site {
      // Objects begin at multiples of sixteen.
      number = 1 + sites.take(site, hash: identity >> 4) { $0.site === site.site }
      identities.extend(to: Int(number) + 1, with: 0)
      identities[number] = identity
    }
    writes[place].site = number
    if old > 0 { sites.release(old - 1) }
  }
}
