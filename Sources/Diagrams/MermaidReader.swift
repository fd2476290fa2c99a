package import TenonLexer
package import TenonParser

/// What is wrong with the text of a diagram.
public struct DiagramError: Error, Sendable, Equatable {
  /// The line, counted from 1.
  public let line: Int
  /// The column in characters, counted from 1.
  public let column: Int
  /// What is wrong: lower case, no full stop.
  public let message: String
}

extension Diagram {
  /// Reads a diagram that is written in the subset of Mermaid which `written(as:)` uses.
  ///
  /// - Throws: `DiagramError` for the first line that means nothing, and for a label that is not what
  ///   may stand there in a statement.
  /// - Complexity: O(length of the text).
  public init(mermaid text: String) throws(DiagramError) {
    try self.init(mermaid: text) { source, names, connectors in
      Parser(source, knownNames: names, connectors: connectors).parseScript()
    }
  }

  /// Reads a diagram.
  ///
  /// - Parameters:
  ///   - text: The diagram in Mermaid.
  ///   - connectors: The signs that have been defined already.
  ///   - parse: Parses what it says.
  /// - Throws: `DiagramError`.
  package init(
    mermaid text: String, connectors: Set<String> = [],
    parse: (SourceText, Set<String>, Set<String>) -> ParseResult<Script>
  ) throws(DiagramError) {
    var reader = MermaidReader(connectors: connectors)
    var number = 0
    // A line feed behind a carriage return is one character with it.
    for line in text.split(omittingEmptySubsequences: false, whereSeparator: { $0.isNewline }) {
      number += 1
      try reader.read(line, number)
    }
    try reader.finish(number)
    self = reader.diagram
    try check(reader.places, parse)
    markCycles()
  }
}

/// The lines on which the parts of a diagram stand, counted from 1.
struct DiagramLines {
  var nodes: [Int] = []
  var statements: [Int] = []
  var containers: [Int] = []
}

private struct MermaidReader {
  /// The signs that the program of the diagram defines.
  private var connectors: Set<String>
  private(set) var diagram = Diagram()
  /// Where its parts stand.
  private(set) var places = DiagramLines()
  /// How deep definitions may stand in each other: more than the language has.
  private static let nestingLimit = 16
  private var hasHeader = false
  /// The boxes by their names, and where each was met first.
  private var numbers: [Substring: Int] = [:]
  private var met: [(name: Substring, line: Int, isDeclared: Bool)] = []
  /// The definitions that are open.
  private var open: [(container: Int, line: Int)] = []
  private var items: [[Diagram.Item]] = [[]]
  /// The line that is being read.
  private var line: Substring = ""
  private var rest: Substring = ""
  private var number = 0

  init(connectors: Set<String>) { self.connectors = connectors }

  mutating func read(_ line: Substring, _ number: Int) throws(DiagramError) {
    // A text of its own: slices of it are cheap, whatever the length of the whole.
    self.line = Substring(String(line))
    self.number = number
    rest = self.line
    skipBlanks()
    while let last = rest.last, last.isWhitespace || last == ";" { rest = rest.dropLast() }
    if rest.isEmpty { return }
    if rest.hasPrefix("%%") { return readComment() }
    guard hasHeader else { return try readHeader() }
    let start = rest
    switch takeWord() {
    case "subgraph": try readSubgraph()
    case "end" where rest.allSatisfy { $0.isWhitespace }: try readEnd()
    // How it looks is no matter.
    case "classDef", "class", "linkStyle", "style", "direction": return
    default:
      rest = start
      try readLinks()
    }
  }

  mutating func finish(_ lines: Int) throws(DiagramError) {
    guard hasHeader else {
      throw DiagramError(line: 1, column: 1, message: "a diagram begins with 'flowchart'")
    }
    if let last = open.last {
      throw DiagramError(line: last.line, column: 1, message: "'end' is missing for this subgraph")
    }
    if let node = met.first(where: { !$0.isDeclared }) {
      throw DiagramError(
        line: node.line, column: 1, message: "there is no box '\(node.name)' with a label")
    }
    diagram.items = items[0]
    places.nodes = met.map(\.line)
  }

  // MARK: Lines

  /// A comment may say that the program defines a connector: `%% connector ~>`.
  private mutating func readComment() {
    let words = rest.dropFirst(2).split(whereSeparator: \.isWhitespace)
    guard words.count == 2, words[0] == "connector", Diagram.mayBeDefined(String(words[1]))
    else { return }
    connectors.insert(String(words[1]))
  }

