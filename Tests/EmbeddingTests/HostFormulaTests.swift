import Foundation
import Tenon
import TenonRuntime
import Testing

/// Code of the host in formulas, and classes of the host that others inherit from.
@Suite struct HostFormulaTests {
  struct Refusal: Error, CustomStringConvertible {
    var description: String { "the host refuses it" }
  }

  class Vessel: ScriptObject {
    var level = 0.0
    init() {}
  }
  final class Boiler: Vessel { var heat = 20.0 }

  private func message(_ body: () throws -> Void) -> String {
    do { try body() } catch { return "\(error)" }
    return "no error"
  }

  // MARK: Inheritance

  /// A property of the superclass by a key path of the subclass.
  @Test func inheritedKeyPaths() throws {
    let interpreter = Interpreter()
    try interpreter.define(Vessel.self) {
      HostInitializer { Vessel() }
      HostProperty("level", \.level)
    }
    try interpreter.define(Boiler.self, inheriting: Vessel.self) {
      HostInitializer { Boiler() }
      HostProperty("heat", \.heat)
    }
    let boiler = Boiler()
    let object = try interpreter.object(boiler)
    interpreter["boiler"] = object
    _ = try interpreter.evaluate(
      "var double. double |= boiler level * 2. var warm. warm |= boiler heat + 1")
    try object.set(\.level, to: 4)
    #expect(try interpreter.get("double", as: Double.self) == 8)
    try object.set(\.heat, to: 30)
    #expect(try interpreter.get("warm", as: Double.self) == 31)
    boiler.level = 5
    try object.changed(\.level)
    #expect(try interpreter.get("double", as: Double.self) == 10)
    // The same object as one of the superclass.
    let vessel: HostObject<Vessel> = try interpreter.object(boiler as Vessel)
    try vessel.set(\.level, to: 6)
    #expect(try interpreter.get("double", as: Double.self) == 12)
    #expect(boiler.level == 6)
  }

  /// A property of a Swift superclass that has not been defined: the key path is one of the subclass.
  @Test func propertiesOfASuperclassThatIsNotDefined() throws {
    let interpreter = Interpreter()
    try interpreter.define(Boiler.self) { HostProperty("level", \.level) }
    let boiler = Boiler()
    let object = try interpreter.object(boiler)
    interpreter["boiler"] = object
    _ = try interpreter.evaluate("var double. double =|= boiler level * 2")
    try object.set(\.level, to: 4)
    #expect(try interpreter.get("double", as: Double.self) == 8)
    try interpreter.set("double", to: 20.0)
    #expect(boiler.level == 10)
  }

  /// A property of a kind of its own rests, whatever kind of number a formula comes to.
  @Test func numbersOfAnotherKindRest() throws {
    let interpreter = Interpreter()
    try interpreter.define(Boiler.self) { HostProperty("level", \.level) }
    let boiler = Boiler()
    let object = try interpreter.object(boiler)
    interpreter["boiler"] = object
    _ = try interpreter.evaluate("var double. k := (double =|= boiler level * 2)")
    for (text, level) in [("double := 20", 10.0), ("double := 21", 10.5), ("boiler level: 4", 4)] {
      _ = try interpreter.evaluate(text)
      #expect(boiler.level == level, "\(text)")
      #expect(try interpreter.evaluate("k state printString", as: String.self) == "#satisfied")
      #expect(try interpreter.get("double", as: Double.self) == level * 2)
    }
    try interpreter.set("double", to: 30)
    #expect(boiler.level == 15)
    #expect(try interpreter.evaluate("k state printString", as: String.self) == "#satisfied")
    // A wish that the property cannot hold is told.
    _ = try interpreter.evaluate("var half. half =|= boiler level / 3. half := 1 / 3")
    #expect(boiler.level == 1)
  }

