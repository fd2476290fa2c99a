import Foundation
import TenonLexer
import TenonStoreKit
import Testing

@testable import Tenon
@testable import TenonRuntime

/// The run loop as the program around it sees it.
@Suite struct RunLoopTests {
  private let clock = VirtualClock()
  private let console = RecordingConsole()

  private func makeInterpreter() -> Interpreter {
    Interpreter(console: console, clock: clock, timeZones: MadeTimeZones())
  }

  // MARK: What is granted

  /// An interpreter that was given nothing has no present, no timers, and no zones but UTC.
  @Test func nothingIsGranted() throws {
    let interpreter = Interpreter()
    for text in [
      "DateTime now", "Date today", "[ ] timeToRun", "[ ] after: 1 second", "[ ] every: 1 second",
      "1 second wait", "TimeZone named: 'Europe/Berlin'",
    ] {
      let answer = try interpreter.evaluate(
        "[ \(text) ] on: NotAvailable do: [ :e | e messageText ]")
      #expect(answer.string?.hasPrefix("the interpreter has no ") == true, "\(text)")
    }
    #expect(
      try interpreter.evaluate("'2026-11-21T18:42' asDateTime printString").string
        == "2026-11-21T18:42:00Z")
    #expect(try interpreter.evaluate("[ 3 + 4 ] future value").integer == 7)
  }

  /// What is no name never reaches the source of the zones; a name is asked for once.
  @Test func zonesAreAskedForOnce() throws {
    let zones = MadeTimeZones(localZone: nil)
    let interpreter = Interpreter(clock: clock, timeZones: zones)
    _ = try interpreter.evaluate(
      """
      #('../Europe/Berlin' 'a b' 'Europe\\Berlin' '/x') do: [ :each |
        [ TimeZone named: each ] on: Error do: [ :e | nil ] ].
      2 timesRepeat: [ DateTime now inZone: 'Europe/Berlin' ]
      """)
    #expect(zones.asked == ["Europe/Berlin"])
  }

  @Test(arguments: [
    ("CET-1CEST,M3.5.0,M10.5.0/3", "+02:00"), ("America/New_York", "-04:00"), ("Nowhere", "Z"),
    ("../../etc/passwd", "Z"), ("Damaged/Text", "Z"), ("EST5EDT", "Z"), ("UTC", "Z"),
  ]) func theZoneOfThePlace(_ zone: String, _ offset: String) throws {
    let interpreter = Interpreter(clock: clock, timeZones: MadeTimeZones(localZone: zone))
    let text = try interpreter.evaluate("(DateTime year: 2026 month: 7 day: 1) printString")
    #expect(text.string == "2026-07-01T00:00:00" + offset)
  }

  // MARK: Driving the loop

  @Test func theHostRunsTheLoop() throws {
    let interpreter = makeInterpreter()
    #expect(!interpreter.isLive)
    #expect(interpreter.nanosecondsUntilDue == nil)
    _ = try interpreter.evaluate("count := 0. [ count := count + 1 ] after: 2 seconds")
    #expect(interpreter.isLive)
    #expect(interpreter.nanosecondsUntilDue == 2_000_000_000)
    _ = interpreter.runDue()
    #expect(interpreter["count"]?.integer == 0)
    clock.wait(until: clock.monotonicTime + 2_000_000_000, or: interpreter.wakeUp)
    #expect(interpreter.nanosecondsUntilDue == 0)
    _ = interpreter.runDue()
    #expect(interpreter["count"]?.integer == 1)
    #expect(!interpreter.isLive)
    _ = try interpreter.evaluate("[ count := count + 1 ] future")
    #expect(interpreter.nanosecondsUntilDue == 0)
  }

  /// What has been taken is given back, although there is always one that waits.
  @Test func blocksThatScheduleThemselvesTakeNoMoreRoom() throws {
    let interpreter = makeInterpreter()
    _ = try interpreter.evaluate(
      """
      count := 0. order := OrderedCollection new.
      again := [ :number |
        count := count + 1.
        count <= 6 ifTrue: [ order add: number ].
        count < 5000 ifTrue: [ RunLoop schedule: [ again value: number ] ] ].
      1 to: 3 do: [ :number | RunLoop schedule: [ again value: number ] ]
      """)
    var most = 0
    while interpreter.isLive {
      _ = interpreter.runDue()
      most = max(most, interpreter.machine.loop.tasks.count)
    }
    #expect(interpreter["count"]?.integer == 5002)
    #expect(try interpreter.evaluate("order asArray printString").string == "#(1 2 3 1 2 3)")
    #expect(most < 200)
  }

  @Test func theLoopEndsWhenNothingIsLive() throws {
    let interpreter = makeInterpreter()
    _ = try interpreter.evaluate(
      """
      count := 0.
      timer := [ count := count + 1. count = 5 ifTrue: [ timer stop ] ] every: 1 hour
      """)
    guard case .finished = interpreter.runLoop() else { return _ = Issue.record("not finished") }
    #expect(interpreter["count"]?.integer == 5)
    #expect(clock.monotonicTime == 5 * 3_600_000_000_000 + 1_000_000_000)
    // It sleeps from one time to the next and does not poll.
    #expect(clock.waitCount == 5)
  }

  @Test func errorsAreReported() throws {
    let interpreter = makeInterpreter()
    _ = try interpreter.evaluate(
      """
      [ nil foo ] after: 1 second.
      [ [ Array new: 3 ] value at: 4 ] after: 2 seconds.
      [ stdout println: 'last' ] after: 3 seconds
      """, name: "timers.st")
    guard case .finished = interpreter.runLoop() else { return _ = Issue.record("not finished") }
    #expect(interpreter.reportedErrors == 2)
    #expect(
      console.lines.filter { !$0.contains("^") && !$0.contains("[") } == [
        "stderr: timers.st:1:7: error in a timer: nil does not understand 'foo'",
        "stderr: timers.st:2:26: error in a timer: index 4 is out of bounds: 1 to 3", "last",
      ])
  }

  @Test func anExitEndsTheLoop() throws {
    let interpreter = makeInterpreter()
    _ = try interpreter.evaluate("[ Exit status: 3 ] after: 1 second. [ nil foo ] after: 2 seconds")
    guard case .failed(let error) = interpreter.runLoop() else {
      return _ = Issue.record("not ended")
    }
    #expect(error.exitStatus == 3)
    #expect(interpreter.isLive)
  }

  // MARK: Other threads

  /// What is posted is done on the interpreter's thread, and a source keeps the loop going for it.
  @Test func postingFromAnotherThread() throws {
    /// Used by the interpreter's thread only: what is posted runs there.
    final class Source: LiveSource, @unchecked Sendable {
      var isLive = true
    }
    let result: Int = onThread(stackSize: 8 << 20) {
      let interpreter = Interpreter()
      let source = Source()
      interpreter.machine.add(source)
      interpreter["count"] = interpreter.value(0)
      let inbox = interpreter.machine.inbox
      let thread = Thread {
        for _ in 0..<1000 {
          inbox.post { machine in
            let count = machine.variable("count")?.integer ?? 0
            _ = machine.setVariable("count", to: machine.makeHandle(count + 1))
          }
        }
        inbox.post { _ in source.isLive = false }
      }
      thread.start()
      _ = interpreter.runLoop()
      return interpreter["count"]?.integer ?? -1
    }
    #expect(result == 1000)
  }

  /// What sleeps until the descriptor is readable is woken by everything that is posted.
  @Test func postingMakesTheDescriptorReadable() throws {
    func isReadable(_ descriptor: Int32) -> Bool {
      var request = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
      return unsafe poll(&request, 1, 0) == 1
    }
    let interpreter = makeInterpreter()
    let descriptor = try #require(interpreter.wakeUp.descriptor)
    #expect(!isReadable(descriptor))
    interpreter.machine.inbox.post { _ in }
    #expect(isReadable(descriptor))
    interpreter.wakeUp.forgetCalls()
    #expect(!isReadable(descriptor))
    let queue = ChangeQueue(on: interpreter.changeExecutor) { _ in }
    queue.post(Change(.put, try Reference(scheme: "s", components: ["a"])))
    #expect(isReadable(descriptor))
  }

  /// A request to stop ends a sleep that would never end.
  @Test func interruptingASleep() {
    let outcome: String = onThread(stackSize: 8 << 20) {
      final class Source: LiveSource {
        let isLive = true
      }
      let interpreter = Interpreter()
      interpreter.machine.add(Source())
      let interrupter = interpreter.interrupter
      // Whether it comes before the sleep or in it is all the same.
      let thread = Thread { interrupter.interrupt() }
      thread.start()
      if case .interrupted = interpreter.runLoop() { return "interrupted" }
      return "went on"
    }
    #expect(outcome == "interrupted")
  }

  // MARK: Memory

  /// Timers that were stopped leave nothing behind, and those that run count as memory.
  @Test func timersAreFreed() throws {
    var options = Interpreter.Options()
    options.memoryLimit = 8 << 20
    let interpreter = Interpreter(options, clock: clock)
    _ = try interpreter.evaluate(
      "1 to: 200000 do: [ :i | ([ i ] after: 1 day) stop ]. Smalltalk garbageCollect")
    #expect(interpreter.machine.loop.timers.isEmpty)
    // Symbols that the script has brought are all that is left.
    #expect(interpreter.machine.heap.outsideBytes < 1 << 20)
    let error = try interpreter.evaluate(
      "[ [ true ] whileTrue: [ [ 1 ] after: 1 day ] ] on: OutOfMemory do: [ :e | e class name ]")
    #expect(error.string == "OutOfMemory")
  }

  /// The tables of weak references and hooks shrink with what they are about.
  @Test func weakReferencesAreFreed() throws {
    let interpreter = makeInterpreter()
    _ = try interpreter.evaluate(
      """
      count := 0.
      1 to: 10000 do: [ :i | WeakReference on: Object new. Object new onFinalize: [ count := count + 1 ] ].
      3 timesRepeat: [ [ Smalltalk garbageCollect ] value ].
      nil
      """)
    // A last object may still stand in a slot of the value stack.
    _ = try interpreter.evaluate("Smalltalk garbageCollect. nil. nil")
    _ = interpreter.runLoop()
    #expect(interpreter.machine.collector.weakTargets.count <= 1)
    #expect(interpreter["count"]?.integer ?? 0 >= 9999)
    #expect(interpreter.machine.collector.finalizers.count <= 1)
    #expect(interpreter.machine.heap.outsideBytes < 10_000 * Machine.bytesPerWeakReference)
  }

  /// Who reads a weak reference while a collection goes on in slices keeps what was read.
  @Test func readingWhileMarking() throws {
    let interpreter = makeInterpreter()
    let machine = interpreter.machine
    _ = try interpreter.evaluate(
      """
      class Cell { var content. }
      holder := Cell new.
      kept := Array new: 1.
      weak := [ | c | c := Cell new. c content: 42. holder content: c. WeakReference on: c ] value.
      Smalltalk garbageCollect
      """)
    machine.heap.budget = .max / 4
    machine.withEntry { machine.beginSlices(work: 1) }
    machine.withEntry { machine.markSlice(work: 1) }
    // Everything is marked but the end: the cell moves to where the collector has been.
    machine.heap.mark(Value(machine.scriptCell(named: "kept")))
    machine.withEntry { _ = machine.heap.drain(work: .max) }
    _ = try interpreter.evaluate("holder content: nil. kept[1] := weak value. nil")
    while machine.heap.isMarking { machine.withEntry { machine.markSlice(work: .max) } }
    #expect(try interpreter.evaluate("kept[1] content").integer == 42)
    #expect(try interpreter.evaluate("weak value == kept[1]").boolean == true)
  }

  /// The same with collections at every safepoint, some at once and some in slices, each of which
  /// the interpreter checks.
  @Test func weakReferencesUnderStress() throws {
    var options = Interpreter.Options()
    options.collectEvery = 1
    let interpreter = Interpreter(options, clock: clock)
    let found = try interpreter.evaluate(
      """
      class Cell { var content. }
      keep := OrderedCollection new.
      weak := OrderedCollection new.
      1 to: 300 do: [ :i |
        | cell |
        cell := Cell new content: i; yourself.
        i \\\\ 3 = 0 ifTrue: [ keep add: cell ].
        weak add: (WeakReference on: cell) ].
      (weak select: [ :each | each value notNil and: [ each value content \\\\ 3 = 0 ] ]) size
      """)
    #expect(found.integer == 100)
  }
}
