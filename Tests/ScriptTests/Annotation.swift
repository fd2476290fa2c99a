import TenonLexer

/// What a script says about itself in a line comment: `// => 7`.
struct Annotation: Equatable {
  /// What is expected.
  enum Kind: String, CaseIterable {
    /// The text of the value of the statement that ends on this line.
    case value = "=>"
    /// The next line of output; what goes to the error output begins with `stderr: `.
    case output = "expect:"
    /// The uncaught error that ends the script on this line.
    case error = "error:"
    /// An error for which the script is not run at all.
    case syntaxError = "syntax error:"
    /// Something suspicious about this line that the script runs with.
    case warning = "warning:"
    /// Nothing: a line that the script finds in its input.
    case input = "input:"
  }

  let kind: Kind
  let text: String
  /// The line it stands on, from 1.
  let line: Int
  /// The line it speaks of: its own, or the last line of code above when its own has none.
  let anchor: Int
}

/// A script as lines with annotations, which can be read and rewritten.
struct AnnotatedText {
  let annotations: [Annotation]
  private let lines: [Substring]
  /// For each line the line of code it belongs to.
  private let anchors: [Int]

  init(_ text: String) {
    lines = text.split(separator: "\n", omittingEmptySubsequences: false)
    var annotations: [Annotation] = []
    var anchors: [Int] = []
    var anchor = 1
    for (index, line) in lines.enumerated() {
      let code = line.drop { $0 == " " }
      if !code.isEmpty, !code.hasPrefix("//") { anchor = index + 1 }
      anchors.append(anchor)
      guard let mark = AnnotatedText.mark(in: line) else { continue }
      let text = line[mark.end...].drop { $0 == " " }
      annotations.append(
        Annotation(kind: mark.kind, text: String(text), line: index + 1, anchor: anchor))
    }
    self.annotations = annotations
    self.anchors = anchors
  }

  /// The line of code that a place on any line is counted for.
  func anchor(of line: Int) -> Int {
    anchors.isEmpty ? 1 : anchors[min(max(line, 1), anchors.count) - 1]
  }

  /// What the script finds in its input.
  var input: [String] { annotations.filter { $0.kind == .input }.map(\.text) }

  /// Where the annotation of a line begins, and where the text of it does.
  private static func mark(
    in line: Substring
  ) -> (kind: Annotation.Kind, start: Substring.Index, end: Substring.Index)? {
    var rest = line
    while let start = rest.firstRange(of: "// ") {
      let comment = line[start.upperBound...]
      for kind in Annotation.Kind.allCases {
        guard comment.hasPrefix(kind.rawValue) else { continue }
        let end = line.index(start.upperBound, offsetBy: kind.rawValue.count)
        if end == line.endIndex || line[end] == " " { return (kind, start.lowerBound, end) }
      }
      rest = line[start.upperBound...]
    }
    return nil
  }
}

extension StringProtocol {
  /// The first place where another text stands.
  fileprivate func firstRange(of other: String) -> Range<Index>? {
    var start = startIndex
    while start < endIndex {
      let rest = self[start...]
      if rest.hasPrefix(other) { return start..<index(start, offsetBy: other.count) }
      start = index(after: start)
    }
    return nil
  }
}

// MARK: - Rewriting

extension AnnotatedText {
  /// Returns the text with the annotations replaced by what was observed.
  ///
  /// Annotations of values stay where they are. Lines of output fill the annotations for output in
  /// their order, and those left over follow the script. Errors and warnings stand on their lines.
  func rewritten(for observation: Observation) -> String {
    var result = lines.map(String.init)
    var removed: Set<Int> = []
    var output = observation.output[...]
    for annotation in annotations {
      let index = annotation.line - 1
      let text: String? =
        switch annotation.kind {
        case .value: observation.value(onLine: annotation.anchor, in: self) ?? "(no value)"
        case .output: output.popFirst()
        case .input: annotation.text
        case .error, .syntaxError, .warning: nil
        }
      guard let mark = AnnotatedText.mark(in: lines[index]) else { continue }
      let code = lines[index][..<mark.start]
      if let text {
        result[index] = code + "// \(annotation.kind.rawValue) \(text)"
        if text.isEmpty { result[index].removeLast() }
      } else {
        result[index] = String(code.trimmedAtEnd)
        if result[index].isEmpty { removed.insert(index) }
      }
    }
    for complaint in observation.complaints {
      let index = anchor(of: complaint.line) - 1
      let comment = "// \(complaint.kind.rawValue) \(complaint.text)"
      if result[index].contains("// ") {
        result[index] += "\n" + comment
      } else {
        result[index] += "  " + comment
      }
    }
    var kept = result.indices.filter { !removed.contains($0) }.map { result[$0] }
    if !output.isEmpty {
      while kept.last == "" { kept.removeLast() }
      kept += output.map { "// expect: \($0)" } + [""]
    }
    return kept.joined(separator: "\n")
  }
}

extension StringProtocol {
  /// The text without blanks at its end.
  fileprivate var trimmedAtEnd: SubSequence {
    var end = endIndex
    while end > startIndex, self[index(before: end)] == " " { end = index(before: end) }
    return self[..<end]
  }
}
