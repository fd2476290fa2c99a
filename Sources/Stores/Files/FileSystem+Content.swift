internal import TenonStoreKit

extension FileSystem {
  /// Reads all that a descriptor has.
  ///
  /// - Parameters:
  ///   - descriptor: What to read.
  ///   - status: What the descriptor refers to.
  ///   - limit: The most bytes to take.
  ///   - patience: How long to wait for what is not a file.
  /// - Returns: The bytes from where the descriptor stands up to the end.
  /// - Throws: A failure of the kind `tooLarge` when there is more than `limit`.
  func content(
    of descriptor: Descriptor, status: FileStatus, limit: Int, patience: Patience
  ) throws(FileFailure) -> [UInt8] {
    let isFile = status.kind == .file
    if isFile, status.size > limit { throw .tooLarge(limit) }
    var bytes: [UInt8] = []
    // A size is a hint: a file may grow meanwhile, and files the system makes up say 0.
    var expected = isFile ? min(status.size, limit) : 0
    while true {
      if !isFile { try patience.waitUntilReady(descriptor, for: .reading, self) }
      let chunk: [UInt8]
      do throws(FileFailure) {
        chunk = try read(descriptor, atMost: max(min(expected, 1 << 20) + 1, 1 << 12))
      } catch {
        // Ready, and then another reader was faster.
        guard error == .wouldBlock else { throw error }
        continue
      }
      if chunk.isEmpty { return bytes }
      if bytes.isEmpty { bytes = chunk } else { bytes += chunk }
      guard bytes.count <= limit else { throw .tooLarge(limit) }
      expected = max(0, expected - chunk.count)
    }
  }

  /// Writes all of the bytes.
  func writeAll(
    _ descriptor: Descriptor, _ bytes: [UInt8], _ patience: Patience
  ) throws(FileFailure) {
    var rest = bytes[...]
    while !rest.isEmpty {
      do throws(FileFailure) {
        let count = try write(descriptor, rest)
        // Nothing written and no error: trying for ever would be no better.
        guard count > 0 else { throw .inputOutput }
        rest = rest.dropFirst(count)
      } catch {
        guard error == .wouldBlock else { throw error }
        try patience.waitUntilReady(descriptor, for: .writing, self)
      }
    }
  }
}

extension FileFailure {
  static func tooLarge(_ limit: Int) -> FileFailure {
    FileFailure(.tooLarge, "larger than \(limit) bytes")
  }
}
