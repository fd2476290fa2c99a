/// Runs a program over texts: all ways to match advance together, character by character, so that
/// the time is at most the program's size times the text's.
///
/// Algorithm: K. Thompson, "Regular expression search algorithm", Communications of the ACM 11(6),
/// 1968; with captured parts as by R. Pike, described in R. Cox, "Regular expression matching: the
/// virtual machine approach", 2009.
package struct RegexMatcher {
  package let program: RegexProgram
  /// How many instructions have been looked at: what a match costs.
  package private(set) var steps = 0
  /// The places of the last match in bytes, -1 for parts that took no part.
  package private(set) var places: [Int]

  /// The ways that have come to the present character, in the order of preference.
  private struct Threads {
    var instructions: [Int] = []
    var places: [Int] = []
  }
  private var current = Threads()
  private var following = Threads()
  /// For each instruction the last turn that reached it: at a place each is followed once.
  private var visits: [Int]
  private var turn = 0
  private var stack: [Pending] = []
  /// The places of the thread that is being followed.
  private var trail: [Int]
  /// How many places threads carry: none where only the fact of a match is asked for.
  private var width = 0

  /// What remains to be followed at a place.
  private enum Pending {
    case instruction(Int)
    case restore(place: Int, value: Int)
  }

  /// What is asked of a match.
  package enum Question {
    /// Whether there is one anywhere from the start.
    case anywhere
    /// Whether one begins at the start.
    case atStart
    /// Whether one extends from the start to the end of the text.
    case whole
  }

  /// How many steps are made between two looks for an interrupt.
  private static let stepsBetweenPolls = 1 << 14

  package init(_ program: RegexProgram) {
    self.program = program
    visits = Array(repeating: 0, count: program.instructions.count)
    places = Array(repeating: -1, count: program.placeCount)
    trail = places
  }

  /// Looks for a match.
  ///
  /// - Parameters:
  ///   - text: A string.
  ///   - start: The byte to begin at; what is before counts for assertions.
  ///   - question: Where the match has to lie.
  ///   - wantsPlaces: Whether `places` is to be set; without, the answer comes sooner.
  ///   - poll: Called now and then; it may throw.
  /// - Returns: Whether there is a match.
  /// - Throws: What `poll` throws.
  /// - Complexity: O(*program* x *text*).
  package mutating func match<Failure: Error>(
    _ text: UTF8Bytes, from start: Int = 0, _ question: Question = .anywhere,
    wantsPlaces: Bool = true, poll: () throws(Failure) -> Void
  ) throws(Failure) -> Bool {
    width = wantsPlaces ? program.placeCount : 0
    let end = text.count
    var nextPoll = steps + RegexMatcher.stepsBetweenPolls
    var offset = start
    var isMatched = false
    beginTurn()
    while true {
      if !isMatched, question == .anywhere || offset == start {
        if question == .anywhere, following.instructions.isEmpty {
          guard let candidate = firstCandidate(in: text, from: offset) else { return false }
          if candidate > offset {
            steps += (candidate - offset) / 16
            offset = candidate
            turn += 1
          }
        }
        for index in 0..<width { trail[index] = -1 }
        follow(program.start, text, offset)
      }
      swap(&current, &following)
      if current.instructions.isEmpty, isMatched || question != .anywhere { return isMatched }
      let scalar = offset < end ? text.scalar(at: offset) : nil
      let next = scalar == nil ? offset : text.nextOffset(after: offset)
      beginTurn()
      for index in 0..<current.instructions.count {
        steps += 1
        guard
          let target = advance(
            current.instructions[index], scalar, isEnd: scalar == nil || question != .whole)
        else { continue }
        if width > 0 {
          for place in 0..<width { trail[place] = current.places[index * width + place] }
        }
        if target < 0 {
          isMatched = true
          if !wantsPlaces { return true }
          for place in 0..<width { places[place] = trail[place] }
          // What comes behind is less preferred.
          break
        }
        follow(target, text, next)
      }
      if scalar == nil { return isMatched }
      offset = next
      if steps >= nextPoll {
        try poll()
        nextPoll = steps + RegexMatcher.stepsBetweenPolls
      }
    }
  }

  /// Begins to collect the threads of the next place.
  private mutating func beginTurn() {
    turn += 1
    following.instructions.removeAll(keepingCapacity: true)
    following.places.removeAll(keepingCapacity: true)
  }

  /// Where an instruction goes on after a character; -1 for a match, nil when it does not.
  @inline(__always)
  private func advance(_ index: Int, _ scalar: Unicode.Scalar?, isEnd: Bool) -> Int? {
    switch program.instructions[index] {
    case .scalar(let expected, let next): return scalar == expected ? next : nil
    case .folded(let expected, let next): return scalar?.simplyFolded == expected ? next : nil
    case .set(let number, let next):
      guard let scalar else { return nil }
      return program.sets[number].contains(scalar) ? next : nil
    case .match: return isEnd ? -1 : nil
    case .split, .save, .assertion: return nil
    }
  }

  /// Follows what reads nothing from an instruction on, and adds what reads to the threads.
  private mutating func follow(_ start: Int, _ text: UTF8Bytes, _ offset: Int) {
    stack.append(.instruction(start))
    while let pending = stack.popLast() {
      var index: Int
      switch pending {
      case .instruction(let instruction): index = instruction
      case .restore(let place, let value):
        trail[place] = value
        continue
      }
      while visits[index] != turn {
        visits[index] = turn
        steps += 1
        switch program.instructions[index] {
        case .split(let preferred, let other):
          stack.append(.instruction(other))
          index = preferred
          continue
        case .save(let place, let next):
          if place < width {
            stack.append(.restore(place: place, value: trail[place]))
            trail[place] = offset
          }
          index = next
          continue
        case .assertion(let assertion, let next):
          guard assertion.holds(in: text, at: offset) else { break }
          index = next
          continue
        case .scalar, .folded, .set, .match:
          following.instructions.append(index)
          for place in 0..<width { following.places.append(trail[place]) }
        }
        break
      }
    }
  }

  /// The first place from an offset on where a match may begin.
  private func firstCandidate(in text: UTF8Bytes, from offset: Int) -> Int? {
    guard let first = program.first else { return offset <= text.count ? offset : nil }
    var offset = offset
    while offset < text.count {
      let byte = text[offset]
      if byte >= 0x80 ? byte & 0xC0 != 0x80 : first.contains(byte) { return offset }
      offset += 1
    }
    return nil
  }
}

extension RegexAssertion {
  /// Whether it holds at a place of a text.
  func holds(in text: UTF8Bytes, at offset: Int) -> Bool {
    let end = text.count
    let lineFeed = UInt8(ascii: "\n")
    switch self {
    case .textStart: return offset == 0
    case .textEnd: return offset == end
    case .textEndOrLastLine:
      return offset == end || offset == end - 1 && text[offset] == lineFeed
    case .lineStart: return offset == 0 || text[offset - 1] == lineFeed
    case .lineEnd: return offset == end || text[offset] == lineFeed
    case .wordBoundary, .notWordBoundary:
      let before =
        offset > 0 && text.scalar(at: text.previousOffset(before: offset)).isWordCharacter
      let after = offset < end && text.scalar(at: offset).isWordCharacter
      return (before != after) == (self == .wordBoundary)
    }
  }
}
