internal import TenonStoreKit
internal import TenonText

/// The streams that are open to the outside, by the objects that stand for them.
final class OpenStreams {
  /// A stream that reads.
  final class Source {
    let place: Reference
    let reader: ByteReader
    /// Whether somebody waits for its bytes.
    var isBusy = false

    init(_ place: Reference, _ source: any ByteSource) {
      self.place = place
      reader = ByteReader(source, encoding: source.encoding)
    }
  }

  /// A stream that writes.
  final class Sink {
    let place: Reference
    let sink: any ByteSink
    var encoding = TextEncoding.utf8
    /// What was written and has not gone out.
    var pending: [UInt8] = []
    var isBusy = false
    /// Whether nobody can close it any more.
    var isLost = false

    /// How much is collected before it goes out.
    static let pieceSize = 64 << 10

    init(_ place: Reference, _ sink: any ByteSink) {
      self.place = place
      self.sink = sink
    }

    /// Lets out what was written, and ends it.
    func finish() throws(StoreError) {
      if sink.replaces, isLost {
        sink.cancel()
        throw StoreError(.closed, place, "its stream was not closed: it stays as it was")
      }
      do throws(StoreError) {
        if !pending.isEmpty { try sink.write(pending) }
        pending = []
      } catch {
        sink.cancel()
        throw error
      }
      try sink.finish()
    }
  }

  var sources: [UInt: Source] = [:]
  var sinks: [UInt: Sink] = [:]

  var isEmpty: Bool { sources.isEmpty && sinks.isEmpty }

  /// How many there may be before the collector looks for those that nobody uses any more: each is
  /// a descriptor or more.
  private var limit = 128

  /// Whether the collector is to look now; then more are taken for as long as they live.
  var needsCollection: Bool { sources.count + sinks.count >= limit }

  /// Says how many live.
  func didCollect() { limit = max(128, 2 * (sources.count + sinks.count)) }

  /// Ends the streams whose objects the collection has not found: what was written to them has been.
  ///
  /// - Parameters:
  ///   - heap: The heap, all marked that lives.
  ///   - report: Called with why some of that is lost.
  func endLost(_ heap: Heap, report: (StoreError) -> Void) {
    for bits in sources.keys where !heap.isMarked(ObjectRef(Value(bits: bits))) {
      sources.removeValue(forKey: bits)?.reader.source.close()
    }
    for bits in sinks.keys where !heap.isMarked(ObjectRef(Value(bits: bits))) {
      guard let sink = sinks.removeValue(forKey: bits) else { continue }
      sink.isLost = true
      do throws(StoreError) {
        try sink.finish()
      } catch {
        report(error.about(sink.place))
      }
    }
  }

  /// Ends all streams.
  ///
  /// - Returns: Why what was written to some of them is lost.
  func end() -> [StoreError] {
    for source in sources.values where !source.isBusy { source.reader.source.close() }
    sources = [:]
    var errors: [StoreError] = []
    for (_, sink) in sinks.sorted(by: { $0.key < $1.key }) where !sink.isBusy {
      sink.isLost = true
      do throws(StoreError) {
        try sink.finish()
      } catch {
        errors.append(error.about(sink.place))
      }
    }
    sinks = [:]
    return errors
  }
}

/// Where the kernel's external streams keep their variables.
enum ExternalStreamSlot {
  /// `line` of InputStream and `printing` of PutStream come first.
  static let reference = 1
  static let header = 2
}

/// A stream of the language, and what is done with it.
struct ExternalStream {
  let machine: Machine
  let value: Value

  init(_ machine: Machine, _ value: Value) {
    self.machine = machine
    self.value = value
  }

  private var table: OpenStreams { machine.stores.streams }
  private var bits: UInt { ObjectRef(value).bits }

  private func closed() -> Failure {
    let place = ObjectRef(value)[slot: ExternalStreamSlot.reference]
    let text = place.isObject ? machine.referenceText(place) : "a stream"
    return .store(StoreError(.closed, text, "the stream has been closed"))
  }

  private func busy(_ place: Reference) -> Failure {
    .store(StoreError(.locked, place, "somebody else waits for the stream"))
  }

  // MARK: Reading

  func source() throws(Failure) -> OpenStreams.Source {
    guard let source = table.sources[bits] else { throw closed() }
    guard !source.isBusy else { throw busy(source.place) }
    return source
  }

  /// Does something that may wait with a source; its error names the place.
  private func working<Answer>(
    with source: OpenStreams.Source, _ body: @escaping @Sendable () throws(StoreError) -> Answer
  ) throws(Failure) -> Answer {
    source.isBusy = true
    defer { source.isBusy = false }
    let place = source.place
    do throws(Failure) {
      return try machine.performing(
        named: "get", on: source.reader.source.executor, at: place, keeping: [value]
      ) { () throws(StoreError) in
        do throws(StoreError) { return try body() } catch { throw error.about(place) }
      }
    } catch {
      // Another thread may still be at it; nobody here goes on with the source.
      if error.isUnwinding { table.sources[bits] = nil }
      throw error
    }
  }

