import Foundation
import TenonStoreKit
import TenonStores
import Testing

@testable import Tenon

/// Connections over everything that changes elsewhere.
///
/// Kinds of stores x ways to change a place x connectors x who has written last: what is done in a
/// cell of this table says `Laws/ConnectedLaw.st`.
@Suite struct ConnectedLawTests {
  private static let law = URL(filePath: #filePath).deletingLastPathComponent()
    .appending(path: "Laws/ConnectedLaw.st")

  private static let environment = ProcessInfo.processInfo.environment
  private static let isFullSize = environment["TENON_FULL_SCENARIOS"] != nil
  /// Which cells are chosen, where not all are tried.
  private static let seed = environment["TENON_TEST_SEED"].flatMap { UInt32($0) } ?? 20_260
  /// How many of each kind: more than 2,000 in all.
  private static let sample = 25

  /// What a kind of store prints about its cells, for a place at a path.
  private func run(_ kind: String, at path: String) throws -> [String] {
    let parts = path.split(separator: "/").map(String.init)
    // In memory where the system has such a directory: durable writes to disks take milliseconds.
    let memory = URL(filePath: "/dev/shm")
    let manager = FileManager.default
    let directory =
      (manager.isWritableFile(atPath: memory.path) ? memory : manager.temporaryDirectory)
      .appending(path: "tenon-connected-\(UUID().uuidString)")
    defer { try? manager.removeItem(at: directory) }
    try manager.createDirectory(at: directory, withIntermediateDirectories: true)
    let text = try String(contentsOf: Self.law, encoding: .utf8)
      .replacingOccurrences(of: "ROOT", with: directory.path)
      .replacingOccurrences(of: "PLACE", with: path)
      .replacingOccurrences(of: "PARENT", with: parts.dropLast().joined(separator: "/"))
      .replacingOccurrences(of: "LAST", with: parts.last ?? "")
    let usesSystem = ["file", "row", "defaults", "persistent"].contains { kind.hasPrefix($0) }
    return onThread(stackSize: 64 << 20) {
      let console = RecordingConsole()
      let interpreter =
        usesSystem
        ? Interpreter(console: console, clock: SystemClock())
        : Interpreter(console: console, clock: VirtualClock())
      let files = FileStore(directory: directory.path)
      interpreter.grant(files)
      interpreter.grantPersistence(in: files, usesThreads: false) { _ in }
      if let defaults = try? DefaultsStore(
        domain: "law", directory: directory.path, report: { _ in })
      {
        interpreter.mount(defaults, as: "defaults")
      }
      interpreter.mountRemoteStores()
      do {
        _ = try interpreter.evaluate(text)
        let sample = Self.isFullSize ? "nil" : "\(Self.sample)"
        _ = try interpreter.evaluate(
          "ConnectedTable new random: (Random seed: \(Self.seed)); sample: \(sample); run: '\(kind)'."
        )
      } catch {
        return console.lines + ["\(error)"]
      }
      return console.lines.filter { !$0.hasPrefix("stderr: ") }
    }
  }

  private static let kinds = [
    "memory", "relative", "relativeTwice", "mapping", "blocks", "json", "propertyLists", "text",
    "lines", "csv", "ndjson", "documents", "extension", "filter", "caching", "cachingTwice",
    "cachedJSON", "writeBehind", "fetchBehind", "sequential", "overlay", "merging", "switching",
    "initializing", "requiring", "readOnly", "retry", "timeout", "limit", "logging", "metrics",
    "observed", "calmChaos", "failing", "object", "dictionaryInObject", "ownStore", "ownScheme",
    "ownMapping",
    "row", "rowOfFile", "files", "filesAsJSON", "filesCached", "persistent", "defaults",
  ]

  /// Kinds of stores whose places are told of, each with some of its cells, or in full size with all.
  @Test(
    arguments: kinds.filter { name in
      guard let wanted = ProcessInfo.processInfo.environment["TENON_LAW_KINDS"] else { return true }
      return wanted.split(separator: ",").contains { name == $0 }
    }) func bothSidesAgreeOrTheStateSaysWhy(_ kind: String) throws
  {
    let lines = try run(kind, at: "d/a")
    #expect(lines.count == 1 && lines[0].hasSuffix(", 0 failed"), "seed \(Self.seed): \(lines)")
  }

  /// A dictionary has places under its keys only.
  @Test func entriesOfADictionary() throws {
    let lines = try run("dictionary", at: "a")
    #expect(lines.count == 1 && lines[0].hasSuffix(", 0 failed"), "seed \(Self.seed): \(lines)")
  }
}
