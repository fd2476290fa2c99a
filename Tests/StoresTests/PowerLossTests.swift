import Foundation
import TenonGrammarSupport
import TenonStoreKit
import TenonStores
import Testing

/// A loss of power at every point of a series of changes, with every change that was not synchronised
/// there, gone, or there in part.
@Suite struct PowerLossTests {
  /// Images for each point; `TENON_TEST_IMAGES` sets another number.
  static let imagesPerCut =
    ProcessInfo.processInfo.environment["TENON_TEST_IMAGES"].flatMap(Int.init) ?? 11
  static let traceLength = 500

  typealias Content = [String: String]

  /// A store that is written to, and what may be found after each operation on the disk.
  private struct Trace {
    let fileSystem: SimulatedFileSystem
    /// What the store held after each change, and how many operations there were before it.
    var states: [(content: Content, start: Int)] = [([:], 0)]
    /// Which of these the store may have taken for the end of a batch.
    var boundaries: Set<Int> = [0]
    /// From an operation on, which state must not be lost.
    var floors: [(operation: Int, state: Int)] = [(0, 0)]

    init(_ level: PersistentStore.Level, seed: UInt64, _ prepare: (SimulatedFileSystem) -> Void)
      throws
    {
      fileSystem = SimulatedFileSystem()
      prepare(fileSystem)
      var generator = RandomNumbers(seed: seed)
      let store = try PowerLossTests.open(fileSystem, level) { Issue.record("\($0)") }
      var times: [(time: Int, state: Int)] = []
      let paths = ["a", "b", "c/x", "c/y", "c/z", "d/e/x", "d/e/y", "d/x", "f/x", "f/y"]
      var number = 0
      while fileSystem.log.count < PowerLossTests.traceLength {
        // What is kept together is found as a whole or not at all; some of it is taken back.
        let isBatch = Int.random(in: 0..<3, using: &generator) == 0
        let begun = isBatch ? store.beginBatch(keepsUndo: true) : 0
        let before = states[states.count - 1].content
        for _ in 0..<Int.random(in: 1...4, using: &generator) {
          number += 1
          guard let path = paths.randomElement(using: &generator) else { continue }
          var content = states[states.count - 1].content
          let isDeletion = Int.random(in: 0..<4, using: &generator) == 0
          content[path] = isDeletion ? nil : "\(number)"
          states.append((content, fileSystem.log.count))
          if level == .full, !isBatch { boundaries.insert(states.count - 1) }
          let place = try reference("saved", path)
          if isDeletion {
            _ = try store.delete(place, if: nil)
          } else {
            try store.put(place, "\(number)")
          }
          if level == .full, !isBatch { floors.append((fileSystem.log.count, states.count - 1)) }
        }
        if isBatch {
          if Int.random(in: 0..<4, using: &generator) == 0 {
            store.takeBackBatch(to: begun)
            states.append((before, fileSystem.log.count))
          }
          if level == .full { boundaries.insert(states.count - 1) }
          try store.endBatch()
          if level == .full { floors.append((fileSystem.log.count, states.count - 1)) }
        }
        times.append((fileSystem.now, states.count - 1))
        fileSystem.now += Int.random(in: 5...30, using: &generator)
        boundaries.insert(states.count - 1)
        // What was there 200 ms ago was to be on the disk before this.
        if level == .journal, let old = times.last(where: { $0.time <= fileSystem.now - 200 }) {
          floors.append((fileSystem.log.count, old.state))
        }
        if Int.random(in: 0..<40, using: &generator) == 0 {
          try store.flush()
          floors.append((fileSystem.log.count, states.count - 1))
        } else {
          _ = store.performDue()
        }
      }
      try store.close()
      floors.append((fileSystem.log.count, states.count - 1))
    }

    /// Whether some content may be found after so many operations.
    func allows(_ content: Content, after cut: Int) -> Bool {
      let floor = floors.filter { $0.operation <= cut }.map(\.state).max() ?? 0
      return states.indices.contains { index in
        index >= floor && states[index].start <= cut && boundaries.contains(index)
          && states[index].content == content
      }
    }
  }

  private static func open(
    _ fileSystem: SimulatedFileSystem, _ level: PersistentStore.Level,
    _ report: @escaping (StoreError) -> Void
  ) throws -> PersistentStore {
    var options = PersistentStore.Options()
    options.level = level
    options.usesThread = false
    options.bucketDelay = 300
    options.journalLimit = 1500
    return try PersistentStore(
      directory: "/store", options: options, fileSystem: fileSystem, report: report)
  }

