import Foundation
import Tenon
import TenonGrammarSupport
import TenonStoreKit
import Testing

@testable import TenonDiagrams
@testable import TenonRuntime

/// The diagram of what is in force says statements that bring it into force again.
@Suite struct LiveDiagramTests {
  private struct Generator {
    var random: RandomNumbers
    mutating func next(_ count: Int) -> Int { Int(random.next() % UInt64(count)) }
    mutating func pick<Element>(_ elements: [Element]) -> Element { elements[next(elements.count)] }

    mutating func policy() -> String {
      switch next(5) {
      case 0: "policy: Policy queued"
      case 1: "policy: (Policy coalesced: \(next(3) + 1))"
      case 2: "policy: Policy throttled"
      case 3: "policy: (Policy every: \(next(90) * 10 + 10) milliseconds)"
      default: "policy: (Policy poll: \(next(3) + 1) seconds)"
      }
    }

    /// What a connection in one direction may be told.
    mutating func message() -> String {
      switch next(5) {
      case 0, 1: policy()
      case 2: "within: \(pick(["0.5", "1 / 3", "2"]))"
      case 3: "override: true"
      default: pick(["suspend", "resume"])
      }
    }

    /// What a connection in both directions may be told.
    mutating func binding() -> String {
      switch next(8) {
      case 0: policy()
      case 1: "truth: \(pick(["#left", "#right"]))"
      case 2: "validate: [ :new :old | new min: \(next(9) + 100) ]"
      case 3: "arbitrate: \(pick(["#first", "#highest", "[ :all | all last ]"]))"
      case 4: "priority: \(next(9))"
      case 5: "onReject: [ :value :reason | stdout println: reason ]"
      case 6: pick(["requestOnly", "optimistic"])
      default: pick(["suspend", "resume"])
      }
    }

    /// A connection to a place of its own, and what it is told at once or later.
    mutating func connection(_ number: Int) -> String {
      let target = "t\(number)"
      let source = "v\(next(4))"
      // Solvers of different kinds do not share places.
      let own = "s\(number)"
      let name = "k\(number)"
      switch next(10) {
      case 0: return "(\(target) =|= \(own) * \(next(8) + 2)) solver: #linear."
      case 1: return "(\(target) >=| \(own) + \(next(9))) strength: #weak."
      case 2:
        return "(\(target) =|= \(own) rounded) inverse: [ :value | value + \(next(9)) ]."
      case 3: return "(\(target) |= (\(target) ifNil: [ 1 ]) / 2 + 1) iterate: 60 within: 0.01."
      case 4: return "\(name) := var:\(source) -> [ :x | x + \(next(9)) ] -> trim -> mem:\(target)."
      case 5: return "var <lazy> \(target). \(target) |= \(source) * 2."
      case 6, 7:
        let messages = (0..<next(4)).map { _ in binding() }
        return told("\(target) =|= \(source)", name, messages)
      default:
        let messages = (0..<next(4)).map { _ in message() }
        return told("\(target) |= \(source) + \(next(9))", name, messages)
      }
    }

    private mutating func told(_ connect: String, _ name: String, _ messages: [String]) -> String {
      guard !messages.isEmpty else { return connect + "." }
      switch next(3) {
      case 0: return "(\(connect)) \(messages.joined(separator: " | "))."
      case 1: return "\(name) := (\(connect)) \(messages.joined(separator: "; "))."
      default:
        return "\(name) := \(connect).\n"
          + messages.map { "\(name) \($0)." }.joined(separator: "\n")
      }
    }
  }

  /// Time stands still: what waits for a period waits for ever.
  private final class StillClock: Clock {
    let wallTime = 0
    let monotonicTime = 0
    func wait(until deadline: Int?, or wakeUp: WakeUp) {}
  }

  /// The diagram of what a text has connected.
  private func diagram(ofRunning text: String, _ name: String) throws -> Diagram {
    let interpreter = Interpreter(console: TextConsole(), clock: StillClock())
    do throws(EvaluationError) {
      _ = try interpreter.evaluate(text)
    } catch {
      throw Program.Failure(description: "\(error.description)\n\(name)")
    }
    return interpreter.diagram
  }