  private mutating func readHeader() throws(DiagramError) {
    let word = takeWord()
    guard word == "flowchart" || word == "graph" else {
      rest = line
      skipBlanks()
      throw fail("a diagram begins with 'flowchart'")
    }
    skipBlanks()
    let direction = takeWord()
    guard ["LR", "RL", "TB", "TD", "BT", ""].contains(direction), rest.isEmpty else {
      throw fail("expected a direction such as 'LR'")
    }
    hasHeader = true
  }

  private mutating func readSubgraph() throws(DiagramError) {
    skipBlanks()
    let name = takeWord()
    guard !name.isEmpty else { throw fail("expected the name of a subgraph") }
    let header = try readLabel("[", "]") ?? String(name)
    let note = value
    try expectEnd()
    guard open.count < MermaidReader.nestingLimit else {
      rest = line
      skipBlanks()
      throw fail("more than \(MermaidReader.nestingLimit) subgraphs stand in each other")
    }
    places.containers.append(number)
    open.append((diagram.containers.count, number))
    items.append([])
    let parent = open.dropLast().last?.container
    diagram.containers.append(Diagram.Container(header: header, parent: parent, note: note))
  }

  private mutating func readEnd() throws(DiagramError) {
    guard let ended = open.popLast() else {
      rest = line
      skipBlanks()
      throw fail("no subgraph is open")
    }
    let inner = items.removeLast()
    items[items.count - 1].append(.container(ended.container, inner))
  }

  /// A box, or boxes with arrows between them: one statement.
  private mutating func readLinks() throws(DiagramError) {
    var operands = [try readNode()]
    var label: String?
    var dots: (isSame: Bool, count: Int)?
    skipBlanks()
    while !rest.isEmpty {
      if let isSame = takeDots() {
        guard label == nil else { throw fail("arrows and dotted lines do not mix") }
        dots = (isSame, 1)
        skipBlanks()
        let target = try readNode()
        diagram.reads.append(
          Diagram.Read(from: operands[operands.count - 1], to: target, isSamePlace: isSame))
        operands.append(target)
      } else {
        guard dots == nil else { throw fail("arrows and dotted lines do not mix") }
        let text = try readArrow()
        if let label, text != label.prefix(while: { $0 != "\n" }) {
          throw fail("all arrows of a line bear the same connector")
        }
        label = label ?? text
        skipBlanks()
        operands.append(try readNode())
      }
      skipBlanks()
    }
    if let label { add(label, operands) }
  }

  /// Makes a statement of what an arrow is labelled with and the boxes along it.
  private mutating func add(_ label: String, _ operands: [Int]) {
    var lines = label.split(separator: "\n", omittingEmptySubsequences: false)
    let connector = String(lines.removeFirst())
    var name: String?
    if let first = lines.first, first.hasPrefix(":= ") {
      name = String(first.dropFirst(3))
      lines.removeFirst()
    }
    let messages = lines.isEmpty ? nil : lines.joined(separator: "\n")
    let direction = Diagram.Direction(of: connector)
    items[items.count - 1].append(.statement(diagram.statements.count))
    places.statements.append(number)
    diagram.statements.append(
      Diagram.Statement(
        connector: connector, operands: direction == .leftward ? operands.reversed() : operands,
        name: name, messages: messages, direction: direction))
  }

  // MARK: Parts

  private mutating func readNode() throws(DiagramError) -> Int {
    let name = takeWord()
    guard !name.isEmpty else { throw fail("expected the name of a box") }
    let index: Int
    if let known = numbers[name] {
      index = known
    } else {
      index = diagram.nodes.count
      numbers[name] = index
      met.append((name, number, false))
      diagram.nodes.append(
        Diagram.Node(kind: .place, text: "", container: open.last?.container))
    }
    let start = rest
    if let label = try readLabel("([", "])") {
      guard let variable = Diagram.variable(named: label) else {
        rest = start
        throw fail("a box that is computed when it is read is a variable")
      }
      try declare(index, label, .place, start)
      diagram.nodes[index].lazyVariable = variable
    } else if let label = try readLabel("(", ")") {
      try declare(index, label, .place, start)
    } else if let label = try readLabel("[", "]") {
      try declare(index, label, .formula, start)
    }
    return index
  }

