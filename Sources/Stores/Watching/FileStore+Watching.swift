public import TenonStoreKit
internal import TenonText

// swift-format-ignore: AllPublicDeclarationsHaveDocumentation
extension FileStore: WatchingStore {
  /// A confined store tells nothing: watching goes by paths, and these may lead out.
  public var feed: ChangeFeed? { isConfined ? nil : changes }

  public func watch(
    _ reference: Reference, isDeep: Bool
  ) throws(StoreError) -> ChangeSubscription {
    guard !isConfined else {
      throw StoreError(.unsupported, reference, "a confined store does not tell about changes")
    }
    let path: String
    do throws(FileFailure) {
      path = try FilePlace(reference, directory).watchedPath
    } catch {
      throw StoreError(error, reference)
    }
    let watcher =
      watcher
      ?? FileWatcher(
        watchedFileSystem, notifier: makeNotifier(), feed: changes,
        poll: options.pollInterval.milliseconds)
    self.watcher = watcher
    return try watcher.watch(path, reference, isDeep: isDeep)
  }
}

extension FileStore {
  /// Changes a file, and tells so on the feed if anybody watches it; a write that leaves the bytes as
  /// they were tells nothing.
  ///
  /// - Returns: Whether there was a change, as the one who makes it says.
  /// - Throws: What making it throws.
  func announcing(
    _ verb: Change.Verb, at place: FilePlace, _ bytes: [UInt8]?,
    _ change: () throws(FileFailure) -> Bool
  ) throws(FileFailure) -> Bool {
    let path = place.watchedPath
    guard let watcher, watcher.isWatched(path) else { return try change() }
    let isSame = bytes != nil && content(of: place) == bytes
    watcher.expectOwn(path)
    do throws(FileFailure) {
      let isDone = try change()
      watcher.noteOwn(path, isDone ? bytes : nil, isDone && !isSame ? verb : nil)
      return isDone
    } catch {
      // It may be there all the same, whatever a loss of power will do to it.
      let isDone = error.kind == .notDurable
      watcher.noteOwn(path, isDone ? bytes : nil, isDone && !isSame ? verb : nil)
      throw error
    }
  }

  /// What a file holds; nil for everything else.
  private func content(of place: FilePlace) -> [UInt8]? {
    guard case .resource(let resource)? = try? read(place, nil) else { return nil }
    return resource.bytes
  }
}

extension FilePlace {
  /// The path without what stands for the directory itself, so that one file has one path, as far as
  /// can be told without looking.
  fileprivate var watchedPath: String {
    let components = path.parts(between: UInt8(ascii: "/")).filter { $0 != "." }
    return "/" + components.joined(separator: "/")
  }
}
