import Foundation
import Testing

/// The paper's Listings 14 and 15: the converter written place by place, and with groups.
@Suite struct ListingTests {
  private static let listings = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent()
    .appendingPathComponent("examples/paper")

  /// What is written after the connections, and what can be seen of it: each change of a variable
  /// and of the store, in order, and how often each field was set.
  private static func trace(window: String) -> String {
    """
    seen := OrderedCollection new.
    ref:c watch: [ :v | seen add: 'c' => v ].
    ref:f watch: [ :v | seen add: 'f' => v ].
    ref:k watch: [ :v | seen add: 'k' => v ].
    ref:mem:celsius watch: [ :v | seen add: 'saved' => v ].
    look := [ seen add: (#(\(window) celsiusTextField, \(window) fahrenheitTextField,
      \(window) kelvinTextField) collect: [ :each | each intValue ]); add: \(window) updates ].
    look value.
    \(window) celsiusTextField type: 100. look value.
    \(window) fahrenheitTextField type: 98.6. look value.
    \(window) kelvinTextField type: 0. look value.
    c := 36.6. look value.
    self atomically: [ f := 50. \(window) kelvinTextField type: 300 ]. look value.
    \(window) celsiusTextField type: 20. look value.
    seen asArray
    """
  }

  private func connections(of listing: String) throws -> String {
    let file = ListingTests.listings.appendingPathComponent(listing)
    let text = try String(contentsOf: file, encoding: .utf8)
    let end = try #require(text.range(of: "stdout println: 'remembered"))
    return text[..<end.lowerBound].replacingOccurrences(of: "defaults:", with: "mem:")
  }

  @Test(arguments: ["", "mem:celsius := 12.\n"])
  func tracesAreTheSame(remembered: String) throws {
    let flat = Program()
    try flat.run(remembered + connections(of: "listing14.st"))
    let grouped = Program()
    try grouped.run(remembered + connections(of: "listing15.st"))
    let expected = try flat.print(ListingTests.trace(window: "ui"))
    #expect(try grouped.print(ListingTests.trace(window: "window")) == expected)
    #expect(expected.contains("37.0"), "\(expected)")
    // A group hears at once of the places that the flat connections hear of one by one.
    #expect(grouped.runs.reduce(0, +) <= flat.runs.reduce(0, +))
    #expect(flat.console.text == grouped.console.text)
  }
}
