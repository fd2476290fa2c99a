import Foundation
import TenonStoreKit
import TenonStores

/// A copy of a tree in memory that is kept up by what a store tells alone.
final class FileMirror: Sendable {
  private let store: Shared<Reader>
  private let root: Reference
  private let files = Shared<[String: String]>([:])
  /// What was told, in its order.
  let told = Shared<[String]>([])
  /// What could not be read, and why: it is told again.
  let failures = Shared<[String]>([])

  /// A store of its own to read with: the one that watches belongs to another thread.
  private final class Reader: @unchecked Sendable {
    let store: FileStore
    init(_ store: FileStore) { self.store = store }
  }

  init(_ directory: String, _ root: Reference) {
    store = Shared(Reader(FileStore(directory: directory)))
    self.root = root
  }

  /// The paths below the root, those of directories with a slash, and the contents of files.
  var tree: [String: String] { files.value }

  func take(_ batch: ChangeBatch) throws {
    var failed: Set<Int> = []
    var reason: (any Error)?
    for (index, change) in batch.changes.enumerated() {
      told.update { $0.append("\(change.verb) \(change.reference)") }
      do {
        try refresh(change.reference, withAllBelow: change.coversBelow)
      } catch {
        failures.update { $0.append("\(change.reference): \(error)") }
        failed.insert(index)
        reason = error
      }
    }
    if let reason { throw ChangeBatchError(failed: failed, reason: reason) }
  }

  private func path(_ reference: Reference) -> String {
    reference.components.dropFirst(root.components.count).joined(separator: "/")
  }

  private func forget(_ path: String) { files.update { $0 = FileMirror.without(path, $0) } }

  /// Files without a path and all below it.
  private static func without(_ path: String, _ files: [String: String]) -> [String: String] {
    files.filter { name, _ in
      name != path && name != path + "/" && !(path.isEmpty || name.hasPrefix(path + "/"))
    }
  }

  /// Forgets what a directory does not hold: it may have been read before the directory was watched,
  /// and nobody tells that it is gone.
  private func forgetMissing(_ path: String, _ names: Set<String>) {
    let prefix = path.isEmpty ? "" : path + "/"
    files.update { files in
      files = files.filter { name, _ in
        guard name.utf8.count > prefix.utf8.count, name.utf8.starts(with: prefix.utf8) else {
          return true
        }
        let rest = name.utf8.dropFirst(prefix.utf8.count).prefix { $0 != UInt8(ascii: "/") }
        return names.contains(String(decoding: rest, as: UTF8.self))
      }
    }
  }

  /// Reads what is told to have changed; a directory with all below when that is said.
  private func refresh(_ reference: Reference, withAllBelow isDeep: Bool) throws {
    let path = path(reference)
    let outcome = store.update { reader in Result { try reader.store.get(reference, if: nil) } }
    switch try outcome.get() {
    case .resource(let resource):
      let content = String(decoding: resource.bytes, as: UTF8.self)
      files.update { files in
        files = FileMirror.without(path, files)
        files[path] = content
      }
    case .directory(let entries):
      if isDeep { forget(path) }
      if !path.isEmpty {
        files.update { files in
          files[path] = nil
          files[path + "/"] = ""
        }
      }
      guard isDeep else {
        forgetMissing(path, Set(entries.map(\.name)))
        return
      }
      for entry in entries {
        try refresh(reference.appending(entry.name), withAllBelow: true)
      }
    case .missing, .unchanged: forget(path)
    }
  }

  /// Begins with what is there.
  func start() throws { try refresh(root, withAllBelow: true) }
}

/// Waits until something holds, but not for ever.
///
/// - Returns: How many milliseconds it took; nil when it does not hold after a minute.
func waitUntil(_ condition: () -> Bool) -> Int? {
  let start = DispatchTime.now().uptimeNanoseconds
  while true {
    let time = Int(DispatchTime.now().uptimeNanoseconds - start) / millisecond
    if condition() { return time }
    if time > 60_000 { return nil }
    Thread.sleep(forTimeInterval: 0.005)
  }
}
