/// A regular expression as instructions for `RegexMatcher`.
package struct RegexProgram {
  enum Instruction {
    /// Reads this character.
    case scalar(Unicode.Scalar, next: Int)
    /// Reads this character, folded, or one that folds to it.
    case folded(Unicode.Scalar, next: Int)
    /// Reads a character of the set with this number.
    case set(Int, next: Int)
    /// Goes on in two places, of which the first is to be preferred.
    case split(Int, Int)
    /// Notes the place.
    case save(Int, next: Int)
    case assertion(RegexAssertion, next: Int)
    case match
  }

  /// The most instructions of a program: time and memory for each character grow with them.
  package static let sizeLimit = 50_000
  /// The most places that all threads of a matcher may keep.
  static let placeLimit = 4_000_000

  private(set) var instructions: [Instruction] = [.match]
  private(set) var sets: [RegexSet] = []
  private(set) var start = 0
  package let captureCount: Int
  package let names: [String: Int]
  /// The characters of ASCII that a match may begin with, if it must begin with a character; other
  /// characters may always begin one.
  private(set) var first: ASCIISet?

  /// The places of a match: its start and end, then those of the captured parts.
  package var placeCount: Int { 2 * captureCount + 2 }

  /// Compiles a pattern.
  ///
  /// - Throws: `RegexError` when it is none, or too large.
  package init(_ pattern: String) throws(RegexError) {
    let tree = try RegexParser.parse(pattern)
    captureCount = tree.captureCount
    names = tree.names
    let isNullable = try RegexProgram.measure(tree)
    compile(tree, isNullable)
    guard placeCount <= RegexProgram.placeLimit / instructions.count else {
      throw RegexError(
        message: "there are too many groups for a pattern of this size", column: 1)
    }
    first = firstCharacters()
  }

  // MARK: Size

  /// Makes sure that a tree makes no program above the limit.
  ///
  /// - Returns: for each node whether it matches the empty text.
  private static func measure(_ tree: RegexTree) throws(RegexError) -> [Bool] {
    var sizes: [Int] = []
    var isNullable: [Bool] = []
    for node in tree.nodes {
      var size = 1
      var nullable = false
      var column = 1
      switch node {
      case .empty, .assertion: nullable = true
      case .scalar, .set: break
      case .sequence(let items):
        size = items.reduce(0) { $0 + sizes[$1] }
        nullable = items.allSatisfy { isNullable[$0] }
      case .alternation(let items):
        size = items.reduce(items.count) { $0 + sizes[$1] }
        nullable = items.contains { isNullable[$0] }
      case .capture(let content, _):
        size = sizes[content] + 2
        nullable = isNullable[content]
      case .repetition(let content, let least, let most, _, let place):
        column = place
        // Neither factor is above 2^32, so that nothing overflows.
        let copies = max(least, most ?? least + 1, 1)
        size = (sizes[content] + 2) * copies
        nullable = least == 0 || isNullable[content]
      }
      guard size <= sizeLimit else {
        throw RegexError(
          message: "the pattern becomes too large here: more than \(sizeLimit) steps",
          column: column)
      }
      sizes.append(size)
      isNullable.append(nullable)
    }
    return isNullable
  }

  // MARK: Code

  /// What remains to be compiled; code is made from its end to its beginning.
  private enum Task {
    case node(RegexTree.Index)
    case save(Int)
    /// Goes on before this place.
    case goOn(Int)
    /// Keeps the beginning of an alternative, or makes one of those that were kept.
    case keep
    case choose(count: Int)
    /// Makes what was compiled last an alternative to going on at a place.
    case optional(exit: Int, isLazy: Bool)
    /// Closes a loop at a split: behind what is repeated, or before it as well.
    case loop(split: Int, exit: Int, isLazy: Bool, entersAtSplit: Bool)
  }

  private mutating func emit(_ instruction: Instruction) -> Int {
    instructions.append(instruction)
    return instructions.count - 1
  }

  private func split(_ entry: Int, _ exit: Int, isLazy: Bool) -> Instruction {
    isLazy ? .split(exit, entry) : .split(entry, exit)
  }

  private mutating func compile(_ tree: RegexTree, _ isNullable: [Bool]) {
    var tasks: [Task] = [.save(0), .node(tree.root), .save(1)]
    var entry = 0
    var kept: [Int] = []
    while let task = tasks.popLast() {
      switch task {
      case .node(let index):
        compile(tree.nodes[index], isNullable, &entry, &tasks)
      case .save(let place): entry = emit(.save(place, next: entry))
      case .goOn(let place): entry = place
      case .keep: kept.append(entry)
      case .choose(let count):
        // The first alternative was compiled last: it comes in front of the others.
        entry = kept[kept.count - count]
        for alternative in kept.suffix(count - 1) { entry = emit(.split(alternative, entry)) }
        kept.removeLast(count)
      case .optional(let exit, let isLazy):
        entry = emit(split(entry, exit, isLazy: isLazy))
      case .loop(let place, let exit, let isLazy, let entersAtSplit):
        instructions[place] = split(entry, exit, isLazy: isLazy)
        if entersAtSplit { entry = place }
      }
    }
    start = entry
  }

  private mutating func compile(
    _ node: RegexTree.Node, _ isNullable: [Bool], _ entry: inout Int, _ tasks: inout [Task]
  ) {
    switch node {
    case .empty: break
    case .scalar(let scalar, let ignoresCase):
      entry = emit(
        ignoresCase
          ? .folded(scalar.simplyFolded, next: entry) : .scalar(scalar, next: entry))
    case .set(let set):
      // Copies of a repetition follow each other.
      let number = sets.suffix(4).lastIndex(of: set) ?? sets.count
      if number == sets.count { sets.append(set) }
      entry = emit(.set(number, next: entry))
    case .assertion(let assertion): entry = emit(.assertion(assertion, next: entry))
    case .sequence(let items): for item in items { tasks.append(.node(item)) }
    case .alternation(let items):
      tasks.append(.choose(count: items.count))
      for item in items { tasks += [.keep, .node(item), .goOn(entry)] }
    case .capture(let content, let number):
      tasks += [.save(2 * number), .node(content), .save(2 * number + 1)]
    case .repetition(let content, let least, let most, let isLazy, _):
      repeated(content, least, most, isLazy, isNullable[content], entry, &tasks)
    }
  }

  private mutating func repeated(
    _ content: RegexTree.Index, _ least: Int, _ most: Int?, _ isLazy: Bool, _ isNullable: Bool,
    _ exit: Int, _ tasks: inout [Task]
  ) {
    if let most {
      for _ in 0..<least { tasks.append(.node(content)) }
      for _ in least..<most { tasks += [.optional(exit: exit, isLazy: isLazy), .node(content)] }
      return
    }
    for _ in 0..<max(least - 1, 0) { tasks.append(.node(content)) }
    // What matches the empty text is tried once before the loop decides, or else an empty turn
    // would be cut off in favour of a longer one that comes after it.
    let place = emit(.match)
    let entersAtSplit = least == 0 && !isNullable
    if least == 0, isNullable { tasks.append(.optional(exit: exit, isLazy: isLazy)) }
    tasks += [
      .loop(split: place, exit: exit, isLazy: isLazy, entersAtSplit: entersAtSplit),
      .node(content), .goOn(place),
    ]
  }

  // MARK: Where a match may begin

  private func firstCharacters() -> ASCIISet? {
    var result = ASCIISet()
    var seen = Set([start])
    var waiting = [start]
    while let place = waiting.popLast() {
      var following: [Int] = []
      switch instructions[place] {
      case .scalar(let scalar, _):
        if let code = UInt8(exactly: scalar.value), code < 0x80 { result.insert(code) }
      case .folded(let scalar, _):
        for code in UInt8(0)..<0x80 where Unicode.Scalar(code).simplyFolded == scalar {
          result.insert(code)
        }
      case .set(let number, _): result.formUnion(sets[number].ascii)
      case .split(let left, let right): following = [left, right]
      case .save(_, let next), .assertion(_, let next): following = [next]
      case .match: return nil
      }
      for next in following where seen.insert(next).inserted { waiting.append(next) }
    }
    return result
  }
}
