import Foundation
import Synchronization
import TenonLexer
import TenonStores
import Testing

@testable import Tenon
@testable import TenonRuntime
@testable import TenonStoreKit

/// Stores whose verbs take time: what waits for them, and what goes on meanwhile.
///
/// Nothing here depends on
/// how long something takes: a verb answers when something else has happened, and fails after ten seconds,
/// which only a program that holds everything up would need.
@Suite struct WaitingStoreTests {
  /// A store whose places answer when they may: `open` once somebody has written `gate`, `many` once
  /// several are asked for it at a time, `stuck` when nobody waits any more.
  private final class Slow: Store {
    let capabilities = StoreCapabilities(
      [.get, .put, .delete], durability: .none, isExternal: true)
    let threads = VerbThreads(width: 16)
    let feed: ChangeFeed?
    var executor: (any VerbExecutor)? { threads }

    struct State {
      var texts: [String: String] = [:]
      var puts: [String] = []
      var asking = 0
      var wasMany = false
      var cancelled = 0
      var gets = 0
    }

    let state = Mutex(State())

    /// Whether it tells what changes: one that does not answers at `count` how often it was asked there.
    init(tells: Bool) { feed = tells ? ChangeFeed() : nil }

    private func wait(_ reference: Reference, until condition: () -> Bool) throws(StoreError) {
      for _ in 0..<10_000 {
        if condition() { return }
        Thread.sleep(forTimeInterval: 0.001)
      }
      throw StoreError(.timeout, reference, "nobody has gone on")
    }

    func get(
      _ reference: Reference, if condition: Precondition?
    ) throws(StoreError) -> GetOutcome {
      let name = reference.components.joined(separator: "/")
      state.withLock { $0.gets += 1 }
      switch name {
      case "open": try wait(reference) { state.withLock { $0.texts["gate"] != nil } }
      case "many":
        state.withLock { $0.asking += 1 }
        defer { state.withLock { $0.asking -= 1 } }
        try wait(reference) {
          state.withLock { state in
            if state.asking >= 10 { state.wasMany = true }
            return state.wasMany
          }
        }
      case "stuck":
        try wait(reference) { threads.isCancelled == true }
        state.withLock { $0.cancelled += 1 }
      case "broken": throw StoreError(.network, reference, "it is broken")
      case "restless":
        // It changes while it is read, each time of the first thousand.
        if state.withLock({ $0.gets }) < 1000 { feed?.post(.put, reference) }
      case "count":
        return .resource(
          Resource(
            state.withLock { state in
              state.asking += 1
              return "\(state.asking)"
            }))
      default: break
      }
      guard let text = state.withLock({ $0.texts[name] }) else { return .missing }
      return .resource(Resource(text))
    }

    func put(
      _ reference: Reference, _ resource: Resource, if condition: Precondition?
    ) throws(StoreError) {
      let name = reference.components.joined(separator: "/")
      if name == "broken" { throw StoreError(.network, reference, "it is broken") }
      if name == "held" { try wait(reference) { state.withLock { $0.texts["gate"] != nil } } }
      let text = String(decoding: resource.bytes, as: UTF8.self)
      state.withLock { state in
        state.texts[name] = text
        state.puts.append("\(name)=\(text)")
      }
      feed?.post(.put, reference)
    }

    func delete(_ reference: Reference, if condition: Precondition?) throws(StoreError) -> Bool {
      let name = reference.components.joined(separator: "/")
      feed?.post(.delete, reference)
      return state.withLock { $0.texts.removeValue(forKey: name) } != nil
    }
  }

  private let store = Slow(tells: true)
  private let console = RecordingConsole()

  private func makeInterpreter(every count: Int = 0) -> Interpreter {
    var options = Interpreter.Options()
    options.collectEvery = count
    let interpreter = Interpreter(
      options, console: console, clock: Interpreter.systemClock)
    interpreter.mount(store, as: "slow")
    return interpreter
  }

