internal import CTenonPlatform
internal import Synchronization

#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#elseif canImport(Darwin)
  internal import Darwin
#endif

/// Ends the sleep of an interpreter's thread: what clocks wait with, and other threads call.
///
/// It is a pipe, made when somebody first waits, so that a request to stop from a signal handler
/// can end the sleep as well: the handler writes a byte, and none is lost between a look at what
/// has come and the sleep that follows it.
public final class WakeUp: Sendable {
  /// The ends of the pipe.
  private struct Ends {
    let reading: Int32
    let writing: Int32
  }

  private let ends = Mutex<Ends?>(nil)
  /// How it reaches the interpreter.
  private struct Owner {
    /// Tells where a signal handler finds the pipe.
    let note: @Sendable (Int32?) -> Void
    let requestSafepoint: @Sendable () -> Void
  }

  /// The interpreter; nil once that is gone, and nothing of it may be touched any more.
  private let owner: Mutex<Owner?>

  /// Waits at most so long at once: a request whose byte a system without pipes could not deliver
  /// is noticed then.
  private static let longest = 1_000_000_000

  /// Creates what ends the sleep of an interpreter.
  ///
  /// Neither is called after `detach`, whatever other threads do.
  ///
  /// - Parameters:
  ///   - note: Gets the end of the pipe that a signal handler may write to, when there is one,
  ///     and nil when the interpreter is about to go.
  ///   - requestSafepoint: Has a program that runs look what has come.
  package init(
    notingDescriptor note: @escaping @Sendable (Int32?) -> Void,
    requestingSafepoint requestSafepoint: @escaping @Sendable () -> Void = {}
  ) {
    owner = Mutex(Owner(note: note, requestSafepoint: requestSafepoint))
  }

  /// The interpreter is about to go; others may still hold this.
  package func detach() {
    owner.withLock {
      $0?.note(nil)
      $0 = nil
    }
  }

  deinit {
    ends.withLock { ends in
      guard let ends else { return }
      close(ends.reading)
      close(ends.writing)
    }
  }

  /// What becomes readable when the thread is called: for whoever waits for more than the loop.
  ///
  /// To be asked for before looking what has come; nil when the system has no descriptor left.
  public var descriptor: Int32? {
    ends.withLock { ends in
      if let ends { return ends.reading }
      var pair: [Int32] = [-1, -1]
      guard unsafe pipe(&pair) == 0 else { return nil }
      for end in pair {
        _ = fcntl(end, F_SETFD, FD_CLOEXEC)
        _ = fcntl(end, F_SETFL, O_NONBLOCK)
      }
      ends = Ends(reading: pair[0], writing: pair[1])
      let writing = pair[1]
      owner.withLock { $0?.note(writing) }
      return pair[0]
    }
  }

  /// Calls for attention; any thread may.
  public func call() {
    ends.withLock { ends in
      guard let ends else { return }
      var byte: UInt8 = 1
      // A pipe that is full has called already.
      _ = unsafe write(ends.writing, &byte, 1)
    }
  }

  /// Calls for the attention of a program that runs, too; any thread may.
  ///
  /// It looks what has come at its next send or turn of a loop.
  package func callRunning() {
    owner.withLock { $0?.requestSafepoint() }
    call()
  }

  /// Sleeps until somebody calls for attention.
  ///
  /// - Parameter nanoseconds: How long at most. It may be less: a second as a rule.
  public func wait(nanoseconds: Int) {
    let time = min(max(nanoseconds, 0), WakeUp.longest)
    _ = tenon_wait_for_input(descriptor ?? -1, -1, Int64(time), nil)
    forgetCalls()
  }

  /// Takes back the calls that have come.
  public func forgetCalls() {
    ends.withLock { ends in
      guard let ends else { return }
      var bytes: (UInt64, UInt64) = (0, 0)
      while unsafe read(ends.reading, &bytes, 16) == 16 {}
    }
  }
}
