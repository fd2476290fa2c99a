internal import TenonSolverKit

/// The texts of the last statements that have made connections, as strings of the language.
///
/// An object for a connection has the text, so that it prints as it was written when the connection has
/// ended as well; the graph has forgotten it then. Connections of one statement share the string: each
/// statement has one of a few places here, as a loop makes many connections of few statements.
struct StatementTexts {
  private var statements = [StatementSite?](repeating: nil, count: StatementTexts.count)
  private var texts = [Value](repeating: .nil, count: StatementTexts.count)
  /// A power of two.
  private static let count = 8

  /// Returns the text of a statement; nil for one of Swift code, which is described by its places.
  mutating func text(of statement: StatementSite, make: (String) -> Value) -> Value {
    guard let text = statement.text else { return .nil }
    // Objects stand at multiples of 16.
    let index = Int(bitPattern: ObjectIdentifier(statement)) >> 5 & (StatementTexts.count - 1)
    if statements[index] === statement { return texts[index] }
    let made = make(text)
    statements[index] = statement
    texts[index] = made
    return made
  }

  /// Calls a function with each text that is kept.
  func forEachText(_ body: (Value) -> Void) {
    for text in texts { body(text) }
  }
}
