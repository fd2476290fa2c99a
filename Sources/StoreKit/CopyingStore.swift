/// A store that knows what of it can be copied into another one, beside what it answers to readers.
package protocol CopyingStore: Store {
  /// What is at a place, to be copied: nothing that would keep the reader waiting.
  ///
  /// - Throws: `StoreError`; of the kind `unsupported` for what has no content of its own.
  func copy(of reference: Reference) throws(StoreError) -> GetOutcome

  /// What is directly below a place: its listing, and what that leaves out and cannot be copied.
  ///
  /// - Throws: `StoreError` when the place cannot be listed.
  func listingToCopy(of reference: Reference) throws(StoreError) -> CopyingListing
}

/// A listing with what it leaves out.
package struct CopyingListing: Sendable {
  /// The entries, sorted by the bytes of their names.
  package let entries: [StoreEntry]
  package let omissions: [StoreOmission]

  package init(_ entries: [StoreEntry], omitting omissions: [StoreOmission] = []) {
    self.entries = entries
    self.omissions = omissions
  }
}

/// Something that a listing leaves out.
package struct StoreOmission: Sendable, Equatable {
  /// The name of one entry; nil where it is about several.
  package let name: String?
  /// What is left out, and why.
  package let reason: String

  package init(_ name: String?, _ reason: String) {
    self.name = name
    self.reason = reason
  }
}
