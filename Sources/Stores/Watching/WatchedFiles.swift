internal import TenonStoreKit
internal import TenonText

/// The files and directories that are watched, how they looked last, and what follows from an event.
///
/// For a watched path each directory on the way to it is watched for the name of the next one, so that
/// it is noticed when any of them comes, goes or is exchanged. What an event says is only where to
/// look: a change is what looks otherwise than before, or was written to. So what a store has done
/// itself, and noted here, is no change when its event arrives.
///
/// One thread at a time.
final class WatchedFiles {
  /// A directory in which something is watched.
  final class Directory {
    let path: String
    /// The number of the system's watch; nil when there is none.
    var watch: Int32?
    /// The names that places wait for.
    var awaited: [ExactText: Set<Int>] = [:]
    /// How the entries looked last; nil when only names are of interest.
    var entries: [ExactText: FileSnapshot]?
    /// Which directory it was whose entries were read.
    var identity: FileIdentity?
    /// The places that hear of its entries.
    var listeners: Set<Int> = []

    init(_ path: String) { self.path = path }
  }

  /// Something that is watched.
  struct Place {
    let path: String
    let reference: Reference
    let isDeep: Bool
    /// How it looked last, links followed; nil for nothing.
    var state: FileSnapshot?
    /// The directories that wait for a name on its behalf.
    var way: [(directory: Directory, name: String)] = []
    /// Whether the system tells nothing about some part of it.
    var isPolled = false
    /// Whether it hears of the entries of the directory that it is.
    var isListening = false
  }

  /// What has happened to a name.
  struct Dirt {
    /// How many events have told of it; none when it is only looked at.
    var count = 0
    /// Whether it was written to, whether or not it looks different.
    var isWritten = false
    /// Whether it was gone for a while: whoever has read it meanwhile has found nothing, nor anything
    /// below it.
    var wasGone = false
  }

  let fileSystem: any FileSystem & Sendable
  /// Nil where the system has none.
  let notifier: (any DirectoryNotifier)?
  var places: [Int: Place] = [:]
  private var nextPlace = 0
  var directories: [ExactText: Directory] = [:]
  private var byWatch: [Int32: [Directory]] = [:]
  /// What was reported in this round.
  var reported: [(verb: Change.Verb, reference: Reference)] = []
  var known: Set<ExactText> = []
  /// What has happened and was not looked at.
  var dirt: [ExactText: [ExactText: Dirt]] = [:]
  private var lostPlaces: Set<Int> = []
  private var hasOverflowed = false
  /// What the store is just changing: it is looked at afterwards.
  private var busy: Set<ExactText> = []
  /// Hashes of what the store has written itself, by path.
  var own: [ExactText: Int] = [:]
  /// How many events are still to come of what the store has done itself, at most.
  private var ownEvents: [ExactText: Int] = [:]

  init(_ fileSystem: any FileSystem & Sendable, _ notifier: (any DirectoryNotifier)?) {
    self.fileSystem = fileSystem
    self.notifier = notifier
  }

  var isEmpty: Bool { places.isEmpty }
  var hasPolled: Bool { places.values.contains { $0.isPolled } }
  /// Whether events have come that were not looked at.
  var isDirty: Bool { !dirt.isEmpty || !lostPlaces.isEmpty || hasOverflowed }
  /// How many directories the system watches.
  var watchCount: Int { byWatch.count }

  // MARK: Watching

  /// Begins to watch a path, which need not exist.
  ///
  /// - Parameters:
  ///   - path: Absolute.
  ///   - reference: What changes there are told as.
  ///   - isDeep: Whether everything below is watched, too; otherwise what is directly below.
  /// - Returns: A number for `end`.
  func begin(_ path: String, _ reference: Reference, isDeep: Bool) -> Int {
    nextPlace += 1
    places[nextPlace] = Place(path: path, reference: reference, isDeep: isDeep)
    resolve(nextPlace, isNew: true)
    return nextPlace
  }

  /// Ends a watch.
  func end(_ number: Int) {
    for directory in leaveWay(of: number) { drop(directory) }
    places[number] = nil
    for directory in Array(directories.values) where directory.listeners.remove(number) != nil {
      drop(directory)
    }
  }

  /// Whether a path is watched, or what it is in.
  func isWatched(_ path: String) -> Bool {
    places.values.contains { $0.path.hasSameBytes(as: path) || path.isBelow($0.path) }
  }

  // MARK: Events

