import Foundation
import Testing

/// Persistent stores in programs that end in every way there is.
@Suite struct PersistenceTests {
  private static let tasks = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent()
    .appendingPathComponent("examples/tasks.st").path

  private func text(_ directory: Directory, _ name: String) -> String? {
    try? String(contentsOfFile: directory.path(name), encoding: .utf8)
  }

  @Test func tasksThatWereAnsweredSurviveBeingKilled() throws {
    try Directory.withTemporary { directory in
      let data = directory.path("tasks")
      for number in 1...6 {
        let child = try Child.start([Command.path, PersistenceTests.tasks, data])
        try child.send("shopping + thing \(number)\n")
        try child.expect("\(number) thing \(number)\n.\n")
        child.send(signal: SIGKILL)
        #expect(child.waitForExit() == .signal(SIGKILL))
      }
      let result = try Command.run(
        [PersistenceTests.tasks, data], input: Array("shopping - 2\nshopping\n".utf8))
      let left = [1, 3, 4, 5, 6].map { "\($0) thing \($0)\n" }.joined() + ".\n"
      #expect(result.output == left + left)
      #expect(text(directory, "tasks/shopping.json")?.contains("\"6\": \"thing 6\"") == true)
      let names = try FileManager.default.contentsOfDirectory(atPath: data).sorted()
      #expect(names == [".tenon-journal", ".tenon-lock", "shopping.json"])
    }
  }

  @Test func tasksNeedADirectory() throws {
    let result = try Command.run(PersistenceTests.tasks)
    #expect(result.errors.contains("expected the directory that keeps the lists"))
    #expect(result.status == .status(1))
  }

  @Test(arguments: ["fast", "journal", "full"])
  func everyEndOfAProgramSavesWhatItWrote(_ level: String) throws {
    try Directory.withTemporary { directory in
      let open = "s := PersistentStore at: '\(directory.path("data"))' level: #\(level). "
      let ends = [
        ("s at: 'a' put: 1.", "1", .status(0)), ("s at: 'a' put: 2. 1 / 0.", "2", .status(1)),
        ("s at: 'a' put: 3. Exit status: 7.", "3", .status(7)),
        ("[ :x | x foo ] value: (s at: 'a' put: 4).", "4", Child.Exit.status(1)),
      ]
      for (text, value, exit) in ends {
        let (status, _) = try Command.shell(
          #"exec "$0" "$@""#, "-e", open + text)
        #expect(status == exit, "\(text)")
        #expect(
          self.text(directory, "data/root.json") == "{\n  \"a\": \(value)\n}\n", "\(text)")
      }
      for signal in [SIGTERM, SIGINT] {
        let text = open + "s at: 'a' put: \(signal + 10). stdout println: 'ready'; flush. "
        let child = try Child.start([Command.path, "-e", text + "[ true ] whileTrue."])
        try child.expect("ready\n")
        #expect(child.waitForExit(sending: signal) == .status(128 + signal))
        #expect(
          self.text(directory, "data/root.json") == "{\n  \"a\": \(signal + 10)\n}\n")
      }
    }
  }

  @Test func whatCannotBeSavedIsToldAtTheEnd() throws {
    try Directory.withTemporary { directory in
      let data = directory.path("data")
      try FileManager.default.createDirectory(
        atPath: data + "/c.json", withIntermediateDirectories: true)
      let (status, output) = try Command.shell(
        #"exec "$0" "$@" 2>&1"#, "-e",
        "scheme:saved := PersistentStore at: '\(data)'. saved:c/x := 1. saved:d/x := 2.")
      #expect(status == .status(1))
      #expect(
        output == "2\nwarning: saved:c/x: \(data)/c.json: not a file\n"
          + "error: saved:c/x: \(data)/c.json: not a file\n")
      #expect(text(directory, "data/d.json") == "{\n  \"x\": 2\n}\n")
    }
  }
}
