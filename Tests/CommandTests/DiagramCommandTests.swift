import Foundation
import Testing

/// `tenon diagram`: what it draws, what it says, and what it refuses.
@Suite struct DiagramCommandTests {
  private static let program = """
    var a := 1. var b.
    stdout println: 'it runs'.
    ivar:b |= a + 1.
    mem:x/y |= ivar:b.
    class Tank { var level. var full. ivar:full |= level > 3. }
    """

  private static let mermaid = """
    flowchart LR
      n1("ivar:b")
      n2["a + 1"]
      n3("a")
      n4("mem:x/y")
      n3 -.-> n2
      n2 ==>|"|="| n1
      n1 ==>|"|="| n4
      subgraph s1["class Tank"]
        n5("ivar:full")
        n6["level #gt; 3"]
        n7("level")
        n7 -.-> n6
        n6 ==>|"|="| n5
      end

    """

  private static let statements = """
    ivar:b |= a + 1.
    mem:x/y |= ivar:b.
    class Tank {
      ivar:full |= level > 3.
    }

    """

  @Test func aFileIsDrawnWithoutRunning() throws {
    try Directory.withTemporary { directory in
      let file = try directory.write(DiagramCommandTests.program, to: "net.st")
      let drawn = try Command.run("diagram", file)
      #expect(drawn.status == .status(0))
      #expect(drawn.errors == "")
      #expect(drawn.output == DiagramCommandTests.mermaid)
      let diagram = try directory.write(drawn.output, to: "net.mmd")
      let said = try Command.run("diagram", "--from", diagram)
      #expect(said.status == .status(0))
      #expect(said.output == DiagramCommandTests.statements)
      // What it says is a program again, with a diagram that says the same.
      let again = try directory.write(said.output, to: "again.st")
      let redrawn = try Command.run("diagram", "-o", diagram, again)
      #expect(redrawn.status == .status(0))
      #expect(try Command.run("diagram", "--from", diagram).output == said.output)
      #expect(
        try Command.run(["diagram", "-"], input: Array(DiagramCommandTests.program.utf8)).output
          == drawn.output)
      #expect(
        try Command.run(["diagram", "--from", "-"], input: Array(drawn.output.utf8)).output
          == said.output)
    }
  }

  /// The high-level architectures of the paper as it draws them: a box for each part, an arrow for each
  /// statement.
  @Test(arguments: [
    (["examples/paper/listing01.st"], ["backend", "memory-model", "persistence", "ui"]),
    (["--run", "examples/paper/listing01.st"], ["backend", "memory-model", "persistence", "ui"]),
    (
      ["examples/paper/listing15.st"],
      ["memory-model", "persistence", "script<br/>4 × |= within", "ui"]
    ),
  ])
  func theArchitecturesOfThePaper(_ arguments: [String], _ boxes: [String]) throws {
    let root = ExampleTests.examples.deletingLastPathComponent()
    let file = root.appendingPathComponent(arguments.last ?? "").path
    let result = try Command.run(
      ["diagram", "--zoom", "stores"] + arguments.dropLast() + [file], input: [])
    var names: [Substring: String] = [:]
    var arrows: Set<String> = []
    for line in result.output.split(separator: "\n").dropFirst() {
      let words = line.split(separator: " ", maxSplits: 2)
      if words.count == 3, words[1].contains("|") {
        let sign = words[1].prefix { $0 != "|" }
        let ends = [words[0], words[2]].map { names[$0] ?? "" }
        arrows.insert(
          (sign == "<==>" ? ends.sorted() : ends).joined(separator: " \(sign) "))
      } else if let start = line.firstIndex(of: "[") {
        let label = line[start...].dropFirst(2).dropLast(2)
        names[line[..<start].drop { $0 == " " }] = String(label)
      }
    }
    #expect(names.values.sorted() == boxes)
    var expected: Set<String> = [
      "memory-model <==> ui", "persistence --> memory-model", "memory-model ==> persistence",
    ]
    if boxes.contains("backend") { expected.insert("backend <==> memory-model") }
    #expect(arrows == expected)
  }

  @Test func zoomsAndFormats() throws {
    try Directory.withTemporary { directory in
      let file = try directory.write(DiagramCommandTests.program, to: "net.st")
      let dot = try Command.run("diagram", "--format", "dot", file)
      #expect(dot.output.hasPrefix("digraph connections {\n"))
      #expect(dot.output.contains("subgraph cluster_1 {\n    label=\"class Tank\";\n"))
      let stores = try Command.run("diagram", "--zoom=stores", "--format=mermaid", file)
      #expect(stores.output.contains("n2[\"mem:\"]"))
      let path = directory.path("net.svg")
      let svg = try Command.run("diagram", file, "--format=svg", "-o", path)
      #expect(svg.status == .status(0))
      #expect(svg.output == "")
      let image = try String(contentsOf: URL(fileURLWithPath: path), encoding: .utf8)
      #expect(image.hasPrefix("<?xml "))
      #expect(image.hasSuffix("</svg>\n"))
    }
  }

  @Test func aRunningProgramIsDrawnWithItsValues() throws {
    try Directory.withTemporary { directory in
      let text = DiagramCommandTests.program + "\na := arguments first asNumber. tank := Tank new."
      let file = try directory.write(text, to: "net.st")
      let path = directory.path("net.mmd")
      let result = try Command.run("diagram", "--run", "-o", path, file, "41")
      #expect(result.status == .status(0))
      #expect(result.output == "it runs\n")
      let drawn = try String(contentsOf: URL(fileURLWithPath: path), encoding: .utf8)
      #expect(drawn.contains("(\"ivar:b<br/><i>42</i>\")"))
      #expect(drawn.contains("(\"mem:x/y<br/><i>42</i>\")"))
      #expect(drawn.contains("(\"ivar:full<br/><i>nil</i>\")"))
      #expect(drawn.contains(" waiting\n"))
      let said = try Command.run("diagram", "--from", path)
      #expect(
        said.output == """
          ivar:b |= a + 1.
          mem:x/y |= ivar:b.
          class Tank {
            ivar:full |= level > 3.
          }

          """)
      let failing = try directory.write("nil foo.", to: "failing.st")
      #expect(try Command.run("diagram", "--run", failing).status == .status(1))
      let missing = directory.path("missing.st")
      let unread = try Command.run("diagram", missing)
      #expect(unread.status == .status(2))
      #expect(unread.errors == "tenon: cannot read '\(missing)': No such file or directory\n")
    }
  }

  /// What a diagram's text says means the same again where nothing else is known.
  @Test func theTextOfADiagramIsComplete() throws {
    try Directory.withTemporary { directory in
      let program = """
        connector ~> : DataflowConnector { -transform: value { ^value * 2 } }
        memory-model := 3.
        var b. var a-b := 1. var c.
        b |= memory-model + 1.
        a-b ~> c.
        k-l := (c =|= var:d/ef).

        """
      let file = try directory.write(program, to: "net.st")
      let drawn = try Command.run("diagram", file)
      #expect(drawn.output.hasPrefix("flowchart LR\n  %% connector ~>\n"))
      #expect(drawn.output.contains("(\"memory-model\")"))
      let diagram = try directory.write(drawn.output, to: "net.mmd")
      let said = try Command.run("diagram", "--from", diagram)
      #expect(
        said.output == """
          connector ~> : Connector {}
          var memory-model.
          var a-b.
          var k-l.
          b |= memory-model + 1.
          a-b ~> c.
          k-l := c =|= var:d/ef.

          """)
      let again = try directory.write(said.output, to: "again.st")
      #expect(try Command.run("diagram", again).output == drawn.output)
    }
  }

  @Test func aSignThatIsNoConnectorIsTold() throws {
    try Directory.withTemporary { directory in
      for sign in ["=", "+", "-", "==", "|", "~ ~", "(", "~~~", "~>", "<"] {
        let label = sign.replacing("<", with: "#lt;").replacing(">", with: "#gt;")
        let text = "flowchart LR\n  a(\"x\") ==>|\"\(label)\"| b(\"y\")\n"
        let diagram = try directory.write(text, to: "net.mmd")
        let said = try Command.run("diagram", "--from", diagram)
        #expect(said.status == .status(65), "\(sign)")
        #expect(said.output == "", "\(sign)")
        #expect(
          said.errors.hasPrefix("\(diagram):2:14: error: '\(sign)' is no connector"), "\(said)")
      }
      let text = """
        flowchart LR
          %% connector ~~~
          %% connector +
          %% connector lines may stand here
          a("x") ==>|"~~~"| b("y")
          b ==>|"+"| a
        """
      let diagram = try directory.write(text, to: "own.mmd")
      let said = try Command.run("diagram", "--from", diagram)
      #expect(said.errors == "\(diagram):6:9: error: '+' is no connector\n")
    }
  }

  @Test func whatIsWrongIsTold() throws {
    try Directory.withTemporary { directory in
      let wrong = try directory.write("a |= .", to: "wrong.st")
      let syntax = try Command.run("diagram", wrong)
      #expect(syntax.status == .status(65))
      #expect(syntax.errors.hasPrefix("\(wrong):1:6: error: "))
      let diagram = try directory.write("flowchart LR\n  a(\"x\") ==> b(\"y\")\n", to: "wrong.mmd")
      let line = try Command.run("diagram", "--from", diagram)
      #expect(line.status == .status(65))
      #expect(
        line.errors
          == "\(diagram):2:14: error: expected the connector, as in '==>|\"|=\"|'\n")
      let missing = directory.path("missing.st")
      #expect(try Command.run("diagram", missing).status == .status(2))
      let output = try Command.run("diagram", "-o", directory.path("no/where"), wrong)
      #expect(output.status == .status(65))
      let good = try directory.write("a |= b.", to: "good.st")
      let unwritable = try Command.run("diagram", "-o", directory.path("no/where"), good)
      #expect(unwritable.status == .status(1))
      #expect(unwritable.errors.hasPrefix("tenon: cannot write "))
    }
  }

  @Test(arguments: [
    (["diagram"], "'diagram' needs a file"),
    (["diagram", "--zoom", "cells"], "'diagram' needs a file"),
    (["diagram", "a.st", "b.st"], "'diagram' takes one file; 'b.st' is another"),
    (["diagram", "--zoom", "x", "a.st"], "'--zoom' takes one of cells, objects, stores, not 'x'"),
    (["diagram", "--format=gif", "a.st"], "'--format' takes one of mermaid, dot, svg, not 'gif'"),
    (["diagram", "a.st", "--format"], "'--format' needs a value"),
    (["diagram", "--run=3", "a.st"], "'--run' takes no value"),
    (["diagram", "--what", "a.st"], "unknown option '--what' of 'diagram'"),
    (
      ["diagram", "--from", "--run", "a.st"],
      "'--from' prints statements: it takes no other option but '-o'"
    ),
  ])
  func aWrongCommandLineIsRefused(_ words: [String], _ message: String) throws {
    let result = try Command.run(words, input: [])
    #expect(result.status == .status(2))
    #expect(result.errors == "tenon: \(message); try 'tenon --help'\n")
  }
}
