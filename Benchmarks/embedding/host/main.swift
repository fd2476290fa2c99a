// What crossing between Swift and scripts costs: `swift run -c release TenonEmbeddingBenchmarks`.
// `lua.c` beside this folder measures the same with Lua's C API. `--only ROW` measures the rows whose
// names have that text, once each, as a counter of instructions wants it.
import Tenon

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// The processor time of this process, in nanoseconds.
func cpuTime() -> Double {
  var time = timespec()
  unsafe clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
  return Double(time.tv_sec) * 1e9 + Double(time.tv_nsec)
}

/// The only rows that are measured; nil for all of them.
let wanted: String? =
  CommandLine.arguments.dropFirst().first == "--only" ? CommandLine.arguments.last : nil

/// Prints what one of so many rounds takes: the least of five runs.
func measure(_ name: String, _ count: Int, _ body: (Int) throws -> Void) rethrows {
  if let wanted, !name.contains(wanted) { return }
  var best = Double.infinity
  for _ in 0..<(wanted == nil ? 5 : 1) {
    let start = cpuTime()
    try body(count)
    best = min(best, (cpuTime() - start) / Double(count))
  }
  print("| \(name) | \((best * 10).rounded() / 10) ns |")
}

/// Whether what was computed is right: a benchmark of something else is none.
func check<Value: Equatable>(_ value: Value, _ wanted: Value) {
  if value != wanted {
    print("wrong: \(value), wanted \(wanted)")
    exit(1)
  }
}

final class Model: ScriptObject {
  var celsius = 20.0
}

let interpreter = Interpreter()
try interpreter.define(Model.self) {
  HostInitializer { Model() }
  HostProperty("celsius", \.celsius)
}

print("| Swift and a script | one |\n|---|---|")
try measure("evaluate(\"3 + 4\")", 20_000) { count in
  for _ in 0..<count { check(try interpreter.evaluate("3 + 4", as: Int.self), 7) }
}
let program = try interpreter.compile("x + 4", parameters: ["x"])
try measure("a compiled Program", 200_000) { count in
  for _ in 0..<count { check(try program.run(3, as: Int.self), 7) }
}
let block = try interpreter.evaluate("[ :x | x + 4 ]")
try measure("a block called from Swift", 200_000) { count in
  for _ in 0..<count { check(try block.call(3, as: Int.self), 7) }
}
interpreter["add"] = interpreter.function { (x: Int) in x + 4 }
let loop = try interpreter.compile("1 to: n do: [ :i | i ]", parameters: ["n"])
let calls = try interpreter.compile("1 to: n do: [ :i | add value: i ]", parameters: ["n"])
try measure("an empty turn of a loop", 1_000_000) { try loop.run($0) }
try measure("a closure called from a script, with the turn", 200_000) { try calls.run($0) }
let model = Model()
let object = try interpreter.object(model)
interpreter["model"] = object
let reads = try interpreter.compile("1 to: n do: [ :i | model celsius ]", parameters: ["n"])
try measure("a property read by a script, with the turn", 200_000) { try reads.run($0) }
let writes = try interpreter.compile("1 to: n do: [ :i | model celsius: i ]", parameters: ["n"])
try measure("a property written by a script, with the turn", 200_000) { try writes.run($0) }
_ = try interpreter.evaluate("var fahrenheit. fahrenheit |= model celsius * 9 / 5 + 32")
let fahrenheit = interpreter.variable("fahrenheit")
try measure("a property changed, a formula run and read", 100_000) { count in
  for round in 0..<count {
    try object.set(\.celsius, to: Double(round % 100))
    check(fahrenheit.double, Double(round % 100) * 9 / 5 + 32)
  }
}
measure("a new interpreter", 200) { count in
  for _ in 0..<count { _ = Interpreter() }
}

// Without limits, and with all of them: what stands for the programs that people write.
var options = Interpreter.Options()
options.stepLimit = .max
options.timeLimit = .seconds(3600)
options.memoryLimit = 1 << 30
options.depthLimit = 10_000
options.outputLimit = 1 << 20
let free = Interpreter()
let limited = Interpreter(options)
options.depthLimit = nil
let counted = Interpreter(options)
let fib = "class Fib { -fib: n { n < 2 ifTrue: [ ^n ]. ^(self fib: n - 1) + (self fib: n - 2) } }"
for interpreter in [free, counted, limited] { _ = try interpreter.evaluate(fib) }
let rows = [
  ("a turn with a send", 1_000_000, "| s | s := 0. 1 to: n do: [ :i | s := s + (i max: 3) ]. s"),
  ("a recursive send", 28_656, "Fib new fib: 22"),
  (
    "a recursive block", 28_656,
    "| f | f := nil. f := [ :k | k < 2 ifTrue: [ 1 ] ifFalse: [ (f value: k - 1) + (f value: k - 2) ] ]. f value: 21"
  ),
  ("an element of a collection", 1_000_000, "((1 to: n) inject: 0 into: [ :s :e | s + e ])"),
  (
    "a text of some words", 20_000, "1 to: n do: [ :i | ('a b c ', i printString) substrings size ]"
  ),
  (
    "an object put into a dictionary", 100_000,
    "| d | d := Dictionary new. 1 to: n do: [ :i | d at: i \\\\ 1000 put: i @ i ]. d size"
  ),
]
for (name, count, text) in rows {
  for (kind, interpreter) in [
    ("without limits", free), ("all limits but depth", counted), ("all limits", limited),
  ] {
    let program = try interpreter.compile(text, parameters: ["n"])
    try measure("\(name), \(kind)", count) { try program.run($0) }
  }
}