  /// A statement waits for its answer, and a timer goes on, which brings the answer about.
  @Test(arguments: [0, 1]) func timersGoOnWhileAStatementWaits(collectEvery: Int) throws {
    let interpreter = makeInterpreter(every: collectEvery)
    let answer = try interpreter.evaluate(
      """
      slow:open := 'there'.
      [ slow:gate := 'yes' ] after: 1 millisecond.
      slow:open size
      """)
    #expect(answer.integer == 5)
  }

  /// Futures overlap: each of ten answers when all ten have asked.
  @Test(arguments: [0, 1]) func futuresOverlap(collectEvery: Int) throws {
    let interpreter = makeInterpreter(every: collectEvery)
    let answer = try interpreter.evaluate(
      """
      slow:many := 'x'.
      futures := (1 to: 10) collect: [ :i | [ slow:many , i printString ] future ].
      (Future all: futures) value inject: '' into: [ :all :each | all , each ]
      """)
    #expect(answer.string == "x1x2x3x4x5x6x7x8x9x10")
  }

  /// A formula that runs for another source's sake asks anew what cannot tell about changes; the runs that
  /// its answers cause ask for nothing again.
  @Test(arguments: [0, 1]) func whatCannotTellIsAskedAnew(collectEvery: Int) throws {
    let interpreter = makeInterpreter(every: collectEvery)
    interpreter.mount(Slow(tells: false), as: "silent")
    let answer = try interpreter.evaluate(
      """
      var x := 1. var y.
      -text: n { ^(ref:silent:count value) , '/' , n printString }
      y |= self text: x.
      seen := OrderedCollection with: y.
      x := 2. [ y endsWith: '2' ] whileFalse: [ 1 millisecond wait ].
      seen add: y.
      x := 3. x := 4. [ y endsWith: '4' ] whileFalse: [ 1 millisecond wait ].
      (seen collect: [ :each | each , ' ' ]) joined
      """)
    #expect(answer.string == "1/1 2/2 ")
  }

  /// A statement waits for an answer and not for rest: a place may change faster than its store answers.
  @Test(arguments: [0, 1]) func whatIsReadAgainAndAgainIsAnswered(collectEvery: Int) throws {
    let interpreter = makeInterpreter(every: collectEvery)
    let answer = try interpreter.evaluate(
      """
      slow:restless := 'there'.
      var x. x |= slow:restless.
      seen := x size.
      var y. k := (y |= slow:restless size). k awaitAnswers.
      seen + y
      """)
    #expect(answer.integer == 10)
    #expect(store.state.withLock { $0.gets } < 500)
  }

  /// What a store has read and dropped while it waits is no source any more, nor what takes its memory.
  @Test(arguments: [0, 1]) func whatIsReadMayGo(collectEvery: Int) throws {
    /// How many cells there are when a place has been read, with code that runs before.
    func cellCount(_ before: String) throws -> Int {
      let interpreter = makeInterpreter(every: collectEvery)
      let answer = try interpreter.evaluate(
        """
        class Far : Store {
          var isWaiting. var isOver.
          -answersLater { ^true }
          -canTellOf: reference { ^true }
          -size { ^(OrderedCollection with: 1 with: 2) size }
          -get: reference {
            | size |
            size := \(before).
            isWaiting := true.
            [ self unobserved: [ isOver == true ] ] whileFalse: [ 1 millisecond wait ].
            ^size + mem:base
          }
        }
        mem:base := 2. far := Far new. scheme:far := far.
        [ [ far isWaiting == true ] whileFalse: [ 1 millisecond wait ].
          Smalltalk garbageCollect. far isOver: true ] after: 1 milliseconds.
        var x. x |= far:a.
        x
        """)
      #expect(answer.integer == 4)
      return interpreter.machine.graph.cellCount
    }
    #expect(try cellCount("self size") == cellCount("2"))
  }

