import Foundation
import Tenon
import TenonLexer
import TenonStores
import Testing

/// Runs the examples in the documentation, and compares them with what their comments say.
///
/// A fenced block of the language `st` is a script of its own. One whose fence says `st continued`
/// goes on where the block before it ended: the two are one script.
@Suite struct DocumentationTests {
  @Test(arguments: MarkdownFile.all)
  func examples(_ file: MarkdownFile) throws {
    var text = try file.text()
    for script in MarkdownScript.all(in: text) {
      let source = SourceText(name: file.path, script.text)
      let annotated = AnnotatedText(script.text)
      let observation = ScriptRun.withStores { $0.observe(source, annotated) }
      if ProcessInfo.processInfo.environment["UPDATE_EXPECTATIONS"] == "1" {
        let rewritten = script.restored(annotated.rewritten(for: observation))
        if rewritten != text {
          text = rewritten
          try text.write(to: file.url, atomically: true, encoding: .utf8)
          Issue.record("\(file.path): the comments were rewritten")
          // The places of the other scripts in the file may have changed.
          return
        }
      }
      for failure in annotated.failures(of: observation) {
        Issue.record("\(file.path): \(failure)")
      }
    }
  }

  @Test func scriptsAreFound() {
    let text = """
      # Title with // => 3
      ```st
      a := 1.
      ```
      ```text
      b
      ```
      ```st continued
      a. // => 1
      ```
      ```st
      2. // => 2
      ```
      """
    let scripts = MarkdownScript.all(in: text)
    #expect(scripts.count == 2)
    let annotations = scripts.map { AnnotatedText($0.text).annotations }
    #expect(annotations.map { $0.map(\.line) } == [[9], [12]])
    for script in scripts { #expect(script.restored(script.text) == text) }
    let source = SourceText(name: "test.md", scripts[0].text)
    let observation = ScriptRun().observe(source, AnnotatedText(scripts[0].text))
    #expect(observation.values.map(\.text) == ["1"])
    #expect(MarkdownScript.all(in: "text").isEmpty)
  }

  @Test func everyFileWithExamplesIsRun() throws {
    let names = MarkdownFile.all.map(\.path)
    for name in ["README.md", "docs/language.md", "docs/connectors.md", "docs/stores.md"] {
      #expect(names.contains(name))
    }
    for file in MarkdownFile.all where file.path == "README.md" {
      #expect(!MarkdownScript.all(in: try file.text()).isEmpty)
    }
  }

  /// Swift code in the documentation stands in `EmbeddingExamples.swift` too, where it is compiled
  /// and run.
  @Test(arguments: MarkdownFile.all)
  func swiftExamplesAreCompiled(_ file: MarkdownFile) throws {
    let code = lines(of: try String(contentsOf: MarkdownFile.embeddingExamples, encoding: .utf8))
    for block in MarkdownScript.blocks(of: "swift", in: try file.text()) {
      let wanted = lines(of: block).filter { !$0.hasPrefix("import ") }
      let isThere = code.indices.contains { code[$0...].starts(with: wanted) }
      #expect(isThere, "\(file.path): not in EmbeddingExamples.swift: \(wanted.first ?? "")")
    }
  }

  @Test(arguments: MarkdownFile.all)
  func linksLeadSomewhere(_ file: MarkdownFile) throws {
    for match in try file.text().matches(of: /\]\((?<target>[^)#:]+)(#[^)]*)?\)/) {
      let target = file.url.deletingLastPathComponent().appending(path: String(match.target))
      #expect(
        FileManager.default.fileExists(atPath: target.path), "\(file.path): \(match.target)")
    }
  }

  /// Continuous integration passes the tests with the command that the README shows.
  @Test func theTestsAreRunByTheSameCommand() throws {
    let readme = try String(
      contentsOf: MarkdownFile.root.appending(path: "README.md"), encoding: .utf8)
    let commands = readme.split(separator: "\n").compactMap { line in
      line.wholeMatch(of: /apt-get install -y libedit-dev && (.*)/)?.1
    }
    #expect(commands.count == 2)
    let script = try String(
      contentsOf: MarkdownFile.root.appending(path: ".ci/run"), encoding: .utf8)
    #expect(commands.contains { $0.hasPrefix("swift test") && script.contains("\n\($0)\n") })
  }

  private func lines(of text: String) -> [String] {
    text.split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) }
      .filter { !$0.isEmpty }
  }
}

