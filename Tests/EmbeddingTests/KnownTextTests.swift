import Tenon
@testable import TenonRuntime
import Testing

/// What is not read again when it is evaluated again means the same as if it were.
@Suite struct KnownTextTests {
  /// Expressions whose meaning depends on names in different ways.
  static let texts = [
    "3 + 4", "x", "x := 7", "x + 1", "X", "X new", "X new printString", "[ :y | x + y ] value: 2",
    "#(1 2 3) collect: [ :each | each * 2 ]", "#{ a: x }", "\"is {x}\"",
    "Box new size: 3; yourself",
    "x foo", "3 foo", "3 isNil", "x +++ 2", "a-b", "x max: 3; min: 2", "[ ^x ] value",
    "Missing new",
    "x[1]", "Object new foo", "nil foo", "3 / 0", "x := Box", "f := [ x ]. f", "self foo",
  ]

  /// What may change between two evaluations.
  static let changes = [
    "1", "x := 3", "var x. x := 'text'", "val x = 5", "var <int>x. x := 4", "lazy var x. x |= 20",
    "class X { -printString { 'mine' } }", "class X { | v | -foo { 12 } }",
    "class Box { | size | }",
    "extension Integer { -foo { 42 } }", "extension Object { -foo { 43 } }",
    "extension Object { -isNil { true } }", "scheme a-b { /x { get { 3 } } }", "a-b := 3",
    "x |= 2 + 3",
    "class X { +new { 99 } }", "class Missing {}", "x := #(5 6)",
  ]

  static func outcome(_ interpreter: Interpreter, _ text: String) -> String {
    do throws(EvaluationError) {
      let handle = try interpreter.evaluate(text)
      return try handle.send("printString", as: String.self)
    } catch {
      // The line that is shown ends as the text does.
      let lines = "\(error)".split(separator: "\n", omittingEmptySubsequences: false)
      return lines.map { String($0.reversed().drop { $0 == " " }.reversed()) }
        .joined(separator: "\n")
    }
  }

  @Test func aChangeOfNamesIsSeen() {
    var kinds: Set<Bool> = []
    for first in ["1", "x := 1", "class X {}", "x := 1. class Box {}"] {
      for change in Self.changes {
        // With blanks behind it a text is another one each time.
        let results = [["", "", ""], [" ", "  ", "   "]].map { blanks in
          let interpreter = Interpreter()
          let before = Self.outcome(interpreter, first)
          let early = Self.texts.map { Self.outcome(interpreter, $0 + blanks[0]) }
          let again = Self.texts.map { Self.outcome(interpreter, $0 + blanks[1]) }
          let changed = Self.outcome(interpreter, change)
          let late = Self.texts.map { Self.outcome(interpreter, $0 + blanks[2]) }
          return [[before, changed], early, again, late]
        }
        #expect(results[0] == results[1], "\(first) / \(change)")
        kinds.formUnion(zip(results[0][2], results[0][3]).map { $0 == $1 })
      }
    }
    // A law of texts that nothing changes would hold by itself.
    #expect(kinds == [true, false])
  }

  @Test func aTextIsReadOnce() throws {
    let interpreter = Interpreter()
    let machine = interpreter.machine
    for _ in 0..<10 { #expect(try interpreter.evaluate("3 + 4", as: Int.self) == 7) }
    #expect(machine.codeTable.known.code.count == 1)
    let code = machine.codeTable.known.code.first
    #expect(try interpreter.evaluate("3 + 4", as: Int.self) == 7)
    #expect(machine.codeTable.known.code.first === code)
    _ = try interpreter.evaluate("var z")
    #expect(try interpreter.evaluate("3 + 4", as: Int.self) == 7)
    #expect(machine.codeTable.known.code.first !== code)
  }

  @Test func manyTextsTakeNoMoreRoom() throws {
    var options = Interpreter.Options()
    options.collectEvery = 50
    let interpreter = Interpreter(options)
    var blocks: [Handle] = []
    for number in 0..<1000 {
      blocks.append(try interpreter.evaluate("[ :x | x + \(number) ]"))
      #expect(interpreter.machine.codeTable.known.code.count <= 128)
    }
    // The code of a block lives as long as the block.
    for (number, block) in blocks.enumerated() {
      #expect(try block.call(1, as: Int.self) == number + 1)
    }
    blocks = []
    _ = try interpreter.evaluate("1 to: 1000 do: [ :i | i printString ]")
    #expect(interpreter.machine.codeTable.all.count < 1000 + 600)
  }

  @Test func errorsNameThePlace() throws {
    let interpreter = Interpreter()
    for _ in 0..<3 {
      #expect(Self.outcome(interpreter, "3 zork").contains("<eval>:1:3"))
      #expect(throws: EvaluationError.self) {
        try interpreter.evaluate("3 zork", name: "other.st")
      }
    }
    do {
      _ = try interpreter.evaluate("3 zork", name: "other.st")
    } catch {
      #expect("\(error)".contains("other.st:1:3"))
    }
  }

  @Test func aTextMayEvaluateItself() throws {
    let interpreter = Interpreter()
    interpreter["again"] = interpreter.function { (depth: Int) throws -> Int in
      guard depth > 0 else { return 0 }
      return try interpreter.evaluate("again value: n", as: Int.self) + 1
    }
    interpreter["n"] = 0
    #expect(try interpreter.evaluate("again value: 3", as: Int.self) == 1)
    #expect(try interpreter.evaluate("again value: 3", as: Int.self) == 1)
  }
}
