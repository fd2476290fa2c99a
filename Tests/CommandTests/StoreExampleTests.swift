import Foundation
import Testing

/// The examples of stores, as people use them; `DatabaseExampleTests` and `WatchTests` have others.
@Suite struct StoreExampleTests {
  private func example(_ name: String) -> String {
    ExampleTests.examples.appendingPathComponent(name).path
  }

  /// The same lines to the same program over files and over memory: it does not notice.
  @Test func whatIsToBeDoneIsKeptInFilesOrInMemory() throws {
    let lines =
      "add buy milk\nadd call Ada\ndone 1\ndrop 9\n\ndone\nadd read\ndrop 2\nwhat 3\n"
    let answers = """
      1 buy milk
      .
      1 buy milk
      2 call Ada
      .
      2 call Ada
      .
      there is none
      2 call Ada
      .
      2 call Ada
      .
      a component is empty
      2 call Ada
      .
      2 call Ada
      3 read
      .
      3 read
      .
      add, done or drop
      3 read
      .

      """
    try Directory.withTemporary { directory in
      let path = directory.path("tasks")
      for place in ["mem:", path] {
        let result = try Command.run(example("todo.st"), place, input: lines)
        #expect(result.output == answers, "\(place)")
        #expect(result.errors == "")
        #expect(result.status == .status(0))
      }
      let names = try FileManager.default.contentsOfDirectory(atPath: path).sorted()
      #expect(names == ["1.json", "3.json"])
      let text = try String(contentsOfFile: path + "/1.json", encoding: .utf8)
      #expect(text == #"{"title": "buy milk", "isDone": true}"#)
      // What is in the files is there the next time, what was in memory is not.
      #expect(try Command.run(example("todo.st"), path, input: "\n").output == "3 read\n.\n")
      #expect(try Command.run(example("todo.st"), "mem:", input: "\n").output == ".\n")
    }
  }

  @Test func quakesAreFoundInATableWithQuotesAndGaps() throws {
    let table = example("quakes.csv")
    let result = try Command.run(example("quakes.st"), table, "4.6")
    #expect(result.errors == "")
    #expect(
      result.output == """
        6.1  Tamber Ridge, 2025-03-06
        5.3  Isle of Orr, 2025-03-02
        4.6  Vell, north of the harbour, 2025-03-01
        Isle of Orr: 2, felt by 132
        Tamber Ridge: 2, felt by 9
        The "Old Quay", Vell: 1, felt by 0
        Vell, north of the harbour: 2, felt by 44
        without a magnitude: 1

        """)
    let missing = try Command.run(example("quakes.st"), "no-such-table.csv", "4")
    #expect(missing.status == .status(1))
    #expect(missing.errors.contains("error: tables:no-such-table.csv: there is nothing\n"))
  }

  @Test func theSieveGrows() throws {
    let result = try Command.run(example("primes.st"), "50")
    #expect(result.errors == "")
    let primes = result.output.split(separator: "\n").compactMap { Int($0) }
    #expect(primes == [2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41, 43, 47])
    // A filter for each of them, one behind the other.
    let many = try Command.run(example("primes.st"), "10000")
    #expect(many.output.split(separator: "\n").count == 1229)
    #expect(try Command.run(example("primes.st"), "1").output == "")
  }
}
