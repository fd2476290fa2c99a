import Foundation
import Testing

/// The book of rules, `docs/language.md` with its chapters, and the scripts that test its rules.
///
/// A rule begins a paragraph: `**L2.6** ...`. A script names the rules it tests in a line of its own,
/// `// rules: L2.6 L2.7`.
@Suite struct RuleTests {
  /// The rules in the order in which they stand.
  private func rules() throws -> [Rule] {
    try MarkdownFile.all.filter { $0.path.hasPrefix("docs/language") }.flatMap { file in
      try file.text().split(separator: "\n").compactMap { line in
        guard let match = line.firstMatch(of: /^\*\*L([0-9.]+)\*\*/) else { return nil }
        return Rule(numbers: match.1.split(separator: ".").compactMap { Int($0) }, path: file.path)
      }
    }
  }

  /// What each script under `Scripts` says that it tests.
  private func testedRules() throws -> [(path: String, rules: [String])] {
    try ScriptFile.all.filter { $0.folder == ScriptFile.scripts }.map { file in
      let lines = try file.text().split(whereSeparator: \.isNewline)
        .filter { $0.hasPrefix("// rules: ") }
      return (file.path, lines.flatMap { $0.dropFirst(10).split(separator: " ").map(String.init) })
    }
  }

  @Test func rulesAreNumberedInOrder() throws {
    var last: [String: Rule] = [:]
    let rules = try rules()
    #expect(rules.count > 100)
    for rule in rules {
      if let previous = last[rule.path] {
        #expect(previous.isBefore(rule), "\(rule.path): \(rule.name) follows \(previous.name)")
      }
      last[rule.path] = rule
    }
    #expect(Set(rules.map(\.name)).count == rules.count, "a number is there twice")
  }

  @Test func everyRuleIsTestedByAScript() throws {
    guard ProcessInfo.processInfo.environment["SCRIPTS"] == nil else { return }
    let rules = Set(try rules().map(\.name))
    let scripts = try testedRules()
    let untested = rules.subtracting(scripts.flatMap(\.rules))
    #expect(untested.isEmpty, "rules that no script names: \(untested.sorted())")
    for script in scripts {
      let unknown = Set(script.rules).subtracting(rules)
      #expect(unknown.isEmpty, "\(script.path) names rules that are not there: \(unknown.sorted())")
    }
  }

  @Test func everyScriptAboutTheLanguageNamesARule() throws {
    let silent = try testedRules().filter { $0.path.hasPrefix("language/") && $0.rules.isEmpty }
    #expect(silent.isEmpty, "scripts without a line '// rules: ...': \(silent.map(\.path))")
  }

  /// Other pages and the sources speak of rules that are there.
  @Test func mentionedRulesExist() throws {
    let rules = Set(try rules().map(\.name))
    for file in MarkdownFile.all {
      for match in try file.text().matches(of: /\bL[0-9]+(\.[0-9]+)+/) {
        #expect(rules.contains(String(match.0)), "\(file.path): there is no rule \(match.0)")
      }
    }
  }
}

/// The number of a rule: the chapter, the rule, and perhaps what it is a part of.
private struct Rule {
  let numbers: [Int]
  let path: String

  var name: String { "L" + numbers.map(String.init).joined(separator: ".") }

  /// Whether it stands before another one in the book.
  func isBefore(_ other: Rule) -> Bool { numbers.lexicographicallyPrecedes(other.numbers) }
}
