internal import TenonLexer

#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#elseif canImport(Darwin)
  internal import Darwin
#endif

/// Reading scripts.
enum SourceFile {
  /// Why a script cannot be read.
  enum ReadError: Error {
    /// What the system says.
    case system(String)
    /// Somebody asked to stop while the bytes were awaited.
    case interrupted
  }

  /// Reads the script in a file.
  ///
  /// - Parameters:
  ///   - path: The path as the system gave it, which need not be UTF-8.
  ///   - name: The path as messages show it.
  /// - Returns: The script, whose text need not be right in any way.
  /// - Throws: `ReadError` when the file cannot be read or somebody asked to stop.
  static func read(
    _ path: UnsafePointer<CChar>, name: String
  ) throws(ReadError) -> SourceText {
    let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw failure() }
    defer { close(descriptor) }
    return try read(descriptor, name: name)
  }

  /// Reads the script that a descriptor gives, up to one byte more than a script may have: the
  /// parser tells that it is too large, however much would come.
  static func read(_ descriptor: Int32, name: String) throws(ReadError) -> SourceText {
    var bytes = ContiguousArray<UInt8>()
    let limit = SourceText.largestSize + 1
    while bytes.count < limit {
      let isReady = Interrupts.waitForInput(descriptor) { Interrupts.ending != nil }
      guard isReady else { throw .interrupted }
      let count = unsafe withUnsafeTemporaryAllocation(byteCount: 64 << 10, alignment: 16) {
        chunk in
        let wanted = min(chunk.count, limit - bytes.count)
        let count = unsafe Glibc.read(descriptor, chunk.baseAddress, wanted)
        if count > 0 { unsafe bytes.append(contentsOf: chunk[..<count]) }
        return count
      }
      if count == 0 { break }
      if count < 0, errno != EINTR, errno != EAGAIN { throw failure() }
    }
    return SourceText(name: name, bytes: bytes)
  }

  private static func failure() -> ReadError {
    errno == EINTR && Interrupts.ending != nil ? .interrupted : .system(systemErrorText())
  }
}
