internal import TenonSolverKit
internal import TenonLexer
internal import TenonStoreKit

/// The last changes of the places that take part in connections, each with its cause.
///
/// The memory is flat and grows, while there are changes to be kept, up to `capacity` entries of 40
/// bytes; then the oldest give way, and recording a change allocates nothing. Numbers and short
/// texts among the values are kept alive; other objects are not: when one of them is collected, its
/// entry says that it is gone. So what the ring keeps alive is bounded.
///
/// Entries are written without a check. They are within the memory, as `count` never exceeds `limit`:
/// both begin at 0; `count` grows by one at a time and only where it is not `limit`, or that has called
/// `grow`, or by a run, for which `beginRun` has called it as often as needed; after that there is memory, and
/// `limit` is what it has room for or, from `capacity` on, out of reach. Nothing else changes `limit`,
/// and `forget` only lessens `count`. The room is a power of two, so that `count & mask` is in it. The
/// machine is known before: its graph is told of it before it has a cell.
@safe
final class ChangeLog {
  /// A change.
  struct Entry: BitwiseCopyable {
    /// The turn, from 1; the lowest bits of it.
    var turn: UInt32
    var cell: Int32
    /// The number of the connection that wrote, from 1; 0 for a write from outside, and below 0 for
    /// a statement: the number of its text, negated.
    var writer: Int32
    /// For a connection, the changed cell because of which its formula ran, or -1; for a
    /// statement, its position in the text.
    var cause: Int32
    var old: Value
    var new: Value
    /// Microseconds since 1970, or 0.
    var time: Int
  }

  /// The most entries.
  static let capacity = 4096
  private static let firstCapacity = 64
  /// The number of known texts whose statements have written; of more, the oldest are forgotten.
  private static let sourceLimit = 64
  /// The size above which a text is not kept alive.
  private static let longestText = 256

  /// The memory of the entries: a power of two of them, or none.
  private var entries: UnsafeMutablePointer<Entry>?
  /// One less than the number of entries that there is room for.
  private var mask = -1
  /// The number of changes at which more room is needed.
  private var limit = 0
  /// The number of changes recorded so far.
  private(set) var count = 0
  /// The number of the first change that has not been overwritten in vain.
  private var first = 0
  private var turn: UInt32 = 0
  private var time = 0
  private var lastSource: ObjectIdentifier?
  private var lastSourceNumber: Int32 = 0
  private var sources: [(source: SourceText, number: Int32)] = []
  private var sourceCount = 0
  /// For cells whose numbers belonged to others before: the number of changes at that time.
  private var births: [Int32: Int] = [:]
  /// The clock of the machine; nil where there is none.
  var clock: (any Clock)? {
    didSet {
      timeSource = clock.map { TimeSource($0) }
      unsafe timeSourceReference = timeSource.map { unsafe Unmanaged.passUnretained($0) }
    }
  }
  /// The same for each turn, in an object that is not retained for that.
  private var timeSourceReference: Unmanaged<TimeSource>?
  private var timeSource: TimeSource?

  private final class TimeSource {
    let clock: any Clock
    init(_ clock: any Clock) { self.clock = clock }
  }
  /// The machine, which owns the ring.
  private var owner: Unmanaged<Machine>?
  /// The places that code run by connections has written in a turn.
  private var effects: (turn: UInt32, cells: Set<Int32>) = (0, [])
  /// Whether each change is printed.
  var isTracing = false
  /// The stream for printed changes; nil for the output for errors.
  var traceStream = Value.nil {
    didSet { hasLostLines = false }
  }
  /// Whether the stream has failed to take a line, which was reported.
  var hasLostLines = false
  /// Lines for the stream, which waits for the end of the turn.
  var traceLines: [String] = [] {
    didSet { machine.graph.hasTrace = !traceLines.isEmpty }
  }

  init() {}

  /// Sets the machine that owns the ring, before anything changes.
  func attach(_ machine: Machine) { unsafe owner = Unmanaged.passUnretained(machine) }

  private var machine: Machine {
    @inline(__always) get { unsafe owner.unsafelyUnwrapped._withUnsafeGuaranteedRef { $0 } }
  }

  deinit { unsafe entries?.deallocate() }

  /// The bytes it takes.
  var byteCount: Int { (mask + 1) * MemoryLayout<Entry>.stride }

  // MARK: Recording

