import Foundation
import Tenon
import TenonLexer
import TenonRuntime
import TenonStores
internal import TenonSolverKit
import Testing

/// The Swift code of the documentation: each block there is a part of this file.
@Suite struct EmbeddingExamples {
  @Test func values() throws {
    let interpreter = Interpreter()
    interpreter["limit"] = 20
    let sum = try interpreter.evaluate("(1 to: limit) sum", as: Int.self)  // 210
    #expect(sum == 210)
  }

  @Test func plainTypes() throws {
    let interpreter = Interpreter()
    interpreter["order"] = Order(price: 9.5, lines: ["tea", "milk"])
    interpreter["color"] = Color.green
    let order = try interpreter.evaluate(
      "order at: #color put: color. order", as: Order.self)
    print(order.color ?? "none")  // green
    #expect(order.color == "green" && order.lines == ["tea", "milk"])
  }

  @Test func calls() throws {
    let interpreter = Interpreter()
    let add = try interpreter.evaluate("[ :a :b | a + b ]")
    print(try add.call(3, 4, as: Int.self))  // 7
    let list = try interpreter.evaluate("OrderedCollection new", as: DynamicHandle.self)
    try list.add("a")
    try list.add("b", beforeIndex: 1)
    let first: String = try list.at(1)  // b
    #expect(first == "b")
    #expect(try add.call(3, 4, as: Int.self) == 7)
  }

  @Test func programs() throws {
    let interpreter = Interpreter()
    let area = try interpreter.compile("width * height", parameters: ["width", "height"])
    let square = try area.run(3, 3, as: Int.self)  // 9
    #expect(square == 9)
  }

  @Test func functions() throws {
    let interpreter = Interpreter()
    interpreter["twice"] = interpreter.function { (x: Int) in x * 2 }
    let numbers = try interpreter.evaluate("#(1 2 3) collect: twice", as: [Int].self)  // 2, 4, 6
    #expect(numbers == [2, 4, 6])
  }

  @Test func objects() throws {
    let interpreter = Interpreter()
    try interpreter.define(Tank.self) {
      HostInitializer("named:") { (name: String) in Tank(name: name) }
      HostProperty("level", \.level)
      HostProperty("name", \.name)
      HostMethod("fill:") { (tank, amount: Double) in try tank.fill(amount) }
    }
    let tank = Tank(name: "left")
    interpreter["left"] = tank
    _ = try interpreter.evaluate(
      """
      class Barrel : Tank { -fillTwice: amount { self fill: amount; fill: amount } }
      left fill: 30.
      (Barrel named: 'right') fillTwice: 5
      """)
    print(tank.level)  // 30.0
    #expect(tank.level == 30)
    try interpreter.define(error: TankError.self)
    let text = "[ left fill: 1000 ] on: TankError do: [ :error | error messageText ]"
    print(try interpreter.evaluate(text, as: String.self))  // overflow
    do {
      _ = try interpreter.evaluate("left fill: 1000", name: "rules.st")
    } catch {
      let failure = error.scriptError
      print(failure?.cause as? TankError == .overflow)  // true
      print(failure?.rendered() ?? "")  // rules.st:1:6: error: overflow
    }
    #expect(try interpreter.evaluate(text, as: String.self) == "overflow")
  }

