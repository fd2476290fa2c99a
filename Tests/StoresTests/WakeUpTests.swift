import Foundation
import Synchronization
import TenonStoreKit
import Testing

/// What ends the sleep of an interpreter's thread.
@Suite struct WakeUpTests {
  /// What a descriptor leads to; nil when it is closed.
  private func identity(_ descriptor: Int32) -> [UInt64]? {
    var status = stat()
    guard unsafe fstat(descriptor, &status) == 0 else { return nil }
    return [UInt64(status.st_dev), UInt64(status.st_ino)]
  }

  private func isReadable(_ descriptor: Int32) -> Bool {
    var request = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    return unsafe poll(&request, 1, 0) == 1
  }

  /// Both ends are closed; something else may have got their numbers since.
  @Test func thePipeGoesWithIt() throws {
    let noted = Mutex<[Int32?]>([])
    var wakeUp: WakeUp? = WakeUp { descriptor in noted.withLock { $0.append(descriptor) } }
    let ends = [
      try #require(wakeUp?.descriptor), try #require(noted.withLock { $0.first ?? nil }),
    ]
    let before = ends.map(identity)
    #expect(before.allSatisfy { $0 != nil })
    wakeUp?.detach()
    #expect(noted.withLock { $0.count } == 2 && noted.withLock { $0.last } == .some(nil))
    wakeUp = nil
    #expect(zip(ends.map(identity), before).allSatisfy { $0 != $1 })
  }

  /// Other threads may hold it longer than its interpreter lives, whose memory is gone then.
  @Test func anInterpreterThatIsGoneIsNotTouched() throws {
    let touched = Mutex(0)
    let wakeUp = WakeUp { _ in
      touched.withLock { $0 += 1 }
    } requestingSafepoint: {
      touched.withLock { $0 += 1 }
    }
    wakeUp.callRunning()
    #expect(touched.withLock { $0 } == 1)
    wakeUp.detach()
    #expect(touched.withLock { $0 } == 2)
    wakeUp.callRunning()
    #expect(wakeUp.descriptor != nil)
    #expect(touched.withLock { $0 } == 2)
  }

  @Test func callsAreForgottenTogether() throws {
    let wakeUp = WakeUp { _ in }
    // Nobody waits yet.
    wakeUp.call()
    let descriptor = try #require(wakeUp.descriptor)
    #expect(!isReadable(descriptor))
    for _ in 0..<100 { wakeUp.call() }
    #expect(isReadable(descriptor))
    wakeUp.forgetCalls()
    #expect(!isReadable(descriptor))
    wakeUp.call()
    wakeUp.wait(nanoseconds: .max)
    #expect(!isReadable(descriptor))
  }
}
