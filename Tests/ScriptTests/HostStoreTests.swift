import Foundation
import Synchronization
import Tenon
import TenonLexer
import TenonRuntime
import TenonStoreKit
import Testing

/// Stores that a host writes, and what the language makes of them.
@Suite struct HostStoreTests {
  /// A store with an outside: whoever has it changes it and announces that.
  final class Board: Store, Sendable {
    let capabilities = StoreCapabilities(
      [.get, .put, .delete, .post, .list], durability: .process, isExternal: true)
    let feed: ChangeFeed? = ChangeFeed()
    private let texts = Mutex<[String: String]>([:])
    private let contentType: String

    init(contentType: String = "text/plain") { self.contentType = contentType }

    func contentType(of reference: Reference) -> String { contentType }

    /// Changes a place from outside.
    func change(_ path: String, to text: String, of scheme: String = "board") {
      texts.withLock { $0[path] = text }
      guard let reference = try? Reference(scheme: scheme, components: [path]) else { return }
      feed?.post(.put, reference)
    }

    func text(at path: String) -> String? { texts.withLock { $0[path] } }

    func get(
      _ reference: Reference, if condition: Precondition?
    ) throws(StoreError) -> GetOutcome {
      guard let text = text(at: reference.components.joined(separator: "/")) else {
        return .missing
      }
      if text == "broken" { throw StoreError(.io, reference, "it is broken") }
      return .resource(Resource(Array(text.utf8), contentType: contentType))
    }

    func put(
      _ reference: Reference, _ resource: Resource, if condition: Precondition?
    ) throws(StoreError) {
      let path = reference.components.joined(separator: "/")
      texts.withLock { $0[path] = String(decoding: resource.bytes, as: UTF8.self) }
      feed?.post(.put, reference)
    }

    func post(_ reference: Reference, _ resource: Resource) throws(StoreError) -> Reference {
      let made = try reference.appending("1")
      try put(made, resource, if: nil)
      return made
    }

    func list(_ reference: Reference) throws(StoreError) -> [StoreEntry] {
      throw StoreError(.io, reference, "nobody can list it")
    }
  }

  /// A change is told to all who heard of the store when it began, an interpreter that has gone meanwhile
  /// among them.
  @Test func aChangeIsToldToAnInterpreterThatHasGone() {
    let board = Board()
    nonisolated(unsafe) var interpreter: Interpreter? = Interpreter()
    weak let gone = unsafe interpreter
    let before = board.feed?.subscribe(noting: { _ in unsafe interpreter = nil })
    unsafe interpreter?.mount(board, as: "board")
    let after = board.feed?.subscribe(noting: { _ in unsafe interpreter = nil })
    board.change("a", to: "b")
    withExtendedLifetime((before, after)) { #expect(gone == nil) }
  }

  /// A store that does nothing of its own.
  final class Idle: Store {
    let capabilities = StoreCapabilities([.get], durability: .none, isExternal: false)
  }

  private func interpreter(
    _ store: any Store, console: any Console = RecordingConsole()
  ) -> Interpreter {
    var options = Interpreter.Options()
    options.collectEvery = 1
    let interpreter = Interpreter(options, console: console)
    interpreter.mount(store, as: "board")
    return interpreter
  }

  @Test func connectionsHearWhatAStoreAnnounces() throws {
    let board = Board()
    board.change("a", to: "1")
    let interpreter = interpreter(board)
    _ = try interpreter.evaluate("x |= board:a , '!'. y |= board:b isNil. z |= board:c")
    #expect(try interpreter.evaluate("x").string == "1!")
    board.change("a", to: "2")
    board.change("c", to: "3")
    board.change("nobody", to: "4")
    // It is taken up before the next statement.
    #expect(interpreter.printString(try interpreter.evaluate("#(x, y, z)")) == "#('2!' true '3')")
    board.change("b", to: "5")
    #expect(interpreter.printString(try interpreter.evaluate("y")) == "false")
  }

  /// What was changed outside cannot be given back: the connections that follow it say that they do not
  /// hold, and no statement fails that had nothing to do with it.
  @Test func whatIsRefusedOfAnOutsideChangeIsSaid() throws {
    let board = Board(contentType: "application/json")
    board.change("a", to: "1")
    board.change("b", to: "1")
    let console = RecordingConsole()
    let interpreter = interpreter(board, console: console)
    func shown(_ text: String) throws -> String {
      interpreter.printString(try interpreter.evaluate(text))
    }
    _ = try interpreter.evaluate(
      "x |= board:a. y |= board:b. xs := self connections first. ys := self connections last. "
        + "self always: [ x < 5 ]. y <=| 6")
    board.change("a", to: "9")
    #expect(try shown("#(x, board:a, xs state, ys state)") == "#(1 9 #error #satisfied)")
    #expect(try shown("xs lastError").contains("x < 5"))
    board.change("b", to: "7")
    #expect(try shown("#(y, board:b, ys state)") == "#(1 7 #error)")
    board.change("a", to: "3")
    board.change("b", to: "6")
    #expect(try shown("#(x, y, xs state, ys state)") == "#(3 6 #satisfied #satisfied)")
    // What the program writes itself is refused where it is written.
    #expect(
      try shown("#([ board:a := 8 ] on: Error do: [ 'refused' ], board:a, x)") == "#('refused' 3 3)"
    )
  }