  /// Notes an event; `takeChanges` looks what has become of it.
  func note(_ event: DirectoryEvent) {
    switch event.kind {
    case .overflow: hasOverflowed = true
    case .selfGone, .ended:
      for directory in byWatch[event.watch] ?? [] {
        if event.kind == .ended { directory.watch = nil }
        lostPlaces.formUnion(directory.listeners)
        for places in directory.awaited.values { lostPlaces.formUnion(places) }
      }
      if event.kind == .ended { byWatch[event.watch] = nil }
    case .entry, .gone, .written:
      guard let name = event.name else { return }
      for directory in byWatch[event.watch] ?? [] {
        guard directory.awaited[name] != nil || directory.entries != nil && FileStore.isListed(name)
        else { continue }
        var known = dirt[directory.path]?[name] ?? Dirt()
        known.count += 1
        if event.kind == .written { known.isWritten = true }
        if event.kind == .gone { known.wasGone = true }
        dirt[directory.path, default: [:]][name] = known
      }
    }
  }

  /// Looks at everything about which something was noted.
  ///
  /// - Returns: What has changed since the last look.
  func takeChanges() -> [(verb: Change.Verb, reference: Reference)] {
    if hasOverflowed {
      hasOverflowed = false
      dirt = [:]
      lostPlaces = []
      lookAnew(at: Array(places.keys))
      reported = []
      // Of what was written meanwhile the times may be the same.
      for place in places.values { reported.append((.invalidate, place.reference)) }
      return takeReported()
    }
    let noted = takeDirt()
    var due: [Int: Dirt] = [:]
    for number in lostPlaces { due[number] = Dirt() }
    lostPlaces = []
    // Wider paths first: what is found there need not be looked for below.
    for path in noted.keys.sorted() {
      guard let directory = directories[path] else { continue }
      for (key, var dirt) in (noted[path] ?? [:]).sorted(by: { $0.key < $1.key }) {
        let name = key.text
        let child = ExactText(directory.path == "/" ? "/" + name : directory.path + "/" + name)
        dirt.count = max(0, dirt.count - (ownEvents.removeValue(forKey: child) ?? 0))
        if dirt.count == 0 { dirt.wasGone = false }
        for number in directory.awaited[name] ?? [] {
          // On the way to a place it does not matter what was written.
          let isLast = places[number]?.way.last.map { $0.directory === directory } ?? false
          var known = due[number] ?? Dirt()
          known.wasGone = known.wasGone || dirt.wasGone
          if isLast {
            known.count += dirt.count
            known.isWritten = known.isWritten || dirt.isWritten
          }
          due[number] = known
        }
        if directory.entries != nil { look(at: name, in: directory, dirt) }
      }
    }
    for (number, dirt) in due.sorted(by: { $0.key < $1.key }) {
      resolve(number, dirt)
    }
    listenAgain()
    return takeReported()
  }

  /// Takes the names about which something was noted, those left out that the store is changing.
  private func takeDirt() -> [ExactText: [ExactText: Dirt]] {
    guard !busy.isEmpty else {
      defer { dirt = [:] }
      return dirt
    }
    var taken = dirt
    dirt = [:]
    for path in busy {
      let (parent, name) = path.text.splitName
      let key = ExactText(name)
      if let left = taken[parent]?.removeValue(forKey: key) {
        dirt[parent, default: [:]][key] = left
      }
    }
    return taken
  }

  /// Looks at what the system tells nothing about.
  func poll() -> [(verb: Change.Verb, reference: Reference)] {
    lookAnew(at: places.filter { $0.value.isPolled }.keys.sorted())
    return takeReported()
  }

  /// Lets a path alone until `noteOwn`: a store is about to change it.
  func expectOwn(_ path: String) { busy.insert(ExactText(path)) }

  /// Notes what a store has done itself: it is told at once, and not again.
  ///
  /// - Parameters:
  ///   - path: The file.
  ///   - bytes: What it holds now; nil when it is gone or nothing was done.
  ///   - verb: What was done; nil when nothing is told, because it is as it was.
  /// - Returns: What is to be told.
  func noteOwn(
    _ path: String, _ bytes: [UInt8]?, _ verb: Change.Verb?
  ) -> [(verb: Change.Verb, reference: Reference)] {
    busy.remove(ExactText(path))
    if bytes == nil, verb == nil { return [] }
    own[path] = bytes?.hashValue
    // A file gets its name, and is closed then; or it loses its name.
    ownEvents[path, default: 0] += bytes == nil ? 1 : 2
    let (parent, name) = path.splitName
    if let directory = directories[parent], directory.entries != nil {
      let old = directory.entries?[name]
      let new = fileSystem.snapshot(path, followsLinks: false)
      directory.entries?[name] = new
      if let new, verb != nil, old?.kind != new.kind { arrive(path, new, in: directory) }
    } else if verb == .put {
      findNewDirectories(above: path)
    }
    for (number, place) in places.sorted(by: { $0.key < $1.key }) {
      if place.path.hasSameBytes(as: path) {
        places[number]?.state = fileSystem.snapshot(path, followsLinks: true)
      } else if place.state == nil, path.isBelow(place.path) {
        // It has come with what is in it.
        resolve(number)
      }
    }
    if let verb { report(verb, path) }
    return takeReported()
  }

