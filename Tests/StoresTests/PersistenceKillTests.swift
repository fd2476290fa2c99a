import Foundation
import TenonGrammarSupport
import TenonStoreKit
import TenonStores
import Testing

/// Writers of a persistent store that are killed.
@Suite struct PersistenceKillTests {
  /// What the writer of the tests' helper has written after so many changes.
  private static func content(after count: Int) -> [String: String] {
    var content: [String: String] = [:]
    for number in 0..<max(0, count) {
      let number = number + 1
      let path = number % 13 == 0 ? "d/e/k\(number % 5)" : "c\(number % 3)/k\(number % 7)"
      let padding = String(repeating: "x", count: number &* 7919 % 300)
      content[path] = number % 11 == 0 ? nil : "[\(number), \"\(padding)\"]"
    }
    return content
  }

  private static func number(_ text: String) -> Int? {
    Int(text.dropFirst().prefix { $0.isNumber })
  }

  @Test(arguments: PersistentStore.Level.allCases)
  func killedWritersLeaveTheStoreAsItWas(_ level: PersistentStore.Level) throws {
    let directory = try TemporaryDirectory(isOnDisk: true)
    let seed = testSeed()
    var generator = RandomNumbers(seed: seed)
    let rounds = max(2, ProcessTests.rounds / 2)
    var found = 0
    var greatestLoss = 0
    for round in 0..<rounds {
      let writer = try ChildProcess([
        "write-persistent", directory.path, level.rawValue, "\(found + 1)",
      ])
      #expect(writer.waitForLine() == "READY")
      usleep(UInt32.random(in: 30_000...80_000, using: &generator))
      writer.kill()
      let lines = writer.finish().lines
      // What was said last may be cut short.
      let numbers = lines.map { line in
        let words = line.split(separator: " ")
        return (words.first == "SAFE", words.count == 3 ? Int(words[1]) ?? 0 : 0)
      }
      let times = lines.compactMap { line -> (change: Int, time: Int)? in
        let words = line.split(separator: " ").compactMap { Int($0) }
        return words.count == 2 ? (words[0], words[1]) : nil
      }
      #expect(!lines.contains { $0.hasPrefix("REPORT") }, "\(lines.last ?? "")")
      let safe = max(found, numbers.dropLast().filter(\.0).map(\.1).max() ?? 0)
      let last = max(found, numbers.map(\.1).max() ?? 0)
      var options = PersistentStore.Options()
      options.level = level
      let store = try PersistentStore(directory: directory.path, options: options) {
        Issue.record("round \(round), seed \(seed): \($0)")
      }
      #expect(directory.strays == [], "round \(round)")
      let content = try PowerLossTests.content(of: store)
      try store.close()
      let least = max(safe, content.values.compactMap(PersistenceKillTests.number).max() ?? 0)
      let state = (least...(last + 12)).first {
        PersistenceKillTests.content(after: $0) == content
      }
      guard level != .fast else {
        // Buckets are written one by one: each is whole, and none is older than what was flushed.
        let old = PersistenceKillTests.content(after: safe)
        for (path, text) in content where text != old[path] {
          #expect(PersistenceKillTests.number(text) ?? 0 > safe, "round \(round): \(path)")
        }
        found = max(last, least)
        // The next writer begins with a state that is known.
        try settle(directory, level, found)
        continue
      }
      #expect(state != nil, "round \(round), seed \(seed): \(content), \(safe) to \(last)")
      guard let state else { return }
      // How old the oldest change was that is lost.
      if let end = times.last?.time, let lost = times.first(where: { $0.change > state })?.time {
        greatestLoss = max(greatestLoss, end - lost)
      }
      found = state
    }
    print(
      "write-persistent \(level): \(rounds) kills, \(found) changes, at most \(greatestLoss) ms lost, "
        + "seed \(seed)")
    #expect(found > 0)
  }

  /// Makes the store what it is after so many changes.
  private func settle(
    _ directory: TemporaryDirectory, _ level: PersistentStore.Level, _ count: Int
  ) throws {
    var options = PersistentStore.Options()
    options.level = level
    let store = try PersistentStore(directory: directory.path, options: options) {
      Issue.record("\($0)")
    }
    let expected = PersistenceKillTests.content(after: count)
    for path in try PowerLossTests.content(of: store).keys where expected[path] == nil {
      _ = try store.delete(reference("saved", path), if: nil)
    }
    for (path, text) in expected { try store.put(reference("saved", path), text) }
    try store.close()
  }

  /// The control: a writer in place leaves torn files, and these tests would find them.
  @Test func writersInPlaceLeaveTornFiles() throws {
    let directory = try TemporaryDirectory(isOnDisk: true)
    var generator = RandomNumbers(seed: 7)
    for _ in 0..<200 {
      let writer = try ChildProcess(["write-torn", directory.path])
      #expect(writer.waitForLine() == "READY")
      usleep(UInt32.random(in: 5_000...30_000, using: &generator))
      writer.kill()
      _ = writer.finish()
      let text = directory.text("torn") ?? ""
      let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
      if lines.count != 4 || lines[2] != "end \(lines[0].prefix { $0 != " " })" { return }
    }
    Issue.record("no torn file in 200 rounds")
  }
}