  @Test func properties() throws {
    let interpreter = Interpreter()
    try interpreter.define(Weather.self) { HostProperty("celsius", \.celsius) }
    let weather = Weather()
    let model = try interpreter.object(weather)
    interpreter["weather"] = model
    _ = try interpreter.evaluate(
      """
      var fahrenheit. var kelvin.
      fahrenheit =|= weather celsius * 9 / 5 + 32.
      kelvin =|= weather celsius + 273.15
      """)

    let fields = try ["weather/celsius", "fahrenheit", "kelvin"].map {
      try interpreter.binding($0, as: Double.self)
    }
    var shown = [20.0, 68, 293.15]
    for (index, field) in fields.enumerated() { try field.observe { shown[index] = $0 } }

    try fields[1].set(212)  // the user writes Fahrenheit
    print(weather.celsius)  // 100.0
    try model.set(\.celsius, to: 0)  // the program writes its model
    print(shown)  // [0.0, 32.0, 273.15]
    #expect(weather.celsius == 0)
    #expect(shown == [0, 32, 273.15])

    let rules = "var limit := 30. var isHot. isHot |= weather celsius > limit"
    _ = try interpreter.reload(rules, name: "rules.st")
    let report = try interpreter.reload(
      rules.replacing("30", with: "-5"), name: "rules.st")
    print(report)
    // variables: kept isHot; set limit
    // connections: made again 'isHot |= weather celsius > limit'
    print(try interpreter.get("isHot", as: Bool.self))  // true
    #expect(try interpreter.get("isHot", as: Bool.self))
    #expect(
      "\(report)" == """
        variables: kept isHot; set limit
        connections: made again 'isHot |= weather celsius > limit'
        """)
  }

  @Test func reloading() throws {
    let interpreter = Interpreter()
    _ = try interpreter.reload(
      """
      class Ball { var x := 0. -step { x := x + 1 } }
      var ball := Ball new. var speed := 1. var label.
      label |= "at {ball x}"
      """, name: "game.st")
    _ = try interpreter.evaluate("3 timesRepeat: [ ball step ]")
    let report = try interpreter.reload(
      """
      class Ball { var x := 0. var size := 5. -step { x := x + 10 } }
      var ball := Ball new. var speed := 2. var label.
      label |= "now at {ball x}"
      """, name: "game.st")
    _ = try interpreter.evaluate("ball step")
    print(report)
    // variables: kept ball, label; set speed
    // classes: changed Ball (+size, 1 instance)
    // connections: added 'label |= "now at {ball x}"'; ended 'label |= "at {ball x}"'
    let answer = try interpreter.evaluate("label", as: String.self)  // now at 13
    #expect(answer == "now at 13")
    #expect(
      report.description == """
        variables: kept ball, label; set speed
        classes: changed Ball (+size, 1 instance)
        connections: added 'label |= "now at {ball x}"'; ended 'label |= "at {ball x}"'
        """)
  }

  @Test func sources() throws {
    let interpreter = Interpreter()
    _ = try interpreter.evaluate("var celsius. var warm. warm |= celsius > 25")
    let measured = interpreter.source(for: "celsius", of: Double.self)
    measured.send(30)  // from any thread
    _ = interpreter.runDue()
    print(try interpreter.get("warm", as: Bool.self))  // true
    #expect(try interpreter.get("warm", as: Bool.self))
  }

  @Test func errors() throws {
    let interpreter = Interpreter()
    do {
      _ = try interpreter.evaluate("#(1, 2) at: 3", name: "rules.st")
    } catch {
      let failure = error.scriptError
      print(failure?.message ?? "")  // index 3 is out of bounds: 1 to 2
      print(error)  // with the place, the line and the stack trace
      #expect(failure?.message == "index 3 is out of bounds: 1 to 2")
      #expect("\(error)".hasPrefix("rules.st:1:9: error: index 3 is out of bounds"))
    }
  }

  @Test func aScriptEndsItself() throws {
    let interpreter = Interpreter()
    guard case .failed(let exit) = interpreter.run(SourceText(name: "end.st", "Exit status: 3. 4"))
    else { return _ = Issue.record("it goes on") }
    #expect(exit.exitStatus == 3)
    #expect(exit.className == "Exit")
    guard case .failed(let error) = interpreter.run(SourceText(name: "error.st", "nil foo"))
    else { return _ = Issue.record("no error") }
    #expect(error.exitStatus == nil)
  }

  @Test func schemesThatTheHostHasNotMounted() throws {
    for scheme in ["file", "env", "defaults"] {
      guard
        case .rejected(let diagnostics, _) = Interpreter().run(
          SourceText(name: "scheme.st", "\(scheme):a"))
      else { return _ = Issue.record("it runs") }
      #expect(diagnostics.map(\.message) == ["the scheme '\(scheme)' is not mounted"])
    }
  }

  @Test func connections() throws {
    let interpreter = Interpreter()
    _ = try interpreter.evaluate("var price := 100. var total. total |= price * 119 / 100")
    interpreter["price"] = interpreter.value(200)
    let total = try interpreter.evaluate("total")
    #expect(total.integer == 238)
  }

  @Test func stores() throws {
    let interpreter = Interpreter()
    interpreter.mount(Settings(["color": "red"]), as: "settings")
    let color = try interpreter.evaluate("settings:color")
    #expect(color.string == "red")
    let missing = try interpreter.evaluate("settings:size")
    #expect(missing.isNil)
  }

  @Test func combinators() throws {
    let interpreter = Interpreter()
    interpreter.mount(Shouting(Settings(["color": "red"])), as: "loud")
    let loud = try interpreter.evaluate("loud:color")
    #expect(loud.string == "RED")
    #expect(try interpreter.evaluate("loud:size").isNil)
    #expect(throws: EvaluationError.self) { try interpreter.evaluate("loud:color := 'x'") }
  }

  @Test func aCombinatorThatFindsDamage() throws {
    let path = FileManager.default.temporaryDirectory
      .appending(path: "tenon-embedding-\(UUID().uuidString)").path
    defer { try? FileManager.default.removeItem(atPath: path) }
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    let interpreter = Interpreter()
    interpreter.mount(Checksummed(FileStore(directory: path)), as: "safe")
    let read = try interpreter.evaluate(
      "safe:a := 'text'. safe:b := \"two\\nlines\". safe:a , safe:b")
    #expect(read.string == "texttwo\nlines")
    #expect(try interpreter.evaluate("safe:missing").isNil)
    #expect(try interpreter.evaluate("ref:safe: children size").integer == 2)
    let file = path + "/a"
    let kept = try String(contentsOfFile: file, encoding: .utf8)
    #expect(kept.hasSuffix("\ntext"))
    try kept.replacing("text", with: "next").write(toFile: file, atomically: true, encoding: .utf8)
    let told = try interpreter.evaluate(
      "[ safe:a ] on: StoreError do: [ :e | e kind , ' ' , e messageText ]")
    #expect(told.string == "corrupt safe:a: its checksum is wrong")
    let refused = try interpreter.evaluate(
      "[ safe:a += 'x' ] on: StoreError do: [ :e | e kind ]. safe:b := nil. ref:safe:b exists")
    #expect(refused.boolean == false)
  }

  @Test func time() throws {
    let interpreter = Interpreter(clock: Interpreter.systemClock)
    _ = try interpreter.evaluate("[ stdout println: 'later' ] after: 10 milliseconds")
    while interpreter.isLive {
      // An application waits for its own events as well, nanosecondsUntilDue at most, or until
      // wakeUp.descriptor can be read.
      interpreter.wakeUp.wait(nanoseconds: interpreter.nanosecondsUntilDue ?? .max)
      _ = interpreter.runDue()
    }
    #expect(!interpreter.isLive)
  }

  @Test func imports() throws {
    let interpreter = Interpreter()
    interpreter.sourceLoader = BuiltInScripts()
    let area = try interpreter.evaluate("import 'shapes'. (#Circle{ r: 2 }) area")
    #expect(area.integer == 12)
    #expect(throws: EvaluationError.self) { try interpreter.evaluate("import 'others'") }
  }

  @Test func aSolverInSwift() throws {
    let interpreter = Interpreter()
    interpreter.register(OneStepSolver.self)
    let solver = try interpreter.evaluate(
      "var a := 1. var b. k := (b |= a + 1) solver: #oneStep. a := 5. k solver")
    #expect(solver.string == "oneStep")
    #expect(interpreter["b"]?.integer == 6)
    do {
      _ = try interpreter.evaluate("var c. (c =|= b) solver: #oneStep", name: "more.st")
      Issue.record("it is accepted")
    } catch .script(let error) {
      let reason = "no solver accepts it: oneStep: c =|= b: it has several directions"
      #expect(error.message == reason)
    } catch {
      Issue.record(error)
    }
    interpreter["a"] = interpreter.value(7)
    #expect(interpreter["b"]?.integer == 8)
  }

  @Test func formulas() throws {
    let interpreter = Interpreter()
    let celsius = interpreter.variable("celsius")
    let kelvin = interpreter.variable("kelvin")
    try interpreter.connect(kelvin, reading: [celsius]) { inputs in
      guard let degrees = inputs.double(0) else { return .missing }
      return degrees < -273.15 ? .failure("colder than absolute zero") : .double(degrees + 273.15)
    }
    try celsius.set(.integer(100))
    print(kelvin.double ?? 0)  // 373.15
    #expect(kelvin.double == 373.15)
    #expect(celsius.double == 100)
    _ = try interpreter.evaluate("celsius := 1/2")
    #expect(celsius.double == 0.5 && kelvin.double == 273.65)
    _ = try interpreter.evaluate("celsius := nil")
    #expect(celsius.double == nil && kelvin.value.isNil)
    try celsius.set(.integer(100))
    try celsius.set(.integer(-300))
    let error = try interpreter.evaluate("self connections first lastError")
    #expect(error.string == "colder than absolute zero")
    #expect(kelvin.double == 373.15)
  }

  @Test func limits() throws {
    var options = Interpreter.Options()
    options.memoryLimit = 64 << 20
    options.stepLimit = 1_000_000
    options.timeLimit = .seconds(2)
    options.outputLimit = 1 << 20
    let interpreter = Interpreter(options)
    let size = try interpreter.evaluate(
      "[ Array new: 100000000 ] on: OutOfMemory do: [ :error | 'refused' ]")
    #expect(size.string == "refused")
  }
}

