import Tenon
import TenonLexer
import TenonRuntime
import Testing

/// Properties of Swift objects are ends of connectors, both ways.
@Suite struct PropertyTests {
  final class Model: ScriptObject {
    var celsius = 20.0
    var label = ""
    /// Holds no more than 100.
    var limited = 0 { didSet { limited = min(limited, 100) } }
    var writes = 0
    var counted = 0 { didSet { writes += 1 } }
  }

  struct Fixture {
    let interpreter = Interpreter()
    let model = Model()
    let object: HostObject<Model>

    init() throws {
      try interpreter.define(Model.self) {
        HostProperty("celsius", \.celsius)
        HostProperty("label", \.label)
        HostProperty("limited", \.limited)
        HostProperty("counted", \.counted)
        HostProperty("writes", \Model.writes as KeyPath<Model, Int>)
      }
      object = try interpreter.object(model)
      interpreter["model"] = object
    }

    func run(_ text: String) throws { _ = try interpreter.evaluate(text) }

    func number(_ text: String) throws -> Double { try interpreter.evaluate(text, as: Double.self) }

    /// The state of a connection that a variable holds.
    func state(_ name: String = "k") throws -> String {
      try interpreter.evaluate("\(name) state", as: String.self)
    }
  }

  @Test func formulasReadProperties() throws {
    let f = try Fixture()
    try f.run("var kelvin. k := (kelvin |= model celsius + 273)")
    #expect(try f.number("kelvin") == 293)
    try f.object.set(\.celsius, to: 100)
    #expect(try f.number("kelvin") == 373)
    f.model.celsius = 50
    try f.object.changed(\.celsius)
    #expect(try f.number("kelvin") == 323)
    try f.run("model celsius: 0")
    #expect(try f.number("kelvin") == 273)
    #expect(f.model.celsius == 0)
    try f.run(
      "class Reader { var m. -m: x { m := x } -warm { ^m celsius > 30 } } var warm. warm |= (Reader new m: model; yourself) warm"
    )
    try f.object.set(\.celsius, to: 31)
    #expect(try f.interpreter.get("warm", as: Bool.self))
  }

  /// What was not announced is seen as soon as it is, even when the value is an old one.
  @Test func silentChanges() throws {
    let f = try Fixture()
    try f.run("var seen. k := (seen |= model celsius)")
    f.model.celsius = 30
    try f.run("var other := model celsius. var also. also |= model celsius")
    #expect(try f.number("also") == 30)
    f.model.celsius = 20
    try f.object.changed(\.celsius)
    #expect(try f.number("seen") == 20)
    #expect(try f.number("also") == 20)
  }

  @Test func connectionsWriteProperties() throws {
    let f = try Fixture()
    try f.run("var c := 5. k := (model celsius |= c * 2)")
    #expect(f.model.celsius == 10)
    try f.interpreter.set("c", to: 50)
    #expect(f.model.celsius == 100)
    try f.run("model label |= 'at ' , model celsius printString")
    #expect(f.model.label == "at 100.0" || f.model.label == "at 100")
    try f.run("c := 1")
    #expect(f.model.label == "at 2.0" || f.model.label == "at 2")
    // A determined place refuses a script, and takes the announced value of the host back.
    #expect(throws: EvaluationError.self) { try f.run("model celsius: 7") }
    #expect(f.model.celsius == 2)
    f.model.celsius = 99
    try f.object.changed(\.celsius)
    #expect(f.model.celsius == 2)
    #expect(try f.state() == "satisfied")
  }

  @Test func theThreeTemperatures() throws {
    let f = try Fixture()
    try f.run(
      """
      var fahrenheit. var kelvin.
      k := (fahrenheit =|= model celsius * 9 / 5 + 32).
      l := (kelvin =|= model celsius + 273.15)
      """)
    #expect(try f.number("fahrenheit") == 68)
    let fields = try ["model/celsius", "fahrenheit", "kelvin"].map {
      try f.interpreter.binding($0, as: Double.self)
    }
    var shown: [String] = []
    for (index, field) in fields.enumerated() {
      try field.observe { shown.append("\(index): \($0)") }
    }
    try fields[1].set(212)
    #expect(f.model.celsius == 100)
    #expect(try fields[2].get() == 373.15)
    #expect(shown.sorted() == ["0: 100.0", "1: 212.0", "2: 373.15"])
    shown = []
    try f.object.set(\.celsius, to: 0)
    #expect(try fields.map { try $0.get() } == [0, 32, 273.15])
    #expect(shown.sorted() == ["0: 0.0", "1: 32.0", "2: 273.15"])
    try fields[2].set(0.15)
    #expect(abs(f.model.celsius + 273) < 1e-9)
    #expect(try f.state() == "satisfied")
    #expect(try f.state("l") == "satisfied")
  }

