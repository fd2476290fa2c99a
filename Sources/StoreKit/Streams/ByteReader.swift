internal import CTenonPlatform
public import TenonText

/// Reads a source of bytes in large pieces, and finds lines and texts in them.
///
/// Texts are UTF-8 unless said otherwise. A byte order mark at the beginning is left out, and that of
/// UTF-16 says that the text is UTF-16. One thread at a time uses it.
public final class ByteReader {
  /// Where the bytes come from.
  public let source: any ByteSource
  /// Bytes that have been fetched, in UTF-8 unless bytes as they are were asked for.
  private var buffer: [UInt8] = []
  /// The first byte in `buffer` that was not taken.
  private var start = 0
  /// How far the end of a line has been looked for.
  private var searched = 0
  private var decoder: TextDecoder?
  /// The bytes of the source that come before those in `buffer`; what decoding has made of them does not
  /// count.
  private var fetched = 0
  /// Whether nothing came when bytes were fetched last.
  public private(set) var isAtEnd = false

  /// The most bytes that are fetched at a time.
  public static let pieceSize = 256 << 10

  /// Creates a reader.
  ///
  /// - Parameters:
  ///   - source: What is read.
  ///   - encoding: How its texts are encoded; nil for UTF-8, or UTF-16 where a mark says so.
  public init(_ source: any ByteSource, encoding: TextEncoding? = nil) {
    self.source = source
    if let encoding, encoding != .utf8 { decoder = TextDecoder(encoding) }
  }

  /// How texts are encoded.
  ///
  /// Setting it counts for what is fetched from then on, and makes sense before anything is read.
  public var encoding: TextEncoding {
    get { decoder?.encoding ?? .utf8 }
    set { decoder = newValue == .utf8 ? nil : TextDecoder(newValue) }
  }

  /// How many bytes have been taken; nil where they were decoded.
  public var position: Int? { decoder == nil ? fetched - (buffer.count - start) : nil }

  /// Goes on at an offset in bytes.
  ///
  /// - Throws: `StoreError` where the source cannot.
  public func move(to offset: Int) throws(StoreError) {
    let held = fetched - buffer.count
    if decoder == nil, offset >= held, offset <= fetched {
      start = offset - held
      if offset == 0 { skipMark() }
    } else {
      try source.move(to: offset)
      buffer = []
      start = 0
      fetched = offset
      decoder?.restart()
    }
    searched = start
    isAtEnd = false
  }

  // MARK: Fetching

  /// Fetches bytes, if there are more; may wait.
  ///
  /// - Throws: What reading the source throws, and `decode` for what is no text in the encoding.
  public func fetch() throws(StoreError) {
    let piece = try source.read(atMost: ByteReader.pieceSize)
    isAtEnd = piece.isEmpty
    if start > 0 {
      buffer.removeSubrange(..<start)
      searched = max(0, searched - start)
      start = 0
    }
    let isFirst = fetched == 0
    fetched += piece.count
    var bytes = piece
    if isFirst, mayHoldText, decoder == nil, ByteOrderMark.otherEncoding(of: piece) == "UTF-16" {
      decoder = TextDecoder(.utf16)
    }
    if decoder != nil {
      if let text = decoder?.decode(piece, isLast: isAtEnd) {
        bytes = text
      } else {
        throw StoreError(.decode, "", "it is no text in \(encoding.name)")
      }
    }
    if buffer.isEmpty { buffer = bytes } else { buffer += bytes }
    if isFirst { skipMark() }
  }

  /// Leaves a byte order mark out, at the beginning.
  private func skipMark() {
    guard decoder != nil || mayHoldText, start == 0, buffer.starts(with: ByteOrderMark.utf8) else {
      return
    }
    start = ByteOrderMark.utf8.count
    searched = start
  }

  /// Whether something has been fetched.
  public var hasBegun: Bool { fetched > 0 }

  /// Gives back so many bytes that were taken last, unless more has been fetched since.
  public func giveBack(_ count: Int) {
    start = max(0, start - count)
    searched = start
  }

  /// Whether a byte order mark at the beginning is one: what is read byte by byte keeps it.
  private var mayHoldText = true