  /// A class of a script that inherits from one of the host, and connects what it inherits.
  @Test func aScriptDerivesAndConnects() throws {
    let interpreter = Interpreter()
    try interpreter.define(Vessel.self) {
      HostInitializer { Vessel() }
      HostProperty("level", \.level)
    }
    _ = try interpreter.evaluate(
      """
      class Tub : Vessel {
        var owner := 'nobody'. var litres.
        ivar:litres |= self level * 10.
        -level: x { super level: x + 1 }
      }
      var t := Tub new. var shown. shown |= t litres.
      t level: 4
      """)
    let vessel = try interpreter.evaluate("t", as: Vessel.self)
    #expect(vessel.level == 5)
    #expect(try interpreter.get("shown", as: Double.self) == 50)
    let object = try interpreter.object(vessel)
    try object.set(\.level, to: 7)
    #expect(try interpreter.get("shown", as: Double.self) == 70)
  }

  // MARK: Formulas

  @Test func aFormulaWhoseHostCodeThrows() throws {
    let interpreter = Interpreter()
    interpreter["check"] = interpreter.function { (x: Int) throws -> Int in
      guard x < 10 else { throw Refusal() }
      return x * 2
    }
    _ = try interpreter.evaluate("var a := 1. var b. k := (b |= check value: a)")
    #expect(try interpreter.get("b", as: Int.self) == 2)
    try interpreter.set("a", to: 20)
    #expect(try interpreter.evaluate("k state", as: String.self) == "error")
    #expect(try interpreter.evaluate("k why", as: String.self).contains("refuses"))
    try interpreter.set("a", to: 3)
    #expect(try interpreter.get("b", as: Int.self) == 6)
    #expect(try interpreter.evaluate("k state", as: String.self) == "satisfied")
  }