  /// A connection whose value the host does not keep does not say that it holds.
  @Test func aPropertyThatKeepsSomethingElse() throws {
    let f = try Fixture()
    try f.run("var x := 5. k := (model limited |= x)")
    #expect(f.model.limited == 5)
    #expect(try f.state() == "satisfied")
    try? f.interpreter.set("x", to: 300)
    let kept = f.model.limited
    let x = try f.interpreter.get("x", as: Int.self)
    #expect(try f.state() != "satisfied" || kept == x)
    try f.interpreter.set("x", to: 7)
    #expect(f.model.limited == 7)
    #expect(try f.state() == "satisfied")
    try f.run("k disconnect. model limited: 300")
    #expect(f.model.limited == 100)
  }

  @Test func aPropertyOfAnotherType() throws {
    let f = try Fixture()
    try f.run("var x := 5. k := (model limited |= x)")
    try? f.interpreter.set("x", to: "text")
    #expect(try f.state() == "error")
    #expect(f.model.limited == 5)
    try f.interpreter.set("x", to: 6)
    #expect(f.model.limited == 6)
    #expect(try f.state() == "satisfied")
  }

  @Test func formulasThatAnnounce() throws {
    let f = try Fixture()
    var refusals = 0
    f.interpreter["poke"] = f.interpreter.function { (x: Double) in
      do { try f.object.set(\.celsius, to: x) } catch {
        refusals += 1
        throw error
      }
    }
    try f.run("var x := 1. var y. var seen. seen |= model celsius")
    try? f.run("k := (y |= poke value: x)")
    #expect(refusals >= 1)
    #expect(try f.interpreter.evaluate("3 + 4", as: Int.self) == 7)
    // Outside of formulas it may.
    try f.run("poke value: 77")
    #expect(try f.number("seen") == 77)
  }

  /// A sequence of random changes from both sides leaves every connection true.
  @Test func randomChanges() throws {
    let f = try Fixture()
    try f.run(
      """
      var f := 0. var g. var h.
      k := (f =|= model celsius * 2 + 1).
      l := (g |= f + model counted).
      m := (model counted |= h).
      """)
    var random = SystemRandomNumberGenerator()
    for round in 0..<200 {
      let value = Double(Int.random(in: -1000...1000, using: &random))
      switch Int.random(in: 0..<5, using: &random) {
      case 0: try f.object.set(\.celsius, to: value)
      case 1: try f.interpreter.set("f", to: value)
      case 2: try f.interpreter.set("h", to: Int(value))
      case 3: try f.run("model celsius: \(Int(value))")
      default:
        f.model.celsius = value
        try f.object.changed(\.celsius)
      }
      let isTrue = try f.interpreter.evaluate(
        "f = (model celsius * 2 + 1) and: [ g = (f + model counted) or: [ g isNil ] ]",
        as: Bool.self)
      #expect(isTrue, "round \(round)")
      #expect(try f.number("f") == f.model.celsius * 2 + 1)
    }
  }

  @Test func valuesFromOtherThreads() throws {
    let interpreter = Interpreter()
    _ = try interpreter.evaluate("var celsius. var f. f |= celsius * 2")
    let source = interpreter.source(for: "celsius", of: Int.self)
    let refused = interpreter.source(for: "f", of: Int.self)
    let errors = ErrorLog()
    source.send(21)
    refused.send(1) { errors.add("\($0)") }
    #expect(interpreter.isLive)
    _ = interpreter.runDue()
    #expect(try interpreter.get("f", as: Int.self) == 42)
    #expect(errors.count == 1)
  }

  @Test func bindingsThatCannotBe() throws {
    let interpreter = Interpreter()
    interpreter["x"] = 1
    #expect(throws: EvaluationError.self) { try interpreter.binding("x; 3", as: Int.self) }
    #expect(throws: EvaluationError.self) { try interpreter.binding("missing", as: Int.self).get() }
    let x = try interpreter.binding("x", as: Int.self)
    #expect(throws: EvaluationError.self) { try interpreter.binding("x", as: String.self).get() }
    var seen: [Int] = []
    let observation = try x.observe { seen.append($0) }
    try x.set(2)
    try observation.end()
    try x.set(3)
    #expect(seen == [2])
  }

  /// A property may announce its own change while a script sets it, and formulas read it then.
  @Test func aPropertyThatTellsOfItself() throws {
    final class Gauge {
      var tell: () -> Void = {}
      var level = 0 { didSet { tell() } }
    }
    let interpreter = Interpreter()
    try interpreter.define(Gauge.self) { HostProperty("level", \.level) }
    let gauge = Gauge()
    let object = try interpreter.object(gauge)
    gauge.tell = { try? object.changed(\.level) }
    interpreter["gauge"] = object
    _ = try interpreter.evaluate("twice |= gauge level * 2. gauge level: 4")
    #expect(try interpreter.evaluate("twice", as: Int.self) == 8)
    gauge.tell = {}
  }
}
