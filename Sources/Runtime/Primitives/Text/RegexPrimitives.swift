internal import TenonText

extension Primitive {
  static let regex: [Primitive] = [
    Primitive("groupCount", "How many groups of the pattern capture what they match.") {
      machine, arguments throws(Failure) in
      Value(small: try machine.regex(arguments.receiver).program.captureCount)
    },
    Primitive("groupNames", "The names of the groups that have one, in their order.") {
      machine, arguments throws(Failure) in
      let names = try machine.regex(arguments.receiver).program.names.sorted { $0.value < $1.value }
      return machine.makeArray(names.map { machine.makeString($0.key) })
    },
    Primitive("groupNumber: aName", "The number of the group with a name.") {
      machine, arguments throws(Failure) in
      let name = try machine.swiftString(arguments[0])
      guard let number = try machine.regex(arguments.receiver).program.names[name] else {
        throw .noGroup("'\(name)'")
      }
      return Value(small: number)
    },
    Primitive("matches: aString", "Whether the pattern matches all of aString.") {
      machine, arguments throws(Failure) in
      try machine.hasMatch(arguments, .whole)
    },
    Primitive("matchesPrefix: aString", "Whether the pattern matches at the start of aString.") {
      machine, arguments throws(Failure) in
      try machine.hasMatch(arguments, .atStart)
    },
    Primitive("search: aString", "Whether the pattern matches anywhere in aString.") {
      machine, arguments throws(Failure) in
      try machine.hasMatch(arguments, .anywhere)
    },
    Primitive(
      "placesIn: aString startingAt: start",
      "First and last index of the first match from start on, then of its groups; or nil."
    ) { machine, arguments throws(Failure) in
      let text = try machine.string(arguments[0])
      let start = max(1, try machine.integer(arguments[1])) - 1
      guard start <= machine.scalarCount(text) else { return .nil }
      return try machine.places(
        arguments.receiver, text, from: machine.byteOffset(of: text, scalar: start), .anywhere)
    },
    Primitive("wholePlacesIn: aString", "The indices of a match of all of aString; or nil.") {
      machine, arguments throws(Failure) in
      try machine.places(arguments.receiver, try machine.string(arguments[0]), from: 0, .whole)
    },
    Primitive("allPlacesIn: aString", "An array of the indices of each match.") {
      machine, arguments throws(Failure) in
      let text = try machine.string(arguments[0])
      var all: [Value] = []
      try machine.eachMatch(arguments.receiver, in: text, limit: .max) {
        places throws(Failure) in
        all.append(machine.indices(places, in: text))
        if all.count & 0xFF == 0 { try machine.checkMemory() }
      }
      try machine.reserve(all.count * 8)
      return machine.makeArray(all)
    },
    Primitive(
      "copy: aString replacing: count with: template",
      "aString with the first so many matches replaced; in template $1 is a group."
    ) { machine, arguments throws(Failure) in
      try machine.replaceMatches(
        arguments.receiver, in: try machine.string(arguments[0]),
        limit: arguments[1].asSmallInteger ?? .max, with: try machine.string(arguments[2]))
    },
  ]
}

extension Failure {
  /// A regular expression that is none.
  static func regex(_ pattern: String, _ error: RegexError) -> Failure {
    Failure(
      .invalidArgument,
      "the regular expression '\(pattern)' is wrong at column \(error.column): \(error.message)")
  }

  static func noGroup(_ name: String) -> Failure {
    Failure(.invalidArgument, "the regular expression has no group \(name)")
  }
}

extension Machine {
  /// The compiled pattern of a Regex.
  fileprivate func regex(_ value: Value) throws(Failure) -> RegexCache.Entry {
    let pattern = try string(ObjectRef(value)[slot: 0])
    do throws(RegexError) {
      return try caches.regexes.entry(pattern.utf8, hash: pattern.bytesHash)
    } catch {
      throw .regex(try swiftString(Value(pattern)), error)
    }
  }

  fileprivate func hasMatch(
    _ arguments: Arguments, _ question: RegexMatcher.Question
  ) throws(Failure) -> Value {
    let text = try string(arguments[0])
    charge(Value(text))
    let found = try regex(arguments.receiver).matcher.match(
      text.utf8, question, wantsPlaces: false, poll: pollInterrupt)
    return Value(found)
  }

  fileprivate func places(
    _ receiver: Value, _ text: ObjectRef, from start: Int, _ question: RegexMatcher.Question
  ) throws(Failure) -> Value {
    let entry = try regex(receiver)
    guard try entry.matcher.match(text.utf8, from: start, question, poll: pollInterrupt) else {
      return .nil
    }
    return indices(entry.matcher.places, in: text)
  }

  /// First and last index, counted from 1, for each pair of byte offsets; nil where there is none.
  fileprivate func indices(_ places: [Int], in text: ObjectRef) -> Value {
    let array = makeArray(count: places.count)
    for index in stride(from: 0, to: places.count, by: 2) where places[index] >= 0 {
      array[element: index] = Value(small: scalarCount(text, upTo: places[index]) + 1)
      array[element: index + 1] = Value(small: scalarCount(text, upTo: places[index + 1]))
    }
    return Value(array)
  }

  /// Enumerates the matches in a text, from left to right, without overlap.
  ///
  /// Behind an empty match the search goes on one character further.
  fileprivate func eachMatch(
    _ receiver: Value, in text: ObjectRef, limit: Int,
    _ body: ([Int]) throws(Failure) -> Void
  ) throws(Failure) {
    let entry = try regex(receiver)
    charge(Value(text))
    var start = 0
    var count = 0
    while count < limit, start <= text.byteCount,
      try entry.matcher.match(text.utf8, from: start, poll: pollInterrupt)
    {
      let places = entry.matcher.places
      try body(places)
      count += 1
      start = places[1] > places[0] ? places[1] : text.nextOffset(after: places[1])
    }
  }

  fileprivate func replaceMatches(
    _ receiver: Value, in text: ObjectRef, limit: Int, with template: ObjectRef
  ) throws(Failure) -> Value {
    let parts = try RegexTemplate(template, for: try regex(receiver).program).parts
    // What is copied, as ranges of the text or of the template.
    var pieces: [(source: ObjectRef, range: Range<Int>)] = []
    var end = 0
    var size = 0
    func add(_ source: ObjectRef, _ range: Range<Int>) {
      if range.isEmpty { return }
      pieces.append((source, range))
      size += range.count
    }
    try eachMatch(receiver, in: text, limit: limit) { places throws(Failure) in
      add(text, end..<places[0])
      for part in parts {
        switch part {
        case .text(let range): add(template, range)
        case .group(let number) where places[2 * number] >= 0:
          add(text, places[2 * number]..<places[2 * number + 1])
        case .group: break
        }
      }
      end = places[1]
      if pieces.count & 0xFF == 0 { try reserve(size + pieces.count * 32) }
    }
    add(text, end..<text.byteCount)
    let result = try makeBytes(classIndex: ClassIndex.string, count: size)
    var target = 0
    for (source, range) in pieces {
      result.copyBytes(from: source, start: range.lowerBound, count: range.count, at: target)
      target += range.count
    }
    if !text.isASCII || !template.isASCII { result.recordEncoding() }
    return Value(result)
  }
}
