internal import TenonStoreKit

/// The lock that writers of a file take in turn; held as long as this value lives.
struct FileLock: ~Copyable {
  private let file: OpenFile
  private let fileSystem: any FileSystem

  /// Waits for the lock.
  ///
  /// - Parameters:
  ///   - name: The name of a file that is for nothing else; it is created, and stays.
  ///   - directory: Where it is.
  ///   - patience: How long to wait.
  ///   - fileSystem: The system.
  /// - Throws: `FileFailure`, of the kind `locked` when somebody kept the lock.
  init(
    _ name: String, in directory: Descriptor, _ patience: Patience, _ fileSystem: any FileSystem
  ) throws(FileFailure) {
    self.fileSystem = fileSystem
    for _ in 0..<FileLock.attempts {
      let file = try OpenFile(name, in: directory, .locking(permissions: 0o600), fileSystem)
      try patience.waitForLock(file.descriptor, fileSystem)
      // The lock of a file that somebody removed keeps nobody out.
      let mine = try fileSystem.status(of: file.descriptor).identity
      let named = try? fileSystem.status(of: name, in: directory, followsLinks: false)
      if named?.identity == mine {
        self.file = file
        return
      }
    }
    throw FileFailure(.locked, "'\(name)' is taken away again and again")
  }

  // Closing is not enough: a process that another thread is starting has the descriptor, too, until
  // it becomes another program.
  deinit { fileSystem.unlock(file.descriptor) }

  private static let attempts = 8
}
