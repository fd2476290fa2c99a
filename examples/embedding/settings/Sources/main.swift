// The model of a window with settings, kept in step by connectors: `swift run settings`.
//
// The program has the settings and the fields of the window, a script what follows from what. Each line of
// the input is what a user types into a field, `points 14`; fields that change are printed.
import Tenon

/// What the program keeps.
final class Settings: ScriptObject {
  var fontSize = 12.0
  var family = "Serif"
}

/// A field of the window: it shows what a place holds, and what is typed into it goes there.
final class Field<Value: ScriptConvertible & LosslessStringConvertible> {
  let name: String
  private let binding: ScriptBinding<Value>

  init(_ name: String, _ interpreter: Interpreter) throws {
    self.name = name
    binding = try interpreter.binding(name, as: Value.self)
    try binding.observe { print("\(name): \($0)") }
  }

  func enter(_ text: String) throws(EvaluationError) {
    guard let value = Value(text) else { return print("\(name): '\(text)' is none") }
    try binding.set(value)
  }
}

/// What follows from what.
let rules = """
  var points. var millimetres. var preview. var problem.
  points =|= settings fontSize.
  millimetres =|= settings fontSize * 0.35.
  preview |= "{settings family}, {settings fontSize} pt".
  problem |= settings fontSize < 6 ifTrue: [ 'too small to read' ] ifFalse: [ 'none' ].
  """

let interpreter = Interpreter()
try interpreter.define(Settings.self) {
  HostProperty("fontSize", \.fontSize)
  HostProperty("family", \.family)
}
let settings = Settings()
interpreter["settings"] = settings
_ = try interpreter.evaluate(rules, name: "rules")

let points = try Field<Double>("points", interpreter)
let millimetres = try Field<Double>("millimetres", interpreter)
let family = try Field<String>("settings/family", interpreter)
let preview = try Field<String>("preview", interpreter)
let problem = try Field<String>("problem", interpreter)

while let line = readLine() {
  let words = line.split(separator: " ", maxSplits: 1).map(String.init)
  guard words.count == 2 else { continue }
  do {
    switch words[0] {
    case "points": try points.enter(words[1])
    case "millimetres": try millimetres.enter(words[1])
    case "family": try family.enter(words[1])
    case "preview": try preview.enter(words[1])
    default: print("there is no field '\(words[0])'")
    }
  } catch {
    print(error.scriptError?.message ?? "\(error)")
  }
}
print("saved: \(settings.family), \(settings.fontSize)")
