internal import Tenon
internal import TenonLexer
internal import TenonRuntime

extension Shell {
  /// The variables that hold the last values, the latest first.
  private static let valueNames = ["_"] + (1...9).map { "_\($0)" }

  /// Whether the value of a statement is not what the statement is for.
  static func isSilent(
    _ value: Handle, _ statement: String, connectors: [String]
  ) -> Bool {
    // What is written to a stream of the system was seen already; a declaration is no question.
    if ["stdout ", "stderr ", "var ", "val "].contains(where: statement.hasPrefix) { return true }
    guard value.className == "UndefinedObject" else { return false }
    return ScannedText(statement.utf8, connectors: connectors).pieces.contains {
      $0.kind == .assignment || $0.kind == .connector
    }
  }

  /// A text as a script has it: with a full stop behind its last statement.
  private func statement(_ text: [UInt8]) -> String {
    let written = String(decoding: text, as: UTF8.self)
    let scanned = ScannedText(text, connectors: interpreter.connectorSpellings)
    guard let first = scanned.pieces.first, let last = scanned.pieces.last, last.kind != .period
    else { return written }
    let definitions = ["class", "extension", "connector", "filter", "protocol", "-", "+", "|"]
    let isDefinition = definitions.contains(scanned.text(of: first)) && last.kind == .closeBrace
    guard !isDefinition else { return written }
    return String(decoding: text[..<last.end], as: UTF8.self) + "."
      + String(decoding: text[last.end...], as: UTF8.self)
  }

  /// Shows a value and keeps it as '_'.
  func show(_ value: Handle) throws(ConsoleError) {
    keep(value)
    guard let prompt else { return }
    let text: String
    do throws(EvaluationError) {
      text = try interpreter.send("textOf:", to: prompt, value).string ?? "a \(value.className)"
    } catch {
      switch error {
      case .interrupted: tellInterrupt()
      case .script(let failure) where failure.exitStatus != nil: exitStatus = failure.exitStatus
      case .script, .syntax, .conversion, .limit:
        console.tell("the value is a \(value.className), which cannot be printed:")
        console.tell(error.description)
      }
      return
    }
    if !console.isAtLineStart { try console.write("\n") }
    // Ctrl-C since the line was typed is meant for what it shows, too.
    guard !Interrupts.isRequested else { return tellInterrupt() }
    do throws(ConsoleError) {
      try console.write(text + "\n", unlessInterruptedSince: 0)
    } catch {
      guard Interrupts.ending == nil, Interrupts.isRequested else { throw error }
      tellInterrupt()
    }
  }

  /// Keeps a value as '_', and those before it as '_1', '_2' and so on.
  func keep(_ value: Handle) {
    for (older, newer) in zip(Shell.valueNames, Shell.valueNames.dropFirst()).reversed() {
      if let value = interpreter[older] { interpreter[newer] = value }
    }
    interpreter[Shell.valueNames[0]] = value
  }

  /// Keeps a text that was evaluated, for ':save'.
  func note(_ text: [UInt8]) {
    guard let prompt else { return }
    let text = interpreter.value(statement(text))
    // What the program has made of the class is its own affair.
    _ = try? interpreter.send("note:", to: prompt, text)
  }
}
