internal import TenonAnalysis
internal import TenonLexer
internal import TenonNumerics

/// How error messages speak of values, without running code of the program.
extension Machine {
  /// The object of the language that stands for a connection.
  func makeConnectionObject(_ connection: Connection) -> Value {
    let object = makeInstance(of: "Connection")
    object[slot: 0] = Value(small: connection.number)
    object[slot: 1] = session.statementTexts.text(of: connection.statement) { makeString($0) }
    return Value(object)
  }

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
    let info = classInfo(of: value)
    if info.isKernel, let text = exactText(value, info) { return text }
    return withArticle(info.name)
  }

  /// A fraction or scaled decimal as it prints; nil for others, for long ones, and for those into which a
  /// program has put something else.
  private func exactText(_ value: Value, _ info: ClassInfo) -> String? {
    func parts(_ fraction: Value) -> (top: LargeInteger, bottom: LargeInteger)? {
      if let integer = integer(fraction) { return (integer, .one) }
      guard fraction.isObject, classInfo(of: fraction).isKernel,
        classInfo(of: fraction).name == "Fraction",
        let top = integer(ObjectRef(fraction)[slot: 0]),
        let bottom = integer(ObjectRef(fraction)[slot: 1])
      else { return nil }
      return (top, bottom)
    }
    func integer(_ value: Value) -> LargeInteger? {
      let integer: LargeInteger
      switch numeric(value) {
      case .small(let small): integer = LargeInteger(small)
      case .large(let large): integer = large
      case .float, nil: return nil
      }
      return integer.bitLength <= 256 ? integer : nil
    }
    switch info.name {
    case "Fraction":
      return parts(value).map { "\($0.top)/\($0.bottom)" }
    case "ScaledDecimal":
      let scale = ObjectRef(value)[slot: 1]
      guard let (top, bottom) = parts(ObjectRef(value)[slot: 0]),
        let places = scale.asSmallInteger, 0...40 ~= places,
        let text = FixedPlacesText.text(
          numerator: top, denominator: bottom, places: places, poll: {})
      else { return nil }
      return "\(text)s\(places)"
    default: return nil
    }
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

  /// A class name with the right article; what begins with U and another capital is spelled: a URL.
  func withArticle(_ name: String) -> String {
    guard let first = name.first else { return name }
    let isSpelled = first == "U" && name.dropFirst().first?.isUppercase == true
    return ("AEIOU".contains(first) && !isSpelled ? "an " : "a ") + name.withShortQuotes
  }

  /// The text of a value that is most likely a string.
  func displayText(_ value: Value) -> String {
    text(value) ?? describe(value)
  }
}

extension Machine {
  /// What is added to the message of an error that nobody handles: the message that may have been
  /// meant by one that was not understood, with as many arguments.
  ///
  /// - Returns: an empty text for other errors, and where nothing is near enough.
  /// - Complexity: O(*n*) in the selectors of the receiver's class and its superclasses.
  func hint(for exception: ObjectRef) -> String {
    let info = classInfo(of: Value(exception))
    guard info.inherits(from: kernelClass("MessageNotUnderstood")),
      let receiver = value(of: "receiver", in: exception),
      let message = value(of: "message", in: exception), message.isObject,
      let symbol = value(of: "selector", in: ObjectRef(message)), symbol.isObject,
      case let selector = displayText(symbol), selector.first?.isLetter == true
    else { return "" }
    let arguments = selector.utf8.count { $0 == UInt8(ascii: ":") }
    if let hint = hintOfEntry(selector, arguments, in: receiver) { return hint }
    // Among short words everything is near to something.
    guard selector.utf8.count - arguments > 3 else { return "" }
    var known: Set<String> = []
    var next: ClassInfo? = classInfo(of: receiver)
    while let info = next {
      for method in info.allMethods {
        let name = method.selector.name
        if name.utf8.count(where: { $0 == UInt8(ascii: ":") }) == arguments { known.insert(name) }
      }
      next = info.superclass
    }
    return Suggestion.nearest(to: selector, in: Array(known)).map { "; did you mean '\($0)'?" }
      ?? ""
  }

  /// How an entry of a dictionary is read or written whose key was sent as a message; nil when there is none.
  ///
  /// - Complexity: O(*n*) in the entries, the first thousand of which are looked at.
  private func hintOfEntry(_ selector: String, _ arguments: Int, in receiver: Value) -> String? {
    guard arguments < 2, receiver.isObject,
      classInfo(of: receiver).inherits(from: kernel.dictionary)
    else { return nil }
    let name = arguments == 0 ? selector : String(selector.dropLast())
    let table = HashTable(receiver)
    for number in 0..<min(table.used, 1000) {
      guard let key = table.entry(number + 1)?.key, text(key) == name else { continue }
      return "; its entry is 'at: \(describe(key))\(arguments == 0 ? "" : " put:")'"
    }
    return nil
  }

  /// The value of an instance variable; nil when there is none of the name.
  private func value(of name: String, in object: ObjectRef) -> Value? {
    classInfo(of: Value(object)).instanceVariables.firstIndex { $0.name == name }
      .map { object[slot: $0] }
  }
}
