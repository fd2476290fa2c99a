import Foundation
import Testing

/// A dialogue with `tenon` at a terminal whose screen is looked at.
final class ScreenSession {
  let session: Session
  private(set) var screen: Screen
  /// Where the session keeps what was typed: nobody else's is suggested.
  private let state = FileManager.default.temporaryDirectory
    .appendingPathComponent("tenon-state-\(UUID().uuidString)").path

  init(
    in directory: Directory? = nil, environment: [String: String] = [:], rows: Int = 24,
    columns: Int = 80
  ) throws {
    screen = Screen(rows: rows, columns: columns)
    let colours = ["TERM": "xterm-256color", "NO_COLOR": "", "XDG_STATE_HOME": state]
    session = try Session(
      in: directory, environment: colours.merging(environment) { $1 }, rows: UInt16(rows),
      columns: UInt16(columns))
    // The greeting has been read, and the cursor stands behind it.
    try expect("tenon>")
  }

  deinit { try? FileManager.default.removeItem(atPath: state) }

  /// Presses keys.
  func type(_ keys: String) throws { try session.terminal.send(keys) }

  /// Types a line, and waits for what the screen ends with then.
  func enter(
    _ line: String, _ lines: String..., sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    try type(line + "\r")
    try expect(lines + ["tenon>"], sourceLocation: sourceLocation)
  }

  /// Waits until the screen ends with some lines.
  func expect(
    _ lines: String..., sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    try expect(lines, sourceLocation: sourceLocation)
  }

  private func expect(_ lines: [String], sourceLocation: SourceLocation) throws {
    try expectScreen("it ends with \(lines)", sourceLocation: sourceLocation) {
      $0.lines.suffix(lines.count).elementsEqual(lines)
    }
  }

  /// Waits until the screen is as it should be.
  func expectScreen(
    _ comment: String, sourceLocation: SourceLocation = #_sourceLocation,
    _ condition: (Screen) -> Bool
  ) throws {
    while !condition(screen) {
      guard let bytes = try session.terminal.take() else {
        Issue.record(
          "expected that \(comment); the screen is\n\(screen.lines.joined(separator: "\n"))",
          sourceLocation: sourceLocation)
        throw Child.EndOfPatience()
      }
      screen.feed(bytes)
    }
  }

  /// Types a text of one or more lines, and waits for the next prompt.
  func evaluate(_ lines: [String]) throws {
    let before = prompts
    for line in lines.dropLast() {
      try type(line + "\r")
      try expectScreen("another line begins behind '\(line)'") {
        $0.lines.last?.isEmpty == true && $0.lines.dropLast().last?.hasSuffix(line) == true
      }
    }
    try type((lines.last ?? "") + "\r")
    try expectScreen("'\(lines.joined(separator: " "))' is evaluated") { _ in
      ScreenSession.prompts.contains(screen.lines.last ?? "") && prompts > before
    }
  }

  /// The prompts of a session, and of one in which an evaluation is stopped.
  static let prompts = ["tenon>", "debug>"]

  private var prompts: Int {
    screen.lines.filter { line in
      ScreenSession.prompts.contains { line == $0 || line.hasPrefix($0 + " ") }
    }.count
  }

  /// Leaves with an empty line, and expects that the terminal is as it was.
  func leave(sourceLocation: SourceLocation = #_sourceLocation) throws {
    try type("\u{15}\u{4}")
    try session.expectEnd(sourceLocation: sourceLocation)
  }
}
