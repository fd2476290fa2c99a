/// An error or a warning about a place in a text.
public struct Diagnostic: Sendable, Hashable {
  /// How much it matters.
  public enum Severity: String, Sendable {
    /// Nothing is run.
    case error
    /// The text runs, but probably does not mean what was meant.
    case warning
  }

  /// A second place with what it has to do with the first.
  public struct Note: Sendable, Hashable {
    /// What is said about the place: lower case, no full stop.
    public let message: String
    /// The place.
    public let range: SourceRange

    /// Creates a note.
    public init(_ message: String, _ range: SourceRange) {
      self.message = message.withShortQuotes
      self.range = range
    }
  }

  /// How much it matters.
  public let severity: Severity
  /// What is wrong and how it is written right: lower case, no full stop.
  public let message: String
  /// The place.
  public let range: SourceRange
  /// Other places that have to do with it.
  public let notes: [Note]
  /// Whether all that is wrong is that the text ends too early, so that more of it may be typed.
  public let isIncomplete: Bool

  /// Creates an error or a warning; what the message quotes is cut when it is long.
  public init(
    _ severity: Severity, _ message: String, _ range: SourceRange, notes: [Note] = [],
    isIncomplete: Bool = false
  ) {
    self.severity = severity
    self.message = message.withShortQuotes
    self.range = range
    self.notes = notes
    self.isIncomplete = isIncomplete
  }
}
