internal import TenonLexer

/// Derives sentences from a grammar.
///
/// What a grammar can not say stands in its special sequences: terminals in words, which are taken
/// from `terminals`, and conditions. Some conditions are known before an alternative is taken
/// (`allows`), others are checked when the rest of their sequence is derived, which is derived again
/// until it fits (`isFulfilled`).
package struct SentenceGenerator {
  /// Names that sentences use and the parser must know.
  package static let hyphenatedNames: Set<String> = ["memory-model", "a-b", "x-y-z"]
  /// Connectors that sentences use and the parser must know.
  package static let connectors: Set<String> = ["~>"]

  package let grammar: Grammar
  var random: RandomNumbers
  /// The productions that sentences have been derived by.
  package private(set) var used: Set<String> = []

  private let heights: [String: Int]
  private var output = ""
  private var isLexical = false
  private var suppressesBlank = false
  private var level = 0
  private var context = Context()

  /// What the brackets around a place say about it.
  private struct Context {
    var isOutside = true
    var hasImplicitParameters = false
    var commaSeparates = false
    var connector = "|="
  }

  package init(grammar: Grammar, seed: UInt64) {
    self.grammar = grammar
    random = RandomNumbers(seed: seed)
    heights = Self.heights(of: grammar)
  }

  /// Returns a script of a few tokens at least.
  package mutating func sentence() -> String {
    repeat {
      output = ""
      isLexical = false
      level = 0
      context = Context()
      derive(production: "script")
    } while output.utf8.count < 12
    return output
  }

  // MARK: Deriving

  /// Productions deeper than this take the shortest way to an end.
  private static let levelLimit = 20

  private mutating func derive(production name: String) {
    guard let production = grammar[name] else { preconditionFailure("no production \(name)") }
    used.insert(name)
    let outer = context
    let wasLexical = isLexical
    enter(name)
    if production.isLexical, !isLexical { separate() }
    isLexical = production.isLexical
    level += 1
    derive(production.rule)
    level -= 1
    isLexical = wasLexical
    context = outer
    switch name {
    case "blockParameters": context.hasImplicitParameters = false
    case "connector": context.connector = output.split(separator: " ").last.map(String.init) ?? ""
    default: break
    }
  }

  /// Notes what the brackets of a production mean.
  private mutating func enter(_ name: String) {
    switch name {
    case "parenthesized", "subscript", "interpolation", "pathPart", "pathExpression", "queryPart":
      context.isOutside = false
      context.commaSeparates = false
    case "block":
      context.isOutside = false
      context.commaSeparates = false
      context.hasImplicitParameters = true
    case "array", "dictionary", "object", "collection":
      context.isOutside = false
      context.commaSeparates = true
    case "body", "members", "filterMembers", "protocol", "group":
      context.isOutside = false
      context.commaSeparates = false
      context.hasImplicitParameters = false
    default: break
    }
  }

  private mutating func derive(_ rule: Grammar.Rule) {
    switch rule {
    case .terminal(let text): emit(text)
    case .special(let name): deriveSpecial(name)
    case .reference(let name): derive(production: name)
    case .sequence(let parts): derive(parts)
    case .choice(let alternatives): derive(choose(alternatives))
    case .optional(let rule):
      if level < Self.levelLimit, random.happens((2..<6).contains(level) ? 0.6 : 0.25) {
        derive(rule)
      }
    case .repetition(let rule):
      var count = 0
      while count < 3, level < Self.levelLimit, random.happens(level < 6 ? 0.6 : 0.25) {
        derive(rule)
        count += 1
      }
    }
  }

  private mutating func derive(_ parts: [Grammar.Rule]) {
    for (index, part) in parts.enumerated() {
      guard case .special(let condition) = part, Self.checkedConditions.contains(condition) else {
        derive(part)
        continue
      }
      let start = output
      let wasSuppressed = suppressesBlank
      var rest = ""
      repeat {
        output = start
        suppressesBlank = wasSuppressed
        derive(Array(parts[(index + 1)...]))
        rest = String(output.dropFirst(start.count))
      } while !Self.isFulfilled(condition, by: rest)
      return
    }
  }

  private mutating func choose(_ alternatives: [Grammar.Rule]) -> Grammar.Rule {
    let possible = alternatives.filter(allows)
    if level >= Self.levelLimit {
      return possible.min { height(of: $0) < height(of: $1) } ?? alternatives[0]
    }
    let fresh = possible.filter { rule in
      if case .reference(let name) = rule { return !used.contains(name) }
      return false
    }
    if !fresh.isEmpty, random.happens(0.3) { return random.pick(fresh, possible[0]) }
    return random.pick(possible, alternatives[0])
  }

  // MARK: Text

  private mutating func emit(_ text: String) {
    if !isLexical { separate() }
    output += text
    if text == ".", !isLexical { deriveGap() }
  }

  /// Puts a blank between two tokens, unless there must be none.
  private mutating func separate() {
    if !output.isEmpty, !suppressesBlank { output += " " }
    suppressesBlank = false
  }

  /// Derives blanks and comments behind a full stop; elsewhere one blank has to do, as a line break
  /// may not stand everywhere.
  private mutating func deriveGap() {
    guard random.happens(0.2) else { return }
    isLexical = true
    derive(production: "gap")
    isLexical = false
  }

  // MARK: Special sequences

  private static let checkedConditions: Set<String> = [
    "no lone literal", "no lone block", "no list of numbers", "no sign first",
  ]

  private func allows(_ rule: Grammar.Rule) -> Bool {
    var first = rule
    while case .sequence(let parts) = first { first = parts[0] }
    guard case .special(let condition) = first else { return true }
    return switch condition {
    case "in a block without parameters": context.hasImplicitParameters
    case "where no comma separates": !context.commaSeparates
    case "outside of all brackets": context.isOutside
    default: true
    }
  }

  /// Returns whether what was derived behind a condition fulfills it.
  private static func isFulfilled(_ condition: String, by text: String) -> Bool {
    let bare = text.filter { $0 != " " && $0 != "(" && $0 != ")" }
    switch condition {
    case "no sign first": return !bare.hasPrefix("-") && !bare.hasPrefix("+")
    case "no lone block":
      let inner = bare.drop { $0 == "[" && $0 == bare.first }
      return bare.dropFirst().first != "[" && bare.dropFirst().first != "{" && !inner.isEmpty
    case "no list of numbers":
      let lexer = Lexer(SourceText(name: "", String(text)), connectors: [])
      let kinds = firstKinds(lexer, count: 3)
      return !(kinds.contains(.number) && kinds.contains(.comma))
    default:
      return !isLoneLiteral(bare)
    }
  }

  private static func firstKinds(_ lexer: Lexer, count: Int) -> [TokenKind] {
    var kinds: [TokenKind] = []
    var offset = 0
    while kinds.count < count {
      let token = lexer.token(from: offset)
      if token.kind != .openParenthesis, token.kind != .closeParenthesis {
        kinds.append(token.kind)
      }
      if token.kind == .endOfText { break }
      offset = token.end
    }
    return kinds
  }

  /// Returns whether a text without blanks and parentheses is one number, character, symbol or
  /// string; where blanks were part of it, that does not matter.
  private static func isLoneLiteral(_ text: String) -> Bool {
    let unsigned = text.hasPrefix("-") ? String(text.dropFirst()) : text
    let lexer = Lexer(SourceText(name: "", unsigned), connectors: [])
    let token = lexer.token(from: 0)
    let end = token.kind == .quotation ? lexer.interpolatedStringEnd(from: 0) ?? 0 : token.end
    switch token.kind {
    case .number, .string, .symbol, .character, .quotation, .hash: return end == lexer.end
    default: return false
    }
  }

  private mutating func deriveSpecial(_ name: String) {
    switch name {
    case "no blank": suppressesBlank = true
    case "in a block without parameters", "where no comma separates", "outside of all brackets":
      break
    case "line break": output += "\n"
    case "the same connector": emit(context.connector)
    case "defined connector": emit("~>")
    case "a radix, r and digits of that radix": emit(radixInteger())
    default:
      guard let texts = Self.terminals[name] else { preconditionFailure("no terminal \(name)") }
      emit(random.pick(texts, ""))
    }
  }

  private mutating func radixInteger() -> String {
    let radix = Int.random(in: 2...36, using: &random)
    let value = UInt64.random(in: 0...UInt64.max, using: &random)
    return "\(radix)r" + String(value, radix: radix, uppercase: random.happens(0.5))
  }

  /// What may stand for a terminal in words; none of it depends on what stands around it.
  private static let terminals: [String: [String]] = [
    "a Unicode letter or _": ["a", "b", "c", "x", "y", "_", "é", "名"],
    "declared hyphenated name": hyphenatedNames.sorted(),
    "new connector": ["==>", "<~", "⇒", "*=*"],
    "operator characters": [
      "+", "-", "*", "/", "\\\\", "<", ">", "=", "~=", "==", "<=", ">=", "@", "%", "&", "&&", "?",
      "!", "~/",
    ],
    "operator symbol": ["≤", "≥", "≠", "∪", "×"],
    "an integer from 0 to 255": ["0", "7", "255", "16rFF", "0b11"],
    "a small exponent": ["0", "3", "12"],
    "any character but '": ["a", " ", "\"", "{", "\\", "é", "\n", "//", "."],
    "any character but \" \\ {": ["a", "'", " ", "}", "é", "//", "\n", "$"],
    "the number of a character": ["41", "1F600", "0", "10FFFF"],
    "any character but a digit": ["a", " ", "'", "\"", "é", "]", "$", "."],
    "a name with a capital letter": ["Set", "Bag", "OrderedCollection", "Å"],
    "operator of a symbol": ["+", "*", "<=", "||", ",", "≤", "&&"],
    "a scheme": ["file", "http", "mem", "env", "sqlite", "b"],
    "a host in brackets": ["[::1]", "[fe80::1%25eth0]"],
    "path characters": [
      "a", "b.c", "x-1", "größe", "a+b", "q(1)", "%20", "~u", "a:b", "n=1", "..x",
    ],
    "query characters": ["q", "1", "x.y", "a/b", "%20"],
    "Unicode white space": [" ", "\t", "\n", "\r\n", "\u{A0}", "\u{2003}"],
    "any character but a line break": ["x", " ", "'", "\"", "{", "é"],
  ]

  // MARK: Heights

  /// Returns how deep the shortest sentence of each production is derived.
  private static func heights(of grammar: Grammar) -> [String: Int] {
    var heights: [String: Int] = [:]
    var changes = true
    while changes {
      changes = false
      for production in grammar.productions {
        let height = 1 + self.height(of: production.rule, heights)
        if height < heights[production.name, default: 1_000] {
          heights[production.name] = height
          changes = true
        }
      }
    }
    return heights
  }

  private func height(of rule: Grammar.Rule) -> Int { Self.height(of: rule, heights) }

  private static func height(of rule: Grammar.Rule, _ heights: [String: Int]) -> Int {
    switch rule {
    case .terminal, .special, .optional, .repetition: 0
    case .reference(let name): heights[name, default: 1_000]
    case .sequence(let parts): parts.map { height(of: $0, heights) }.max() ?? 0
    case .choice(let rules): rules.map { height(of: $0, heights) }.min() ?? 0
    }
  }
}
