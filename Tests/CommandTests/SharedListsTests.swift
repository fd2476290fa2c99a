import Foundation
import Testing

/// The example of lists that are shared over a server which goes wrong, in a small size;
/// `scripts/check-full` runs it for ten minutes.
@Suite struct SharedListsTests {
  private static let driver = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().appendingPathComponent("StoresTests/lists_run.py").path

  /// Nothing that was answered is lost, whatever the server does, also when the client is killed.
  @Test(.timeLimit(.minutes(10)))
  func noEditIsLost() throws {
    let child = try Child.start([
      "/usr/bin/env", "python3", SharedListsTests.driver, Command.path, "--edits", "24", "--rate",
      "0.15", "--faults", "30", "--slow", "0.2", "--down", "0.4", "--kills", "1", "--pause", "0.02",
    ])
    let output = try child.readToEnd()
    #expect(child.waitForExit() == .status(0), "\(output)")
  }

  /// Without a server the lists are there as well, and what is typed is on the disk.
  @Test func theListsStay() throws {
    try Directory.withTemporary { directory in
      let example = ExampleTests.examples.appendingPathComponent("lists.st").path
      let typed =
        "list shop\nadd milk\nput milk two litres\ndone milk\nadd rye\ndrop rye\ndrop ham\n"
      let first = try Command.run(example, directory.path("data"), input: typed)
      #expect(first.errors == "")
      #expect(
        first.output == """
          .
          - milk 
          .
          - milk two litres
          .
          x milk two litres
          .
          x milk two litres
          - rye 
          .
          x milk two litres
          .
          there is none
          x milk two litres
          .

          """)
      let second = try Command.run(example, directory.path("data"), input: "list shop\n")
      #expect(second.output == "x milk two litres\n.\n")
    }
  }

  /// What the server does not have is told at the end, and sent by the next run.
  @Test(.timeLimit(.minutes(10)))
  func whatWasNotSentIsTold() throws {
    try Directory.withTemporary { directory in
      let example = ExampleTests.examples.appendingPathComponent("lists.st").path
      let result = try Command.run(
        example, directory.path("data"), "http://127.0.0.1:1/lists", input: "add milk\n")
      #expect(result.status == .status(1))
      #expect(result.output.hasPrefix("- milk \n.\nnot sent: inbox/milk: "))
    }
  }
}
