import TenonLexer
import TenonParser

@testable import TenonRuntime

/// The pages about the kernel: what its classes and primitives say about themselves.
struct KernelReference {
  let machine: Machine
  private let documents: [String: ClassDocument]

  init(machine: Machine) {
    self.machine = machine
    documents = ClassDocument.all()
  }

  /// A page for each class, and the index of them, by the name of the file.
  var pages: [String: String] {
    var pages: [String: String] = [:]
    for info in classes { pages["\(info.name).md"] = page(of: info) }
    pages["README.md"] = index
    return pages
  }

  /// The classes a program can meet: two are the machine's own, and Float stands in the table twice.
  var classes: [ClassInfo] {
    machine.makeAllKernelClasses()
    return machine.classes.infos.enumerated().compactMap { $1?.index == UInt32($0) ? $1 : nil }
      .filter { !$0.isMeta && ($0.superclass != nil || $0.name == "Object") }
      .sorted { $0.name < $1.name }
  }

  /// Public selectors that nothing is said about: `String>>foo`, `String class>>foo`.
  var undescribed: [String] {
    classes.flatMap { info in
      [info, info.metaclass].compactMap(\.self).flatMap { side in
        entries(of: side).filter(\.text.isEmpty).map { "\(side.name)>>\($0.selector)" }
      }
    }
  }

  // MARK: Entries

  /// A message as a page shows it.
  private struct Entry {
    let selector: String
    let pattern: String
    let text: String
    let examples: [String]
  }

  /// The public messages of one side of a class.
  private func entries(of info: ClassInfo) -> [Entry] {
    info.allMethods.sorted { $0.selector.name < $1.selector.name }.compactMap(entry)
  }

  private func entry(of method: TenonRuntime.Method) -> Entry? {
    let selector = method.selector.name
    let comment: DocumentComment
    let pattern: String
    switch method.origin {
    case .primitive:
      let row = Primitive.table(for: method.holder.name).first { $0.selector == selector }
      comment = DocumentComment(lines: method.comment.split(separator: "\n").map(String.init))
      pattern = row?.pattern ?? selector
    case .kernel:
      let isMeta = method.holder.isMeta
      let name = isMeta ? unsafe method.holder.thisClass?.name : method.holder.name
      let document = documents[name ?? ""]?.methods[(isMeta ? "+" : "-") + selector]
      comment = document?.comment ?? DocumentComment(lines: [])
      pattern = document?.pattern ?? selector
    case .node:
      comment = DocumentComment(lines: [method.comment])
      pattern = KernelReference.pattern(of: selector)
    // What only reads a variable is mostly of no use to a program.
    default: return nil
    }
    guard !comment.isPrivate else { return nil }
    var text = comment.text
    // A method that says nothing does what the one it redefines says.
    if text.isEmpty, let inherited = method.holder.superclass?.lookUp(method.selector) {
      text = entry(of: inherited)?.text ?? ""
    }
    return Entry(selector: selector, pattern: pattern, text: text, examples: comment.examples)
  }

  /// A selector with names for its arguments.
  private static func pattern(of selector: String) -> String {
    let keywords = selector.split(separator: ":")
    guard selector.hasSuffix(":") else { return selector }
    guard keywords.count > 1 else { return selector + " argument" }
    return zip(keywords, ["first", "second", "third", "fourth"]).map { "\($0): \($1)" }
      .joined(separator: " ")
  }

  // MARK: Pages

  private static let note = "Generated from the comments of the kernel by the tests; do not edit."

  private func page(of info: ClassInfo) -> String {
    let comment = documents[info.name]?.comment
    var text = "# \(info.name)\n\n\(comment?.text ?? info.comment)\n"
    if let superclass = info.superclass { text += "\nInherits from \(link(superclass)).\n" }
    let below = classes.filter { $0.superclass === info }
    if !below.isEmpty {
      text += "\nSubclasses: \(below.map(link).joined(separator: ", ")).\n"
    }
    text += KernelReference.block(comment?.examples ?? [])
    text += section("Messages", entries(of: info))
    if let metaclass = info.metaclass { text += section("To the class", entries(of: metaclass)) }
    return text + "\n[All classes](README.md). \(KernelReference.note)\n"
  }

  private func link(_ info: ClassInfo) -> String { "[\(info.name)](\(info.name).md)" }

  private func section(_ title: String, _ entries: [Entry]) -> String {
    guard !entries.isEmpty else { return "" }
    var text = "\n## \(title)\n\n"
    for entry in entries where !entry.text.isEmpty {
      text += "- `\(entry.pattern)` \(entry.text)\n"
      guard !entry.examples.isEmpty else { continue }
      text += KernelReference.block(entry.examples) + "\n"
    }
    let others = entries.filter(\.text.isEmpty).map { "`\($0.pattern)`" }
    if !others.isEmpty { text += "\n\(others.joined(separator: ", "))\n" }
    return text.replacing("\n\n\n", with: "\n\n")
  }

  private static func block(_ examples: [String]) -> String {
    examples.isEmpty ? "" : "\n```st\n\(examples.joined(separator: "\n"))\n```\n"
  }

  // MARK: Index

  private var index: String {
    """
    # Reference

    The classes that every script finds, and what they understand. A class understands the messages of
    its superclasses as well. \(KernelReference.note)

    ## Classes

    \(lineage(of: nil, depth: 0).joined(separator: "\n"))

    ## Messages

    \(selectors.joined(separator: "\n"))

    """
  }

