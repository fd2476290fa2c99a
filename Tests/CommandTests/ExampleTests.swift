import Foundation
import Testing

/// The main job: the converter as people use it, and the paper's program across two runs.
@Suite struct ExampleTests {
  static let examples = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent().appendingPathComponent("examples")

  private static let understood =
    "A number and a scale are understood, as in: f 212, c -40, 0 kelvin. To leave: quit.\n"

  /// Runs a script that keeps its defaults in a directory.
  private func run(
    _ script: String, _ arguments: String..., in directory: Directory, input: String = ""
  ) throws -> (status: Child.Exit, output: String, errors: String) {
    try run(script, arguments, in: directory, input: Array(input.utf8))
  }

  private func run(
    _ script: String, _ arguments: [String], in directory: Directory, input: [UInt8]
  ) throws -> (status: Child.Exit, output: String, errors: String) {
    let stdin = try directory.write(input, to: "input")
    let child = try Child.start(
      [
        "/bin/sh", "-c",
        #"export XDG_CONFIG_HOME="$1" errors="$2"; shift 2; exec "$0" "$@" 2>"$errors""#,
        Command.path, directory.path("configuration"), directory.path("errors"), script,
      ] + arguments, stdin: stdin)
    let output = try child.readToEnd()
    let status = child.waitForExit()
    return (status, output, try text(directory.path("errors")))
  }

  private func text(_ path: String) throws -> String {
    try String(contentsOf: URL(fileURLWithPath: path), encoding: .utf8)
  }

  private func example(_ name: String) -> String {
    ExampleTests.examples.appendingPathComponent(name).path
  }

  // MARK: The architecture

