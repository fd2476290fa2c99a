import Foundation
import Testing

/// The examples whose nets are made of what is typed and of what files hold.
@Suite struct NetExampleTests {
  private static let examples = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent().appendingPathComponent("examples")

  /// Runs an example in a directory.
  private func run(
    _ name: String, in directory: Directory, _ arguments: [String] = [], input: [String] = []
  ) throws -> (status: Child.Exit, output: String, errors: String) {
    let stdin = try directory.write(
      Array((input.joined(separator: "\n") + "\n").utf8), to: ".input")
    let errors = directory.path(".errors")
    let child = try Child.start(
      [
        "/bin/sh", "-c", #"cd "$1" && errors="$2" && shift 2 && exec "$0" "$@" 2>"$errors""#,
        Command.path, directory.path(""), errors,
        NetExampleTests.examples.appendingPathComponent(name).path,
      ] + arguments, stdin: stdin)
    let output = try child.readToEnd()
    return (child.waitForExit(), output, try text(errors))
  }

  private func text(_ path: String) throws -> String {
    try String(contentsOf: URL(fileURLWithPath: path), encoding: .utf8)
  }

  // MARK: The spreadsheet

  /// The last table that a spreadsheet shows after lines of input.
  private func table(_ input: String..., lines: Int) throws -> String {
    try Directory.withTemporary { directory in
      let result = try run(
        "spreadsheet.st", in: directory, [directory.path("none.csv")], input: input)
      #expect(result.status == .status(0))
      return result.output.split(separator: "\n").suffix(lines).joined(separator: "\n")
    }
  }

