import Observation
import Synchronization
import Tenon
import TenonConcurrency
import TenonRuntime
import Testing

/// Counts the calls that are under way at the same time.
private actor Counter {
  private var underWay = 0
  private(set) var most = 0

  func enter() {
    underWay += 1
    most = max(most, underWay)
  }

  func leave() { underWay -= 1 }
}

/// Holds calls up until it is open.
private actor Gate {
  private var isOpen = false
  private var waiting: [CheckedContinuation<Void, Never>] = []

  func pass() async {
    if isOpen { return }
    await withCheckedContinuation { waiting.append($0) }
  }

  func open() {
    isOpen = true
    for call in waiting { call.resume() }
    waiting = []
  }
}

private enum ShopError: Error, Equatable { case soldOut(String) }

/// What the program knows of a room.
@Observable final class Room: ScriptObject {
  var celsius = 20.0
}

private final class Shop: ScriptObject, Sendable {
  func price(of item: String) async throws -> Int {
    await Task.yield()
    if item == "nothing" { throw ShopError.soldOut(item) }
    return item.utf8.count
  }
}

/// Asynchronous Swift code that scripts call.
@Suite struct AsyncFunctionTests {
  private func interpreter() -> Interpreter {
    let interpreter = Interpreter(clock: Interpreter.systemClock)
    interpreter["double"] = interpreter.function { (x: Int) async in
      await Task.yield()
      return x * 2
    }
    return interpreter
  }

