#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// The processor time of this process, in seconds.
func cpuTime() -> Double {
  var time = timespec()
  unsafe clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
  return Double(time.tv_sec) + Double(time.tv_nsec) * 1e-9
}

/// The memory that this process has in use, in bytes; 0 where the system does not tell.
func residentBytes() -> Int {
  var text = [UInt8](repeating: 0, count: 256)
  let file = unsafe open("/proc/self/statm", O_RDONLY)
  guard file >= 0 else { return 0 }
  defer { close(file) }
  let count = unsafe read(file, &text, text.count)
  let fields = String(decoding: text.prefix(max(0, count)), as: UTF8.self).split(separator: " ")
  return fields.count > 1 ? (Int(fields[1]) ?? 0) * Int(sysconf(Int32(_SC_PAGESIZE))) : 0
}

struct BenchmarkFailure: Error, CustomStringConvertible {
  let description: String
  init(_ description: String) { self.description = description }
}

/// Prints a line at once, so that it is there when a later row is given up.
func write(line: String) {
  let bytes = Array((line + "\n").utf8)
  _ = unsafe write(1, bytes, bytes.count)
}

/// A line of the table.
func report(_ name: String, _ columns: [(Double, String)], goal: String) {
  let cells = columns.map { value, unit in
    "\((value * 10).rounded() / 10) \(unit)"
  }
  write(line: "| \(name) | \(cells.joined(separator: " | ")) | \(goal) |")
}

func measure(_ graph: @autoclosure () -> OneWayGraph, name: String, goal: String) throws {
  if let only, !name.hasPrefix(only) { return }
  let graph = graph()
  let rounds = max(
    1, 2_000_000 / max(1, graph.updates * graph.inputs[graph.inputs.count - 1].count))
  let program = try Program(graph)
  let total = program.nanosecondsForChange(rounds: rounds)
  var sum = 0
  let start = cpuTime()
  sum &+= graph.runPlainly(max(1, rounds / 4))
  let plain = (cpuTime() - start) / Double(max(1, rounds / 4)) * 1e9
  withExtendedLifetime(sum) {}
  let updates = Double(graph.updates)
  let loop = graph.updates == 1 ? 0 : plain / updates
  report(
    graph.name,
    [
      (total / updates, "ns"), (loop, "ns"),
      (program.buildTime / Double(graph.inputs.count) * 1e9, "ns"),
    ], goal: goal)
}

write(line: "| one way, formulas in Swift | an update | plain loop | to connect | goal |")
write(line: "|---|---|---|---|---|")
/// Which rows are wanted: all, or those whose name begins with the word after `--only`.
let only = CommandLine.arguments.drop { $0 != "--only" }.dropFirst().first
let large = CommandLine.arguments.contains("--small") ? [] : [1_000_000]
for size in [1_000] + large {
  try measure(.chain(size), name: "chain", goal: "25 ns")
  try measure(.wide(size), name: "wide", goal: "25 ns")
  try measure(.diamond(size), name: "diamond", goal: "25 ns")
  try measure(.cellx(size / 4), name: "cellx", goal: "25 ns")
}
try measure(.cutOff(100), name: "cut-off", goal: "60 ns")
try measure(.fanIn(1_000), name: "fan-in", goal: "1000 ns")
try measure(.observer, name: "change", goal: "100 ns")

if only.map({ "script".hasPrefix($0) }) ?? true {
  write(line: "")
  write(
    line: "| one way, formulas of the language | an update | the formula alone | engine | goal |")
  write(line: "|---|---|---|---|---|")
  for (name, equality) in [("chain 1000", false), ("chain 1000, an equality elsewhere", true)] {
    let times = try ScriptChain(1_000, besideEquality: equality).measure(rounds: 1_000)
    report(
      name,
      [(times.update, "ns"), (times.formula, "ns"), (times.update - times.formula, "ns")],
      goal: "25 ns")
  }
}

if only.map({ "recorded".hasPrefix($0) }) ?? true {
  write(line: "")
  write(
    line: "| formulas that send messages, their reads recorded | an update | the formula alone "
      + "| engine | goal |")
  write(line: "|---|---|---|---|---|")
  for (net, goal) in [
    (try RecordedNet.chain(1_000), "52 ns"), (try RecordedNet.wide(1_000), "88 ns"),
    (try RecordedNet.cellx(250), "192 ns"),
  ] {
    let times = try net.measure(rounds: 300)
    report(
      net.name,
      [(times.update, "ns"), (times.formula, "ns"), (times.update - times.formula, "ns")],
      goal: goal)
  }
}

if only.map({ "temperatures".hasPrefix($0) }) ?? true {
  write(line: "")
  write(line: "| C, F and K, formulas both ways | an edit | the two formulas | engine | goal |")
  write(line: "|---|---|---|---|---|")
  let times = try Temperatures().measure(200_000)
  report(
    "C, F and K",
    [(times.edit, "ns"), (times.formulas, "ns"), (times.edit - times.formulas, "ns")],
    goal: "200 ns")
}

if only.map({ "fold".hasPrefix($0) }) ?? true {
  write(line: "")
  write(
    line: "| one write in the language | an element, behind it the sum of all "
      + "| a variable, behind it a formula | the fold | goal |")
  write(line: "|---|---|---|---|---|")
  for size in [1_000, 100_000] {
    let times = try FoldedList(size).measure(200_000)
    report(
      "list of \(size)",
      [
        (times.element, "ns"), (times.variable, "ns"), (times.element - times.variable, "ns"),
      ], goal: "60 ns")
  }
}

if only.map({ "several".hasPrefix($0) }) ?? true {
  write(line: "")
  write(line: "| several directions, a constraint | build | edit + plan | execute | remove |")
  write(line: "|---|---|---|---|---|")
  for count in [100, 1_000, 10_000] {
    let times = try MultiWayChain(count: count).measure(rounds: 10)
    let chain = try CopyChain(count)
    let execute = chain.nanosecondsForChange(rounds: max(1, 1_000_000 / count)) / Double(count)
    report(
      "chain \(count)",
      [(times.build, "ns"), (times.plan, "ns"), (execute, "ns"), (times.remove, "ns")],
      goal: "271 / 87 / 3.9 / 110 ns")
  }
}

if only.map({ "memory".hasPrefix($0) }) ?? true {
  write(line: "")
  write(
    line: "| memory, a connection with its cell, explanations on | resident | allocated | goal |")
  write(line: "|---|---|---|---|")
  let count = 100_000
  try ConnectionMemory.nativeChain(count)
  try ConnectionMemory.readers(count, "source + 1")
  try ConnectionMemory.readers(count, "source + other")
  try ConnectionMemory.elements(count)
  try ConnectionMemory.instances(count, "equalities through paths", "value =|= before value")
}

if only.map({ "apart".hasPrefix($0) }) ?? true {
  write(line: "")
  write(line: "| a chain of equalities of the language, a link | build | remove |")
  write(line: "|---|---|---|")
  for count in [1_000, 100_000] + large {
    for fromStart in [true, false] {
      let times = try TakenApart.measure(count, fromStart: fromStart)
      report(
        "\(count), removed from its \(fromStart ? "start" : "end")",
        [(times.build, "ns"), (times.remove, "ns")], goal: "")
    }
  }
}
