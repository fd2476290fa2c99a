internal import TenonStoreKit
internal import TenonText

extension FileStore {
  /// What there is at a place.
  func read(_ place: FilePlace, _ condition: Precondition?) throws(FileFailure) -> GetOutcome {
    guard let file = try openForReading(place.path) else {
      try condition.check(isThere: false)
      return .missing
    }
    if !condition.comparesTags { try condition.check(isThere: true) }
    let status = try fileSystem.status(of: file.descriptor)
    guard status.kind != .directory else {
      try condition.check(isThere: true)
      return .directory(try entries(of: file))
    }
    guard !place.isDirectory else { throw .notADirectory }
    let bytes =
      status.kind != .file && mayRetry()
      ? try readSlowly(place.path, file, status)
      : try fileSystem.content(
        of: file.descriptor, status: status, limit: options.readLimit, patience: patience)
    guard try !condition.checkReading(bytes) else { return .unchanged }
    return .resource(Resource(bytes, contentType: FileStore.contentType(of: bytes)))
  }

  /// Reads what is no file, or as much of it as is there: the next request for it goes on.
  func readSlowly(
    _ path: String, _ file: consuming OpenFile, _ status: FileStatus
  ) throws(FileFailure) -> [UInt8] {
    let read: SlowRead
    if let known = slowReads[path], known.reads(status.identity) {
      read = known
    } else {
      read = SlowRead(file, status.identity, deadline: fileSystem.now + patience.limit)
    }
    slowReads[path] = read
    do throws(FileFailure) {
      let bytes = try read.take(fileSystem, limit: options.readLimit, patience: patience)
      slowReads[path] = nil
      return bytes
    } catch {
      if !error.isPassing { slowReads[path] = nil }
      throw error
    }
  }

  /// The digest of a file, read a megabyte at a time; nil when there is none.
  func digest(
    _ place: FilePlace, _ function: Digest.Function
  ) throws(FileFailure) -> [UInt8]? {
    guard let file = try openForReading(place.path) else { return nil }
    let status = try fileSystem.status(of: file.descriptor)
    guard status.kind != .directory else { throw .isADirectory }
    guard !place.isDirectory else { throw .notADirectory }
    // What pipes and devices have is read as a whole, within the limits of that.
    guard status.kind == .file else { throw FileFailure(.unsupported, "it is no file") }
    var digest = Digest(function)
    while true {
      let piece = try fileSystem.read(file.descriptor, atMost: 1 << 20)
      if piece.isEmpty { return digest.value }
      unsafe piece.withUnsafeBytes { unsafe digest.add($0) }
      if isInterrupted() { throw FileFailure(.timeout, "interrupted") }
    }
  }

  /// Text where the bytes are UTF-8, as files do not say what they hold; else octets.
  static func contentType(of bytes: [UInt8]) -> String {
    String(validating: bytes, as: UTF8.self) == nil ? "application/octet-stream" : "text/plain"
  }

  /// The tag of a file's bytes; nil for what is no file.
  func tag(
    of name: String, in directory: Descriptor, _ status: FileStatus
  ) throws(FileFailure) -> EntityTag? {
    guard status.kind == .file else { return nil }
    let file = try OpenFile(name, in: directory, .readingWithoutLinks, fileSystem)
    return EntityTag(
      of: try fileSystem.content(
        of: file.descriptor, status: status, limit: options.readLimit, patience: patience))
  }

  func openForReading(_ path: String) throws(FileFailure) -> OpenFile? {
    do throws(FileFailure) {
      return try OpenFile(path, .reading, fileSystem)
    } catch {
      guard error.isMissing else { throw error }
      return nil
    }
  }

  /// The entries of a directory, sorted by their bytes; `omitted` gets each entry that is left out.
  func entries(
    of directory: borrowing OpenFile,
    omitting omitted: (DirectoryEntry) throws(FileFailure) -> Void = { _ in }
  ) throws(FileFailure) -> [StoreEntry] {
    var entries: [StoreEntry] = []
    for entry in try fileSystem.entries(of: directory.descriptor) {
      guard FileStore.isListed(entry.name),
        let kind = try kind(of: entry, in: directory.descriptor)
      else {
        try omitted(entry)
        continue
      }
      var own = entry.kind
      if own == nil { own = try status(of: entry.name, in: directory.descriptor)?.kind }
      let isLink = own == .link
      entries.append(StoreEntry(entry.name, isDirectory: kind == .directory, isLink: isLink))
    }
    return entries.sorted { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }
  }

  static func isListed(_ name: String) -> Bool {
    !TemporaryFile.isName(name)
      && name.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F }
  }

  /// What an entry is, links followed; nil for a link to nothing and for what is gone meanwhile.
  func kind(
    of entry: DirectoryEntry, in directory: Descriptor
  ) throws(FileFailure) -> FileStatus.Kind? {
    if let kind = entry.kind, kind != .link { return kind }
    do throws(FileFailure) {
      return try fileSystem.status(of: entry.name, in: directory, followsLinks: true).kind
    } catch {
      // A link that leads nowhere else is there: reading it fails, and says why.
      return error.isMissing ? nil : .link
    }
  }
}
