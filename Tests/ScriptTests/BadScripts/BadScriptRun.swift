import Foundation
import Tenon
import TenonLexer
import TenonRuntime

/// Runs scripts that are wrong, each in an interpreter of its own, and looks at what comes of them.
///
/// That is a value, located errors, or an exception with a place in the script. What is left, a trap,
/// ends the tests.
///
/// `BAD_SCRIPT_LOG=path` names a file that each script is written to before it is run: after a trap
/// it holds the culprit.
struct BadScriptRun {
  /// How many scripts a test runs, `BAD_SCRIPTS` from the environment or a hundred.
  static let count =
    ProcessInfo.processInfo.environment["BAD_SCRIPTS"].flatMap { Int($0) } ?? 100

  private static let log = ProcessInfo.processInfo.environment["BAD_SCRIPT_LOG"]

  /// The bytes of the native stack: that of a program's main thread, unless a test says otherwise.
  var stackSize = 8 << 20
  /// The most bytes a script may keep alive.
  var memoryLimit = 32 << 20
  /// Whether unknown names are left to run time, so that more of a script runs.
  var isPrompt = false
  /// A script that is run before, in the same interpreter.
  var preparation = ""
  /// Seconds after which a script is stopped: a damaged one may have become endless.
  var patience = 3.0

  /// What came of a number of scripts.
  struct Report: Sendable {
    /// What was wrong, each with its script; the first ten.
    var problems: [String] = []
    var finished = 0
    var failed = 0
    var rejected = 0
    var interrupted = 0
    /// What came of each script: `finished`, `interrupted` or its first error.
    var outcomes: [String] = []
  }

  /// Runs scripts one after the other.
  func report(_ scripts: [[UInt8]]) -> Report {
    onThread(stackSize: stackSize) {
      var report = Report()
      for script in scripts {
        if let problem = problem(script, &report) {
          let text = String(decoding: script.prefix(2_000), as: UTF8.self)
          report.problems.append("\(problem)\n\(text)")
        }
        if report.problems.count >= 10 { break }
      }
      return report
    }
  }

  func report(_ scripts: [String]) -> Report { report(scripts.map { Array($0.utf8) }) }

  /// Runs a script on the thread that calls; returns what was wrong.
  private func problem(_ script: [UInt8], _ report: inout Report) -> String? {
    if let log = BadScriptRun.log {
      try? Data(script).write(to: URL(filePath: log))
    }
    let source = SourceText(name: "bad.st", bytes: ContiguousArray(script))
    var options = Interpreter.Options()
    options.memoryLimit = memoryLimit
    let interpreter = Interpreter(options)
    if !preparation.isEmpty {
      guard case .finished = interpreter.run(SourceText(name: "preparation.st", preparation)) else {
        return "the preparation fails"
      }
    }
    let watchdog = Watchdog(interpreter.interrupter, seconds: patience)
    defer { watchdog.stop() }
    var warnings: [Diagnostic] = []
    let outcome = interpreter.run(source, isPrompt: isPrompt, warn: { warnings += $0 })
    if let problem = problem(warnings, in: source) { return problem }
    switch outcome {
    case .finished(let value):
      report.finished += 1
      report.outcomes.append("finished")
      // What a script answers may have any idea of how it is printed.
      _ = interpreter.printString(value)
      return nil
    case .interrupted:
      report.interrupted += 1
      report.outcomes.append("interrupted")
      return nil
    case .rejected(let diagnostics, _):
      report.rejected += 1
      report.outcomes.append(diagnostics.first?.message ?? "rejected")
      if !diagnostics.contains(where: { $0.severity == .error }) { return "rejected for nothing" }
      return problem(diagnostics, in: source)
    case .failed(let error):
      report.failed += 1
      report.outcomes.append(error.message)
      return problem(error, in: source)
    }
  }

  private func problem(_ diagnostics: [Diagnostic], in source: SourceText) -> String? {
    for diagnostic in diagnostics {
      if diagnostic.message.isEmpty { return "an error without a message" }
      guard isInside(diagnostic.range, source) else {
        return "'\(diagnostic.message)' stands at \(diagnostic.range), outside of the text"
      }
      if diagnostic.rendered(in: source).isEmpty { return "'\(diagnostic.message)' is not shown" }
    }
    return diagnostics.count > 20 ? "\(diagnostics.count) errors" : nil
  }

  private func problem(_ error: ScriptError, in source: SourceText) -> String? {
    if error.className.isEmpty { return "an exception of no class" }
    let places = error.trace.filter { $0.source === source }
    if places.isEmpty { return "'\(error.message)' has no place in the script" }
    for place in places where !isInside(place.range, source) {
      return "'\(error.message)' stands at \(place.range), outside of the text"
    }
    return error.rendered().isEmpty ? "'\(error.message)' is not shown" : nil
  }

  private func isInside(_ range: SourceRange, _ source: SourceText) -> Bool {
    range.start >= 0 && range.start <= range.end && Int(range.end) <= source.bytes.count
  }
}
