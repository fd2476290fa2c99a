import Tenon
import TenonRuntime
import Testing

/// Values cross between Swift and scripts, or an error says what does not fit.
@Suite struct ConversionTests {
  enum Color: String, ScriptConvertible { case red, green }
  enum Level: Int, Codable, ScriptConvertible { case low = 1, high = 2 }

  struct Line: Codable, Equatable {
    var name: String
    var price: Double
    var count: UInt8?
  }
  struct Order: Codable, Equatable, ScriptConvertible {
    var id: Int64
    var lines: [Line]
    var tags: [String: Bool]
    var level: Level
    var took: Duration
    var data: [UInt8]
  }

  /// Evaluates a text in a new interpreter.
  private func value<Value: ScriptConvertible>(
    _ text: String, _ type: Value.Type = Value.self
  ) throws -> Value {
    try Interpreter().evaluate(text, as: type)
  }

  /// The message with which a text does not become a value.
  private func message<Value: ScriptConvertible>(_ text: String, _ type: Value.Type) -> String {
    do {
      return "no error: \(try value(text, type))"
    } catch EvaluationError.conversion(let error) {
      return error.description
    } catch {
      return "another error: \(error)"
    }
  }

  /// Whether a value is the same after it was in a script.
  private func returns<Value: ScriptConvertible & Equatable>(_ value: Value) throws -> Bool {
    let interpreter = Interpreter()
    try interpreter.set("x", to: value)
    return try interpreter.get("x", as: Value.self) == value
  }

  @Test func scalars() throws {
    #expect(try value("3 + 4", Int.self) == 7)
    #expect(try value("1 / 2", Double.self) == 0.5)
    #expect(try value("7", Float.self) == 7)
    #expect(try value("'a' , 'b'", String.self) == "ab")
    #expect(try value("#name", String.self) == "name")
    #expect(try value("$a", Character.self) == "a")
    #expect(try value("1 < 2", Bool.self))
    #expect(try value("nil", Int?.self) == nil)
    #expect(try value("5", Int??.self) == 5)
  }

  @Test func integersOfAllWidths() throws {
    #expect(try returns(Int.min) && returns(Int.max) && returns(Int8.min) && returns(UInt8.max))
    #expect(try returns(Int16.min) && returns(UInt16.max) && returns(Int32.min))
    #expect(try returns(UInt32.max) && returns(Int64.min) && returns(UInt64.max))
    #expect(try returns(Int128.min) && returns(Int128.max) && returns(UInt128.max))
    #expect(try value("2 raisedTo: 64", UInt128.self) == 1 << 64)
    for text in ["128", "-129", "2 raisedTo: 64", "(2 raisedTo: 64) negated"] {
      #expect(message(text, Int8.self).hasPrefix("expected an integer that Int8 can hold, found "))
    }
    #expect(message("-1", UInt.self) == "expected an integer that UInt can hold, found -1")
    #expect(message("2 raisedTo: 63", Int.self).contains("an integer that Int can hold"))
    #expect(message("2 raisedTo: 127", Int128.self).contains("an integer that Int128 can hold"))
    #expect(try value("(2 raisedTo: 127) negated", Int128.self) == Int128.min)
    #expect(message("3.0", Int.self) == "expected an integer, found 3.0")
    #expect(message("'3'", Int.self).hasPrefix("expected an integer, found "))
    #expect(message("1e300", Float.self).contains("a number that Float can hold"))
  }

