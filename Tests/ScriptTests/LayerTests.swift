import Foundation
import Testing

/// The root of the package, above this file.
private let root = URL(fileURLWithPath: #filePath)
  .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

/// The exit status of a command at the root of the package, and what it prints.
private func run(_ words: [String]) throws -> (status: Int32, output: String) {
  let process = Process()
  process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
  process.arguments = words
  process.currentDirectoryURL = root
  let output = Pipe()
  process.standardOutput = output
  process.standardError = output
  try process.run()
  let data = output.fileHandleForReading.readDataToEndOfFile()
  process.waitUntilExit()
  return (process.terminationStatus, String(decoding: data, as: UTF8.self))
}

/// Whether `python3` runs here.
private let hasPython = (try? run(["python3", "--version"]))?.status == 0

/// How the folders of the sources depend on each other, as `scripts/check-layers` measures it.
@Suite(.enabled(if: hasPython, "python3 is not installed, which scripts/check-layers needs"))
struct LayerTests {
  /// Nothing that the script counts is above its ceiling in `scripts/layers.ceilings`.
  @Test func nothingIsAboveItsCeiling() throws {
    let (status, output) = try run(["python3", "scripts/check-layers", "--quiet"])
    let breaches = output.split(separator: "\n").filter { !$0.hasPrefix("can be lowered: ") }
    #expect(status == 0 && breaches.isEmpty, "\(breaches.joined(separator: "\n"))")
  }

  /// Files of stores that have locks build with those that the thread sanitizer sees as well, which are
  /// those of the kit.
  @Test func locksCanBeSeen() throws {
    var count = 0
    for folder in ["Sources/Stores", "Tests/StoresTests"] {
      let folder = root.appending(path: folder)
      let files = try #require(FileManager.default.enumerator(atPath: folder.path))
      for case let file as String in files where file.hasSuffix(".swift") {
        let text = try String(contentsOf: folder.appending(path: file), encoding: .utf8)
        guard text.contains("Mutex") else { continue }
        count += 1
        #expect(text.contains("import TenonStoreKit\n"), "\(file)")
      }
    }
    #expect(count > 5)
  }

  /// The script counts what it says, in sources that are made up for it.
  @Test func scriptCountsMadeUpSources() throws {
    let (status, output) = try run(["python3", "Tests/ScriptTests/check_layers_tests.py"])
    #expect(status == 0, "\(output)")
  }
}
