import Foundation
import Testing

/// The command as users run it.
enum Command {
  /// The path of the `tenon` that was built with the tests.
  static let path: String = {
    // The test bundle is a program on Linux, and a folder with one in it elsewhere.
    var folder = Bundle.main.executableURL ?? URL(fileURLWithPath: CommandLine.arguments[0])
    for _ in 0..<5 {
      folder.deleteLastPathComponent()
      let candidate = folder.appendingPathComponent("tenon").path
      if FileManager.default.isExecutableFile(atPath: candidate) { return candidate }
    }
    return "tenon"
  }()

  /// What a run came to.
  struct Result {
    var status: Child.Exit
    var output: String
    var errors: String
  }

  /// Runs `tenon` to its end, with some bytes as its input.
  static func run(_ arguments: String..., input: String = "") throws -> Result {
    try run(arguments, input: Array(input.utf8))
  }

  static func run(_ arguments: [String], input: [UInt8]) throws -> Result {
    try Directory.withTemporary { directory in
      let stdin = try directory.write(input, to: "stdin")
      let errors = directory.path("errors")
      let child = try Child.start(
        ["/bin/sh", "-c", #"exec "$@" 2>"$0""#, errors, path] + arguments, stdin: stdin)
      let output = try child.readToEnd()
      return Result(
        status: child.waitForExit(), output: output,
        errors: String(decoding: try Data(contentsOf: URL(fileURLWithPath: errors)), as: UTF8.self))
    }
  }

  /// Runs a line of shell, in which `$0` is the command, `$1` and so on the arguments.
  static func shell(_ line: String, _ arguments: String...) throws -> (Child.Exit, String) {
    let child = try Child.start(["/bin/sh", "-c", line, path] + arguments, stdin: "/dev/null")
    let output = try child.readToEnd()
    return (child.waitForExit(), output)
  }
}

/// A directory that a test has to itself.
struct Directory {
  let root: URL

  static func withTemporary<Result>(_ body: (Directory) throws -> Result) throws -> Result {
    let root = FileManager.default.temporaryDirectory.appendingPathComponent(
      "tenon-tests-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: root, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: root) }
    return try body(Directory(root: root))
  }

  func path(_ name: String) -> String { root.appendingPathComponent(name).path }

  /// Writes a file and returns its path.
  @discardableResult
  func write(_ bytes: some Sequence<UInt8>, to name: String) throws -> String {
    let file = root.appendingPathComponent(name)
    try FileManager.default.createDirectory(
      at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
    try Data(bytes).write(to: file)
    return file.path
  }

  @discardableResult
  func write(_ text: String, to name: String) throws -> String { try write(text.utf8, to: name) }

  /// What every process is started with: nothing of the environment of whoever runs the tests, but what
  /// `scripts/mutate` tells the changed sources.
  static let environment = usual.merging(
    ProcessInfo.processInfo.environment.filter { $0.key.hasPrefix("TENON_MUTANT") }
  ) { $1 }

  private static let usual: [String: String] = [
    "PATH": ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin",
    "LD_LIBRARY_PATH": ProcessInfo.processInfo.environment["LD_LIBRARY_PATH"] ?? "",
    "HOME": "/nonexistent",
    "TERM": "xterm",
    // A crash is judged by its signal; a report of it would take half a minute.
    "SWIFT_BACKTRACE": "enable=no",
    // Where the tests are measured: a process may end anyhow, and what it writes counts for nothing.
    "LLVM_PROFILE_FILE": "/dev/null",
  ]
}
