/// Reads a regular expression: operator precedence with a stack of the groups that are open.
struct RegexParser {
  private let scalars: [Unicode.Scalar]
  private var position = 0
  private var tree = RegexTree()
  private var groups: [Group] = [Group()]

  /// The switches of `(?i)`.
  private struct Flags {
    var ignoresCase = false
    /// Whether `^` and `$` stand at each line's start and end.
    var isMultiline = false
    /// Whether the dot matches line ends.
    var dotMatchesAll = false
  }

  /// A group that is open: what has been read of it.
  private struct Group {
    var alternatives: [RegexTree.Index] = []
    var items: [RegexTree.Index] = []
    /// Whether the last item may be repeated.
    var canRepeat = false
    var flags = Flags()
    /// The number of a group that captures.
    var capture: Int?
    /// Where it begins.
    var column = 0
  }

  private init(_ pattern: String) { scalars = Array(pattern.unicodeScalars) }

  /// Parses a pattern.
  ///
  /// - Throws: `RegexError` with the place of what is wrong.
  static func parse(_ pattern: String) throws(RegexError) -> RegexTree {
    var parser = RegexParser(pattern)
    return try parser.parse()
  }

  // MARK: Groups and alternatives

  private mutating func parse() throws(RegexError) -> RegexTree {
    while let scalar = next {
      let start = position
      position += 1
      switch scalar {
      case "(": try openGroup(at: start)
      case ")": try closeGroup(at: start)
      case "|": endAlternative()
      case "*": try addRepetition(least: 0, most: nil, at: start)
      case "+": try addRepetition(least: 1, most: nil, at: start)
      case "?": try addRepetition(least: 0, most: 1, at: start)
      case "{": try readCounts(at: start)
      default: try readItem(scalar, at: start)
      }
    }
    guard groups.count == 1 else {
      throw RegexError(message: "the group is not closed", column: top.column)
    }
    endAlternative()
    tree.root = alternation(top.alternatives)
    return tree
  }

  private var top: Group { groups[groups.count - 1] }

  private mutating func append(_ node: RegexTree.Node, canRepeat: Bool = true) {
    let index = tree.add(node)
    groups[groups.count - 1].items.append(index)
    groups[groups.count - 1].canRepeat = canRepeat
  }

  private mutating func endAlternative() {
    let items = top.items
    let index = items.count == 1 ? items[0] : tree.add(items.isEmpty ? .empty : .sequence(items))
    groups[groups.count - 1].alternatives.append(index)
    groups[groups.count - 1].items = []
    groups[groups.count - 1].canRepeat = false
  }

  private mutating func alternation(_ alternatives: [RegexTree.Index]) -> RegexTree.Index {
    alternatives.count == 1 ? alternatives[0] : tree.add(.alternation(alternatives))
  }

  private mutating func openGroup(at start: Int) throws(RegexError) {
    var group = Group()
    group.flags = top.flags
    group.column = start + 1
    guard take("?") else {
      tree.captureCount += 1
      group.capture = tree.captureCount
      groups.append(group)
      return
    }
    if take(":") {
      groups.append(group)
    } else if next == "<", let after = scalar(at: position + 1), after != "=", after != "!" {
      position += 1
      group.capture = try readGroupName()
      groups.append(group)
    } else if next == "P", scalar(at: position + 1) == "<" {
      position += 2
      group.capture = try readGroupName()
      groups.append(group)
    } else if let scalar = next, "=!<>#".unicodeScalars.contains(scalar) {
      throw RegexError(
        message: scalar == ">" || scalar == "#"
          ? "groups with '(?\(scalar)' are not supported"
          : "looking ahead and behind is not supported", column: start + 1)
    } else {
      try readFlags(group, at: start)
    }
  }

  private mutating func closeGroup(at start: Int) throws(RegexError) {
    guard groups.count > 1 else {
      throw RegexError(message: "')' closes nothing", column: start + 1)
    }
    endAlternative()
    let group = groups.removeLast()
    let content = alternation(group.alternatives)
    if let number = group.capture {
      append(.capture(content, number: number))
    } else {
      groups[groups.count - 1].items.append(content)
      groups[groups.count - 1].canRepeat = true
    }
  }

  private mutating func readGroupName() throws(RegexError) -> Int {
    let start = position
    while let scalar = next, scalar != ">" {
      let isFirst = position == start
      guard isFirst ? scalar.properties.isAlphabetic || scalar == "_" : scalar.isWordCharacter
      else { break }
      position += 1
    }
    guard position > start, take(">") else {
      throw RegexError(
        message: "a group's name is a word, followed by '>'", column: position + 1)
    }
    let name = text(start..<position - 1)
    tree.captureCount += 1
    guard tree.names.updateValue(tree.captureCount, forKey: name) == nil else {
      throw RegexError(message: "two groups have the name '\(name)'", column: start + 1)
    }
    return tree.captureCount
  }