  /// Records that a connection has changed a cell.
  @inline(__always)
  func record(
    _ cell: Int32, turn: Int, connection: Int32, because cause: Int32, old: Value, new: Value
  ) {
    record(
      Entry(
        turn: UInt32(truncatingIfNeeded: turn), cell: cell, writer: connection, cause: cause,
        old: old, new: new, time: 0))
  }

  /// Records that code which a connection runs has changed a cell.
  func record(_ cell: CellID, turn: Int, by effect: Effect, old: Value, new: Value) {
    let number = UInt32(truncatingIfNeeded: turn)
    if effects.turn != number { effects = (number, []) }
    effects.cells.insert(cell.rawValue)
    record(
      cell.rawValue, turn: turn, connection: effect.connection, because: effect.cause, old: old,
      new: new)
  }

  /// Records that a write from outside has changed a cell.
  func recordWrite(_ cell: CellID, turn: Int, by site: TraceEntry?, old: Value, new: Value) {
    let send = unsafe site.map { unsafe Unmanaged.passUnretained($0.site) }
    unsafe recordWrite(cell, turn: turn, from: send, old: old, new: new)
  }

  /// Returns whether a change in a turn can be recorded by writing its entry alone.
  @inline(__always)
  func isReady(for turn: Int) -> Bool {
    UInt32(truncatingIfNeeded: turn) == self.turn && count != limit && !isTracing
  }

  /// Records that a connection has changed a cell, where `isReady` returns true.
  @inline(__always)
  func recordReady(
    _ cell: Int32, connection: Int32, because cause: Int32, old: Value, new: Value
  ) {
    unsafe entries.unsafelyUnwrapped[count & mask] = Entry(
      turn: turn, cell: cell, writer: connection, cause: cause, old: old, new: new, time: time)
    count &+= 1
  }

  /// Records that a write from outside, with which a turn begins, has changed a cell, if its entry alone has
  /// to be written.
  ///
  /// - Returns: Whether the change was recorded.
  @inline(__always)
  func recordFirst(
    _ cell: Int32, turn: Int, from send: Unmanaged<SiteNode>?, old: Value, new: Value
  ) -> Bool {
    guard count != limit, !isTracing else { return false }
    var writer: Int32 = 0
    var start: Int32 = -1
    if let send = unsafe send {
      let isKnown = unsafe send._withUnsafeGuaranteedRef { send in
        writer = -lastSourceNumber
        start = send.range.start
        return ObjectIdentifier(send.code.source) == lastSource
      }
      guard isKnown else { return false }
    }
    let number = UInt32(truncatingIfNeeded: turn)
    if number != self.turn {
      if clock == nil { self.turn = number } else { beginTurn(number) }
    }
    recordReady(cell, connection: writer, because: start, old: old, new: new)
    return true
  }

  /// Records that a write from outside has changed a cell.
  func recordWrite(
    _ cell: CellID, turn: Int, from send: Unmanaged<SiteNode>?, old: Value, new: Value
  ) {
    var entry = Entry(
      turn: UInt32(truncatingIfNeeded: turn), cell: cell.rawValue, writer: 0, cause: -1, old: old,
      new: new, time: 0)
    if let send = unsafe send {
      unsafe send._withUnsafeGuaranteedRef { send in
        entry.writer = -number(of: send.code)
        entry.cause = send.range.start
      }
    }
    record(entry)
  }

  /// The changes of formulas that run one after the other in a turn: they are not printed.
  ///
  /// There is room for all of them; no other change is recorded meanwhile.
  @safe
  struct Run {
    fileprivate let entries: UnsafeMutablePointer<Entry>
    fileprivate let mask: Int
    fileprivate let turn: UInt32
    fileprivate let time: Int
    fileprivate var count: Int

    /// Records that a connection has changed a cell.
    @inline(__always)
    mutating func record(
      _ cell: Int32, connection: Int32, because cause: Int32, old: Value, new: Value
    ) {
      unsafe entries[count & mask] = Entry(
        turn: turn, cell: cell, writer: connection, cause: cause, old: old, new: new, time: time)
      count &+= 1
    }
  }

  /// Begins to record the changes of at most a number of formulas.
  func beginRun(turn: Int, atMost number: Int) -> Run {
    let turn = UInt32(truncatingIfNeeded: turn)
    if turn != self.turn { beginTurn(turn) }
    // At `capacity`, the limit is out of reach.
    while mask < 0 || count + number > limit { grow() }
    return unsafe Run(
      entries: entries.unsafelyUnwrapped, mask: mask, turn: turn, time: time, count: count)
  }

