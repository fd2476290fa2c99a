import Testing

/// What the command says to scripts that are none: errors with a place each, and status 65.
@Suite struct BadScriptTests {
  private static let many = 100_000

  static let scripts: [[UInt8]] =
    [
      "1 foo: bar:", "3 + \0 4", "'abc", "\"abc {", "#(1 2", "[ :x | ", "class A {", "x := ",
      "file:{", "$", "x y z", ":= 3", ")", "]", "}", "a |= b =|= c", "#(foo bar)",
      String(repeating: "(", count: many), String(repeating: "[", count: many),
      String(repeating: "{", count: many), String(repeating: "#(", count: many),
      String(repeating: "\"{", count: many), String(repeating: "x := ", count: many) + "3",
      "3" + String(repeating: " + 1", count: many), String(repeating: "x", count: 1_000_000),
      String(repeating: "x y. ", count: 1_000),
    ].map { Array($0.utf8) } + [
      [0xFF], [0xC3], Array("x := 'h".utf8) + [0xE9, 0x6C], (0...255).map { UInt8($0) },
      Array(repeating: 0, count: 10_000),
    ]

  @Test(arguments: scripts.indices) func syntaxErrors(_ index: Int) throws {
    try Directory.withTemporary { directory in
      let file = try directory.write(Self.scripts[index], to: "bad.st")
      let result = try Command.run(file)
      #expect(result.status == .status(65))
      #expect(result.output == "")
      // A line for the place and the error, one from the script, one that points at it.
      let pattern = #/bad\.st:[0-9]+:[0-9]+: error: ./#
      #expect(result.errors.firstMatch(of: pattern) != nil)
      #expect(result.errors.matches(of: pattern).count <= 20)
    }
  }

  /// Without an option the limit follows from what the system grants.
  @Test(arguments: [
    "| s | s := 'x'. [ s := s , s ] repeat",
    "| a | a := OrderedCollection new. [ a add: (Array new: 1000) ] repeat",
    "| a | a := OrderedCollection new. [ a add: a size printString ] repeat",
    "| d | d := Dictionary new. 1 to: 100000000 do: [ :i | d at: i put: i ]",
    "| a | a := nil. [ a := 1 => a ] repeat",
  ])
  func aSmallAddressSpaceIsNotLeft(_ bomb: String) throws {
    for size in [400_000, 600_000] {
      let (status, output) = try Command.shell(
        "ulimit -v \(size); exec \"$0\" -e \"$1\" 2>&1",
        "[ \(bomb) ] on: OutOfMemory do: [ :e | e messageText ]")
      #expect(status == .status(0))
      #expect(output.contains("out of memory: the limit is "))
    }
  }

  /// Errors of definitions stand at the part that is to blame.
  @Test func errorsOfDefinitionsHaveAPlace() throws {
    let result = try Command.run("-", input: "x := 3.\nclass A : True { }")
    #expect(result.status == .status(1))
    #expect(result.errors.hasPrefix("<stdin>:2:11: error: "))
  }
}

/// The command's memory while a program takes all it can get.
@Suite struct MemoryTests {
  @Test(arguments: [
    "| s | s := 'x'. [ s := s , s ] repeat", "| a | a := #(). [ a := Array with: a ] repeat",
    "| a | a := OrderedCollection new. [ a add: 'x' copy ] repeat",
    "| n | n := 3. [ n := n * n ] repeat",
    "| i a | i := 0. a := OrderedCollection new. [ a add: i printString asSymbol. i := i + 1 ] repeat",
  ])
  func theAddressSpaceStaysNearTheLimit(_ bomb: String) throws {
    // 1.5 times the limit and 64 MB, and what the program takes with all its libraries. Beyond
    // that the system refuses, which nothing survives.
    let (status, output) = try Command.shell(
      #"ulimit -v 450000; exec "$0" --stack 8M --memory 64M -e "$1" 2>&1"#,
      "[ \(bomb) ] on: OutOfMemory do: [ :e | e messageText ]")
    #expect(status == .status(0))
    #expect(output.contains("out of memory: the limit is 64 MiB"))
  }
}
