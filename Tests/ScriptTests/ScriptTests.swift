import Foundation
import Tenon
import TenonGrammarSupport
import TenonLexer
import TenonParser
import Testing

/// Runs every file of `Scripts` and compares it with what its comments say.
@Suite struct ScriptTests {
  /// Collections that a run under stress may cost: a script that passes more safepoints collects
  /// at some of them only.
  static let collectionBudget =
    ProcessInfo.processInfo.environment["TENON_FULL_SCENARIOS"] == nil ? 120 : 250

  @Test(arguments: ScriptFile.all)
  func script(_ file: ScriptFile) throws {
    let text = try file.text()
    let annotated = AnnotatedText(text)
    let source = SourceText(name: file.path, text)
    let observation = ScriptRun.withStores { $0.observe(source, annotated) }
    if ProcessInfo.processInfo.environment["UPDATE_EXPECTATIONS"] == "1" {
      return try update(file, text, annotated.rewritten(for: observation))
    }
    for failure in annotated.failures(of: observation) { Issue.record("\(file.path): \(failure)") }
    let printed = try checkPrinting(source, annotated, observation)
    checkUnderStress(source, annotated, observation, safepoints: printed.safepoints)
  }

  private func update(_ file: ScriptFile, _ old: String, _ new: String) throws {
    guard old != new else { return }
    try new.write(to: file.url, atomically: true, encoding: .utf8)
    Issue.record("\(file.path): the comments were rewritten")
  }

  /// Prints the script from its tree: the same tree again, and it does the same.
  private func checkPrinting(
    _ source: SourceText, _ annotated: AnnotatedText, _ expected: Observation
  ) throws -> Observation {
    guard let script = Parser(source).parseScript().script else { return Observation() }
    let printed = SourceText(name: source.name, SyntaxPrinter.print(script))
    let reparsed = try #require(
      Parser(printed).parseScript().script, "\(source.name): what was printed does not parse")
    let before = TreePrinter.dump(script, isExact: true)
    let after = TreePrinter.dump(reparsed, isExact: true)
    #expect(before == after, "\(source.name): printed, the script has another tree")
    let statements = Set(expected.values.map(\.statement))
    let observation = ScriptRun.withStores(.counting) { run in
      run.observe(printed, input: annotated.input) { statement, _ in
        statements.contains(statement)
      }
    }
    var wanted = expected
    // Some warnings are about blanks and comments, which printing does not keep; there is no new one.
    let warnings = observation.complaints.filter { $0.kind == .warning }.map(\.text)
    wanted.complaints.removeAll { $0.kind == .warning && !warnings.contains($0.text) }
    expectSame(observation, wanted, "\(source.name), printed")
    return observation
  }

  /// Runs the script with collections at many safepoints.
  private func checkUnderStress(
    _ source: SourceText, _ annotated: AnnotatedText, _ expected: Observation, safepoints: Int
  ) {
    guard safepoints > 0 else { return }
    let least = safepoints / ScriptTests.collectionBudget + 1
    var generator = RandomNumbers(seed: testSeed)
    let interval = least == 1 ? 1 : Int.random(in: least...(2 * least), using: &generator)
    let observation = ScriptRun.withStores(.every(interval)) { $0.observe(source, annotated) }
    expectSame(observation, expected, "\(source.name), a collection at each \(interval). safepoint")
  }

  /// Compares two runs; places count for nothing, as a printed script has other lines.
  private func expectSame(_ found: Observation, _ expected: Observation, _ what: String) {
    #expect(
      found.output.map(\.withoutPlaces) == expected.output.map(\.withoutPlaces),
      "\(what): other output")
    #expect(
      found.values.map(\.text.withoutPlaces) == expected.values.map(\.text.withoutPlaces),
      "\(what): other values")
    #expect(
      found.complaints.map(\.text) == expected.complaints.map(\.text), "\(what): other errors")
    #expect(found.wasInterrupted == expected.wasInterrupted, "\(what): did not end")
  }
}

extension ScriptRun {
  /// Runs a script whose annotations say what is of interest.
  func observe(_ source: SourceText, _ annotated: AnnotatedText) -> Observation {
    let lines = Set(annotated.annotations.filter { $0.kind == .value }.map(\.anchor))
    return observe(source, input: annotated.input) { _, line in
      lines.contains(annotated.anchor(of: line))
    }
  }
}

extension String {
  /// The text without the lines and columns of scripts in it: `a.st:3:1` is `a.st`.
  fileprivate var withoutPlaces: String { replacing(/\.st:\d+(?::\d+)?/, with: ".st") }
}
