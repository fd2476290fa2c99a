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
  /// What the unwinding is aimed at that begins a statement anew.
  private var retryTarget: Value?

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
    var activations: [Activation] = []
    machine.visitSends(from: machine.state.base) { site, frame in
      activations.append(Activation(site, frame))
      return activations.count < StackTrace.limit
    }
    let paused = PausedEvaluation(
      machine, error.published, activations, isResumable: answer.isTrue)
    let ending = whilePaused { handler(paused) }
    switch ending {
    case .abort: return nil
    case .resume(let handle): return machine.resume(exception, with: handle.value)
    case .return(let handle, let index):
      guard activations.indices.contains(index) else { return nil }
      return machine.state.unwind(
        to: Value(markerFor: activations[index].frame.address), with: handle.value)
    case .retry:
      let target = Value(small: machine.makeToken())
      retryTarget = target
      return machine.state.unwind(to: target, with: .nil)
    }
  }

  /// Whether the evaluation is that of the prompt itself, and nothing is under way.
  private var mayPause: Bool {
    let machine = machine
    return machine.loop.coroutines.current == nil && machine.mayPause && machine.trackingDepth == 0
      && machine.graph.batchDepth == 0 && machine.nativeStack.openReserves == 0
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
      machine.roots.removeLast(machine.roots.count - root)
      machine.session.endedByReturn = endedByReturn
      machine.state.top = top
      machine.state.base = base
    }
    return body()
  }

  /// Ends the unwinding that begins a statement anew.
  ///
  /// - Returns: Whether that is what unwinds.
  func takeRetry() -> Bool {
    let machine = machine
    guard let retryTarget, machine.state.unwindTarget == retryTarget else { return false }
    self.retryTarget = nil
    machine.exceptions.unwindAction = .deliver
    _ = machine.state.takeUnwindValue()
    return true
  }
}
