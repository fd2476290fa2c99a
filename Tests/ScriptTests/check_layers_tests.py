"""Tests of scripts/check-layers, on sources made up for them. LayerTests.swift runs these."""

import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

SCRIPT = Path(__file__).resolve().parents[2] / "scripts" / "check-layers"

MANIFEST = """
.library(name: "Tenon", targets: ["Tenon"]),
.target(name: "TenonLexer", path: "Sources/Lexer"),
.target(name: "TenonRuntime", dependencies: ["TenonLexer"], path: "Sources/Runtime"),
.target(name: "TenonStores", path: "Sources/Stores"),
"""

# Core and Machine use each other; Errors uses nothing.
SOURCES = {
    "Lexer/Token.swift": """
        public struct Token {
          public var spelling = ""
          var hidden = 0
        }
        """,
    "Runtime/Core/Heap.swift": """
        final class Heap {
          var liveBytes = 0 {
            didSet { check() }
          }
          let blocks: [Int]
          lazy var machineOfHeap: Machine? = nil
          var isFull: Bool { liveBytes > 100 }
          static var largest = 7
          private(set) var sweeps = 0, marks = 0
          init() { blocks = [] }
          func collectAll() {
            // liveBytes and Machine in a comment are no uses. /* nor here
            sweeps += 1
          }
          func check() {}
        }
        """,
    "Runtime/Machine/Machine.swift": """
        internal import TenonLexer

        final class Machine {
          let heap = Heap()
          var depth = 0
        }

        extension Machine {
          func allocate(_ token: Token) -> Int {
            heap.collectAll()
            return heap.liveBytes + token.spelling.count
          }
          func count(liveBytes: Int) -> Int { liveBytes }
        }
        """,
    "Runtime/Errors/Failure.swift": """
        enum Failure { case missing, damaged(String) }
        """,
}


