import TenonLexer
import TenonParser
import Testing

/// Parses a text and returns what came of it.
func parse(
  _ source: String, knownNames: Set<String> = [], connectors: Set<String> = []
) -> ParseResult<Script> {
  Parser(SourceText(name: "test.st", source), knownNames: knownNames, connectors: connectors)
    .parseScript()
}

/// Expects that a text has no errors and this tree, before and after it is printed.
func expectTree(
  _ source: String, _ tree: String, knownNames: Set<String> = [], connectors: Set<String> = [],
  allowsWarnings: Bool = false, at location: SourceLocation = #_sourceLocation
) {
  let text = SourceText(name: "test.st", source)
  let result = parse(source, knownNames: knownNames, connectors: connectors)
  for diagnostic in result.diagnostics where diagnostic.severity == .error || !allowsWarnings {
    Issue.record("\(diagnostic.rendered(in: text))", sourceLocation: location)
  }
  guard let script = result.script else { return }
  #expect(TreePrinter.dump(script) == tree, "\(source)", sourceLocation: location)
  expectRoundTrip(script, knownNames: knownNames, connectors: connectors, at: location)
}

/// Expects that a script, printed and parsed again, has the same tree, and prints the same again.
func expectRoundTrip(
  _ script: Script, knownNames: Set<String> = [], connectors: Set<String> = [],
  at location: SourceLocation = #_sourceLocation
) {
  let printed = SyntaxPrinter.print(script)
  let result = parse(printed, knownNames: knownNames, connectors: connectors)
  guard let reparsed = result.script else {
    let text = SourceText(name: "printed.st", printed)
    let errors = result.diagnostics.map { $0.rendered(in: text) }.joined(separator: "\n")
    Issue.record("printed source does not parse:\n\(printed)\n\(errors)", sourceLocation: location)
    return
  }
  let before = TreePrinter.dump(script, isExact: true)
  let after = TreePrinter.dump(reparsed, isExact: true)
  #expect(after == before, "printed as\n\(printed)", sourceLocation: location)
  #expect(SyntaxPrinter.print(reparsed) == printed, sourceLocation: location)
}

/// Expects errors and warnings at the markers of a text: `1️⃣` stands before the place of the first
/// message, `2️⃣` before that of the second.
///
/// A message may be given by its beginning. Errors come without a prefix, warnings with
/// `warning: `.
func expectDiagnostics(
  _ marked: String, _ messages: String..., knownNames: Set<String> = [],
  isIncomplete: Bool = false, at location: SourceLocation = #_sourceLocation
) {
  let (source, offsets) = removingMarkers(from: marked)
  let result = parse(source, knownNames: knownNames)
  let found = result.diagnostics.map { diagnostic in
    let prefix = diagnostic.severity == .warning ? "warning: " : ""
    return (message: prefix + diagnostic.message, offset: Int(diagnostic.range.start))
  }
  let listing = found.map { "\($0.offset): \($0.message)" }.joined(separator: "\n")
  #expect(found.count == messages.count, "found:\n\(listing)", sourceLocation: location)
  for (index, message) in messages.enumerated() where index < found.count {
    let isMatch = found[index].message.hasPrefix(message)
    #expect(isMatch, "found:\n\(listing)", sourceLocation: location)
    let isPlace = found[index].offset == offsets[index + 1]
    #expect(isPlace, "found \(listing) in \(source)", sourceLocation: location)
  }
  let hasErrors = result.diagnostics.contains { $0.severity == .error }
  #expect((result.script == nil) == hasErrors, sourceLocation: location)
  #expect(result.isIncomplete == isIncomplete, sourceLocation: location)
  if let script = result.script {
    expectRoundTrip(script, knownNames: knownNames, at: location)
  }
}

/// Returns a text without its markers, and the UTF-8 offsets they stood at.
func removingMarkers(from marked: String) -> (source: String, offsets: [Int: Int]) {
  var source = ""
  var offsets: [Int: Int] = [:]
  for character in marked {
    let scalars = Array(character.unicodeScalars)
    if scalars.count == 3, scalars[2] == "\u{20E3}", let digit = Int(String(scalars[0])) {
      offsets[digit] = source.utf8.count
    } else {
      source.append(character)
    }
  }
  return (source, offsets)
}