/// Scripts that the program carries with it.
final class BuiltInScripts: SourceLoader {
  private let texts = ["shapes": "class Circle { var r. -area { ^r * r * 3 } }"]

  func load(
    _ path: String, importedBy importer: String
  ) throws(SourceLoaderError) -> LoadedSource {
    guard let text = texts[path] else { throw SourceLoaderError("there is no such script") }
    return LoadedSource(identity: path, source: SourceText(name: path, text))
  }

  func identity(ofFile name: String) -> String? { texts[name] == nil ? nil : name }
}

/// A store of texts that only the program changes.
final class Settings: Store {
  private let texts: [String: String]

  init(_ texts: [String: String]) { self.texts = texts }

  var capabilities: StoreCapabilities {
    StoreCapabilities([.get], durability: .none, isExternal: false)
  }

  func get(_ reference: Reference, if condition: Precondition?) throws(StoreError) -> GetOutcome {
    guard let text = texts[reference.components.joined(separator: "/")] else { return .missing }
    return .resource(Resource(text))
  }
}

/// The resources of another store, texts in capital letters, for reading only.
final class Shouting: ForwardingStore {
  override var capabilities: StoreCapabilities {
    StoreCapabilities(
      Set(source.capabilities.verbs).intersection([.get, .list]), durability: .none,
      isExternal: source.capabilities.isExternal)
  }

