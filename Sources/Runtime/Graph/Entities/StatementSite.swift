internal import TenonLexer
internal import TenonSolverKit
internal import TenonParser

/// The data that all connections of one statement share: it is kept once.
final class StatementSite {
  /// The connector: `|=` or `=|=`.
  let connector: String
  /// The statement, printed from its syntax; nil for one of Swift code, which is described by its places.
  let text: String?
  let source: SourceText
  let range: SourceRange
  /// The position, for errors that come to light later.
  let site: TraceEntry?
  /// The right side of `|=`, in case it has to be read as a sum.
  let formula: Expression?
  /// The names that the text gives the places; nil where they are those of their cells.
  let names: Names?
  let origin: Origin

  /// The author of a statement.
  enum Origin: Equatable {
    case program
    /// The kernel, for an object of its own: what makes up a view.
    case kernel
    /// The kernel, or the definition of a connector, in place of a statement of the program that means
    /// something else.
    case standIn
    /// The kernel, for one of the names that a statement of the program joins.
    case part(of: String)
  }

  struct Names: Equatable {
    var target: String
    var other: String?
    var reads: [String]
  }

  init(
    connector: String, text: String?, source: SourceText, range: SourceRange, site: TraceEntry?,
    formula: Expression?, names: Names?, origin: Origin = .program
  ) {
    self.origin = origin
    self.connector = connector
    self.text = text
    self.source = source
    self.range = range
    self.site = site
    self.formula = formula
    self.names = names
  }

  var readNames: [String] { names?.reads ?? [] }

  /// Returns whether another statement says the same at the same place in the program.
  func isSame(as other: StatementSite) -> Bool {
    connector == other.connector && text == other.text && source === other.source
      && range == other.range && site?.site === other.site?.site && site?.code === other.site?.code
      && names == other.names && origin == other.origin
  }

  /// A hash that is equal for statements that say the same: by their position.
  var siteHash: UInt {
    let key = site.map { UInt(bitPattern: ObjectIdentifier($0.site)) } ?? 0
    return UInt(truncatingIfNeeded: (UInt64(key) &* 0x9E37_79B9_7F4A_7C15) >> 32)
  }
}
