import TenonGrammarSupport
import TenonStoreKit
import TenonStores
import TenonText

/// Files and directories in memory, of which a loss of power keeps only what was synchronised, and of
/// the rest whatever chance picks.
///
/// Every change is in a log. A crash image is made of the log up to some point: changes that a
/// synchronisation of their file or directory has followed are in it; of the others each may be in it,
/// be missing, or, the writes, be there in part, whatever came before or after them. That an entry of a
/// directory survives is up to the directory alone.
final class SimulatedFileSystem: FileSystem {
  /// A change, or what makes changes durable.
  enum Operation {
    case write(node: Int, offset: Int, bytes: [UInt8])
    /// A name in a directory, and what it names; nil for nothing.
    case enter(directory: Int, name: String, node: Int)
    case rename(directory: Int, name: String, newName: String, node: Int)
    case remove(directory: Int, name: String)
    case synchronize(node: Int)
    /// The system gave up what was not on the disk, and counts it as written.
    case lose(node: Int)
  }

  /// A call that may fail.
  struct Call {
    let name: String
    let object: String
  }

  private struct Node {
    var isDirectory: Bool
    var content: [UInt8] = []
    /// By names: those that differ in a byte are different files.
    var entries: [ExactText: Int] = [:]
    var permissions: UInt32
    var lockedBy: Int32?
    var modified = 0
  }

  private struct Open {
    let node: Int
    let name: String
    var position = 0
  }

  private var nodes: [Node] = [Node(isDirectory: true, permissions: 0o755)]
  /// What there was before the log.
  private var base = [Node(isDirectory: true, permissions: 0o755)]
  private var open: [Int32: Open] = [:]
  private var nextDescriptor: Int32 = 3
  private(set) var log: [Operation] = []
  /// How often something was written or changed, to tell versions apart.
  private var changes = 0

  var now = 1000
  /// The error of a call, if it is to fail.
  ///
  /// A write that fails has written a half.
  var fault: (Call) -> FileFailure? = { _ in nil }
  private(set) var calls: [Call] = []
  /// A fault of the whole system: synchronising a directory does nothing.
  var forgetsDirectories = false
  /// Another one: what is synchronised under a temporary name is so only after it is renamed.
  var synchronizesLate = false
  private var late: Set<Int> = []

  var openCount: Int { open.count }

  // MARK: Calls

  private func record(_ name: String, _ object: String) throws(FileFailure) {
    let shown = object.contains(".tenon-temporary-") ? "<temporary>" : object
    let call = Call(name: name, object: shown)
    calls.append(call)
    if let failure = fault(call) { throw failure }
  }

  private func find(_ path: String, _ directory: Descriptor?) throws(FileFailure) -> Int {
    var node = 0
    if let directory, !path.beginsWithBytes(of: "/") { node = open[directory.number]?.node ?? 0 }
    for name in path.parts(between: UInt8(ascii: "/")) where name != "." {
      guard nodes[node].isDirectory else { throw .notADirectory }
      guard let next = nodes[node].entries[name] else { throw .notFound }
      node = next
    }
    return node
  }

  private func parent(
    of path: String, _ directory: Descriptor?
  ) throws(FileFailure) -> (node: Int, name: String) {
    let parts = path.parts(between: UInt8(ascii: "/"))
    let base = (path.beginsWithBytes(of: "/") ? "/" : "") + parts.dropLast().joined(separator: "/")
    return (try find(base, directory), parts.last ?? "")
  }

  private func name(_ descriptor: Descriptor) -> String { open[descriptor.number]?.name ?? "?" }

  private func node(_ descriptor: Descriptor) throws(FileFailure) -> Int {
    guard let node = open[descriptor.number]?.node else { throw FileFailure(9) }
    return node
  }

  private func enter(_ node: Int, as name: String, in directory: Int) {
    nodes[directory].entries[name] = node
    log.append(.enter(directory: directory, name: name, node: node))
    note(directory)
  }

  private func note(_ node: Int) {
    changes += 1
    nodes[node].modified = changes
  }

  func open(
    _ path: String, in directory: Descriptor?, _ mode: OpenMode
  ) throws(FileFailure) -> Descriptor {
    try record("open", path)
    let node = try openNode(path, directory, mode)
    nextDescriptor += 1
    open[nextDescriptor] = Open(node: node, name: calls.last?.object ?? path)
    if case .appending = mode { open[nextDescriptor]?.position = nodes[node].content.count }
    return Descriptor(number: nextDescriptor)
  }

  private func openNode(
    _ path: String, _ directory: Descriptor?, _ mode: OpenMode
  ) throws(FileFailure) -> Int {
    var permissions: UInt32?
    var isNew = false
    switch mode {
    case .creating(let bits): (permissions, isNew) = (bits, true)
    case .locking(let bits), .appending(let bits): permissions = bits
    default: break
    }
    do throws(FileFailure) {
      let node = try find(path, directory)
      guard !isNew else { throw .exists }
      guard mode != .directory || nodes[node].isDirectory else { throw .notADirectory }
      return node
    } catch {
      guard let permissions, error == .notFound else { throw error }
      let (parent, name) = try parent(of: path, directory)
      nodes.append(Node(isDirectory: false, permissions: permissions))
      enter(nodes.count - 1, as: name, in: parent)
      return nodes.count - 1
    }
  }

