/// A name, a selector's part or an operator as written, with the place where it stands.
public struct Name: Sendable, Hashable {
  /// The spelling; a keyword carries its colon (`at:`).
  public let text: String
  /// Where it stands.
  public let range: SourceRange

  /// Creates a name.
  public init(_ text: String, _ range: SourceRange) {
    self.text = text
    self.range = range
  }
}
