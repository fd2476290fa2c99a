internal import TenonLexer

internal import TenonText

// The folder Text: primitives of strings, characters and regular expressions. Their algorithms are in
// Sources/Text, the objects' layout in Objects.

extension Primitive {
  static let string: [Primitive] = [
    Primitive("size", "The number of characters.") { machine, arguments in
      Value(small: machine.scalarCount(ObjectRef(arguments.receiver)))
    },
    Primitive("isEmpty", "Whether there are no characters.") { _, arguments in
      Value(ObjectRef(arguments.receiver).byteCount == 0)
    },
    Primitive("notEmpty", "Whether there are characters.") { _, arguments in
      Value(ObjectRef(arguments.receiver).byteCount > 0)
    },
    Primitive("byteSize", "The number of bytes in UTF-8.") { _, arguments in
      Value(small: ObjectRef(arguments.receiver).byteCount)
    },
    Primitive("at: index", "The character at index, or for an interval the part.") {
      machine, arguments throws(Failure) in
      let string = ObjectRef(arguments.receiver)
      let index = arguments[0]
      if !index.isSmallInteger, let slice = machine.sliceIndex(index) {
        let characters = machine.send(machine.selector("slice:"), to: arguments.receiver, slice)
        return characters.isUnwind
          ? characters : machine.send(machine.selector("joined"), to: characters)
      }
      return try machine.character(of: string, at: index)
    },
    Primitive("at: index put: aCharacter", "Refused: strings do not change.") {
      machine, arguments throws(Failure) in
      throw .immutable("a string")
    },
    Primitive(", aString", "The text of both.") { machine, arguments throws(Failure) in
      let left = ObjectRef(arguments.receiver)
      let right = try machine.string(arguments[0])
      let count = left.byteCount
      let result = try machine.makeBytes(
        classIndex: ClassIndex.string, count: count + right.byteCount)
      result.copyBytes(from: left, start: 0, count: count, at: 0)
      result.copyBytes(from: right, start: 0, count: right.byteCount, at: count)
      result.flags |= (left.flags | right.flags) & ObjectFlag.notASCII
      return Value(result)
    },
    Primitive("* count", "The text repeated.") { machine, arguments throws(Failure) in
      try machine.repeated(ObjectRef(arguments.receiver), count: arguments[0])
    },
    Primitive("= anObject", "Whether anObject is a string with the same characters.") {
      machine, arguments in
      guard machine.isString(arguments[0]) else { return .false }
      machine.charge(arguments.receiver)
      return Value(ObjectRef(arguments.receiver).hasSameBytes(as: ObjectRef(arguments[0])))
    },
    Primitive("< aString", "Whether it comes before aString by code points.") {
      machine, arguments throws(Failure) in
      let other = try machine.string(arguments[0])
      machine.charge(arguments.receiver)
      return Value(ObjectRef(arguments.receiver).precedes(other))
    },
    Primitive("hash", "A number that equal strings share.") { machine, arguments in
      machine.charge(arguments.receiver)
      return Value(small: Int(ObjectRef(arguments.receiver).bytesHash))
    },
    Primitive(
      "copyFrom: start to: stop", "The characters from start to stop; none for a lesser stop."
    ) {
      machine, arguments throws(Failure) in
      let string = ObjectRef(arguments.receiver)
      let range = try machine.range(
        arguments[0], arguments[1], count: machine.scalarCount(string))
      return try machine.substring(string, scalars: range)
    },
    Primitive("asSymbol", "The symbol with the same characters.") {
      machine, arguments throws(Failure) in
      machine.charge(arguments.receiver)
      return machine.symbol(try machine.swiftString(arguments.receiver))
    },
    Primitive(
      "shortened",
      "The text as messages show it: what is quoted, and words, cut at 160, no control characters."
    ) { machine, arguments throws(Failure) in
      machine.makeString(
        try machine.swiftString(arguments.receiver).withShortQuotes.withVisibleControls)
    },
    Primitive("trimmed", "The text without white space at both ends.") {
      machine, arguments throws(Failure) in
      let string = ObjectRef(arguments.receiver)
      let range = machine.trimmedRange(string)
      return Value(try machine.substring(string, bytes: range))
    },
    Primitive("trimLeft", "The text without white space at its beginning.") {
      machine, arguments throws(Failure) in
      let string = ObjectRef(arguments.receiver)
      let start = machine.trimmedRange(string).lowerBound
      return Value(try machine.substring(string, bytes: start..<string.byteCount))
    },
    Primitive("trimRight", "The text without white space at its end.") {
      machine, arguments throws(Failure) in
      let string = ObjectRef(arguments.receiver)
      let range = machine.trimmedRange(string)
      return Value(
        try machine.substring(string, bytes: 0..<(range.isEmpty ? 0 : range.upperBound)))
    },
    Primitive("lines", "An array of the lines, their ends removed.") {
      machine, arguments throws(Failure) in
      try machine.parts(of: ObjectRef(arguments.receiver)) { $0.forEachLine($1) }
    },
    Primitive("substrings", "An array of the words between white space.") {
      machine, arguments throws(Failure) in
      try machine.parts(of: ObjectRef(arguments.receiver)) { $0.forEachWord($1) }
    },
    Primitive("subStrings: separators", "An array of the words between any of the characters.") {
      machine, arguments throws(Failure) in
      let separators = try machine.string(machine.asText(arguments[0]))
      return try machine.parts(of: ObjectRef(arguments.receiver)) {
        $0.forEachWord(betweenAnyOf: separators, $1)
      }
    },
    Primitive("substrings: separator", "An array of the parts between separators.") {
      machine, arguments throws(Failure) in
      let separator = try machine.string(machine.asText(arguments[0]))
      return try machine.parts(of: ObjectRef(arguments.receiver)) {
        $0.forEachPart(separatedBy: separator, $1)
      }
    },
    Primitive("indexOf: part", "The index of a character or string, or 0.") {
      machine, arguments throws(Failure) in
      let string = ObjectRef(arguments.receiver)
      let part = try machine.string(machine.asText(arguments[0]))
      machine.charge(arguments.receiver)
      guard let offset = string.firstOffset(of: part, from: 0) else { return Value(small: 0) }
      return Value(small: machine.scalarCount(string, upTo: offset) + 1)
    },
    Primitive("indexOf: part startingAt: start", "The first index from start on, or 0.") {
      machine, arguments throws(Failure) in
      let string = ObjectRef(arguments.receiver)
      let part = try machine.string(machine.asText(arguments[0]))
      let start = max(1, try machine.integer(arguments[1])) - 1
      machine.charge(arguments.receiver)
      guard start <= machine.scalarCount(string),
        let offset = string.firstOffset(
          of: part, from: machine.byteOffset(of: string, scalar: start))
      else { return Value(small: 0) }
      return Value(small: machine.scalarCount(string, upTo: offset) + 1)
    },
    Primitive("includesSubstring: part", "Whether part occurs in the text.") {
      machine, arguments throws(Failure) in
      let part = try machine.string(arguments[0])
      machine.charge(arguments.receiver)
      return Value(ObjectRef(arguments.receiver).firstOffset(of: part, from: 0) != nil)
    },
    Primitive("startsWith: prefix", "Whether the text begins with prefix.") {
      machine, arguments throws(Failure) in
      let prefix = try machine.string(arguments[0])
      return Value(ObjectRef(arguments.receiver).matches(prefix, at: 0))
    },
    Primitive("endsWith: suffix", "Whether the text ends with suffix.") {
      machine, arguments throws(Failure) in
      let string = ObjectRef(arguments.receiver)
      let suffix = try machine.string(arguments[0])
      return Value(string.matches(suffix, at: string.byteCount - suffix.byteCount))
    },
    Primitive("copyReplaceAll: old with: new", "The text with every old replaced by new.") {
      machine, arguments throws(Failure) in
      machine.charge(arguments.receiver)
      return try machine.replaceAll(
        in: ObjectRef(arguments.receiver), try machine.string(arguments[0]),
        with: try machine.string(arguments[1]))
    },
    Primitive("asNumber", "The number that the text spells, or nil.") {
      machine, arguments throws(Failure) in
      if let small = ObjectRef(arguments.receiver).plainInteger { return Value(small: small) }
      return try machine.number(spelled: machine.swiftString(arguments.receiver))
    },
    Primitive(
      "exactNumber", "The number that the text spells, a decimal fraction without loss, or nil."
    ) { machine, arguments throws(Failure) in
      let text = ObjectRef(arguments.receiver)
      if let small = text.plainInteger { return Value(small: small) }
      if let (digits, power) = text.plainDecimal {
        return machine.makeFraction(digits, over: power)
      }
      return try machine.number(spelled: machine.swiftString(arguments.receiver))
    },
    Primitive("asIntegerBase: base", "The integer that digits of a base spell, or nil.") {
      machine, arguments throws(Failure) in
      let base = try machine.integer(arguments[0])
      guard base >= 2, base <= 36 else {
        throw .invalidArgument("a base from 2 to 36", found: String(base))
      }
      return try machine.integer(
        spelled: machine.swiftString(arguments.receiver), base: base)
    },
    Primitive("utf8", "A byte array of the text in UTF-8.") {
      machine, arguments throws(Failure) in
      let string = ObjectRef(arguments.receiver)
      let bytes = try machine.makeBytes(
        classIndex: ClassIndex.byteArray, count: string.byteCount)
      bytes.copyBytes(from: string, start: 0, count: string.byteCount, at: 0)
      return Value(bytes)
    },
    Primitive("printString", "The text as a literal.") { machine, arguments throws(Failure) in
      let text = try machine.swiftString(arguments.receiver)
      return machine.makeString("'" + text.doubled("'") + "'")
    },
    Primitive("printOn: stream", "Writes the text as a literal.") { machine, arguments in
      let text = machine.send(machine.selector("printString"), to: arguments.receiver)
      return text.isUnwind
        ? text : machine.send(machine.selector("nextPutAll:"), to: arguments[0], text)
    },
  ]