  /// Says that bytes are read, and not texts, if nothing has been read: they come as they are.
  public func beginWithBytes() {
    guard !hasBegun else { return }
    mayHoldText = false
    decoder = nil
  }

  // MARK: Taking

  /// The number of bytes that can be taken without fetching.
  public var available: Int { buffer.count - start }

  /// Takes the next line that has been fetched as a whole, without its end.
  ///
  /// - Parameter isLast: Whether what is left is a line, too, as there is no more.
  /// - Returns: Where it is in what `withBytes` gives; nil when it is not there.
  /// - Complexity: O(n) in the length of the line, however often it is asked for.
  public func takeLine(isLast: Bool) -> Range<Int>? {
    let first = start
    let from = searched
    var end = unsafe buffer.withUnsafeBytes { bytes -> Int? in
      guard let base = bytes.baseAddress, from < bytes.count else { return nil }
      let index = unsafe tenon_index_of_byte(base + from, UInt8(ascii: "\n"), bytes.count - from)
      return from + index < bytes.count ? from + index : nil
    }
    if let found = end {
      start = found + 1
    } else if isLast, available > 0 {
      end = buffer.count
      start = buffer.count
    }
    searched = end == nil ? buffer.count : start
    guard var last = end else { return nil }
    if last > first, buffer[last - 1] == UInt8(ascii: "\r") { last -= 1 }
    return first..<last
  }

  /// Takes the next lines with their ends, together at least so many bytes if there are.
  ///
  /// - Returns: Where they are in what `withBytes` gives; nil when more has to be fetched before, or there
  ///   is nothing more.
  public func takeLines(bytes count: Int) -> Range<Int>? {
    let first = start
    let wanted = max(1, count)
    guard available > 0, available >= wanted || isAtEnd else { return nil }
    let from = start + min(wanted, available) - 1
    let end = unsafe buffer.withUnsafeBytes { bytes -> Int? in
      guard let base = bytes.baseAddress else { return nil }
      let length = bytes.count - from
      let index = unsafe tenon_index_of_byte(base + from, UInt8(ascii: "\n"), length)
      return index < length ? from + index + 1 : nil
    }
    guard let last = end ?? (isAtEnd ? buffer.count : nil) else { return nil }
    start = last
    searched = last
    return first..<last
  }

  /// How many bytes the end of a line has that was taken up to an offset: 0 where the source ended.
  public func endOfLine(after offset: Int) -> Int {
    guard offset < start, offset < buffer.count else { return 0 }
    return buffer[offset] == UInt8(ascii: "\r") ? min(2, start - offset) : 1
  }

  /// Takes bytes that have been fetched.
  ///
  /// - Returns: Where they are in what `withBytes` gives.
  public func take(atMost count: Int) -> Range<Int> {
    let first = start
    start = count < available ? start + count : buffer.count
    searched = max(searched, start)
    return first..<start
  }

  /// The number of bytes up to the end of the last whole character that has been fetched.
  public var availableText: Int {
    var length = available
    guard !isAtEnd, length > 0 else { return length }
    // A character has at most four bytes; one that has begun may go on in the next piece.
    var back = 1
    while back <= min(4, length) {
      let byte = buffer[buffer.count - back]
      if byte & 0xC0 != 0x80 {
        let needed = byte < 0xC0 ? 1 : byte < 0xE0 ? 2 : byte < 0xF0 ? 3 : 4
        if needed > back { length -= back }
        return length
      }
      back += 1
    }
    return length
  }

  /// Reads what was taken, until more is fetched.
  public func withBytes<Answer>(
    _ range: Range<Int>, _ body: (UnsafeRawBufferPointer) -> Answer
  ) -> Answer {
    unsafe buffer.withUnsafeBytes { bytes in
      unsafe body(UnsafeRawBufferPointer(rebasing: bytes[range]))
    }
  }

  /// Takes all that has been fetched.
  public func takeBytes() -> [UInt8] {
    let bytes = start == 0 ? buffer : Array(buffer[start...])
    buffer = []
    start = 0
    searched = 0
    return bytes
  }
}
