import Foundation
import Testing

/// What a program that embeds the language may use is documented.
@Suite struct PublicDocumentationTests {
  static let sources = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent().appending(path: "Sources")

  /// The modules that `import Tenon` and `import TenonConcurrency` bring along.
  static let modules = [
    "Concurrency", "Diagrams", "Embedding", "Lexer", "Runtime", "SolverKit", "Solvers", "StoreKit",
    "Stores",
  ]

  private static func swiftFiles(in module: String) throws -> [URL] {
    let names =
      FileManager.default.enumerator(atPath: sources.appending(path: module).path)?
      .compactMap { $0 as? String } ?? []
    return names.filter { $0.hasSuffix(".swift") }.sorted()
      .map { sources.appending(path: "\(module)/\($0)") }
  }

  /// The declarations of a file that others see and that no comment is above, as `line: text`.
  ///
  /// Extensions that are marked so have the comments of the protocols whose requirements they meet.
  static func undocumented(in text: String) -> [String] {
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    let ignore = "swift-format-ignore: AllPublicDeclarationsHaveDocumentation"
    var found: [String] = []
    var exempt: Int?
    for (index, line) in lines.enumerated() {
      let indentation = line.prefix { $0 == " " }.count
      let code = line.dropFirst(indentation)
      if let depth = exempt {
        if indentation == depth, code.hasPrefix("}") { exempt = nil }
        continue
      }
      if code.contains(ignore), let next = lines.dropFirst(index + 1).first, next.hasSuffix("{") {
        exempt = next.prefix { $0 == " " }.count
        continue
      }
      guard code.hasPrefix("public ") || code.hasPrefix("open class "),
        !code.hasPrefix("public import"), !code.hasPrefix("public extension")
      else { continue }
      var above = index - 1
      while above >= 0 {
        let before = lines[above].drop { $0 == " " }
        guard before.hasPrefix("@") || before.hasPrefix("// ") else { break }
        if before.contains(ignore) { break }
        above -= 1
      }
      let comment = above < 0 ? "" : lines[above].drop { $0 == " " }
      if !comment.hasPrefix("///"), !comment.contains(ignore) {
        found.append("\(index + 1): \(code)")
      }
    }
    return found
  }

  @Test(arguments: modules) func whatIsPublicHasAComment(_ module: String) throws {
    let files = try PublicDocumentationTests.swiftFiles(in: module)
    #expect(!files.isEmpty)
    for file in files {
      let missing = PublicDocumentationTests.undocumented(
        in: try String(contentsOf: file, encoding: .utf8))
      #expect(missing.isEmpty, "\(file.lastPathComponent)")
    }
  }

  @Test func missingCommentsAreFound() {
    let text = """
      /// Said.
      @frozen
      public struct A {
        public var x = 1
        // No such comment.
        public func f() {}
      }
      // swift-format-ignore: AllPublicDeclarationsHaveDocumentation
      extension A: P {
        public func g() {}
      }
      public let b = 2
      """
    #expect(
      PublicDocumentationTests.undocumented(in: text) == [
        "4: public var x = 1", "6: public func f() {}", "12: public let b = 2",
      ])
  }

  /// The catalogue's first page leads to each public type of the library.
  @Test func theCatalogueNamesEachType() throws {
    let page = try String(
      contentsOf: PublicDocumentationTests.sources.appending(path: "Embedding/Tenon.docc/Tenon.md"),
      encoding: .utf8)
    var types: [String] = []
    for file in try PublicDocumentationTests.swiftFiles(in: "Embedding") {
      let text = try String(contentsOf: file, encoding: .utf8)
      for match in text.matches(
        of: /(?m)^public (?:final class|class|struct|enum|protocol) (?<name>\w+)/)
      {
        types.append(String(match.name))
      }
    }
    #expect(types.contains("Interpreter") && types.count > 15)
    for type in types { #expect(page.contains("- ``\(type)``"), "\(type)") }
  }
}
