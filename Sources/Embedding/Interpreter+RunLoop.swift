package import TenonLexer
package import TenonRuntime
public import TenonStoreKit
internal import TenonStores

// What a program has still to do when its last statement has run: timers, futures, hooks of objects
// that have been collected. All of it runs on the thread that uses the interpreter, and only when
// that thread calls one of these, or the program itself waits.

extension Interpreter {
  /// The system's clock, for an interpreter that may know the time.
  public static var systemClock: any TenonStoreKit::Clock { SystemClock() }

  /// The system's time zones, for an interpreter that may read them; which is that of the place
  /// follows from the process's environment as it is now.
  public static var systemTimeZones: any TimeZoneSource {
    SystemTimeZones(environment: EnvironmentStore())
  }

  /// Whether anything may still happen.
  public var isLive: Bool { machine.isLive }

  /// Nanoseconds until something is due: 0 when something can be done now, nil when only another
  /// thread can bring something.
  public var nanosecondsUntilDue: Int? { machine.nanosecondsUntilDue }

  /// What ends the sleep of the interpreter's thread; its descriptor becomes readable when another
  /// thread has something for the interpreter.
  public var wakeUp: WakeUp { machine.inbox.wakeUp }

  /// What delivers the changes of stores on the interpreter's thread, in the turns of its run loop; to
  /// be asked for on that thread.
  public var changeExecutor: any ChangeExecutor { machine.changeExecutor }

  /// Does what is due now, without waiting.
  ///
  /// An error that a block does not handle is written to the console's output for errors; the others
  /// go on.
  ///
  /// - Returns: How it ended: `failed` only for an `Exit`, which asks for the end of the program.
  public func runDue() -> Outcome {
    Outcome(machine.whileIdle { machine.runDue() })
  }

  /// Waits for what is due and does it, until nothing can come any more; what stores have put off is
  /// not waited for when nothing else is.
  ///
  /// - Returns: How it ended, as `runDue`.
  public func runLoop() -> Outcome {
    Outcome(machine.whileIdle { machine.runLoop() })
  }

  /// Has a prompt be asked how an evaluation goes on that an exception is about to end.
  ///
  /// Evaluations of timers and futures, within a turn of connections and within Swift code are not stopped,
  /// nor are any while steps or time are limited.
  package func debug(_ handler: @escaping (PausedEvaluation) -> PauseEnding) {
    Debugger.attach(to: machine, handler)
  }

  /// Has an evaluation that begins later stop at no statement.
  package func endStepping() { machine.endStepping() }

  /// Evaluates a text in a frame of an evaluation that is stopped.
  package func run(
    _ source: SourceText, in paused: PausedEvaluation, frame: Int, willRun: () -> Void,
    warn: ([Diagnostic]) -> Void, observer: (Handle, SourceRange) -> Void
  ) -> Outcome {
    Outcome(
      paused.evaluate(source, in: frame, willRun: willRun, warn: warn, observer: observer))
  }

  /// How many errors of timers and hooks were reported, after which the program went on.
  public var reportedErrors: Int { machine.reportedErrors }
}
