internal import TenonStoreKit

// What connections have read at places that are watched, so that a file that is written anew with the
// same bytes runs nothing.

/// What was read at a place.
enum ReadContent: Equatable {
  case missing
  /// A resource, or a listing.
  case known(ContentDigest, isListing: Bool)
  /// Not the same for all readers, or more than its content: each change counts.
  case unknown

  /// What reading came to; nil for nothing new.
  init?(_ outcome: GetOutcome) {
    switch outcome {
    case .missing: self = .missing
    case .unchanged: return nil
    case .resource(let resource): self = .known(ContentDigest(of: resource.bytes), isListing: false)
    case .directory(let entries):
      // No name holds a control character.
      let text = entries.map { $0.isDirectory ? $0.name + "\u{1}" : $0.name }
      self = .known(ContentDigest(of: Array(text.joined(separator: "\u{2}").utf8)), isListing: true)
    }
  }
}

/// What tells bytes apart within a process: their number, and 128 bits of a hash whose key is the process's own.
struct ContentDigest: Equatable {
  private let count: Int
  private let first: Int
  private let second: Int

  /// - Complexity: O(n), a fourth of an entity tag's time.
  init(of bytes: [UInt8]) {
    var hasher = Hasher()
    unsafe bytes.withUnsafeBytes { unsafe hasher.combine(bytes: $0) }
    count = bytes.count
    var other = hasher
    other.combine(count)
    first = hasher.finalize()
    second = other.finalize()
  }
}

extension Machine {
  /// Notes what a formula has read at a place that is watched: what reading came to, or nil when more
  /// was asked than what is there.
  func recordContent(_ outcome: GetOutcome?, at reference: Value, in store: Value) {
    guard recorder != nil, watchingStore(store) != nil else { return }
    let place = Place(
      kind: .stored, object: store, index: -1, key: canonicalReference(reference, in: store))
    guard let outcome else {
      stores.watches.contents[place] = .unknown
      return
    }
    guard let content = ReadContent(outcome) else { return }
    let known = stores.watches.contents[place]
    stores.watches.contents[place] = known == nil || known == content ? content : .unknown
  }

  /// Forgets what was read at a place: it is being written.
  func forgetContent(at reference: Value, in store: Value) {
    guard !stores.watches.contents.isEmpty else { return }
    stores.watches.contents[
      Place(kind: .stored, object: store, index: -1, key: canonicalReference(reference, in: store))] =
      nil
  }

  /// Whether there is at a place what all its readers have read; it is read for that.
  func isAsRead(_ place: Place) -> Bool {
    guard let known = stores.watches.contents[place] else { return false }
    if known != .unknown, let store = watchingStore(place.object),
      let reference = try? reference(place.key),
      let outcome = try? store.get(reference, if: nil), ReadContent(outcome) == known
    {
      return true
    }
    stores.watches.contents[place] = nil
    return false
  }
}