  @Test func cellsFollowTheCellsTheyRead() throws {
    #expect(
      try table(
        "B1 =cell:A1 * 2", "A3 = cell:A1:A2 sum", "A1 20", "A2 22", "A1 10", lines: 4) == """
              A   | B
            1 10  | 20
            2 22  |
            3 32  |
          """)
  }

  @Test func aFormulaIsAnyExpressionAndAResultAnyObject() throws {
    #expect(
      try table(
        "A1 3", "B1 =cell:A1 > 2 ifTrue: [ #(1 2) ] ifFalse: [ 3 @ 4 ]",
        "A2 =cell:A1 / 9", "B2 ='x' , cell:A1 printString", "C1 ='2026-11-21' asDate + 1 day",
        "C2 =cell:B1 collect: [ :each | each * cell:A1 ]", lines: 3) == """
              A   | B      | C
            1 3   | #(1 2) | 2026-11-22
            2 1/3 | x3     | #(3 6)
          """)
  }

  @Test func anErrorIsThatOfItsCellAndOfThoseThatReadIt() throws {
    let input = ["A1 1", "A2 =1 / (cell:A1 - 1)", "A3 =cell:A2 + 1", "A4 =cell:A1 + 1"]
    #expect(
      try table(input[0], input[1], input[2], input[3], lines: 5) == """
            A
          1 1
          2 #division by zero
          3 #division by zero
          4 2
        """)
    #expect(
      try table(input[0], input[1], input[2], input[3], "A1 3", lines: 5) == """
            A
          1 3
          2 1/2
          3 3/2
          4 4
        """)
  }

  @Test func aCycleIsAnErrorOfTheCellThatClosesIt() throws {
    let cycle = try table(
      "A1 =cell:A2 + 1", "A2 =cell:A3 + 1", "A3 =cell:A1 + 1", "B1 7", "B2 =cell:B1 + 1", lines: 4)
    #expect(cycle.contains("3 #a cycle "))
    #expect(cycle.contains("| 7\n"))
    #expect(cycle.contains("| 8\n"))
    for formula in ["=cell:A1", "=cell:A2 * 2", "=cell:A1:A3 sum"] {
      #expect(
        try table("A2 =cell:A1 * 2", "A1 \(formula)", "B1 7", lines: 3).contains("1 #a cycle "))
    }
    // The other cells live again when the cycle is broken.
    #expect(
      try table(
        "A1 =cell:A2 + 1", "A2 =cell:A3 + 1", "A3 =cell:A1 + 1", "A1 5", lines: 4) == """
              A
            1 5
            2 7
            3 6
          """)
  }

  @Test func whatIsNoExpressionIsAnErrorOfItsCell() throws {
    #expect(try table("A1 =foo", lines: 2).hasSuffix(" 1 #unknown name 'foo'"))
    #expect(try table("A1 =1. 2", lines: 2).contains(" 1 #"))
    #expect(try table("A1 =", lines: 2).contains(" 1 #"))
    #expect(try table("A1 =foo", "A1 3", lines: 2).hasSuffix("  1 3"))
  }

  @Test func whatReadsAnEmptiedCellIsEmpty() throws {
    #expect(
      try table(
        "A1 5", "B1 =cell:A1 * 2", "C1 =cell:B1 + 1", "A1", lines: 2) == """
              A   | B   | C
            1     |     |
          """)
    #expect(
      try table(
        "A1 5", "B1 =cell:A1 * 2", "C1 =cell:B1 + 1", "A1", "A1 6", lines: 2) == """
              A   | B   | C
            1 6   | 12  | 13
          """)
  }

  @Test func aRangeBeginsWithEitherEnd() throws {
    #expect(
      try table("A1 1", "A2 20", "B1 300", "B2 =cell:B1:A1 sum", "C1 =cell:A2:A1 sum", lines: 3)
        == """
            A   | B   | C
          1 1   | 300 | 21
          2 20  | 301 |
        """)
  }

  @Test func aTextOfSeveralLinesTakesOne() throws {
    try Directory.withTemporary { directory in
      let file = try directory.write("\"two\nlines\",x\n", to: "table.csv")
      let result = try run("spreadsheet.st", in: directory, [file], input: ["save", "quit"])
      #expect(result.output == "    A         | B\n  1 two lines | x\n")
      #expect(try text(file) == "\"two\nlines\",x\n")
    }
  }

  @Test func aTableComesBackFromItsFile() throws {
    try Directory.withTemporary { directory in
      let file = try directory.write("1,\"=cell:A1 * 2\"\n\"a, b\",\n", to: "table.csv")
      let first = try run(
        "spreadsheet.st", in: directory, [file], input: ["C3 =cell:B1 + 1", "save"])
      #expect(first.errors == "")
      #expect(try text(file) == "1,=cell:A1 * 2,\n\"a, b\",,\n,,=cell:B1 + 1\n")
      let second = try run(
        "spreadsheet.st", in: directory, [file], input: ["A1 4", "why C3", "quit"])
      #expect(
        second.output == """
              A    | B   | C
            1 1    | 2   |
            2 a, b |     |
            3      |     | 3
              A    | B   | C
            1 4    | 8   |
            2 a, b |     |
            3      |     | 9

          """ + second.output.lastLines(3))
      let reasons = second.output.lastLines(3)
      #expect(reasons.hasPrefix("cell:C3 is 9 by 'cell:C3 |= cell:B1 + 1' (<evaluate>:1)\n"))
      #expect(reasons.contains("\ncell:B1 is 8 by 'cell:B1 |= cell:A1 * 2' (<evaluate>:1)\n"))
      #expect(reasons.contains("\ncell:A1 is 4, written at "))
    }
  }

  @Test func aNameThatIsNoCellIsRefused() throws {
    try Directory.withTemporary { directory in
      let result = try run(
        "spreadsheet.st", in: directory, [directory.path("none.csv")],
        input: ["zz 3", "A0 3", "A1B 3", "A1/B 4"])
      #expect(result.status == .status(0))
      #expect(result.errors.hasPrefix("a cell is called like B12, not zz\n"))
      #expect(result.output == "    A\n  1\n")
    }
  }

  // MARK: The build

  private static let sources = [
    "main.c": "/* says\n hello */\n#include \"greet.h\"\nint main() { greet(HELLO); } // end\n",
    "greet.c": "void greet(char *s) { puts(s); } // prints\n",
    "greet.h": "#define HELLO \"Hello\"\n",
  ]

  private func build(_ directory: Directory, _ edits: String...) throws -> [Substring] {
    let result = try run("compile.st", in: directory, ["--once"], input: edits)
    #expect(result.status == .status(0))
    return result.output.split(separator: "\n")
  }

  @Test func onlyWhatIsNeededRuns() throws {
    try Directory.withTemporary { directory in
      for (name, text) in NetExampleTests.sources { try directory.write(text, to: name) }
      let all: [Substring] = ["compile greet.c", "compile main.c", "link program"]
      #expect(try build(directory) == all)
      #expect(
        try text(directory.path("program"))
          == "void greet(char *s) { puts(s); }\n#define HELLO \"Hello\"\nint main() { greet(HELLO); }\n"
      )
      // A header that one of them includes, and a source.
      #expect(
        try build(directory, "replace greet.h Hello Hi") == all + [
          "compile main.c", "link program",
        ])
      #expect(
        try build(directory, "replace greet.c puts print")
          == all + ["compile greet.c", "link program"])
      // A comment: what it is compiled to is the same, so nothing is made of it.
      #expect(try build(directory, "replace greet.c prints shows") == all + ["compile greet.c"])
      #expect(try build(directory, "replace greet.h Hi Hi") == all)
      #expect(
        try text(directory.path("program"))
          == "void greet(char *s) { print(s); }\n#define HELLO \"Hi\"\nint main() { greet(HELLO); }\n"
      )
    }
  }

  /// Others change the sources while the build waits: exactly what is behind a change runs.
  @Test func theBuildFollowsItsSources() throws {
    try Directory.withTemporary { directory in
      for (name, text) in NetExampleTests.sources { try directory.write(text, to: name) }
      // Whole, as a step that is under way may read it.
      func replace(_ name: String, by text: String) throws {
        try directory.write(text, to: "new")
        #expect(unsafe rename(directory.path("new"), directory.path(name)) == 0)
      }
      let script = NetExampleTests.examples.appendingPathComponent("compile.st").path
      let child = try Child.start([
        "/bin/sh", "-c", #"cd "$1" && exec "$0" "$2""#, Command.path, directory.path(""), script,
      ])
      try child.expect("compile greet.c\ncompile main.c\nlink program\n")
      // A step tells what it does before what it makes is written.
      func program(becomes isIt: (String) -> Bool) -> String {
        for _ in 0..<3000 {
          let found = (try? text(directory.path("program"))) ?? ""
          if isIt(found) { return found }
          usleep(10_000)
        }
        Issue.record("program: \((try? text(directory.path("program"))) ?? "nothing")")
        return ""
      }
      let original = program { $0.contains("Hello") }
      // The same bytes, in place and as another file; then a change, so that something is told.
      for (name, text) in NetExampleTests.sources { try directory.write(text, to: name) }
      try replace("greet.c", by: NetExampleTests.sources["greet.c"] ?? "")
      usleep(300_000)
      try replace("greet.h", by: "#define HELLO \"Hi\"\n")
      #expect(try child.expectText(before: "link program\n") == "compile main.c\n")
      let built = original.replacingOccurrences(of: "Hello", with: "Hi")
      _ = program { $0 == built }
      // A step that fails is told, and leaves what it has made.
      try replace("main.c", by: "#include \"gone.h\"\n")
      #expect(try child.expectText(before: "there is no gone.h\n") == "compile main.c\n")
      #expect(try text(directory.path("program")) == built)
      // What is compiled to the same is not linked again.
      try replace("main.c", by: "// a comment\n" + (NetExampleTests.sources["main.c"] ?? ""))
      #expect(try child.expectText(before: "compile main.c\n") == "")
      try replace("greet.c", by: "void greet(char *s) { print(s); }\n")
      #expect(try child.expectText(before: "link program\n") == "compile greet.c\n")
      child.send(signal: SIGINT)
      #expect(child.waitForExit() == .status(130))
    }
  }

  @Test func whatIsEqualIsNotWritten() throws {
    try Directory.withTemporary { directory in
      for (name, text) in NetExampleTests.sources { try directory.write(text, to: name) }
      _ = try build(directory)
      // Writing replaces a file by another one.
      func numbers() throws -> [Int] {
        try ["main.o", "greet.o", "program"].map { name in
          let attributes = try FileManager.default.attributesOfItem(atPath: directory.path(name))
          return attributes[.systemFileNumber] as? Int ?? 0
        }
      }
      let before = try numbers()
      _ = try build(directory, "replace main.c says tells")
      #expect(try numbers() == before)
      _ = try build(directory, "replace main.c greet(HELLO) greet(0)")
      let after = try numbers()
      #expect(after[0] != before[0])
      #expect(after[1] == before[1])
      #expect(after[2] != before[2])
    }
  }

  @Test func aStepThatFailsIsToldAndHealed() throws {
    try Directory.withTemporary { directory in
      for (name, text) in NetExampleTests.sources { try directory.write(text, to: name) }
      let result = try run(
        "compile.st", in: directory, ["--once"],
        input: ["replace main.c greet.h gone.h", "replace main.c gone.h greet.h", "what"])
      #expect(
        result.errors == "there is no gone.h\nAn edit reads: replace FILE OLD NEW\n")
      #expect(
        result.output.hasSuffix("link program\ncompile main.c\ncompile main.c\n"))
      #expect(result.status == .status(0))
      let failed = try run(
        "compile.st", in: directory, ["--once"], input: ["replace main.c greet.h gone.h"])
      #expect(failed.errors == "there is no gone.h\n")
      #expect(failed.status == .status(1))
    }
  }

  /// A program of three sources and a header, by the compiler of this machine.
  @Test func aProgramIsBuilt() throws {
    try Directory.withTemporary { directory in
      let sources = [
        "main.c":
          "#include <stdio.h>\n#include \"greet.h\"\nint main(void) { puts(GREETING); return say() - three(); }\n",
        "say.c": "#include \"greet.h\"\nint say(void) { return sizeof GREETING ? 3 : 0; }\n",
        "three.c": "int three(void) { return 3; }\n",
        "greet.h": "#define GREETING \"Hello\"\nint say(void);\nint three(void);\n",
      ]
      for (name, text) in sources { try directory.write(text, to: name) }
      /// The files that commands write of which a line tells.
      func made(_ output: String) -> [Substring] {
        output.split(separator: "\n").compactMap { line in
          let words = line.split(separator: " ")
          return words.firstIndex(of: "-o").map { words[$0 + 1] }
        }
      }
      func build() throws -> [Substring] {
        let result = try run("build.st", in: directory, ["--once"])
        #expect(result.status == .status(0), "\(result.errors)")
        return made(result.output)
      }
      let first = try build()
      // The compiler runs for several at a time.
      #expect(first.dropLast().sorted() == ["main.o", "say.o", "three.o"])
      #expect(first.last == "program")
      let program = try Child.start([directory.path("program")])
      #expect(try program.readToEnd() == "Hello\n")
      #expect(program.waitForExit() == .status(0))
      #expect(try build() == [])
      // The header is a source because the compiler has named it.
      try directory.write(
        "#define GREETING \"Hi\"\nint say(void);\nint three(void);\n", to: "greet.h")
      let second = try build()
      #expect(second.first == "main.o" || second.first == "say.o")
      #expect(!second.contains("three.o"))
      #expect(second.last == "program")
      // What fails is told, and mended while the program runs.
      let child = try Child.start([
        "/bin/sh", "-c", #"cd "$1" && exec "$0" "$2""#, Command.path, directory.path(""),
        NetExampleTests.examples.appendingPathComponent("build.st").path,
      ])
      try directory.write("int three(void) { return 3 }\n", to: "three.c")
      try child.expect("failed: file:three.o: ")
      try child.expect("failed: file:program: 'three.o' cannot be made")
      try directory.write("int three(void) { return 4; }\n", to: "three.c")
      try child.expect("-o three.o\n")
      try child.expect("-o program ")
      child.send(signal: SIGINT)
      #expect(child.waitForExit() == .status(130))
    }
  }

  @Test func aLineThatCannotBeObeyedEndsNoTable() throws {
    try Directory.withTemporary { directory in
      let result = try run(
        "spreadsheet.st", in: directory, ["/proc/table.csv"],
        input: ["A1 20", "why", "save", "why B77", "A2 =cell:A1 * 2", "quit"])
      #expect(result.status == .status(0))
      let lines = result.errors.split(separator: "\n")
      #expect(lines.first == "why is followed by a cell: why B1")
      #expect(lines.count == 2)
      #expect(result.output.contains("  2 40"))
    }
  }
}

extension String {
  /// The last lines, with their ends.
  fileprivate func lastLines(_ count: Int) -> String {
    split(separator: "\n").suffix(count).joined(separator: "\n") + "\n"
  }
}