  /// Looks at the directories that were made for a new file.
  private func findNewDirectories(above path: String) {
    var path = path
    while path != "/" {
      let (parent, name) = path.splitName
      if let directory = directories[parent], directory.entries != nil {
        look(at: name, in: directory, Dirt())
        return
      }
      path = parent
    }
  }

  // MARK: Places

  /// Finds out what a place is now, and watches what leads there.
  private func resolve(_ number: Int, isNew: Bool = false, _ dirt: Dirt = Dirt()) {
    guard let place = places[number] else { return }
    let old = place.state
    // What is entered again at once keeps its watch; what is not, such as a directory that was moved away, loses it.
    let oldWay = leaveWay(of: number)
    places[number]?.isPolled = notifier == nil
    enterWay(to: place.path, number, isNew: isNew)
    for directory in oldWay { drop(directory) }
    let new = fileSystem.snapshot(place.path, followsLinks: true)
    places[number]?.state = new
    // Where it does not listen any more, who has found that out has read what is there now.
    let isReplaced = place.isListening && isReplaced(place.path, new, dirt)
    let isSameDirectory =
      place.isListening && !isReplaced && !dirt.wasGone && new?.isDirectory == true
      && old?.identity == new?.identity
    if !isSameDirectory || isNew {
      if isReplaced { forgetAll(below: place.path) } else { forgetBelow(place.path, number) }
      places[number]?.isListening = false
      if new?.isDirectory == true {
        // What is in it is told with it.
        let before = reported.count
        places[number]?.isListening = true
        listen(place.path, number)
        known.subtract(reported[before...].map(WatchedFiles.key))
        reported.removeSubrange(before...)
      }
    }
    guard !isNew else { return }
    if old?.isDirectory == true || new?.isDirectory == true {
      if !isSameDirectory { report(.invalidate, place.reference) }
    } else if new == nil {
      if old != nil || dirt.count > 0 { report(.delete, place.reference) }
    } else if let new, old != new || dirt.wasGone || isTouched(place.path, new, dirt) {
      report(.put, place.reference)
    }
  }

  /// Watches the directories on the way to a path for the names that lead there, and where a symbolic
  /// link at its end leads.
  private func enterWay(to path: String, _ number: Int, isNew: Bool) {
    // Whoever exchanges a watched directory from now on is told of to all that wait for a name in it.
    let trustsWatches = isNew && !isDirty
    var path = path
    for _ in 0..<WatchedFiles.mostLinks {
      var directory = "/"
      let names = path.parts(between: UInt8(ascii: "/"))
      for (index, name) in names.enumerated() {
        let watched: Directory
        if trustsWatches, let known = directories[directory], known.watch != nil {
          watched = known
        } else {
          guard fileSystem.snapshot(directory, followsLinks: true)?.isDirectory == true else {
            return
          }
          watched = watchedDirectory(directory)
        }
        // A directory on the way that may be passed but not read is left out.
        if watched.watch == nil, index == names.count - 1 { places[number]?.isPolled = true }
        watched.awaited[name, default: []].insert(number)
        places[number]?.way.append((watched, name))
        directory = directory == "/" ? "/" + name : directory + "/" + name
      }
      guard fileSystem.snapshot(path, followsLinks: false)?.kind == .link,
        let target = try? fileSystem.target(ofLink: path, in: nil), !target.isEmpty
      else { return }
      path = target.utf8.first == UInt8(ascii: "/") ? target : path.splitName.parent + "/" + target
    }
  }

  /// As many as are worth following.
  private static let mostLinks = 8

  /// Takes a place from the directories on its way, and answers these.
  private func leaveWay(of number: Int) -> [Directory] {
    let way = places[number]?.way ?? []
    places[number]?.way = []
    for (directory, name) in way {
      directory.awaited[name]?.remove(number)
      if directory.awaited[name]?.isEmpty == true { directory.awaited[name] = nil }
    }
    return way.map(\.directory)
  }

