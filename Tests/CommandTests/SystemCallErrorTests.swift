import Foundation
import TenonStoreKit
import Testing

/// Whether `strace` is here and may have calls of other processes fail.
private let canInject: Bool = {
  let line = "strace -f -qq -o /dev/null -e trace=fsync -e inject=fsync:error=EIO true 2>/dev/null"
  return (try? Command.shell(line))?.0 == .status(0)
}()

/// Errors that the system is made to report, below all of the program: `strace` has a call fail.
///
/// The tests of stores put errors in place of calls as well, at each of them; these show that the calls
/// are the ones the program makes. Without `strace`, or where processes may not be traced, they are skipped.
@Suite(.enabled(if: canInject, "strace is not here, or may not trace processes"))
struct SystemCallErrorTests {
  /// A call that fails, what the program does, and what comes of it.
  struct Fault: CustomTestStringConvertible, Sendable {
    /// The calls; a question mark before one that not every machine has.
    var calls: String
    var error: String
    /// Which of the calls fail, all unless it is said, and counted for each thread.
    var when = ""
    /// Whether only those fail that have to do with the directory or the file.
    var atPlace = false
    var expression: String
    var outcome: String
    /// What the file holds afterwards.
    var left = "old"

    var testDescription: String { "\(calls) \(error)\(when): \(expression)" }
  }

  private static let renaming = "?rename,?renameat,?renameat2"

  private static let faults = [
    Fault(
      calls: "openat", error: "EACCES", atPlace: true, expression: "d:f := 'new'",
      outcome: "permission put: d:f: permission denied"),
    Fault(
      calls: "openat", error: "EMFILE", atPlace: true, expression: "d:f",
      outcome: "unavailable get: d:f: too many open files"),
    Fault(
      calls: "?write,?writev,?pwrite64", error: "ENOSPC", when: ":when=1",
      expression: "d:f := 'new'", outcome: "io put: d:f: no space left on device"),
    Fault(
      calls: "fsync", error: "EIO", expression: "d:f := 'new'",
      outcome: "io put: d:f: input/output error"),
    // The second one is that of the directory: the file has its name by then.
    Fault(
      calls: "fsync", error: "EIO", when: ":when=2", expression: "d:f := 'new'",
      outcome: "notDurable put: d:f: done, but may not survive a loss of power: input/output error",
      left: "new"),
    Fault(
      calls: renaming, error: "EIO", expression: "d:f := 'new'",
      outcome: "io put: d:f: input/output error"),
    Fault(
      calls: renaming, error: "EROFS", expression: "d:f := 'new'",
      outcome: "readOnly put: d:f: read-only file system"),
    Fault(
      calls: renaming, error: "EIO", expression: "ref:d:f moveTo: ref:d:g",
      outcome: "io move: d:f: input/output error"),
    Fault(
      calls: "?unlink,?unlinkat", error: "EIO", expression: "ref:d:f delete",
      outcome: "io delete: d:f: input/output error"),
    Fault(
      calls: "?mkdir,?mkdirat", error: "ENOSPC", expression: "ref:d:g makeDirectory",
      outcome: "io makeDirectory: d:g: no space left on device"),
    // What cannot be read is never missing.
    Fault(
      calls: "?read,?pread64", error: "EIO", atPlace: true, expression: "d:f",
      outcome: "io get: d:f: input/output error"),
    Fault(
      calls: "?fstat,?newfstatat,?statx", error: "EIO", atPlace: true,
      expression: "ref:d:f exists", outcome: "io get: d:f: input/output error"),
    Fault(
      calls: "getdents64", error: "EIO", atPlace: true, expression: "ref:d: children",
      outcome: "io list: d:: input/output error"),
  ]

  @Test(arguments: faults) func errorsNameThePlaceAndTheCause(_ fault: Fault) throws {
    try Directory.withTemporary { directory in
      try directory.write("old", to: "data/f")
      let script = try directory.write(
        """
        scheme:d := ref:file:data asScheme.
        stdout println: ([ \(fault.expression). 'done' ]
          on: StoreError do: [ :e | "{e kind} {e verb}: {e messageText}" ]).
        """, to: "script.st")
      let places = fault.atPlace ? #"-P "$PWD/data" -P "$PWD/data/f""# : ""
      let (status, output) = try Command.shell(
        #"cd "$1" && exec strace -f -qq -o /dev/null \#(places) -e trace="$2" "#
          + #"-e inject="$2:error=$3" "$0" "$4" 2>&1"#,
        directory.path(""), fault.calls, fault.error + fault.when, script)
      #expect(output == fault.outcome + "\n")
      #expect(status == .status(0))
      // No temporary file stays, either.
      let data = directory.path("data")
      #expect(try FileManager.default.contentsOfDirectory(atPath: data) == ["f"])
      #expect(try String(contentsOfFile: data + "/f", encoding: .utf8) == fault.left)
    }
  }

  /// An error that nobody handles ends the program and says where it came from.
  @Test func anErrorThatNobodyHandlesIsTold() throws {
    try Directory.withTemporary { directory in
      try directory.write("old", to: "f")
      let script = try directory.write("\nfile:f := 'new'.\n", to: "script.st")
      let (status, output) = try Command.shell(
        #"cd "$1" && exec strace -f -qq -o /dev/null -e trace=fsync -e inject=fsync:error=EIO "#
          + #""$0" "$2" 2>&1"#, directory.path(""), script)
      #expect(output.contains("script.st:2:1: error: file:f: input/output error"))
      #expect(status == .status(1))
      #expect(try String(contentsOfFile: directory.path("f"), encoding: .utf8) == "old")
    }
  }

  /// A store that must not lose anything is not opened where it cannot promise that.
  @Test func aPersistentStoreTells() throws {
    try Directory.withTemporary { directory in
      let script = try directory.write(
        """
        scheme:saved := PersistentStore at: 'data'.
        saved:a := 1. saved: flush.
        """, to: "script.st")
      let (status, output) = try Command.shell(
        #"cd "$1" && exec strace -f -qq -o /dev/null -e trace=fsync -e inject=fsync:error=EIO "#
          + #""$0" "$2" 2>&1"#, directory.path(""), script)
      #expect(output.contains("script.st:1:33: error: data: input/output error (errno 5)"))
      #expect(status == .status(1))
    }
  }
}
