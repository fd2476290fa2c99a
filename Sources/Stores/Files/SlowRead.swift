internal import TenonStoreKit

/// Reading what is no file, such as a pipe, over several requests: each takes what has come, and whoever
/// asks does something else until there is more.
final class SlowRead {
  private let file: OpenFile
  private let identity: FileIdentity
  private var bytes: [UInt8] = []
  /// When nothing will have come for too long, in milliseconds.
  private var deadline: Int

  /// Begins to read a file, which stays open: a writer would fail without a reader.
  init(_ file: consuming OpenFile, _ identity: FileIdentity, deadline: Int) {
    self.file = file
    self.identity = identity
    self.deadline = deadline
  }

  func reads(_ identity: FileIdentity) -> Bool { self.identity == identity }

  /// Takes what has come.
  ///
  /// - Returns: All bytes up to the end.
  /// - Throws: A failure that passes where the end has not come yet; `timeout` where nothing has for too long.
  func take(
    _ fileSystem: any FileSystem, limit: Int, patience: Patience
  ) throws(FileFailure) -> [UInt8] {
    while try fileSystem.waitUntilReady(file.descriptor, for: .reading, milliseconds: 0) {
      let chunk: [UInt8]
      do throws(FileFailure) {
        chunk = try fileSystem.read(file.descriptor, atMost: 1 << 12)
      } catch {
        // Ready, and then another reader was faster.
        guard error == .wouldBlock else { throw error }
        break
      }
      if chunk.isEmpty { return bytes }
      bytes += chunk
      guard bytes.count <= limit else { throw .tooLarge(limit) }
      deadline = fileSystem.now + patience.limit
    }
    guard fileSystem.now < deadline else { throw patience.failure(.reading) }
    var failure = patience.failure(.reading)
    failure.isPassing = true
    throw failure
  }
}
