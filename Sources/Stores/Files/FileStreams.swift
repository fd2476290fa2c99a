internal import TenonStoreKit
internal import TenonText

/// Reads a file, a pipe or a device, piece by piece.
final class FileSource: ByteSource {
  private var file: OpenFile?
  private let fileSystem: any FileSystem
  private let patience: Patience
  private let place: Reference
  private let path: String
  private let isFile: Bool
  private var offset = 0

  init(
    _ path: String, _ place: Reference, _ fileSystem: any FileSystem, _ patience: Patience
  ) throws(FileFailure) {
    let file = try OpenFile(path, .reading, fileSystem)
    let kind = try fileSystem.status(of: file.descriptor).kind
    guard kind != .directory else { throw .isADirectory }
    isFile = kind == .file
    self.file = consume file
    self.fileSystem = fileSystem
    self.patience = patience
    self.place = place
    self.path = path
  }

  func read(atMost count: Int) throws(StoreError) -> [UInt8] {
    guard let descriptor = file?.descriptor else { return [] }
    do throws(FileFailure) {
      while true {
        if !isFile { try patience.waitUntilReady(descriptor, for: .reading, fileSystem) }
        do throws(FileFailure) {
          let bytes =
            isFile
            ? try fileSystem.read(descriptor, atMost: count, from: offset)
            : try fileSystem.read(descriptor, atMost: count)
          offset += bytes.count
          return bytes
        } catch {
          // Ready, and then another reader was faster.
          guard error == .wouldBlock else { throw error }
        }
      }
    } catch {
      throw StoreError(error, place)
    }
  }

  func move(to offset: Int) throws(StoreError) {
    guard isFile else {
      throw StoreError(.unsupported, place, "only files can be read from another place on")
    }
    self.offset = offset
  }

  var size: Int? {
    guard isFile, let descriptor = file?.descriptor else { return nil }
    return try? fileSystem.status(of: descriptor).size
  }

  var isCurrent: Bool {
    guard let descriptor = file?.descriptor, let own = try? fileSystem.status(of: descriptor),
      let there = try? fileSystem.status(of: path, in: nil, followsLinks: true)
    else { return false }
    return own.identity == there.identity
  }

  func close() { file = nil }
}

/// Replaces a file by what is written, once all of it is.
final class FileReplacingSink: ByteSink {
  private let store: FileStore
  private let place: Reference
  private var temporary: TemporaryFile?
  private let parent: OpenFile
  private let name: String

  fileprivate init(
    _ store: FileStore, _ place: Reference, _ name: String, in parent: consuming OpenFile,
    _ replaced: FileStatus?
  ) throws(FileFailure) {
    self.store = store
    self.place = place
    self.name = name
    temporary = try TemporaryFile(
      in: parent.descriptor, permissions: replaced == nil ? 0o666 : 0o600, store.fileSystem)
    self.parent = parent
  }

  deinit { cancel() }

  var replaces: Bool { true }

  func write(_ bytes: [UInt8]) throws(StoreError) {
    guard let descriptor = temporary?.file.descriptor else {
      throw StoreError(.closed, place, "the stream has been closed")
    }
    do throws(FileFailure) {
      try store.fileSystem.writeAll(descriptor, bytes, store.patience)
    } catch {
      throw StoreError(error, place)
    }
  }

  func finish() throws(StoreError) {
    guard let temporary = temporary.take() else { return }
    try store.with(place) { (place) throws(FileFailure) in
      _ = try store.announcing(.put, at: place, nil) { () throws(FileFailure) in
        do throws(FileFailure) {
          let lock = try DirectoryLock(parent.descriptor, store.patience, store.fileSystem)
          // What is there now counts, not what was there when the stream was opened.
          let replacement = FileReplacement(
            fileSystem: store.fileSystem, patience: store.patience,
            replaced: try store.status(of: name, in: parent.descriptor),
            newPermissions: 0o666, synchronizesContent: store.isDurable,
            synchronizesNames: store.isDurable)
          try replacement.keepOwner(temporary.file.descriptor)
          let problem = try replacement.complete(temporary, to: name, in: parent.descriptor)
          _ = consume lock
          if let problem { throw problem.asNotDurable }
        } catch {
          if error.kind != .notDurable { store.discard(temporary.name, in: parent.descriptor) }
          throw error
        }
        return true
      }
    }
  }

  func cancel() {
    guard let temporary = temporary.take() else { return }
    store.discard(temporary.name, in: parent.descriptor)
  }
}

/// Appends to a file.
final class FileAppendingSink: ByteSink {
  private let store: FileStore
  private let place: Reference
  private var file: OpenFile?
  private let parent: OpenFile
  private let name: String
  /// Whether the file has come with this, and nothing has been written.
  private var isNew: Bool
  private var hasNewName: Bool

  fileprivate init(
    _ store: FileStore, _ place: Reference, _ name: String, in parent: consuming OpenFile,
    isNew: Bool
  ) throws(FileFailure) {
    self.store = store
    self.place = place
    self.name = name
    self.isNew = isNew
    hasNewName = isNew
    file = try OpenFile(
      name, in: parent.descriptor, .appending(permissions: 0o666), store.fileSystem)
    self.parent = parent
    try checkKind()
  }

