import Foundation

/// A page that shows a grammar as railroad diagrams, with nothing to load from elsewhere.
package struct GrammarPage {
  private let grammar: Grammar
  private let sections: [(title: String, names: [String])]

  /// Reads a grammar.
  ///
  /// - Parameter source: The grammar in EBNF; its comments of the form `---- title ----` are headings.
  /// - Throws: `Grammar.ReadingError` when it can not be read.
  package init(source: String) throws {
    grammar = try Grammar(source: source)
    var sections: [(title: String, names: [String])] = []
    for line in source.split(separator: "\n") {
      if let match = line.firstMatch(of: #/^\(\* -+ (.+?) -+ \*\)/#) {
        sections.append((String(match.1), []))
      } else if let match = line.firstMatch(of: #/^(\w+) ==? /#), !sections.isEmpty {
        sections[sections.count - 1].names.append(String(match.1))
      }
    }
    self.sections = sections
  }

  /// The page as HTML.
  package var html: String {
    let contents = sections.map { section in
      let links = section.names.map { "<a href=\"#\($0)\">\($0)</a>" }.joined(separator: " ")
      return "<li>\(section.title.escapedForHTML): \(links)</li>"
    }
    let bodies = sections.map { section in
      "<h2>\(section.title.escapedForHTML)</h2>\n"
        + section.names.compactMap { grammar[$0] }.map(figure).joined(separator: "\n")
    }
    return """
      <!DOCTYPE html>
      <html lang="en">
      <head>
      <meta charset="utf-8">
      <title>The grammar of Tenon</title>
      <style>
      \(GrammarPage.style)
      </style>
      </head>
      <body>
      <h1>The grammar of Tenon</h1>
      <p>Generated from grammar/tenon.ebnf by the tests; do not edit. Boxes with round corners stand for
      themselves, the others are defined on this page, and text in italics says a condition or describes
      characters. Blanks and comments may stand between the parts of a production, unless its name has a
      border: the parts of those stand directly together.</p>
      <ul>
      \(contents.joined(separator: "\n"))
      </ul>
      \(bodies.joined(separator: "\n"))
      </body>
      </html>

      """
  }

  private static let style = """
    body { font: 16px/1.5 system-ui, sans-serif; color: #222; background: #fff; max-width: 72rem;
      margin: 2rem auto; padding: 0 1rem; }
    a { color: #1a5fb4; text-decoration: none; }
    h2 { border-bottom: 1px solid #ccc; margin-top: 3rem; }
    h3 { font: bold 15px ui-monospace, monospace; margin: 2rem 0 .3rem; }
    h3.lexical { border: 1px solid #999; display: inline-block; padding: 0 .4rem; }
    figure { margin: 0; }
    .rail { overflow-x: auto; }
    pre { font: 13px ui-monospace, monospace; color: #666; white-space: pre-wrap; margin: .2rem 0; }
    svg path { fill: none; stroke: #555; stroke-width: 1.5; }
    svg rect { fill: #eef4fb; stroke: #1a5fb4; stroke-width: 1.2; }
    svg .terminal rect { fill: #eef8ee; stroke: #2e7d32; }
    svg .special rect { fill: #fdf6e3; stroke: #b58900; stroke-dasharray: 4 3; }
    svg text { font: 14px ui-monospace, monospace; text-anchor: middle; fill: #222; }
    svg .special text { font-style: italic; }
    @media (prefers-color-scheme: dark) {
      body { background: #1b1b1b; color: #ddd; }
      a { color: #7ab7ff; }
      pre { color: #aaa; }
      svg path { stroke: #aaa; }
      svg rect { fill: #1f2d3d; }
      svg .terminal rect { fill: #1f3323; }
      svg .special rect { fill: #332d1a; }
      svg text { fill: #eee; }
    }
    """

  private func figure(_ production: Grammar.Production) -> String {
    let track = Track(production.rule)
    let heading = production.isLexical ? " class=\"lexical\"" : ""
    return """
      <figure id="\(production.name)">
      <h3\(heading)>\(production.name)</h3>
      <div class="rail">\(track.svg)</div>
      <pre>\(production.text.escapedForHTML)</pre>
      </figure>
      """
  }
}

/// A piece of a railroad diagram: it is entered at its left and left at its right on one level.
private struct Track {
  let width: Int
  /// How far it reaches above its level, and below it.
  let above: Int
  let below: Int
  private let draw: (_ x: Int, _ y: Int) -> String

  /// Room between things side by side, and between things above each other.
  private static let gap = 12
  private static let bend = 8

  private init(
    width: Int, above: Int, below: Int, draw: @escaping (_ x: Int, _ y: Int) -> String
  ) {
    self.width = width
    self.above = above
    self.below = below
    self.draw = draw
  }

