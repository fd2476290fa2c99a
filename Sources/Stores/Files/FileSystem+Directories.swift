extension FileSystem {
  /// Opens a directory, and creates it and its parents when they are missing.
  ///
  /// - Parameters:
  ///   - path: An absolute path.
  ///   - mode: How directories are opened: whether links on the way are followed.
  ///   - permissions: Those of new directories, before the process's mask takes from them.
  ///   - created: Receives the directories that were created, parents first.
  /// - Returns: The directory; it survives a loss of power.
  /// - Throws: `FileFailure`; some of the directories may have been created.
  func openDirectory(
    _ path: String, _ mode: OpenMode = .directory, permissions: UInt32,
    created: inout [String]
  ) throws(FileFailure) -> OpenFile {
    do throws(FileFailure) {
      return try OpenFile(path, mode, self)
    } catch {
      guard error == .notFound else { throw error }
    }
    // Up to what is there, then down once: a link to nothing cannot keep this going.
    var below: [String] = []
    var next = path
    while next != "/" {
      do throws(FileFailure) {
        try createDirectory(next, mode, permissions, &created)
        break
      } catch {
        guard error == .notFound else { throw error }
        below.append(next)
        next = parentPath(of: next)
      }
    }
    for path in below.reversed() { try createDirectory(path, mode, permissions, &created) }
    return try OpenFile(path, mode, self)
  }

  /// Creates a directory durably, unless it is there.
  private func createDirectory(
    _ path: String, _ mode: OpenMode, _ permissions: UInt32, _ created: inout [String]
  ) throws(FileFailure) {
    do throws(FileFailure) {
      try makeDirectory(path, in: nil, permissions: permissions)
    } catch {
      // Somebody else was faster, or the path leads back up.
      guard error == .exists else { throw error }
      return
    }
    created.append(path)
    let parent = try OpenFile(parentPath(of: path), mode, self)
    if let failure = synchronizeNames(in: parent.descriptor) { throw failure }
  }

  /// Removes directories that were created only for a path to lead up from them again, unless something
  /// is in them.
  ///
  /// - Parameters:
  ///   - created: What was created for the path, parents first.
  ///   - directory: What the path leads to; it stays.
  ///   - path: The path.
  func removeDetours(_ created: [String], to directory: borrowing OpenFile, _ path: String) {
    guard !created.isEmpty, FilePlace.leadsUp(path.utf8[...]),
      let kept = try? status(of: directory.descriptor).identity
    else { return }
    for path in created.reversed() {
      guard let status = try? status(of: path, in: nil, followsLinks: false),
        status.identity != kept
      else { continue }
      try? remove(path, in: nil, isDirectory: true)
    }
  }

  /// Removes directories that were created in vain, unless something is in them.
  func removeDirectories(_ created: [String]) {
    for path in created.reversed() {
      try? remove(path, in: nil, isDirectory: true)
    }
  }
}

/// The path without its last component.
func parentPath(of path: String) -> String {
  guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")), slash != path.startIndex else {
    return "/"
  }
  return String(path[..<slash])
}
