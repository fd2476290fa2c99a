internal import TenonStoreKit
internal import TenonText

extension DefaultsStore {
  /// The key of a place; nil for the store itself.
  static func key(_ reference: Reference) throws(FileFailure) -> ExactText? {
    guard reference.authority ?? "" == "", reference.query.isEmpty else {
      throw FileFailure(.invalidReference, "a key has only a path")
    }
    for component in reference.components {
      guard !component.utf8.contains(UInt8(ascii: "/")) else {
        throw FileFailure(.invalidReference, "a component of a key holds no '/'")
      }
      guard component != ".", component != ".." else {
        throw FileFailure(.invalidReference, "'\(component)' is not a component of a key")
      }
    }
    guard !reference.components.isEmpty else { return nil }
    return ExactText(reference.components.joined(separator: "/"))
  }

  /// The place of a key; nil when no reference can name it.
  static func reference(_ key: ExactText) -> Reference? {
    let components = key.text.utf8.split(
      separator: UInt8(ascii: "/"), omittingEmptySubsequences: false
    ).map { String(Substring($0)) }
    guard !components.contains("."), !components.contains("..") else { return nil }
    return try? Reference(scheme: "defaults", components: components)
  }

  /// What is directly below a key, sorted by bytes.
  ///
  /// - Complexity: O(n log n) in the number of all keys.
  func entries(below key: ExactText?) -> [StoreEntry] {
    let prefix = key.map { $0.text + "/" } ?? ""
    // The common case of a key that is not set.
    guard document.values.keys.contains(where: { $0.text.utf8.starts(with: prefix.utf8) }) else {
      return []
    }
    var names: [ExactText: Bool] = [:]
    for other in document.values.keys {
      guard other.text.utf8.starts(with: prefix.utf8), DefaultsStore.reference(other) != nil else {
        continue
      }
      let rest = other.text.utf8.dropFirst(prefix.utf8.count)
      let bytes = rest.prefix { $0 != UInt8(ascii: "/") }
      let name = ExactText(String(Substring(bytes)))
      names[name] = bytes.count < rest.count || names[name] == true
    }
    return names.sorted { $0.key < $1.key }.map { StoreEntry($0.key.text, isDirectory: $0.value) }
  }
}
