public import TenonStoreKit
internal import TenonText

// swift-format-ignore: AllPublicDeclarationsHaveDocumentation
extension PersistentStore: Store {
  public var capabilities: StoreCapabilities {
    let verbs: Set<StoreCapabilities.Verb> =
      options.isReadOnly ? [.get, .list] : [.get, .put, .delete, .list]
    // Of the other levels a write survives nothing at the moment when it answers.
    return StoreCapabilities(
      verbs, durability: level == .full ? .power : .none, isExternal: true)
  }

  public func contentType(of reference: Reference) -> String { "application/json" }

  public var feed: ChangeFeed? { options.isReadOnly ? nil : changes }

  public func get(
    _ reference: Reference, if condition: Precondition?
  ) throws(StoreError) -> GetOutcome {
    try perform(reference) { () throws(DiskFailure) in
      let (container, name) = try place(of: reference)
      if !reference.isDirectory, let name, let container,
        let value = try document(of: container)[name]
      {
        guard try !checkReading(condition, value) else { return .unchanged }
        return .resource(Resource(value, contentType: "application/json"))
      }
      let entries = try entries(below: reference)
      let isThere = name == nil || !entries.isEmpty
      if !isThere, let container { try checkReadable(container) }
      try check(condition, isThere: isThere)
      if isThere { return .directory(entries) }
      if let name, let container, try document(of: container)[name] != nil {
        throw refusal(.nothingBelow)
      }
      return .missing
    }
  }

  public func list(_ reference: Reference) throws(StoreError) -> [StoreEntry] {
    try perform(reference) { () throws(DiskFailure) in
      let (container, name) = try place(of: reference)
      let entries = try entries(below: reference)
      guard let name, entries.isEmpty else { return entries }
      if let container {
        if try document(of: container)[name] != nil { throw refusal(.nothingBelow) }
        try checkReadable(container)
      }
      throw refusal(FileFailure(.notFound, "there is nothing"))
    }
  }

  public func put(
    _ reference: Reference, _ resource: Resource, if condition: Precondition?
  ) throws(StoreError) {
    let (change, isNews) = try perform(reference) { () throws(DiskFailure) -> (Int, Bool) in
      try checkWritable()
      guard let name = try place(of: reference).name, !reference.isDirectory else {
        throw refusal(FileFailure(.isADirectory, "only a name in a container can be written"))
      }
      guard resource.contentType != "application/octet-stream" else {
        throw refusal(FileFailure(.encode, "JSON cannot hold bytes"))
      }
      let value = try PersistentStore.value(resource.bytes)
      let path = Array(reference.components.dropLast())
      try checkPlace(path)
      let container = tree.makeContainer(at: path)
      defer { tree.prune(path) }
      let old = try document(of: container)[name]
      try check(condition, isThere: old != nil, old)
      // What is there already is on its way, or on the disk.
      guard old != value else { return (changeCount, false) }
      return (didChange(of: name, in: container, to: value), true)
    }
    defer { if isNews { changes.post(.put, reference) } }
    try settle(change, reference)
  }

  public func delete(
    _ reference: Reference, if condition: Precondition?
  ) throws(StoreError) -> Bool {
    let change = try perform(reference) { () throws(DiskFailure) -> Int? in
      try checkWritable()
      let (container, name) = try place(of: reference)
      guard let name else {
        throw refusal(FileFailure(.invalidReference, "only a name in a container can be deleted"))
      }
      guard let container, let old = try document(of: container)[name] else {
        let isThere = try !entries(below: reference).isEmpty
        if !isThere, let container { try checkReadable(container) }
        try check(condition, isThere: isThere)
        guard !isThere else { throw refusal(.notEmpty) }
        return nil
      }
      guard !reference.isDirectory else { throw refusal(.nothingBelow) }
      try check(condition, isThere: true, old)
      return didChange(of: name, in: container, to: nil)
    }
    guard let change else { return false }
    defer { changes.post(.delete, reference) }
    try settle(change, reference)
    return true
  }

