import Foundation
import Synchronization
import Tenon
import TenonLexer
import TenonRuntime
import TenonStores

/// One way of running a script.
struct ScriptRun {
  /// How the interpreter collects garbage.
  enum Collection {
    /// When it is worthwhile.
    case normal
    /// When it is worthwhile, while safepoints are counted.
    case counting
    /// At every n-th safepoint.
    case every(Int)
  }

  var collection = Collection.normal
  /// Bytes of the thread the script runs on.
  var stackSize = 256 << 20
  /// Seconds after which the script is stopped: only so that a hang ends.
  var patience = 300.0
  /// The most bytes the script may keep alive.
  var memoryLimit = 64 << 20
  /// Called with the interpreter before the script runs.
  var prepare: @Sendable (Interpreter) -> Void = { _ in }

  /// Runs a script and watches it.
  ///
  /// - Parameters:
  ///   - source: The text of the script.
  ///   - input: The lines of its input.
  ///   - isWanted: Whether the value of a statement is printed, given its number and last line.
  /// - Returns: What was seen.
  func observe(
    _ source: SourceText, input: [String] = [],
    isWanted: @escaping @Sendable (_ statement: Int, _ line: Int) -> Bool
  ) -> Observation {
    onThread(stackSize: stackSize) {
      let console = RecordingConsole(input: input)
      var options = Interpreter.Options()
      options.memoryLimit = memoryLimit
      switch collection {
      case .normal: break
      case .counting: options.collectEvery = .max
      case .every(let count): options.collectEvery = count
      }
      let interpreter = Interpreter(
        options, console: console, clock: VirtualClock(), timeZones: MadeTimeZones())
      prepare(interpreter)
      let watchdog = Watchdog(interpreter.interrupter, seconds: patience)
      defer { watchdog.stop() }
      var observation = observe(source, in: interpreter, isWanted: isWanted)
      observation.output = console.lines
      observation.safepoints = interpreter.safepointCount
      return observation
    }
  }

  /// Calls a function with a run whose interpreter has the stores of the command, over a directory
  /// of its own.
  ///
  /// The directory holds what only a file can have: bytes that are no text, and a directory.
  static func withStores<Result>(
    _ collection: Collection = .normal, _ body: (ScriptRun) throws -> Result
  ) rethrows -> Result {
    let directory = FileManager.default.temporaryDirectory
      .appending(path: "tenon-scripts-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: directory) }
    try? FileManager.default.createDirectory(
      at: directory.appending(path: "folder"), withIntermediateDirectories: true)
    try? Data([0x66, 0xFF, 0x66]).write(to: directory.appending(path: "bytes"))
    let path = directory.path
    return try body(ScriptRun(collection: collection, prepare: { mountStores(in: $0, path) }))
  }

  private static func mountStores(in interpreter: Interpreter, _ directory: String) {
    let environment = EnvironmentStore(["HOME": "/home/ada", "LANG": "C.UTF-8"])
    interpreter.mount(environment, as: "env")
    let files = FileStore(directory: directory)
    interpreter.grant(files)
    // Nothing is written beside the script, so that it sees the same each time.
    interpreter.grantPersistence(in: files, usesThreads: false) { _ in }
    let defaults = try? DefaultsStore(domain: "example", directory: directory) { _ in }
    if let defaults { interpreter.mount(defaults, as: "defaults") }
    interpreter.mountRemoteStores(environment: environment)
  }

  private func observe(
    _ source: SourceText, in interpreter: Interpreter, isWanted: @escaping (Int, Int) -> Bool
  ) -> Observation {
    var values: [Observation.Value] = []
    var complaints: [Observation.Complaint] = []
    var count = 0
    func complain(_ diagnostics: [Diagnostic]) {
      for diagnostic in diagnostics {
        complaints.append(
          Observation.Complaint(
            kind: diagnostic.severity == .error ? .syntaxError : .warning,
            line: source.location(of: diagnostic.range.start).line,
            text: diagnostic.message.escaped))
      }
    }
    var outcome = interpreter.run(source, warn: complain) { value, range in
      let line = source.location(of: max(range.start, range.end - 1)).line
      if isWanted(count, line) {
        let text = interpreter.printString(value).escaped
        values.append(Observation.Value(line: line, statement: count, text: text))
      }
      count += 1
    }
    // As the command does.
    if case .finished = outcome { outcome = interpreter.runLoop() }
    var observation = Observation(values: values)
    switch outcome {
    case .finished: break
    case .rejected(let diagnostics, _): complain(diagnostics)
    case .failed(let error):
      let place = error.trace.last { $0.source === source } == nil ? nil : error.trace.first
      let line = place.map { source.location(of: $0.range.start).line } ?? 0
      complaints.append(
        Observation.Complaint(kind: .error, line: line, text: error.message.escaped))
    case .interrupted: observation.wasInterrupted = true
    }
    observation.complaints = complaints
    return observation
  }
}

extension String {
  /// The text on one line: line ends and other control characters in the spelling of strings.
  var escaped: String {
    var result = ""
    for scalar in unicodeScalars {
      switch scalar {
      case "\n": result += "\\n"
      case "\r": result += "\\r"
      case "\t": result += "\\t"
      case _ where scalar.value < 0x20 || scalar.value == 0x7F:
        result += "\\u{\(String(scalar.value, radix: 16))}"
      default: result.unicodeScalars.append(scalar)
      }
    }
    return result
  }
}

// MARK: - Console

/// A console that keeps what is written and reads from lines.
final class RecordingConsole: Console {
  private var input: [String]
  private var output: [(channel: ConsoleChannel, bytes: [UInt8])] = []