  init(_ rule: Grammar.Rule) {
    switch rule {
    case .terminal(let text): self = Track.box(text, "terminal", isRound: true)
    case .special(let text): self = Track.box(text, "special", isRound: true)
    case .reference(let name): self = Track.box(name, "reference", isRound: false)
    case .sequence(let rules): self = Track.sequence(rules.map(Track.init))
    case .choice(let rules): self = Track.choice(rules.map(Track.init))
    case .optional(let rule): self = Track.choice([Track.line(0), Track(rule)])
    case .repetition(let rule): self = Track.choice([Track.line(0), Track.loop(Track(rule))])
    }
  }

  /// The whole picture, with a mark at either end.
  var svg: String {
    let margin = 4
    let end = 18
    let size = (width: width + 2 * (end + margin), height: above + below + 2 * margin)
    let level = above + margin
    let last = size.width - margin
    let ends =
      "M\(margin) \(level - 6)v12M\(margin) \(level)h\(end)"
      + "M\(last) \(level - 6)v12M\(last) \(level)h-\(end)"
    return
      "<svg width=\"\(size.width)\" height=\"\(size.height)\" role=\"img\">"
      + "<path d=\"\(ends)\"/>" + draw(margin + end, level) + "</svg>"
  }

  private static func box(_ text: String, _ kind: String, isRound: Bool) -> Track {
    let width = text.count * 9 + 18
    return Track(width: width, above: 15, below: 15) { x, y in
      let radius = isRound ? 12 : 2
      let box =
        "<g class=\"\(kind)\"><rect x=\"\(x)\" y=\"\(y - 13)\" width=\"\(width)\" height=\"26\""
        + " rx=\"\(radius)\"/><text x=\"\(x + width / 2)\" y=\"\(y + 5)\">"
        + "\(text.escapedForHTML)</text></g>"
      return kind == "reference" ? "<a href=\"#\(text)\">\(box)</a>" : box
    }
  }

  private static func line(_ width: Int) -> Track {
    Track(width: width, above: 4, below: 4) { x, y in "<path d=\"M\(x) \(y)h\(width)\"/>" }
  }

  private static func sequence(_ tracks: [Track]) -> Track {
    let width = tracks.map(\.width).reduce(0, +) + gap * (tracks.count - 1)
    return Track(
      width: width, above: tracks.map(\.above).max() ?? 0, below: tracks.map(\.below).max() ?? 0
    ) { x, y in
      var offset = x
      return tracks.enumerated().map { index, track in
        defer { offset += track.width + gap }
        let isLast = index == tracks.count - 1
        let joint = "<path d=\"M\(offset + track.width) \(y)h\(gap)\"/>"
        return track.draw(offset, y) + (isLast ? "" : joint)
      }.joined()
    }
  }

  /// Tracks above each other, the first on the level.
  private static func choice(_ tracks: [Track]) -> Track {
    guard let first = tracks.first else { return line(0) }
    let side = 2 * bend
    let inner = tracks.map(\.width).max() ?? 0
    var levels = [0]
    for (upper, lower) in zip(tracks, tracks.dropFirst()) {
      levels.append(levels[levels.count - 1] + max(2 * bend, upper.below + lower.above + 4))
    }
    let below = levels[levels.count - 1] + (tracks.last?.below ?? 0)
    return Track(width: inner + 2 * side, above: first.above, below: below) { x, y in
      zip(tracks, levels).map { track, level in
        let left = x + side
        let rest = inner - track.width
        let way =
          level == 0
          ? "M\(x) \(y)h\(side)M\(left + track.width) \(y)h\(rest + side)"
          : "M\(x) \(y)q\(bend) 0 \(bend) \(bend)v\(level - 2 * bend)q0 \(bend) \(bend) \(bend)"
            + "M\(left + track.width) \(y + level)h\(rest)"
            + "q\(bend) 0 \(bend) -\(bend)v-\(level - 2 * bend)q0 -\(bend) \(bend) -\(bend)"
        return track.draw(left, y + level) + "<path d=\"\(way)\"/>"
      }.joined()
    }
  }

  /// A track with a way back below it.
  private static func loop(_ track: Track) -> Track {
    let depth = max(track.below + 6, 2 * bend)
    return Track(width: track.width + 2 * bend, above: track.above, below: depth + 6) { x, y in
      let right = x + bend + track.width
      let back =
        "M\(x) \(y)h\(bend)M\(right) \(y)h\(bend)"
        + "M\(right) \(y)q\(bend) 0 \(bend) \(bend)v\(depth - 2 * bend)q0 \(bend) -\(bend) \(bend)"
        + "h-\(track.width)q-\(bend) 0 -\(bend) -\(bend)v-\(depth - 2 * bend)"
        + "q0 -\(bend) \(bend) -\(bend)"
        + "M\(x + bend + track.width / 2 + 4) \(y + depth - 4)l-5 4l5 4"
      return track.draw(x + bend, y) + "<path d=\"\(back)\"/>"
    }
  }
}

extension String {
  /// The text with the characters that mean something in HTML written as entities.
  fileprivate var escapedForHTML: String {
    replacingOccurrences(of: "&", with: "&amp;").replacingOccurrences(of: "<", with: "&lt;")
      .replacingOccurrences(of: ">", with: "&gt;").replacingOccurrences(of: "\"", with: "&quot;")
  }
}