  /// All that a store holds.
  static func content(of store: PersistentStore) throws -> Content {
    var content: Content = [:]
    var waiting = [""]
    while let path = waiting.popLast() {
      for entry in try store.list(reference("saved", path)) {
        let inner = path + (path.isEmpty ? "" : "/") + entry.name
        content[inner] = try store.text(reference("saved", inner))
        if content[inner] == "<directory>" { content[inner] = nil }
        if entry.isDirectory { waiting.append(inner) }
      }
    }
    return content
  }

  /// Loses power at every point, and returns what was found that must not be.
  private func violations(
    _ trace: Trace, _ level: PersistentStore.Level, untilFirst: Bool,
    _ generator: inout RandomNumbers
  ) throws -> (images: Int, wrong: [String]) {
    var images = 0
    var wrong: [String] = []
    let fates: [(inout RandomNumbers) -> SimulatedFileSystem.Fate] = [
      { _ in .lost }, { _ in .kept }, { _ in .torn },
      { Bool.random(using: &$0) ? .kept : .lost },
      { [.kept, .lost, .torn][Int.random(in: 0..<3, using: &$0)] },
    ]
    for cut in 0...trace.fileSystem.log.count {
      for number in 0..<PowerLossTests.imagesPerCut {
        let fate = fates[min(number, number % 2 + 3)]
        let image = trace.fileSystem.image(cutAt: cut, &generator, fate)
        images += 1
        do {
          let content = try check(image, level, isThorough: images % 20 == 0, &generator)
          if !trace.allows(content, after: cut) { wrong.append("cut at \(cut): \(content)") }
        } catch {
          wrong.append("cut at \(cut): \(error)")
        }
        if untilFirst, !wrong.isEmpty { return (images, wrong) }
      }
    }
    return (images, wrong)
  }

  /// Opens what was left, and returns what it holds.
  private func check(
    _ image: SimulatedFileSystem, _ level: PersistentStore.Level, isThorough: Bool,
    _ generator: inout RandomNumbers
  ) throws -> Content {
    var reports: [StoreError] = []
    let store = try PowerLossTests.open(image, level) { reports.append($0) }
    let content = try PowerLossTests.content(of: store)
    // A torn journal is what it is for; a torn bucket is none.
    if let report = reports.first(where: { $0.reference.hasSuffix(".json") }) { throw report }
    guard isThorough else { return content }
    // It goes on from there, and another loss takes nothing away that was promised.
    try store.put(reference("saved", "new/x"), "1")
    try store.flush()
    let again = image.image(cutAt: image.log.count, &generator) { _ in .lost }
    #expect(!image.files.contains { $0.contains(".tenon-temporary-") })
    var expected = content
    expected["new/x"] = "1"
    for next in [again, image] {
      if next === image { try store.close() }
      let reopened = try PowerLossTests.open(next, level) { reports.append($0) }
      #expect(try PowerLossTests.content(of: reopened) == expected)
    }
    return content
  }

  private func run(
    _ level: PersistentStore.Level, untilFirst: Bool = false,
    _ prepare: (SimulatedFileSystem) -> Void = { _ in }
  ) throws -> (images: Int, wrong: [String]) {
    let given = ProcessInfo.processInfo.environment["TENON_TEST_SEED"].flatMap(UInt64.init)
    let seed = given ?? UInt64.random(in: 0...UInt64(UInt32.max))
    let trace = try Trace(level, seed: seed, prepare)
    var generator = RandomNumbers(seed: seed &+ 1)
    let result = try violations(trace, level, untilFirst: untilFirst, &generator)
    print("power loss, \(level): \(result.images) images, seed \(seed)")
    return result
  }

  @Test(arguments: [PersistentStore.Level.journal, .full])
  func theStoreIsFoundAsItWasAfterABatch(_ level: PersistentStore.Level) throws {
    let (images, wrong) = try run(level)
    #expect(images >= 5000 || PowerLossTests.imagesPerCut < 10)
    #expect(wrong == [], "\(wrong.count) of \(images)")
  }

  @Test func withoutSynchronizedDirectoriesChangesAreLost() throws {
    let (_, wrong) = try run(.full, untilFirst: true) { $0.forgetsDirectories = true }
    #expect(!wrong.isEmpty)
  }

  @Test func withFilesSynchronizedAfterTheyAreRenamedTheyAreTorn() throws {
    let (_, wrong) = try run(.journal, untilFirst: true) { $0.synchronizesLate = true }
    #expect(!wrong.isEmpty)
  }
}
