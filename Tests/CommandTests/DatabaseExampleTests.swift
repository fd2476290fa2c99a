import Foundation
import Testing

/// The browser of databases.
@Suite struct DatabaseExampleTests {
  private static let script = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent()
    .appendingPathComponent("examples/sqlite.st").path

  @Test func tablesAndRowsAreShown() throws {
    let directory = FileManager.default.temporaryDirectory
      .appending(path: "tenon-database-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
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
}