  public func flush() throws(StoreError) {
    defer { tellReports() }
    guard !options.isReadOnly else { return }
    let (isOpen, isLater) = stateLock.withLock {
      let isLater = !isClosed && isInBatch
      if isLater { batch?.flushes = true }
      return (!isClosed, isLater)
    }
    guard isOpen else { throw closedError(shownDirectory) }
    if isLater { return }
    try saveAll(synchronizes: true)
  }
}

// MARK: - Parts of verbs

extension PersistentStore {
  /// Does something with the state, and tells what it found afterwards.
  private func perform<Result>(
    _ reference: Reference, _ body: () throws(DiskFailure) -> Result
  ) throws(StoreError) -> Result {
    defer { tellReports() }
    do throws(DiskFailure) {
      return try stateLock.withLock { () throws(DiskFailure) in
        guard !isClosed else {
          throw DiskFailure(FileFailure(.closed, "the store is closed"), shownDirectory)
        }
        scheme = reference.scheme
        if options.isReadOnly { try loadIfChanged() }
        return try body()
      }
    } catch {
      // A refusal is about the place; only what the disk said is about a file.
      guard error.file.isEmpty else { throw StoreError(error, reference.description) }
      throw StoreError(error.failure, reference)
    }
  }

  /// A refusal, which no file is the reason for.
  private func refusal(_ failure: FileFailure) -> DiskFailure { DiskFailure(failure, "") }

  private func closedError(_ reference: String) -> StoreError {
    StoreError(.closed, reference, "the store is closed")
  }

  private func check(
    _ condition: Precondition?, isThere: Bool, _ value: [UInt8]? = nil
  ) throws(DiskFailure) {
    do throws(FileFailure) {
      try condition.check(isThere: isThere, tag: value.map { EntityTag(of: $0) })
    } catch {
      throw refusal(error)
    }
  }

  private func checkReading(
    _ condition: Precondition?, _ value: [UInt8]
  ) throws(DiskFailure) -> Bool {
    do throws(FileFailure) {
      return try condition.checkReading(value)
    } catch {
      throw refusal(error)
    }
  }

  private func checkWritable() throws(DiskFailure) {
    guard !options.isReadOnly else {
      throw refusal(FileFailure(.readOnly, "the store was opened for reading only"))
    }
  }

  /// Fails when the bucket of a container could have no file.
  private func checkPlace(_ path: [String]) throws(DiskFailure) {
    do throws(FileFailure) {
      let place = try BucketPlace(path)
      guard place.path(in: directory).utf8.count < PersistentStore.longestPath else {
        throw .nameTooLong
      }
    } catch {
      throw refusal(error)
    }
  }

  /// Leaves room for the endings that files get.
  private static let longestPath = 4000

  /// The container and the name in it that a reference means; no name for the store itself.
  private func place(
    of reference: Reference
  ) throws(DiskFailure) -> (container: Container?, name: ExactText?) {
    guard reference.authority ?? "" == "", reference.query.isEmpty else {
      throw refusal(FileFailure(.invalidReference, "a place has only a path"))
    }
    for component in reference.components where component == "." || component == ".." {
      throw refusal(
        FileFailure(.invalidReference, "'\(component)' is not a component of a place"))
    }
    guard let name = reference.components.last else { return (tree.root, nil) }
    return (tree.container(at: reference.components.dropLast()), ExactText(name))
  }

  private func entries(below reference: Reference) throws(DiskFailure) -> [StoreEntry] {
    guard let container = tree.container(at: reference.components) else { return [] }
    try checkReadable(container)
    var names: [ExactText: Bool] = [:]
    for name in try document(of: container).values.keys { names[name] = false }
    for (name, child) in container.children where child.hasContent { names[name] = true }
    return names.sorted { $0.key < $1.key }
      .filter { isReadable($0.key.text, below: reference) }
      .map { StoreEntry($0.key.text, isDirectory: $0.value) }
  }