  private func lineage(of superclass: ClassInfo?, depth: Int) -> [String] {
    classes.filter { $0.superclass === superclass }.flatMap { info in
      let comment = documents[info.name]?.comment.text ?? info.comment
      let summary = comment.prefix { $0 != "." && $0 != ":" }
      let line = String(repeating: "  ", count: depth) + "- \(link(info)) \(summary)"
      return [line] + lineage(of: info, depth: depth + 1)
    }
  }

  /// A line for each selector, with the classes that answer to it themselves.
  private var selectors: [String] {
    var classesBySelector: [String: [String]] = [:]
    for info in classes {
      for entry in entries(of: info) {
        classesBySelector[entry.selector, default: []] += [link(info)]
      }
      for entry in info.metaclass.map(entries) ?? [] {
        classesBySelector[entry.selector, default: []] += ["\(link(info)) class"]
      }
    }
    let order = classesBySelector.keys.sorted { ($0.lowercased(), $0) < ($1.lowercased(), $1) }
    return order.map { "- `\($0)` \(classesBySelector[$0, default: []].joined(separator: ", "))" }
  }
}

/// A comment above a class or a method: text, then lines of an example, which are indented.
struct DocumentComment {
  private(set) var text = ""
  private(set) var examples: [String] = []

  /// Whether it says that what stands below is no business of programs.
  var isPrivate: Bool { text.hasPrefix("Private") }

  /// - Parameter lines: The lines, a blank or nothing before their text.
  init(lines: [String]) {
    for line in lines {
      if line.hasPrefix("  ") {
        examples.append(DocumentComment.example(line))
      } else {
        text += (text.isEmpty ? "" : " ") + line.trimmedBlanks
      }
    }
    text = text.trimmedBlanks
  }

  /// What an example answers may stand behind `=>`, two blanks before it, without a comment of its own.
  private static func example(_ line: String) -> String {
    let line = line.trimmedBlanks
    guard !line.contains("// =>"), let range = line.ranges(of: "  => ").last else { return line }
    return line[..<range.lowerBound] + "  // => " + line[range.upperBound...]
  }
}

/// What the text of a kernel class says about it.
struct ClassDocument {
  struct Method {
    let pattern: String
    let comment: DocumentComment
  }

  let comment: DocumentComment
  /// By side and selector: `-at:`.
  private(set) var methods: [String: Method]

  /// The classes of the kernel's texts, by name.
  static func all() -> [String: ClassDocument] {
    var documents: [String: ClassDocument] = [:]
    var added: [String: [String: Method]] = [:]
    for file in KernelText.files {
      let source = unsafe SourceText(
        name: file.name,
        bytes: ContiguousArray(
          UnsafeBufferPointer(start: file.text.utf8Start, count: file.text.utf8CodeUnitCount)))
      let lines = ClassDocument.lines(of: source)
      for statement in Parser(source).parseScript().script?.statements ?? [] {
        switch statement {
        case .definition(.class(let definition)):
          documents[definition.name.text] = ClassDocument(definition, lines, source)
        case .definition(.extension(let definition)):
          added[definition.name.text, default: [:]].merge(
            methods(definition.members, in: lines, source)
          ) { $1 }
        default: break
        }
      }
    }
    for (name, methods) in added { documents[name]?.methods.merge(methods) { $1 } }
    return documents
  }

  private static func lines(of source: SourceText) -> [String] {
    String(decoding: source.bytes, as: UTF8.self)
      .split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
  }

  init(_ definition: ClassDefinition, _ lines: [String], _ source: SourceText) {
    comment = DocumentComment(
      lines: ClassDocument.comment(above: definition.range, in: lines, source))
    methods = ClassDocument.methods(definition.members, in: lines, source)
  }

  /// What a text says about the methods of a class or an extension.
  private static func methods(
    _ members: [Member], in lines: [String], _ source: SourceText
  ) -> [String: Method] {
    var methods: [String: Method] = [:]
    for case .method(let method) in members {
      let isPrivate = source.heading(above: method.range.start)?.hasPrefix("Private") ?? false
      let comment = isPrivate ? ["Private."] : comment(above: method.range, in: lines, source)
      let name = (method.isClassMethod ? "+" : "-") + method.header.selector
      methods[name] = Method(
        pattern: pattern(of: method.header), comment: DocumentComment(lines: comment))
    }
    return methods
  }

  /// The lines of comment directly above, without their slashes.
  private static func comment(
    above range: SourceRange, in lines: [String], _ source: SourceText
  ) -> [String] {
    let before = lines[..<(source.location(of: range.start).line - 1)]
    let start =
      before.lastIndex { !$0.trimmedBlanks.hasPrefix("//") }.map { $0 + 1 } ?? before.startIndex
    return before[start...].map { String($0.trimmedBlanks.dropFirst(2)) }
  }

  private static func pattern(of header: MethodHeader) -> String {
    let parts = header.selectorParts.map(\.text)
    guard !header.parameters.isEmpty else { return parts.joined() }
    return zip(parts, header.parameters.map(\.name.text)).map { "\($0) \($1)" }
      .joined(separator: " ")
  }
}

extension StringProtocol {
  /// The text without blanks at its ends.
  var trimmedBlanks: String {
    var text = self[...]
    while text.first == " " { text.removeFirst() }
    while text.last == " " { text.removeLast() }
    return String(text)
  }
}
