internal import Tenon
internal import TenonRuntime

/// What the program does while a line is awaited: its timers and futures.
final class Background: IdleWork {
  private let interpreter: Interpreter
  /// Called before and after something is done: it may write.
  var willRun: () -> Void = {}
  var didRun: () -> Void = {}
  /// The status with which the program asked to end.
  private(set) var exitStatus: Int32?

  init(_ interpreter: Interpreter) { self.interpreter = interpreter }

  /// What becomes readable when another thread has something for the program; -1 for nothing.
  var descriptor: Int32 { interpreter.wakeUp.descriptor ?? -1 }

  /// Nanoseconds until something is due.
  var nanosecondsLeft: Int { interpreter.nanosecondsUntilDue ?? .max }

  var isDue: Bool { nanosecondsLeft == 0 }

  /// Takes back the calls of other threads: what they have brought makes it due.
  func forgetCalls() { interpreter.wakeUp.forgetCalls() }

  /// Does what is due.
  ///
  /// - Returns: Whether nothing has asked for the end of the program.
  @discardableResult
  func run() -> Bool {
    willRun()
    if case .failed(let error) = interpreter.runDue() { exitStatus = error.exitStatus }
    didRun()
    return exitStatus == nil
  }
}
