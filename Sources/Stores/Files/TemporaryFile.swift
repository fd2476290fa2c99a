internal import TenonStoreKit

/// A file under a name that listings hide, on its way to its real name.
///
/// Its writer holds its lock as long as it lives, and the system drops the lock when the process
/// dies, however it dies: a temporary file that nobody has locked is stale.
struct TemporaryFile: ~Copyable {
  /// What the names of temporary files begin with.
  private static let prefix = ".tenon-temporary-"

  /// Whether a name is one of a temporary file.
  static func isName(_ name: String) -> Bool { name.utf8.starts(with: prefix.utf8) }

  let file: OpenFile
  let name: String

  /// Creates one.
  init(
    in directory: Descriptor, permissions: UInt32, _ fileSystem: any FileSystem
  ) throws(FileFailure) {
    for _ in 0..<TemporaryFile.attempts {
      let name = TemporaryFile.prefix + String(UInt64.random(in: .min ... .max), radix: 36)
      do throws(FileFailure) {
        let file = try OpenFile(
          name, in: directory, .creating(permissions: permissions), fileSystem)
        let descriptor = file.descriptor
        let isMine = Result { () throws(FileFailure) in
          try TemporaryFile.claim(descriptor, fileSystem)
        }
        if case .success(true) = isMine {
          self.file = file
          self.name = name
          return
        }
        try? fileSystem.remove(name, in: directory, isDirectory: false)
        _ = try isMine.get()
      } catch {
        guard error == .exists else { throw error }
      }
    }
    throw FileFailure(.locked, "temporary files are taken away by another process")
  }

  /// Enough: names are random, and stale files are looked for once in the life of a process.
  private static let attempts = 8

  /// Locks a new file; false when somebody took it for stale before that.
  private static func claim(
    _ descriptor: Descriptor, _ fileSystem: any FileSystem
  ) throws(FileFailure) -> Bool {
    let isLocked: Bool
    do throws(FileFailure) {
      isLocked = try fileSystem.lock(descriptor)
    } catch {
      // No locks on this file system: nobody else can lock it either, so it is never stale.
      return true
    }
    guard isLocked else { return false }
    return try fileSystem.status(of: descriptor).links > 0
  }
}

extension FileSystem {
  /// Removes the temporary files whose writers are gone; what cannot be removed stays.
  func removeStaleFiles(in directory: Descriptor) {
    guard let entries = try? entries(of: directory) else { return }
    for entry in entries where TemporaryFile.isName(entry.name) {
      try? removeIfStale(entry.name, in: directory)
    }
  }

  private func removeIfStale(_ name: String, in directory: Descriptor) throws(FileFailure) {
    let file = try OpenFile(name, in: directory, .readingWithoutLinks, self)
    let status = try status(of: file.descriptor)
    guard status.kind == .file, try lock(file.descriptor) else { return }
    // With the lock nobody else removes it; but it may have got its real name just before.
    let named = try self.status(of: name, in: directory, followsLinks: false)
    guard named.identity == status.identity else { return }
    try remove(name, in: directory, isDirectory: false)
  }
}