  /// Gives a box its label, which stands at the beginning of `start`.
  private mutating func declare(
    _ index: Int, _ label: String, _ kind: Diagram.Node.Kind, _ start: Substring
  ) throws(DiagramError) {
    if met[index].isDeclared, diagram.nodes[index].text != label {
      rest = start
      throw fail("box '\(met[index].name)' has another label, on line \(met[index].line)")
    }
    met[index].line = number
    diagram.nodes[index].kind = kind
    diagram.nodes[index].text = label
    diagram.nodes[index].value = value
    diagram.nodes[index].container = open.last?.container
    met[index].isDeclared = true
  }

  /// What the box of the last label holds, or what is noted of a definition.
  private var value: String?

  /// Reads a label in quotes within brackets; nil when there is none.
  private mutating func readLabel(
    _ opening: String, _ closing: String
  ) throws(DiagramError) -> String? {
    value = nil
    guard rest.hasPrefix(opening) else { return nil }
    rest = rest.dropFirst(opening.count)
    var label = try readQuoted()
    if label.hasSuffix("</i>"), let start = lastValue(in: label) {
      value = try unescape(label[start...].dropFirst(8).dropLast(4))
      label = label[..<start]
    }
    guard rest.hasPrefix(closing) else { throw fail("expected '\(closing)'") }
    rest = rest.dropFirst(closing.count)
    return try unescape(label)
  }

  /// Where a label tells what the box holds.
  private func lastValue(in label: Substring) -> Substring.Index? {
    var start = label.startIndex
    while start < label.endIndex {
      if label[start] == "<", label[start...].hasPrefix("<br/><i>") { return start }
      start = label.index(after: start)
    }
    return nil
  }

  private mutating func readQuoted() throws(DiagramError) -> Substring {
    guard rest.first == "\"" else { throw fail("expected a label in quotes") }
    rest = rest.dropFirst()
    guard let end = rest.firstIndex(of: "\"") else { throw fail("the quote is not closed") }
    let quoted = rest[..<end]
    rest = rest[rest.index(after: end)...]
    return quoted
  }

  private mutating func unescape(_ label: Substring) throws(DiagramError) -> String {
    guard let text = Diagram.unescaped(label) else {
      throw fail("'#' begins the number of a character and ends in ';'")
    }
    return text
  }

  /// Takes a dotted line; nil when there is none, else whether it says that two places are one.
  private mutating func takeDots() -> Bool? {
    for (spelling, isSame) in [("-.->", false), ("-.-", true)] where rest.hasPrefix(spelling) {
      rest = rest.dropFirst(spelling.count)
      return isSame
    }
    return nil
  }

  /// Reads an arrow and answers what it is labelled with.
  private mutating func readArrow() throws(DiagramError) -> String {
    let arrows = ["<==>", "<-->", "==>", "-->"]
    guard let arrow = arrows.first(where: { rest.hasPrefix($0) }) else {
      throw fail("expected an arrow such as '==>' or '-.->'")
    }
    rest = rest.dropFirst(arrow.count)
    skipBlanks()
    guard rest.first == "|" else { throw fail("expected the connector, as in '==>|\"|=\"|'") }
    rest = rest.dropFirst()
    let start = rest
    let label = try unescape(try readQuoted())
    guard rest.first == "|" else { throw fail("expected '|'") }
    rest = rest.dropFirst()
    guard let first = label.first, !first.isWhitespace else {
      throw fail("the connector is missing")
    }
    let sign = String(label.prefix { $0 != "\n" })
    // A word is no statement: that is told with the rest of the line.
    guard first.isLetter || Connector.named(sign) != nil || connectors.contains(sign) else {
      rest = start
      throw fail(
        Diagram.mayBeDefined(sign)
          ? "'\(sign)' is no connector of every program: '%% connector \(sign)' before it says that "
            + "this one defines it"
          : "'\(sign)' is no connector")
    }
    return label
  }

  private mutating func takeWord() -> Substring {
    let word = rest.prefix { $0.isLetter || $0.isNumber || $0 == "_" }
    rest = rest[word.endIndex...]
    return word
  }

  private mutating func skipBlanks() {
    rest = rest.drop { $0.isWhitespace }
  }

  private mutating func expectEnd() throws(DiagramError) {
    skipBlanks()
    guard rest.isEmpty else { throw fail("expected the end of the line") }
  }

  private func fail(_ message: String) -> DiagramError {
    DiagramError(
      line: number, column: line.distance(from: line.startIndex, to: rest.startIndex) + 1,
      message: message)
  }
}
