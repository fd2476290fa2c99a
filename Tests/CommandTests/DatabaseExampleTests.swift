import Foundation
import Testing

/// The browser of databases.
@Suite struct DatabaseExampleTests {
  private static let script = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent()
    .appendingPathComponent("examples/sqlite.st").path

  @Test func tablesAndRowsAreShown() throws {
    let directory = try makeDirectory()
    defer { try? FileManager.default.removeItem(at: directory) }
    let path = directory.path + "/people.db"
    let made = try Command.run(
      "-e",
      """
      scheme:db := SQLite on: '\(path)'.
      db: execute: 'create table people (id integer primary key, name text)'.
      db:people += #{ name: 'Ada' }. db:people += #{ name: 'Bob' }. nil
      """)
    #expect(made.errors == "")
    let result = try Command.run(
      DatabaseExampleTests.script, path, input: "\npeople\npeople name Bob\nnone\n")
    #expect(result.errors == "")
    #expect(result.status == .status(0))
    #expect(
      result.output
        == """
        people: 2 rows
        id           name
        1            Ada
        2            Bob
        id           name
        2            Bob
        there is no table 'none'

        """)
  }

  /// What another process writes into the database is noticed by whoever looks for it now and then.
  @Test func whatOthersWriteIsFollowed() throws {
    let directory = try makeDirectory()
    defer { try? FileManager.default.removeItem(at: directory) }
    let path = directory.path + "/shared.db"
    let script = directory.path + "/delete.st"
    try "scheme:db := SQLite on: '\(path)'. db:t/a := #{ v: 3 }. ref:db:t/b delete.".write(
      toFile: script, atomically: false, encoding: .utf8)
    let result = try Command.run(
      "-e",
      """
      scheme:one := SQLite on: '\(path)'.
      one: execute: 'create table t (k text primary key, v integer)'.
      one:t/a := #{ v: 1 }.
      var x. var rows.
      x |= (one:t/a at: 'v') * 10.
      rows |= (ref:one:t children) size.
      stdout println: #(x, rows).
      one:t/a := #{ v: 2 }.
      one:t/b := #{ v: 3 }.
      stdout println: #(x, rows).
      (scheme:one) checkEvery: 50 milliseconds.
      process:sh/-c/{'exec "\(Command.path)" "\(script)"'}.
      [ rows = 1 ] whileFalse: [ 50 milliseconds wait ].
      stdout println: #(x, rows).
      Exit status: 0
      """)
    #expect(result.errors == "")
    #expect(result.output == "#(10 1)\n#(20 2)\n#(30 1)\n")
  }

  /// What another process has locked is waited for while timers go on.
  @Test func aLockHoldsNoTimerUp() throws {
    let directory = try makeDirectory()
    defer { try? FileManager.default.removeItem(at: directory) }
    let path = directory.path + "/shared.db"
    let script = directory.path + "/hold.st"
    try
      "scheme:db := SQLite on: '\(path)'. (scheme:db) atomically: [ file:\(directory.path)/held := 'yes'. [ file:\(directory.path)/enough isNil ] whileTrue: [ 5 milliseconds wait ]. db:t/1 := #{ v: 2 } ]."
      .write(toFile: script, atomically: false, encoding: .utf8)
    let result = try Command.run(
      "-e",
      """
      scheme:db := SQLite on: '\(path)'.
      scheme:dir := ref:file:\(directory.path) asScheme.
      db: execute: 'create table t (id integer primary key, v integer)'.
      other := [ process:sh/-c/{'exec "\(Command.path)" "\(script)"'} ] future.
      [ dir:held isNil ] whileTrue: [ 5 milliseconds wait ].
      ticks := 0.
      Timer evaluate: [ ticks := ticks + 1. ticks = 10 ifTrue: [ dir:enough := 'yes' ] ] every: 5 milliseconds.
      db:t/2 := #{ v: ticks }.
      stdout println: #(ticks >= 10, db:t/1 at: 'v', (db:t/2 at: 'v') < 10).
      (scheme:db) atomically: [ db:t/3 := #{ v: 3 } ].
      stdout println: db:t size.
      Exit status: 0
      """)
    #expect(result.errors == "")
    #expect(result.output == "#(true 2 true)\n3\n")
  }

  /// Connections go by what another process has locked as by what takes its time: the loop goes on, what they
  /// knew stays, and what they write is written when it can be.
  @Test func aLockHoldsNoConnectionUp() throws {
    let directory = try makeDirectory()
    defer { try? FileManager.default.removeItem(at: directory) }
    let path = directory.path + "/shared.db"
    let script = try makeHolder(
      of: path, in: directory, "db: execute: 'update t set v = 7 where id = 1'.")
    let result = try Command.run(
      "-e",
      """
      scheme:made := SQLite on: '\(path)'.
      made: execute: 'create table t (id integer primary key, v integer)'.
      made: execute: 'insert into t values (1, 1), (2, 2)'.
      (scheme:made) close.
      scheme:dir := ref:file:\(directory.path) asScheme.
      other := [ process:sh/-c/{'exec "\(Command.path)" "\(script)"'} ] future.
      [ dir:held isNil ] whileTrue: [ 5 milliseconds wait ].
      // The file is opened by a connection.
      scheme:db := SQLite on: '\(path)'.
      var ticks := 0. var seen := 'nothing'. var x := 20. var states := OrderedCollection new.
      Timer evaluate: [ ticks := ticks + 1. ticks = 10 ifTrue: [
        states add: k state; add: seen. x := 21. dir:enough := 'yes' ] ] every: 5 milliseconds.
      k := (seen |= db:t/1/v).
      w := (db:t/2/v |= x).
      [ seen = 7 and: [ w state = #satisfied ] ] whileFalse: [ 5 milliseconds wait ].
      states addFirst: ticks >= 10.
      stdout println: states asArray.
      stdout println: #(k state, seen, w state, db:t/2/v).
      Exit status: 0
      """)
    #expect(result.errors == "")
    #expect(result.output == "#(true #pending 'nothing')\n#(#satisfied 7 #satisfied 21)\n")
  }

  /// What writes a place of a locked database, or asks it a question, is pending until that is done, whatever kind of
  /// connection it is.
  @Test func whatALockPutsOffIsPending() throws {
    let directory = try makeDirectory()
    defer { try? FileManager.default.removeItem(at: directory) }
    let path = directory.path + "/shared.db"
    let script = try makeHolder(of: path, in: directory)
    let result = try Command.run(
      "-e",
      """
      scheme:db := SQLite on: '\(path)'.
      db: execute: 'create table t (id integer primary key, v integer)'.
      db: execute: 'insert into t values (1, 1), (2, 2), (3, 3)'.
      scheme:dir := ref:file:\(directory.path) asScheme.
      var a := 10. var b := 20. var c := 30. var sum. var seen.
      connections := Array with: (db:t/1/v |= a) with: (db:t/2/v =|= b) with: (ref:c -> db:t/3/v) with: (sum |= (db:t select: [ :each | each at: 'id' | > 1 ]) size + a).
      states := [ (connections collect: [ :each | each state ]) asArray ].
      stdout println: states value.
      other := [ process:sh/-c/{'exec "\(Command.path)" "\(script)"'} ] future.
      [ dir:held isNil ] whileTrue: [ 5 milliseconds wait ].
      ticks := 0.
      Timer evaluate: [ ticks := ticks + 1. ticks = 10 ifTrue: [
        seen := states value. dir:enough := 'yes' ] ] every: 5 milliseconds.
      [ a := 11. b := 21. c := 31 ] value.
      [ (states value includes: #pending) or: [ seen isNil ] ] whileTrue: [ 5 milliseconds wait ].
      stdout println: seen.
      stdout println: states value.
      stdout println: #(db:t/1/v, db:t/2/v, db:t/3/v, sum).
      Exit status: 0
      """)
    #expect(result.errors == "")
    #expect(
      result.output == """
        #(#satisfied #satisfied #satisfied #satisfied)
        #(#pending #pending #pending #pending)
        #(#satisfied #satisfied #satisfied #satisfied)
        #(11 21 31 13)

        """)
  }

  /// A script that locks a database until it is told that it is enough, with what it does at last.
  private func makeHolder(
    of path: String, in directory: URL, _ change: String = ""
  ) throws -> String {
    let script = directory.path + "/hold.st"
    try """
    scheme:db := SQLite on: '\(path)'.
    db: execute: 'begin exclusive'.
    file:\(directory.path)/held := 'yes'.
    [ file:\(directory.path)/enough isNil ] whileTrue: [ 5 milliseconds wait ].
    \(change)
    db: execute: 'commit'.
    """
    .write(toFile: script, atomically: false, encoding: .utf8)
    return script
  }

  private func makeDirectory() throws -> URL {
    let directory = FileManager.default.temporaryDirectory
      .appending(path: "tenon-database-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
    return directory
  }
}
