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

  /// What one turn writes is one batch: a program that is killed leaves all of it, or nothing.
  @Test(arguments: ["journal", "full"])
  func aTurnIsOneTurnOnDisk(_ level: String) throws {
    let script = """
      #-<void>keepIn:<String>directory level:<String>level
      scheme:saved := PersistentStore at: directory level: (level = 'full' ifTrue: [ #full ] ifFalse: [ #journal ]).
      scheme:model := MemoryStore new.
      model: := saved:.
      level = 'check' ifTrue: [
        all := (1 to: 400) asArray collect: [ :i | model:a/{i \\\\ 20}/{i} ].
        own := #(saved:own/1, saved:other/2, saved:third).
        stdout println: #(all asSet size, own asSet size, all first, own first).
        Exit status: 0 ].
      saved: |= model:.
      n := (model:a/1/1 ifNil: [ 0 ]) max: (saved:own/1 ifNil: [ 0 ]).
      stdout println: 'ready'; flush.
      [ true ] whileTrue: [
        n := n + 1.
        self atomically: [ 1 to: 400 do: [ :i | model:a/{i \\\\ 20}/{i} := n ] ].
        (scheme:saved) atomically: [ saved:own/1 := n. saved:other/2 := n. saved:third := n ].
        [ (scheme:saved) atomically: [ saved:own/1 := -1. saved:other/2 := -2. nil foo ] ] on: Error do: [ :e | nil ] ].

      """
    try Directory.withTemporary { directory in
      let path = try directory.write(script, to: "script.st")
      let data = directory.path("data")
      var last = (0, 0)
      for round in 1...8 {
        let child = try Child.start([Command.path, path, data, level])
        try child.expect("ready\n")
        usleep(UInt32.random(in: 50_000...400_000))
        child.send(signal: SIGKILL)
        #expect(child.waitForExit() == .signal(SIGKILL))
        let output = try Command.run(path, data, "check").output
        let numbers = output.split { !$0.isNumber && $0 != "-" }.compactMap { Int($0) }
        let counts = numbers.prefix(2)
        #expect(counts == [1, 1], "round \(round): \(output)")
        let found = (numbers.dropFirst(2).first ?? 0, numbers.dropFirst(3).first ?? 0)
        #expect(found.0 >= last.0 && found.1 >= last.1, "round \(round): \(output)")
        last = found
      }
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
