import Foundation
import TenonStoreKit
import TenonStores
import Testing

@testable import Tenon

/// Combinators of stores against a plain store in memory: random verbs, the same answers.
///
/// `TENON_TEST_SEED` chooses other verbs, `TENON_LAW_STEPS` how many there are for each combinator;
/// a failure names the seed.
@Suite struct CombinatorLawTests {
  private static let environment = ProcessInfo.processInfo.environment
  private static let seed = environment["TENON_TEST_SEED"].flatMap { UInt32($0) } ?? 20_260
  private static let steps = environment["TENON_LAW_STEPS"].flatMap { Int($0) } ?? 200

  private static let folder = URL(filePath: #filePath).deletingLastPathComponent()
    .appending(path: "Laws")

  /// What a program on top of the laws prints.
  private func run(_ program: String, seed: UInt32 = Self.seed) throws -> [String] {
    let texts = try [
      "ModelStore.st", "StoreLaw.st", "StoreLaws.st", "ObjectModel.st", "ChangeLaw.st",
    ].map {
      try String(contentsOf: Self.folder.appending(path: $0), encoding: .utf8)
    }
    let text =
      texts.joined()
      + "laws := StoreLaws new random: (Random seed: \(seed)); yourself.\n" + program
    return onThread(stackSize: 64 << 20) {
      let console = RecordingConsole()
      let interpreter = Interpreter(console: console, clock: VirtualClock())
      // In memory where the system has such a directory: durable writes to disks take milliseconds.
      let memory = URL(filePath: "/dev/shm")
      let manager = FileManager.default
      let directory =
        (manager.isWritableFile(atPath: memory.path) ? memory : manager.temporaryDirectory)
        .appending(path: "tenon-laws-\(UUID().uuidString)")
      defer { try? manager.removeItem(at: directory) }
      interpreter.grant(FileStore(directory: directory.path))
      do {
        _ = try interpreter.evaluate(text)
        _ = interpreter.runLoop()
      } catch {
        return console.lines + ["\(error)"]
      }
      return console.lines
    }
  }

  @Test(arguments: [
    "mapping", "relative", "rooted", "caching", "cachingForATime", "revalidating", "smallCache",
    "retry", "timeout", "limit", "calmChaos", "logging", "metrics", "observed", "initializing",
    "writeBehind", "overlay", "filter",
  ]) func neutralCombinatorsAreTransparent(_ name: String) throws {
    let lines = try run("(laws neutralLaw: '\(name)') run: \(Self.steps).")
    #expect(lines == [], "TENON_TEST_SEED=\(Self.seed)")
  }

  @Test(arguments: ["memory", "dictionary", "object"])
  func storesInMemoryAgreeWithAModel(_ name: String) throws {
    let lines = try run("(laws storeLaw: '\(name)') run: \(Self.steps).")
    #expect(lines == [], "TENON_TEST_SEED=\(Self.seed)")
  }

  @Test(arguments: [
    "json", "propertyLists", "binaryPropertyLists", "ndjson", "lines", "text", "csv", "documents",
    "instances", "extension", "blocks", "sequential", "merging", "switching", "wholeSwitching",
    "shakyRetry", "fetchBehind", "readOnly", "requiring", "strictFilter",
    "overlaidFilter", "filterWrittenLater", "filterOfSeveral", "filterOfFilter",
    "twiceOverlaidFilter",
  ]) func whatIsKeptOtherwiseIsNotSeen(_ name: String) throws {
    let lines = try run("(laws otherLaw: '\(name)') run: \(Self.steps).")
    #expect(lines == [], "TENON_TEST_SEED=\(Self.seed)")
  }

  /// The laws above are all there are.
  @Test func everyLawIsRun() throws {
    #expect(
      try run(
        "#(laws neutralNames, laws otherNames, laws storeNames, laws otherChangeNames) do: [ :each | stdout println: each size ]"
      ) == ["18", "25", "3", "18"])
  }

  /// What reads differently is told, once, and nothing else.
  @Test(arguments: [
    "mapping", "relative", "rooted", "caching", "cachingForATime", "revalidating", "smallCache",
    "retry", "timeout", "limit", "calmChaos", "logging", "metrics", "observed", "initializing",
    "writeBehind", "overlay", "filter",
  ]) func changesAreToldByNeutralCombinators(_ name: String) throws {
    let lines = try run("(laws neutralChangeLaw: '\(name)') run: \(Self.steps / 8).")
    #expect(lines == [], "TENON_TEST_SEED=\(Self.seed)")
  }

