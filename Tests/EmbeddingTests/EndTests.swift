import Foundation
import Synchronization
import Tenon
import TenonRuntime
import Testing

/// Interpreters at their end, and what is left of them.
@Suite struct EndTests {
  /// What is let go on another thread.
  final class Bag: @unchecked Sendable {
    private var interpreter: Interpreter?
    private(set) var handles: [Handle]
    init(_ interpreter: Interpreter?, _ handles: [Handle]) {
      self.interpreter = interpreter
      self.handles = handles
    }
    func dropInterpreter() { interpreter = nil }
    func dropHandles() { handles = [] }
  }

  /// What has happened, told from any thread.
  final class Notes: Sendable {
    private let lines = Mutex<[String]>([])
    var all: [String] { lines.withLock { $0 } }
    func add(_ line: String) { lines.withLock { $0.append(line) } }
  }

  /// An interpreter that has something under way, whose clean-up block calls a function of the host that
  /// refers to the interpreter as the manual says.
  private func waiting(_ notes: Notes) throws -> Interpreter {
    let interpreter = Interpreter(clock: Interpreter.systemClock)
    interpreter["note"] = interpreter.function { [unowned interpreter] (text: String) -> Int in
      notes.add(text)
      return try interpreter.evaluate("3 + 4", as: Int.self)
    }
    _ = try interpreter.evaluate(
      """
      f := [ [ note value: 'begun'. 1 hours wait ] ensure: [
        [ note value: 'ended' ] on: NotAvailable do: [ :e | nil ] ] ] future
      """)
    _ = interpreter.runDue()
    return interpreter
  }

  /// Clean-up blocks run when an interpreter goes, but code of the host does not: the interpreter that it
  /// refers to is no more.
  @Test func codeOfTheHostIsNotCalledAtTheEnd() throws {
    let notes = Notes()
    do { _ = try waiting(notes) }
    #expect(notes.all == ["begun"])
    // As long as the interpreter is there, it is.
    do {
      let interpreter = try waiting(notes)
      _ = interpreter.closeStores()
      #expect(notes.all == ["begun", "begun", "ended"])
      #expect(try interpreter.evaluate("note value: 'after'", as: Int.self) == 7)
    }
    #expect(notes.all.count == 4)
  }

  private func filledBag(_ notes: Notes) throws -> Bag {
    let interpreter = try waiting(notes)
    return Bag(interpreter, try (0..<50).map { try interpreter.evaluate("'\($0)'") })
  }

  @Test func anInterpreterMayGoOnAnotherThread() throws {
    let notes = Notes()
    for _ in 0..<20 {
      let bag = try filledBag(notes)
      Worker { bag.dropInterpreter() }.wait()
      Worker { for handle in bag.handles where !handle.isNil { notes.add("kept") } }.wait()
    }
    #expect(notes.all == Array(repeating: "begun", count: 20))
  }

