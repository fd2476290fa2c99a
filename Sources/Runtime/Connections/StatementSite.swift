internal import TenonLexer
internal import TenonParser
internal import TenonTables

/// What all connections share that one statement has made: it is kept once.
final class StatementSite {
  /// The connector: `|=` or `=|=`.
  let connector: String
  /// The statement, printed from its syntax; nil for one of Swift code, which is told by its places.
  let text: String?
  let source: SourceText
  let range: SourceRange
  /// Where it stands, for errors that come to light later.
  let site: TraceEntry?
  /// The right side of `|=`, in case it has to be read as a sum.
  let formula: Expression?
  /// What the text calls the places; nil where they are called what their cells are called.
  let names: Names?
  let origin: Origin

  /// Who has written a statement.
  enum Origin: Equatable {
    case program
    /// The kernel, for an object of its own: what makes up a view.
    case kernel
    /// The kernel, in place of a statement of the program that means something else.
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

  /// Whether another statement says the same at the same place in the program.
  func isSame(as other: StatementSite) -> Bool {
    connector == other.connector && text == other.text && source === other.source
      && range == other.range && site?.site === other.site?.site && site?.code === other.site?.code
      && names == other.names && origin == other.origin
  }
}

/// The statements that connections are of, by numbers: each is there as long as a connection is of it.
final class StatementTable {
  private struct Entry {
    /// nil where the number is free.
    var statement: StatementSite?
    /// How many connections are of it.
    var uses: Int32 = 0
  }

  private let entries = PagedTable<Entry>()
  private let free = FlatTable<Int32>()
  /// The numbers of statements that have made connections lately; one of them may be free by now, or
  /// that of another statement.
  private var recent = ContiguousArray(repeating: Int32(-1), count: 64)

  /// How many statements there are.
  var count: Int { entries.count - free.count }

  /// How many numbers there are, with those that are free.
  var recordCount: Int { entries.count }

  /// The statement of a number; nil where it is free.
  subscript(number: Int32) -> StatementSite? { entries[number].statement }

  /// The number of a statement for one more connection: that of one that says the same at the same
  /// place in the program, if there is one among those that have made connections lately.
  func use(_ statement: StatementSite) -> Int32 {
    let key = statement.site.map { UInt64(UInt(bitPattern: ObjectIdentifier($0.site))) } ?? 0
    let index = Int((key &* 0x9E37_79B9_7F4A_7C15) >> 58)
    let known = recent[index]
    if known >= 0, entries[known].statement?.isSame(as: statement) ?? false {
      entries[known].uses &+= 1
      return known
    }
    let number = add(statement)
    recent[index] = number
    return number
  }

  /// The number of a statement that only one connection is of.
  func add(_ statement: StatementSite) -> Int32 {
    let entry = Entry(statement: statement, uses: 1)
    if let number = free.popLast() {
      entries[number] = entry
      return number
    }
    entries.append(entry)
    return Int32(clamping: entries.count - 1)
  }

  /// Learns that a connection less is of a statement.
  func release(_ number: Int32) {
    entries[number].uses &-= 1
    guard entries[number].uses == 0 else { return }
    let old = entries[number].statement
    entries[number].statement = nil
    free.append(number)
    withExtendedLifetime(old) {}
  }
}
