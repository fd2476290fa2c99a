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

  /// Compiles a text as a block with parameters.
  ///
  /// - Returns: The block.
  package func compileBlock(_ source: SourceText, parameters: [String]) -> RunOutcome {
    var problems: [Diagnostic] = []
    var plan = ScriptPlan(machine: self, isPrompt: false)
    let outcome = plan.read(source, chain: []) { script in
      let block = BlockExpression(
        parameters: parameters.map { Name($0, SourceRange(0, 0)) }, implicitCount: 0,
        statements: script.statements, usesBraces: false, range: script.range)
      if script.signature != nil {
        problems.append(Diagnostic(.error, Wording.programSignature, script.range))
      }
      for statement in script.statements {
        switch statement {
        case .definition, .import:
          problems.append(Diagnostic(.error, Wording.programStatement, statement.range))
        default: break
        }
      }
      return Script(
        signature: nil, statements: [.expression(.block(block))], comments: script.comments,
        range: script.range)
    }
    for parameter in parameters where !Machine.isName(parameter) {
      problems.append(
        Diagnostic(.error, "'\(parameter)' is no name of a parameter", SourceRange(0, 0)))
    }
    switch outcome {
    case .rejected(let diagnostics, let isIncomplete):
      return .rejected(problems.isEmpty ? diagnostics : problems, isIncomplete: isIncomplete)
    case .script(let script):
      guard problems.isEmpty, let statement = script.statements.first else {
        return .rejected(problems, isIncomplete: false)
      }
      return withHostEntry {
        session.hyphenatedNames.formUnion(plan.hyphenatedNames)
        for name in plan.declared { _ = scriptCell(named: name) }
        for name in plan.classes { _ = classCell(named: name) }
        let environment = ScriptEnvironment(machine: self, allowsUnknownNames: false)
        let value = run(compile(statement, source: source, environment: environment))
        return value.isUnwind ? endOfHostEntry() : .finished(handles.makeHandle(value))
      }
    }
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