  @Test func whatIsInForceIsSaidAgain() throws {
    let seed = testSeed
    var generator = Generator(random: RandomNumbers(seed: seed))
    var changed = 0
    let beginning = """
      v0 := 3. v1 := 5. v2 := 7. v3 := 9.
      s0 := 1. s1 := 2. s2 := 3. s3 := 4. s4 := 5. s5 := 6.
      filter trim |{ ^object }

      """
    for number in 0..<120 {
      let connections = (0..<(1 + generator.next(6))).map { generator.connection($0) }
      let text = connections.joined(separator: "\n")
      let name = "net \(number) of seed \(seed):\n\(text)"
      let diagram = try diagram(ofRunning: beginning + text, name)
      let mermaid = diagram.written(as: .mermaid)
      let statements = try Diagram(mermaid: mermaid).statementsText
      #expect(diagram.statementsText == statements, "\(name)")
      let again = try self.diagram(ofRunning: beginning + statements, "\(statements)of \(name)")
      #expect(again.statementsText == statements, "\(name)")
      let differences = zip(
        again.written(as: .mermaid).split(separator: "\n"), mermaid.split(separator: "\n")
      )
      .filter { $0.0 != $0.1 }
      #expect(differences.isEmpty, "\(name)")
      if statements != text + "\n" { changed += 1 }
    }
    // Later messages are told with the statement.
    #expect(changed > 20)
  }

  /// What classes connect is said as their texts say it, whatever instances there are.
  @Test func classesAreSaidAsTheirTextsSayThem() throws {
    let classes = """
      class Tank {
        var level := 1. var max := 10. var full. var rest. var link. var shown.
        ivar:full |= level >= max.
        link := (rest =|= max - level) within: 0.5.
        group model { level -> ivar:level. }
        group ui { level -> ivar:shown. }
        ui =|= model.
        ivar:shown -> [ :x | x * 2 ] -> mem:shown.
        -join: other { level |= other level }
      }
      class Barrel : Tank {
        var top. var limit. var x. var y.
        limit := (top >=| level + max) strength: #weak.
        x =|= y =|= level.
      }

      """
    let expected = """
      class Tank {
        ivar:full |= level >= max.
        link := (rest =|= max - level) within: 0.5.
        ui =|= model.
        ivar:shown -> [ :x | x * 2 ] -> mem:shown.
      }
      class Barrel : Tank {
        limit := (top >=| level + max) strength: #weak.
        x =|= y =|= level.
      }

      """
    let uses = [
      "a := Barrel new.", "a := Barrel new. b := Tank new. c := a copy. b level: 7.",
      "a := Barrel new. b := Barrel new. b level: nil. a link suspend. a link within: 3.",
    ]
    for use in uses {
      let diagram = try diagram(ofRunning: classes + use, use)
      #expect(diagram.statementsText == expected, "\(use)")
      for zoom in Diagram.Zoom.allCases {
        #expect(!diagram.written(as: .svg, zoom).isEmpty)
        #expect(!diagram.written(as: .dot, zoom).isEmpty)
      }
      #expect(try Diagram(mermaid: diagram.written(as: .mermaid)).statementsText == expected)
    }
  }

  @Test func thePapersListingsAreSaidAgain() throws {
    let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .deletingLastPathComponent().deletingLastPathComponent()
      .appendingPathComponent("examples/paper")
    let files = try FileManager.default.contentsOfDirectory(
      at: folder, includingPropertiesForKeys: nil
    ).filter { $0.pathExtension == "st" }
    #expect(files.count >= 15)
    var count = 0
    for file in files {
      let text = try String(contentsOf: file, encoding: .utf8)
        .replacingOccurrences(of: "defaults:", with: "mem:")
      let diagram = try diagram(ofRunning: text, file.lastPathComponent)
      let mermaid = diagram.written(as: .mermaid)
      let again = try Diagram(mermaid: mermaid)
      #expect(again.statementsText == diagram.statementsText, "\(file.lastPathComponent)")
      #expect(again.statementList.count == diagram.statementList.count)
      count += diagram.statementList.count
    }
    #expect(count >= 30)
  }
}
