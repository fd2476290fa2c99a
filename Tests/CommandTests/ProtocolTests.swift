import Foundation
import Testing

/// `tenon --json`, as front ends use it.
@Suite struct ProtocolTests {
  private struct Event {
    let members: [String: Any]

    init(_ line: Substring) throws {
      members = try #require(
        JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
    }

    func callAsFunction(_ key: String) -> String? { members[key] as? String }
  }

  /// Sends requests, which are numbered, and returns the events by the number of the request; 0 for
  /// those of none.
  private func answers(_ requests: [[String: String]]) throws -> [Int: [Event]] {
    let child = try Child.start([Command.path, "--json"])
    for (index, request) in requests.enumerated() {
      var members: [String: Any] = request
      members["id"] = index + 1
      let line = try JSONSerialization.data(withJSONObject: members)
      try child.send(Array(line) + [10])
    }
    try child.send(nil)
    let events = try child.readToEnd().split(separator: "\n").map { try Event($0) }
    #expect(child.waitForExit() == .status(0))
    return Dictionary(grouping: events) { $0.members["id"] as? Int ?? 0 }
  }

  @Test func evaluation() throws {
    let events = try answers([
      ["do": "evaluate", "text": "stdout println: 'é\"'. 3 + 4"],
      ["do": "evaluate", "text": "_ foo"],
      ["do": "evaluate", "text": "3 + ]"],
      ["do": "evaluate", "text": "3 +"],
      ["do": "evaluate", "text": "#(#{ a: 1 }, #{ a: '<' })"],
      ["do": "isComplete", "text": "#(1"],
      ["do": "evaluate", "text": "stdout println: 'once'"],
    ])
    #expect(events[0]?.first?("is") == "hello")
    #expect(events[1]?.map { $0("is") } == ["output", "value", "done"])
    #expect(events[1]?[0]("text") == "é\"\n")
    #expect(events[1]?[1]("text") == "7" && events[1]?[1]("class") == "SmallInteger")
    #expect(events[2]?.map { $0("is") } == ["error", "done"])
    #expect(events[2]?[0]("class") == "MessageNotUnderstood")
    #expect(events[2]?[0].members["column"] as? Int == 3)
    #expect(events[2]?[1]("status") == "failed")
    #expect(events[3]?.last?("status") == "rejected")
    #expect(events[4]?.last?("status") == "incomplete")
    #expect(
      events[5]?[0]("html")
        == "<table><tr><th>a</th></tr><tr><td>1</td></tr><tr><td>&lt;</td></tr></table>")
    #expect(events[6]?[0]("status") == "incomplete")
    // What was written was seen.
    #expect(events[7]?.map { $0("is") } == ["output", "done"])
  }

  @Test func questions() throws {
    let events = try answers([
      ["do": "evaluate", "text": "var a := 3. var b. b |= a * 2"],
      ["do": "complete", "text": "#(1) inj"],
      ["do": "check", "text": "'lost'. 3 + ]"],
      ["do": "describe", "text": "Collection>>inject:into:"],
      ["do": "connections"],
      ["do": "command", "text": ":why b"],
      ["do": "diagram"],
    ])
    #expect(events[1]?[0]("text") == "b |= a * 2  // #satisfied")
    #expect(events[2]?[0]("insertion") == "ect: ")
    #expect(events[3]?[0]("is") == "error")
    #expect(events[4]?[0]("text")?.hasPrefix("Collection>>inject:into:\n") == true)
    #expect(events[5]?[0]("text") == "b |= a * 2  // #satisfied")
    #expect(events[6]?[0]("text")?.hasPrefix("b is 6 by ") == true)
    #expect(events[7]?[0]("text")?.contains("<svg") == true)
  }

  /// What was completed once is looked for again when something was evaluated.
  @Test func completionAfterDefinitions() throws {
    let events = try answers([
      ["do": "complete", "text": "foo zzT"],
      ["do": "evaluate", "text": "class A { -zzTop { ^1 } }"],
      ["do": "complete", "text": "foo zzT"],
    ])
    #expect(events[1]?[0]("insertion") == "")
    #expect(events[3]?[0]("insertion") == "op ")
  }

  @Test func watching() throws {
    let events = try answers([
      ["do": "evaluate", "text": "var a := 1. var total. total |= a * 2"],
      ["do": "watch", "text": "total"],
      ["do": "evaluate", "text": "a := 5"],
      ["do": "connections"],
      ["do": "unwatch", "text": "total"],
      ["do": "evaluate", "text": "a := 6"],
      ["do": "unwatch", "text": "total"],
      ["do": "watch", "text": "3 +"],
    ])
    let changes = events[2]?.filter { $0("is") == "change" } ?? []
    #expect(changes.map { $0("text") } == ["2", "10"])
    #expect(changes.allSatisfy { $0("place") == "total" && $0("class") == "SmallInteger" })
    #expect(events[3]?.map { $0("is") } == ["value", "done"])
    // It is no connection of the program.
    #expect(events[4]?[0]("text") == "total |= a * 2  // #satisfied")
    #expect(events[5]?.last?("status") == "finished")
    #expect(events[7]?.last?("status") == "failed")
    #expect(events[8]?.last?("status") == "failed")
  }

  @Test func badRequests() throws {
    let child = try Child.start([Command.path, "--json"])
    try child.expect("\"is\": \"hello\"")
    for line in [
      "no JSON", "[1]", "{}", "{\"do\": \"dance\"}", "{\"do\": 3}",
      "{\"do\": \"evaluate\", \"text\": 5}", "{\"id\": [1",
    ] {
      try child.send(line + "\n")
      try child.expect("\"is\": \"refused\"")
    }
    let endless = "stdout println: 'going'. [ true ] whileTrue"
    try child.send("{\"id\": \"x\", \"do\": \"evaluate\", \"text\": \"\(endless)\"}\n")
    try child.expect("going")
    child.send(signal: SIGINT)
    try child.expect("{\"id\": \"x\", \"is\": \"done\", \"status\": \"interrupted\"}")
    // What timers print comes between requests.
    try child.send(
      "{\"do\": \"evaluate\", \"text\": \"[ stdout println: 'tick' ] after: 20 milliseconds\"}\n")
    try child.expect(
      "{\"id\": null, \"is\": \"output\", \"stream\": \"stdout\", \"text\": \"tick\\n\"}")
    try child.send("{\"do\": \"evaluate\", \"text\": \"Exit status: 3\"}\n")
    #expect(child.waitForExit() == .status(3))
  }
}
