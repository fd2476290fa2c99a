import Foundation
import Testing

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// The file that keeps what was typed, in whatever state it is found.
@Suite struct HistoryTests {
  private static let up = "\u{1B}[A"
  private static let file = "state/tenon/history"

  private func contents(_ directory: Directory) throws -> String {
    try String(contentsOfFile: directory.path(HistoryTests.file), encoding: .utf8)
  }

  @Test func entriesAreLines() throws {
    try Directory.withTemporary { directory in
      let session = try Session(in: directory)
      try session.enter("'back\\slash'")
      try session.enter("'back\\slash'")
      try session.enter("3 +")
      try session.terminal.send("4\r")
      try session.enter(":vars")
      try session.leave()
      #expect(
        try contents(directory) == #"""
          "'back\\slash'"
          "3 +\n4"
          ":vars"

          """#)
      let attributes = try FileManager.default.attributesOfItem(
        atPath: directory.path(HistoryTests.file))
      #expect(attributes[.posixPermissions] as? Int == 0o600)
    }
  }

  @Test func aSessionThatIsKilledLeavesItWhole() throws {
    try Directory.withTemporary { directory in
      for round in 1...10 {
        let session = try Session(in: directory)
        try session.enter("first := \(round)", "\(round)")
        try session.enter("second := \(round)")
        if round.isMultiple(of: 2) { try session.terminal.expect("\r\n\(round)\r\n") }
        kill(session.process, SIGKILL)
        try session.terminal.expect("status 137.")
      }
      let lines = try contents(directory).split(separator: "\n")
      #expect(lines.filter { $0.hasPrefix("\"first") } == (1...10).map { "\"first := \($0)\"" })
      #expect(lines.allSatisfy { $0.hasPrefix("\"first := ") || $0.hasPrefix("\"second := ") })
    }
  }

  @Test func aLineThatRunsWhenTheSessionIsKilledIsThere() throws {
    try Directory.withTemporary { directory in
      let session = try Session(in: directory)
      try session.enter("1 +")
      try session.terminal.send("2. stdout println: 'begun'. [ true ] whileTrue\r")
      try session.terminal.expect("\r\nbegun\r\n")
      kill(session.process, SIGKILL)
      try session.terminal.expect("status 137.")
      #expect(
        try contents(directory)
          == "\"1 +\\n2. stdout println: 'begun'. [ true ] whileTrue\"\n")
    }
  }

  @Test(arguments: ["a folder", "in a file", "a fifo", "nowhere"])
  func itCannotBeKept(_ obstacle: String) throws {
    try Directory.withTemporary { directory in
      switch obstacle {
      case "a folder": try directory.write("", to: HistoryTests.file + "/file")
      case "in a file": try directory.write("", to: "state")
      case "a fifo":
        try directory.write("", to: "state/tenon/other")
        #expect(unsafe mkfifo(directory.path(HistoryTests.file), 0o600) == 0)
      default: break
      }
      let session =
        try obstacle == "nowhere"
        ? Session(environment: ["XDG_STATE_HOME": "", "HOME": ""]) : Session(in: directory)
      try session.enter("3 + 4", "7")
      try session.enter("3 + 5", "8")
      // Of this session it is there all the same.
      try session.enter(HistoryTests.up + HistoryTests.up)
      let shown = try session.terminal.expectText(before: "\r\n7\r\n")
      #expect(!shown.contains("warning"))
      try session.leave()
    }
  }

  @Test func theWarningComesOnce() throws {
    try Directory.withTemporary { directory in
      try directory.write("", to: "state")
      let session = try Session(in: directory)
      try session.enter(
        "3 + 4",
        "warning: the history cannot be kept in "
          + "'\(directory.path(HistoryTests.file))': Not a directory")
      try session.terminal.expect("7\r\n")
      try session.enter("3 + 5", "8")
      try session.leave()
    }
  }

  @Test func whatIsNoEntryIsPassedOver() throws {
    try Directory.withTemporary { directory in
      var bytes = Array("3 + 4\n".utf8) + (0...255).map { UInt8($0) }
      bytes += Array("\n\u{1B}[2J\n".utf8) + Array("torn".utf8)
      try directory.write(bytes, to: HistoryTests.file)
      let session = try Session(in: directory)
      try session.enter("5 + 6", "11")
      try session.enter(HistoryTests.up + HistoryTests.up + HistoryTests.up)
      try session.terminal.expect("\r\n7\r\n")
      try session.leave()
      let written = try Data(contentsOf: URL(fileURLWithPath: directory.path(HistoryTests.file)))
      #expect(Array(written).starts(with: bytes))
      #expect(Array(written.dropFirst(bytes.count)) == Array("\n\"5 + 6\"\n\"3 + 4\"\n".utf8))
    }
  }

  @Test func aLargeFileIsShortened() throws {
    try Directory.withTemporary { directory in
      let lines = (1...200_000).map { "'a line of the history' , '\($0)'\n" }.joined()
      try directory.write(lines, to: HistoryTests.file)
      let session = try Session(in: directory)
      try session.enter(HistoryTests.up)
      try session.terminal.expect("\r\n'a line of the history200000'\r\n")
      try session.enter("3 + 4", "7")
      try session.leave()
      let kept = try contents(directory).split(separator: "\n")
      #expect(kept.count == 1001)
      #expect(kept.first == "\"'a line of the history' , '199001'\"")
      #expect(kept.last == "\"3 + 4\"")
    }
  }
}