  /// Refuses what is no file, and takes back a new one of which nothing is known.
  private func checkKind() throws(FileFailure) {
    guard let descriptor = file?.descriptor else { return }
    do throws(FileFailure) {
      switch try store.fileSystem.status(of: descriptor).kind {
      case .file, .characterDevice, .pipe: return
      case .directory: throw .isADirectory
      default: throw FileFailure(.unsupported, "nothing that can be appended to")
      }
    } catch {
      discardNew()
      throw error
    }
  }

  /// Removes a file that has come to be for nothing.
  private func discardNew() {
    guard isNew else { return }
    isNew = false
    store.discard(name, in: parent.descriptor)
  }

  func write(_ bytes: [UInt8]) throws(StoreError) {
    guard let descriptor = file?.descriptor else {
      throw StoreError(.closed, place, "the stream has been closed")
    }
    try store.with(place) { (place) throws(FileFailure) in
      _ = try store.announcing(.put, at: place, nil) { () throws(FileFailure) in
        do throws(FileFailure) {
          try store.append(bytes, to: descriptor)
        } catch {
          discardNew()
          throw error
        }
        isNew = false
        return true
      }
    }
  }

  func finish() throws(StoreError) {
    guard let file = file.take(), store.isDurable else { return }
    do throws(FileFailure) {
      try store.fileSystem.synchronizeData(file.descriptor)
      if hasNewName, let failure = store.fileSystem.synchronizeNames(in: parent.descriptor) {
        throw failure
      }
    } catch {
      throw StoreError(error.asNotDurable, place)
    }
  }

  func cancel() { file = nil }

  var beginning: [UInt8] {
    let files = store.fileSystem
    guard !hasNewName, let descriptor = file?.descriptor else { return [] }
    do throws(FileFailure) {
      // A pipe would wait.
      guard try files.status(of: descriptor).kind == .file else { return [] }
      let file = try OpenFile(name, in: parent.descriptor, .reading, files)
      return try files.read(file.descriptor, atMost: 3)
    } catch {
      return []
    }
  }
}

// MARK: - The store

extension FileStore {
  /// Opens a file for reading.
  func source(at reference: Reference) throws(StoreError) -> FileSource {
    try with(reference) { (place) throws(FileFailure) in
      guard !place.isDirectory else { throw .notADirectory }
      return try FileSource(place.path, reference, fileSystem, patience)
    }
  }

  /// Opens a file for replacing it.
  func replacingSink(at reference: Reference) throws(StoreError) -> FileReplacingSink {
    try with(reference) { (place) throws(FileFailure) in
      guard let name = place.name, !place.isDirectory else { throw .isADirectory }
      var created: [String] = []
      do throws(FileFailure) {
        let parent = try fileSystem.openDirectory(
          place.parent, parentMode, permissions: 0o777, created: &created)
        let status = try status(of: name, in: parent.descriptor)
        switch status?.kind {
        case nil: break
        case .file: try fileSystem.checkWritable(name, in: parent.descriptor)
        case .directory: throw .isADirectory
        case .link:
          throw FileFailure(.unsupported, "a symbolic link, which writing would replace by a file")
        default: throw FileFailure(.unsupported, "no file, which could be replaced")
        }
        try removeStaleFiles(in: parent)
        return try FileReplacingSink(self, reference, name, in: parent, status)
      } catch {
        fileSystem.removeDirectories(created)
        throw error
      }
    }
  }

  /// Opens a file for appending, or creates it.
  func appendingSink(at reference: Reference) throws(StoreError) -> FileAppendingSink {
    try with(reference) { (place) throws(FileFailure) in
      guard let name = place.name, !place.isDirectory else { throw .isADirectory }
      var created: [String] = []
      do throws(FileFailure) {
        let parent = try fileSystem.openDirectory(
          place.parent, parentMode, permissions: 0o777, created: &created)
        let isNew = try status(of: name, in: parent.descriptor) == nil
        return try FileAppendingSink(self, reference, name, in: parent, isNew: isNew)
      } catch {
        fileSystem.removeDirectories(created)
        throw error
      }
    }
  }

  /// Appends bytes in one piece: those of another process stand before or behind them.
  ///
  /// What cannot be appended as a whole is taken back.
  fileprivate func append(_ bytes: [UInt8], to descriptor: Descriptor) throws(FileFailure) {
    var rest = bytes[...]
    while !rest.isEmpty {
      do throws(FileFailure) {
        let count = try fileSystem.write(descriptor, rest)
        guard count > 0 else { throw .inputOutput }
        rest = rest.dropFirst(count)
      } catch {
        if error == .wouldBlock {
          try patience.waitUntilReady(descriptor, for: .writing, fileSystem)
          continue
        }
        let written = bytes.count - rest.count
        if written > 0, let size = try? fileSystem.status(of: descriptor).size, size >= written {
          try? fileSystem.resize(descriptor, to: size - written)
        }
        throw error
      }
    }
  }

  /// Appends a resource to a file: a text as lines.
  func append(_ resource: Resource, to reference: Reference) throws(StoreError) {
    var bytes = resource.bytes
    let lineFeed = UInt8(ascii: "\n")
    if resource.contentType != "application/octet-stream", bytes.last != lineFeed {
      bytes.append(lineFeed)
    }
    let sink = try appendingSink(at: reference)
    try sink.write(bytes)
    try sink.finish()
  }

  /// Removes a temporary file that is not needed any more; what cannot be removed is stale later.
  fileprivate func discard(_ name: String, in directory: Descriptor) {
    try? fileSystem.remove(name, in: directory, isDirectory: false)
  }
}
