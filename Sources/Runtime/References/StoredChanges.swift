internal import Synchronization

/// The places that stores have announced as changed and nobody has looked at yet.
///
/// Any thread may add; the interpreter's takes.
final class StoredChanges: Sendable {
  private let references = Mutex<[Reference]>([])

  func append(_ reference: Reference) {
    references.withLock { list in
      if !list.contains(reference) { list.append(reference) }
    }
  }

  /// Forgets an announcement: that of a write of our own.
  func remove(_ reference: Reference) {
    references.withLock { list in list.removeAll { $0 == reference } }
  }

  func takeAll() -> [Reference] {
    references.withLock { list in
      defer { list = [] }
      return list
    }
  }
}