  @Test func collections() throws {
    #expect(try value("(1 to: 3) collect: [ :x | x * x ]", [Int].self) == [1, 4, 9])
    #expect(try value("OrderedCollection new add: 'a'; yourself", [String].self) == ["a"])
    #expect(try value("Set new add: 1; add: 1; yourself", Set<Int>.self) == [1])
    #expect(try value("#{ a: 1, b: 2 }", [String: Int].self) == ["a": 1, "b": 2])
    #expect(try value("Dictionary new at: 1 put: 'x'; yourself", [Int: String].self) == [1: "x"])
    #expect(try value("#[1 2 255]", [UInt8].self) == [1, 2, 255])
    #expect(try value("#(1 2)", [UInt8].self) == [1, 2])
    #expect(try value("1 to: 5", ClosedRange<Int>.self) == 1...5)
    #expect(try value("1 to: 5", Range<Int>.self) == 1..<6)
    #expect(
      message("1 to: 9 by: 2", Range<Int>.self).hasPrefix("expected an interval in steps of 1"))
    #expect(try returns([[1, 2], []]) && returns(["a": [1.5]]) && returns([1: "x"]))
    #expect(try returns(3..<3) && returns(2...9) && returns(Set(["p", "q"])))
    #expect(try returns([UInt8](0...255)) && returns([Int?.none, 4]))
    #expect(message("#(1, 2, #(3))", [Int].self).hasPrefix("[3]: expected an integer, found "))
    #expect(
      message("#{ a: #(1, nil) }", [String: [Int]].self) == "a[2]: expected an integer, found nil")
    #expect(message("'text'", [String].self).hasPrefix("expected a collection, found "))
  }

  @Test func aScriptSeesPlainValues() throws {
    let interpreter = Interpreter()
    interpreter["limit"] = 20
    interpreter["names"] = ["b", "a"]
    interpreter["prices"] = ["tea": 2.5]
    interpreter["bytes"] = [UInt8]([1, 2])
    interpreter["range"] = 2..<5
    interpreter["color"] = Color.green
    interpreter["nothing"] = Int?.none
    #expect(try interpreter.evaluate("(1 to: limit) sum", as: Int.self) == 210)
    #expect(try interpreter.evaluate("names sorted first", as: String.self) == "a")
    #expect(try interpreter.evaluate("prices at: #tea", as: Double.self) == 2.5)
    #expect(try interpreter.evaluate("prices at: 'tea'", as: Double.self) == 2.5)
    #expect(try interpreter.evaluate("bytes class name", as: String.self) == "ByteArray")
    #expect(try interpreter.evaluate("range sum", as: Int.self) == 9)
    #expect(try interpreter.evaluate("color", as: Color.self) == .green)
    #expect(try interpreter.evaluate("nothing isNil", as: Bool.self))
    let limit: Int? = interpreter["limit"]
    #expect(limit == 20)
    let wrong: String? = interpreter["limit"]
    #expect(wrong == nil)
    #expect(message("'blue'", Color.self).hasPrefix("expected a value of Color, found "))
    do throws(EvaluationError) {
      _ = try interpreter.get("missing", as: Int.self)
      Issue.record("no error")
    } catch {
      #expect("\(error)" == "there is no variable 'missing'")
    }
  }

  @Test func time() throws {
    #expect(try value("90 seconds", Duration.self) == .seconds(90))
    #expect(try value("1.5 hours negated", Duration.self) == .seconds(-5400))
    #expect(try returns(Duration.nanoseconds(1)) && returns(Duration.seconds(-1.5)))
    let moment = ScriptInstant(secondsSince1970: 1_000_000_000, nanoseconds: 5)
    #expect(try returns(moment))
    #expect(try value("DateTime fromUnixTime: 1000000000", ScriptInstant.self) < moment)
    let interpreter = Interpreter()
    interpreter["t"] = moment
    interpreter["d"] = Duration.seconds(3600)
    #expect(try interpreter.evaluate("(t + d) hour - t hour", as: Int.self) == 1)
  }

  @Test func codableTypes() throws {
    let order = Order(
      id: -5,
      lines: [Line(name: "tea", price: 2.5, count: nil), Line(name: "x", price: 1, count: 3)],
      tags: ["new": true], level: .high, took: .milliseconds(1500), data: [1, 2])
    #expect(try returns(order))
    let interpreter = Interpreter()
    interpreter["order"] = order
    #expect(
      try interpreter.evaluate(
        "(order at: #lines) collect: [ :l | l at: #price ]", as: [Double].self)
        == [2.5, 1])
    #expect(try interpreter.evaluate("order at: #took", as: Duration.self) == .milliseconds(1500))
    let line = try interpreter.evaluate(
      "class Line { var name := 'pen'. var price := 3. var count := 7 } Line new")
    #expect(try line.decode(Line.self) == Line(name: "pen", price: 3, count: 7))
    let error = message(
      "#{ id: 1, lines: #(#{ name: 'a', price: 1 }, #{ name: 'b', price: 'x' }), tags: #{}, level: 1, took: 1 second, data: #[] }",
      Order.self)
    #expect(error.hasPrefix("lines[2].price: expected a number, found "))
    #expect(message("#{ id: 1 }", Order.self) == "there is no 'lines'")
    #expect(message("3", Order.self).hasPrefix("expected a dictionary or an object with variables"))
    #expect(
      message(
        "#{ id: 1, lines: #(#{ name: 'a', price: 1, count: 300 }) }", Order.self)
        == "lines[1].count: expected an integer that UInt8 can hold, found 300")
  }

  @Test func handlesOfOthers() throws {
    let interpreter = Interpreter()
    let other = Interpreter()
    let text = try other.evaluate("'text'")
    func refused(_ body: () throws -> Void) -> String {
      do {
        try body()
        return "no error"
      } catch EvaluationError.script(let error) {
        return error.message
      } catch { return "\(error)" }
    }
    let wanted = "expected a handle of this interpreter, found one of another interpreter"
    #expect(refused { try interpreter.set("x", to: text) } == wanted)
    #expect(refused { _ = try interpreter.send("size", to: text) } == wanted)
    #expect(refused { _ = try interpreter.read(text, as: String.self) } == wanted)
    var closed: Handle?
    do { closed = try Interpreter().evaluate("[ :x | x ]") }
    let errors = [
      refused { _ = try closed?.call(1, as: Int.self) },
      refused { _ = try closed?.read(as: Int.self) },
      refused { try interpreter.set("x", to: closed) },
    ]
    #expect(errors.allSatisfy { $0.hasSuffix("that is closed") })
    #expect(try interpreter.evaluate("3 + 4", as: Int.self) == 7)
  }

  @Test func callsAndMessages() throws {
    let interpreter = Interpreter()
    let add = try interpreter.evaluate("[ :a :b | a + b ]")
    #expect(try add.call(3, 4, as: Int.self) == 7)
    #expect(throws: EvaluationError.self) { try add.call(3) }
    let list = try interpreter.evaluate("OrderedCollection new", as: DynamicHandle.self)
    try list.add("a")
    try list.add("b", beforeIndex: 1)
    let first: String = try list.at(1)
    #expect(first == "b")
    #expect(try list.handle.send("size", as: Int.self) == 2)
    #expect(throws: EvaluationError.self) { try list.frobnicate(1) }
  }

  @Test func programs() throws {
    let interpreter = Interpreter()
    interpreter["factor"] = 10
    let program = try interpreter.compile(
      "| sum | sum := a + b. sum > 100 ifTrue: [ ^'large' ]. sum * factor", parameters: ["a", "b"])
    #expect(try program.run(1, 2, as: Int.self) == 30)
    #expect(try program.run(100, 2, as: String.self) == "large")
    interpreter["factor"] = 2
    #expect(try program.run(1, 2, as: Int.self) == 6)
    #expect(throws: EvaluationError.self) { try program.run(1) }
    do throws(EvaluationError) {
      _ = try interpreter.compile("a + unknown", parameters: ["a"], name: "rule.st")
      Issue.record("no error")
    } catch {
      #expect("\(error)".hasPrefix("rule.st:1:5: error: unknown name 'unknown'"))
    }
    for (text, parameters) in [
      ("class A { }", []), ("1 +", []), ("import 'a'", []), ("1", ["not a name"]), ("1", [""]),
    ] as [(String, [String])] {
      #expect(throws: EvaluationError.self) {
        try interpreter.compile(text, parameters: parameters)
      }
    }
    #expect(try interpreter.compile("").run(as: Int?.self) == nil)
    do throws(EvaluationError) {
      _ = try interpreter.compile("a\n  foo", parameters: ["a"], name: "rule.st").run(3)
      Issue.record("no error")
    } catch {
      #expect("\(error)".hasPrefix("rule.st:2:3: error: 3 does not understand 'foo'"))
    }
  }

  /// What holds itself, or is nested without end in sight, is an error and no end of the process.
  @Test func valuesWithoutEnd() throws {
    struct Tree: Codable, ScriptConvertible { var children: [Tree] }
    let interpreter = Interpreter()
    let cycle = "d := #{ children: OrderedCollection new }. (d at: #children) add: d. d"
    let deep = """
      d := #{ children: #() }. 5000 timesRepeat: [ d := #{ children: (Array with: d) } ]. d
      """
    for text in [cycle, deep] {
      do throws(EvaluationError) {
        _ = try interpreter.evaluate(text, as: Tree.self)
        Issue.record("no error")
      } catch {
        #expect("\(error)".contains("nested more than"))
      }
    }
    #expect(try interpreter.evaluate("#{ children: #() }", as: Tree.self).children.isEmpty)
  }
}
