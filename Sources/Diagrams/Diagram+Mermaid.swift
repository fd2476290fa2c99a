// The diagram as a text in the subset of Mermaid that docs/diagrams.md describes.

extension Diagram {
  /// The colors of marks: names that Mermaid, DOT and SVG share.
  static func color(of mark: Mark) -> String? {
    switch mark {
    case .none: nil
    case .error, .cycle, .conflict: "#c62828"
    case .waiting: "#9e9e9e"
    case .suspended: "#616161"
    }
  }

  /// The diagram in Mermaid: what `Diagram(mermaid:)` reads again.
  func mermaid() -> String {
    var writer = MermaidWriter(self)
    return writer.written()
  }
}

private struct MermaidWriter {
  let diagram: Diagram
  private var text = "flowchart LR\n"
  private var linkCount = 0
  private var styles = ""
  /// The boxes of each definition, those of the script first.
  private var nodesOf: [Int: [Int]] = [:]
  /// The dotted lines to the boxes of each definition.
  private var readsOf: [Int: [Diagram.Read]] = [:]
  private static let script = -1

  init(_ diagram: Diagram) {
    self.diagram = diagram
    for (number, node) in diagram.nodes.enumerated() {
      nodesOf[node.container ?? MermaidWriter.script, default: []].append(number)
    }
    for read in diagram.reads {
      let container = diagram.nodes[read.to].container ?? MermaidWriter.script
      readsOf[container, default: []].append(read)
    }
  }

  mutating func written() -> String {
    for sign in diagram.ownConnectors { text += "  %% connector \(sign)\n" }
    write(diagram.items, of: MermaidWriter.script, depth: 1)
    for mark in [Diagram.Mark.error, .cycle, .conflict, .waiting, .suspended] {
      let marked = diagram.nodes.indices.filter { diagram.nodes[$0].mark == mark }
      guard !marked.isEmpty, let color = Diagram.color(of: mark) else { continue }
      text += "  classDef \(mark.rawValue) stroke:\(color),stroke-width:2px\n"
      text += "  class " + marked.map { "n\($0 + 1)" }.joined(separator: ",")
      text += " \(mark.rawValue)\n"
    }
    return text + styles
  }

  private mutating func write(_ items: [Diagram.Item], of container: Int, depth: Int) {
    let indent = String(repeating: "  ", count: depth)
    for number in nodesOf[container] ?? [] {
      let node = diagram.nodes[number]
      var label = Diagram.escaped(node.text)
      if let value = node.value { label += "<br/><i>\(Diagram.escaped(value))</i>" }
      let (open, close) =
        node.lazyVariable != nil ? ("([", "])") : node.kind == .place ? ("(", ")") : ("[", "]")
      text += "\(indent)n\(number + 1)\(open)\"\(label)\"\(close)\n"
    }
    for read in readsOf[container] ?? [] {
      text += "\(indent)n\(read.from + 1) \(read.isSamePlace ? "-.-" : "-.->") n\(read.to + 1)\n"
      linkCount += 1
    }
    for item in items {
      switch item {
      case .statement(let number): write(diagram.statements[number], indent)
      case .container(let number, let items):
        var header = Diagram.escaped(diagram.containers[number].header)
        if let note = diagram.containers[number].note {
          header += "<br/><i>\(Diagram.escaped(note))</i>"
        }
        text += "\(indent)subgraph s\(number + 1)[\"\(header)\"]\n"
        write(items, of: number, depth: depth + 1)
        text += "\(indent)end\n"
      }
    }
  }

  private mutating func write(_ statement: Diagram.Statement, _ indent: String) {
    let operands =
      statement.direction == .leftward ? statement.operands.reversed() : statement.operands
    // What holds once is an open arrow.
    let arrow =
      statement.direction == .both ? "<==>" : statement.connector == ":=" ? "-->" : "==>"
    var label = statement.connector
    if let name = statement.name { label += "\n:= " + name }
    if let messages = statement.messages { label += "\n" + messages }
    text += indent
    for (index, operand) in operands.enumerated() {
      if index > 0 {
        text += " \(arrow)|\"\(Diagram.escaped(index == 1 ? label : statement.connector))\"| "
        if let color = Diagram.color(of: statement.mark) {
          styles += "  linkStyle \(linkCount) stroke:\(color)\n"
        }
        linkCount += 1
      }
      text += "n\(operand + 1)"
    }
    text += "\n"
  }
}

// MARK: - Labels

extension Diagram {
  /// A text as it stands in the quotes of a label.
  ///
  /// A line break becomes `<br/>`; what Mermaid or HTML would take for something else, and what
  /// cannot be seen, becomes `#` with its number or name and a semicolon.
  static func escaped(_ text: String) -> String {
    var result = ""
    result.reserveCapacity(text.utf8.count)
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\n": result += "<br/>"
      case "\"": result += "#quot;"
      case "<": result += "#lt;"
      case ">": result += "#gt;"
      case "&": result += "#amp;"
      case "#", "`", "%", "\\": result += "#\(scalar.value);"
      default:
        if isInvisible(scalar) {
          result += "#\(scalar.value);"
        } else {
          result.unicodeScalars.append(scalar)
        }
      }
    }
    return result
  }

  /// Whether a character would not be seen, or would change how its neighbours are shown.
  private static func isInvisible(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.properties.generalCategory {
    case .control, .format, .lineSeparator, .paragraphSeparator, .privateUse, .surrogate,
      .unassigned:
      return true
    case .spaceSeparator: return scalar != " "
    default: return false
    }
  }

  /// The text that a label stands for; nil when it holds an entity that means nothing.
  static func unescaped(_ label: Substring) -> String? {
    var result = ""
    var rest = label.unicodeScalars
    while let scalar = rest.popFirst() {
      switch scalar {
      case "<":
        // The writer leaves no other '<' than that of a line break.
        guard rest.starts(with: "br/>".unicodeScalars) else {
          result.unicodeScalars.append(scalar)
          continue
        }
        rest.removeFirst(4)
        result += "\n"
      case "#":
        guard let end = rest.firstIndex(of: ";") else { return nil }
        guard let character = entity(String(rest[..<end])) else { return nil }
        result.unicodeScalars.append(character)
        rest = rest[rest.index(after: end)...]
      default: result.unicodeScalars.append(scalar)
      }
    }
    return result
  }

  private static func entity(_ name: String) -> Unicode.Scalar? {
    switch name {
    case "quot": return "\""
    case "lt": return "<"
    case "gt": return ">"
    case "amp": return "&"
    default:
      guard !name.isEmpty, name.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
      return UInt32(name).flatMap { Unicode.Scalar($0) }
    }
  }
}
