import Foundation
import Testing

/// A dialogue with `tenon` at a terminal.
final class Session {
  let terminal: Child
  /// The process of `tenon` itself; the terminal's is the shell that looks after its state.
  private(set) var process: pid_t = 0

  /// What controls the terminal: it shows how `tenon` ended, and whether it has left the terminal
  /// as it was.
  private static let guardian = #"""
    trap : INT TERM HUP
    before=$(stty -g)
    /bin/sh -c 'echo "process $$."; exec "$0" "$@"' "$0" "$@"
    echo "status $?."
    test "$before" = "$(stty -g)" && echo "terminal restored."
    """#

  /// Starts a session and waits for its first prompt.
  init(
    _ arguments: [String] = [], in directory: Directory? = nil,
    environment: [String: String] = [:], rows: UInt16 = 24, columns: UInt16 = 80
  ) throws {
    var environment = environment
    // What is shown is compared with what was written, without colours.
    if environment["NO_COLOR"] == nil { environment["NO_COLOR"] = "1" }
    if let directory { environment["XDG_STATE_HOME"] = directory.path("state") }
    terminal = try Child.startAtTerminal(
      ["/bin/sh", "-c", Session.guardian, Command.path] + arguments, environment: environment,
      rows: rows, columns: columns)
    try terminal.expect("process ")
    process = try #require(pid_t(terminal.expectText(before: ".")))
    try terminal.expect("Ctrl-D leaves.\r\n")
  }

  /// Waits for the prompt, types a line, and waits for what must appear.
  func enter(
    _ line: String, _ answer: String? = nil, sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    try terminal.expect("tenon> ", sourceLocation: sourceLocation)
    try terminal.send(line + "\r")
    if let answer {
      // The line that was typed ends before it.
      try terminal.expect("\r\n\(answer)\r\n", sourceLocation: sourceLocation)
    }
  }

  /// Presses Ctrl-C.
  func interrupt() throws { try terminal.send("\u{3}") }

  /// Expects the prompt, leaves, and expects that all is well.
  func leave(sourceLocation: SourceLocation = #_sourceLocation) throws {
    try terminal.expect("tenon> ", sourceLocation: sourceLocation)
    try terminal.send("\u{4}")
    try expectEnd(sourceLocation: sourceLocation)
  }

  /// Expects that `tenon` ends.
  func expectEnd(
    status: Int = 0, sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    try terminal.expect("status \(status).", sourceLocation: sourceLocation)
    try terminal.expect("terminal restored.", sourceLocation: sourceLocation)
    #expect(terminal.waitForExit() == .status(0), sourceLocation: sourceLocation)
  }
}