  /// Whether a reference can name an entry, so that it can be read: files may be written by others.
  private func isReadable(_ name: String, below reference: Reference) -> Bool {
    Reference.isName(name)
      && (try? Reference(scheme: "", components: reference.components + [name])) != nil
  }

  /// The number of entries directly below a place that no reference can name.
  private func unreadableEntries(below reference: Reference) throws(DiskFailure) -> Int {
    guard let container = tree.container(at: reference.components) else { return 0 }
    let names = Set(try document(of: container).values.keys)
      .union(container.children.filter { $0.value.hasContent }.keys)
    return names.count { !isReadable($0.text, below: reference) }
  }

  /// The bytes of the one value of JSON that the bytes are.
  private static func value(_ bytes: [UInt8]) throws(DiskFailure) -> [UInt8] {
    do throws(JSONScanner.Failure) {
      return try JSONScanner.onlyValue(of: bytes)
    } catch {
      throw DiskFailure(FileFailure(.encode, "not JSON: \(error.located(in: bytes))"), "")
    }
  }

  /// Changes a value in memory, and notes that it is to be written.
  ///
  /// - Returns: The number of the change.
  func didChange(
    of name: ExactText, in container: Container, to value: [UInt8]?, isUndo: Bool = false
  ) -> Int {
    if batch != nil, !isUndo { noteUndo(of: name, in: container) }
    let growth = (value?.count ?? 0) - (container.document?[name]?.count ?? 0)
    container.document?[name] = value
    container.size += growth
    loadedSize += growth
    changeCount += 1
    let now = fileSystem.now
    if options.level != .fast {
      if container.pending.isEmpty { pendingContainers.append(container) }
      container.pending.insert(name)
      pendingSince = pendingSince ?? now
    }
    if !container.hasUnsaved { dirtyContainers.append(container) }
    container.dirty.insert(name)
    dirtySince = dirtySince ?? now
    return changeCount
  }

  /// Sees to it that a change becomes as durable as the level says.
  private func settle(_ change: Int, _ reference: Reference) throws(StoreError) {
    let isLater = stateLock.withLock {
      guard isInBatch else { return false }
      batch?.change = change
      return true
    }
    if !isLater { try settle(change, reference.description) }
  }

  /// The same for a place as programs write it.
  func settle(_ change: Int, _ place: String) throws(StoreError) {
    startThread()
    guard options.level == .full else { return }
    defer { tellReports() }
    do throws(DiskFailure) {
      try commit(change)
    } catch {
      throw StoreError(
        .notDurable, place, "done, but may not survive a loss of power: \(error.reason)",
        systemCode: error.failure.code == 0 ? nil : error.failure.code)
    }
  }
}

extension PersistentStore: CopyingStore {
  package func copy(of reference: Reference) throws(StoreError) -> GetOutcome {
    try get(reference, if: nil)
  }

  /// Left out are names that no reference can hold: files may be written by others.
  package func listingToCopy(of reference: Reference) throws(StoreError) -> CopyingListing {
    let found = try perform(reference) { () throws(DiskFailure) -> ([StoreEntry], Int)? in
      let count = try unreadableEntries(below: reference)
      return count > 0 ? (try entries(below: reference), count) : nil
    }
    guard let (entries, count) = found else { return CopyingListing(try list(reference)) }
    let names = count == 1 ? "1 name" : "\(count) names"
    return CopyingListing(
      entries, omitting: [StoreOmission(nil, "\(names) that no reference can hold")])
  }
}

// swift-format-ignore: AllPublicDeclarationsHaveDocumentation
extension PersistentStore: DurableStore {
  public var path: String { shownDirectory }
  public var levelName: String { level.rawValue }
  public var stateName: String { state.rawValue }
}