  /// Ends the recording that `beginRun` began.
  func endRun(_ run: Run) { count = run.count }

  @inline(__always)
  private func record(_ entry: Entry) {
    if entry.turn != turn { beginTurn(entry.turn) }
    if count == limit { grow() }
    var entry = entry
    entry.time = time
    unsafe entries.unsafelyUnwrapped[count & mask] = entry
    count &+= 1
    if isTracing { machine.printChange(entry) }
  }

  /// Makes room for more entries, while there are fewer than there may be.
  @inline(never)
  private func grow() {
    let old = mask + 1
    let new = max(ChangeLog.firstCapacity, old * 2)
    let memory = UnsafeMutablePointer<Entry>.allocate(capacity: new)
    // Not one has been overwritten yet: they stand in order.
    if let entries = unsafe entries {
      unsafe memory.update(from: entries, count: count)
      unsafe entries.deallocate()
    }
    unsafe entries = unsafe memory
    mask = new - 1
    limit = new < ChangeLog.capacity ? new : .max
    machine.heap.countOutside((new - old) * MemoryLayout<Entry>.stride)
  }

  @inline(never)
  private func beginTurn(_ turn: UInt32) {
    self.turn = turn
    unsafe timeSourceReference?._withUnsafeGuaranteedRef { time = $0.clock.coarseWallTime / 1000 }
  }

  /// Returns the number of the text of some code, from 1: mostly that of the last one.
  private func number(of code: Code) -> Int32 {
    ObjectIdentifier(code.source) == lastSource ? lastSourceNumber : number(of: code.source)
  }

  /// Returns the number of a text, from 1.
  private func number(of source: SourceText) -> Int32 {
    lastSource = ObjectIdentifier(source)
    if let known = sources.first(where: { $0.source === source }) {
      lastSourceNumber = known.number
      return known.number
    }
    // After 2^30 texts the numbers begin again, at a multiple of those that are known.
    lastSourceNumber = Int32(truncatingIfNeeded: sourceCount & 0x3FFF_FFFF) + 1
    if sources.count < ChangeLog.sourceLimit {
      sources.append((source, lastSourceNumber))
    } else {
      sources[sourceCount % ChangeLog.sourceLimit] = (source, lastSourceNumber)
    }
    sourceCount += 1
    return lastSourceNumber
  }

  /// Forgets the changes of a cell that is gone, whose number another one has got.
  func forget(_ cell: CellID) {
    if count > 0 { births[cell.rawValue] = count }
  }

  /// Forgets the changes of a turn that was given up.
  func forget(turn: Int) {
    // The entries that they have overwritten are gone all the same.
    first = oldest
    let number = UInt32(truncatingIfNeeded: turn)
    while count > first, self[count - 1].turn == number { count -= 1 }
    births = births.mapValues { min($0, count) }
  }

  /// Returns the places that statements and the code of connections have written in a turn, if it is the
  /// last one.
  ///
  /// - Complexity: O(changes in the turn).
  func places(writtenIn turn: Int) -> Set<Int32> {
    let turn = UInt32(truncatingIfNeeded: turn)
    var places = effects.turn == turn ? effects.cells : []
    var number = count - 1
    while number >= oldest, self[number].turn == turn {
      if self[number].writer <= 0 { places.insert(self[number].cell) }
      number -= 1
    }
    return places
  }

  // MARK: Looking back

  /// The number of the oldest change that is still known.
  private var oldest: Int { max(first, count - (mask + 1)) }

  /// A change by its number, from 0, of those that are still known.
  subscript(number: Int) -> Entry {
    guard let entries = unsafe entries else { return ChangeLog.nothing }
    return unsafe entries[number & mask]
  }

  private static var nothing: Entry {
    Entry(turn: 0, cell: -1, writer: 0, cause: -1, old: .undefined, new: .undefined, time: 0)
  }

  /// Returns the number of the last change of a cell.
  ///
  /// - Complexity: O(entries).
  func last(of cell: CellID) -> Int? {
    let first = max(oldest, births[cell.rawValue] ?? 0)
    var number = count - 1
    while number >= first {
      if self[number].cell == cell.rawValue { return number }
      number -= 1
    }
    return nil
  }

  /// A search back through all changes, from the last one.
  var backwards: Search { Search(ring: self, number: count) }

