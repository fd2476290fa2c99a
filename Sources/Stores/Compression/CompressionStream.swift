internal import CTenonPlatform
internal import TenonStoreKit

/// How packed bytes begin and end.
enum CompressionFormat: String {
  case gzip, zlib, raw

  /// The largest window, in zlib's numbers: 16 more for gzip, negative for no frame.
  var window: Int32 {
    switch self {
    case .gzip: 31
    case .zlib: 15
    case .raw: -15
    }
  }
}

/// One packing or unpacking.
struct CompressionStream {
  private let library: LibZ
  private let format: CompressionFormat
  /// What errors name.
  private let reference: Reference
  private let isInterrupted: () -> Bool

  init(
    _ library: LibZ, _ format: CompressionFormat, _ reference: Reference,
    isInterrupted: @escaping () -> Bool
  ) {
    self.library = library
    self.format = format
    self.reference = reference
    self.isInterrupted = isInterrupted
  }

  /// The bytes that are handed over and taken at a time: the counts of zlib have 32 bits.
  private static let pieceSize = 256 << 10

  /// The bytes in less room.
  ///
  /// - Parameters:
  ///   - bytes: Any bytes.
  ///   - level: How hard to try, from 0, not at all, to 9.
  /// - Returns: The packed bytes.
  /// - Throws: `StoreError`, when there is no memory or the program is stopped.
  /// - Complexity: O(n).
  func packed(_ bytes: [UInt8], level: Int) throws(StoreError) -> [UInt8] {
    guard 0...9 ~= level else {
      throw StoreError(.encode, reference, "the level is \(level), not 0 to 9")
    }
    let stream = unsafe Self.makeStream()
    defer { unsafe stream.deallocate() }
    let begun = unsafe LibZ.version.withCString { version in
      unsafe library.beginPacking(
        stream, Int32(level), LibZ.deflateMethod, format.window, LibZ.usualMemory, 0, version,
        LibZ.streamSize)
    }
    guard begun == LibZ.Code.ok else { throw noMemory }
    defer { _ = unsafe library.endPacking(stream) }
    var result: [UInt8] = []
    var position = 0
    while true {
      let piece = bytes[position..<min(position + Self.pieceSize, bytes.count)]
      let isLast = piece.endIndex == bytes.count
      let code = unsafe step(
        library.pack, stream, piece, isLast ? LibZ.Flush.finish : LibZ.Flush.none, into: &result)
      position = unsafe piece.endIndex - Int(stream.pointee.avail_in)
      if code == LibZ.Code.end { return result }
      guard code == LibZ.Code.ok || code == LibZ.Code.noProgress else { throw noMemory }
      try checkInterruption()
    }
  }

  /// The bytes that others were packed from.
  ///
  /// - Parameters:
  ///   - bytes: Packed bytes: of gzip one member after another, with zeros behind them.
  ///   - limit: The most bytes that may come out.
  /// - Returns: The bytes, at most `limit`.
  /// - Throws: `StoreError`: `decode` for bytes that are cut off, damaged, or something else,
  ///   `tooLarge` for more than `limit`.
  /// - Complexity: O(n) in the number of bytes on both sides.
  func unpacked(_ bytes: [UInt8], limit: Int) throws(StoreError) -> [UInt8] {
    let stream = unsafe Self.makeStream()
    defer { unsafe stream.deallocate() }
    let begun = unsafe LibZ.version.withCString { version in
      unsafe library.beginUnpacking(stream, format.window, version, LibZ.streamSize)
    }
    guard begun == LibZ.Code.ok else { throw noMemory }
    defer { _ = unsafe library.endUnpacking(stream) }
    var result: [UInt8] = []
    var position = 0
    while true {
      let piece = bytes[position..<min(position + Self.pieceSize, bytes.count)]
      let before = (position, result.count)
      let code = unsafe step(library.unpack, stream, piece, LibZ.Flush.none, into: &result)
      position = unsafe piece.endIndex - Int(stream.pointee.avail_in)
      guard result.count <= limit else {
        throw StoreError(.tooLarge, reference, "more than \(limit) bytes come out of it")
      }
      switch code {
      case LibZ.Code.end:
        guard try isNextMember(bytes, at: &position) else { return result }
        guard unsafe library.beginNextMember(stream) == LibZ.Code.ok else { throw noMemory }
      case LibZ.Code.ok, LibZ.Code.noProgress:
        guard before != (position, result.count) else {
          throw StoreError(
            .decode, reference, "it ends at byte \(bytes.count), before the packed bytes do")
        }
      case LibZ.Code.noMemory: throw noMemory
      case LibZ.Code.needsDictionary:
        throw StoreError(.decode, reference, "it was packed with a dictionary")
      default:
        let text = unsafe stream.pointee.msg.map { unsafe String(cString: $0) } ?? "error \(code)"
        throw StoreError(.decode, reference, "it is damaged near byte \(position): \(text)")
      }
      try checkInterruption()
    }
  }

  /// Whether another member of gzip follows; zeros that fill a block up are passed over.
  private func isNextMember(_ bytes: [UInt8], at position: inout Int) throws(StoreError) -> Bool {
    let rest = bytes[position...]
    guard let next = rest.firstIndex(where: { $0 != 0 }) ?? nil else { return false }
    if format == .gzip, next == position, rest.starts(with: [0x1F, 0x8B]) { return true }
    throw StoreError(
      .decode, reference, "something else begins at byte \(next + 1), behind the packed bytes")
  }

  /// What zlib and its caller share, at a place of its own: zlib remembers where it is.
  private static func makeStream() -> LibZ.Stream {
    let stream = LibZ.Stream.allocate(capacity: 1)
    unsafe stream.initialize(to: tenon_z_stream())
    return unsafe stream
  }

  /// Hands a piece of the input over and takes what comes out.
  ///
  /// - Returns: The answer of zlib; `avail_in` of the stream says how many bytes are left.
  private func step(
    _ function: LibZ.Step, _ stream: LibZ.Stream, _ piece: ArraySlice<UInt8>,
    _ flush: Int32, into result: inout [UInt8]
  ) -> Int32 {
    unsafe piece.withUnsafeBufferPointer { input in
      unsafe withUnsafeTemporaryAllocation(of: UInt8.self, capacity: Self.pieceSize) { output in
        // Nothing to read has no address, which zlib does not take for an answer.
        unsafe stream.pointee.next_in = input.baseAddress ?? UnsafePointer(output.baseAddress)
        unsafe stream.pointee.avail_in = UInt32(input.count)
        unsafe stream.pointee.next_out = output.baseAddress
        unsafe stream.pointee.avail_out = UInt32(output.count)
        let code = unsafe function(stream, flush)
        unsafe result += output[..<(output.count - Int(stream.pointee.avail_out))]
        return code
      }
    }
  }

  private var noMemory: StoreError { StoreError(.io, reference, "zlib has no memory left") }

  private func checkInterruption() throws(StoreError) {
    if isInterrupted() { throw StoreError(.unavailable, reference, "interrupted") }
  }
}