  static let symbol: [Primitive] = [
    Primitive("numArgs", "How many arguments a message of that name takes.") {
      machine, arguments throws(Failure) in
      Value(small: Selector.argumentCount(of: try machine.swiftString(arguments.receiver)))
    },
    Primitive("asString", "The string with the same characters.") {
      machine, arguments throws(Failure) in
      machine.makeString(try machine.swiftString(arguments.receiver))
    },
    Primitive("displayString", "The symbol's characters.") {
      machine, arguments throws(Failure) in
      machine.makeString(try machine.swiftString(arguments.receiver))
    },
    Primitive("printString", "The symbol as a literal.") { machine, arguments throws(Failure) in
      machine.makeString(SymbolText.literal(try machine.swiftString(arguments.receiver)))
    },
  ]
}

// MARK: - Characters and their places

extension Machine {
  /// The number of characters of a string.
  ///
  /// - Complexity: O(1) for ASCII; else see `StringPlaces`.
  func scalarCount(_ string: ObjectRef) -> Int {
    string.isASCII ? string.byteCount : caches.stringPlaces.count(of: string)
  }

  /// The number of characters before a byte offset.
  ///
  /// - Complexity: as for `scalarCount`.
  func scalarCount(_ string: ObjectRef, upTo offset: Int) -> Int {
    string.isASCII ? offset : caches.stringPlaces.scalar(in: string, atOffset: offset)
  }