  /// Whole stores in step, each with a policy of its own.
  @Test func theArchitectureKeepsItsPartsInStep() throws {
    try Directory.withTemporary { directory in
      let result = try run(example("architecture.st"), in: directory)
      #expect(result.status == .status(0))
      #expect(result.errors == "")
      #expect(
        result.output == """
          at the start
            model: lists/1 = Shopping, lists/1/tasks/1 = milk
            ui: lists/1 = Shopping, lists/1/tasks/1 = milk
            saved: lists/1 = Shopping, lists/1/tasks/1 = milk
            backend: lists/1 = Shopping, lists/1/tasks/1 = milk
          typed
            model: lists/1 = Shopping, lists/1/tasks/1 = milk, lists/1/tasks/2 = bread
            ui: lists/1 = Shopping, lists/1/tasks/1 = milk, lists/1/tasks/2 = bread
            saved: lists/1 = Shopping, lists/1/tasks/1 = milk
            backend: lists/1 = Shopping, lists/1/tasks/1 = milk, lists/1/tasks/2 = bread
          saved
            model: lists/1 = Shopping, lists/1/tasks/1 = milk, lists/1/tasks/2 = bread
            ui: lists/1 = Shopping, lists/1/tasks/1 = milk, lists/1/tasks/2 = bread
            saved: lists/1 = Shopping, lists/1/tasks/1 = milk, lists/1/tasks/2 = bread
            backend: lists/1 = Shopping, lists/1/tasks/1 = milk, lists/1/tasks/2 = bread
          the backend was told: lists/1/tasks/1: 3 was refused
          shared
            model: lists/1 = Food for the party, lists/1/tasks/1 = milk, lists/1/tasks/2 = bread
            ui: lists/1 = Food for the party, lists/1/tasks/1 = milk, lists/1/tasks/2 = bread
            saved: lists/1 = Food for the party, lists/1/tasks/1 = milk, lists/1/tasks/2 = bread
            backend: lists/1 = Food for the party, lists/1/tasks/1 = milk, lists/1/tasks/2 = bread
          done
            model: lists/1 = Food for the party, lists/1/tasks/2 = bread
            ui: lists/1 = Food for the party, lists/1/tasks/2 = bread
            saved: lists/1 = Food for the party, lists/1/tasks/2 = bread
            backend: lists/1 = Food for the party, lists/1/tasks/2 = bread
          writes: 3 to the disk, 5 to the interface, 5 to the backend

          """)
    }
  }

  // MARK: The converter

  @Test func argumentsAreConvertedAndRemembered() throws {
    try Directory.withTemporary { directory in
      let converter = example("temperature.st")
      let first = try run(converter, "100", "celsius", in: directory)
      #expect(first.output == "100 °C = 212 °F = 373.15 K\n")
      #expect(first.errors == "")
      #expect(first.status == .status(0))
      let second = try run(converter, in: directory)
      #expect(second.output == "100 °C = 212 °F = 373.15 K\n")
      #expect(second.errors == "")
      let file = directory.path("configuration/tenon/defaults/temperature.json")
      #expect(try text(file) == "{\n  \"celsius\": 100\n}\n")
    }
  }

  @Test(arguments: [
    (["212", "fahrenheit"], "100 °C = 212 °F = 373.15 K"),
    (["F", "98.6"], "37 °C = 98.6 °F = 310.15 K"),
    (["0", "kel"], "-273.15 °C = -459.67 °F = 0 K"),
    (["-40", "c"], "-40 °C = -40 °F = 233.15 K"),
    (["1e3", "c"], "1000 °C = 1832 °F = 1273.15 K"),
    (["-459.67", "f"], "-273.15 °C = -459.67 °F = 0 K"),
    (["-1.0e-7", "c"], "0 °C = 32 °F = 273.15 K"),
    (["1.0e-5", "c"], "0.00001 °C = 32.000018 °F = 273.15001 K"),
    (["1e10", "f"], "5555555537.77778 °C = 10000000000 °F = 5555555810.92778 K"),
    (["123456789012345.6", "c"], "123456789012346 °C = 222222220222254 °F = 123456789012619 K"),
    (["1e14", "c"], "100000000000000 °C = 180000000000032 °F = 100000000000273 K"),
  ])
  func scalesAndNumbersInAnyOrder(_ arguments: [String], _ answer: String) throws {
    try Directory.withTemporary { directory in
      let result = try run(example("temperature.st"), arguments[0], arguments[1], in: directory)
      #expect(result.output == answer + "\n")
      #expect(result.errors == "")
    }
  }

  @Test func everyLineIsAnEditOfOneField() throws {
    try Directory.withTemporary { directory in
      let result = try run(
        example("temperature.st"), in: directory,
        input: "f 212\nc -40\n\n  K \t 0 \nf 98.6\n20.5 celsius\nquit\nf 1\n")
      #expect(result.status == .status(0))
      #expect(
        result.output == """
          100 °C = 212 °F = 373.15 K
          -40 °C = -40 °F = 233.15 K
          -273.15 °C = -459.67 °F = 0 K
          37 °C = 98.6 °F = 310.15 K
          20.5 °C = 68.9 °F = 293.65 K

          """)
      // At first there is nothing to show but what can be typed.
      #expect(result.errors == ExampleTests.understood)
      // The input ends like a 'quit'.
      let next = try run(example("temperature.st"), in: directory, input: "k 273.15")
      #expect(
        next.output == "20.5 °C = 68.9 °F = 293.65 K\n0 °C = 32 °F = 273.15 K\n")
    }
  }

  @Test(arguments: [
    "hot", "c", "100", "c hot", "100 100", "c f", "x 100", "c 1e400", "c 1 2", "c nan", "'", "\0",
    "c -", "c 12abc", "\u{FF11} c",
  ])
  func whatIsNotUnderstoodChangesNothing(_ line: String) throws {
    try Directory.withTemporary { directory in
      let result = try run(
        example("temperature.st"), in: directory, input: "c 100\n\(line)\nc 0\n")
      #expect(result.status == .status(0))
      #expect(
        result.output == "100 °C = 212 °F = 373.15 K\n0 °C = 32 °F = 273.15 K\n")
      #expect(result.errors == ExampleTests.understood + ExampleTests.understood)
    }
  }

  @Test(arguments: [
    ["100", "rankine"], ["celsius", "x"], ["100", "100"], ["quit"], ["100", "celsius", "x"],
  ])
  func argumentsThatAreNotUnderstood(_ arguments: [String]) throws {
    try Directory.withTemporary { directory in
      let result = try run(example("temperature.st"), arguments, in: directory, input: [])
      #expect(result.output == "")
      #expect(result.errors == ExampleTests.understood)
      #expect(result.status == .status(2))
    }
  }

  @Test func aLineThatIsNoTextIsNotUnderstood() throws {
    try Directory.withTemporary { directory in
      let input = Array("c 100\nc ".utf8) + [0xFF, 0x0A] + Array("c 0\n".utf8)
      let result = try run(example("temperature.st"), [], in: directory, input: input)
      #expect(result.status == .status(0))
      #expect(result.output == "100 °C = 212 °F = 373.15 K\n0 °C = 32 °F = 273.15 K\n")
      #expect(result.errors == ExampleTests.understood + ExampleTests.understood)
    }
  }

  @Test(arguments: [
    ("c -273.16", "-273.15 °C"), ("f -460", "-459.67 °F"), ("k -0.001", "0 K"),
    ("-1e14 c", "-273.15 °C"),
  ])
  func nothingIsColderThanAbsoluteZero(_ line: String, _ lowest: String) throws {
    try Directory.withTemporary { directory in
      let converter = example("temperature.st")
      let result = try run(converter, in: directory, input: "c 100\n\(line)\n")
      #expect(result.status == .status(0))
      #expect(result.output == "100 °C = 212 °F = 373.15 K\n")
      #expect(result.errors == ExampleTests.understood + "Nothing is colder than \(lowest).\n")
      let words = line.split(separator: " ").map(String.init)
      let told = try run(converter, words, in: directory, input: [])
      #expect(told.status == .status(2))
      #expect(told.output == "")
      #expect(told.errors == "Nothing is colder than \(lowest).\n")
      // The value from before is still what is remembered.
      #expect(try run(converter, in: directory).output == "100 °C = 212 °F = 373.15 K\n")
    }
  }

  @Test func absoluteZeroIsRemembered() throws {
    try Directory.withTemporary { directory in
      let converter = example("temperature.st")
      _ = try run(converter, "f", "-459.67", in: directory)
      #expect(try run(converter, in: directory).output == "-273.15 °C = -459.67 °F = 0 K\n")
      // What somebody else has written there may be no temperature.
      let file = "configuration/tenon/defaults/temperature.json"
      try directory.write("{\"celsius\": -300}", to: file)
      let result = try run(converter, in: directory)
      #expect(result.output == "")
      #expect(result.errors == ExampleTests.understood)
    }
  }

  @Test func anErrorOfWritingIsNotOneOfReading() throws {
    let (status, output) = try Command.shell(
      #"echo 'c 100' | XDG_CONFIG_HOME=/nonexistent "$0" "$1" 2>&1 >/dev/full"#,
      example("temperature.st"))
    #expect(status == .status(1))
    #expect(output.contains(": error: cannot write to stdout: No space left on device\n"))
    #expect(output.contains("\n    stdout println: "))
    #expect(!output.contains("nextLine"))
  }

  @Test func aTerminalIsPrompted() throws {
    try Directory.withTemporary { directory in
      let terminal = try Child.startAtTerminal(
        [Command.path, example("temperature.st")],
        environment: ["XDG_CONFIG_HOME": directory.path("configuration")], rows: 24, columns: 100)
      try terminal.expect("To leave: quit.\r\n> ")
      try terminal.send("c 100\n")
      try terminal.expect("100 °C = 212 °F = 373.15 K\r\n> ")
      try terminal.send("hot\n")
      try terminal.expect("To leave: quit.\r\n> ")
      try terminal.send("\u{4}")
      try terminal.expect("\r\n")
      #expect(terminal.waitForExit() == .status(0))
    }
  }

  @Test func withoutTheConnectorsTheOtherFieldsStay() throws {
    try Directory.withTemporary { directory in
      let script = try text(example("temperature.st"))
      let lines = script.split(separator: "\n", omittingEmptySubsequences: false)
      let kept = lines.filter { !$0.contains("|= ") }
      #expect(lines.count - kept.count == 8)
      let copy = try directory.write(kept.joined(separator: "\n"), to: "copy.st")
      let result = try run(copy, in: directory, input: "c 100\nf 98.6\nc 20\nquit\n")
      #expect(result.output == "100 °C\n100 °C = 98.6 °F\n20 °C = 98.6 °F\n")
      let model = lines.filter { !$0.contains("=|= ") }
      #expect(lines.count - model.count == 3)
      let second = try directory.write(model.joined(separator: "\n"), to: "second.st")
      #expect(try run(second, in: directory, input: "c 100\n").output == "100 °C\n")
    }
  }

  @Test func aDamagedMemoryIsToldAndKept() throws {
    try Directory.withTemporary { directory in
      let file = "configuration/tenon/defaults/temperature.json"
      try directory.write("{ \"celsius\": 10", to: file)
      let result = try run(example("temperature.st"), "0", "celsius", in: directory)
      #expect(result.output == "0 °C = 32 °F = 273.15 K\n")
      #expect(result.errors.hasPrefix("warning: "))
      #expect(result.errors.contains("temperature.json.corrupt-1"))
      #expect(try text(directory.path(file + ".corrupt-1")) == "{ \"celsius\": 10")
      #expect(try text(directory.path(file)) == "{\n  \"celsius\": 0\n}\n")
      // Something else than a number is left alone until there is a number to remember.
      try directory.write("{\"celsius\": \"hot\"}", to: file)
      #expect(try run(example("temperature.st"), in: directory).output == "")
      #expect(try text(directory.path(file)) == "{\"celsius\": \"hot\"}")
    }
  }

  @Test func itConvertsWhereNothingCanBeRemembered() throws {
    try Directory.withTemporary { directory in
      try directory.write("a file where a directory should be", to: "configuration")
      let result = try run(example("temperature.st"), in: directory, input: "c 0\nf 212\n")
      #expect(
        result.output == "0 °C = 32 °F = 273.15 K\n100 °C = 212 °F = 373.15 K\n")
      #expect(result.errors.contains("defaults:celsius"))
      #expect(result.status == .status(0))
    }
  }

  // MARK: The paper's program

  @Test func listing14RemembersFromOneRunToTheNext() throws {
    try Directory.withTemporary { directory in
      let listing = example("paper/listing14.st")
      let first = try run(listing, in: directory)
      #expect(first.errors == "")
      #expect(first.output == "remembered: nil\n")
      let second = try run(listing, in: directory)
      #expect(second.errors == "")
      #expect(second.output == "remembered: 20\n")
    }
  }

  // MARK: Programs with a signature, programs that are filters

  @Test func whatWasSpentIsSummedByCategory() throws {
    try Directory.withTemporary { directory in
      let table = try directory.write(
        """
        date,category,amount
        2026-01-03,food,12.10
        2026-02-01,"books, old",20.00
        2026-02-02,food,0.20
        2026-02-03,food,7.70

        """, to: "table.csv")
      let program = example("spend.st")
      let sums = try run(program, table, "2026-02-01", in: directory)
      #expect(sums.output == "books, old  20.00\nfood        7.90\n")
      #expect(sums.errors == "")
      #expect(
        try run(program, table, "2027-01-01", in: directory).output == "nothing since 2027-01-01\n")
      let wrong = try run(program, table, "soon", in: directory)
      #expect(wrong.status == .status(2))
      #expect(
        wrong.errors.contains("DAY must be a Date, not 'soon'\nusage: tenon spend.st FILE DAY\n"))
      let missing = try run(program, directory.path("none.csv"), "2027-01-01", in: directory)
      #expect(missing.status == .status(1))
    }
  }

  @Test func wordsAreCounted() throws {
    try Directory.withTemporary { directory in
      let counted = try run(
        example("words.st"), in: directory,
        input: "Der Hund, der bellt.\n\nEin Hund's Leben — der\n")
      #expect(
        counted.output
          == "    3  der\n    1  bellt\n    1  ein\n    1  hund\n    1  hund's\n    1  leben\n")
      #expect(counted.errors == "")
      #expect(try run(example("words.st"), in: directory).output == "")
    }
  }
}
