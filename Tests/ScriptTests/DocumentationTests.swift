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
    // The last first: what is rewritten moves what stands below.
    for script in MarkdownScript.all(in: text).reversed() {
      let source = SourceText(name: MarkdownScript.name, script.text)
      let annotated = AnnotatedText(script.text)
      let observation = ScriptRun.withStores { $0.observe(source, annotated) }
      if ProcessInfo.processInfo.environment["UPDATE_EXPECTATIONS"] == "1" {
        let rewritten = script.restored(annotated.rewritten(for: observation), in: text)
        if rewritten != text {
          text = rewritten
          try text.write(to: file.url, atomically: true, encoding: .utf8)
          Issue.record("\(file.path): the comments were rewritten")
          continue
        }
      }
      for failure in annotated.failures(of: observation) {
        Issue.record("\(file.path): in the example on line \(script.line): \(failure)")
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
    #expect(scripts.map(\.line) == [3, 12])
    let annotations = scripts.map { AnnotatedText($0.text).annotations }
    #expect(annotations.map { $0.map(\.line) } == [[3], [1]])
    for script in scripts { #expect(script.restored(script.text, in: text) == text) }
    let rewritten = scripts[0].restored("a := 2.\n// (continued)\na. // => 2\nb\n", in: text)
    #expect(rewritten.contains("```st\na := 2.\n```\n```text"))
    #expect(rewritten.contains("```st continued\na. // => 2\nb\n```\n"))
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
    let code = try MarkdownFile.embeddingExamples.flatMap {
      lines(of: try String(contentsOf: $0, encoding: .utf8))
    }
    for block in MarkdownScript.blocks(of: "swift", in: try file.text()) {
      let wanted = lines(of: block).filter { !$0.hasPrefix("import ") }
      let isThere = code.indices.contains { code[$0...].starts(with: wanted) }
      #expect(isThere, "\(file.path): not among the compiled examples: \(wanted.first ?? "")")
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

  /// The files that hold what the documentation shows of Swift.
  static let embeddingExamples = [
    "ScriptTests/EmbeddingExamples.swift", "ScriptTests/Checksummed.swift",
    "EmbeddingTests/ActorTests.swift", "EmbeddingTests/AsyncFunctionTests.swift",
  ].map { root.appending(path: "Tests/\($0)") }

  /// `README.md`, what lies below `docs`, and the catalogue of the library.
  static let all: [MarkdownFile] = {
    let docs = root.appending(path: "docs").path
    let files = FileManager.default.enumerator(atPath: docs)?.compactMap { $0 as? String } ?? []
    let names = files.filter { $0.hasSuffix(".md") }.sorted().map { "docs/\($0)" }
    let catalogue = "Sources/Embedding/Tenon.docc"
    let articles =
      FileManager.default.enumerator(atPath: root.appending(path: catalogue).path)?
      .compactMap { $0 as? String } ?? []
    let pages = articles.filter { $0.hasSuffix(".md") }.sorted().map { "\(catalogue)/\($0)" }
    return (["README.md"] + names + pages).map { MarkdownFile(path: $0) }
  }()

  var url: URL { MarkdownFile.root.appending(path: path) }

  func text() throws -> String { try String(contentsOf: url, encoding: .utf8) }
}

/// A script in a text with Markdown: a block, and those that go on with it.
///
/// It runs under a name of its own and counts its lines itself, so that the places in its errors stay
/// when something is written above it. A line that says so stands between two blocks of one script.
struct MarkdownScript {
  /// The name that scripts in the documentation run under.
  static let name = "example.st"

  private static let separator = "// (continued)"

  /// The text of the script.
  let text: String
  /// The lines of the file that its blocks are.
  let blocks: [Range<Int>]

  /// The number of the line that the script begins on.
  var line: Int { (blocks.first?.lowerBound ?? 0) + 1 }

  /// Returns a file with what became of the script in place of it.
  func restored(_ rewritten: String, in file: String) -> String {
    var lines = file.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    let wanted = rewritten.split(separator: "\n", omittingEmptySubsequences: false)
    let parts = wanted.split(
      separator: Substring(MarkdownScript.separator), omittingEmptySubsequences: false)
    for (block, part) in zip(blocks, parts).reversed() {
      // Behind output that nobody expected comes the end of a file.
      let hasEnd = part.last == "" && lines[block].last != ""
      lines.replaceSubrange(block, with: part.dropLast(hasEnd ? 1 : 0).map(String.init))
    }
    return lines.joined(separator: "\n")
  }

  /// The scripts in a text.
  static func all(in text: String) -> [MarkdownScript] {
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    var scripts: [[Range<Int>]] = []
    for block in fences(in: lines) {
      switch block.language {
      case "st": scripts.append([block.lines])
      case "st continued" where !scripts.isEmpty: scripts[scripts.count - 1].append(block.lines)
      default: continue
      }
    }
    return scripts.map { blocks in
      let texts = blocks.map { lines[$0].joined(separator: "\n") }
      return MarkdownScript(text: texts.joined(separator: "\n\(separator)\n"), blocks: blocks)
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
