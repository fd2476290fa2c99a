import Foundation
import TenonGrammarSupport
import TenonLexer
import Testing

@testable import TenonDiagrams
@testable import TenonRuntime

#if canImport(FoundationXML)
  import FoundationXML
#endif

/// Images and Graphviz texts, checked by their structure.
@Suite struct DrawingTests {
  private struct Box {
    let kind: String
    let x: Double
    let y: Double
    let width: Double
    let height: Double

    func overlaps(_ other: Box) -> Bool {
      x < other.x + other.width && other.x < x + width && y < other.y + other.height
        && other.y < y + height
    }
  }

  private func diagram(_ text: String) throws -> Diagram {
    let source = SourceText(name: "test", text)
    guard case .diagram(let diagram) = Diagram.reading(source) else {
      throw CocoaError(.formatting)
    }
    return diagram
  }

  /// The boxes of an image.
  private func boxes(_ svg: String) throws -> [Box] {
    let pattern = try Regex(
      "<g class=\"([a-z ]+)\"><title>[^<]*</title>"
        + "<rect x=\"([-0-9.]+)\" y=\"([-0-9.]+)\" width=\"([0-9.]+)\" height=\"([0-9.]+)\"")
    return svg.matches(of: pattern).map { match in
      let numbers = (2...5).map { Double(match.output[$0].substring ?? "") ?? .nan }
      return Box(
        kind: String(match.output[1].substring ?? ""), x: numbers[0], y: numbers[1],
        width: numbers[2], height: numbers[3])
    }
  }