  @Test func aCallAnswersAFuture() throws {
    let interpreter = interpreter()
    #expect(try interpreter.evaluate("(double value: 21) value", as: Int.self) == 42)
    #expect(
      try interpreter.evaluate("((double value: 3) then: [ :x | x + 1 ]) value", as: Int.self) == 7)
    #expect(try interpreter.evaluate("(double value: 3) class name", as: String.self) == "Future")
  }

  /// The example of the documentation.
  @Test func severalPrices() throws {
    let interpreter = Interpreter()
    let shop = Shop()
    interpreter["price"] = interpreter.function { (item: String) async throws in
      try await shop.price(of: item)
    }
    let total = try interpreter.evaluate(
      """
      var prices := #('nail' 'screw') collect: [ :item | price value: item ].
      prices inject: 0 into: [ :sum :each | sum + each value ]
      """, as: Int.self)
    #expect(total == 9)
  }

  @Test func withoutAClockItsValueIsWaitedForAsWell() throws {
    let interpreter = Interpreter()
    interpreter["one"] = interpreter.function { () async in 1 }
    #expect(try interpreter.evaluate("one value value", as: Int.self) == 1)
  }

  @Test func severalAreUnderWayAtOnce() throws {
    let interpreter = interpreter()
    let counter = Counter()
    interpreter["slow"] = interpreter.function { (x: Int) async throws in
      await counter.enter()
      // All ten have begun before the first one ends.
      while await counter.most < 10 { await Task.yield() }
      await counter.leave()
      return x
    }
    let text = """
      ((1 to: 10) collect: [ :i | slow value: i ]) inject: 0 into: [ :sum :each | sum + each value ]
      """
    #expect(try interpreter.evaluate(text, as: Int.self) == 55)
  }

  /// Scripts that wait hold up all threads of the pool, and their calls are answered all the same.
  @Test func itDoesNotNeedThePool() async throws {
    try await withThrowingTaskGroup(of: Int.self) { group in
      for number in 0..<32 {
        group.addTask {
          let interpreter = Interpreter()
          interpreter["double"] = interpreter.function { (x: Int) async in
            await Task.yield()
            return x * 2
          }
          return try interpreter.evaluate("(double value: \(number)) value", as: Int.self)
        }
      }
      let sum = try await group.reduce(0, +)
      #expect(sum == 31 * 32)
    }
  }

  @Test func anErrorIsOneOfTheFuture() throws {
    let interpreter = interpreter()
    try interpreter.define(error: ShopError.self)
    interpreter["buy"] = interpreter.function { (item: String) async throws -> Int in
      throw ShopError.soldOut(item)
    }
    let handled = "[ (buy value: 'nail') value ] on: ShopError do: [ :error | error class name ]"
    #expect(try interpreter.evaluate(handled, as: String.self) == "ShopError")
    do {
      _ = try interpreter.evaluate("(buy value: 'nail') value")
      Issue.record("no error")
    } catch {
      #expect(error.scriptError?.cause as? ShopError == .soldOut("nail"))
    }
    // What does not fit is the error of the call.
    let unfit = "[ buy value: 3 ] on: InvalidArgument do: [ :error | 'unfit' ]"
    #expect(try interpreter.evaluate(unfit, as: String.self) == "unfit")
  }

  @Test func aMethodAnswersAFutureToo() throws {
    let interpreter = interpreter()
    try interpreter.define(Shop.self) {
      HostMethod("priceOf:") { (shop: Shop, item: String) async throws in
        try await shop.price(of: item)
      }
    }
    interpreter["shop"] = Shop()
    #expect(try interpreter.evaluate("(shop priceOf: 'nail') value", as: Int.self) == 4)
    let failed = "[ (shop priceOf: 'nothing') value ] on: HostError do: [ :error | -1 ]"
    #expect(try interpreter.evaluate(failed, as: Int.self) == -1)
  }

  /// Too many arguments, a wait in a formula, a call that takes longer than the script may.
  @Test func badUse() throws {
    var options = Interpreter.Options()
    options.timeLimit = .milliseconds(200)
    let interpreter = Interpreter(options, clock: Interpreter.systemClock)
    let gate = Gate()
    interpreter["slow"] = interpreter.function { (x: Int) async in
      await gate.pass()
      return x
    }
    do {
      _ = try interpreter.evaluate("slow value: 1 value: 2", name: "a.st")
      Issue.record("no error")
    } catch {
      #expect(error.scriptError?.rendered().contains("a.st:1:") == true)
    }
    #expect(throws: EvaluationError.self) { try interpreter.evaluate("(slow value: 3) value") }
    #expect(interpreter.exceededLimit == .time)
    let state = "var a := 1. var b. k := (b |= (slow value: a) value). k state"
    #expect(try interpreter.evaluate(state, as: String.self) != "satisfied")
    #expect(try interpreter.evaluate("3 + 4", as: Int.self) == 7)
    Task { await gate.open() }
  }

  @Test func codeWithoutAnAnswerAnswersNil() throws {
    let interpreter = interpreter()
    let counter = Counter()
    interpreter["count"] = interpreter.function { (_: Int) async in await counter.enter() }
    #expect(try interpreter.evaluate("(count value: 3) value isNil", as: Bool.self))
  }

  @Test func theLoopGoesOnUntilTheAnswerIsThere() throws {
    let interpreter = interpreter()
    _ = try interpreter.evaluate("var seen. (double value: 4) then: [ :x | seen := x ]")
    #expect(interpreter.isLive)
    _ = interpreter.runLoop()
    #expect(try interpreter.get("seen", as: Int.self) == 8)
    #expect(!interpreter.isLive)
  }

  @Test func aConnectionFollowsAnAnswer() throws {
    let interpreter = interpreter()
    _ = try interpreter.evaluate(
      "var a := 1. var b. b |= a + 1. (double value: 20) then: [ :x | a := x ]")
    _ = interpreter.runLoop()
    #expect(try interpreter.get("b", as: Int.self) == 41)
  }

  @Test func anInterpreterThatGoesHearsNothing() async throws {
    let counter = Counter()
    for _ in 0..<20 {
      let interpreter = interpreter()
      interpreter["enter"] = interpreter.function { () async in
        await counter.enter()
        await Task.yield()
      }
      _ = try interpreter.evaluate("enter value. enter value. double value: 3")
    }
    while await counter.most < 1 { await Task.yield() }
  }

  @Test func inAnActor() async throws {
    let scripts = ScriptActor { Interpreter(clock: Interpreter.systemClock) }
    try await scripts.run { interpreter in
      interpreter["double"] = interpreter.function { (x: Int) async in x * 2 }
    }
    #expect(try await scripts.evaluate("(double value: 4) value", as: Int.self) == 8)
  }
}

