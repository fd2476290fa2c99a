import Foundation

/// A grammar read from a file in the notation of `grammar/README.md`.
package struct Grammar {
  /// What a production consists of.
  package indirect enum Rule {
    case terminal(String)
    case special(String)
    case reference(String)
    case sequence([Rule])
    case choice([Rule])
    case optional(Rule)
    case repetition(Rule)
  }

  package struct Production {
    package let name: String
    /// Whether its parts stand directly together.
    package let isLexical: Bool
    package let rule: Rule
    /// The production in one spelling: its symbols with a blank between each two.
    package let text: String
  }

  package struct ReadingError: Error {
    package let message: String
  }

  package let productions: [Production]
  private let byName: [String: Production]

  package init(source: String) throws {
    var reader = GrammarReader(symbols: Self.symbols(of: source))
    productions = try reader.readAll()
    byName = Dictionary(productions.map { ($0.name, $0) }) { first, _ in first }
    guard byName.count == productions.count else {
      throw ReadingError(message: "a production is there twice")
    }
  }

  package subscript(name: String) -> Production? { byName[name] }

  /// Returns the symbols of a text, its comments left out.
  static func symbols(of source: String) -> [String] {
    var symbols: [String] = []
    var rest = Substring(source)
    while let first = rest.first {
      if first.isWhitespace {
        rest.removeFirst()
      } else if rest.hasPrefix("(*") {
        rest = rest.range(of: "*)").map { rest[$0.upperBound...] } ?? ""
      } else if rest.hasPrefix("==") {
        symbols.append("==")
        rest.removeFirst(2)
      } else if first == "\"" || first == "'" || first == "?" {
        let end = rest.dropFirst().firstIndex(of: first) ?? rest.index(before: rest.endIndex)
        symbols.append(String(rest[...end]))
        rest = rest[rest.index(after: end)...]
      } else if first.isLetter {
        let word = rest.prefix { $0.isLetter || $0.isNumber }
        symbols.append(String(word))
        rest = rest[word.endIndex...]
      } else {
        symbols.append(String(first))
        rest.removeFirst()
      }
    }
    return symbols
  }
}

/// Reads productions by recursive descent.
private struct GrammarReader {
  let symbols: [String]
  var index = 0

  init(symbols: [String]) { self.symbols = symbols }

  private var symbol: String { index < symbols.count ? symbols[index] : "" }

  mutating func readAll() throws -> [Grammar.Production] {
    var productions: [Grammar.Production] = []
    while index < symbols.count { productions.append(try readProduction()) }
    return productions
  }

  private mutating func readProduction() throws -> Grammar.Production {
    let start = index
    let name = symbol
    index += 1
    let isLexical = symbol == "=="
    guard isLexical || symbol == "=" else { throw failure("'=' behind '\(name)'") }
    index += 1
    let rule = try readChoice()
    try take(";")
    let text = symbols[start..<index].joined(separator: " ")
    return Grammar.Production(name: name, isLexical: isLexical, rule: rule, text: text)
  }

  private mutating func readChoice() throws -> Grammar.Rule {
    var alternatives = [try readSequence()]
    while symbol == "|" {
      index += 1
      alternatives.append(try readSequence())
    }
    return alternatives.count == 1 ? alternatives[0] : .choice(alternatives)
  }

  private mutating func readSequence() throws -> Grammar.Rule {
    var parts = [try readPart()]
    while symbol == "," {
      index += 1
      parts.append(try readPart())
    }
    return parts.count == 1 ? parts[0] : .sequence(parts)
  }

  private mutating func readPart() throws -> Grammar.Rule {
    let part = symbol
    index += 1
    switch part.first {
    case "\"", "'": return .terminal(String(part.dropFirst().dropLast()))
    case "?": return .special(part.dropFirst().dropLast().trimmingCharacters(in: .whitespaces))
    case "[":
      let rule = try readChoice()
      try take("]")
      return .optional(rule)
    case "{":
      let rule = try readChoice()
      try take("}")
      return .repetition(rule)
    case "(":
      let rule = try readChoice()
      try take(")")
      return rule
    case let first? where first.isLetter: return .reference(part)
    default: throw failure("a part")
    }
  }

  private mutating func take(_ expected: String) throws {
    guard symbol == expected else { throw failure("'\(expected)'") }
    index += 1
  }

  private func failure(_ expected: String) -> Grammar.ReadingError {
    let context = symbols[max(0, index - 5)..<min(symbols.count, index + 2)].joined(separator: " ")
    return Grammar.ReadingError(message: "expected \(expected) in '\(context)'")
  }
}