class Layers(unittest.TestCase):
    maxDiff = None

    def setUp(self):
        self.directory = tempfile.TemporaryDirectory()
        self.addCleanup(self.directory.cleanup)
        self.root = Path(self.directory.name)
        self.write("Package.swift", MANIFEST)
        for name, text in SOURCES.items():
            self.write(f"Sources/{name}", text)

    def write(self, name, text):
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        lines = text.strip("\n").split("\n")
        indent = min([len(line) - len(line.lstrip()) for line in lines if line.strip()], default=0)
        path.write_text("\n".join(line[indent:] for line in lines).rstrip() + "\n")

    def run_script(self, *arguments):
        """The exit status and the lines that the script prints."""
        result = subprocess.run(
            [sys.executable, str(SCRIPT), "--root", str(self.root), *arguments],
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        return result.returncode, result.stdout.splitlines()

    def uses(self, start, end):
        """The uses that are listed, without the folder and the summary."""
        status, lines = self.run_script("--uses", start, end)
        self.assertEqual(status, 0, lines)
        return [line.rpartition("/")[2] for line in lines[:-1]]

    def add_to_errors(self, text):
        """Writes a second file of Errors."""
        self.write("Sources/Runtime/Errors/Use.swift", text)

    # MARK: Uses

    def test_uses(self):
        self.assertEqual(self.uses("Machine", "Core"), [
            "Machine.swift:4 Heap", "Machine.swift:10 collectAll", "Machine.swift:11 liveBytes"])
        self.assertEqual(self.uses("Core", "Machine"), ["Heap.swift:6 Machine"])
        self.assertEqual(self.uses("Core", "Errors"), [])

    def test_uses_of_another_target_are_of_what_is_public(self):
        self.assertEqual(
            self.uses("Runtime", "Lexer"), ["Machine.swift:9 Token", "Machine.swift:11 spelling"])
        self.add_to_errors("func look(_ other: Any) { print(other.hidden, other.depth) }")
        self.assertEqual(self.uses("Errors", "Lexer"), [])
        self.assertEqual(self.uses("Errors", "Machine"), ["Use.swift:1 depth"])

    def test_strings_and_comments_are_no_uses_but_the_code_inside_is_one(self):
        self.add_to_errors(r'''
            func text(_ machine: Machine) -> String {
              /* machine.depth /* machine.depth */ machine.depth */
              let a = "machine.depth \(machine.depth) \("}" + "\(machine.heap)") { \\"
              let b = #"machine.depth \(machine.depth) \#(machine.depth) ""#
              let c = """
                machine.depth "\(machine.depth)" {
                """
              let d = /machine.depth"{/
              let e = #/machine.depth"{/#
              return a + b + c + "\(d)\(e)\(machine.depth)"
            }
            ''')
        self.assertEqual(self.uses("Errors", "Machine"), [
            "Use.swift:1 Machine", "Use.swift:3 depth", "Use.swift:3 heap", "Use.swift:4 depth",
            "Use.swift:6 depth", "Use.swift:10 depth"])

    def test_names_alone_are_members_of_the_type_only_and_give_way_to_variables(self):
        self.add_to_errors("""
            extension Machine {
              func f1() -> Int { depth }
              func f2(depth: Int) -> Int { depth }
              func f3(_ depth: Int) -> Int { depth }
              func f4() -> Int { let depth = 1; return depth }
              func f5() { if let depth { print(depth) } }
              func f6() { for (i, depth) in [] { print(i, depth) } }
              func f7() { [1].map { depth in depth } }
              func f8() { g(depth: 1) }
              func f9() { guard case .damaged(let depth) = x else { return }; print(depth) }
              var f10: Int { depth }
            }
            extension Heap { func g1() -> Int { depth } }
            func h1() -> Int { depth }
            """)
        self.assertEqual(
            [each for each in self.uses("Errors", "Machine") if each.endswith(" depth")],
            ["Use.swift:2 depth", "Use.swift:6 depth", "Use.swift:11 depth"])

    def test_names_declared_twice_count_where_the_type_is_known(self):
        self.write("Sources/Runtime/Text/Scanner.swift", "struct Scanner { var depth = 0 }")
        self.add_to_errors("""
            func a(machine: Machine) -> Int { machine.depth }
            func b(other: Any) -> Int { other.depth }
            extension Machine { func c() -> Int { self.depth } }
            """)
        self.assertEqual(
            [each for each in self.uses("Errors", "Machine") if each.endswith(" depth")],
            ["Use.swift:1 depth", "Use.swift:3 depth"])
        self.assertEqual(self.uses("Errors", "Text"), [])

    def test_names_of_the_library_and_private_names_elsewhere(self):
        self.write("Sources/Runtime/Text/Scanner.swift", """
            struct Scanner {
              var count = 0
              private var depth = 0
            }
            """)
        self.add_to_errors("func a(other: Any) -> Int { other.count + other.depth }")
        self.assertEqual(self.uses("Errors", "Text"), [])
        self.assertEqual(self.uses("Errors", "Machine"), ["Use.swift:1 depth"])

    def test_cases_members_of_supertypes_and_labels_of_tuples(self):
        self.write("Sources/Runtime/Core/Node.swift", "class Node { func evaluate() {} ; var site = 0 }")
        self.write("Sources/Runtime/Evaluation/Nodes.swift", """
            final class SendNode: Node {
              override func evaluate() { _ = site }
              func fail() -> Failure { .damaged("") }
              var pair: (missing: Int, other: Int) { (missing: 1, other: 2) }
            }
            """)
        self.write("Sources/Runtime/Primitives/Run.swift", "func run(_ n: Any) { n.evaluate(); n.missing }")
        self.assertEqual(
            self.uses("Evaluation", "Core"), ["Nodes.swift:1 Node", "Nodes.swift:2 site"])
        self.assertEqual(
            self.uses("Evaluation", "Errors"), ["Nodes.swift:3 Failure", "Nodes.swift:3 damaged"])
        # The redefinition belongs to Node; 'missing' may be a case or a label.
        self.assertEqual(self.uses("Primitives", "Core"), ["Run.swift:1 evaluate"])
        self.assertEqual(self.uses("Primitives", "Errors"), [])

    def test_parameters_of_types_are_no_types(self):
        self.write("Sources/Runtime/Text/Scanner.swift", """
            struct Scanner<Heap> {
              var a: Heap
              func f<Machine>(m: Machine) {}
            }
            """)
        self.assertEqual(self.uses("Text", "Core"), [])
        self.assertEqual(self.uses("Text", "Machine"), [])

    def test_unknown_folders(self):
        status, lines = self.run_script("--uses", "Nowhere", "Core")
        self.assertEqual(status, 1)
        self.assertIn("no folder 'Nowhere'", lines[0])

    # MARK: Types

    def test_stored_properties_and_extensions_of_a_type(self):
        _, lines = self.run_script("--type", "Heap")
        self.assertEqual(lines[0], "Heap: 16 lines, stored properties: 5, 0 extensions in 0 folders")
        properties = [line.split() for line in lines[3:8]]
        self.assertEqual([each[0] for each in properties], [
            "liveBytes", "blocks", "machineOfHeap", "marks", "sweeps"])
        self.assertEqual(properties[0][1:], ["2", "Core", "1,", "Machine", "1"])
        _, lines = self.run_script("--type", "Machine")
        self.assertEqual(lines[0], "Machine: 11 lines, stored properties: 2, 1 extension in 1 folder")
        self.assertEqual(lines[-1].split(), ["7", "lines", "Sources/Runtime/Machine/Machine.swift:8"])

    # MARK: The report and the ceilings

    CEILINGS = """
        # Made up.
        lines of Runtime: 31
        lines of connectors: 0
        lines of the longest file: 16
        files above 500 lines: 0
        lines of the longest function: 4
        functions above 60 lines: 0
        files in the largest folder: 1
        folders in the largest cycle: 2
        mutual pairs: 1
        folders in the largest cycle of frequent arrows: 0
        mutual pairs of frequent arrows: 0
        arrows of Core: Machine
        arrows of Machine: Core  # the heap
        upward uses of Core: 1
        """

    def test_report(self):
        status, lines = self.run_script()
        self.assertEqual(status, 1)
        start = lines.index("Uses between the folders of Runtime, rows use columns")
        self.assertEqual([line.split() for line in lines[start + 1:start + 5]], [
            ["Core", "Error", "Machi"], ["Core", ".", ".", "1"], ["Errors", ".", ".", "."],
            ["Machine", "3", ".", "."]])
        self.assertIn("  every arrow: 2: Core Machine", lines)
        self.assertIn("  every arrow: 1 mutual pair", lines)
        self.assertIn("  arrows of 20 uses and more: none", lines)
        self.assertIn("  Core: 1 (Machine 1)", lines)
        self.assertIn("  lines of Runtime: 31", lines)
        self.assertEqual(lines, self.run_script()[1])

    def test_ceilings_that_hold(self):
        self.write("scripts/layers.ceilings", self.CEILINGS)
        self.assertEqual(self.run_script("--quiet"), (0, []))

    def test_breaches(self):
        self.write("scripts/layers.ceilings", self.CEILINGS)
        self.add_to_errors("func a(heap: Heap) {\n  heap.collectAll()\n" + "\n" * 61 + "}")
        self.write("Sources/Stores/Store.swift", "internal import TenonRuntime\ninternal import Foundation")
        self.write("Sources/Runtime/Connections/Graph.swift", "extension Machine {}")
        self.assertEqual(self.run_script("--quiet"), (1, ["above a ceiling: " + line for line in [
            "lines of Runtime: 96, above 31",
            "lines of connectors: 1, above 0",
            "lines of the longest file: 64, above 16 (Sources/Runtime/Errors/Use.swift)",
            "lines of the longest function: 64, above 4 (a, Sources/Runtime/Errors/Use.swift:1)",
            "functions above 60 lines: 1, above 0",
            "files in the largest folder: 2, above 1 (Sources/Runtime/Errors)",
            "Connections uses Machine, a new arrow: "
            "1 use, Machine in Sources/Runtime/Connections/Graph.swift:1",
            "Errors uses Core, a new arrow: 2 uses, Heap in Sources/Runtime/Errors/Use.swift:1",
            "extensions of Machine in Connections: 1, above 0",
            "files of Stores that import Foundation: 1, above 0",
            "files of Stores that import Runtime: 1, above 0",
        ]]))

    def test_types_without_a_line_have_the_goals(self):
        self.write("scripts/layers.ceilings", self.CEILINGS)
        properties = "; ".join(f"var p{number} = 0" for number in range(31))
        self.write("Sources/Lexer/Large.swift", "struct Large { %s }%s" % (
            properties, "\nextension Large {}" * 9))
        status, lines = self.run_script("--quiet")
        self.assertEqual((status, lines), (1, [
            "above a ceiling: files in the largest folder: 2, above 1 (Sources/Lexer)",
            "above a ceiling: properties of type Large: 31, above 30",
            "above a ceiling: extensions of type Large: 9, above 8"]))
        self.write("scripts/layers.ceilings", self.CEILINGS.replace("folder: 1", "folder: 2") + """
        properties of type Large: 31
        extensions of type Large: any
        """)
        self.assertEqual(self.run_script("--quiet"), (0, []))

    def test_ceilings_that_can_be_lowered(self):
        high = self.CEILINGS.replace("Runtime: 31", "Runtime: 1040")
        high = high.replace("Machine: Core", "Machine: Core Errors")
        self.write("scripts/layers.ceilings", high + "properties of type Gone: 40\n")
        self.assertEqual(self.run_script("--quiet"), (0, ["can be lowered: " + line for line in [
            "lines of Runtime: 1,040 can be 31", "arrows of Machine: Errors can go",
            "properties of type Gone: 40 can go"]]))
        self.assertEqual(self.run_script("--lower")[0], 0)
        text = (self.root / "scripts" / "layers.ceilings").read_text()
        self.write("expected", self.CEILINGS)
        self.assertEqual(text, (self.root / "expected").read_text())
        self.assertEqual(self.run_script("--quiet"), (0, []))

    def test_a_line_that_is_no_ceiling(self):
        self.write("scripts/layers.ceilings", "lines of Runtime: 31\nmutual pairs: few")
        status, lines = self.run_script("--quiet")
        self.assertEqual(status, 1)
        self.assertIn("layers.ceilings:2: expected a number or 'any' behind 'mutual pairs:'", lines[0])


if __name__ == "__main__":
    unittest.main()
