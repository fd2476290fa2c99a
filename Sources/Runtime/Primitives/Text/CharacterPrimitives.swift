internal import TenonText

extension Primitive {
  static let character: [Primitive] = [
    Primitive("value", "The code point.") { _, arguments in
      Value(small: Int(arguments.receiver.characterCode))
    },
    Primitive("asString", "A string of the one character.") { machine, arguments in
      machine.makeString(machine.asCharacter(arguments.receiver))
    },
    Primitive("asUppercase", "The character in upper case, if that is one character.") {
      machine, arguments in
      if let byte = ASCII(arguments.receiver) { return ASCII.value(byte.uppercased) }
      return machine.singleCharacter(machine.asCharacter(arguments.receiver).uppercased())
        ?? arguments.receiver
    },
    Primitive("asLowercase", "The character in lower case, if that is one character.") {
      machine, arguments in
      if let byte = ASCII(arguments.receiver) { return ASCII.value(byte.lowercased) }
      return machine.singleCharacter(machine.asCharacter(arguments.receiver).lowercased())
        ?? arguments.receiver
    },
    kind("isLetter", "Whether it is a letter of any script.", \.isLetter) {
      $0.properties.isAlphabetic
    },
    kind("isUppercase", "Whether it is in upper case.", \.isUppercase) {
      $0.properties.isUppercase
    },
    kind("isLowercase", "Whether it is in lower case.", \.isLowercase) {
      $0.properties.isLowercase
    },
    kind("isSeparator", "Whether it is white space.", \.isWhiteSpace) {
      $0.properties.isWhitespace
    },
    kind("isAlphaNumeric", "Whether it is a letter or a digit.", \.isAlphaNumeric) {
      $0.properties.isAlphabetic
    },
    kind("isDigit", "Whether it is one of 0 to 9.", \.isDigit) { _ in false },
    kind("isVowel", "Whether it is one of aeiouAEIOU.", \.isVowel) { _ in false },
    kind("isPunctuation", "Whether it is punctuation.", { $0.isPunctuation }) {
      RegexProperty.named("punctuation")?.holds(for: $0) ?? false
    },
    kind("isControl", "Whether it is a control character.", { $0.isControl }) {
      $0.properties.generalCategory == .control
    },
    kind("isCased", "Whether it is in upper, lower or title case.", \.isLetter) {
      $0.properties.isCased
    },
    Primitive("numericValue", "The number that it stands for, in any script, or nil.") {
      machine, arguments in
      guard let scalar = Unicode.Scalar(arguments.receiver.characterCode),
        let number = scalar.properties.numericValue
      else { return .nil }
      return Int(exactly: number).map { machine.makeInteger($0) } ?? machine.makeFloat(number)
    },
    Primitive("unicodeName", "Its name in Unicode, or nil.") { machine, arguments in
      let scalar = Unicode.Scalar(arguments.receiver.characterCode)
      return scalar?.properties.name.map { machine.makeString($0) } ?? .nil
    },
    Primitive("generalCategory", "Its general category in Unicode, as #Lu for upper case.") {
      machine, arguments in
      let scalar = Unicode.Scalar(arguments.receiver.characterCode)
      return scalar.map { machine.symbol(RegexProperty.categoryName(of: $0)) } ?? .nil
    },
    comparison("< aCharacter", "Whether its code is less than aCharacter's.", <),
    comparison("> aCharacter", "Whether its code is greater than aCharacter's.", >),
    comparison("<= aCharacter", "Whether its code is at most aCharacter's.", <=),
    comparison(">= aCharacter", "Whether its code is at least aCharacter's.", >=),
    Primitive("hash", "A number that goes with the character.") { _, arguments in
      Value(small: Int(arguments.receiver.characterCode))
    },
  ]

  private static func comparison(
    _ pattern: String, _ summary: String,
    _ test: @escaping @Sendable (UInt32, UInt32) -> Bool
  ) -> Primitive {
    Primitive(pattern, summary) { machine, arguments throws(Failure) in
      guard arguments[0].isCharacter else {
        throw .invalidArgument("a character", found: machine.describe(arguments[0]))
      }
      return Value(test(arguments.receiver.characterCode, arguments[0].characterCode))
    }
  }

  /// A test of characters: of ASCII by the code, of others by the properties Unicode gives them.
  private static func kind(
    _ pattern: String, _ summary: String, _ test: @escaping @Sendable (ASCII) -> Bool,
    others: @escaping @Sendable (Unicode.Scalar) -> Bool
  ) -> Primitive {
    Primitive(pattern, summary) { _, arguments in
      if let byte = ASCII(arguments.receiver) { return Value(test(byte)) }
      return Value(Unicode.Scalar(arguments.receiver.characterCode).map(others) ?? false)
    }
  }

  static let characterClass: [Primitive] =
    [
      Primitive("value: codePoint", "The character with a code point.") {
        machine, arguments throws(Failure) in
        let code = try machine.integer(arguments[0])
        guard let value = UInt32(exactly: code), let scalar = Unicode.Scalar(value) else {
          throw .invalidArgument("a code point of Unicode", found: String(code))
        }
        return Value(scalar)
      }
    ] + constants

  private static var constants: [Primitive] {
    let names: [(String, Unicode.Scalar)] = [
      ("null", "\0"), ("nul", "\0"), ("backspace", "\u{8}"), ("tab", "\t"), ("lf", "\n"),
      ("linefeed", "\n"), ("nl", "\n"),
      ("newPage", "\u{C}"), ("cr", "\r"), ("escape", "\u{1B}"), ("space", " "),
      ("delete", "\u{7F}"),
    ]
    return names.map { name, scalar in
      Primitive(name, "The character with the code \(scalar.value).") { _, _ in Value(scalar) }
    }
  }
}

extension ASCII {
  /// A Character, if it is one of ASCII.
  @inline(__always)
  init?(_ character: Value) {
    guard character.characterCode < 0x80 else { return nil }
    self.init(code: UInt8(truncatingIfNeeded: character.characterCode))
  }

  @inline(__always)
  static func value(_ code: UInt8) -> Value { Value(Unicode.Scalar(code)) }
}
