/// How error messages speak of values, without running code of the program.
extension Machine {
  /// A short description: the value itself when it is small, else its class.
  func describe(_ value: Value) -> String {
    if let integer = value.asSmallInteger { return String(integer) }
    if value.isNil { return "nil" }
    if value.isTrue { return "true" }
    if value.isFalse { return "false" }
    if value.isCharacter, let scalar = Unicode.Scalar(value.characterCode) {
      return "$\(Character(scalar))"
    }
    if let double = double(value) { return "\(double)" }
    if let text = text(value) { return quoted(text) }
    if let info = classInfo(named: value) { return info.name }
    return withArticle(classInfo(of: value).name)
  }

  /// A string in quotes, cut when it is long.
  private func quoted(_ text: String) -> String {
    let limit = 60
    guard text.count > limit else { return "'\(text)'" }
    return "'\(text.prefix(limit))…'"
  }

  /// A class name with the right article.
  func withArticle(_ name: String) -> String {
    let vowels: Set<Character> = ["A", "E", "I", "O", "U"]
    guard let first = name.first else { return name }
    return (vowels.contains(first) ? "an " : "a ") + name
  }

  /// The text of a value that is most likely a string.
  func displayText(_ value: Value) -> String {
    text(value) ?? describe(value)
  }
}
