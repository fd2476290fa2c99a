internal import TenonText

/// A place of a store, as connections tell places apart: by what its reference says of the way in the
/// store, and not by the scheme, which is one of the names that the store may have.
struct StoredName: Hashable {
  let store: Value
  let text: ExactText

  init(_ store: Value, _ reference: String, isMemory: Bool) {
    self.store = store
    let colon = reference.utf8.firstIndex(of: UInt8(ascii: ":"))
    var rest = colon.map { reference[reference.utf8.index(after: $0)...] } ?? reference[...]
    // A slash at the beginning says something of files only.
    if isMemory, rest.utf8.first == UInt8(ascii: "/"), !rest.utf8.starts(with: "//".utf8) {
      rest = rest.dropFirst()
    }
    text = ExactText(String(rest))
  }

  func hash(into hasher: inout Hasher) {
    hasher.combine(store.bits)
    hasher.combine(text)
  }
}
