internal import Tenon
internal import TenonLexer
internal import TenonRuntime

/// An evaluation that an exception has stopped, and the frame that is looked at.
final class DebuggedEvaluation {
  let paused: PausedEvaluation
  let frames: [ScriptError.Entry]
  /// The number of the frame in which texts are evaluated, 0 for the innermost.
  var frame = 0
  /// How it is to go on; nil as long as it is looked at.
  var ending: PauseEnding?

  /// The class of what has stopped it.
  var className: String { paused.error?.className ?? "" }

  /// The line of the frame that is looked at, with a caret below its message.
  var shown: String {
    let entry = frames[frame]
    return entry.source.excerpt("in \(entry.method ?? "script")", entry.range)
  }

  init(_ paused: PausedEvaluation) {
    self.paused = paused
    frames = paused.frames
  }
}

/// The commands for an evaluation that is stopped.
enum DebuggerCommand: String {
  case up
  case down
  case `where`
  case locals
  case eval
  case resume
  case `return`
  case retry
  case abort
  case step
  case next
  case out
}

extension Shell {
  private static let hint =
    ":locals :up :down look around; :resume :return :retry go on; Ctrl-D gives up"

  /// Looks at an evaluation that an exception is about to end, until somebody says how it goes on.
  ///
  /// An error in what was typed itself, and in no method, is told and that is all: whoever has mistyped
  /// something types it again.
  func debug(_ paused: PausedEvaluation) -> PauseEnding {
    let error = paused.error
    let isWorthIt =
      error.map { error in
        runsFile || error.className == "Halt" || error.trace.contains { $0.method != nil }
      } ?? true
    guard isRunning, isWorthIt, !isLeaving, !isStarting, !paused.frames.isEmpty else {
      return .abort
    }
    pauseCount += 1
    let debugged = DebuggedEvaluation(paused)
    if let error {
      console.tell(error.rendered())
      console.tell(Shell.hint)
    } else {
      console.tell(debugged.shown)
    }
    let wasFile = runsFile
    self.debugged = debugged
    reader.prompt = .debugging
    nameVariables()
    while debugged.ending == nil {
      paused.settle()
      guard takeTurn() else {
        isLeaving = true
        break
      }
    }
    self.debugged = nil
    reader.prompt = .first
    names.frameNames = []
    runsFile = wasFile
    let ending = debugged.ending ?? .abort
    if case .abort = ending { hasToldError = true } else { hasToldError = false }
    return ending
  }

  /// Has the variables of the frame completed.
  private func nameVariables() {
    guard let debugged else { return }
    names.frameNames = debugged.paused.variables(of: debugged.frame).map(\.name)
  }

  // MARK: Commands

  /// Does what a command says about the evaluation that is stopped.
  ///
  /// - Returns: false when the session is over.
  func obey(_ command: DebuggerCommand, _ argument: String) throws(EvaluationError) -> Bool {
    guard let debugged else {
      console.tell("':\(command.rawValue)' is for an evaluation that an error has stopped")
      return true
    }
    do throws(ConsoleError) {
      switch command {
      case .up: try show(debugged.frame + 1, of: debugged)
      case .down: try show(debugged.frame - 1, of: debugged)
      case .where: try showFrames(of: debugged)
      case .locals: try showVariables(of: debugged)
      case .eval: try evaluate(Array(argument.utf8))
      case .resume: resume(debugged, argument)
      case .return: returnValue(debugged, argument)
      case .retry: debugged.ending = .retry
      case .abort: debugged.ending = .abort
      case .step: step(debugged, .into)
      case .next: step(debugged, .over)
      case .out: step(debugged, .out)
      }
    } catch {
      console.tell("tenon: \(error.message)")
    }
    return goesOn
  }

  private func show(_ frame: Int, of debugged: DebuggedEvaluation) throws(ConsoleError) {
    guard debugged.frames.indices.contains(frame) else {
      return console.tell("this is the \(frame < 0 ? "inner" : "outer")most frame")
    }
    debugged.frame = frame
    nameVariables()
    try console.write(debugged.shown + "\n")
  }

  private func showFrames(of debugged: DebuggedEvaluation) throws(ConsoleError) {
    for (index, entry) in debugged.frames.enumerated() {
      let place = entry.source.location(of: entry.range.start)
      let mark = index == debugged.frame ? "> " : "  "
      try console.write(
        "\(mark)\(entry.method ?? "script") (\(entry.source.name):\(place.line):\(place.column))\n")
    }
  }

  private func showVariables(of debugged: DebuggedEvaluation) throws(ConsoleError) {
    guard let prompt else { return }
    let receiver = debugged.paused.receiver(of: debugged.frame)
    let variables = debugged.paused.variables(of: debugged.frame)
    for (name, value) in [("self", receiver)] + variables {
      let line: String
      do throws(EvaluationError) {
        line =
          try interpreter.send("lineOf:at:", to: prompt, value, interpreter.value(name)).string
          ?? ""
      } catch {
        if case .interrupted = error { return tellInterrupt() }
        line = "\(name) = a \(value.className), which cannot be printed"
      }
      try console.write(line + "\n")
    }
  }

  private func resume(_ debugged: DebuggedEvaluation, _ argument: String) {
    guard debugged.paused.isResumable else {
      return console.tell(
        "\(debugged.className) is not resumable; ':return' has the method answer")
    }
    if let value = value(of: argument) { debugged.ending = .resume(value) }
  }

  private func step(_ debugged: DebuggedEvaluation, _ mode: StepMode) {
    guard debugged.paused.isResumable else {
      return console.tell(
        "\(debugged.className) is not resumable: there is no next statement")
    }
    debugged.ending = .step(mode)
  }

  private func returnValue(_ debugged: DebuggedEvaluation, _ argument: String) {
    guard debugged.paused.canReturn(from: debugged.frame) else {
      return console.tell("what is shown cannot be left with a value")
    }
    if let value = value(of: argument) {
      debugged.ending = .return(value, frame: debugged.frame)
    }
  }

  /// The value of an expression in the frame that is looked at, that of nil for none; nil when it has
  /// failed, which was told.
  func value(of argument: String) -> Handle? {
    guard !argument.isEmpty else { return interpreter.nil }
    let source = nextSource(Array(argument.utf8))
    guard case .finished(let value) = run(source, isTyped: true) else { return nil }
    return value
  }
}
