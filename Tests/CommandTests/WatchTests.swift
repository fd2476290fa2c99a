import Foundation
import Testing

/// Scripts that watch files which others change.
@Suite struct WatchTests {
  /// Starts a script in a directory and waits until it has printed that it is ready.
  private func start(
    _ script: String, _ arguments: String..., in directory: Directory
  ) throws -> Child {
    let file = try directory.write(script, to: "script.st")
    let child = try Child.start(
      [
        "/bin/sh", "-c", #"cd "$1" && shift && exec "$0" "$@""#, Command.path, directory.path(""),
        file,
      ]
        + arguments)
    try child.expect("ready\n")
    return child
  }

  private func end(_ child: Child) {
    child.send(signal: SIGINT)
    #expect(child.waitForExit() == .status(130))
  }

  @Test func aFormulaFollowsAFile() throws {
    try Directory.withTemporary { directory in
      try directory.write("one", to: "a.txt")
      let child = try start(
        """
        var size. var copy.
        size |= file:a.txt size.
        copy |= file:a.txt.
        ref:copy watch: [ :text | stdout println: "{text} {size}" ].
        stdout println: 'ready'; flush.
        """, in: directory)
      try directory.write("two!", to: "a.txt")
      try child.expect("two! 4\n")
      // As editors save: a second file, which takes the name.
      try directory.write("three", to: "b.txt")
      #expect(unsafe rename(directory.path("b.txt"), directory.path("a.txt")) == 0)
      try child.expect("three 5\n")
      end(child)
    }
  }

  /// What a store has read for a place may change before it has read the rest.
  @Test func aFileThatChangesWhileOthersAreRead() throws {
    try Directory.withTemporary { directory in
      try directory.write("one", to: "a")
      try directory.write("four", to: "b")
      let child = try start(
        """
        class Sizes : Store {
          -answersLater { ^true }
          -canTellOf: reference { ^true }
          -get: reference {
            | size |
            size := file:a size.
            self unobserved: [
              stdout println: 'ready'; flush.
              [ file:go isNil ] whileTrue: [ ] ].
            ^size * 100 + file:b size
          }
        }
        scheme:sizes := Sizes new.
        x |= sizes:all.
        ref:x watch: [ :size | stdout println: 'size ' , size printString ].
        stdout println: 'size ' , x printString; flush.
        """, in: directory)
      try directory.write("seven", to: "a")
      // Time for it to be told of, which nothing depends on.
      usleep(200_000)
      try directory.write("", to: "go")
      try child.expect("size 504\n")
      end(child)
    }
  }

  @Test func aListingIsWatched() throws {
    try Directory.withTemporary { directory in
      try directory.write("x", to: "inbox/a")
      let child = try start(
        """
        k := ref:file:inbox watch: [ :names | stdout println: (names joined: ' ') ].
        stdout println: 'ready'; flush.
        """, in: directory)
      try directory.write("x", to: "inbox/b")
      try child.expect("a b\n")
      try FileManager.default.removeItem(atPath: directory.path("inbox/a"))
      try child.expect("b\n")
      end(child)
    }
  }

  @Test func aScriptEndsWithItsLastWatch() throws {
    try Directory.withTemporary { directory in
      try directory.write("x", to: "d/other")
      let child = try start(
        """
        k := ref:file:d/stop watch: [ :text | stdout println: text. k disconnect ].
        j := ref:file:d watchBelow: [ :changed |
          changed name = 'stop' ifTrue: [ j disconnect ] ].
        stdout println: 'ready'; flush.
        """, in: directory)
      try directory.write("now", to: "d/stop")
      try child.expect("now\n")
      #expect(child.waitForExit() == .status(0))
    }
  }

  @Test func onceEndsAtTheLastStatement() throws {
    let script = "var size. size |= file:a.txt size. stdout println: 'end'"
    let result = try Command.run("--once", "-", input: script)
    #expect(result.output == "end\n")
    #expect(result.status == .status(0))
  }

  /// What a connection only writes keeps no program waiting.
  @Test func aTargetIsNotWatched() throws {
    try Directory.withTemporary { directory in
      let file = directory.path("out.txt")
      let result = try Command.run(
        "-", input: "var a := 'x'. file:\(file) |= a , '!'. a := 'y'. stdout println: file:\(file)")
      #expect(result.output == "y!\n")
      #expect(result.status == .status(0))
    }
  }

  @Test func whileAProgramWaits() throws {
    try Directory.withTemporary { directory in
      let child = try start(
        """
        seen := Future new.
        k := ref:file:d watchBelow: [ :changed | seen isPending ifTrue: [ seen resolve: changed ] ].
        stdout println: 'ready'; flush.
        stdout println: seen value.
        k disconnect.
        """, in: directory)
      try directory.write("1", to: "d/e/f.txt")
      try child.expect("file:d")
      #expect(child.waitForExit() == .status(0))
    }
  }

  /// A link to nothing is told as what cannot be copied as long as it leads to nothing, whichever side
  /// of a connection it is on.
  @Test(arguments: ["copy |= ref:file:d asScheme", "(ref:file:d asScheme) =|= copy"])
  func omissionsComeAndGo(_ connection: String) throws {
    try Directory.withTemporary { directory in
      try directory.write("x", to: "d/e/a")
      let child = try start(
        """
        copy := MemoryStore new.
        k := (\(connection)).
        last := '#{}'.
        t := [
          k failures printString = last ifFalse: [
            last := k failures printString.
            stdout println: last; flush ] ] every: 20 milliseconds.
        stdout println: 'ready'; flush.
        """, in: directory)
      let link = directory.path("d/e/link")
      try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: "none")
      let told = "file:d/e/link: a symbolic link that leads to nothing"
      try child.expect("#{'e/link': '\(told)'}\n")
      try directory.write("y", to: "d/e/b")
      try FileManager.default.removeItem(atPath: link)
      try child.expect("#{}\n")
      end(child)
    }
  }

  @Test func theExampleLogsWhatChanges() throws {
    try Directory.withTemporary { directory in
      try directory.write("x", to: "notes/old.txt")
      let example = try String(
        contentsOf: ExampleTests.examples.appendingPathComponent("watch.st"), encoding: .utf8)
      let child = try start(
        example + ".\nstdout println: 'ready'; flush.\n", "notes", in: directory)
      try directory.write("y", to: "notes/first.txt")
      try child.expect("notes/first.txt changed\n")
      try directory.write("z", to: "notes/new/deep.txt")
      try child.expect("notes/new changed\n")
      try child.expect("notes/new/deep.txt changed\n")
      try FileManager.default.removeItem(atPath: directory.path("notes/old.txt"))
      try child.expect("notes/old.txt is gone\n")
      end(child)
    }
  }
}