  /// The byte offset of a character, counted from 0; that of the end for the number of characters.
  ///
  /// - Complexity: as for `scalarCount`.
  func byteOffset(of string: ObjectRef, scalar index: Int) -> Int {
    string.isASCII ? index : caches.stringPlaces.offset(in: string, ofScalar: index)
  }

  /// The character of a string at an index counted from 1.
  func character(of string: ObjectRef, at index: Value) throws(Failure) -> Value {
    if string.isASCII {
      let offset = try offset(index, count: string.byteCount)
      return Value(Unicode.Scalar(string[byte: offset]))
    }
    let scalar = try offset(index, count: scalarCount(string))
    let start = byteOffset(of: string, scalar: scalar)
    return Value(string.scalar(at: start))
  }

  /// A part of a string by characters.
  func substring(_ string: ObjectRef, scalars: Range<Int>) throws(Failure) -> Value {
    let start = byteOffset(of: string, scalar: scalars.lowerBound)
    let end = byteOffset(of: string, scalar: scalars.upperBound)
    return Value(try substring(string, bytes: start..<end))
  }

  /// A part of a string by bytes, which must not cut characters.
  func substring(_ string: ObjectRef, bytes range: Range<Int>) throws(Failure) -> ObjectRef {
    let part = try makeBytes(classIndex: ClassIndex.string, count: range.count)
    part.copyBytes(from: string, start: range.lowerBound, count: range.count, at: 0)
    if !string.isASCII { part.recordEncoding() }
    return part
  }

