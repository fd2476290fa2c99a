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

  /// The sends whose caches may hold a method for this selector; they enter themselves.
  var sends: [Unmanaged<Node>] = unsafe []

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