  /// Looks at everything in some places.
  private func lookAnew(at numbers: [Int]) {
    // Wider paths first: what is found there is read once for all.
    let paths = numbers.map { ($0, places[$0]?.path ?? "") }
    for (number, _) in paths.sorted(by: { ($0.1, $0.0) < ($1.1, $1.0) }) {
      resolve(number)
      guard let place = places[number] else { continue }
      let below = directories.values.filter {
        $0.listeners.contains(number)
          && ($0.path.hasSameBytes(as: place.path) || $0.path.isBelow(place.path))
      }
      for directory in below.sorted(by: { $0.path < $1.path }) {
        guard directories[directory.path] === directory else { continue }
        _ = watchedDirectory(directory.path)
        let names = Set((directory.entries ?? [:]).keys)
          .union((fileSystem.snapshots(in: directory.path) ?? [:]).keys)
        for name in names.sorted() { look(at: name.text, in: directory, Dirt()) }
      }
    }
    listenAgain()
  }

  /// Has places listen whose directory was found to be another one for the sake of others.
  private func listenAgain() {
    let silent = places.filter { !$0.value.isListening && $0.value.state?.isDirectory == true }
    for number in silent.keys.sorted() { resolve(number) }
  }

  // MARK: Directories

  /// The record of a directory, with a watch if the system grants one.
  private func watchedDirectory(_ path: String) -> Directory {
    let directory = directories[path] ?? Directory(path)
    directories[path] = directory
    guard let notifier else { return directory }
    // Always anew: another directory may have got the name.
    let watch = try? notifier.add(path)
    guard watch != directory.watch else { return directory }
    unwatch(directory)
    directory.watch = watch
    if let watch { byWatch[watch, default: []].append(directory) }
    return directory
  }

  private func unwatch(_ directory: Directory) {
    guard let watch = directory.watch else { return }
    directory.watch = nil
    byWatch[watch]?.removeAll { $0 === directory }
    guard byWatch[watch]?.isEmpty == true else { return }
    byWatch[watch] = nil
    notifier?.remove(watch)
  }

  /// Forgets a directory in which nothing is watched any more.
  func drop(_ directory: Directory) {
    if directory.listeners.isEmpty { directory.entries = nil }
    guard directory.awaited.isEmpty, directory.listeners.isEmpty,
      directories[directory.path] === directory
    else { return }
    directories[directory.path] = nil
    unwatch(directory)
  }

  /// Lets a place hear of the entries of a directory, and a deep one of all below.
  func listen(_ path: String, _ number: Int) {
    guard let place = places[number] else { return }
    var waiting = [path]
    while let path = waiting.popLast() {
      // Watched before it is read: what comes in between is told.
      let directory = watchedDirectory(path)
      if directory.watch == nil { places[number]?.isPolled = true }
      directory.listeners.insert(number)
      if directory.entries == nil {
        directory.identity = fileSystem.snapshot(path, followsLinks: true)?.identity
        directory.entries = fileSystem.snapshots(in: path) ?? [:]
      }
      for (key, entry) in (directory.entries ?? [:]).sorted(by: { $0.key < $1.key }) {
        let child = path == "/" ? "/" + key.text : path + "/" + key.text
        report(.put, child)
        if entry.isDirectory, place.isDeep { waiting.append(child) }
      }
    }
  }

  /// Ends what a place hears of the entries below a path.
  private func forgetBelow(_ path: String, _ number: Int) {
    for directory in Array(directories.values)
    where directory.listeners.contains(number)
      && (directory.path.hasSameBytes(as: path) || directory.path.isBelow(path))
    {
      directory.listeners.remove(number)
      drop(directory)
    }
  }
}

extension Reference {
  /// The reference without a slash at its end.
  var asPlain: Reference { isDirectory ? dropping(0) : self }
}

extension String {
  /// The directory and the last component of an absolute path.
  var splitName: (parent: String, name: String) {
    guard let slash = utf8.lastIndex(of: UInt8(ascii: "/")) else { return ("/", self) }
    let parent = slash == startIndex ? "/" : String(self[..<slash])
    return (parent, String(self[utf8.index(after: slash)...]))
  }

  /// Whether a path lies below another one.
  func isBelow(_ path: String) -> Bool {
    if path == "/" { return self != "/" }
    let prefix = path.utf8
    return utf8.count > prefix.count && utf8.starts(with: prefix)
      && utf8.dropFirst(prefix.count).first == UInt8(ascii: "/")
  }

  /// The components below another path; nil when it is not below.
  func names(below path: String) -> [String]? {
    guard isBelow(path) else { return nil }
    return utf8.dropFirst(path == "/" ? 1 : path.utf8.count + 1)
      .split(separator: UInt8(ascii: "/")).map { String(decoding: $0, as: UTF8.self) }
  }
}
