import Tenon
import TenonLexer
import TenonRuntime
import Testing

/// Swift closures and types that scripts use.
@Suite struct HostTests {
  struct TankError: Error, CustomStringConvertible, Equatable {
    var description: String
  }

  class Tank: ScriptObject {
    var level = 0.0
    var name: String
    init(name: String = "tank") { self.name = name }
    func fill(_ amount: Double) throws {
      guard level + amount <= 100 else { throw TankError(description: "it overflows") }
      level += amount
    }
  }
  final class HotTank: Tank { var temperature = 20 }

  struct Color { var red = 0 }

  struct Vector: Equatable {
    var x: Double
    var y: Double
    var length: Double { (x * x + y * y).squareRoot() }
  }

  static func interpreter() throws -> Interpreter {
    let interpreter = Interpreter()
    try interpreter.define(Tank.self) {
      HostInitializer { Tank() }
      HostInitializer("named:") { (name: String) in Tank(name: name) }
      HostProperty("level", \.level)
      HostProperty("name", \.name)
      HostMethod("fill:") { (tank, amount: Double) in try tank.fill(amount) }
      HostMethod("pour:into:") { (tank, amount: Double, other: Tank) in
        tank.level -= amount
        try other.fill(amount)
        return tank.level
      }
    }
    try interpreter.define(HotTank.self, inheriting: Tank.self) {
      HostProperty("temperature", \.temperature)
    }
    try interpreter.define(Vector.self) {
      HostInitializer("x:y:") { (x: Double, y: Double) in Vector(x: x, y: y) }
      HostProperty("x", \.x)
      HostProperty("y", \.y)
      HostProperty("length", \.length)
      HostMutation("scale:") { (vector: inout Vector, factor: Double) in
        vector.x *= factor
        vector.y *= factor
      }
    }
    return interpreter
  }

  /// The error of a script with which a text ends.
  private func error(_ text: String, in interpreter: Interpreter) -> ScriptError? {
    do throws(EvaluationError) {
      _ = try interpreter.evaluate(text, name: "host.st")
      return nil
    } catch {
      guard case .script(let error) = error else { return nil }
      return error
    }
  }

