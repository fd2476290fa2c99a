/// A regular expression that cannot be used, with the place of what is wrong.
package struct RegexError: Error, Equatable {
  /// What is wrong: lower case, no full stop.
  package let message: String
  /// The character of the pattern, counted from 1.
  package let column: Int
}

/// What must hold at a place without anything being read.
enum RegexAssertion: Equatable {
  case textStart
  case textEnd
  /// The end, or a line's end that is the end of the text.
  case textEndOrLastLine
  case lineStart
  case lineEnd
  case wordBoundary
  case notWordBoundary
}

/// A parsed regular expression: nodes in one array, children before their parents, so that neither
/// walking nor freeing it needs recursion.
struct RegexTree {
  /// The number of a node.
  typealias Index = Int

  enum Node {
    case empty
    case scalar(Unicode.Scalar, ignoresCase: Bool)
    case set(RegexSet)
    case assertion(RegexAssertion)
    case sequence([Index])
    case alternation([Index])
    /// A part with its number among those that are captured.
    case capture(Index, number: Int)
    case repetition(Index, least: Int, most: Int?, isLazy: Bool, column: Int)
  }

  private(set) var nodes: [Node] = []
  var root: Index = 0
  /// How many parts are captured.
  var captureCount = 0
  /// The numbers of the captured parts that have names.
  var names: [String: Int] = [:]

  mutating func add(_ node: Node) -> Index {
    nodes.append(node)
    return nodes.count - 1
  }
}