/// A file of the documentation.
struct MarkdownFile: Sendable, CustomTestStringConvertible {
  let path: String

  var testDescription: String { path }

  static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent()

  static let embeddingExamples = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .appending(path: "EmbeddingExamples.swift")

  /// `README.md` and what lies below `docs`.
  static let all: [MarkdownFile] = {
    let docs = root.appending(path: "docs").path
    let files = FileManager.default.enumerator(atPath: docs)?.compactMap { $0 as? String } ?? []
    let names = files.filter { $0.hasSuffix(".md") }.sorted().map { "docs/\($0)" }
    return (["README.md"] + names).map { MarkdownFile(path: $0) }
  }()

  var url: URL { MarkdownFile.root.appending(path: path) }

  func text() throws -> String { try String(contentsOf: url, encoding: .utf8) }
}

/// A script in a text with Markdown: the whole text, in which all other lines have become comments,
/// so that places in the one are places in the other.
struct MarkdownScript {
  let text: String

  private static let mark = "//|"
  /// What stands for a comment's beginning in lines that are none: an annotation there would count.
  private static let hidden = ("// ", "//\u{A0}")

  /// The text with the lines of the script as they are in another text of the same form.
  func restored(_ text: String) -> String {
    var annotated = text.split(separator: "\n", omittingEmptySubsequences: false)
    // Lines behind the last one that is no script are output that nobody expected.
    if let last = annotated.lastIndex(where: { $0.hasPrefix(MarkdownScript.mark) }) {
      let added = annotated[(last + 1)...].filter { !$0.isEmpty }
      annotated.removeSubrange((last + 1)...)
      let end = annotated.lastIndex { !$0.hasPrefix(MarkdownScript.mark) } ?? last
      annotated.insert(contentsOf: added, at: end + 1)
    }
    let lines = annotated.map { line in
      guard line.hasPrefix(MarkdownScript.mark) else { return String(line) }
      return line.dropFirst(MarkdownScript.mark.count)
        .replacingOccurrences(of: MarkdownScript.hidden.1, with: MarkdownScript.hidden.0)
    }
    return lines.joined(separator: "\n")
  }

  /// The scripts in a text.
  static func all(in text: String) -> [MarkdownScript] {
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    var scripts: [Set<Int>] = []
    for block in fences(in: lines) {
      switch block.language {
      case "st": scripts.append(Set(block.lines))
      case "st continued" where !scripts.isEmpty: scripts[scripts.count - 1].formUnion(block.lines)
      default: continue
      }
    }
    return scripts.map { kept in
      let all = lines.indices.map { index in
        kept.contains(index)
          ? lines[index]
          : mark + lines[index].replacingOccurrences(of: hidden.0, with: hidden.1)
      }
      return MarkdownScript(text: all.joined(separator: "\n"))
    }
  }

  /// The contents of the blocks of a language.
  static func blocks(of language: String, in text: String) -> [String] {
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    return fences(in: lines).filter { $0.language == language }
      .map { lines[$0.lines].joined(separator: "\n") }
  }

  private static func fences(in lines: [String]) -> [(language: String, lines: Range<Int>)] {
    var blocks: [(language: String, lines: Range<Int>)] = []
    var begun: (language: String, line: Int)?
    for (index, line) in lines.enumerated() where line.hasPrefix("```") {
      if let start = begun {
        blocks.append((start.language, (start.line + 1)..<index))
        begun = nil
      } else {
        begun = (line.dropFirst(3).trimmingCharacters(in: .whitespaces), index)
      }
    }
    return blocks
  }
}
