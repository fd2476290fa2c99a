import Foundation
import TenonLexer
import TenonParser
import Testing

/// A file of `Scripts`.
struct ScriptFile: Sendable, CustomTestStringConvertible {
  let path: String

  var testDescription: String { path }

  /// The folder that the path begins in.
  var folder = ScriptFile.scripts

  static let scripts = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .appending(path: "Scripts")
  static let examples = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent().appending(path: "examples")

  /// All files, and the listings of the paper, or those whose path contains `SCRIPTS` from the environment.
  static let all = files(in: scripts, below: "") + files(in: examples, below: "paper/")

  private static func files(in folder: URL, below path: String) -> [ScriptFile] {
    let wanted = ProcessInfo.processInfo.environment["SCRIPTS"] ?? ""
    let files = FileManager.default.enumerator(atPath: folder.path)?.compactMap { $0 as? String }
    return (files ?? []).filter {
      $0.hasPrefix(path) && $0.hasSuffix(".st") && (wanted.isEmpty || $0.contains(wanted))
    }.sorted().map { ScriptFile(path: $0, folder: folder) }
  }

  var url: URL { folder.appending(path: path) }

  func text() throws -> String { try String(contentsOf: url, encoding: .utf8) }
}

/// The seed of everything random: `TENON_TEST_SEED`, or always the same.
let testSeed: UInt64 = {
  let seed = ProcessInfo.processInfo.environment["TENON_TEST_SEED"].flatMap { UInt64($0) } ?? 20_260
  print("seed of the random choices: TENON_TEST_SEED=\(seed)")
  return seed
}()

/// The same random numbers in every run.
///
/// Algorithm: Steele, Lea and Flood, "Fast splittable pseudorandom number generators", 2014.
struct SplitMix64: RandomNumberGenerator {
  private var state: UInt64

  init(seed: UInt64) { state = seed }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var z = state
    z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
    z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
    return z ^ (z >> 31)
  }
}
