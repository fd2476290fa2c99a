// A drawing as an image, laid out here: no other program is needed to look at it but a browser.

extension Drawing {
  private static let fontSize = 12.0
  /// The width of a character of the font and the height of a line.
  private static let columnWidth = 7.4
  private static let lineHeight = 16.0
  private static let padding = 8.0
  private static let margin = 16.0
  /// Longer texts are cut; the image tells all of them under the pointer.
  private static let maxColumns = 56
  private static let maxLines = 24

  /// The drawing as an SVG image.
  package func svg() -> String {
    let drawing = withConnectorBoxes()
    let lines = drawing.boxes.map { Drawing.lines(of: $0) }
    let sizes = zip(drawing.boxes, lines).map { box, lines in
      let columns = lines.map { Drawing.columns(of: $0.text) }.max() ?? 0
      return LayeredLayout.Size(
        width: Double(max(columns, 2)) * Drawing.columnWidth + 2 * Drawing.padding,
        height: Double(max(lines.count, 1)) * Drawing.lineHeight + Drawing.padding)
    }
    let layout = LayeredLayout(sizes, arrows: drawing.arrows.map { ($0.from, $0.to) })
    let width = Drawing.number(layout.width + 2 * Drawing.margin)
    let height = Drawing.number(layout.height + 2 * Drawing.margin)
    let opens = arrows.contains { $0.style == .open } ? Drawing.openHead : ""
    var text = """
      <?xml version="1.0" encoding="UTF-8"?>
      <svg xmlns="http://www.w3.org/2000/svg" width="\(width)" height="\(height)" \
      viewBox="0 0 \(width) \(height)" font-family="monospace" \
      font-size="\(Drawing.number(Drawing.fontSize))">
      <defs>
      <marker id="arrow" viewBox="0 0 10 10" refX="9" refY="5" markerWidth="7" markerHeight="7" \
      orient="auto-start-reverse"><path d="M0 0 L10 5 L0 10 z"/></marker>
      \(opens)</defs>
      <rect width="100%" height="100%" fill="white"/>

      """
    for (index, arrow) in drawing.arrows.enumerated() where arrow.from != arrow.to {
      text += Drawing.path(
        arrow, from: layout.centers[arrow.from], sizes[arrow.from],
        to: layout.centers[arrow.to], sizes[arrow.to], through: layout.bends[index])
    }
    for (index, box) in drawing.boxes.enumerated() {
      text += Drawing.box(box, lines[index], layout.centers[index], sizes[index])
    }
    return text + "</svg>\n"
  }

  /// The drawing with what the arrows bear as boxes of their own, so that nothing lies on it.
  private func withConnectorBoxes() -> Drawing {
    var drawing = self
    drawing.arrows = []
    for arrow in arrows {
      guard let label = arrow.label else {
        drawing.arrows.append(arrow)
        continue
      }
      let middle = drawing.boxes.count
      drawing.boxes.append(Box(shape: .connector, text: label, mark: arrow.mark))
      var first = arrow
      first.label = nil
      first.to = middle
      var second = arrow
      second.label = nil
      second.from = middle
      drawing.arrows += [first, second]
    }
    return drawing
  }

  /// The head of an open arrow.
  private static let openHead = """
    <marker id="open" viewBox="0 0 10 10" refX="9" refY="5" markerWidth="9" markerHeight="9" \
    orient="auto-start-reverse"><path d="M1 1 L9 5 L1 9 z" fill="white" stroke="#455a64"/></marker>

    """

  // MARK: Boxes

  private struct Line {
    enum Part { case caption, text, value }

    let text: String
    let part: Part
  }

  private static func lines(of box: Box) -> [Line] {
    var lines: [Line] = []
    if let caption = box.caption { lines.append(Line(text: cut(caption), part: .caption)) }
    for line in box.text.split(separator: "\n", omittingEmptySubsequences: false) {
      lines.append(Line(text: cut(String(line)), part: .text))
    }
    lines += box.rows.map { Line(text: cut($0), part: .value) }
    guard lines.count > maxLines else { return lines }
    return lines.prefix(maxLines - 1) + [Line(text: "…", part: .value)]
  }

  /// The beginning of a line that is too long.
  private static func cut(_ text: String) -> String {
    var columns = 0
    var result = ""
    for character in text {
      columns += self.columns(of: String(character))
      if columns > maxColumns { return result + "…" }
      result.append(character)
    }
    return result
  }

  /// How many columns of a fixed font a text takes: wide characters take two.
  static func columns(of text: String) -> Int {
    text.reduce(0) { count, character in
      guard let scalar = character.unicodeScalars.first else { return count }
      let isWide: Bool =
        switch scalar.value {
        case 0x1100...0x115F, 0x2E80...0xA4CF, 0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE30...0xFE6F,
          0xFF00...0xFF60, 0xFFE0...0xFFE6, 0x1F300...0x1FAFF, 0x20000...0x3FFFD:
          true
        default: false
        }
      return count + (isWide ? 2 : 1)
    }
  }

