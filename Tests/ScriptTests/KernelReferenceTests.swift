import Foundation
import Tenon
import TenonLexer
import TenonParser
import Testing

@testable import TenonRuntime

/// `docs/kernel.md` is what the classes of the kernel say about themselves.
@Suite struct KernelReferenceTests {
  @Test func theReferenceIsUpToDate() throws {
    let url = MarkdownFile.root.appending(path: "docs/kernel.md")
    let expected = onThread(stackSize: 16 << 20) {
      var options = MachineOptions()
      options.stackSlots = 1 << 16
      return KernelReference(machine: Machine(options: options)).text
    }
    let found = (try? String(contentsOf: url, encoding: .utf8)) ?? ""
    guard found != expected else { return }
    if ProcessInfo.processInfo.environment["UPDATE_EXPECTATIONS"] == "1" {
      try expected.write(to: url, atomically: true, encoding: .utf8)
    }
    Issue.record("docs/kernel.md is not up to date; UPDATE_EXPECTATIONS=1 rewrites it")
  }

  @Test func everythingIsThere() {
    let text = onThread(stackSize: 16 << 20) {
      var options = MachineOptions()
      options.stackSlots = 1 << 16
      return KernelReference(machine: Machine(options: options)).text
    }
    #expect(text.contains("\n## String\n"))
    #expect(text.contains("`quo: "))
    #expect(text.contains("- `suspend` Takes the connection out of force until resume."))
    #expect(text.contains("\n## ZeroDivide\n"))
    #expect(!text.contains("## Context\n"))
  }
}

/// The page about the kernel: the classes as a tree, then each with its messages.
struct KernelReference {
  let machine: Machine

  private static let introduction = """
    # The kernel

    The classes that every script finds, generated from their comments by the tests; do not edit.
    A class understands the messages of its superclasses as well. Messages without a text do what
    their names say, or are explained in the class's source, `Sources/Runtime/Kernel`.

    """

  private var classes: [ClassInfo] {
    // Two classes are the machine's own: no program sees an object of theirs. Float stands in the
    // table twice, as its zeros have an index of their own.
    machine.classes.enumerated().compactMap { $1?.index == UInt32($0) ? $1 : nil }.filter { info in
      !info.isMeta && (info.superclass != nil || info.name == "Object")
    }
  }

  var text: String {
    let roots = classes.filter { $0.superclass == nil }.sorted { $0.name < $1.name }
    let order = roots.flatMap { lineage(of: $0, depth: 0) }
    let tree = order.map { entry in
      let link = "[\(entry.info.name)](#\(entry.info.name.lowercased()))"
      return String(repeating: "  ", count: entry.depth) + "- \(link)"
    }
    let sections = order.map { section($0.info) }
    return KernelReference.introduction + "\n" + tree.joined(separator: "\n") + "\n"
      + sections.joined()
  }

  private func lineage(of info: ClassInfo, depth: Int) -> [(info: ClassInfo, depth: Int)] {
    let below = classes.filter { $0.superclass === info }.sorted { $0.name < $1.name }
    return [(info, depth)] + below.flatMap { lineage(of: $0, depth: depth + 1) }
  }

  private func section(_ info: ClassInfo) -> String {
    var text = "\n## \(info.name)\n\n\(info.comment)\n"
    if let superclass = info.superclass { text += "\nInherits from `\(superclass.name)`.\n" }
    text += messages(of: info, title: "Messages")
    if let metaclass = info.metaclass { text += messages(of: metaclass, title: "To the class") }
    return text
  }

  private func messages(of info: ClassInfo, title: String) -> String {
    var described: [String] = []
    var others: [String] = []
    for method in info.allMethods.sorted(by: { $0.selector.name < $1.selector.name }) {
      // What only reads a variable is mostly of no use to a program.
      if case .getter = method.origin { continue }
      let (pattern, comment) = description(of: method)
      if comment.isEmpty {
        others.append("`\(pattern)`")
      } else {
        described.append("- `\(pattern)` \(comment)")
      }
    }
    if described.isEmpty, others.isEmpty { return "" }
    var text = "\n\(title):\n\n" + described.map { $0 + "\n" }.joined()
    if !others.isEmpty {
      text += (described.isEmpty ? "" : "\n") + others.joined(separator: ", ") + "\n"
    }
    return text
  }

  /// A method's selector with the names of its arguments, and what is said about it.
  private func description(of method: TenonRuntime.Method) -> (pattern: String, comment: String) {
    switch method.origin {
    case .primitive:
      let table = Primitive.table(for: method.holder.name)
      let row = table.first { $0.selector == method.selector.name }
      return (row?.pattern ?? method.selector.name, method.comment)
    case .kernel(let place):
      let (definition, source) = machine.parseKernel(place)
      return (pattern(of: definition), comment(above: place.range, in: source))
    default: return (method.selector.name, method.comment)
    }
  }

  private func pattern(of definition: MethodDefinition) -> String {
    let header = definition.header
    let parts = header.selectorParts.map(\.text)
    guard !header.parameters.isEmpty else { return parts.joined() }
    return zip(parts, header.parameters.map(\.name.text)).map { "\($0) \($1)" }
      .joined(separator: " ")
  }

  /// The lines of comment directly above a method.
  private func comment(above range: SourceRange, in source: SourceText) -> String {
    let before = source.text(in: SourceRange(0, range.start))
    let lines = before.split(separator: "\n", omittingEmptySubsequences: false).dropLast()
      .map { $0.trimmingCharacters(in: .whitespaces) }
    let start = lines.lastIndex { !$0.hasPrefix("//") }.map { $0 + 1 } ?? 0
    let comment = lines[start...].map { $0.dropFirst(2).trimmingCharacters(in: .whitespaces) }
      .joined(separator: " ")
    // So short a one is the heading of a group of methods.
    return comment.split(separator: " ").count > 3 ? comment : ""
  }
}