  /// A connection is pending, its place keeps what it holds, and the answer is a change.
  @Test(arguments: [0, 1]) func aConnectionIsPending(collectEvery: Int) throws {
    let interpreter = makeInterpreter(every: collectEvery)
    let answer = try interpreter.evaluate(
      """
      slow:plain := 'one'. slow:gate := 'yes'.
      place := ref:slow:plain.
      var x. k := (x |= place value).
      states := OrderedCollection with: x with: k state.
      slow:open := 'two'. slow:gate := nil.
      place := ref:slow:open.
      states add: x; add: k state; add: k pendingSince notNil.
      [ slow:gate := 'yes' ] after: 5 milliseconds.
      [ k state = #pending ] whileTrue: [ 1 millisecond wait ].
      states add: x; add: k state; add: k pendingSince.
      states asArray printString
      """)
    #expect(
      answer.string == "#('one' #satisfied 'one' #pending true 'two' #satisfied nil)")
  }

  /// Of several writes of a connection the last is sent, and the program reads after it.
  @Test(arguments: [0, 1]) func theLastOfSeveralWritesIsSent(collectEvery: Int) throws {
    let interpreter = makeInterpreter(every: collectEvery)
    let answer = try interpreter.evaluate(
      """
      slow:gate := 'yes'.
      var v := 'a'. k := (slow:held |= v).
      before := k state.
      slow:gate := nil.
      v := 'b'. v := 'c'. v := 'd'.
      pending := k state.
      [ slow:gate := 'yes' ] after: 5 milliseconds.
      #(before, pending, slow:held, k state) printString
      """)
    #expect(answer.string == "#(#satisfied #pending 'd' #satisfied)")
    let puts = store.state.withLock { $0.puts.filter { $0.hasPrefix("held") } }
    // What was under way when the others came, and the last of those.
    #expect(puts.first == "held=a" && puts.last == "held=d" && puts.count <= 3, "\(puts)")
  }

  /// A write that fails is the connection's error, and the place is not what it should be.
  @Test func aFailedWriteIsTheConnectionsError() throws {
    let interpreter = makeInterpreter()
    let answer = try interpreter.evaluate(
      """
      var v := 'a'. k := (slow:broken |= v).
      #(k state, k lastError) printString
      """)
    #expect(answer.string == "#(#error 'slow:broken: it is broken')")
    #expect(
      console.lines.first?.hasSuffix("'slow:broken |= v' failed: slow:broken: it is broken")
        == true,
      "\(console.lines)")
  }

  /// A time limit ends what waits, and the store hears that nobody waits any more.
  @Test func aTimeLimitEndsTheRequest() throws {
    let interpreter = makeInterpreter()
    let answer = try interpreter.evaluate(
      """
      scheme:quick := #TimeoutStore{ limit: 20 milliseconds } -> ref:slow: asScheme.
      [ quick:stuck ] on: StoreError do: [ :e | e kind ]
      """)
    #expect(answer.string == "timeout")
    let store = store
    // One that no thread had begun by then never begins.
    for _ in 0..<10_000 where store.state.withLock({ $0.cancelled < $0.gets }) {
      Thread.sleep(forTimeInterval: 0.001)
    }
    #expect(store.state.withLock { $0.cancelled == $0.gets })
  }

  /// Stores of the language over one that takes time wait as it does, and a change below is one of theirs.
  @Test(arguments: [0, 1]) func combinatorsWait(collectEvery: Int) throws {
    let interpreter = makeInterpreter(every: collectEvery)
    let answer = try interpreter.evaluate(
      """
      scheme:json := JSONStore -> ref:slow: asScheme.
      slow:a := '[1, 2]'.
      var sum. k := (sum |= json:a inject: 0 into: [ :x :y | x + y ]).
      first := sum.
      slow:a := '[3, 4]'.
      [ sum = 3 ] whileTrue: [ 1 millisecond wait ].
      #(first, sum, k state) printString
      """)
    #expect(answer.string == "#(3 7 #satisfied)")
  }

  /// An interrupt ends a statement that waits; an interpreter that goes lets nothing wait.
  @Test func nothingWaitsForNobody() throws {
    weak var gone: Machine?
    do {
      let interpreter = makeInterpreter()
      gone = interpreter.machine
      _ = try interpreter.evaluate("[ slow:stuck ] future. [ 1 hour wait ] future. RunLoop step")
      let interrupter = interpreter.interrupter
      Thread.detachNewThread {
        Thread.sleep(forTimeInterval: 0.05)
        interrupter.interrupt()
      }
      #expect(throws: EvaluationError.self) { try interpreter.evaluate("slow:stuck") }
      #expect(try interpreter.evaluate("3 + 4").integer == 7)
    }
    #expect(gone == nil)
    let store = store
    for _ in 0..<10_000 where store.state.withLock({ $0.cancelled }) < 2 {
      Thread.sleep(forTimeInterval: 0.001)
    }
    #expect(store.state.withLock { $0.cancelled } == 2)
  }

  /// A store whose directories are not made before they may be.
  private final class Builder: Store {
    let capabilities = StoreCapabilities(
      [.get, .makeDirectory, .move, .deleteTree], durability: .none, isExternal: true)
    let threads = VerbThreads(width: 4)
    let feed: ChangeFeed? = nil
    var executor: (any VerbExecutor)? { threads }
    let state = Mutex((isOpen: false, begun: 0, ended: 0))

    private func build() {
      state.withLock { $0.begun += 1 }
      while !state.withLock({ $0.isOpen }) { Thread.sleep(forTimeInterval: 0.001) }
      state.withLock { $0.ended += 1 }
    }

    func get(
      _ reference: Reference, if condition: Precondition?
    ) throws(StoreError) -> GetOutcome { .missing }

    func makeDirectory(_ reference: Reference) throws(StoreError) { build() }

    func move(
      _ reference: Reference, to destination: Reference, if condition: Precondition?
    ) throws(StoreError) { build() }

    func deleteTree(_ reference: Reference) throws(StoreError) -> Bool {
      build()
      return true
    }
  }

  /// The interpreter is gone, with its stacks, when the verb comes to its end.
  @Test(arguments: ["makeDirectory", "moveTo: ref:built:b", "deleteTree"])
  func aVerbOutlivesItsInterpreter(_ message: String) throws {
    let store = Builder()
    do {
      var options = Interpreter.Options()
      options.timeLimit = .milliseconds(100)
      let interpreter = Interpreter(options, clock: Interpreter.systemClock)
      interpreter.mount(store, as: "built")
      #expect(throws: EvaluationError.self) { try interpreter.evaluate("ref:built:a \(message)") }
      #expect(interpreter.exceededLimit == .time)
    }
    #expect(store.state.withLock { $0.begun == 1 && $0.ended == 0 })
    store.state.withLock { $0.isOpen = true }
    store.threads.finish()
    #expect(store.state.withLock { $0.ended } == 1)
  }

  /// Clean-up blocks of what waits run when the interpreter goes, and an unwinding finds its way to a
  /// coroutine that waits.
  @Test func unwindingCrossesStacks() throws {
    do {
      let interpreter = makeInterpreter()
      let answer = try interpreter.evaluate(
        """
        inner := [ [ :leave | [ leave value: 'left' ] after: 2 milliseconds. 1 hour wait. 'stayed' ] valueWithExit ] future.
        method := [ [ :leave | [ leave value: 'out' ] after: 4 milliseconds. 1 hour wait. 'stayed' ] valueWithExit ] value.
        [ [ 2 hours wait ] ensure: [ stdout println: 'cleaned' ] ] future.
        RunLoop step.
        inner value , method
        """)
      #expect(answer.string == "leftout")
    }
    #expect(console.lines == ["cleaned"])
  }
}
