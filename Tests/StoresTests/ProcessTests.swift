import Foundation
import TenonGrammarSupport
import TenonStoreKit
import TenonStores
import Testing

/// Processes that are killed, and processes that write at the same time.
@Suite struct ProcessTests {
  /// Rounds of killing; `TENON_TEST_KILLS` sets another number.
  static let rounds =
    ProcessInfo.processInfo.environment["TENON_TEST_KILLS"].flatMap(Int.init) ?? 40

  /// What the killed writers said, and what therefore has to be there.
  private struct History {
    /// The last number of each key that must not be lost.
    var acknowledged: [Int: Int] = [:]
    /// The number of each key that may or may not be there.
    var begun: [Int: Int] = [:]
    var highest = 0

    mutating func add(_ lines: [String]) {
      for line in lines {
        let words = line.split(separator: " ")
        guard words.count == 3, let key = Int(words[1]), let number = Int(words[2]) else {
          #expect(["READY"].contains(line), "\(line)")
          continue
        }
        highest = max(highest, number)
        if words[0] == "ACK" {
          acknowledged[key] = number
          begun[key] = nil
        } else {
          begun[key] = number
        }
      }
    }

    /// Checks the number found for a key; from now on it must not be lost either.
    mutating func check(_ key: Int, _ found: Int?) -> Bool {
      let isRight = found == acknowledged[key] || found != nil && found == begun[key]
      if let found { acknowledged[key] = found }
      begun[key] = nil
      return isRight
    }
  }

  private func kill(
    _ job: String, _ directory: String, check: (inout History, Int) throws -> Void
  ) throws {
    var history = History()
    let seed = testSeed()
    var generator = RandomNumbers(seed: seed)
    for round in 0..<ProcessTests.rounds {
      let writer = try ChildProcess([job, directory, "\(history.highest + 1)"])
      #expect(writer.waitForLine() == "READY")
      usleep(UInt32.random(in: 5_000...100_000, using: &generator))
      writer.kill()
      history.add(writer.finish().lines)
      try check(&history, round)
    }
    print("\(job): \(ProcessTests.rounds) kills, \(history.highest) writes, seed \(seed)")
    #expect(history.highest >= ProcessTests.rounds)
  }

  @Test func killedWritersLeaveWholeFiles() throws {
    let directory = try TemporaryDirectory(isOnDisk: true)
    var strays = 0
    try kill("write-files", directory.path) { history, round in
      // A store of its own, as the next program has.
      let store = FileStore(directory: directory.path)
      for key in 0..<4 {
        let found = try store.text(file("f\(key)")).map { number($0) }
        #expect(found != .some(nil), "round \(round): torn file")
        let isRight = history.check(key, found ?? nil)
        #expect(isRight, "round \(round): key \(key)")
      }
      // What was left by one writer is taken away by the next.
      #expect(directory.strays.count <= 1)
      strays += directory.strays.count
    }
    print("write-files: \(strays) temporary files were left and removed")
    let store = FileStore(directory: directory.path)
    try store.put(file("last"), "x")
    #expect(directory.tree.keys.sorted() == ["f0", "f1", "f2", "f3", "last"])
  }

  /// The number a whole file was written for; nil when it is not whole.
  private func number(_ text: String) -> Int? {
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
    let words = lines.first?.split(separator: " ") ?? []
    guard words.count == 2, lines.count == 4, lines[1].utf8.count == Int(words[1]),
      lines[2] == "end \(words[0])", lines[3].isEmpty
    else { return nil }
    return Int(words[0])
  }

  @Test func killedWritersLeaveWholeDefaults() throws {
    let directory = try TemporaryDirectory(isOnDisk: true)
    try kill("write-defaults", directory.path) { history, round in
      let store = try DefaultsStore(domain: "kill", directory: directory.path) {
        Issue.record("round \(round): \($0)")
      }
      for key in 0..<4 {
        let text = try store.text(defaults("group/k\(key)"))
        let found = text?.dropFirst("{\"n\": ".count).prefix { $0.isNumber }
        let isRight = history.check(key, found.flatMap { Int($0) })
        #expect(isRight, "round \(round): key \(key)")
      }
      // Killed early enough, the first writer has not even made the lock.
      let others = Set(directory.tree.keys).subtracting(["kill.json", "kill.lock"])
      #expect(others == [], "round \(round)")
    }
  }

  @Test func processesThatWriteAtTheSameTimeLoseNothing() throws {
    let directory = try TemporaryDirectory()
    let writers = try ["one", "two"].map {
      try ChildProcess(["write-own-keys", directory.path, $0])
    }
    let results = writers.map { $0.finish() }
    let store = try DefaultsStore(domain: "shared", directory: directory.path) {
      Issue.record("\($0)")
    }
    for name in ["one", "two"] {
      for key in 0..<10 {
        #expect(try store.text(defaults("\(name)/k\(key)")) == "\(140 + key)")
      }
    }
    // Of two who want to be the first, one is.
    let won = results.flatMap(\.lines)
    #expect(won.sorted() == (0..<30).map { "WON \($0 * 5)" }.sorted())
    #expect(results.map(\.status) == [0, 0])
    #expect(directory.tree.keys.sorted() == ["shared.json", "shared.lock"])
  }

  @Test func oneOfTwoProcessesCreatesAFile() throws {
    let directory = try TemporaryDirectory()
    let writers = try (0..<2).map { _ in try ChildProcess(["create-files", directory.path]) }
    let won = writers.map { $0.finish() }.flatMap(\.lines)
    #expect(won.sorted() == (0..<100).map { "WON \($0)" }.sorted())
    #expect(directory.strays == [])
  }
}