  func openBeneath(
    _ path: String, in directory: Descriptor, _ mode: OpenMode
  ) throws(FileFailure) -> Descriptor {
    try open(path, in: directory, mode)
  }

  func move(
    _ name: String, in directory: Descriptor, to newName: String,
    in newDirectory: Descriptor, replaces: Bool
  ) throws(FileFailure) {
    throw .invalidArgument
  }

  func close(_ descriptor: Descriptor) {
    unlock(descriptor)
    open[descriptor.number] = nil
  }

  func read(_ descriptor: Descriptor, atMost count: Int) throws(FileFailure) -> [UInt8] {
    try record("read", name(descriptor))
    let node = try node(descriptor)
    guard !nodes[node].isDirectory else { throw .isADirectory }
    let position = open[descriptor.number]?.position ?? 0
    let bytes = Array(nodes[node].content.dropFirst(position).prefix(count))
    open[descriptor.number]?.position += bytes.count
    return bytes
  }

  func write(_ descriptor: Descriptor, _ bytes: ArraySlice<UInt8>) throws(FileFailure) -> Int {
    var failure: FileFailure?
    do throws(FileFailure) { try record("write", name(descriptor)) } catch { failure = error }
    let node = try node(descriptor)
    let position = open[descriptor.number]?.position ?? 0
    let written = failure == nil ? Array(bytes) : Array(bytes.prefix(bytes.count / 2))
    SimulatedFileSystem.put(written, at: position, in: &nodes[node].content)
    log.append(.write(node: node, offset: position, bytes: written))
    note(node)
    open[descriptor.number]?.position += written.count
    if let failure { throw failure }
    return written.count
  }

  private static func put(_ bytes: [UInt8], at offset: Int, in content: inout [UInt8]) {
    if content.count < offset {
      content += [UInt8](repeating: 0, count: offset - content.count)
    }
    let end = min(content.count, offset + bytes.count)
    content.replaceSubrange(offset..<end, with: bytes)
  }

  func synchronize(_ descriptor: Descriptor) throws(FileFailure) {
    let node = try node(descriptor)
    do throws(FileFailure) {
      try record("synchronize", name(descriptor))
    } catch {
      log.append(.lose(node: node))
      throw error
    }
    if nodes[node].isDirectory && forgetsDirectories { return }
    if synchronizesLate, name(descriptor) == "<temporary>" {
      late.insert(node)
      return
    }
    log.append(.synchronize(node: node))
  }

  func status(of descriptor: Descriptor) throws(FileFailure) -> FileStatus {
    try record("status of open", name(descriptor))
    return status(try node(descriptor))
  }

  func status(
    of path: String, in directory: Descriptor?, followsLinks: Bool
  ) throws(FileFailure) -> FileStatus {
    try record("status", path)
    return status(try find(path, directory))
  }

  private func status(_ node: Int) -> FileStatus {
    FileStatus(
      kind: nodes[node].isDirectory ? .directory : .file, permissions: nodes[node].permissions,
      size: nodes[node].content.count, user: 0, group: 0, links: 1,
      identity: FileIdentity(device: 1, number: UInt64(node)), modified: nodes[node].modified,
      changed: nodes[node].modified)
  }

  func checkWritable(_ path: String, in directory: Descriptor?) throws(FileFailure) {
    try record("check", path)
  }

  func setPermissions(_ descriptor: Descriptor, _ permissions: UInt32) throws(FileFailure) {
    try record("permissions", name(descriptor))
    nodes[try node(descriptor)].permissions = permissions
  }

  func setOwner(_ descriptor: Descriptor, user: UInt32?, group: UInt32?) throws(FileFailure) {
    try record("owner", name(descriptor))
  }

  func makeDirectory(
    _ path: String, in directory: Descriptor?, permissions: UInt32
  ) throws(FileFailure) {
    try record("make", path)
    let (parent, name) = try parent(of: path, directory)
    guard nodes[parent].entries[name] == nil else { throw .exists }
    nodes.append(Node(isDirectory: true, permissions: permissions))
    enter(nodes.count - 1, as: name, in: parent)
  }

  func rename(
    _ name: String, to newName: String, in directory: Descriptor
  ) throws(FileFailure) {
    try record("rename", newName)
    let folder = try node(directory)
    guard let node = nodes[folder].entries.removeValue(forKey: ExactText(name)) else {
      throw .notFound
    }
    nodes[folder].entries[newName] = node
    log.append(.rename(directory: folder, name: name, newName: newName, node: node))
    note(folder)
    if late.remove(node) != nil { log.append(.synchronize(node: node)) }
  }

  func link(_ name: String, to newName: String, in directory: Descriptor) throws(FileFailure) {
    try record("link", newName)
    let folder = try node(directory)
    guard let node = nodes[folder].entries[name] else { throw .notFound }
    guard nodes[folder].entries[newName] == nil else { throw .exists }
    enter(node, as: newName, in: folder)
  }

