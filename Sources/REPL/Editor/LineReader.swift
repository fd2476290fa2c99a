internal import TenonRuntime

/// What a session reads lines from.
protocol LineReader: AnyObject {
  /// Shows a prompt and reads a line, which goes on with what was typed before.
  func readLine(prompt: Prompt, after text: [UInt8]) -> ReadLine

  /// Keeps what was typed, so that it can be called back.
  func remember(_ text: [UInt8])
}

/// What stands before a line.
enum Prompt: String {
  case first = "tenon> "
  /// The line goes on with what is not complete yet.
  case further = "  ...> "
}

/// What came of reading a line.
enum ReadLine {
  /// The bytes of the line without its end.
  case line([UInt8])
  /// Ctrl-C was pressed: the line is given up.
  case interrupted
  /// Ctrl-D was pressed, the terminal is gone, or the command is asked to end.
  case end
}

/// Reads lines as the terminal gives them, with no more editing than it does itself: for a terminal
/// that cannot move its cursor, and when libedit is missing.
final class PlainLineReader: LineReader {
  private let console: TerminalConsole

  private let background: Background

  init(_ console: TerminalConsole, background: Background) {
    self.console = console
    self.background = background
  }

  func readLine(prompt: Prompt, after text: [UInt8]) -> ReadLine {
    Interrupts.begin()
    console.background = background
    defer { console.background = nil }
    do throws(ConsoleError) {
      try console.write(prompt.rawValue)
      let line = try console.readLine { Interrupts.isRequested }
      if Interrupts.ending != nil || background.exitStatus != nil { return .end }
      if Interrupts.isRequested {
        console.dropInput()
        try console.write("\n")
        return .interrupted
      }
      return line.map { .line($0) } ?? .end
    } catch {
      console.tell("tenon: \(error.message)")
      return .end
    }
  }

  func remember(_ text: [UInt8]) {}
}
