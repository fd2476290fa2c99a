import Testing

/// Scripts that import others.
@Suite struct ImportTests {
  /// Runs the first of some files, given by name and text.
  private func run(_ files: KeyValuePairs<String, String>) throws -> Command.Result {
    try Directory.withTemporary { directory in
      for (name, text) in files { _ = try directory.write(text, to: name) }
      let path = directory.path(files[0].key)
      var result = try Command.run(path)
      result.errors = result.errors.replacing(directory.path("x").dropLast(), with: "")
      return result
    }
  }

  @Test func definitionsAndVariablesAreShared() throws {
    let result = try run([
      "main.st": """
      import 'lib'.
      class Sub : Lib { -foo { ^factor } }
      stdout println: twice-two; println: (Lib new double: 4); println: Sub new foo.
      a := 1. a ~> mem:x. stdout println: mem:x; println: (self helper: 3).
      """,
      "lib.st": """
      twice-two := 4.
      connector ~> : DataflowConnector { }
      class Lib { var factor := 2. -double: n { ^n * factor } }
      -helper: n { ^n + 100 }
      """,
    ])
    #expect(result.errors == "")
    #expect(result.output == "4\n8\n2\n1\n103\n")
  }

  @Test func aFileIsLoadedOnceRelativeToTheImportingOne() throws {
    let result = try run([
      "main.st": """
      import 'sub/a.st'. import 'lib.st'. import './sub/../lib'.
      stdout println: total.
      """,
      "sub/a.st": "import '../lib'. import 'b'. total := total + 10.",
      "sub/b.st": "import '../lib.st'. total := total + 100.",
      "lib.st": "stdout println: 'loading'. total := 1. ^nil. total := 5.",
    ])
    #expect(result.errors == "")
    #expect(result.output == "loading\n111\n")
  }

  /// It is read once for all who import it, whatever each of them defines.
  @Test func anImportedFileDoesNotKnowTheImportingOne() throws {
    let result = try run([
      "main.st": "class Mine { }\nshared := 1.\nimport 'lib'.",
      "lib.st": "Mine new.\nshared + 1.",
    ])
    #expect(result.status == .status(65))
    #expect(
      result.errors == """
        main.st:3:1: error: lib.st:1:1: unknown name 'Mine'
        import 'lib'.
        ^~~~~~~~~~~~
        main.st:3:1: error: lib.st:2:1: unknown name 'shared'
        import 'lib'.
        ^~~~~~~~~~~~

        """)
    let after = try run([
      "main.st": "import 'a'. import 'b'.", "a.st": "class Mine { }",
      "b.st": "stdout println: Mine.",
    ])
    #expect(after.output == "Mine\n")
  }

  @Test func aValIsDeclaredInOneFile() throws {
    let result = try run([
      "main.st": "import 'lib'.\nval limit := 4.", "lib.st": "val limit := 3.",
    ])
    #expect(
      result.errors.hasPrefix(
        "main.st:2:5: error: 'limit' is a val: it keeps the value that it has\n"))
  }

  @Test func cyclesAreReported() throws {
    let result = try run([
      "a.st": "stdout println: 1. import 'b'.", "b.st": "import 'c'.", "c.st": "import 'a'.",
    ])
    #expect(result.status == .status(65))
    #expect(result.output == "")
    #expect(
      result.errors.hasPrefix(
        "a.st:1:20: error: c.st:1:1: an import of itself: 'a.st' imports 'b.st' imports 'c.st' "
          + "imports 'a.st'\n"))
  }

  @Test func errorsInAnImportedFileAreToldBeforeAnythingRuns() throws {
    let result = try run([
      "main.st": "stdout println: 1.\nimport 'lib'.", "lib.st": "x := 3.\nx + totl.\n]",
    ])
    #expect(result.status == .status(65))
    #expect(result.output == "")
    #expect(result.errors.hasPrefix("main.st:2:1: error: lib.st:3:1: "))
    let unknown = try run(["main.st": "import 'lib'.", "lib.st": "x := 3.\nx + totl."])
    #expect(unknown.errors.hasPrefix("main.st:1:1: error: lib.st:2:5: unknown name 'totl'\n"))
  }

  @Test func anErrorWhileAnImportedFileRunsEndsTheScript() throws {
    let result = try run([
      "main.st": "import 'lib'. stdout println: 1.", "lib.st": "nil foo.",
    ])
    #expect(result.status == .status(1))
    #expect(result.output == "")
    #expect(result.errors.hasPrefix("lib.st:1:5: error: nil does not understand 'foo'\n"))
  }

  @Test func warningsNameTheImportedFile() throws {
    let result = try run(["main.st": "import 'lib'. stdout println: 1.", "lib.st": "'text'. 3."])
    #expect(result.output == "1\n")
    #expect(result.errors.hasPrefix("lib.st:1:1: warning: the string is not used"))
  }

  @Test(arguments: [
    ("import 'missing'.", "main.st:1:1: error: cannot import 'missing': no such file or directory"),
    ("import ''.", "main.st:1:1: error: '' is no path of a file"),
    ("import '.'.", "main.st:1:1: error: cannot import '.': "),
    ("[ import 'lib' ] value.", "main.st:1:3: error: an 'import' must stand at top level"),
    (
      "class A { -foo { import 'lib' } }",
      "main.st:1:18: error: an 'import' must stand at top level"
    ),
    (
      "import 'program'.",
      "main.st:1:1: error: 'program' has a signature: it is a program of its own, to be run and not "
        + "imported"
    ),
  ])
  func whatCannotBeImported(_ script: String, _ message: String) throws {
    let result = try run(["main.st": script, "lib.st": "3", "program.st": "#-foo:x\n^x"])
    #expect(result.status == .status(65))
    #expect(result.errors.hasPrefix(message), "\(result.errors)")
  }

  /// Forty files that each import the next one thrice: what is wrong in the last is found, and told
  /// once, without reading each on all ways.
  @Test func anErrorBelowManyImportsIsToldOnce() throws {
    var files = ["main.st": "import 'm1'. total + 1.", "m40.st": "x := ]"]
    for number in 1..<40 {
      let next = number + 1
      files["m\(number).st"] = "import 'm\(next)'. import './m\(next)'.\nimport 'm\(next).st'."
    }
    let result = try Directory.withTemporary { directory in
      for (name, text) in files { _ = try directory.write(text, to: name) }
      var result = try Command.run(directory.path("main.st"))
      result.errors = result.errors.replacing(directory.path("x").dropLast(), with: "")
      return result
    }
    #expect(result.status == .status(65))
    #expect(
      result.errors == """
        main.st:1:1: error: m40.st:1:6: expected an expression, found ']'
        import 'm1'. total + 1.
        ^~~~~~~~~~~

        """)
  }

  @Test func anotherSpellingIsExplained() throws {
    let result = try run(["main.st": "import lib.", "lib.st": "3"])
    #expect(
      result.errors.hasPrefix(
        "main.st:1:1: error: unknown name 'import'; another script is run with import 'path'\n"))
  }

  @Test func theWordIsNotReserved() throws {
    #expect(try Command.run("-e", "import := 3. import + 1").output == "4\n")
  }
}
