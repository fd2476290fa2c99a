internal import TenonStoreKit
internal import TenonText

/// How a file looked: what tells that it has changed, without reading it.
struct FileSnapshot: Equatable {
  let kind: FileStatus.Kind
  let identity: FileIdentity
  let size: Int
  /// In nanoseconds since 1970.
  let modified: Int

  init(_ status: FileStatus) {
    kind = status.kind
    identity = status.identity
    // What changes with the entries of a directory is told by them.
    size = status.kind == .directory ? 0 : status.size
    modified = status.kind == .directory ? 0 : status.modified
  }

  var isDirectory: Bool { kind == .directory }
}

extension FileSystem {
  /// How what is at a path looks; nil for nothing, and for what cannot be looked at.
  func snapshot(_ path: String, followsLinks: Bool) -> FileSnapshot? {
    (try? status(of: path, in: nil, followsLinks: followsLinks)).map(FileSnapshot.init)
  }

  /// The entries of a directory; nil when it cannot be read.
  ///
  /// Names that no reference can hold are left out, and so are the stores' own temporary files.
  func snapshots(in path: String) -> [ExactText: FileSnapshot]? {
    guard let directory = try? OpenFile(path, .directory, self),
      let entries = try? entries(of: directory.descriptor)
    else { return nil }
    var found: [ExactText: FileSnapshot] = [:]
    for entry in entries where FileStore.isListed(entry.name) {
      let status = try? status(
        of: entry.name, in: directory.descriptor, followsLinks: false)
      found[entry.name] = status.map(FileSnapshot.init)
    }
    return found
  }
}
