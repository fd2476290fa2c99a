/// A set of characters of a regular expression: ranges of code points, properties, or what is in
/// none of them.
struct RegexSet: Equatable {
  /// A part of a set that a property of Unicode decides.
  struct Class: Equatable {
    var property: RegexProperty
    var isNegated: Bool
  }

  private var ranges: [ClosedRange<UInt32>] = []
  private var classes: [Class] = []
  private(set) var isNegated = false
  private(set) var ignoresCase = false
  /// Which characters of ASCII belong to it; kept by `seal`.
  private(set) var ascii: ASCIISet = ASCIISet()

  mutating func insert(_ range: ClosedRange<UInt32>) { ranges.append(range) }

  mutating func insert(_ property: RegexProperty, isNegated: Bool = false) {
    classes.append(Class(property: property, isNegated: isNegated))
  }

  /// Ends the making of a set.
  ///
  /// - Parameters:
  ///   - isNegated: Whether what was inserted is what the set does not hold.
  ///   - ignoresCase: Whether a character belongs to it when its other case does.
  mutating func seal(isNegated: Bool, ignoresCase: Bool) {
    self.isNegated = isNegated
    self.ignoresCase = ignoresCase
    ranges.sort { $0.lowerBound < $1.lowerBound }
    var merged: [ClosedRange<UInt32>] = []
    for range in ranges {
      if let last = merged.last, range.lowerBound <= last.upperBound {
        merged[merged.count - 1] = last.lowerBound...max(last.upperBound, range.upperBound)
      } else {
        merged.append(range)
      }
    }
    ranges = merged
    for code in UInt8(0)..<0x80 where decides(Unicode.Scalar(code)) { ascii.insert(code) }
  }

  /// Whether a character belongs to the set.
  ///
  /// - Complexity: O(1) for ASCII, else O(parts of the set).
  @inline(__always)
  func contains(_ scalar: Unicode.Scalar) -> Bool {
    scalar.value < 0x80
      ? ascii.contains(UInt8(truncatingIfNeeded: scalar.value)) : decides(scalar)
  }

  private func decides(_ scalar: Unicode.Scalar) -> Bool {
    var found = holds(scalar)
    if !found, ignoresCase {
      found =
        scalar.otherCases.contains { holds($0) } || holds(scalar.simplyFolded)
    }
    return found != isNegated
  }

  private func holds(_ scalar: Unicode.Scalar) -> Bool {
    var low = 0
    var high = ranges.count
    while low < high {
      let middle = (low + high) / 2
      if ranges[middle].upperBound < scalar.value { low = middle + 1 } else { high = middle }
    }
    if low < ranges.count, ranges[low].lowerBound <= scalar.value { return true }
    return classes.contains { $0.property.holds(for: scalar) != $0.isNegated }
  }
}

/// A set of characters of ASCII.
struct ASCIISet: Equatable {
  private var low: UInt64 = 0
  private var high: UInt64 = 0

  @inline(__always)
  func contains(_ code: UInt8) -> Bool {
    (code < 64 ? low : high) >> UInt64(code & 63) & 1 != 0
  }

  mutating func insert(_ code: UInt8) {
    if code < 64 { low |= 1 << UInt64(code) } else { high |= 1 << UInt64(code & 63) }
  }

  mutating func formUnion(_ other: ASCIISet) {
    low |= other.low
    high |= other.high
  }
}

extension Unicode.Scalar {
  /// The character for comparisons without regard to case: the lower case of its upper case, as
  /// far as these are single characters.
  var simplyFolded: Unicode.Scalar {
    if value < 0x80 {
      return Unicode.Scalar(ASCII(code: UInt8(truncatingIfNeeded: value)).lowercased)
    }
    return simpleUppercase.simpleLowercase
  }

  /// Its upper and its lower case, as far as these are single characters.
  fileprivate var otherCases: [Unicode.Scalar] { [simpleUppercase, simpleLowercase] }

  private var simpleUppercase: Unicode.Scalar { properties.uppercaseMapping.onlyScalar ?? self }
  private var simpleLowercase: Unicode.Scalar { properties.lowercaseMapping.onlyScalar ?? self }
}

extension String {
  /// The scalar of a text that has exactly one.
  fileprivate var onlyScalar: Unicode.Scalar? {
    let scalars = unicodeScalars
    return scalars.count == 1 ? scalars.first : nil
  }
}