  @Test func announcementsOfOtherThreadsAreTakenUpWhileAProgramRuns() throws {
    let board = Board()
    board.change("a", to: "1")
    let interpreter = interpreter(board)
    _ = try interpreter.evaluate("x |= board:a. runs := self connections first")
    let thread = Thread { board.change("a", to: "2") }
    thread.start()
    while !thread.isFinished { Thread.sleep(forTimeInterval: 0.001) }
    // Using the store is enough, in one statement.
    #expect(
      interpreter.printString(try interpreter.evaluate("[ board:other. x ] value")) == "'2'")
    // The store's own announcement of what the program writes changes nothing more.
    #expect(
      interpreter.printString(
        try interpreter.evaluate("before := runs updateCount. board:a := '3'. x")) == "'3'")
    #expect(try interpreter.evaluate("runs updateCount - before").integer == 1)
  }

  @Test func whatAStoreRefusesIsAnErrorOfTheLanguage() throws {
    let board = Board()
    board.change("a", to: "broken")
    let interpreter = interpreter(board)
    func message(_ text: String) throws -> String? {
      try interpreter.evaluate("[ \(text) ] on: Error do: [ :e | e messageText ]").string
    }
    #expect(try message("board:a") == "board:a: it is broken")
    #expect(try message("ref:board:a exists") == "board:a: it is broken")
    #expect(try message("board: list: ref:board:a") == "board:a: nobody can list it")
    #expect(
      try message("board:b := 3") == "board:b: plain text cannot hold 3; a string can")
    #expect(
      interpreter.printString(try interpreter.evaluate("ref:board:b post: 'x'")) == "board:b/1")
    #expect(board.text(at: "b/1") == "x")
  }

  /// A verb that a store does not have is refused with the name of the verb, and what it has instead.
  @Test func aStoreWithoutVerbsRefusesEach() throws {
    let interpreter = interpreter(Idle())
    for (text, verb) in [
      ("board:a", "get"), ("board:a := 'x'", "put"), ("ref:board:a delete", "delete"),
      ("ref:board:a post: 'x'", "post"), ("board: list: ref:board:a", "list"),
    ] {
      let message = try interpreter.evaluate("[ \(text) ] on: Error do: [ :e | e messageText ]")
      #expect(message.string == "board:a: '\(verb)' is not supported, only get")
    }
    let silent = try interpreter.evaluate("[ x |= board:a ] on: Error do: [ :e | e messageText ]")
    #expect(silent.string?.contains("board:a") == true)
  }

  @Test func jsonThatIsNoneNamesThePlace() throws {
    let board = Board(contentType: "application/json")
    board.change("a", to: "[1, 2")
    board.change("b", to: #"{"x": [1, true]}"#)
    let interpreter = interpreter(board)
    #expect(
      interpreter.printString(try interpreter.evaluate("board:b")) == "#{'x': #(1 true)}")
    let message = try interpreter.evaluate("[ board:a ] on: Error do: [ :e | e messageText ]")
    #expect(
      message.string
        == "board:a: it is no JSON at line 1, column 6: expected ',' or ']', found the end")
    _ = try interpreter.evaluate("board:c := #[1 2]")
    #expect(board.text(at: "c") == "\u{1}\u{2}")
  }

  /// A connection may read the table of schemes: it hears when another store is mounted.
  @Test func connectionsHearOfMounting() throws {
    let interpreter = interpreter(Board())
    _ = try interpreter.evaluate("x |= scheme:extra isNil. y |= (ref:extra:a) schemeExists")
    #expect(interpreter.printString(try interpreter.evaluate("x")) == "true")
    interpreter.mount(Board(), as: "extra")
    #expect(interpreter.printString(try interpreter.evaluate("x")) == "false")
    _ = try interpreter.evaluate("(ref:scheme:extra) delete")
    #expect(interpreter.printString(try interpreter.evaluate("x")) == "true")
  }
}
