import Foundation
import Synchronization
import TenonStoreKit
import Testing

@testable import TenonStores

/// The threads that stores have of their own.
@Suite struct WorkerThreadTests {
  /// The signals among some usual ones that the calling thread takes.
  private static func takenSignals() -> [Int32] {
    var mask = sigset_t()
    unsafe pthread_sigmask(SIG_BLOCK, nil, &mask)
    return [SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE, SIGTSTP, SIGWINCH, SIGCHLD].filter {
      unsafe sigismember(&mask, $0) == 0
    }
  }

  /// Signals are for the threads of whoever is the program.
  @Test func noSignalComesToThem() {
    let before = WorkerThreadTests.takenSignals()
    let taken = Mutex<[Int32]?>(nil)
    let end = DispatchSemaphore(value: 0)
    let isStarted = WorkerThread.start {
      taken.withLock { $0 = WorkerThreadTests.takenSignals() }
      end.signal()
    }
    #expect(isStarted)
    end.wait()
    #expect(taken.withLock { $0 } == [])
    #expect(WorkerThreadTests.takenSignals() == before)
  }
}