  @Test(arguments: [
    "json", "ndjson", "lines", "text", "csv", "documents", "propertyList", "extension", "blocks",
    "sequential", "merging", "switching", "wholeSwitching", "shakyRetry", "fetchBehind",
    "readOnly", "requiring", "strictFilter",
  ]) func changesAreToldByOthers(_ name: String) throws {
    let lines = try run("(laws otherChangeLaw: '\(name)') run: \(Self.steps / 8).")
    #expect(lines == [], "TENON_TEST_SEED=\(Self.seed)")
  }

  @Test func changesAreToldByRandomStacks() throws {
    let count = Self.steps / 40
    let lines = try run("\(count) timesRepeat: [ laws changeLawOfStack run: 20 ].")
    #expect(lines == [], "TENON_TEST_SEED=\(Self.seed)")
  }

  /// A combinator that tells of something else is found out: of other places, of nothing, of all it
  /// hears twice, and of more than has changed.
  @Test(arguments: [
    "-pathOf: reference { ^#('b') }",
    "-watched { ^self } -tellsOfOwnChanges { ^true }",
    """
    -watched { ^self }
    -source: aStore { super source: aStore. SourceWatcher watch: source for: self }
    -sourceChanged: path of: aStore isWide: aBoolean {
      self noteChange: ((self reference: '') withPath: path)
    }
    -put: value at: reference if: condition {
      super put: value at: reference if: condition. self noteChange: reference. ^value
    }
    """,
    "-up: value at: reference { ^value isNumber ifTrue: [ 0 ] ifFalse: [ value ] }",
  ]) func faultyChangesAreFound(_ method: String) throws {
    let lines = try run(
      """
      scheme Faulty : MappingStore { \(method) }
      base := MemoryStore new.
      (laws changes: 'faulty' of: (Faulty over: base) over: base) run: 500.
      """)
    #expect(lines.first?.hasPrefix("faulty, step ") == true)
  }

  @Test func randomStacksAreTransparent() throws {
    // At full size more than two hundred.
    let count = Self.steps / 20
    let lines = try run("\(count) timesRepeat: [ laws stackLaw run: 100 ].")
    #expect(lines == [], "TENON_TEST_SEED=\(Self.seed)")
  }

  /// The same over a directory that nothing leads out of.
  @Test(arguments: [
    "mapping", "relative", "rooted", "caching", "cachingForATime", "revalidating", "smallCache",
    "retry", "timeout", "limit", "calmChaos", "logging", "metrics", "observed", "initializing",
    "writeBehind", "overlay", "filter",
  ]) func combinatorsAreTransparentOverRootedDirectories(_ name: String) throws {
    let lines = try run("(laws rootedLaw: '\(name)') run: \(Self.steps).")
    #expect(lines == [], "TENON_TEST_SEED=\(Self.seed)")
  }

  @Test func randomStacksOverRootedDirectoriesAreTransparent() throws {
    let count = Self.steps / 40
    let lines = try run("\(count) timesRepeat: [ laws rootedStackLaw run: 100 ].")
    #expect(lines == [], "TENON_TEST_SEED=\(Self.seed)")
  }

  /// A combinator that does not keep the laws is found out.
  @Test(arguments: [
    "-up: value at: reference { ^value isString ifTrue: [ value asUppercase ] ifFalse: [ value ] }",
    "-delete: reference if: condition { super delete: reference if: condition. ^true }",
    "-list: reference { ^(super list: reference) reversed }",
    "-around: verb at: reference do: aBlock { ^verb == #put ifTrue: [ nil ] ifFalse: [ aBlock value ] }",
    "-placeFor: reference { ^reference path size > 2 ifTrue: [ reference dropping: 1 ] ifFalse: [ reference ] }",
  ]) func faultyCombinatorsAreFound(_ method: String) throws {
    let lines = try run(
      """
      scheme Faulty : MappingStore { \(method) }
      (laws law: 'faulty' plain: MemoryStore new stack: (Faulty over: MemoryStore new)) run: 1000.
      """)
    #expect(lines.first?.hasPrefix("faulty, step ") == true)
  }

