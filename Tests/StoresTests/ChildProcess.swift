import Foundation

/// A process of the tests' helper, whose output is read line by line.
final class ChildProcess {
  private let process = Process()
  private let output = Pipe()
  private let input = Pipe()

  /// Starts the helper.
  ///
  /// - Parameters:
  ///   - arguments: The job and what it needs.
  ///   - prefix: A command that runs the rest, such as `unshare -m`.
  ///   - shell: What a shell does before it becomes the helper, such as `ulimit -f 8;`.
  /// - Throws: What starting a process throws.
  init(_ arguments: [String], prefix: [String] = [], shell: String = "") throws {
    let helper = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
      .deletingLastPathComponent().appendingPathComponent("TenonStoresTestHelper").path
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    // What a process that ends anyhow writes about its coverage would spoil that of the tests.
    process.arguments =
      ["LLVM_PROFILE_FILE=/dev/null"] + prefix
      + ["sh", "-c", shell + " exec \"$0\" \"$@\"", helper] + arguments
    process.standardOutput = output
    process.standardInput = input
    try process.run()
  }

  /// Reads up to and including the first line, so that the process is known to work.
  func waitForLine() -> String {
    var line: [UInt8] = []
    while let byte = try? output.fileHandleForReading.read(upToCount: 1)?.first {
      if byte == UInt8(ascii: "\n") { break }
      line.append(byte)
    }
    return String(decoding: line, as: UTF8.self)
  }

  /// Ends the process as nothing else can: it is not asked.
  func kill() { _ = Foundation.kill(process.processIdentifier, SIGKILL) }

  /// Lets the process know that nothing more is coming.
  func closeInput() { try? input.fileHandleForWriting.close() }

  /// The rest of the output, when the process has ended.
  func finish() -> (lines: [String], status: Int32) {
    let data = (try? output.fileHandleForReading.readToEnd()) ?? Data()
    process.waitUntilExit()
    let text = String(decoding: data, as: UTF8.self)
    return (text.split(separator: "\n").map(String.init), process.terminationStatus)
  }

  /// Runs a process to its end.
  static func run(
    _ arguments: [String], prefix: [String] = [], shell: String = ""
  ) throws -> (lines: [String], status: Int32) {
    try ChildProcess(arguments, prefix: prefix, shell: shell).finish()
  }
}
