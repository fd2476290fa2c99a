import Foundation
import TenonGrammarSupport
import TenonLexer
import TenonParser
import Testing

@Suite struct GrammarTests {
  private static let root = URL(filePath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

  private func grammar() throws -> Grammar {
    let file = Self.root.appending(path: "grammar/tenon.ebnf")
    return try Grammar(source: String(contentsOf: file, encoding: .utf8))
  }

  @Test func sentencesParse() throws {
    let seed = UInt64(ProcessInfo.processInfo.environment["SEED"] ?? "") ?? 20_141
    print("grammar sentences with SEED=\(seed)")
    let grammar = try grammar()
    var generator = SentenceGenerator(grammar: grammar, seed: seed)
    var failures = 0
    for _ in 0..<10_000 where failures < 5 {
      let sentence = generator.sentence()
      let result = parse(
        sentence, knownNames: SentenceGenerator.hyphenatedNames,
        connectors: SentenceGenerator.connectors)
      if let script = result.script {
        let issues = roundTripIssue(script)
        if let issues {
          failures += 1
          Issue.record("\(sentence)\n\(issues)")
        }
      } else {
        failures += 1
        let text = SourceText(name: "sentence.st", sentence)
        Issue.record("\(sentence)\n\(result.diagnostics.map { $0.rendered(in: text) })")
      }
    }
    let unused = Set(grammar.productions.map(\.name)).subtracting(generator.used)
    #expect(unused.isEmpty)
  }

  /// Returns what is wrong with a script that is printed and parsed again.
  private func roundTripIssue(_ script: Script) -> String? {
    let printed = SyntaxPrinter.print(script)
    let again = parse(
      printed, knownNames: SentenceGenerator.hyphenatedNames,
      connectors: SentenceGenerator.connectors)
    guard let reparsed = again.script else {
      return "printed:\n\(printed)\n\(again.diagnostics.map(\.message))"
    }
    let before = TreePrinter.dump(script, isExact: true)
    let after = TreePrinter.dump(reparsed, isExact: true)
    return before == after ? nil : "printed:\n\(printed)\nbefore: \(before)\nafter:  \(after)"
  }

  /// Each production is quoted by the function that parses it, and each parse function quotes one.
  @Test func productionsAndFunctionsAgree() throws {
    let grammar = try grammar()
    var quoted: [String: String] = [:]
    var functions: Set<String> = []
    for folder in ["Sources/Lexer", "Sources/Parser"] {
      let directory = Self.root.appending(path: folder)
      for file in try FileManager.default.contentsOfDirectory(
        at: directory, includingPropertiesForKeys: nil)
      where file.pathExtension == "swift" {
        let source = try String(contentsOf: file, encoding: .utf8)
        for production in try productions(quotedIn: source) {
          #expect(quoted[production.name] == nil, "\(production.name) is quoted twice")
          quoted[production.name] = production.text
        }
        functions.formUnion(parseFunctions(in: source))
      }
    }
    for production in grammar.productions {
      #expect(quoted[production.name] == production.text)
    }
    let names = Set(grammar.productions.map(\.name))
    #expect(Set(quoted.keys).subtracting(names).isEmpty, "quoted, but no production")
    #expect(functions.subtracting(names).isEmpty, "functions without a production")
    #expect(functions.count > 60)
  }

  /// Returns the productions in the documentation comments of a source text.
  private func productions(quotedIn source: String) throws -> [Grammar.Production] {
    var quoted = ""
    var isInside = false
    for rawLine in source.split(separator: "\n") {
      let line = rawLine.trimmingCharacters(in: .whitespaces)
      guard line.hasPrefix("///     ") else { continue }
      if line.firstMatch(of: #/^/// {5}\w+ ==? /#) != nil { isInside = true }
      if isInside { quoted += line.dropFirst(3) + "\n" }
      if line.hasSuffix(" ;") { isInside = false }
    }
    return try Grammar(source: quoted).productions
  }

  /// Returns what the parse functions of a source text are called behind `parse`.
  private func parseFunctions(in source: String) -> [String] {
    source.matches(of: #/func parse([A-Z])(\w*)/#).map { String($0.1).lowercased() + $0.2 }
  }

  /// References lead somewhere, and everything is reached from `script` or stands between tokens.
  @Test func grammarIsClosed() throws {
    let grammar = try grammar()
    var reached: Set<String> = []
    var pending = ["script", "gap"]
    while let name = pending.popLast() {
      guard reached.insert(name).inserted else { continue }
      guard let production = grammar[name] else {
        Issue.record("no production \(name)")
        continue
      }
      pending += references(in: production.rule)
    }
    #expect(reached == Set(grammar.productions.map(\.name)))
  }

  /// The page with diagrams is what the grammar says; `UPDATE_EXPECTATIONS=1` writes it anew.
  @Test func thePageIsUpToDate() throws {
    let file = Self.root.appending(path: "grammar/tenon.ebnf")
    let page = try GrammarPage(source: String(contentsOf: file, encoding: .utf8)).html
    for production in try grammar().productions {
      #expect(page.contains("<figure id=\"\(production.name)\">"))
    }
    let url = Self.root.appending(path: "docs/grammar.html")
    guard (try? String(contentsOf: url, encoding: .utf8)) != page else { return }
    if ProcessInfo.processInfo.environment["UPDATE_EXPECTATIONS"] == "1" {
      try page.write(to: url, atomically: true, encoding: .utf8)
    }
    Issue.record("docs/grammar.html is not up to date; UPDATE_EXPECTATIONS=1 rewrites it")
  }

  private func references(in rule: Grammar.Rule) -> [String] {
    switch rule {
    case .terminal, .special: []
    case .reference(let name): [name]
    case .sequence(let rules), .choice(let rules): rules.flatMap(references)
    case .optional(let rule), .repetition(let rule): references(in: rule)
    }
  }
}