  /// The string for a value that is a string or a character.
  fileprivate func asText(_ value: Value) -> Value {
    value.isCharacter ? makeString(asCharacter(value)) : value
  }

  /// The text of a Character.
  func asCharacter(_ value: Value) -> String {
    Unicode.Scalar(value.characterCode).map { String(Character($0)) } ?? ""
  }

  /// The Character for a text of exactly one scalar.
  func singleCharacter(_ text: String) -> Value? {
    let scalars = text.unicodeScalars
    guard let first = scalars.first, scalars.count == 1 else { return nil }
    return Value(first)
  }

  /// Replaces every occurrence of a text, from left to right, without overlap.
  fileprivate func replaceAll(
    in string: ObjectRef, _ old: ObjectRef, with new: ObjectRef
  ) throws(Failure) -> Value {
    guard old.byteCount > 0 else { return Value(string) }
    var occurrences = 0
    var offset = 0
    while let place = string.firstOffset(of: old, from: offset) {
      occurrences += 1
      offset = place + old.byteCount
    }
    if occurrences == 0 { return Value(string) }
    let (growth, overflow) = occurrences.multipliedReportingOverflow(
      by: new.byteCount - old.byteCount)
    if overflow { throw .tooLarge("the text with replacements", limit: ObjectRef.byteLimit) }
    let result = try makeBytes(
      classIndex: ClassIndex.string, count: string.byteCount + growth)
    var source = 0
    var target = 0
    while let place = string.firstOffset(of: old, from: source) {
      result.copyBytes(from: string, start: source, count: place - source, at: target)
      target += place - source
      result.copyBytes(from: new, start: 0, count: new.byteCount, at: target)
      target += new.byteCount
      source = place + old.byteCount
    }
    result.copyBytes(from: string, start: source, count: string.byteCount - source, at: target)
    result.recordEncoding()
    return Value(result)
  }
}

extension String {
  /// The text with every occurrence of a character doubled.
  func doubled(_ scalar: Unicode.Scalar) -> String {
    var result = String.UnicodeScalarView()
    for each in unicodeScalars {
      result.append(each)
      if each == scalar { result.append(each) }
    }
    return String(result)
  }
}

/// How symbols are written.
enum SymbolText {
  /// The literal of a symbol: `#at:put:`, or `#'with blanks'`.
  static func literal(_ name: String) -> String {
    isPlain(name) ? "#" + name : "#'" + name.doubled("'") + "'"
  }

  private static func isPlain(_ name: String) -> Bool {
    let bytes = Array(name.utf8)
    guard let first = bytes.first else { return false }
    let operators = Array("+-*/\\<>=~@%&?!,|".utf8)
    if bytes.allSatisfy({ operators.contains($0) }) { return !name.contains("//") }
    func isLetter(_ byte: UInt8) -> Bool {
      byte >= 0x80 || byte == UInt8(ascii: "_")
        || byte | 0x20 >= UInt8(ascii: "a") && byte | 0x20 <= UInt8(ascii: "z")
    }
    guard isLetter(first) else { return false }
    var atStart = false
    for byte in bytes.dropFirst() {
      if byte == UInt8(ascii: ":") {
        if atStart { return false }
        atStart = true
      } else if isLetter(byte) || !atStart && byte >= 0x30 && byte <= 0x39 {
        atStart = false
      } else {
        return false
      }
    }
    return !bytes.contains(UInt8(ascii: ":")) || bytes.last == UInt8(ascii: ":")
  }
}
