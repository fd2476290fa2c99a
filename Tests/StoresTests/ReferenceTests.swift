import Foundation
import TenonStoreKit
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

  @Test func textsThatWouldMeanSomethingElseAreEncoded() throws {
    #expect(try reference("a/b", "c%2Fd", "e?f=g").description == "s:a%2Fb/c%252Fd/e%3Ff=g")
    #expect(
      try reference("a", query: [.init("k=l", "v&w=x"), .init("%", "\n")]).description
        == "s:a?k%3Dl=v%26w=x&%25=%0A")
    #expect(
      try reference("a", scheme: "http", authority: "h", query: [.init("q", "1+1")]).description
        == "http://h/a?q=1%2B1")
    #expect(try reference("a", isAbsolute: true, isDirectory: true).description == "s:/a/")
  }

  @Test func aSlashAtTheBeginning() throws {
    // Behind an authority every path begins at the root, and memory has none.
    #expect(
      try reference("a", authority: "h") == reference("a", authority: "h", isAbsolute: true))
    #expect(
      try reference("a", scheme: "mem") == reference("a", scheme: "mem", isAbsolute: true))
    #expect(try reference("a", scheme: "mem", isAbsolute: true).description == "mem:a")
    #expect(!(try reference("a", isAbsolute: true).isPrefix(of: reference("a", "b"))))
  }

  @Test func hostsAreNoPaths() {
    for host in ["a/b", "a?b", "a b", "a\n"] {
      #expect(throws: StoreError.self) { try reference("c", authority: host) }
    }
  }

  /// Printing and reading are each other's inverse, and two references print alike only when they
  /// are equal.
  @Test func textsStandForOneReference() throws {
    let seed = ProcessInfo.processInfo.environment["TENON_TEST_SEED"].flatMap { UInt64($0) } ?? 7
    var generator = ReferenceGenerator(seed: seed)
    // Texts that only look the same are two.
    var known: [[UInt8]: Reference] = [:]
    for _ in 0..<20_000 {
      let place = try generator.next()
      let text = place.description
      let read = try Reference(text: text)
      #expect(read == place, "\(text), seed \(seed)")
      // All of a store and its listing are written alike.
      #expect(
        place.components.isEmpty || read.isDirectory == place.isDirectory, "\(text), seed \(seed)")
      #expect(read.hashValue == place.hashValue, "\(text), seed \(seed)")
      #expect(read.description == text, "\(text), seed \(seed)")
      if let other = known[Array(text.utf8)] { #expect(other == place, "\(text), seed \(seed)") }
      known[Array(text.utf8)] = place
    }
  }

  @Test func anythingIsReadOrRefused() throws {
    #expect(try Reference(text: "mem:a%2Fb//c/").components == ["a/b", "c"])
    #expect(try Reference(text: "mem:100%/%zz").components == ["100%", "%zz"])
    #expect(try Reference(text: "http://h?q=a+b").query == [.init("q", "a b")])
    #expect(try Reference(text: "mem:\u{301}a").components == ["\u{301}a"])
    for text in ["", "a", "a/b", "mem:a%00", "mem:a\n"] {
      #expect(throws: StoreError.self) { try Reference(text: text) }
    }
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

/// References of the signs that parts of references are told apart by.
private struct ReferenceGenerator {
  private var state: UInt64
  private static let signs = [
    "a", "b", "/", "%", "2", "F", "5", "?", "&", "=", "+", ":", ".", " ", "#", "e\u{301}", "\u{E9}",
    "\u{301}",
  ]

  init(seed: UInt64) { state = seed }

  private mutating func number(below limit: Int) -> Int {
    state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
    return Int((state >> 33) % UInt64(limit))
  }

  private mutating func text(_ least: Int, _ signs: [String]) -> String {
    (0..<(least + number(below: 4))).map { _ in signs[number(below: signs.count)] }.joined()
  }

  mutating func next() throws(StoreError) -> Reference {
    let hostSigns = ["a", "%", "2", "F", ":", ".", "@", "="]
    let querySigns = Self.signs + ["\n", "\u{0}"]
    let scheme = ["s", "http", "mem", "", "a:b", "c/%"][number(below: 6)]
    return try Reference(
      scheme: scheme, authority: number(below: 3) == 0 ? text(0, hostSigns) : nil,
      components: (0..<number(below: 4)).map { _ in text(1, Self.signs) },
      isAbsolute: number(below: 2) == 0, isDirectory: number(below: 2) == 0,
      query: (0..<number(below: 3)).map { _ in
        Reference.QueryPair(
          text(0, querySigns), number(below: 2) == 0 ? nil : text(0, querySigns))
      })
  }
}
