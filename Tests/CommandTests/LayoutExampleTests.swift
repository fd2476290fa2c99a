import Foundation
import Testing

/// The window of views: its picture follows what is typed, as text and as SVG.
@Suite struct LayoutExampleTests {
  private static let script = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent()
    .appendingPathComponent("examples/layout.st").path

  private func run(_ input: String) throws -> String {
    let result = try Command.run(LayoutExampleTests.script, input: input)
    #expect(result.status == .status(0))
    #expect(result.errors == "")
    return result.output
  }

  @Test func theWindowIsDrawn() throws {
    #expect(
      try run("")
        == """
        +----------------------------------------------------------+
        | +---------------+  +----------------+  +---------------+ |
        | |Open           |  |Save            |  |Close          | |
        | +---------------+  +----------------+  +---------------+ |
        +----------------------------------------------------------+
        +-------------++-------------------------------------------+
        |Files        ||Text                                       |
        |             ||                                           |
        |             ||                                           |
        |             ||                                           |
        |             ||                                           |
        |             ||                                           |
        +-------------++-------------------------------------------+
        +----------------------------------------------------------+
        |Ready                                                     |
        +----------------------------------------------------------+

        """)
  }

  @Test func everythingFollowsTheSize() throws {
    let output = try run("height 12\nwidth 40\nquit\nwidth 80\n")
    #expect(
      output.hasSuffix(
        """

        +--------------------------------------+
        | +---------+  +--------+  +---------+ |
        | |Open     |  |Save    |  |Close    | |
        | +---------+  +--------+  +---------+ |
        +--------------------------------------+
        +----------++--------------------------+
        |Files     ||Text                      |
        |          ||                          |
        +----------++--------------------------+
        +--------------------------------------+
        |Ready                                 |
        +--------------------------------------+

        """), "\(output)")
  }

  @Test func whatIsTooSmallIsRefusedAndChangesNothing() throws {
    let output = try run("width 20\nheight 12\n")
    #expect(output.contains("\nthese 6 cannot hold together: "))
    // No equation of which a view is made.
    #expect(!output.contains("ivar:"))
    #expect(output.contains("'frame width = 20'"))
    #expect(output.contains("'sidebar width >=| 12' (\(LayoutExampleTests.script):"))
    #expect(output.contains("'content width >=| 20' (\(LayoutExampleTests.script):"))
    // As wide as before.
    let lines = output.split(separator: "\n").filter { $0.hasPrefix("+") }
    #expect(lines.allSatisfy { $0.count == 60 })
  }

  @Test func whatWasWrittenStaysWhenTheWindowGrows() throws {
    let output = try run("sidebar 20\nwidth 100\n")
    #expect(
      output.contains("|Files             ||Text" + String(repeating: " ", count: 74) + "|\n"))
  }

  @Test func aRefusedWidthIsNoWish() throws {
    let output = try run("sidebar -4\nwidth 100\n")
    #expect(
      output.contains(
        "|Files" + String(repeating: " ", count: 18) + "||Text" + String(repeating: " ", count: 69)
          + "|\n"))
  }

  @Test func aWindowThatIsTooLargeIsNotDrawn() throws {
    let output = try run("width 100000000\nheight 1000000\nwidth 60\nheight 12\n")
    #expect(output.contains("\n100000000 by 16 is too large to be drawn as text\n"))
    #expect(output.hasSuffix("|\n+----------------------------------------------------------+\n"))
  }

  @Test func theSameAsSVG() throws {
    let output = try run("svg\nwidth 30x\nleft 3\n")
    #expect(
      output.contains("<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"480\" height=\"256\">"))
    #expect(
      output.contains(
        "<rect x=\"120\" y=\"80\" width=\"360\" height=\"128\" fill=\"none\" stroke=\"black\"/>"))
    #expect(output.components(separatedBy: "<rect ").count == 9)
    #expect(output.contains("no number: 30x\n"))
    #expect(output.contains("no such attribute: left\n"))
  }
}