  /// Reads the switches of `(?i)`, in force up to the end of the group around, or `(?i:...)`.
  private mutating func readFlags(_ group: Group, at start: Int) throws(RegexError) {
    var flags = top.flags
    var value = true
    while let scalar = next {
      position += 1
      switch scalar {
      case "i": flags.ignoresCase = value
      case "m": flags.isMultiline = value
      case "s": flags.dotMatchesAll = value
      case "-" where value: value = false
      case ")":
        groups[groups.count - 1].flags = flags
        groups[groups.count - 1].canRepeat = false
        return
      case ":":
        var group = group
        group.flags = flags
        groups.append(group)
        return
      default:
        throw RegexError(
          message: "'\(scalar)' is no flag: there are i, m and s", column: position)
      }
    }
    throw RegexError(message: "the group is not closed", column: start + 1)
  }

  // MARK: Repetition

  private mutating func addRepetition(
    least: Int, most: Int?, at start: Int
  ) throws(RegexError) {
    let sign = text(start..<position)
    guard top.canRepeat, let item = top.items.last else {
      throw RegexError(message: "nothing stands before '\(sign)' to repeat", column: start + 1)
    }
    let isLazy = take("?")
    if next == "+" {
      throw RegexError(message: "possessive repetition is not supported", column: position + 1)
    }
    groups[groups.count - 1].items.removeLast()
    // What is repeated already is put into a group to be repeated again, as elsewhere.
    append(
      .repetition(item, least: least, most: most, isLazy: isLazy, column: start + 1),
      canRepeat: false)
  }

  /// Reads `{n}`, `{n,}` or `{n,m}`; any other brace stands for itself.
  private mutating func readCounts(at start: Int) throws(RegexError) {
    let least = readNumber()
    var most = least
    let hasComma = take(",")
    if hasComma { most = readNumber() }
    guard take("}"), least != nil || most != nil else {
      position = start + 1
      appendScalar("{")
      return
    }
    if let most, most < least ?? 0 {
      throw RegexError(
        message: "the repetition has a least count above the most", column: start + 1)
    }
    try addRepetition(least: least ?? 0, most: hasComma ? most : least, at: start)
  }

  /// The most digits of a count; no more repetitions than that fit anyway.
  private static let countDigits = 9

  private mutating func readNumber() -> Int? {
    let start = position
    while let scalar = next, scalar.value &- 0x30 < 10 { position += 1 }
    guard position > start else { return nil }
    return Int(text(start..<min(position, start + RegexParser.countDigits)))
      .map { position - start > RegexParser.countDigits ? Int(Int32.max) : $0 }
  }

  // MARK: Single characters

  private mutating func appendScalar(_ scalar: Unicode.Scalar) {
    append(.scalar(scalar, ignoresCase: top.flags.ignoresCase))
  }

  private mutating func append(_ set: RegexSet, isNegated: Bool = false) {
    var set = set
    set.seal(isNegated: isNegated, ignoresCase: top.flags.ignoresCase)
    append(.set(set))
  }

  private mutating func readItem(
    _ scalar: Unicode.Scalar, at start: Int
  ) throws(RegexError) {
    switch scalar {
    case ".":
      var set = RegexSet()
      if !top.flags.dotMatchesAll { set.insert(0x0A...0x0A) }
      append(set, isNegated: true)
    case "^":
      append(.assertion(top.flags.isMultiline ? .lineStart : .textStart), canRepeat: false)
    case "$":
      append(
        .assertion(top.flags.isMultiline ? .lineEnd : .textEndOrLastLine), canRepeat: false)
    case "[": try readSet(at: start)
    case "\\": try readEscape(at: start)
    default: appendScalar(scalar)
    }
  }

  private mutating func readEscape(at start: Int) throws(RegexError) {
    guard let scalar = next else {
      throw RegexError(message: "nothing follows the backslash", column: start + 1)
    }
    switch scalar {
    case "b", "B", "A", "z", "Z":
      position += 1
      let assertion: RegexAssertion =
        switch scalar {
        case "b": .wordBoundary
        case "B": .notWordBoundary
        case "A": .textStart
        case "z": .textEnd
        default: .textEndOrLastLine
        }
      append(.assertion(assertion), canRepeat: false)
    case "1"..."9", "k", "g":
      throw RegexError(
        message: "a reference back to a group is not supported", column: start + 1)
    default:
      var set = RegexSet()
      if let scalar = try readEscaped(into: &set, at: start) {
        appendScalar(scalar)
      } else {
        append(set)
      }
    }
  }

