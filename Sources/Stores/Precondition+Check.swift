internal import TenonStoreKit

extension Optional where Wrapped == Precondition {
  /// Fails unless the condition holds where something is, or nothing.
  ///
  /// `tag` is asked for only by conditions that compare it.
  func check(
    isThere: Bool, tag: @autoclosure () throws(FileFailure) -> EntityTag? = nil
  ) throws(FileFailure) {
    guard let self else { return }
    guard try !self.holds(for: isThere && comparesTags ? tag() : nil, isThere: isThere) else {
      return
    }
    throw FileFailure(.preconditionFailed, self.refusal(isThere: isThere))
  }

  /// Whether the bytes of what is there matter.
  var comparesTags: Bool {
    switch self {
    case .matches, .differs: true
    case nil, .absent, .exists: false
    }
  }

  /// Whether it can only hold where something is.
  var requiresPresence: Bool {
    switch self {
    case .exists, .matches: true
    case nil, .absent, .differs: false
    }
  }

  /// Fails unless the condition of a reader holds.
  ///
  /// - Returns: Whether the reader has these bytes already.
  func checkReading(_ bytes: [UInt8]) throws(FileFailure) -> Bool {
    if case .differs(let tag) = self { return tag == EntityTag(of: bytes) }
    try check(isThere: true, tag: EntityTag(of: bytes))
    return false
  }
}
