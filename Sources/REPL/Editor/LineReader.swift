internal import TenonRuntime

/// What a session reads texts from.
protocol LineReader: AnyObject {
  /// Shows a prompt and reads lines until they are a complete text.
  func readText(until isComplete: @escaping ([UInt8]) -> Bool) -> ReadText

  /// Keeps what was typed, so that it can be called back.
  func remember(_ text: [UInt8])

  /// What stands before the first line of a text.
  var prompt: Prompt { get set }

  /// What was typed in this session and in earlier ones, oldest first.
  var entries: [String] { get }
}

/// What stands before a line.
enum Prompt: String {
  case first = "tenon> "
  /// The line goes on with what is not complete yet.
  case further = "  ...> "
  /// An evaluation is stopped; as long as the first one.
  case debugging = "debug> "
}

/// What came of reading a text.
enum ReadText {
  /// The bytes without the end of the last line.
  case text([UInt8])
  /// Ctrl-C was pressed: what was typed is given up.
  case interrupted
  /// Ctrl-D was pressed, the terminal is gone, or the command is asked to end.
  case end
}

/// A text that grows line by line until it is complete.
///
/// Each look parses the whole text again. While a large one is being pasted, it has to grow by an
/// eighth before the next look: the sum stays in proportion to its size.
struct GrowingText {
  /// The size from which not every line is worth a look, in bytes.
  static let smallSize = 16 << 10

  private(set) var bytes: [UInt8] = []
  private var sizeSeen = 0

  /// Adds a line.
  mutating func add(_ line: [UInt8]) {
    if !bytes.isEmpty { bytes.append(UInt8(ascii: "\n")) }
    bytes += line
  }

  /// Whether the text is complete; false while more lines are there already and a look is not worth
  /// its time.
  mutating func isComplete(hasMore: Bool, _ look: ([UInt8]) -> Bool) -> Bool {
    let isWorthIt = bytes.count < GrowingText.smallSize || bytes.count - sizeSeen > bytes.count / 8
    guard isWorthIt || !hasMore else { return false }
    sizeSeen = bytes.count
    return look(bytes)
  }
}

/// Reads lines as the terminal gives them, with no more editing than it does itself: for a terminal
/// that cannot move its cursor, and when libedit is missing.
final class PlainLineReader: LineReader {
  private let console: TerminalConsole
  private let background: Background
  private(set) var entries: [String] = []
  var prompt = Prompt.first

  init(_ console: TerminalConsole, background: Background) {
    self.console = console
    self.background = background
  }

  func readText(until isComplete: @escaping ([UInt8]) -> Bool) -> ReadText {
    var text = GrowingText()
    var prompt = prompt
    while true {
      switch readLine(prompt) {
      case .text(let line):
        text.add(line)
        if text.isComplete(hasMore: console.hasInput, isComplete) { return .text(text.bytes) }
        prompt = .further
      case .interrupted: return .interrupted
      case .end:
        // In the middle of a text Ctrl-D gives up the text only.
        let isOver = Interrupts.ending != nil || background.exitStatus != nil
        guard !text.bytes.isEmpty, !isOver else { return .end }
        console.tell("")
        return .interrupted
      }
    }
  }

  private func readLine(_ prompt: Prompt) -> ReadText {
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
      return line.map { .text($0) } ?? .end
    } catch {
      console.tell("tenon: \(error.message)")
      return .end
    }
  }

  func remember(_ text: [UInt8]) { entries.append(String(decoding: text, as: UTF8.self)) }
}
