internal import TenonLexer
internal import TenonParser

// What the text around a method says about it: its comment and its category.

extension SourceText {
  /// The comment directly above an offset, its lines joined; empty where there is none.
  func comment(above offset: Int32) -> String {
    paragraph(endingAt: lineStart(of: Int(offset))).joined(separator: " ")
  }

  /// The nearest heading above a method of a class: a comment of a few words on a line of its own,
  /// as far to the right as the method, with an empty line below.
  ///
  /// - Complexity: O(bytes of the class above the method).
  func heading(above offset: Int32) -> String? {
    var lineStart = lineStart(of: Int(offset))
    let indent = Int(offset) - lineStart
    var isBelowEmpty = false
    while lineStart > 0 {
      let end = lineStart - 1
      lineStart = self.lineStart(of: end)
      let line = bytes[lineStart..<end]
      let lineIndent = line.prefix { $0 == UInt8(ascii: " ") }.count
      let isAboveEmpty = isBelowEmpty
      isBelowEmpty = lineIndent == line.count
      if isBelowEmpty { continue }
      if lineIndent < indent { return nil }
      guard isAboveEmpty, lineIndent == indent, SourceText.isComment(line) else { continue }
      let paragraph = paragraph(endingAt: end + 1)
      if paragraph.count == 1, SourceText.isHeading(paragraph[0]) {
        return String(paragraph[0].prefix { $0 != "." })
      }
    }
    return nil
  }

  /// Comment lines one below the other, the last of which ends at an offset, without their signs.
  private func paragraph(endingAt end: Int) -> [String] {
    var lines: [String] = []
    var end = end
    while end > 0 {
      let start = lineStart(of: end - 1)
      let line = bytes[start..<(end - 1)]
      guard SourceText.isComment(line) else { break }
      let text = line.drop { $0 == UInt8(ascii: " ") }.dropFirst(2)
        .drop { $0 == UInt8(ascii: " ") }
      lines.append(String(decoding: text, as: UTF8.self))
      end = start
    }
    return lines.reversed()
  }

  /// The offset of the first byte of the line that an offset is in.
  private func lineStart(of offset: Int) -> Int {
    var start = Swift.min(Swift.max(offset, 0), bytes.count)
    while start > 0, bytes[start - 1] != UInt8(ascii: "\n") { start -= 1 }
    return start
  }

  private static func isComment(_ line: ContiguousArray<UInt8>.SubSequence) -> Bool {
    line.drop { $0 == UInt8(ascii: " ") }.starts(with: [UInt8(ascii: "/"), UInt8(ascii: "/")])
  }

  /// Whether a comment is short enough for a heading.
  private static func isHeading(_ text: String) -> Bool {
    !text.isEmpty && text.split(separator: " ").count <= 3
  }
}

/// What is known of a method without running it.
struct MethodDescription {
  /// The text as it was written; for methods that have none, what stands for it.
  var source: String
  var comment = ""
  var category: String?
  /// File and line; nil for methods that have no text.
  var place: String?
}

extension Machine {
  /// Describes a method for a program that asks for it.
  func description(of method: Method) -> MethodDescription {
    switch method.origin {
    case .definition(let definition, let source):
      return description(in: source, range: definition.range)
    case .kernel(let place):
      return description(in: kernelSource(place.file), range: place.range)
    case .primitive:
      let row = primitiveRows(method.holder.name).first {
        $0.selector == method.selector.name
      }
      let sign = method.holder.isMeta ? "+" : "-"
      return MethodDescription(
        source: "\(sign)\(row?.pattern ?? method.selector.name) { <primitive> }",
        comment: method.comment, category: "Primitives")
    case .getter(let slot):
      let name = method.holder.instanceVariables[slot].name
      return MethodDescription(source: "-\(name) { ^\(name) }", category: "Accessing")
    case .setter(let slot, _, _):
      let name = method.holder.instanceVariables[slot].name
      return MethodDescription(
        source: "-\(name): anObject { \(name) := anObject. }", category: "Accessing")
    case .node:
      let sign = method.holder.isMeta ? "+" : "-"
      return MethodDescription(
        source: "\(sign)\(method.selector.name) { <primitive> }", category: "Primitives")
    }
  }

  private func description(in source: SourceText, range: SourceRange) -> MethodDescription {
    MethodDescription(
      source: source.text(in: range),
      comment: source.comment(above: range.start), category: source.heading(above: range.start),
      place: "\(source.name):\(source.location(of: range.start).line)")
  }
}
