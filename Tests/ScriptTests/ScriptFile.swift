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

  /// All files, the listings of the paper and some examples, or those whose path contains one of
  /// the texts, with commas between them, of `SCRIPTS` from the environment.
  static let all =
    files(in: scripts, below: "") + files(in: examples, below: "paper/") + annotatedExamples

  /// Examples that say themselves what they do.
  private static let annotatedExamples = ["units.st", "search.st", "bisection.st", "relaxation.st"]
    .flatMap {
      files(in: examples, below: $0)
    }

  private static func files(in folder: URL, below path: String) -> [ScriptFile] {
    let wanted = (ProcessInfo.processInfo.environment["SCRIPTS"] ?? "").split(separator: ",")
    let files = FileManager.default.enumerator(atPath: folder.path)?.compactMap { $0 as? String }
    return (files ?? []).filter { file in
      file.hasPrefix(path) && file.hasSuffix(".st")
        && (wanted.isEmpty || wanted.contains { file.contains($0) })
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
