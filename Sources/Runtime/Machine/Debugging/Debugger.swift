internal import TenonLexer
internal import TenonParser

/// How an evaluation goes on that was stopped by an exception.
package enum PauseEnding {
  /// It ends with the error.
  case abort
  /// The message that has signalled the exception answers a value.
  case resume(Handle)
  /// The method, the block or the statement of a frame answers a value.
  case `return`(Handle, frame: Int)
  /// The statement of the script begins anew.
  case retry
  /// It goes on to another statement, and stops there.
  case step(StepMode)
}

/// Which statement an evaluation stops at next.
package enum StepMode {
  /// The next one, also of a method that is sent.
  case into
  /// The next one of the same frame, or of those around it.
  case over
  /// The next one of the frames around.
  case out
}

/// Stops an evaluation that an exception is about to end, so that a prompt can look at it before anything
/// unwinds, and say how it goes on.
///
/// A machine has one only where there is a prompt. Code is compiled then so that each activation of a
/// method, a block or a statement can be left with a value.
package final class Debugger {
  @safe private unowned(unsafe) let machine: Machine
  /// Asked how a stopped evaluation goes on; it may evaluate other things meanwhile.
  private let handler: (PausedEvaluation) -> PauseEnding
  /// Whether an evaluation is stopped: what is evaluated meanwhile fails as usual.
  private(set) var isPaused = false
  /// The statement at which it stopped last, if it is to stop at another one.
  private var stepping: (mode: StepMode, from: StepPlace)? {
    didSet { machine.exceptions.isStepping = stepping != nil }
  }

  private init(
    _ machine: Machine, _ handler: @escaping (PausedEvaluation) -> PauseEnding
  ) {
    self.machine = machine
    self.handler = handler
  }

  /// Gives a machine a debugger; what was compiled before cannot be left with a value.
  ///
  /// - Parameters:
  ///   - machine: The machine.
  ///   - handler: Asked how a stopped evaluation goes on; it may evaluate other things meanwhile.
  package static func attach(
    to machine: Machine, _ handler: @escaping (PausedEvaluation) -> PauseEnding
  ) {
    machine.exceptions.debugger = Debugger(machine, handler)
  }

  /// Stops at an exception that nobody handles, unless something is under way that others must not see
  /// half done, or the exception asks for the end of the program.
  ///
  /// - Returns: what the evaluation goes on with, mostly `unwind`; nil when the exception ends it.
  func pause(_ exception: ObjectRef, _ error: UncaughtError) -> Value? {
    let machine = machine
    guard !isPaused, error.exitStatus == nil, mayPause, machine.isActive(exception) else {
      return nil
    }
    let answer = machine.send(machine.selector("isResumable"), to: Value(exception))
    if answer.isUnwind { return answer }
    let activations = activations(from: machine.state.base)
    let paused = PausedEvaluation(
      machine, error.published, activations, isResumable: answer.isTrue)
    return follow(whilePaused { handler(paused) }, activations) {
      machine.resume(exception, with: $0)
    }
  }

  /// Goes on as somebody has said.
  ///
  /// - Returns: what the evaluation goes on with; nil when it ends.
  private func follow(
    _ ending: PauseEnding, _ activations: [Activation], resume: (Value) -> Value
  ) -> Value? {
    let machine = machine
    stepping = nil
    switch ending {
    case .abort: return nil
    case .resume(let handle): return resume(handle.value)
    case .return(let handle, let index):
      guard activations.indices.contains(index) else { return nil }
      return machine.state.unwind(
        to: Value(markerFor: activations[index].frame.address), with: handle.value)
    case .retry:
      let target = Value(small: machine.makeToken())
      machine.exceptions.retryTarget = target
      return machine.state.unwind(to: target, with: .nil)
    case .step(let mode):
      if let innermost = activations.first {
        stepping = (mode, StepPlace(innermost))
        machine.state.requestSafepoint()
      }
      return resume(.nil)
    }
  }

  private func activations(from frame: Frame) -> [Activation] {
    var activations: [Activation] = []
    machine.visitSends(from: frame) { site, frame in
      activations.append(Activation(site, frame))
      return activations.count < StackTrace.limit
    }
    return activations
  }

  // MARK: Steps

  /// Stops nowhere any more: what was evaluated has ended.
  package func endStepping() { stepping = nil }

  /// Stops if another statement has begun, at the message that is sent next.
  ///
  /// - Returns: `unwind` when the evaluation must not go on, else nil.
  func step() -> Value {
    let machine = machine
    guard let (mode, last) = stepping, !isPaused else { return .nil }
    machine.state.requestSafepoint()
    var innermost: Activation?
    machine.visitSends(from: machine.state.base) { site, frame in
      innermost = Activation(site, frame)
      return false
    }
    guard let innermost, mode.reaches(innermost.frame, from: last.frame), mayPause,
      StepPlace(innermost) != last
    else { return .nil }
    let activations = activations(from: machine.state.base)
    let paused = PausedEvaluation(machine, nil, activations, isResumable: true)
    let outcome = follow(whilePaused { handler(paused) }, activations) { _ in .nil }
    if let outcome { return outcome }
    machine.exceptions.uncaught = UncaughtError(
      className: "Halt", message: "given up", trace: machine.stackTrace())
    return machine.state.unwind(to: machine.topLevelTarget, with: .nil)
  }

  /// Whether the evaluation is that of the prompt itself, and nothing is under way.
  private var mayPause: Bool {
    let machine = machine
    return !machine.isInCoroutine && machine.mayPause && machine.trackingDepth == 0
      && machine.graph.connecting.batchDepth == 0 && machine.nativeStack.openReserves == 0
      && machine.nativeStack.hostDepth == 0 && machine.exceptions.runningCleanUps == 0
      && machine.interruption == .none && !machine.host.limits.isSet
  }

  private func whilePaused(_ body: () -> PauseEnding) -> PauseEnding {
    let machine = machine
    let (top, base) = (machine.state.top, machine.state.base)
    let endedByReturn = machine.session.endedByReturn
    let root = machine.roots.count
    isPaused = true
    // Where the stack ends for what is evaluated meanwhile: its errors tell of their own frames alone.
    top[0] = .nil
    machine.state.top = top.advanced(by: 1)
    machine.state.base = machine.state.top
    defer {
      isPaused = false
      machine.endInterruption()
      machine.dropRoots(to: root)
      machine.session.endedByReturn = endedByReturn
      machine.state.top = top
      machine.state.base = base
    }
    return body()
  }
}

extension StepMode {
  /// Whether a frame is one in which it stops, after one in which it has stopped.
  fileprivate func reaches(_ frame: Frame, from last: UInt) -> Bool {
    switch self {
    case .into: true
    case .over: frame.address <= last
    case .out: frame.address < last
    }
  }
}

/// A statement that is being evaluated: a statement of a method in a frame, and of those that it contains the
/// line.
private struct StepPlace: Equatable {
  let frame: UInt
  private let code: ObjectIdentifier
  private let statement: Int
  private let line: Int

  init(_ activation: Activation) {
    frame = activation.frame.address
    code = ObjectIdentifier(activation.code)
    let start = activation.site.range.start
    line = activation.code.source.location(of: start).line
    if case .method(let method) = activation.code.origin,
      case .definition(let definition, _) = method.origin
    {
      statement =
        definition.statements.firstIndex { $0.range.start <= start && start < $0.range.end } ?? -1
    } else {
      statement = -1
    }
  }
}
