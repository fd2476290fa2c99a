/// A connector that every program has, and the table of all of them.
///
/// A connector stands between pipes and binds less tightly than any message; those a program
/// defines itself are known by their spelling only.
public struct Connector: Sendable, Hashable {
  /// How it is written in ASCII.
  public let spelling: String
  /// What its left side must be.
  public let left: LeftSide
  /// Whether a number, a character, a symbol or a string can be one of its sides.
  public let allowsLiterals: Bool

  /// What may stand on the left of a connector.
  public enum LeftSide: Sendable {
    /// A place that is written once.
    case place
    /// A place that is kept up to date; that it is one is known when the connection is made.
    case target
    /// Anything that things come out of.
    case source
  }

  /// The assignment, which nests to the right, and the connectors, which chain.
  public static let all: [Connector] = [
    Connector(spelling: ":=", left: .place, allowsLiterals: true),
    Connector(spelling: "+=", left: .place, allowsLiterals: true),
    Connector(spelling: "|=", left: .target, allowsLiterals: true),
    Connector(spelling: "=|=", left: .target, allowsLiterals: true),
    Connector(spelling: ">=|", left: .target, allowsLiterals: true),
    Connector(spelling: "<=|", left: .target, allowsLiterals: true),
    Connector(spelling: "->", left: .source, allowsLiterals: false),
  ]

  /// Operators and connectors that are not ASCII, with what they spell.
  static let otherSpellings: [String: String] = [
    "←": ":=", "→": "->", "≤": "<=", "≥": ">=", "≠": "~=",
  ]

  /// Those to which a program may give a meaning of its own.
  ///
  /// Assignment, addition and the message
  /// send are what programs consist of: they keep theirs.
  public static let replaceable: Set<String> = ["|=", "=|=", "->"]

  /// Runs of operator characters that are syntax, so that no connector can be called so.
  static let reserved: Set<String> = ["|", "||", "=|", "=", "==", "-", "+"]

  /// Returns the connector of a spelling, if every program has it.
  public static func named(_ spelling: String) -> Connector? {
    all.first { $0.spelling == spelling }
  }
}