  func remove(
    _ path: String, in directory: Descriptor?, isDirectory: Bool
  ) throws(FileFailure) {
    try record("remove", path)
    let node = try find(path, directory)
    guard nodes[node].isDirectory == isDirectory else { throw .isADirectory }
    guard nodes[node].entries.isEmpty else { throw .notEmpty }
    let (parent, name) = try parent(of: path, directory)
    nodes[parent].entries[name] = nil
    log.append(.remove(directory: parent, name: name))
    note(parent)
  }

  func entries(of directory: Descriptor) throws(FileFailure) -> [DirectoryEntry] {
    try record("entries", name(directory))
    return nodes[try node(directory)].entries.map { name, node in
      DirectoryEntry(name: name.text, kind: nodes[node].isDirectory ? .directory : .file)
    }
  }

  func countOfEntriesWithoutText(in directory: Descriptor) throws(FileFailure) -> Int { 0 }

  func target(ofLink path: String, in directory: Descriptor?) throws(FileFailure) -> String {
    throw .invalidArgument
  }

  func lock(_ descriptor: Descriptor) throws(FileFailure) -> Bool {
    try record("lock", name(descriptor))
    let node = try node(descriptor)
    if let holder = nodes[node].lockedBy, holder != descriptor.number { return false }
    nodes[node].lockedBy = descriptor.number
    return true
  }

  func unlock(_ descriptor: Descriptor) {
    guard let node = open[descriptor.number]?.node,
      nodes[node].lockedBy == descriptor.number
    else { return }
    nodes[node].lockedBy = nil
  }

  func waitUntilReady(
    _ descriptor: Descriptor, for direction: Direction, milliseconds: Int
  ) throws(FileFailure) -> Bool { true }

  func pause(milliseconds: Int) { now += milliseconds }

  // MARK: Looking

  /// The bytes of a file; nil when there is none.
  func content(_ path: String) -> [UInt8]? {
    (try? find(path, nil)).map { nodes[$0].content }
  }

  /// Replaces the bytes of a file, as damage does.
  func damage(_ path: String, _ change: (inout [UInt8]) -> Void) {
    guard let node = try? find(path, nil) else { return }
    change(&nodes[node].content)
    note(node)
  }

  /// The paths of all files.
  var files: [String] {
    var found: [String] = []
    var waiting = [(0, "")]
    while let (node, path) = waiting.popLast() {
      for (name, child) in nodes[node].entries {
        if nodes[child].isDirectory {
          waiting.append((child, path + "/" + name.text))
        } else {
          found.append(path + "/" + name.text)
        }
      }
    }
    return found.sorted()
  }

  // MARK: Losing power

  /// What becomes of a change that was not synchronised.
  enum Fate {
    case kept, lost, torn
  }

  /// What a loss of power after so many operations leaves; `fate` says what becomes of a change that
  /// was not synchronised.
  func image(
    cutAt cut: Int, _ generator: inout RandomNumbers,
    _ fate: (inout RandomNumbers) -> Fate
  ) -> SimulatedFileSystem {
    // The first synchronisation that follows decides: after a failed one the changes count as written.
    var decides: [Int: Bool] = [:]
    var isDurable = [Bool](repeating: false, count: cut)
    for index in (0..<cut).reversed() {
      switch log[index] {
      case .synchronize(let node): decides[node] = true
      case .lose(let node): decides[node] = false
      case .write(let node, _, _): isDurable[index] = decides[node] ?? false
      case .enter(let directory, _, _), .rename(let directory, _, _, _),
        .remove(let directory, _):
        isDurable[index] = decides[directory] ?? false
      }
    }
    let image = SimulatedFileSystem()
    image.nodes = base
    image.nodes += nodes[base.count...].map {
      Node(isDirectory: $0.isDirectory, permissions: $0.permissions)
    }
    for index in 0..<cut {
      let fate = isDurable[index] ? .kept : fate(&generator)
      image.apply(log[index], fate, &generator)
    }
    image.base = image.nodes
    image.now = now
    return image
  }

  private func apply(
    _ operation: Operation, _ fate: Fate, _ generator: inout RandomNumbers
  ) {
    if fate == .lost { return }
    switch operation {
    case .write(let node, let offset, let bytes):
      guard fate == .torn else {
        SimulatedFileSystem.put(bytes, at: offset, in: &nodes[node].content)
        return
      }
      // Some sectors, here of few bytes, so that small records are torn as well.
      for start in stride(from: 0, to: bytes.count, by: 16)
      where Bool.random(using: &generator) {
        SimulatedFileSystem.put(
          Array(bytes[start..<min(start + 16, bytes.count)]), at: offset + start,
          in: &nodes[node].content)
      }
    case .enter(let directory, let name, let node):
      nodes[directory].entries[name] = node
    case .rename(let directory, let name, let newName, let node):
      if nodes[directory].entries[name] == node { nodes[directory].entries[name] = nil }
      nodes[directory].entries[newName] = node
    case .remove(let directory, let name):
      nodes[directory].entries[name] = nil
    case .synchronize, .lose: break
    }
  }
}
