import Foundation
import Tenon
import TenonLexer
import TenonRuntime
import Testing

/// Runs the test cases that are written in the language.
///
/// They are the files of `KernelTests` whose names end in `_test.st`. Each test method that does not
/// pass is an issue of its own, at its place.
@Suite struct KernelTestCases {
  /// A file with subclasses of `TestCase`.
  struct File: Sendable, CustomTestStringConvertible {
    let name: String

    static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .appending(path: "KernelTests")

    static let all: [File] = {
      let names = try? FileManager.default.contentsOfDirectory(atPath: folder.path)
      return (names ?? []).filter { $0.hasSuffix("_test.st") }.sorted().map { File(name: $0) }
    }()

    var testDescription: String { name }
    var url: URL { File.folder.appending(path: name) }
  }

  /// A test method that did not pass.
  struct Problem: Sendable {
    let text: String
    var line = 1
  }

  @Test func thereAreFiles() { #expect(!File.all.isEmpty) }

  @Test(arguments: File.all)
  func testCase(_ file: File) throws {
    let text = try String(contentsOf: file.url, encoding: .utf8)
    for problem in KernelTestCases.problems(in: SourceText(name: file.name, text)) {
      Issue.record(
        "\(problem.text)",
        sourceLocation: SourceLocation(
          fileID: "KernelTests/\(file.name)", filePath: file.url.path, line: problem.line, column: 1
        ))
    }
  }

  @Test func problemsAreReportedWithTheirPlaces() {
    let source = SourceText(
      name: "example_test.st",
      """
      class ExampleTest : TestCase {
        -testThree { self assert: 1 + 1 equals: 3 }
        -testNothing { self assert: true }
        -testSkipped { self skip }
        -testError {
          nil foo
        }
      }
      """)
    let problems = KernelTestCases.problems(in: source)
    #expect(
      problems.map(\.text) == [
        "error ExampleTest>>testError (example_test.st:6): "
          + "MessageNotUnderstood: nil does not understand 'foo'",
        "failed ExampleTest>>testThree (example_test.st:2): expected 3, found 2",
      ])
    #expect(problems.map(\.line) == [6, 2])
  }

  /// Runs the test cases of a text; answers those that failed.
  static func problems(in source: SourceText) -> [Problem] {
    onThread(stackSize: 64 << 20) {
      let interpreter = Interpreter(console: RecordingConsole())
      let watchdog = Watchdog(interpreter.interrupter, seconds: 120)
      defer { watchdog.stop() }
      switch interpreter.run(source) {
      case .finished: break
      case .rejected(let diagnostics, _):
        return diagnostics.map {
          Problem(text: $0.message, line: source.location(of: $0.range.start).line)
        }
      case .failed(let error): return [Problem(text: error.rendered())]
      case .interrupted: return [Problem(text: "the tests do not end")]
      }
      do {
        let outcomes = try interpreter.evaluate(
          """
          result := TestCase suite run.
          (result failures , result errors) collect: [ :each | #(each printString, each place) ]
          """)
        var problems: [Problem] = []
        for outcome in outcomes.elements ?? [] {
          let parts = outcome.elements?.map { $0.string ?? "" } ?? []
          guard parts.count == 2 else { continue }
          let line = parts[1].split(separator: ":").last.flatMap { Int($0) } ?? 1
          problems.append(Problem(text: parts[0], line: line))
        }
        return problems.sorted { $0.text < $1.text }
      } catch {
        return [Problem(text: "\(error)")]
      }
    }
  }
}