  private func fetch(_ source: OpenStreams.Source) throws(Failure) {
    let reader = source.reader
    guard reader.available <= ObjectRef.byteLimit else {
      throw .store(
        StoreError(.tooLarge, source.place, "a line is longer than \(ObjectRef.byteLimit) bytes"))
    }
    nonisolated(unsafe) let used = reader
    try working(with: source) { () throws(StoreError) in try unsafe used.fetch() }
  }

  /// The next line; nil at the end.
  func readLine(withEnd: Bool) throws(Failure) -> Value {
    let source = try source()
    let reader = source.reader
    while true {
      if let range = reader.takeLine(isLast: reader.isAtEnd) {
        return try makeText(of: source, withEnd ? reader.rangeWithEnd(range) : range)
      }
      let wasAtEnd = reader.isAtEnd
      // What grows may have more by now.
      try fetch(source)
      if wasAtEnd, reader.isAtEnd, reader.available == 0 { return .nil }
    }
  }

  /// The next lines with their ends, about so many bytes; nil at the end.
  func readLines(bytes count: Value) throws(Failure) -> Value {
    let number = try machine.integer(count)
    let source = try source()
    let reader = source.reader
    while true {
      if let range = reader.takeLines(bytes: number) { return try makeText(of: source, range) }
      try fetch(source)
      if reader.isAtEnd, reader.available == 0 { return .nil }
    }
  }

  /// The next line that has an end; nil when there is none yet.
  func readFinishedLine() throws(Failure) -> Value {
    let source = try source()
    let reader = source.reader
    while true {
      if let range = reader.takeLine(isLast: false) { return try makeText(of: source, range) }
      try fetch(source)
      if reader.isAtEnd { return .nil }
    }
  }

  private func makeText(
    of source: OpenStreams.Source, _ range: Range<Int>
  ) throws(Failure) -> Value {
    try machine.reserve(range.count)
    let text = unsafe source.reader.withBytes(range) { bytes -> ObjectRef? in
      let object = unsafe machine.makeString(utf8: bytes)
      let isText = unsafe object.isASCII || String(validating: bytes, as: UTF8.self) != nil
      return isText ? object : nil
    }
    if let text { return Value(text) }
    throw .store(
      StoreError(
        .decode, source.place,
        "it is not UTF-8; 'encoding:' tells what else it is, 'nextBytes:' reads bytes"))
  }

  private func fetchAll(_ source: OpenStreams.Source) throws(Failure) {
    repeat {
      try fetch(source)
      try machine.reserve(source.reader.available)
    } while !source.reader.isAtEnd
  }

  func readToEnd() throws(Failure) -> Value {
    let source = try source()
    try fetchAll(source)
    return try makeText(of: source, source.reader.take(atMost: .max))
  }

  func readAllBytes() throws(Failure) -> Value {
    let source = try source()
    source.reader.beginWithBytes()
    try fetchAll(source)
    return try machine.makeByteArray(checked: source.reader.takeBytes())
  }

  func readBytes(atMost count: Value) throws(Failure) -> Value {
    let number = try machine.integer(count)
    guard number > 0 else {
      throw .invalidArgument("a number from 1", found: machine.describe(count))
    }
    let source = try source()
    let reader = source.reader
    reader.beginWithBytes()
    if reader.available == 0 { try fetch(source) }
    let range = reader.take(atMost: number)
    guard !range.isEmpty else { return .nil }
    let array = try machine.makeBytes(classIndex: ClassIndex.byteArray, count: range.count)
    unsafe reader.withBytes(range) { unsafe array.bytes.copyMemory(from: $0) }
    return Value(array)
  }

  /// The next bytes, so many unless there are fewer; nil at the end.
  func readFull(_ count: Value) throws(Failure) -> Value {
    let number = try machine.integer(count)
    guard number > 0, number <= ObjectRef.byteLimit else {
      throw .invalidArgument(
        "a number from 1 to \(ObjectRef.byteLimit)", found: machine.describe(count))
    }
    let source = try source()
    let reader = source.reader
    reader.beginWithBytes()
    while reader.available < number {
      try fetch(source)
      try machine.reserve(reader.available)
      if reader.isAtEnd { break }
    }
    return try readBytes(atMost: count)
  }

  /// Gives back text that was taken last, to be read again.
  func unread(_ text: Value) throws(Failure) -> Value {
    let bytes = try machine.string(text).byteCount
    try source().reader.giveBack(bytes)
    return value
  }