  override func get(
    _ reference: Reference, if condition: Precondition?
  ) throws(StoreError) -> GetOutcome {
    let outcome = try super.get(reference, if: condition)
    guard case .resource(let resource) = outcome, resource.contentType == "text/plain" else {
      return outcome
    }
    return .resource(Resource(String(decoding: resource.bytes, as: UTF8.self).uppercased()))
  }

  override func put(
    _ reference: Reference, _ resource: Resource, if condition: Precondition?
  ) throws(StoreError) {
    throw unsupported("put", reference)
  }
}

/// Keeps formulas none of which reads what another one computes: any order will do.
final class OneStepSolver: ConnectorSolver {
  static let name = "oneStep"
  static let cost = 500

  private var formulas: [ConstraintID: FormulaIR] = [:]

  static func accept(_ region: RegionIR) -> Acceptance {
    let outputs = Set(region.constraints.flatMap(\.formulas).map(\.output))
    let refusals = region.constraints.flatMap { constraint in
      constraint.formulas.compactMap { formula in
        if constraint.isMultiWay { return Refusal(formula.id, "it has several directions") }
        guard !outputs.isDisjoint(with: formula.inputs) else { return nil }
        return Refusal(formula.id, "it needs the result of another one")
      }
    }
    return refusals.isEmpty ? .yes : .no(refusals)
  }

  func add(_ constraint: ConstraintIR) throws(SolverConflict) {
    guard let formula = constraint.formulas.first else { return }
    if let other = self.formula(computing: formula.output) {
      throw SolverConflict(.overdetermined, [other, formula.id])
    }
    formulas[constraint.id] = formula
  }

  func remove(_ constraint: ConstraintID) { formulas[constraint] = nil }

  func edit(_ cell: CellID, age: UInt64, isPinned: Bool) throws(SolverConflict) {
    guard let formula = self.formula(computing: cell) else { return }
    throw SolverConflict(.overdetermined, [formula])
  }

  func unpin(_ cell: CellID) {}

  func settle(_ turn: Transaction) {
    let changed = Set(turn.changed)
    let new = Set(turn.forced)
    for formula in formulas.values.sorted(by: { $0.order < $1.order }) {
      let cause = formula.inputs.first { changed.contains($0) }
      if cause != nil || new.contains(formula.id) { _ = turn.run(formula.id, because: cause) }
    }
  }

  func formula(computing cell: CellID) -> FormulaID? {
    formulas.values.first { $0.output == cell }?.id
  }
}

enum Color: String, ScriptConvertible { case red, green }

struct Order: Codable, ScriptConvertible {
  var price: Double
  var lines: [String]
  var color: String?
}

/// A tank, as the program has it.
final class Tank: ScriptObject {
  var level = 0.0
  let name: String

  init(name: String) { self.name = name }

  func fill(_ amount: Double) throws {
    guard level + amount <= 100 else { throw TankError.overflow }
    level += amount
  }
}

enum TankError: Error { case overflow }

/// What the program knows of the weather.
final class Weather: ScriptObject {
  var celsius = 20.0
}
