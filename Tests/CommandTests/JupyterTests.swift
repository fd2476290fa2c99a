import Foundation
import Testing

/// The kernel for Jupyter: how it is installed, and what it does over the protocol.
@Suite struct JupyterTests {
  private static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent()
  private static let kernel = root.appendingPathComponent("editors/jupyter/tenon_kernel.py")
  private static let tests = root.appendingPathComponent("editors/jupyter/test_tenon_kernel.py")
  private static let embedded = root.appendingPathComponent("Sources/REPL/Jupyter/KernelText.swift")

  /// Whether a line of Python ends without an error.
  private static func python(_ line: String) -> Bool {
    guard let child = try? Child.start(["python3", "-c", line], stdin: "/dev/null") else {
      return false
    }
    _ = try? child.readToEnd()
    return child.waitForExit() == .status(0)
  }

  private static let hasPython = python("import json")
  private static let hasJupyter = python("import ipykernel, nbclient, nbformat")

  @Test func theKernelIsInstalled() throws {
    let text = try String(contentsOf: JupyterTests.kernel, encoding: .utf8)
    if ProcessInfo.processInfo.environment["UPDATE_EXPECTATIONS"] == "1" {
      var marks = "#"
      while text.contains("\"" + marks) || text.contains("\\" + marks) { marks += "#" }
      let source = """
        // swift-format-ignore-file
        // Written by JupyterTests from editors/jupyter/tenon_kernel.py.

        /// The kernel for Jupyter, a program in Python.
        let jupyterKernelText = \(marks)\"\"\"

        """
      try Data((source + text + "\n\"\"\"\(marks)\n").utf8).write(to: JupyterTests.embedded)
    }
    try Directory.withTemporary { directory in
      let result = try Command.run("jupyter", "install", "--prefix", directory.path("a b"))
      #expect(result.status == .status(0))
      #expect(result.errors == "")
      let folder = directory.root.resolvingSymlinksInPath()
        .appendingPathComponent("a b/share/jupyter/kernels/tenon")
      let installed = folder.appendingPathComponent("tenon_kernel.py")
      #expect(try String(contentsOf: installed, encoding: .utf8) == text)
      let data = try Data(contentsOf: folder.appendingPathComponent("kernel.json"))
      let description = try #require(
        JSONSerialization.jsonObject(with: data) as? [String: Any])
      #expect(
        description["argv"] as? [String]
          == ["python3", installed.path, "-f", "{connection_file}"])
      #expect(description["language"] as? String == "tenon")
      #expect(description["display_name"] as? String == "Tenon")
      let environment = description["env"] as? [String: String]
      let tenon = URL(fileURLWithPath: Command.path).resolvingSymlinksInPath().path
      #expect(environment == ["TENON": tenon])
      // Again, over what is there.
      let again = try Command.run("jupyter", "install", "--prefix=\(directory.path("a b"))")
      #expect(again.output == result.output)
    }
  }

  @Test func whereItCannotBeWrittenIsTold() throws {
    try Directory.withTemporary { directory in
      let file = try directory.write("", to: "file")
      let result = try Command.run("jupyter", "install", "--prefix", file)
      #expect(result.status == .status(1))
      #expect(
        result.errors
          == "tenon: cannot write '\(file)/share/jupyter/kernels/tenon': Not a directory\n")
    }
  }

  @Test(arguments: [
    (["jupyter"], "'jupyter' needs 'install'"),
    (["jupyter", "remove"], "'jupyter' needs 'install', not 'remove'"),
    (["jupyter", "install", "--prefix"], "'--prefix' needs a value"),
    (["jupyter", "install", "--prefix="], "'--prefix' takes a directory, not ''"),
    (["jupyter", "install", "--user=x"], "'--user' takes no value"),
    (["jupyter", "install", "--what"], "unknown option '--what' of 'jupyter install'"),
    (["jupyter", "install", "x"], "'jupyter install' takes no argument; 'x' is one"),
    (
      ["jupyter", "install", "--user", "--prefix", "x"],
      "'--user' and '--prefix' are two places: give one"
    ),
  ])
  func aWrongCommandLineIsRefused(_ words: [String], _ message: String) throws {
    let result = try Command.run(words, input: [])
    #expect(result.status == .status(2))
    #expect(result.errors == "tenon: \(message); try 'tenon --help'\n")
  }

  private func runTests(_ suite: String) throws {
    let child = try Child.start(
      // Two minutes are there so that a hang ends.
      ["timeout", "-k", "5", "120", "python3", JupyterTests.tests.path, suite],
      environment: [
        "TENON": Command.path,
        "UPDATE_EXPECTATIONS":
          ProcessInfo.processInfo.environment["UPDATE_EXPECTATIONS"] ?? "",
      ], stdin: "/dev/null")
    let output = try child.readToEnd()
    #expect(child.waitForExit() == .status(0), "\(output)")
  }

  @Test(.enabled(if: hasPython)) func cells() throws { try runTests("NotebookTests") }

  @Test(.enabled(if: hasJupyter)) func notebooks() throws { try runTests("JupyterTests") }
}