  /// So is one that deletes or moves what it hides.
  @Test(arguments: [
    "-deleteTree: r { ^self do: #deleteTree at: r with: [ :place | self source deleteTree: place ] }",
    "-movePlace: r to: s { self source move: (self placeFor: r) to: (self placeFor: s) if: nil }",
  ]) func faultyFiltersAreFound(_ method: String) throws {
    let lines = try run(
      """
      scheme Faulty : FilterStore { \(method) }
      (laws filterLaw: #Faulty{ block: [ :each | (each isNumber and: [ each < 0 ]) not ] }) run: 1000.
      """)
    #expect(lines.first?.hasPrefix("strictFilter") == true)
  }

  /// So is a store that accepts, where nothing must be, what would replace what is hidden.
  @Test(arguments: [
    ("OverlayStore", "-checkNothingHiddenAt: r for: verb { }"),
    ("OverlayStore", "-checkNothingHiddenAt: rs forMoveIf: condition { }"),
    ("WriteBehindStore", "-hasHiddenValueAt: r { ^false }"),
  ]) func carelessStoresAreFound(_ kind: String, _ method: String) throws {
    // What is hidden is seldom in the way: with one seed in a few not within so many steps.
    for further in 0..<5 {
      let lines = try run(
        """
        class Faulty : \(kind) { \(method) }
        (laws lawOver: 'faulty' with: [ :filter | Faulty over: filter ]) run: 3000.
        """, seed: Self.seed &+ UInt32(further))
      if lines.first?.hasPrefix("faulty") == true { return }
    }
    Issue.record("TENON_TEST_SEED=\(Self.seed)")
  }

  /// So is a store in memory.
  @Test(arguments: [
    "-list: reference { ^(super list: reference) reversed }",
    "-delete: reference { super delete: reference. ^true }",
    "-deleteTree: reference { ^self delete: reference }",
  ]) func faultyStoresAreFound(_ method: String) throws {
    let lines = try run(
      """
      class Faulty : MemoryStore { \(method) }
      (laws law: 'faulty' plain: ModelStore new stack: Faulty new) run: 1000.
      """)
    #expect(lines.first?.hasPrefix("faulty, step ") == true)
  }

  /// So is a store of an object.
  @Test(arguments: [
    "-list: reference { ^(super list: reference) reversed }",
    "-delete: reference { super delete: reference. ^true }",
    "-put: value at: reference { ^(super put: value at: reference) printString }",
    "-object: count of: reference { ^super object: (count min: 2) of: reference }",
    "-has: name in: anObject { ^super has: name , 'x' in: anObject }",
  ]) func faultyStoresOfObjectsAreFound(_ method: String) throws {
    let lines = try run(
      """
      class Faulty : ObjectStore { \(method) }
      (laws objectLawOf: Faulty) run: 1000.
      """)
    #expect(lines.first?.hasPrefix("object, step ") == true)
  }

  /// A time limit around all attempts together is likely to be a slip.
  @Test func limitsAroundAttemptsDrawAWarning() throws {
    let slip = try run("TimeoutStore -> MappingStore -> RetryStore -> MemoryStore new.")
    #expect(slip.count == 3)
    #expect(slip.first?.contains("warning: the time limit holds for all attempts together") == true)
    #expect(try run("RetryStore -> TimeoutStore -> MemoryStore new.") == [])
  }

  /// What the documentation shows is as short as it says: a combinator takes at most 15 lines in
  /// the language and 60 in Swift.
  @Test(arguments: [
    ("combinators.md", "scheme Versioned", "}", 15),
    ("stores.md", "scheme Trash", "}", 15),
    ("embedding.md", "final class Shouting", "}", 60),
    ("stores.md", "final class Checksummed", "}", 60),
  ]) func combinatorsAreShort(_ file: String, _ start: String, _ end: String, _ most: Int) throws {
    let root = MarkdownFile.root
    // A combinator in Swift is a file of its own.
    let whole = root.appending(path: "Tests/ScriptTests/Checksummed.swift")
    #expect(
      try String(contentsOf: whole, encoding: .utf8).split(
        separator: "\n", omittingEmptySubsequences: false
      ).count <= 60)
    let url = root.appending(path: "docs").appending(path: file)
    let lines = try String(contentsOf: url, encoding: .utf8).split(
      separator: "\n", omittingEmptySubsequences: false)
    let first = try #require(lines.firstIndex { $0.hasPrefix(start) })
    let last = try #require(lines[first...].firstIndex { $0 == end })
    #expect(last - first + 1 <= most)
  }
}
