internal import CTenonPlatform
internal import Synchronization
internal import TenonAnalysis
package import TenonLexer
internal import TenonParser

/// Which thread is in an interpreter.
final class Occupancy: Sendable {
  private let thread = Atomic<UInt>(0)

  enum Entry {
    /// It was empty.
    case entered
    /// The same thread is in it already.
    case within
    /// Another thread is.
    case refused
  }

  @inline(__always)
  func enter() -> Entry {
    let own = UInt(tenon_thread_number())
    let (exchanged, occupant) = thread.compareExchange(
      expected: 0, desired: own, ordering: .acquiring)
    if exchanged { return .entered }
    return occupant == own ? .within : .refused
  }

  @inline(__always)
  func leave() { thread.store(0, ordering: .releasing) }
}

/// An unwinding that has come to Swift code of the host, and goes on behind it.
struct HeldUnwinding {
  let target: Value
  let value: Value
  let action: UnwindAction
  /// The call of Swift code that it has to get through.
  let depth: Int
}

extension Machine {
  /// Begins an evaluation for the host, unless it must not be now.
  ///
  /// It is refused while another thread evaluates something, in the end of an object that the collector
  /// frees, and in Swift code that the script has left already.
  func withHostEntry(_ body: () -> RunOutcome) -> RunOutcome {
    whileOccupied { withEntry(body) } ?? .interrupted
  }

  /// Does something as the only thread, unless nothing must be begun now.
  ///
  /// - Returns: What it answers, or why it was not begun.
  func whileOccupied(_ body: () -> RunOutcome?) -> RunOutcome? {
    let entry = host.occupancy.enter()
    if let refusal = refusal(of: entry) { return .failed(refusal) }
    defer { if entry == .entered { host.occupancy.leave() } }
    return body()
  }

  /// Why nothing must be begun by a thread that has entered the interpreter, or tried to; nil when it may.
  ///
  /// A thread that is refused has left.
  @inline(__always)
  func refusal(of entry: Occupancy.Entry) -> ScriptError? {
    if entry != .refused, !collector.isCollecting, nativeStack.held == nil { return nil }
    return whyRefused(entry)
  }

  private func whyRefused(_ entry: Occupancy.Entry) -> ScriptError {
    if entry == .entered { host.occupancy.leave() }
    if entry == .refused { return .refused("another thread is using the interpreter") }
    if collector.isCollecting { return .refused("the interpreter is collecting garbage") }
    return .refused("the script has left the Swift code that it called")
  }

  /// Does something that waits for others, unless something is being evaluated that does not wait at a
  /// prompt: what is due then would be done in the middle of that.
  package func whileIdle(_ body: () -> RunOutcome) -> RunOutcome {
    let outcome = whileOccupied {
      nativeStack.entryDepth == 0 || exceptions.debugger?.isPaused == true
        ? body() : .failed(.refused("the interpreter is evaluating something"))
    }
    return outcome ?? .interrupted
  }

  /// Has an evaluation that begins later stop at no statement.
  package func endStepping() { exceptions.debugger?.endStepping() }

  /// Lets stack traces of what the host begins lead to what has called it, if a script has.
  func anchorEntry() {
    if nativeStack.entryDepth == 1 { state.base = state.top }
  }

  /// The objects of scripts that stand for values of the host.
  var hostObjects: HostObjects { host.objects }

  /// Parses, checks and runs a script.
  ///
  /// - Parameters:
  ///   - source: The text.
  ///   - isPrompt: Whether unknown names are left to run time.
  ///   - isProgram: Whether results are printed, and filters and schemes run by themselves.
  ///   - willRun: Called when the text has been read and before anything of it runs.
  ///   - warn: Receives the warnings before the script runs.
  ///   - observer: Called after each statement that has a value, with the value and its place.
  /// - Returns: How it ended.
  package func execute(
    _ source: SourceText, isPrompt: Bool = false, isProgram: Bool = false,
    willRun: () -> Void = {}, warn: ([Diagnostic]) -> Void = { _ in },
    observer: ((Handle, SourceRange) -> Void)? = nil
  ) -> RunOutcome {
    // Whoever goes on has not stopped the program.
    session.isAbandoned = false
    let ended = whileOccupied {
      let outcome = run(
        source, isPrompt: isPrompt, isProgram: isProgram, willRun: willRun, warn: warn
      ) { value, range in
        observer?(handles.makeHandle(value), range)
      }
      return switch outcome {
      case .finished(let value): .finished(handles.makeHandle(value))
      case .rejected(let diagnostics, let isIncomplete):
        .rejected(diagnostics, isIncomplete: isIncomplete)
      case .failed(let error): .failed(error.published)
      case .interrupted: .interrupted
      }
    }
    return ended ?? .interrupted
  }

  /// How an evaluation has ended that the host has begun, and that has not come to its end.
  func endOfHostEntry() -> RunOutcome {
    switch endOfUnwinding() {
    case .finished(let value): .finished(handles.makeHandle(value))
    case .failed(let error): .failed(error.published)
    case .rejected, .interrupted: .interrupted
    }
  }

  /// Holds an unwinding within Swift code that a script has called, if it is aimed at that script: it goes
  /// on when the Swift code has ended.
  ///
  /// - Returns: What the Swift code is told; nil when the evaluation has ended by itself.
  func holdUnwinding() -> UncaughtError? {
    let target = state.unwindTarget
    guard nativeStack.hostDepth > 0, interruption == .none, nativeStack.held == nil,
      target != Machine.scriptTarget, target != topLevelTarget
    else { return nil }
    let value = state.takeUnwindValue()
    nativeStack.held = HeldUnwinding(
      target: target, value: value, action: exceptions.unwindAction,
      depth: nativeStack.hostDepth)
    exceptions.unwindAction = .deliver
    return UncaughtError(
      className: ErrorClass.error.rawValue,
      message: "the script leaves the Swift code that it has called", trace: StackTrace())
  }

  /// The error of the host that an exception stands for.
  func hostCause(of exception: ObjectRef) -> (any Error)? {
    guard classInfo(of: Value(exception)).inherits(from: kernelClass("HostError")) else {
      return nil
    }
    return hostObjects.box(of: exception[slot: HostErrorSlot.cause])?.content as? any Error
  }
}

extension ScriptError {
  /// The error of a value that does not cross.
  static func unfit(_ error: ConversionError) -> ScriptError {
    ScriptError(
      className: ErrorClass.invalidArgument.rawValue, message: error.description, trace: [])
  }

  /// The error of an evaluation that was not begun.
  static func refused(_ message: String) -> ScriptError {
    ScriptError(className: ErrorClass.notAvailable.rawValue, message: message, trace: [])
  }
}