  /// A formula reads what it likes and writes nothing, also by way of the host.
  @Test func aFormulaWhoseHostCodeUsesTheInterpreter() throws {
    let interpreter = Interpreter()
    let model = Vessel()
    try interpreter.define(Vessel.self) { HostProperty("level", \.level) }
    let object = try interpreter.object(model)
    interpreter["model"] = object
    var errors: [String] = []
    interpreter["reads"] = interpreter.function { [unowned interpreter] (x: Int) in
      try interpreter.evaluate("\(x) + hidden", as: Int.self)
    }
    let writes: [(String, () throws -> Void)] = [
      ("set", { [unowned interpreter] in try interpreter.set("other", to: 9) }),
      ("property", { try object.set(\.level, to: 9) }),
      ("changed", { try object.changed(\.level) }),
      ("connect", { [unowned interpreter] in _ = try interpreter.evaluate("other |= 3") }),
      ("own target", { [unowned interpreter] in try interpreter.set("b", to: 9) }),
      ("own input", { [unowned interpreter] in try interpreter.set("a", to: 9) }),
    ]
    var write: () throws -> Void = {}
    interpreter["writes"] = interpreter.function { (x: Int) -> Int in
      do { try write() } catch { errors.append("\(error)") }
      return x + 1
    }
    _ = try interpreter.evaluate(
      "var hidden := 100. var other := 1. var a := 1. var b. var c. var d. d |= model level. b |= reads value: a. k := (c |= writes value: a)"
    )
    #expect(try interpreter.get("b", as: Int.self) == 101)
    for (number, (name, body)) in writes.enumerated() {
      write = body
      errors = []
      try interpreter.set("a", to: 10 + number)
      write = {}
      // The host is told, or the connection says so.
      let state = try interpreter.evaluate("k state", as: String.self)
      #expect(errors.count == 1 || state == "error", "\(name)")
      #expect(try interpreter.get("other", as: Int.self) == 1, "\(name)")
      #expect(try interpreter.get("a", as: Int.self) == 10 + number, "\(name)")
      // It is as before as soon as the code behaves.
      try interpreter.set("a", to: 50 + number)
      #expect(try interpreter.get("c", as: Int.self) == 51 + number, "\(name)")
      #expect(try interpreter.evaluate("k state", as: String.self) == "satisfied", "\(name)")
    }
    // Outside of formulas each of them works.
    for (name, body) in writes.prefix(4) { #expect(message(body) == "no error", "\(name)") }
  }

  /// A formula of a property calls the host, which recurses into the interpreter without end.
  @Test func recursionInAFormula() throws {
    let interpreter = Interpreter()
    interpreter["deep"] = interpreter.function { [unowned interpreter] (x: Int) -> Int in
      try interpreter.evaluate("deep value: \(x + 1)", as: Int.self)
    }
    _ = try interpreter.evaluate("var a := 1. var b := 5. k := (b |= deep value: a)")
    #expect(try interpreter.evaluate("k state", as: String.self) == "error")
    #expect(try interpreter.evaluate("3 + 4", as: Int.self) == 7)
  }

  /// A change of a property cannot be undone: what has not heard of it to the end says so.
  @Test(arguments: ["|=", "=|="])
  func anInterruptedFormulaDoesNotHold(_ connector: String) throws {
    var options = Interpreter.Options()
    options.stepLimit = 20_000
    let interpreter = Interpreter(options)
    try interpreter.define(Room.self) { HostProperty("celsius", \.celsius) }
    let room = Room()
    let object = try interpreter.object(room)
    interpreter["room"] = object
    interpreter["slow"] = try interpreter.evaluate(
      "[ :x | x > 50 ifTrue: [ [ true ] whileTrue ]. x ]")
    _ = try interpreter.evaluate(
      """
      var shown. var other. other \(connector) room celsius + 1.
      k := (shown |= slow value: room celsius)
      """)
    #expect(message { try object.set(\.celsius, to: 60) }.contains("steps"))
    #expect(room.celsius == 60)
    #expect(try interpreter.evaluate("k state", as: String.self) == "error")
    try object.set(\.celsius, to: 10)
    #expect(try interpreter.get("shown", as: Double.self) == 10)
    #expect(try interpreter.get("other", as: Double.self) == 11)
    #expect(try interpreter.evaluate("k state", as: String.self) == "satisfied")
  }

  /// Code of the host that takes longer than the script may.
  @Test func hostCodeThatTakesTooLong() throws {
    var options = Interpreter.Options()
    options.timeLimit = .milliseconds(20)
    let interpreter = Interpreter(options)
    interpreter["slow"] = interpreter.function { () -> Int in
      usleep(40_000)
      return 3
    }
    do throws(EvaluationError) {
      _ = try interpreter.evaluate("1 to: 3000 do: [ :i | i ]. [ slow value ] repeat")
      Issue.record("no error")
    } catch {
      guard case .limit(.time) = error else {
        _ = Issue.record("\(error)")
        return
      }
    }
    #expect(try interpreter.evaluate("3 + 4", as: Int.self) == 7)
  }

  /// Steps, time, memory, depth and output, all limited at once, and each exceeded in turn.
  @Test func allLimitsAtOnce() throws {
    var options = Interpreter.Options()
    options.stepLimit = 200_000
    options.timeLimit = .seconds(20)
    options.memoryLimit = 16 << 20
    options.depthLimit = 100
    options.outputLimit = 1000
    let interpreter = Interpreter(options)
    let deep = "-deep: n { ^n = 0 ifTrue: [ 0 ] ifFalse: [ 1 + (self deep: n - 1) ] }\n"
    _ = try interpreter.evaluate(deep + "3")
    for round in 0..<3 {
      #expect(message { _ = try interpreter.evaluate("[ true ] whileTrue") }.contains("steps"))
      let bomb = "[ | a | a := #(1). [ a := a , a ] repeat ] on: OutOfMemory do: [ :e | 'full' ]"
      #expect(try interpreter.evaluate(bomb, as: String.self) == "full")
      let overflow = "[ self deep: 500 ] on: StackOverflow do: [ :e | 'deep' ]"
      #expect(try interpreter.evaluate(overflow, as: String.self) == "deep")
      #expect(try interpreter.evaluate("self deep: 50", as: Int.self) == 50)
      if round > 0 { continue }
      let long =
        "[ 1000 timesRepeat: [ stdout print: 'abcdef'. stdout flush ] ] on: StreamError do: [ :e | 'said' ]"
      #expect(try interpreter.evaluate(long, as: String.self) == "said")
    }
    #expect(try interpreter.evaluate("(1 to: 100) sum", as: Int.self) == 5050)
  }
}
