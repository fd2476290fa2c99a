/// The name of a message; one object for each name and interpreter.
@safe
final class Selector {
  /// The name, `at:put:`.
  let name: String
  /// The symbol in the language.
  let symbol: Value
  /// How many arguments the message takes.
  let argumentCount: Int
  /// A number that stands for the selector in caches.
  let number: Int
  /// What an empty cache refers to; never evaluated.
  let missingBody: Node

  /// The sends whose caches may hold a method for this selector.
  private var sends: [Unmanaged<SendNode>] = unsafe []

  init(name: String, symbol: Value, number: Int, missingBody: Node) {
    self.name = name
    self.symbol = symbol
    self.number = number
    self.missingBody = missingBody
    argumentCount = Selector.argumentCount(of: name)
  }

  /// How many arguments a message of that name takes.
  static func argumentCount(of name: String) -> Int {
    guard let first = name.utf8.first else { return 0 }
    let colons = name.utf8.count { $0 == UInt8(ascii: ":") }
    if colons > 0 { return colons }
    let isName =
      first >= 0x80 || first == UInt8(ascii: "_")
      || first | 0x20 >= UInt8(ascii: "a")
        && first | 0x20 <= UInt8(ascii: "z")
    return isName ? 0 : 1
  }
}

// MARK: - Caches

extension Selector {
  /// Enters a send whose cache holds something.
  func register(_ node: SendNode) {
    unsafe node.registration = sends.count
    unsafe sends.append(Unmanaged.passUnretained(node))
  }

  /// Removes a send that goes away.
  ///
  /// - Complexity: O(1).
  func unregister(_ node: SendNode) {
    let index = unsafe node.registration
    guard let last = unsafe sends.popLast() else { return }
    if unsafe index < sends.count {
      unsafe sends[index] = unsafe last
      unsafe last._withUnsafeGuaranteedRef { unsafe $0.registration = index }
    }
    unsafe node.registration = -1
  }

  /// Empties the caches of all sends because some class has a new method for the selector.
  func flushCaches() {
    // swift-format-ignore
    for unsafe node in unsafe sends { unsafe node._withUnsafeGuaranteedRef { $0.flushCache() } }
  }
}