  /// Checks that it is XML, that no two boxes overlap, and that all of them are in the image.
  private func check(_ svg: String, boxCount: Int) throws {
    let parser = XMLParser(data: Data(svg.utf8))
    #expect(parser.parse(), "\(String(describing: parser.parserError))")
    let boxes = try self.boxes(svg)
    #expect(boxes.count == boxCount)
    let size = try #require(svg.firstMatch(of: /viewBox="0 0 ([0-9.]+) ([0-9.]+)"/))
    let width = try #require(Double(size.1))
    let height = try #require(Double(size.2))
    for (index, box) in boxes.enumerated() {
      #expect(box.x >= 0 && box.y >= 0 && box.x + box.width <= width + 0.2)
      #expect(box.y + box.height <= height + 0.2)
      for other in boxes[..<index] { #expect(!box.overlaps(other), "\(box) and \(other)") }
    }
  }

  @Test func noTwoBoxesOverlap() throws {
    let text = """
      f |= c * 9 / 5 + 32. c |= f - 32 * 5 / 9. k |= c + 273. c |= k - 273.
      a =|= b =|= d. mem:x/y |= a + f + k. src -> [ :x | x ] -> file:out.txt.
      class Tank { var level. ivar:full |= level > 'a < b & "c"
      d' size. }
      """
    let diagram = try diagram(text)
    let labels = diagram.drawing(.cells).arrows.filter { $0.label != nil }.count
    try check(diagram.written(as: .svg), boxCount: diagram.nodes.count + labels)
  }

  @Test func randomNetsAreDrawnWithoutOverlap() throws {
    var random = RandomNumbers(seed: 7)
    for _ in 0..<40 {
      let count = Int.random(in: 1...40, using: &random)
      var text = ""
      for _ in 0..<count {
        let names = (0..<4).map { _ in "a\(Int.random(in: 0..<count, using: &random))" }
        let name = String(repeating: "x", count: Int.random(in: 1...90, using: &random))
        text += "\(names[0]) |= \(names[1]) + \(names[2]) + \(name). "
        text += "\(names[3]) =|= \(names[0]).\n"
      }
      let diagram = try diagram(text)
      try check(
        diagram.written(as: .svg),
        boxCount: diagram.nodes.count
          + diagram.drawing(.cells).arrows.filter { $0.label != nil }.count)
    }
  }

  @Test func arrowsGoFromLeftToRightWhereNothingLoops() throws {
    let diagram = try diagram("b |= a + 1. c |= b + 1. d |= a + c.")
    let boxes = diagram.nodes.map { _ in LayeredLayout.Size(width: 50, height: 20) }
    let arrows = diagram.drawing(.cells).arrows.map { ($0.from, $0.to) }
    let layout = LayeredLayout(boxes, arrows: arrows)
    for (from, to) in arrows { #expect(layout.centers[from].x < layout.centers[to].x) }
  }

  @Test func textsAreEscaped() throws {
    let diagram = try diagram("a |= '<&>\"\\{}|' size. b |= 'two\nlines \u{7}' size.")
    let svg = diagram.written(as: .svg)
    try check(svg, boxCount: 6)
    #expect(svg.contains("'&lt;&amp;&gt;&quot;\\{}|' size"))
    let dot = diagram.written(as: .dot)
    #expect(dot.contains(#"label="'<&>\"\\{}|' size""#))
    #expect(dot.contains(#"label="'two\nlines ␇' size""#))
    // What is in quotes holds no line break: each line is a statement of its own.
    for line in dot.split(separator: "\n").dropFirst().dropLast() {
      #expect(line.hasSuffix(";") || line.hasSuffix("{") || line.hasSuffix("}"))
    }
  }

  @Test func aLongTextIsCutInTheImageAndWholeInItsTitle() throws {
    let name = String(repeating: "x", count: 300)
    let svg = try diagram("b |= a + \(name).").written(as: .svg)
    #expect(svg.contains("…</text>"))
    #expect(svg.contains("<title>a + \(name)</title>"))
  }

  @Test func zoomsGatherObjectsAndStores() throws {
    let text = """
      ivar:ui/celsius/number =|= c. ivar:ui/fahrenheit/number =|= f. f |= c * 9 / 5 + 32.
      mem:model/c |= c. defaults:a/b |= f + c. defaults:a/c |= f.
      """
    let diagram = try diagram(text)
    let objects = diagram.drawing(.objects)
    #expect(
      objects.boxes.map(\.text) == [
        "ivar:ui/celsius", "script", "ivar:ui/fahrenheit", "mem:model", "defaults:a",
      ])
    #expect(objects.boxes[1].rows.contains("|= within"))
    let stores = diagram.drawing(.stores)
    #expect(stores.boxes.map(\.text) == ["script", "mem:", "defaults:"])
    #expect(stores.arrows.map(\.label) == ["|=", "2 × |="])
    for zoom in Diagram.Zoom.allCases {
      let drawing = diagram.drawing(zoom)
      try check(
        diagram.written(as: .svg, zoom),
        boxCount: drawing.boxes.count + drawing.arrows.filter { $0.label != nil }.count)
      #expect(diagram.written(as: .mermaid, zoom).hasPrefix("flowchart LR\n"))
      #expect(diagram.written(as: .dot, zoom).hasPrefix("digraph "))
    }
  }

  @Test func coarserZoomsHavePoliciesAndFlowsPastFilters() throws {
    let diagram = try diagram(
      """
      mem:a/b -> trim -> [ :x | x ] -> file:out.txt. mem:a/c -> stdout. #(1) -> trim -> mem:d.
      (defaults:x |= mem:a/b + mem:a/c) policy: Policy queued; strength: #weak.
      (defaults:y |= mem:a/b) policy: Policy queued.
      defaults:z |= mem:a/b.
      defaults:u =|= mem:e * 2.
      """)
    let stores = diagram.drawing(.stores)
    #expect(stores.boxes.map(\.text) == ["mem:", "file:", "stdout", "defaults:"])
    let arrows = stores.arrows.map { arrow in
      "\(stores.boxes[arrow.from].text) \(arrow.label ?? "") \(stores.boxes[arrow.to].text)"
    }
    #expect(
      arrows == [
        "mem: -> file:", "mem: -> stdout", "mem: 2 × |= (policy: Policy queued) defaults:",
        "mem: |= defaults:", "mem: =|= defaults:",
      ])
    let objects = diagram.drawing(.objects)
    #expect(objects.boxes.map(\.text) == ["mem:a", "file:", "stdout", "mem:", "defaults:"])
    #expect(objects.arrows.last?.label == "=|=")
    let text = try self.diagram("var <lazy> a. a |= b.").written(as: .dot)
    #expect(text.contains("n1 [label=\"a\", shape=box, style=\"rounded,dashed\"];"))
  }

  @Test func nothingIsDrawnOfNothing() throws {
    let diagram = try diagram("a := 1.")
    #expect(diagram.isEmpty)
    for zoom in Diagram.Zoom.allCases { try check(diagram.written(as: .svg, zoom), boxCount: 0) }
  }
}
