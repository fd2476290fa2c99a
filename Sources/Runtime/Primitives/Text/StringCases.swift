internal import TenonNumerics
internal import TenonText

extension Primitive {
  static let stringCases: [Primitive] = [
    Primitive("asUppercase", "The text in upper case, which may be longer: ß becomes SS.") {
      machine, arguments throws(Failure) in
      try machine.mapCase(arguments.receiver, ascii: \.uppercased) { $0.uppercased() }
    },
    Primitive("asLowercase", "The text in lower case; a sigma that ends a word becomes ς.") {
      machine, arguments throws(Failure) in
      try machine.mapCase(arguments.receiver, ascii: \.lowercased) { $0.inLowercase }
    },
    Primitive("caseFolded", "The text for comparisons that leave case out of account.") {
      machine, arguments throws(Failure) in
      try machine.mapCase(arguments.receiver, ascii: \.lowercased) {
        // The first step is for the capital ß, whose upper case is itself.
        $0.lowercased().uppercased().lowercased()
      }
    },
    Primitive("capitalized", "The text with its first character in upper case.") {
      machine, arguments throws(Failure) in
      try machine.mapFirst(arguments.receiver) { $0.properties.titlecaseMapping }
    },
    Primitive("uncapitalized", "The text with its first character in lower case.") {
      machine, arguments throws(Failure) in
      try machine.mapFirst(arguments.receiver) { $0.properties.lowercaseMapping }
    },
  ]

  static let stringGraphemes: [Primitive] = [
    Primitive("reversed", "The text in reverse order, grapheme clusters kept whole.") {
      machine, arguments throws(Failure) in
      try machine.reversed(ObjectRef(arguments.receiver))
    },
    Primitive("graphemes", "An array of the grapheme clusters: what readers take for characters.") {
      machine, arguments throws(Failure) in
      let text = try machine.swiftString(arguments.receiver)
      try machine.reserve(text.utf8.count * 40)
      return machine.makeArray(text.map { machine.makeString(String($0)) })
    },
    Primitive("graphemeCount", "The number of grapheme clusters.") {
      machine, arguments throws(Failure) in
      let string = ObjectRef(arguments.receiver)
      if string.isSimple { return Value(small: string.byteCount) }
      return Value(small: try machine.swiftString(arguments.receiver).count)
    },
    Primitive("displayWidth", "How many columns of a terminal it takes.") {
      machine, arguments throws(Failure) in
      Value(small: DisplayWidth.of(try machine.swiftString(arguments.receiver)))
    },
  ]
}

extension Machine {
  /// Returns a new string for text of any size.
  ///
  /// - Throws: `OutOfMemory` when the limit forbids it.
  func makeText(_ text: String) throws(Failure) -> Value {
    let count = text.utf8.count
    guard count <= ObjectRef.byteLimit else {
      throw .tooLarge("a string of \(count) bytes", limit: ObjectRef.byteLimit)
    }
    try reserve(count)
    return makeString(text)
  }

  /// A string with each character mapped to another case.
  fileprivate func mapCase(
    _ value: Value, ascii: (ASCII) -> UInt8, _ map: (String) -> String
  ) throws(Failure) -> Value {
    let string = try string(value)
    guard string.isASCII else { return try makeText(map(swiftString(value))) }
    let result = try makeBytes(classIndex: ClassIndex.string, count: string.byteCount)
    for index in 0..<string.byteCount {
      result[byte: index] = ascii(ASCII(code: string[byte: index]))
    }
    return Value(result)
  }

  /// A string with its first character mapped.
  fileprivate func mapFirst(
    _ value: Value, _ map: (Unicode.Scalar) -> String
  ) throws(Failure) -> Value {
    var text = try swiftString(value)
    guard let first = text.unicodeScalars.first else { return makeString("") }
    text.unicodeScalars.replaceSubrange(
      text.startIndex..<text.unicodeScalars.index(after: text.startIndex),
      with: map(first).unicodeScalars)
    return try makeText(text)
  }

  fileprivate func reversed(_ string: ObjectRef) throws(Failure) -> Value {
    let count = string.byteCount
    if string.isSimple {
      let result = try makeBytes(classIndex: ClassIndex.string, count: count)
      for index in 0..<count { result[byte: count - 1 - index] = string[byte: index] }
      return Value(result)
    }
    var result = ""
    result.reserveCapacity(count)
    var clusters = 0
    for cluster in try swiftString(Value(string)).reversed() {
      clusters += 1
      if clusters & 0xFFFF == 0 { try pollInterrupt() }
      result.append(cluster)
    }
    return try makeText(result)
  }

  /// A string many times over.
  func repeated(_ string: ObjectRef, count value: Value) throws(Failure) -> Value {
    let size = string.byteCount
    var count = 0
    switch numeric(value) {
    case .small(let integer): count = integer
    case .large(let integer): count = integer.isNegative ? 0 : Int.max
    case .float, nil: throw .invalidArgument("an integer", found: describe(value))
    }
    guard size > 0, count > 0 else { return makeString("") }
    let (total, overflow) = size.multipliedReportingOverflow(by: count)
    if overflow { throw .tooLarge("the repeated string", limit: ObjectRef.byteLimit) }
    let result = try makeBytes(classIndex: ClassIndex.string, count: total)
    result.copyBytes(from: string, start: 0, count: size, at: 0)
    var filled = size
    while filled < total {
      let part = min(filled, total - filled)
      result.copyBytes(from: result, start: 0, count: part, at: filled)
      filled += part
    }
    result.flags |= string.flags & ObjectFlag.notASCII
    return Value(result)
  }
}

extension ObjectRef {
  /// Whether each byte of a string is a grapheme cluster: ASCII without the one pair that is one.
  fileprivate var isSimple: Bool {
    unsafe isASCII && !bytes.contains(UInt8(ascii: "\r"))
  }
}

extension String {
  /// The text in lower case.
  ///
  /// The one mapping that Unicode makes depend on what is around, in all languages alike: a sigma at
  /// the end of a word.
  fileprivate var inLowercase: String {
    let sigma: Unicode.Scalar = "\u{3A3}"
    guard unicodeScalars.contains(sigma) else { return lowercased() }
    let scalars = Array(unicodeScalars)
    // For each place whether a cased letter follows, with nothing but what is ignorable between.
    var isFollowed = Array(repeating: false, count: scalars.count)
    var isBeforeCased = false
    for index in scalars.indices.reversed() {
      isFollowed[index] = isBeforeCased
      scalars[index].updateCased(&isBeforeCased)
    }
    var result = ""
    var isBehindCased = false
    for (index, scalar) in scalars.enumerated() {
      if scalar == sigma, isBehindCased, !isFollowed[index] {
        result += "\u{3C2}"
      } else {
        result += scalar.properties.lowercaseMapping
      }
      scalar.updateCased(&isBehindCased)
    }
    return result
  }
}

extension Unicode.Scalar {
  /// Notes whether the last scalar that is not case-ignorable is cased.
  fileprivate func updateCased(_ isCased: inout Bool) {
    if properties.isCaseIgnorable { return }
    isCased = properties.isCased
  }
}
