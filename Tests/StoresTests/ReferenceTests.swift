import TenonRuntime
import Testing

/// References as values: their parts, what is equal, and which lies below which.
@Suite struct ReferenceTests {
  private func reference(
    _ components: String..., scheme: String = "s", authority: String? = nil,
    isAbsolute: Bool = false, isDirectory: Bool = false, query: [Reference.QueryPair] = []
  ) throws -> Reference {
    try Reference(
      scheme: scheme, authority: authority, components: components, isAbsolute: isAbsolute,
      isDirectory: isDirectory, query: query)
  }

  @Test func partsAreTakenOffAndAdded() throws {
    let place = try reference("a", "b", isAbsolute: true, isDirectory: true)
    #expect(place.name == "b")
    #expect(place.parent == (try reference("a", isAbsolute: true)))
    #expect(place.parent?.parent?.parent == nil)
    #expect(place.parent?.isDirectory == false)
    #expect(place.dropping(5).components == [])
    #expect(place.dropping(-1).components == ["a", "b"])
    #expect(try place.appending("c", "d").components == ["a", "b", "c", "d"])
    #expect(try place.appending("c").isAbsolute)
    #expect(place.inScheme("t").description == "t:/a/b/")
    #expect(try reference().name == nil)
  }

  @Test func whatIsEqual() throws {
    let place = try reference("a", "b")
    #expect(place == (try reference("a", "b", isDirectory: true)))
    #expect(place != (try reference("a", "b", scheme: "t")))
    #expect(place != (try reference("a", "b", authority: "h")))
    #expect(place != (try reference("a", "b", isAbsolute: true)))
    #expect(place != (try reference("a", "b", query: [.init("k", nil)])))
    #expect(place != (try reference("a", "c")))
    // Composed and decomposed look the same and are two places.
    #expect(try reference("\u{E9}") != (try reference("e\u{301}")))
    let set: Set = [place, try reference("a", "b", isDirectory: true), try reference("a")]
    #expect(set.count == 2)
  }

  @Test func whatLiesBelowAnother() throws {
    let place = try reference("a", "b")
    let below = try reference("a", "b", "c")
    let beside = try reference("a", "bc")
    #expect(place.isPrefix(of: place))
    #expect(place.isPrefix(of: below))
    #expect(!below.isPrefix(of: place))
    #expect(!place.isPrefix(of: beside))
    #expect(!place.isPrefix(of: below.inScheme("t")))
    #expect(!place.isPrefix(of: try reference("a", "b", authority: "h")))
    #expect(below.affects(place))
    #expect(place.affects(below))
    #expect(!place.affects(beside))
  }

  @Test func textsAreWhatIsWritten() throws {
    #expect(try reference("a/b", "c").description == "s:a%2Fb/c")
    #expect(try reference("a", authority: "host").description == "s://host/a")
    #expect(try reference(authority: "host").description == "s://host")
    #expect(
      try reference("a", query: [.init("k", "v"), .init("l", nil)]).description == "s:a?k=v&l")
  }

  @Test(arguments: [
    ([""], "s:: a component is empty"),
    (["a", "b\u{7}"], "a component holds a control character"),
    (["\u{7F}"], "a component holds a control character"),
    ([String(repeating: "x", count: 256)], "a component has at most 255 bytes"),
    (Array(repeating: "x", count: 65), "a path has at most 64 components"),
    (
      Array(repeating: String(repeating: "x", count: 250), count: 17),
      "a path has at most 4096 bytes"
    ),
  ])
  func whatIsNoPath(_ components: [String], _ message: String) {
    do throws(StoreError) {
      _ = try Reference(scheme: "s", components: components)
      Issue.record("it was taken")
    } catch {
      #expect(error.kind == .invalidReference)
      #expect(error.description.hasSuffix(message), "\(error)")
    }
  }

  @Test func errorsThatMayPass() throws {
    let place = try reference("a")
    let passing: Set<StoreError.Kind> = [.timeout, .unavailable, .locked, .network]
    for kind in [
      StoreError.Kind.timeout, .unavailable, .locked, .network, .io, .notFound, .unsupported,
    ] {
      #expect(StoreError(kind, place, "x").isTransient == passing.contains(kind))
    }
    #expect(StoreCapabilities.Durability.none < .power)
  }
}