  @Test func closuresAreBlocks() throws {
    let interpreter = Interpreter()
    interpreter["average"] = interpreter.function { (a: Double, b: Double) in (a + b) / 2 }
    interpreter["twice"] = interpreter.function { (x: Int) in x * 2 }
    interpreter["answer"] = interpreter.function { 42 }
    var seen: [Int] = []
    interpreter["note"] = interpreter.function { (x: Int) in seen.append(x) }
    #expect(try interpreter.evaluate("average value: 2 value: 4", as: Double.self) == 3)
    #expect(try interpreter.evaluate("#(1 2 3) collect: twice", as: [Int].self) == [2, 4, 6])
    #expect(try interpreter.evaluate("answer value + answer numArgs", as: Int.self) == 42)
    #expect(try interpreter.evaluate("(1 to: 3) do: note. note value: 9", as: Int?.self) == nil)
    #expect(seen == [1, 2, 3, 9])
    let sum = try interpreter.evaluate("#(1 2 3) inject: 0 into: average", as: Double.self)
    #expect(sum == 2.125)
    #expect(
      try interpreter.evaluate(
        "#(3 1 2) sort: [ :a :b | (twice value: a) < (twice value: b) ]",
        as: [Int].self) == [1, 2, 3])
    #expect(error("twice value: 1 value: 2", in: interpreter)?.className == "WrongArgumentCount")
    let wrong = error("twice value: 'x'", in: interpreter)
    #expect(wrong?.className == "InvalidArgument")
    #expect(wrong?.message.hasPrefix("expected an integer, found ") == true)
    #expect(try interpreter.evaluate("twice printString isEmpty", as: Bool.self) == false)
  }

  @Test func formulasUseClosures() throws {
    let interpreter = Interpreter()
    interpreter["twice"] = interpreter.function { (x: Int) in x * 2 }
    _ = try interpreter.evaluate("var a := 1. var b. b |= (twice value: a) + 1")
    #expect(try interpreter.get("b", as: Int.self) == 3)
    interpreter["a"] = 10
    #expect(try interpreter.get("b", as: Int.self) == 21)
  }

  @Test func errorsGoThereAndBack() throws {
    let interpreter = try Self.interpreter()
    #expect(
      try interpreter.evaluate(
        "[ Tank new fill: 200 ] on: HostError do: [ :e | e typeName , ': ' , e messageText ]",
        as: String.self) == "TankError: it overflows")
    #expect(
      try interpreter.evaluate(
        "[ Tank new fill: 200 ] on: Error do: [ :e | e class name ]",
        as: String.self) == "HostError")
    let text = "var t := Tank new.\n[ :x | t fill: x ] value: 200"
    let unhandled = error(text, in: interpreter)
    #expect(unhandled?.cause as? TankError == TankError(description: "it overflows"))
    #expect(unhandled?.rendered().hasPrefix("host.st:2:10: error: it overflows") == true)
    try interpreter.define(error: TankError.self)
    #expect(
      try interpreter.evaluate(
        "[ t fill: 200 ] on: TankError do: [ :e | e messageText ]",
        as: String.self) == "it overflows")
    #expect(error("t fill: 200", in: interpreter)?.className == "TankError")
    // A script's exception goes through Swift code with its class.
    interpreter["run"] = interpreter.function { (block: Handle) in try block.call() }
    #expect(
      try interpreter.evaluate(
        "[ run value: [ 1 / 0 ] ] on: ZeroDivide do: [ :e | 'caught' ]",
        as: String.self) == "caught")
    #expect(error("run value: [ nil foo ]", in: interpreter)?.className == "MessageNotUnderstood")
    let exit = error("run value: [ Exit status: 3 ]", in: interpreter)
    #expect(exit?.exitStatus == 3)
    #expect(
      try interpreter.evaluate(
        "[ run value: [ t fill: 200 ] ] on: TankError do: [ :e | 7 ]",
        as: Int.self) == 7)
  }

  @Test func hostCodeMayEvaluate() throws {
    let interpreter = Interpreter()
    var attempts: [String] = []
    interpreter["factorial"] = interpreter.function { [unowned interpreter] (n: Int) -> Int in
      n < 2 ? 1 : n * (try interpreter.evaluate("factorial value: \(n - 1)", as: Int.self))
    }
    #expect(try interpreter.evaluate("factorial value: 15", as: Int.self) == 1_307_674_368_000)
    // Without an end it is an error of the script, and no crash.
    interpreter["forever"] = interpreter.function { [unowned interpreter] (n: Int) -> Int in
      try interpreter.evaluate("forever value: \(n + 1)", as: Int.self)
    }
    #expect(
      try interpreter.evaluate(
        "[ forever value: 1 ] on: StackOverflow do: [ :e | 'deep' ]",
        as: String.self) == "deep")
    // An unwinding goes on behind the Swift code, whatever that does.
    interpreter["swallow"] = interpreter.function { [unowned interpreter] (block: Handle) -> Int in
      do {
        return try block.call(as: Int.self)
      } catch {
        do {
          attempts.append("\(try interpreter.evaluate("1", as: Int.self))")
        } catch { attempts.append("refused") }
        return 0
      }
    }
    #expect(
      try interpreter.evaluate(
        "[ (swallow value: [ Error signal: 'x'. 5 ]) + 100 ] on: Error do: [ :e | e return: 3 ]",
        as: Int.self) == 3)
    #expect(attempts == ["refused"])
    #expect(try interpreter.evaluate("swallow value: [ 5 ]", as: Int.self) == 5)
    _ = try interpreter.evaluate("class A { -m { swallow value: [ ^7 ]. ^8 } }")
    #expect(try interpreter.evaluate("A new m", as: Int.self) == 7)
  }

  @Test func objectsAndStructures() throws {
    let interpreter = try Self.interpreter()
    let tank = Tank(name: "left")
    interpreter["left"] = tank
    interpreter["again"] = tank
    _ = try interpreter.evaluate("var right := Tank named: 'right'. left fill: 30")
    #expect(tank.level == 30)
    #expect(try interpreter.evaluate("left == again", as: Bool.self))
    #expect(try interpreter.evaluate("left pour: 10 into: right", as: Double.self) == 20)
    #expect(
      try interpreter.evaluate("right name , right level printString", as: String.self)
        == "right10.0")
    #expect(try interpreter.evaluate("left", as: Tank.self) === tank)
    _ = try interpreter.evaluate("left name: 'west'")
    #expect(tank.name == "west")
    let hot = HotTank(name: "hot")
    interpreter["hot"] = hot
    #expect(
      try interpreter.evaluate("hot fill: 5; temperature: 80. hot level", as: Double.self) == 5)
    #expect(hot.temperature == 80)
    #expect(try interpreter.evaluate("hot isKindOf: Tank", as: Bool.self))
    let vector = try interpreter.evaluate(
      "var v := Vector x: 3 y: 4. v scale: 2. v length",
      as: Double.self)
    #expect(vector == 10)
    let object = try interpreter.object(Vector(x: 1, y: 1))
    interpreter["w"] = object
    _ = try interpreter.evaluate("w x: 6")
    #expect(try object.value() == Vector(x: 6, y: 1))
    #expect(error("left frobnicate", in: interpreter)?.className == "MessageNotUnderstood")
    #expect(
      error("left level: 'x'", in: interpreter)?.message.hasPrefix("expected a number") == true)
    #expect(error("left length: 3", in: interpreter)?.className == "MessageNotUnderstood")
    #expect(error("left copy fill: 1", in: interpreter)?.message.contains("it is a copy") == true)
    #expect(error("Vector new", in: interpreter)?.className == "NotAvailable")
    #expect(
      error("left pour: 1 into: v", in: interpreter)?.message.hasPrefix("argument 2: ") == true)
  }

  @Test func scriptsDeriveClasses() throws {
    let interpreter = try Self.interpreter()
    _ = try interpreter.evaluate(
      """
      class Barrel : Tank {
        var owner := 'nobody'.
        -fill: amount { super fill: amount / 2 }
        -label { ^owner , ' ' , self name }
      }
      """)
    #expect(
      try interpreter.evaluate("var b := Barrel named: 'b1'. b fill: 10. b level", as: Double.self)
        == 5)
    #expect(try interpreter.evaluate("b label", as: String.self) == "nobody b1")
    #expect(try interpreter.evaluate("b", as: Tank.self).name == "b1")
    #expect(try interpreter.evaluate("Barrel new owner", as: String.self) == "nobody")
  }

  @Test func definitionsThatCannotBe() throws {
    let interpreter = try Self.interpreter()
    func refused(
      _ name: String,
      @HostMemberBuilder<Color> _ members: () -> [HostMember<Color>] = { [] }
    ) -> String {
      do throws(EvaluationError) {
        try interpreter.define(Color.self, as: name, members: members)
        return "no error"
      } catch { return "\(error)" }
    }
    #expect(refused("Array") == "'Array' is there already")
    #expect(refused("Tank") == "'Tank' is there already")
    #expect(refused("lower").contains("is no name of a class"))
    #expect(refused("New") { HostMethod("a b") { _ in } } == "'a b' is no selector")
    #expect(
      refused("New") { HostMethod("a:") { _ in } } == "'a:' has 1 arguments, and its code takes 0")
    let twice = refused("New") {
      HostProperty("red", \.red)
      HostMethod("red") { _ in 1 }
    }
    #expect(twice == "'red' of 'New' is there twice")
    #expect(refused("New") == "no error")
    #expect(refused("Other") == "the type of 'Other' has been defined already")
    #expect(throws: EvaluationError.self) { try interpreter.object(3) }
    #expect(throws: EvaluationError.self) { try Interpreter().set("t", to: Tank()) }
  }

  @Test func objectsGoWithTheirScripts() throws {
    final class Counted {
      let onEnd: () -> Void
      init(_ onEnd: @escaping () -> Void) { self.onEnd = onEnd }
      deinit { onEnd() }
    }
    var ended = 0
    let interpreter = Interpreter()
    try interpreter.define(Counted.self) {
      HostInitializer {
        Counted {
          ended += 1
          // The interpreter refuses what its collector would not survive.
          _ = try? interpreter.evaluate("1 + 1")
        }
      }
    }
    _ = try interpreter.evaluate(
      "2000 timesRepeat: [ Counted new ]")
    interpreter.machine.collect(every: 1)
    _ = try interpreter.evaluate("100 timesRepeat: [ Object new ]")
    interpreter.machine.collect(every: 0)
    #expect(ended >= 1900)
    var blocks = 0
    for _ in 0..<300 {
      let counted = Counted { blocks += 1 }
      _ = interpreter.function { () -> Bool in withExtendedLifetime(counted) { true } }
    }
    interpreter.machine.collect(every: 1)
    _ = try interpreter.evaluate("100 timesRepeat: [ Object new ]")
    interpreter.machine.collect(every: 0)
    #expect(blocks >= 290)
  }

  @Test func theRunLoopIsNotRunWithin() throws {
    let interpreter = Interpreter()
    var messages: [String] = []
    interpreter["wait"] = interpreter.function { [unowned interpreter] () -> Void in
      for outcome in [interpreter.runDue(), interpreter.runLoop()] {
        if case .failed(let error) = outcome { messages.append(error.message) }
      }
    }
    _ = try interpreter.evaluate("wait value")
    #expect(messages == Array(repeating: "the interpreter is evaluating something", count: 2))
  }

  @Test func interpretersGo() throws {
    weak var last: Machine?
    weak var tank: Tank?
    for _ in 0..<20 {
      let interpreter = try Self.interpreter()
      let own = Tank()
      interpreter["t"] = own
      interpreter["f"] = interpreter.function { (x: Double) in try own.fill(x) }
      _ = try interpreter.evaluate(
        "var x := 1. t level |= x. f value: 2. [ Error signal ] on: Error do: [ 3 ]")
      last = interpreter.machine
      tank = own
    }
    #expect(last == nil)
    #expect(tank == nil)
  }

  @Test func everythingSurvivesCollections() throws {
    let interpreter = try Self.interpreter()
    interpreter.machine.collect(every: 1)
    interpreter["pair"] = interpreter.function { (a: [String], b: [String: Int]) in
      a + b.keys.sorted()
    }
    #expect(
      try interpreter.evaluate(
        "pair value: #('a' , 'b', 'c') value: #{ x: 1, y: 2 }", as: [String].self
      ).count >= 3)
    #expect(
      try interpreter.evaluate(
        "| t | t := Tank named: 'a' , 'b'. 50 timesRepeat: [ t fill: 1 ]. t name", as: String.self)
        == "ab")
    let program = try interpreter.compile("xs collect: [ :x | x , '!' ]", parameters: ["xs"])
    #expect(try program.run(["a", "b"], as: [String].self) == ["a!", "b!"])
  }
}