  func move(to offset: Value) throws(Failure) -> Value {
    let source = try source()
    guard let number = offset.asSmallInteger, number >= 0 else {
      throw .invalidArgument("an offset from 0", found: machine.describe(offset))
    }
    nonisolated(unsafe) let reader = source.reader
    try working(with: source) { () throws(StoreError) in try unsafe reader.move(to: number) }
    return value
  }

  func setEncoding(ofSource name: Value) throws(Failure) -> Value {
    let source = try source()
    guard let encoding = TextEncoding(named: try machine.swiftString(name)) else { return .false }
    guard !source.reader.hasBegun || source.reader.encoding == encoding else {
      throw Failure(.error, "the encoding of a stream is told before anything is read")
    }
    source.reader.encoding = encoding
    return .true
  }

  // MARK: Writing

  private func sink() throws(Failure) -> OpenStreams.Sink {
    guard let sink = table.sinks[bits] else { throw closed() }
    guard !sink.isBusy else { throw busy(sink.place) }
    return sink
  }

  private func working(
    with sink: OpenStreams.Sink, _ body: @escaping @Sendable () throws(StoreError) -> Void
  ) throws(Failure) {
    sink.isBusy = true
    defer { sink.isBusy = false }
    let place = sink.place
    do throws(Failure) {
      try machine.performing(named: "put", on: sink.sink.executor, at: place, keeping: [value]) {
        () throws(StoreError) in
        do throws(StoreError) { try body() } catch { throw error.about(place) }
      }
    } catch {
      if error.isUnwinding { table.sinks[bits] = nil }
      throw error
    }
  }

  func flush() throws(Failure) -> Value {
    let entry = try sink()
    guard !entry.pending.isEmpty else { return value }
    let bytes = entry.pending
    entry.pending = []
    do throws(Failure) {
      nonisolated(unsafe) let sink = entry.sink
      try working(with: entry) { () throws(StoreError) in try unsafe sink.write(bytes) }
    } catch {
      // With a hole in it, it is worth nothing.
      table.sinks[bits] = nil
      if !error.isUnwinding { entry.sink.cancel() }
      throw error
    }
    return value
  }

  func write(_ text: Value) throws(Failure) -> Value {
    let entry = try sink()
    if text.isObject(ofClass: ClassIndex.byteArray) {
      unsafe entry.pending.append(contentsOf: ObjectRef(text).bytes)
    } else if entry.encoding == .utf8 {
      unsafe entry.pending.append(contentsOf: try machine.string(text).bytes)
    } else {
      guard let bytes = entry.encoding.bytes(for: try machine.swiftString(text)) else {
        throw .store(
          StoreError(
            .encode, entry.place, "a character of the text is not in \(entry.encoding.name)"),
          during: "put")
      }
      entry.pending += bytes
      // The mark stands at the beginning alone.
      if entry.encoding == .utf16 { entry.encoding = .utf16BigEndian }
    }
    // What waits for another program goes out at once, lest both wait for each other.
    let limit = entry.sink.executor == nil ? OpenStreams.Sink.pieceSize : 0
    if entry.pending.count > limit { _ = try flush() }
    return text
  }

  func setEncoding(ofSink name: Value) throws(Failure) -> Value {
    let sink = try sink()
    guard let encoding = TextEncoding(named: try machine.swiftString(name)) else { return .false }
    // What is there has a mark, if any; what is written behind it has the order of its bytes.
    let beginning = encoding == .utf16 ? sink.sink.beginning : []
    sink.encoding =
      beginning.isEmpty
      ? encoding : beginning.starts(with: [0xFF, 0xFE]) ? .utf16LittleEndian : .utf16BigEndian
    return .true
  }

  var isOpen: Bool { table.sources[bits] != nil || table.sinks[bits] != nil }

  func close() throws(Failure) -> Value {
    if let source = table.sources.removeValue(forKey: bits) {
      // Where somebody waits for it, it is closed when nobody has it any more.
      if source.isBusy { source.reader.source.interrupt() } else { source.reader.source.close() }
      return value
    }
    guard table.sinks[bits] != nil else { return value }
    let entry = try sink()
    nonisolated(unsafe) let used = entry
    table.sinks[bits] = nil
    try working(with: entry) { () throws(StoreError) in try unsafe used.finish() }
    return machine.takeUpStoredChanges().isUnwind ? .unwind : value
  }

  func cancel() -> Value {
    if let sink = table.sinks.removeValue(forKey: bits), !sink.isBusy { sink.sink.cancel() }
    return value
  }
}

extension ByteReader {
  /// A line that was taken, with its end.
  fileprivate func rangeWithEnd(_ line: Range<Int>) -> Range<Int> {
    line.lowerBound..<line.upperBound + endOfLine(after: line.upperBound)
  }
}
