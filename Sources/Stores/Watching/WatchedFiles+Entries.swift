internal import TenonStoreKit
internal import TenonText

// What directories hold, and what is told of it.

extension WatchedFiles {
  /// Looks at an entry of a directory.
  func look(at name: String, in directory: Directory, _ dirt: Dirt) {
    let path = directory.path == "/" ? "/" + name : directory.path + "/" + name
    let old = directory.entries?[name]
    let new = fileSystem.snapshot(path, followsLinks: false)
    directory.entries?[name] = new
    guard let new else {
      if old?.isDirectory == true { leave(path) }
      // It may have been there for a while, and somebody may have read it.
      if old != nil || dirt.count > 0 { report(.delete, path) }
      return
    }
    if let old, old.isDirectory, new.isDirectory, old.identity == new.identity, !dirt.wasGone,
      !isReplaced(path, new, dirt)
    {
      return
    }
    if old?.isDirectory == true || isReplaced(path, new, dirt) { leave(path) }
    if old != new || isTouched(path, new, dirt) { report(.put, path) }
    arrive(path, new, in: directory)
  }

  /// Whether a directory whose entries were read is not the one at its path, or was not all the time.
  ///
  /// The system gives the identity of a directory that was removed to the next one that is made, though
  /// not the number of its watch.
  func isReplaced(_ path: String, _ new: FileSnapshot?, _ dirt: Dirt) -> Bool {
    guard let directory = directories[path], directory.entries != nil else { return false }
    if dirt.wasGone || directory.identity != new?.identity { return true }
    guard let notifier else { return false }
    return (try? notifier.add(path)) != directory.watch
  }

  /// Watches a directory that has come, and tells what is in it.
  func arrive(_ path: String, _ snapshot: FileSnapshot, in directory: Directory) {
    guard snapshot.isDirectory else { return }
    for number in directory.listeners where places[number]?.isDeep == true { listen(path, number) }
  }

  /// Tells that everything in a directory is gone, the inner parts first.
  private func leave(_ path: String) {
    let gone = directories.values.filter {
      $0.entries != nil && ($0.path.hasSameBytes(as: path) || $0.path.isBelow(path))
    }
    for directory in gone.sorted(by: { $0.path > $1.path }) {
      for name in (directory.entries ?? [:]).keys.sorted() {
        report(.delete, directory.path + "/" + name.text)
      }
    }
    forgetAll(below: path)
  }

  /// Forgets what was read of a directory and of all below, for all who hear of it.
  func forgetAll(below path: String) {
    func isWithin(_ other: String) -> Bool { other.hasSameBytes(as: path) || other.isBelow(path) }
    for directory in Array(directories.values)
    where directory.entries != nil && isWithin(directory.path) {
      directory.entries = nil
      directory.listeners = []
      drop(directory)
    }
    for (number, place) in places where isWithin(place.path) {
      places[number]?.isListening = false
    }
  }

  /// Whether what looks as before may have been something else for a while.
  func isTouched(_ path: String, _ snapshot: FileSnapshot, _ dirt: Dirt) -> Bool {
    if dirt.isWritten, !isOwn(path, snapshot) { return true }
    return dirt.count > 0
  }

  /// Whether a file that somebody has written to holds what the store itself has written last.
  ///
  /// The system tells of the store's own writes as well, when the file already has its name.
  private func isOwn(_ path: String, _ snapshot: FileSnapshot) -> Bool {
    guard let hash = own[path] else { return false }
    let bytes: [UInt8]? = {
      guard snapshot.kind == .file, let file = try? OpenFile(path, .reading, fileSystem),
        let status = try? fileSystem.status(of: file.descriptor)
      else { return nil }
      return try? fileSystem.content(
        of: file.descriptor, status: status, limit: snapshot.size + 1,
        patience: Patience(limit: 0, isInterrupted: { false }))
    }()
    if bytes?.hashValue == hash { return true }
    own[path] = nil
    return false
  }

  // MARK: Reporting

  static func key(_ change: (verb: Change.Verb, reference: Reference)) -> ExactText {
    ExactText("\(change.verb) \(change.reference)")
  }

  /// Tells of a path under all the names by which it is watched.
  func report(_ verb: Change.Verb, _ path: String) {
    for (_, place) in places.sorted(by: { $0.key < $1.key }) {
      if place.path.hasSameBytes(as: path) {
        report(verb, place.reference)
      } else if let names = path.names(below: place.path),
        place.isDeep || names.count == 1
      {
        var reference: Reference? = place.reference.asPlain
        for name in names { reference = try? reference?.appending(name) }
        if let reference { report(verb, reference) }
      }
    }
  }

  func report(_ verb: Change.Verb, _ reference: Reference) {
    // What was gone and is there again is there; the order in which it is told says so.
    guard known.insert(WatchedFiles.key((verb, reference))).inserted else { return }
    reported.append((verb, reference))
  }

  func takeReported() -> [(verb: Change.Verb, reference: Reference)] {
    defer {
      reported = []
      known = []
    }
    return reported
  }
}