  /// A search for changes that goes back only: a chain of causes is found in one pass.
  struct Search {
    let ring: ChangeLog
    var number: Int
    /// The cells whose changes were passed, with their values before.
    var passed: [Int32: Value] = [:]

    /// Returns the last change of a cell before the one found before, and whether the cell has not changed
    /// since.
    mutating func next(of cell: CellID) -> (entry: Entry, isPresent: Bool)? {
      let first = max(ring.oldest, ring.births[cell.rawValue] ?? 0)
      while number > first {
        number -= 1
        let entry = ring[number]
        let isLast = passed.updateValue(entry.old, forKey: entry.cell) == nil
        if entry.cell == cell.rawValue { return (entry, isLast) }
      }
      return nil
    }
  }

  /// Returns the last change of each cell in the turn of a change, as far as it is known.
  ///
  /// - Complexity: O(entries).
  func changes(inTurnOf entry: Entry) -> [Int32: Entry] {
    var found: [Int32: Entry] = [:]
    for number in oldest..<max(oldest, count) where self[number].turn == entry.turn {
      found[self[number].cell] = self[number]
    }
    return found
  }

  /// Returns whether a cell had been made already when a change happened: its number may have been that of
  /// another one before.
  func knows(_ cell: CellID, at number: Int) -> Bool { births[cell.rawValue] ?? 0 <= number }

  /// Returns the numbers of the changes of a cell that are still known, the oldest first.
  func changes(of cell: CellID) -> [Int] {
    let first = max(oldest, births[cell.rawValue] ?? 0)
    return first < count ? (first..<count).filter { self[$0].cell == cell.rawValue } : []
  }

  /// Returns the statement that has written, `file.st:3:1`; nil when it is not known.
  func location(of entry: Entry) -> String? {
    guard let source = source(of: entry) else { return nil }
    let place = source.location(of: entry.cause)
    return "\(source.name):\(place.line):\(place.column)"
  }

  /// Returns the text whose statement has written; nil when it is not known.
  func source(of entry: Entry) -> SourceText? {
    guard entry.writer < 0 else { return nil }
    let slot = (Int(-entry.writer) - 1) % ChangeLog.sourceLimit
    guard sources.indices.contains(slot), sources[slot].number == -entry.writer else { return nil }
    return sources[slot].source
  }

  // MARK: Collecting

  /// Marks the values that are kept alive: numbers and short texts.
  func mark(_ heap: Heap) {
    for number in oldest..<count {
      let entry = self[number]
      for value in [entry.old, entry.new] where value.isObject && isKept(value) {
        heap.mark(value)
      }
    }
  }

  /// Returns whether an object is kept alive: a number or a short text.
  ///
  /// A scaled decimal contains a fraction, and that two integers; but a program may have put anything
  /// into them, the fraction itself, too: deeper parts are not examined.
  private func isKept(_ value: Value, depth: Int = 2) -> Bool {
    let object = ObjectRef(value)
    if let isKept = isKeptWhole(object) { return isKept }
    // By name: nothing may be made while garbage is collected, and the class of fractions might be.
    let info = machine.classInfo(at: object.classIndex)
    guard depth > 0, info.isKernel, info.name == "Fraction" || info.name == "ScaledDecimal" else {
      return false
    }
    return [object[slot: 0], object[slot: 1]].allSatisfy {
      !$0.isObject || isKept($0, depth: depth - 1)
    }
  }

  /// Returns whether a number or text without parts is kept alive; nil for other objects.
  private func isKeptWhole(_ object: ObjectRef) -> Bool? {
    switch object.classIndex {
    case ClassIndex.float: true
    case ClassIndex.string, ClassIndex.symbol, ClassIndex.largeInteger:
      object.byteCount <= ChangeLog.longestText
    default: nil
    }
  }

  /// Forgets the objects that a collection has not found.
  func purge(_ heap: Heap) {
    guard let entries = unsafe entries else { return }
    for number in oldest..<count {
      let index = number & mask
      if unsafe isGone(entries[index].old, heap) { unsafe entries[index].old = ChangeLog.gone }
      if unsafe isGone(entries[index].new, heap) { unsafe entries[index].new = ChangeLog.gone }
    }
  }

  private func isGone(_ value: Value, _ heap: Heap) -> Bool {
    value.isObject && !heap.isMarked(ObjectRef(value))
  }

  /// The value that stands for an object that is gone.
  static var gone: Value { .unwind }
}
