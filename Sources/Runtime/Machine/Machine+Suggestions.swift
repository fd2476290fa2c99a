internal import TenonAnalysis

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

  /// The value of an instance variable; nil when there is none of the name.
  private func value(of name: String, in object: ObjectRef) -> Value? {
    classInfo(of: Value(object)).instanceVariables.firstIndex { $0.name == name }
      .map { object[slot: $0] }
  }
}
