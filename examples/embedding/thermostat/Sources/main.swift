// A thermostat in Swift, its rules in a script: `swift run thermostat [RULES]`, with the text of other rules.
//
// The program owns the model and the loop; the script says when to heat, and keeps what a display
// shows in step. The rules may be exchanged without building the program again.
import Tenon

/// What the program knows of the room.
final class Room: ScriptObject {
  var celsius = 17.0
  var target = 20.0
  var isHeating = false
}

/// Prints what scripts print.
final class Output: Console {
  func write(_ bytes: Span<UInt8>, to channel: ConsoleChannel) throws(ConsoleError) {
    var text: [UInt8] = []
    for index in bytes.indices { text.append(bytes[index]) }
    print(String(decoding: text, as: UTF8.self), terminator: "")
  }
  func flush() throws(ConsoleError) {}
  func readLine(isInterrupted: () -> Bool) throws(ConsoleError) -> [UInt8]? { nil }
  func readAll(limit: Int, isInterrupted: () -> Bool) throws(ConsoleError) -> [UInt8] { [] }
}

let rules = """
  var isCold. var display.
  isCold |= room celsius < room target.
  room heating |= isCold.
  display |= "{room celsius rounded} °C, {room heating ifTrue: [ 'heating' ] ifFalse: [ 'off' ]}"
  """

func run(_ rules: String) throws {
  var options = Interpreter.Options()
  options.stepLimit = 1_000_000
  options.memoryLimit = 16 << 20
  let interpreter = Interpreter(options, console: Output())
  try interpreter.define(Room.self) {
    HostProperty("celsius", \.celsius)
    HostProperty("target", \.target)
    HostProperty("heating", \.isHeating)
  }
  let room = Room()
  let model = try interpreter.object(room)
  interpreter["room"] = model
  _ = try interpreter.evaluate(rules, name: "rules")
  let display = try interpreter.binding("display", as: String.self)
  try display.observe { print($0) }
  for minute in 0..<12 {
    if minute == 6 { try model.set(\.target, to: 18) }
    try model.set(\.celsius, to: room.celsius + (room.isHeating ? 1 : -0.5))
  }
}

do {
  try run(CommandLine.arguments.count > 1 ? CommandLine.arguments[1] : rules)
} catch {
  print(error)
}