/// Properties of objects that the platform observes.
@Suite struct ObservationTests {
  private func model() throws -> (Interpreter, Room, HostObject<Room>) {
    let interpreter = Interpreter()
    try interpreter.define(Room.self) { HostProperty("celsius", \.celsius) }
    let room = Room()
    let object = try interpreter.object(room)
    interpreter["room"] = object
    _ = try interpreter.evaluate(
      "var fahrenheit. var kelvin. fahrenheit =|= room celsius * 9 / 5 + 32. kelvin |= room celsius + 273"
    )
    return (interpreter, room, object)
  }

  @Test func aFormulaFollowsWhoeverChangesIt() throws {
    let (interpreter, room, object) = try model()
    try object.follow(\.celsius)
    for celsius in [100.0, -40, 0] {
      room.celsius = celsius
      _ = interpreter.runDue()
      #expect(try interpreter.get("fahrenheit", as: Double.self) == celsius * 9 / 5 + 32)
      #expect(try interpreter.get("kelvin", as: Double.self) == celsius + 273)
    }
  }

  /// The example of the documentation.
  @Test func aRoom() throws {
    let interpreter = Interpreter()
    try interpreter.define(Room.self) { HostProperty("celsius", \.celsius) }
    let room = Room()
    let object = try interpreter.object(room)
    interpreter["room"] = object
    _ = try interpreter.evaluate("var kelvin. kelvin |= room celsius + 273.15")
    try object.follow(\.celsius)

    room.celsius = 100
    _ = interpreter.runDue()
    print(try interpreter.get("kelvin", as: Double.self))  // 373.15
    #expect(try interpreter.get("kelvin", as: Double.self) == 373.15)
  }

  @Test func bothWays() throws {
    let (interpreter, room, object) = try model()
    try object.follow(\.celsius)
    _ = try interpreter.evaluate("fahrenheit := 212")
    #expect(room.celsius == 100)
    _ = interpreter.runDue()
    #expect(room.celsius == 100)
    room.celsius = 10
    _ = interpreter.runDue()
    #expect(try interpreter.get("fahrenheit", as: Double.self) == 50)
    // Nothing is left to be told, and nothing goes in circles.
    for _ in 0..<3 { _ = interpreter.runDue() }
    #expect(interpreter.nanosecondsUntilDue == nil)
  }

  @Test func aChangeThatAnotherThreadHasMadeIsHeard() throws {
    let (interpreter, room, object) = try model()
    try object.follow(\.celsius)
    nonisolated(unsafe) let shared = room
    let worker = Worker { unsafe shared.celsius = 30 }
    worker.wait()
    interpreter.wakeUp.wait(nanoseconds: 10_000_000_000)
    _ = interpreter.runDue()
    #expect(try interpreter.get("kelvin", as: Double.self) == 303)
  }

  @Test func itCanBeEnded() throws {
    let (interpreter, room, object) = try model()
    let observation = try object.follow(\.celsius)
    observation.end()
    room.celsius = 50
    _ = interpreter.runDue()
    #expect(try interpreter.get("kelvin", as: Double.self) == 293)
  }

  @Test func whatScriptsDoNotKnowIsRefused() throws {
    let interpreter = Interpreter()
    try interpreter.define(Room.self) {}
    let object = try interpreter.object(Room())
    #expect(throws: EvaluationError.self) { try object.follow(\.celsius) }
  }
}