  /// Reads what stands behind a backslash, inside a set or outside.
  ///
  /// - Returns: the character it stands for; nil when it is a class, which is added to the set.
  private mutating func readEscaped(
    into set: inout RegexSet, at start: Int
  ) throws(RegexError) -> Unicode.Scalar? {
    guard let scalar = next else {
      throw RegexError(message: "nothing follows the backslash", column: start + 1)
    }
    position += 1
    switch scalar {
    case "n": return "\n"
    case "t": return "\t"
    case "r": return "\r"
    case "f": return "\u{C}"
    case "v": return "\u{B}"
    case "a": return "\u{7}"
    case "e": return "\u{1B}"
    case "0": return "\0"
    case "x": return try readCode(digits: 2, at: start)
    case "u": return try readCode(digits: 4, at: start)
    case "d", "D": set.insert(.digit, isNegated: scalar == "D")
    case "w", "W": set.insert(.word, isNegated: scalar == "W")
    case "s", "S": set.insert(.whiteSpace, isNegated: scalar == "S")
    case "p", "P": try readProperty(isNegated: scalar == "P", into: &set, at: start)
    default:
      guard !scalar.isWordCharacter || scalar == "_" else {
        throw RegexError(message: "'\\\(scalar)' has no meaning", column: start + 1)
      }
      return scalar
    }
    return nil
  }

  private mutating func readCode(digits: Int, at start: Int) throws(RegexError) -> Unicode.Scalar {
    let first: Int
    let end: Int
    if take("{") {
      first = position
      while let scalar = next, scalar != "}" { position += 1 }
      end = position
      if !take("}") {
        throw RegexError(message: "the braces of the code are not closed", column: start + 1)
      }
    } else {
      first = position
      position = min(position + digits, scalars.count)
      end = first + digits
    }
    guard end <= scalars.count, end > first, end - first <= 8,
      scalars[first..<end].allSatisfy({ $0.properties.isASCIIHexDigit }),
      let code = UInt32(text(first..<end), radix: 16), let scalar = Unicode.Scalar(code)
    else { throw RegexError(message: "that is the code of no character", column: start + 1) }
    return scalar
  }

  private mutating func readProperty(
    isNegated: Bool, into set: inout RegexSet, at start: Int
  ) throws(RegexError) {
    var isNegated = isNegated
    var name = ""
    if take("{") {
      if take("^") { isNegated.toggle() }
      let first = position
      while let scalar = next, scalar != "}" { position += 1 }
      name = text(first..<position)
      guard take("}") else {
        throw RegexError(message: "the braces of the property are not closed", column: start + 1)
      }
    } else if let scalar = next {
      position += 1
      name = String(Character(scalar))
    }
    guard let property = RegexProperty.named(name) else {
      throw RegexError(
        message: "'\(name)' is no general category, nor Alphabetic, Uppercase, Lowercase, "
          + "White_Space, ASCII or Any", column: start + 1)
    }
    set.insert(property, isNegated: isNegated)
  }

  // MARK: Sets

  private mutating func readSet(at start: Int) throws(RegexError) {
    var set = RegexSet()
    let isNegated = take("^")
    var isFirst = true
    while let scalar = next {
      let place = position
      if scalar == "]", !isFirst {
        position += 1
        append(set, isNegated: isNegated)
        return
      }
      isFirst = false
      guard let low = try readSetItem(into: &set) else { continue }
      guard next == "-", let after = self.scalar(at: position + 1), after != "]" else {
        set.insert(low.value...low.value)
        continue
      }
      position += 1
      guard let high = try readSetItem(into: &set) else {
        throw RegexError(message: "a range ends in a character", column: place + 1)
      }
      guard low <= high else {
        throw RegexError(
          message: "the range '\(low)-\(high)' runs backwards", column: place + 1)
      }
      set.insert(low.value...high.value)
    }
    throw RegexError(message: "the set is not closed", column: start + 1)
  }

  /// Reads a character of a set; answers nil for a class, which it adds to the set.
  private mutating func readSetItem(
    into set: inout RegexSet
  ) throws(RegexError) -> Unicode.Scalar? {
    let start = position
    guard let scalar = next else {
      throw RegexError(message: "the set is not closed", column: start + 1)
    }
    position += 1
    if scalar == "\\" {
      if take("b") { return "\u{8}" }
      return try readEscaped(into: &set, at: start)
    }
    guard scalar == "[", take(":") else { return scalar }
    let isNegated = take("^")
    let first = position
    while let scalar = next, scalar.properties.isAlphabetic { position += 1 }
    let name = text(first..<position)
    guard take(":"), take("]") else {
      position = start + 1
      return scalar
    }
    guard let ranges = RegexProperty.posixRanges(name) else {
      throw RegexError(message: "there is no class '[:\(name):]'", column: start + 1)
    }
    if isNegated {
      var low: UInt32 = 0
      for range in ranges {
        if range.lowerBound > low { set.insert(low...range.lowerBound - 1) }
        low = range.upperBound + 1
      }
      set.insert(low...0x10FFFF)
    } else {
      for range in ranges { set.insert(range) }
    }
    return nil
  }

  // MARK: Text

  private var next: Unicode.Scalar? { scalar(at: position) }

  private func scalar(at index: Int) -> Unicode.Scalar? {
    index < scalars.count ? scalars[index] : nil
  }

  private mutating func take(_ scalar: Unicode.Scalar) -> Bool {
    guard next == scalar else { return false }
    position += 1
    return true
  }

  private func text(_ range: Range<Int>) -> String {
    var text = String.UnicodeScalarView()
    text.append(contentsOf: scalars[range])
    return String(text)
  }
}
