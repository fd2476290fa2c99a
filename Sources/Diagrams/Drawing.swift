/// What is drawn of a diagram: boxes and arrows between them.
package struct Drawing {
  package struct Box {
    enum Shape {
      case place, formula, object
      /// What an arrow bears.
      case connector
    }

    var shape: Shape
    /// What stands above the text, in small: the definition it belongs to.
    var caption: String?
    var text: String
    /// What stands below it: values.
    var rows: [String] = []
    var mark = Diagram.Mark.none
    var group: Int?
    /// Whether it is computed when it is read.
    var isLazy = false
  }

  package struct Arrow {
    enum Style {
      /// A connector, in one direction or both.
      case solid, both
      /// What fills once, and does not keep.
      case open
      /// What a formula reads.
      case dotted
      /// Two spellings of one place.
      case plain
    }

    var from: Int
    var to: Int
    var label: String?
    var style: Style
    var mark = Diagram.Mark.none
  }

  struct Group {
    var label: String
    var parent: Int?
  }

  var boxes: [Box] = []
  var arrows: [Arrow] = []
  var groups: [Group] = []
}

extension Drawing {
  /// Boxes of objects, and arrows between two of them by their numbers, from 0.
  package init(objects: [String], arrows: [(from: Int, to: Int)]) {
    boxes = objects.map { Box(shape: .object, text: $0) }
    self.arrows = arrows.map { Arrow(from: $0.from, to: $0.to, label: "->", style: .solid) }
  }
}

extension Diagram {
  /// What is drawn at a zoom.
  func drawing(_ zoom: Zoom) -> Drawing {
    zoom == .cells ? drawingOfCells() : drawingOfOwners(zoom)
  }

  private func drawingOfCells() -> Drawing {
    var drawing = Drawing()
    drawing.groups = containers.map { container in
      let note = container.note.map { ", \($0)" } ?? ""
      return Drawing.Group(label: container.header + note, parent: container.parent)
    }
    drawing.boxes = nodes.map { node in
      Drawing.Box(
        shape: node.kind == .place ? .place : .formula,
        caption: node.container.map { containers[$0].header }, text: node.text,
        rows: node.value.map { ["= " + $0] } ?? [], mark: node.mark, group: node.container,
        isLazy: node.lazyVariable != nil)
    }
    for read in reads {
      drawing.arrows.append(
        Drawing.Arrow(from: read.from, to: read.to, style: read.isSamePlace ? .plain : .dotted))
    }
    for statement in statements {
      let operands =
        statement.direction == .leftward ? statement.operands.reversed() : statement.operands
      for (index, pair) in zip(operands, operands.dropFirst()).enumerated() {
        var label = statement.connector
        if index == 0 {
          if let name = statement.name { label = "\(name) := \(label)" }
          if let messages = statement.messages { label += "\n" + messages }
        }
        drawing.arrows.append(
          Drawing.Arrow(
            from: pair.0, to: pair.1, label: label,
            style: statement.style, mark: statement.mark))
      }
    }
    return drawing
  }
}

extension Diagram.Statement {
  /// How its arrows are drawn.
  var style: Drawing.Arrow.Style {
    direction == .both ? .both : connector == ":=" ? .open : .solid
  }
}

// MARK: - Mermaid and DOT

extension Drawing {
  /// The drawing in Mermaid: for the coarser views, which do not say the statements again.
  func mermaid() -> String {
    var text = "flowchart LR\n"
    for (number, box) in boxes.enumerated() {
      let label = ([box.text] + box.rows).map { Diagram.escaped($0) }.joined(separator: "<br/>")
      text += "  n\(number + 1)[\"\(label)\"]\n"
    }
    var styles = ""
    for (number, arrow) in arrows.enumerated() {
      let line = arrow.style == .both ? "<==>" : arrow.style == .open ? "-->" : "==>"
      text += "  n\(arrow.from + 1) \(line)|\"\(Diagram.escaped(arrow.label ?? ""))\"| "
      text += "n\(arrow.to + 1)\n"
      if let color = Diagram.color(of: arrow.mark) {
        styles += "  linkStyle \(number) stroke:\(color)\n"
      }
    }
    for (number, box) in boxes.enumerated() {
      if let color = Diagram.color(of: box.mark) {
        styles += "  style n\(number + 1) stroke:\(color),stroke-width:2px\n"
      }
    }
    return text + styles
  }

  /// The drawing in the language of Graphviz.
  func dot() -> String {
    var text = "digraph connections {\n  rankdir=LR;\n  node [fontname=\"monospace\"];\n"
    text += "  edge [fontname=\"monospace\"];\n"
    var inside: [Int: [Int]] = [:]
    for (number, box) in boxes.enumerated() { inside[box.group ?? -1, default: []].append(number) }
    var children: [Int: [Int]] = [:]
    for (number, group) in groups.enumerated() {
      children[group.parent ?? -1, default: []].append(number)
    }
    func write(_ group: Int, _ indent: String) {
      for number in inside[group] ?? [] { text += indent + dotNode(number) + "\n" }
      for child in children[group] ?? [] {
        text += "\(indent)subgraph cluster_\(child + 1) {\n"
        text += "\(indent)  label=\(Drawing.dotQuoted(groups[child].label));\n"
        write(child, indent + "  ")
        text += "\(indent)}\n"
      }
    }
    write(-1, "  ")
    for arrow in arrows { text += "  " + dotEdge(arrow) + "\n" }
    return text + "}\n"
  }

  private func dotNode(_ number: Int) -> String {
    let box = boxes[number]
    let label = ([box.text] + box.rows).joined(separator: "\n")
    var attributes = ["label=\(Drawing.dotQuoted(label))", "shape=box"]
    if box.shape == .place {
      attributes.append(box.isLazy ? "style=\"rounded,dashed\"" : "style=rounded")
    }
    if let color = Diagram.color(of: box.mark) {
      attributes += ["color=\"\(color)\"", "tooltip=\"\(box.mark.rawValue)\""]
    }
    return "n\(number + 1) [\(attributes.joined(separator: ", "))];"
  }

  private func dotEdge(_ arrow: Arrow) -> String {
    var attributes: [String] = []
    if let label = arrow.label { attributes.append("label=\(Drawing.dotQuoted(label))") }
    switch arrow.style {
    case .solid: attributes.append("penwidth=2")
    case .both: attributes += ["penwidth=2", "dir=both"]
    case .open: attributes += ["penwidth=1", "arrowhead=empty"]
    case .dotted: attributes.append("style=dotted")
    case .plain: attributes += ["style=dotted", "dir=none"]
    }
    if let color = Diagram.color(of: arrow.mark) { attributes.append("color=\"\(color)\"") }
    return "n\(arrow.from + 1) -> n\(arrow.to + 1) [\(attributes.joined(separator: ", "))];"
  }

  /// A text in quotes as Graphviz reads it.
  static func dotQuoted(_ text: String) -> String {
    var result = "\""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\"": result += "\\\""
      case "\\": result += "\\\\"
      case "\n": result += "\\n"
      default: result.unicodeScalars.append(Diagram.visible(scalar))
      }
    }
    return result + "\""
  }
}

extension Diagram {
  /// The character, or the picture of a control character.
  static func visible(_ scalar: Unicode.Scalar) -> Unicode.Scalar {
    if scalar.value < 0x20 { return Unicode.Scalar(0x2400 + scalar.value) ?? "\u{FFFD}" }
    switch scalar.properties.generalCategory {
    case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .unassigned:
      return "\u{FFFD}"
    default: return scalar
    }
  }
}