  init(input: [String] = []) { self.input = input }

  func write(_ bytes: Span<UInt8>, to channel: ConsoleChannel) throws(ConsoleError) {
    let bytes = unsafe bytes.withUnsafeBufferPointer { unsafe Array($0) }
    if let last = output.last, last.channel == channel {
      output[output.count - 1].bytes += bytes
    } else {
      output.append((channel, bytes))
    }
  }

  func flush() throws(ConsoleError) {}

  func readLine(isInterrupted: () -> Bool) throws(ConsoleError) -> [UInt8]? {
    input.isEmpty ? nil : Array(input.removeFirst().utf8)
  }

  func readAll(limit: Int, isInterrupted: () -> Bool) throws(ConsoleError) -> [UInt8] {
    defer { input = [] }
    return input.flatMap { Array($0.utf8) + [UInt8(ascii: "\n")] }
  }

  /// What was written, line by line; those for errors begin with `stderr: `.
  var lines: [String] {
    var lines: [String] = []
    for part in output {
      var text = String(decoding: part.bytes, as: UTF8.self)
      if text.hasSuffix("\n") { text.unicodeScalars.removeLast() }
      let prefix = part.channel == .error ? "stderr: " : ""
      lines += text.unicodeScalars.split(separator: "\n", omittingEmptySubsequences: false).map {
        prefix + String($0).escaped
      }
    }
    return lines
  }
}

// MARK: - Threads

/// Runs something on a thread of its own, with as large a stack as it needs.
func onThread<Result: Sendable>(
  stackSize: Int, _ body: @escaping @Sendable () -> Result
) -> Result {
  let slot = ResultSlot<Result>()
  let done = DispatchSemaphore(value: 0)
  let thread = Thread {
    slot.result = body()
    done.signal()
  }
  thread.stackSize = stackSize
  thread.start()
  done.wait()
  guard let result = slot.result else { preconditionFailure("the thread left no result") }
  return result
}

/// Where a thread leaves its result; the semaphore orders the two accesses.
private final class ResultSlot<Result: Sendable>: @unchecked Sendable {
  var result: Result?
}

/// Stops a script that takes too long.
final class Watchdog: Sendable {
  private let interrupter: Mutex<Interrupter?>

  init(_ interrupter: Interrupter, seconds: Double) {
    self.interrupter = Mutex(interrupter)
    arm(seconds)
  }

  /// Again and again, as clean-up blocks may loop as well.
  private func arm(_ seconds: Double) {
    DispatchQueue.global().asyncAfter(deadline: .now() + seconds) { [weak self] in
      self?.interrupter.withLock { $0?.interrupt() }
      self?.arm(1)
    }
  }

  /// The interpreter is about to go.
  func stop() { interrupter.withLock { $0 = nil } }
}