/// What `\d`, `\w`, `\s`, `\p{...}` and `[:name:]` say of a character.
package enum RegexProperty: Equatable {
  /// 0 to 9.
  case digit
  /// Letters, marks and digits of all scripts, and connectors like the underscore.
  case word
  case whiteSpace
  case alphabetic
  case uppercase
  case lowercase
  case any
  case ascii
  /// One of these general categories.
  case category(Set<Unicode.GeneralCategory>)

  package func holds(for scalar: Unicode.Scalar) -> Bool {
    switch self {
    case .digit: return scalar.value &- 0x30 < 10
    case .word: return scalar.isWordCharacter
    case .whiteSpace: return scalar.isWhiteSpace
    case .alphabetic: return scalar.properties.isAlphabetic
    case .uppercase: return scalar.properties.isUppercase
    case .lowercase: return scalar.properties.isLowercase
    case .any: return true
    case .ascii: return scalar.value < 0x80
    case .category(let categories):
      return categories.contains(scalar.properties.generalCategory)
    }
  }

  /// The property with a name as `\p{...}` has it; blanks, hyphens, underscores and case do not
  /// count.
  package static func named(_ name: String) -> RegexProperty? {
    let key = String(
      name.unicodeScalars.filter { !"_- ".unicodeScalars.contains($0) }.map(Character.init)
    ).lowercased()
    switch key {
    case "any": return .any
    case "ascii": return .ascii
    case "alphabetic", "alpha": return .alphabetic
    case "uppercase", "upper": return .uppercase
    case "lowercase", "lower": return .lowercase
    case "whitespace", "space": return .whiteSpace
    default: return category(key).map { .category($0) }
    }
  }

  /// The property with a name as `[:name:]` has it, which is one of ASCII.
  static func posixRanges(_ name: String) -> [ClosedRange<UInt32>]? {
    switch name {
    case "alpha": [0x41...0x5A, 0x61...0x7A]
    case "digit": [0x30...0x39]
    case "alnum": [0x30...0x39, 0x41...0x5A, 0x61...0x7A]
    case "upper": [0x41...0x5A]
    case "lower": [0x61...0x7A]
    case "space": [0x09...0x0D, 0x20...0x20]
    case "blank": [0x09...0x09, 0x20...0x20]
    case "punct": [0x21...0x2F, 0x3A...0x40, 0x5B...0x60, 0x7B...0x7E]
    case "cntrl": [0...0x1F, 0x7F...0x7F]
    case "graph": [0x21...0x7E]
    case "print": [0x20...0x7E]
    case "xdigit": [0x30...0x39, 0x41...0x46, 0x61...0x66]
    case "word": [0x30...0x39, 0x41...0x5A, 0x5F...0x5F, 0x61...0x7A]
    default: nil
    }
  }

  private static func category(_ key: String) -> Set<Unicode.GeneralCategory>? {
    switch key {
    case "l", "letter":
      [.uppercaseLetter, .lowercaseLetter, .titlecaseLetter, .modifierLetter, .otherLetter]
    case "lc", "casedletter": [.uppercaseLetter, .lowercaseLetter, .titlecaseLetter]
    case "lu", "uppercaseletter": [.uppercaseLetter]
    case "ll", "lowercaseletter": [.lowercaseLetter]
    case "lt", "titlecaseletter": [.titlecaseLetter]
    case "lm", "modifierletter": [.modifierLetter]
    case "lo", "otherletter": [.otherLetter]
    case "m", "mark": [.nonspacingMark, .spacingMark, .enclosingMark]
    case "mn", "nonspacingmark": [.nonspacingMark]
    case "mc", "spacingmark": [.spacingMark]
    case "me", "enclosingmark": [.enclosingMark]
    case "n", "number": [.decimalNumber, .letterNumber, .otherNumber]
    case "nd", "decimalnumber", "digit": [.decimalNumber]
    case "nl", "letternumber": [.letterNumber]
    case "no", "othernumber": [.otherNumber]
    case "p", "punctuation", "punct":
      [
        .connectorPunctuation, .dashPunctuation, .openPunctuation, .closePunctuation,
        .initialPunctuation, .finalPunctuation, .otherPunctuation,
      ]
    case "pc", "connectorpunctuation": [.connectorPunctuation]
    case "pd", "dashpunctuation": [.dashPunctuation]
    case "ps", "openpunctuation": [.openPunctuation]
    case "pe", "closepunctuation": [.closePunctuation]
    case "pi", "initialpunctuation": [.initialPunctuation]
    case "pf", "finalpunctuation": [.finalPunctuation]
    case "po", "otherpunctuation": [.otherPunctuation]
    case "s", "symbol": [.mathSymbol, .currencySymbol, .modifierSymbol, .otherSymbol]
    case "sm", "mathsymbol": [.mathSymbol]
    case "sc", "currencysymbol": [.currencySymbol]
    case "sk", "modifiersymbol": [.modifierSymbol]
    case "so", "othersymbol": [.otherSymbol]
    case "z", "separator": [.spaceSeparator, .lineSeparator, .paragraphSeparator]
    case "zs", "spaceseparator": [.spaceSeparator]
    case "zl", "lineseparator": [.lineSeparator]
    case "zp", "paragraphseparator": [.paragraphSeparator]
    case "c", "other": [.control, .format, .surrogate, .privateUse, .unassigned]
    case "cc", "control", "cntrl": [.control]
    case "cf", "format": [.format]
    case "cs", "surrogate": [.surrogate]
    case "co", "privateuse": [.privateUse]
    case "cn", "unassigned": [.unassigned]
    default: nil
    }
  }
}

extension RegexProperty {
  /// The short name of a character's general category: `Lu`.
  package static func categoryName(of scalar: Unicode.Scalar) -> String {
    let category = scalar.properties.generalCategory
    let names = [
      "Lu", "Ll", "Lt", "Lm", "Lo", "Mn", "Mc", "Me", "Nd", "Nl", "No", "Pc", "Pd", "Ps", "Pe",
      "Pi", "Pf", "Po", "Sm", "Sc", "Sk", "So", "Zs", "Zl", "Zp", "Cc", "Cf", "Cs", "Co", "Cn",
    ]
    return names.first { self.category($0.lowercased()) == [category] } ?? "Cn"
  }
}

extension Unicode.Scalar {
  /// Whether it belongs to a word: what `\w` matches, and what `\b` stands at the edge of.
  var isWordCharacter: Bool {
    if value < 0x80 {
      return value == 0x5F || ASCII(code: UInt8(truncatingIfNeeded: value)).isAlphaNumeric
    }
    if properties.isAlphabetic { return true }
    switch properties.generalCategory {
    case .decimalNumber, .nonspacingMark, .spacingMark, .enclosingMark, .connectorPunctuation:
      return true
    default: return false
    }
  }
}
