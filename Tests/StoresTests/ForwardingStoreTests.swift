import TenonStoreKit
import TenonStores
import Testing

/// Combinators that are written in Swift.
@Suite struct ForwardingStoreTests {
  /// The places below a directory of another store.
  private final class Subtree: ForwardingStore {
    private let directory: [String]

    init(_ directory: [String], of source: any Store) {
      self.directory = directory
      super.init(source)
    }

    override func place(for reference: Reference) throws(StoreError) -> Reference {
      try Reference(
        scheme: "law", components: directory + reference.components,
        isDirectory: reference.isDirectory)
    }

    override func reference(for place: Reference, like reference: Reference) -> Reference? {
      guard place.components.starts(with: directory) else { return nil }
      return try? Reference(
        scheme: reference.scheme, components: Array(place.components.dropFirst(directory.count)))
    }
  }

  /// A combinator that overrides nothing answers as its source does, errors included.
  @Test func forwardingIsTransparent() throws {
    let subject = try SubjectName.file.make()
    let store = ForwardingStore(try subject.make())
    try check(store, at: "law:")
    #expect(store.capabilities.verbs == store.source.capabilities.verbs)
  }

  /// One that gives places other references tells answers and errors in its own.
  @Test func referencesAreMapped() throws {
    let subject = try SubjectName.file.make()
    let source = try subject.make()
    let store = Subtree(["part", "of"], of: source)
    try check(store, at: "law:")
    #expect(try source.text(subject.reference(["part", "of", "a"])) == "1")
  }

  private func check(_ store: any Store, at root: String) throws {
    func reference(_ path: String...) throws -> Reference {
      try Reference(scheme: "law", components: path)
    }
    try store.put(reference("a"), "1")
    try store.put(reference("d", "x"), "2")
    #expect(try store.text(reference("a")) == "1")
    #expect(try store.list(reference()).map(\.name) == ["a", "d"])
    #expect(try store.status(of: reference("a"))?.size == 1)
    #expect(try store.status(of: reference("b")) == nil)
    #expect(message { try store.put(try reference("d"), "3") }?.hasPrefix("law:d: ") == true)
    #expect(
      message { _ = try store.get(try reference("a"), if: .absent) }
        == "law:a: there is something already")
    #expect(message { _ = try store.list(try reference("nix")) }?.hasPrefix("law:nix: ") == true)
    #expect(
      message { try store.merge(try reference("a"), Resource("{}"), if: nil) }?
        .hasPrefix("law:a: 'merge' is not supported") == true)
    #expect(try !store.delete(reference("b"), if: nil))
    try store.flush()
  }
}
