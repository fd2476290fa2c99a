/// A store that knows what of it can be copied into another one, beside what it answers to readers.
package protocol CopyingStore: Store {
  /// What is at a place, to be copied: nothing that would keep the reader waiting.
  ///
  /// - Throws: `StoreError`; of the kind `unsupported` for what has no content of its own.
  func copy(of reference: Reference) throws(StoreError) -> GetOutcome

  /// What is directly below a place and cannot be copied as its listing leaves it out.
  ///
  /// - Throws: `StoreError` when the place cannot be listed.
  func omissions(at reference: Reference) throws(StoreError) -> [StoreOmission]
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
