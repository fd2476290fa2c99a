internal import TenonLexer

/// Completes names at the prompt.
struct Completion {
  /// What may be typed where a name may stand.
  let names: () -> [String]
  /// What may be typed at the start of a line, colon included.
  let commands: [String]

  /// What a text may go on with.
  struct Result: Equatable {
    /// What is certain to follow, a blank included when nothing else can.
    var insertion = ""
    /// What it may become, sorted.
    var candidates: [String] = []
  }

  /// Completes the last word of a text.
  func complete(_ text: String) -> Result {
    let scalars = text.unicodeScalars
    let start = scalars.lastIndex { !Completion.isPartOfName($0) }.map { scalars.index(after: $0) }
    var word = String(scalars[(start ?? scalars.startIndex)...])
    var known = names()
    if text == ":" + word {
      word = text
      known = commands
    }
    guard !word.isEmpty else { return Result() }
    let candidates = Set(known.filter { $0.hasPrefix(word) }).sorted()
    guard let first = candidates.first else { return Result() }
    let common = candidates.dropFirst().reduce(first) { $0.commonPrefix(with: $1) }
    let certain = String(common.unicodeScalars.dropFirst(word.unicodeScalars.count))
    return Result(
      insertion: candidates.count == 1 ? certain + " " : certain, candidates: candidates)
  }

  /// Whether a text ends in a string or a comment, in which there are no names to complete.
  static func isText(_ text: [UInt8]) -> Bool {
    Lexer(SourceText(name: "", bytes: ContiguousArray(text)), connectors: []).endsInText
  }

  private static func isPartOfName(_ scalar: Unicode.Scalar) -> Bool {
    scalar == "_" || scalar == "-" || scalar.properties.isAlphabetic
      || scalar.properties.numericType == .decimal
  }
}

extension String {
  /// The text that both begin with.
  fileprivate func commonPrefix(with other: String) -> String {
    var view = String.UnicodeScalarView()
    for (left, right) in zip(unicodeScalars, other.unicodeScalars) {
      guard left == right else { break }
      view.append(left)
    }
    return String(view)
  }
}