  /// The last reference to an interpreter goes while it evaluates.
  @Test func anInterpreterMayGoWhileItEvaluates() throws {
    final class Owner {
      var interpreter: Interpreter? = Interpreter()
    }
    let owner = Owner()
    weak var machine: Machine?
    do {
      let interpreter = try #require(owner.interpreter)
      machine = interpreter.machine
      interpreter["drop"] = interpreter.function { [unowned owner] () -> Int in
        owner.interpreter = nil
        return 3
      }
    }
    let block = try #require(owner.interpreter).evaluate(
      "[ | x | x := drop value. x := x + ([ drop value ] on: NotAvailable do: [ :e | 10 ]). x ]")
    let sum = try? block.call(as: Int.self)
    #expect(owner.interpreter == nil)
    #expect(sum == nil || sum == 13)
    #expect(machine == nil)
    #expect(block.isNil)
  }

  /// An object of the host that a script has kept to the end, and that looks back.
  @Test func objectsThatScriptsKeep() throws {
    final class Keeper: ScriptObject {
      weak var interpreter: Interpreter?
      var handle: Handle?
      let notes: Notes
      init(_ notes: Notes) { self.notes = notes }
      deinit {
        notes.add(interpreter == nil ? "gone" : "there")
        notes.add(handle?.isNil == true ? "nil" : "a value")
        do { try handle?.call() } catch { notes.add("\(error)") }
      }
    }
    let notes = Notes()
    do {
      let interpreter = Interpreter()
      try interpreter.define(Keeper.self) {}
      for _ in 0..<3 {
        let keeper = Keeper(notes)
        keeper.interpreter = interpreter
        keeper.handle = try interpreter.evaluate("[ 3 ]")
        interpreter["kept"] = keeper
        _ = try interpreter.evaluate("all := #(kept, nil). Object subclasses")
      }
    }
    let closed = "expected a handle of an interpreter, found one of an interpreter that is closed"
    #expect(notes.all.suffix(3) == ["gone", "nil", closed])
    #expect(notes.all.count == 9)
  }

  /// Handles that other threads let go while the interpreter makes new ones and collects.
  @Test func handlesGoOnOtherThreads() throws {
    let interpreter = Interpreter()
    var workers: [Worker] = []
    for round in 0..<40 {
      let handles = try (0..<100).map { try interpreter.evaluate("#('\(round)', '\($0)')") }
      let bag = Bag(nil, handles)
      workers.append(Worker { bag.dropHandles() })
      if round % 10 == 0 { _ = try interpreter.evaluate("Smalltalk garbageCollect") }
      #expect(try handles[7].read(as: [String].self) == ["\(round)", "7"])
    }
    workers.forEach { $0.wait() }
    // Places that were let go are used again.
    _ = try interpreter.evaluate("Smalltalk garbageCollect")
    #expect(try interpreter.evaluate("3 + 4", as: Int.self) == 7)
  }

  /// What a use of a handle comes to that is none of the interpreter's.
  private func errors(_ handle: Handle, in interpreter: Interpreter) -> [String] {
    func error(_ body: () throws -> Void) -> String {
      do { try body() } catch { return "\(error)" }
      return "no error"
    }
    return [
      error { try interpreter.set("x", to: handle) },
      error { _ = try interpreter.read(handle, as: Int.self) },
      error { _ = try interpreter.send("printString", to: handle) },
      error { _ = try interpreter.send("at:", to: interpreter.value([]), handle) },
      error { try interpreter.evaluate("[ :x | x ]").call(handle) },
      error { try interpreter.evaluate("Array new: 1").send("at:put:", 1, handle) },
      error { try interpreter.compile("x", parameters: ["x"]).run(handle) },
      error { try interpreter.set("x", to: ["key": [handle]]) },
      error { try interpreter.set("x", to: DynamicHandle(handle)) },
      error { _ = try interpreter.function { handle }.call() },
      error {
        interpreter["x"] = handle; _ = try interpreter.get("x", as: Int.self)
      },
      error { try interpreter.evaluate("[ :x | x ]").call(Optional(handle)) },
    ]
  }

  @Test func handlesOfOthersAndOfClosedOnes() throws {
    let other = Interpreter()
    let foreign = try other.evaluate("[ 3 ]")
    var closed: [Handle] = []
    do {
      let gone = Interpreter()
      closed = [try gone.evaluate("[ 3 ]"), gone.nil, gone.value(3)]
    }
    for handle in closed + [foreign] {
      let interpreter = Interpreter()
      for (number, error) in errors(handle, in: interpreter).enumerated() {
        #expect(error.contains("interpreter") || number == 10, "\(number): \(error)")
      }
      _ = interpreter.value([handle])
      _ = interpreter.printString(handle)
      #expect(try interpreter.evaluate("3 + 4", as: Int.self) == 7)
    }
    for handle in closed {
      #expect(handle.isNil && handle.integer == nil && handle.string == nil)
      #expect(handle.elements == nil && handle.double == nil && handle.boolean == nil)
      #expect(handle.className == "UndefinedObject")
      #expect(throws: EvaluationError.self) { try handle.call() }
      #expect(throws: EvaluationError.self) { try handle.read(as: Int.self) }
      #expect(throws: EvaluationError.self) { try DynamicHandle(handle).at(1) }
    }
    #expect(try foreign.call(as: Int.self) == 3)
  }
}