  private static func box(
    _ box: Box, _ lines: [Line], _ center: LayeredLayout.Point, _ size: LayeredLayout.Size
  ) -> String {
    let left = center.x - size.width / 2 + margin
    let top = center.y - size.height / 2 + margin
    let corner: Double =
      switch box.shape {
      case .place: 8
      case .connector: size.height / 2
      case .formula, .object: 0
      }
    let fill =
      switch box.shape {
      case .place: "#e3f2fd"
      case .formula: "#fff8e1"
      case .connector: "white"
      case .object: "#f1f8e9"
      }
    let stroke = Diagram.color(of: box.mark) ?? "#455a64"
    let strokeWidth = box.mark == .none ? "1" : "2"
    let kind = box.mark == .none ? "\(box.shape)" : "\(box.shape) \(box.mark.rawValue)"
    var text = "<g class=\"\(kind)\"><title>\(escaped(title(box)))</title>"
    text += "<rect x=\"\(number(left))\" y=\"\(number(top))\" width=\"\(number(size.width))\""
    text += " height=\"\(number(size.height))\" rx=\"\(number(corner))\" fill=\"\(fill)\""
    text += " stroke=\"\(stroke)\" stroke-width=\"\(strokeWidth)\""
    text += box.isLazy ? " stroke-dasharray=\"5 3\"/>" : "/>"
    var y = top + padding / 2 + lineHeight * 0.75
    for line in lines {
      let color =
        switch line.part {
        case .caption: "#90a4ae"
        case .text: "black"
        case .value: "#1565c0"
        }
      text += "<text x=\"\(number(left + padding))\" y=\"\(number(y))\" fill=\"\(color)\""
      text += " xml:space=\"preserve\">\(escaped(line.text))</text>"
      y += lineHeight
    }
    return text + "</g>\n"
  }

  private static func title(_ box: Box) -> String {
    let mark = box.mark == .none ? [] : [box.mark.rawValue]
    return ([box.text] + box.rows + mark).joined(separator: "\n")
  }

  // MARK: Arrows

  private static func path(
    _ arrow: Arrow, from start: LayeredLayout.Point, _ startSize: LayeredLayout.Size,
    to end: LayeredLayout.Point, _ endSize: LayeredLayout.Size,
    through bends: [LayeredLayout.Point]
  ) -> String {
    // From one side to the other: an arrow that was turned goes from right to left.
    let isForward = start.x <= end.x
    let sign = isForward ? 1.0 : -1.0
    let first = LayeredLayout.Point(x: start.x + sign * startSize.width / 2, y: start.y)
    let last = LayeredLayout.Point(x: end.x - sign * endSize.width / 2, y: end.y)
    var data = "M\(place(first))"
    var current = first
    for point in bends + [last] {
      let middle = (current.x + point.x) / 2
      data += " C\(place(.init(x: middle, y: current.y)))"
      data += " \(place(.init(x: middle, y: point.y))) \(place(point))"
      current = point
    }
    let stroke = Diagram.color(of: arrow.mark) ?? "#455a64"
    var attributes = "d=\"\(data)\" fill=\"none\" stroke=\"\(stroke)\""
    switch arrow.style {
    case .solid: attributes += " stroke-width=\"1.5\" marker-end=\"url(#arrow)\""
    case .both:
      attributes += " stroke-width=\"1.5\" marker-start=\"url(#arrow)\" marker-end=\"url(#arrow)\""
    case .open: attributes += " stroke-width=\"1.5\" marker-end=\"url(#open)\""
    case .dotted: attributes += " stroke-dasharray=\"2 3\" marker-end=\"url(#arrow)\""
    case .plain: attributes += " stroke-dasharray=\"2 3\""
    }
    return "<path \(attributes)/>\n"
  }

  private static func place(_ point: LayeredLayout.Point) -> String {
    "\(number(point.x + margin)) \(number(point.y + margin))"
  }

  /// A number with one decimal at most.
  private static func number(_ value: Double) -> String {
    guard value.isFinite, abs(value) < 1e15 else { return "0" }
    let tenths = Int((value * 10).rounded())
    let sign = tenths < 0 ? "-" : ""
    let whole = "\(sign)\(abs(tenths) / 10)"
    return tenths % 10 == 0 ? whole : "\(whole).\(abs(tenths) % 10)"
  }

  /// A text as XML has it.
  static func escaped(_ text: String) -> String {
    var result = ""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "&": result += "&amp;"
      case "<": result += "&lt;"
      case ">": result += "&gt;"
      case "\"": result += "&quot;"
      case "\n": result += "\n"
      default: result.unicodeScalars.append(Diagram.visible(scalar))
      }
    }
    return result
  }
}
