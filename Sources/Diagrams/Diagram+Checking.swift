internal import TenonAnalysis
package import TenonLexer
package import TenonParser

// Whether what a diagram's labels say are the statements that its arrows show.

extension Diagram {
  /// Parses a text with the names with hyphens and the connectors that it may use.
  package typealias ParseFunction = (SourceText, Set<String>, Set<String>) -> ParseResult<Script>

  /// Parses what the diagram says, and compares it with what it shows.
  ///
  /// - Throws: `DiagramError` for the line of the first label that is something else.
  /// - Complexity: O(length of the text).
  mutating func check(_ lines: DiagramLines, _ parse: ParseFunction) throws(DiagramError) {
    var writer = StatementWriter(self)
    writer.write(items, of: nil, depth: 0)
    let source = SourceText(name: "<diagram>", writer.text)
    let result = parse(source, hyphenatedNames, Set(ownConnectors))
    guard let script = result.script else {
      guard let error = result.diagnostics.first(where: { $0.severity == .error }) else { return }
      let part = writer.parts.last { $0.start <= error.range.start }?.part
      throw DiagramError(
        line: line(of: part, lines), column: 1, message: "\(error.message)\(context(of: part))")
    }
    let shown = outline
    var builder = DiagramBuilder()
    builder.visit(script)
    let parsed = builder.finish()
    let said = parsed.outline
    for (index, entry) in shown.enumerated() {
      guard index >= said.count || said[index].text != entry.text else { continue }
      throw DiagramError(
        line: line(of: entry.part, lines), column: 1,
        message: "its labels are no such statement\(context(of: entry.part))")
    }
    if said.count > shown.count, let last = shown.last {
      throw DiagramError(
        line: line(of: last.part, lines), column: 1,
        message: "its labels are more than one statement\(context(of: last.part))")
    }
    if let start = builder.firstOther {
      let part = writer.parts.last { $0.start <= start }?.part
      throw DiagramError(
        line: line(of: part, lines), column: 1,
        message: "its labels are more than connector statements\(context(of: part))")
    }
    for (shown, said) in zip(shown, said) {
      guard case .statement(let number) = shown.part, case .statement(let other) = said.part else {
        continue
      }
      statements[number].policy = parsed.statements[other].policy
    }
  }

  /// What a text must have in common with the diagram: its definitions, and of each statement the
  /// connector, how many operands there are, and whether there is more around them.
  private var outline: [(text: String, part: StatementWriter.Part)] {
    var list: [(text: String, part: StatementWriter.Part)] = []
    func visit(_ items: [Item]) {
      for item in items {
        switch item {
        case .statement(let number):
          let statement = statements[number]
          list.append(
            (
              "\(statement.operands.count) \(statement.connector) \(statement.name != nil) "
                + "\(statement.messages != nil)", .statement(number)
            ))
        case .container(let number, let items):
          let start = list.count
          list.append(("{", .container(number)))
          visit(items)
          // A definition that shows no statement says nothing.
          if list.count == start + 1 {
            list.removeLast()
          } else {
            list.append(("}", .container(number)))
          }
        }
      }
    }
    visit(items)
    return list
  }

  private func line(of part: StatementWriter.Part?, _ lines: DiagramLines) -> Int {
    switch part {
    case .statement(let number): lines.statements[number]
    case .container(let number): lines.containers[number]
    case .declaration(let name, let container):
      nodes.indices.first {
        nodes[$0].lazyVariable == name && nodes[$0].container == container
      }.map { lines.nodes[$0] } ?? 1
    case nil: 1
    }
  }

  /// The text of a part, for a message.
  private func context(of part: StatementWriter.Part?) -> String {
    switch part {
    case .statement(let number): " in '\(text(of: statements[number]))'"
    case .container(let number): " in '\(containers[number].header)'"
    case .declaration(let name, _): " in '\(name)'"
    case nil: ""
    }
  }

  /// Whether a program may define a connector of that sign.
  static func mayBeDefined(_ sign: String) -> Bool {
    let source = SourceText(name: "<sign>", "connector \(sign) : Connector {}")
    let result = Parser(source).parseScript()
    return result.script != nil && result.connectors == [sign]
  }

  /// What may be names and schemes with hyphens: no text that declares them is at hand.
  private var hyphenatedNames: Set<String> {
    var names: Set<String> = []
    for text in nodes.filter({ $0.kind == .place }).map(\.text) + statements.compactMap(\.name) {
      for word in text.split(whereSeparator: { !($0.isLetter || $0.isNumber || "_-".contains($0)) })
      where word.contains("-") {
        names.insert(String(word))
        names.insert("\(word):")
      }
    }
    return names
  }

  /// The variable that a text means by itself, with or without a scheme; nil for any other text.
  static func variable(named text: String) -> String? {
    let parts = text.split(separator: ":", omittingEmptySubsequences: false)
    guard let name = parts.last,
      parts.count == 1
        || parts.count == 2 && VariablePlace.schemes.contains(String(parts[0]))
    else { return nil }
    guard let first = name.first, first.isLetter || first == "_",
      name.allSatisfy({ $0.isLetter || $0.isNumber || "_-".contains($0) }),
      ReservedName(rawValue: String(name)) == nil
    else { return nil }
    return String(name)
  }
}
