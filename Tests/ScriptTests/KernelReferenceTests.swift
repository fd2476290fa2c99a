import Foundation
import Tenon
import Testing

@testable import TenonRuntime

/// `docs/reference` is what the classes of the kernel say about themselves.
@Suite struct KernelReferenceTests {
  private static let folder = MarkdownFile.root.appending(path: "docs/reference")

  private static var isUpdating: Bool {
    ProcessInfo.processInfo.environment["UPDATE_EXPECTATIONS"] == "1"
  }

  /// What is asked of the reference of a fresh machine.
  private func reference<Result: Sendable>(
    _ body: @escaping @Sendable (KernelReference) -> Result
  ) -> Result {
    onThread(stackSize: 16 << 20) {
      var options = MachineOptions()
      options.stackSlots = 1 << 16
      return body(KernelReference(machine: Machine(options: options)))
    }
  }

  @Test func theReferenceIsUpToDate() throws {
    let expected = reference(\.pages)
    var found: [String: String] = [:]
    for name in (try? FileManager.default.contentsOfDirectory(atPath: Self.folder.path)) ?? [] {
      found[name] = try String(contentsOf: Self.folder.appending(path: name), encoding: .utf8)
    }
    guard found != expected else { return }
    if Self.isUpdating {
      try? FileManager.default.removeItem(at: Self.folder)
      try FileManager.default.createDirectory(at: Self.folder, withIntermediateDirectories: true)
      for (name, text) in expected {
        try text.write(to: Self.folder.appending(path: name), atomically: true, encoding: .utf8)
      }
    }
    let names = Set(found.keys).union(expected.keys).filter { found[$0] != expected[$0] }.sorted()
    Issue.record(
      "docs/reference is not up to date: \(names); UPDATE_EXPECTATIONS=1 rewrites it")
  }

  /// Each public selector has a line: a comment above its method or the summary of its primitive.
  @Test func everySelectorIsDescribed() throws {
    for selector in reference(\.undescribed).sorted() {
      Issue.record("nothing is said about \(selector): write a comment above the method")
    }
  }

  @Test func everythingIsThere() throws {
    let pages = reference(\.pages)
    let string = try #require(pages["String.md"])
    #expect(string.contains("Inherits from [SequenceableCollection](SequenceableCollection.md)."))
    #expect(string.contains("- `occurrencesOf: part` How often a character or string occurs"))
    #expect(try #require(pages["Number.md"]).contains("`quo: "))
    #expect(
      try #require(pages["Connection.md"])
        .contains("- `suspend` Takes the connection out of force until resume."))
    #expect(pages["ZeroDivide.md"] != nil)
    #expect(pages["Context.md"] == nil)
    let index = try #require(pages["README.md"])
    #expect(index.contains("\n- [Object](Object.md) "))
    #expect(index.contains("\n- `quo:` "))
  }

  @Test func commentsAreRead() {
    let comment = DocumentComment(lines: [
      " The sum.", " It is exact.", "   3 + 4.  => 7", "   x := 1 => 2.",
    ])
    #expect(comment.text == "The sum. It is exact.")
    #expect(comment.examples == ["3 + 4.  // => 7", "x := 1 => 2."])
    #expect(!comment.isPrivate)
    #expect(DocumentComment(lines: [" Private: for sorting."]).isPrivate)
  }
}
