internal import TenonLexer

/// How error messages speak of values, without running code of the program.
extension Machine {
  /// A short description: the value itself when it is small, else its class.
  func describe(_ value: Value) -> String {
    if let integer = value.asSmallInteger { return String(integer) }
    if value.isNil { return "nil" }
    // A variable that nothing has been written to.
    if value.isUndefined { return "unknown" }
    if value.isTrue { return "true" }
    if value.isFalse { return "false" }
    if value.isCharacter, let scalar = Unicode.Scalar(value.characterCode) {
      return "$\(Character(scalar))".withVisibleControls
    }
    if let double = double(value) { return floatText(double) }
    if isString(value) { return quoted(ObjectRef(value)) }
    if case .large(let integer)? = numeric(value) { return shortened(integer) }
    if let info = classInfo(named: value) { return info.name.withShortQuotes }
    return withArticle(classInfo(of: value).name)
  }

  /// A string in quotes, cut when it is long.
  private func quoted(_ string: ObjectRef) -> String {
    let limit = 60
    var end = 0
    for _ in 0..<limit where end < string.byteCount { end = string.nextOffset(after: end) }
    let text = unsafe String(decoding: string.bytes[..<end], as: UTF8.self).withVisibleControls
    return end < string.byteCount ? "'\(text)…'" : "'\(text)'"
  }

  /// An integer, or what kind it is when its digits would fill lines.
  private func shortened(_ integer: LargeInteger) -> String {
    integer.bitLength <= 256 ? integer.description : "an integer of \(integer.bitLength) bits"
  }

  /// A class name with the right article.
  func withArticle(_ name: String) -> String {
    let vowels: Set<Character> = ["A", "E", "I", "O", "U"]
    guard let first = name.first else { return name }
    return (vowels.contains(first) ? "an " : "a ") + name.withShortQuotes
  }

  /// The text of a value that is most likely a string.
  func displayText(_ value: Value) -> String {
    text(value) ?? describe(value)
  }
}
