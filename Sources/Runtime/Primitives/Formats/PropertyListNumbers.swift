internal import TenonText

extension Primitive {
  /// Numbers as property lists in XML have them.
  static let propertyListClass: [Primitive] = [
    Primitive("integerIn: aString", "Private: the integer in decimal or hexadecimal; or nil.") {
      machine, arguments throws(Failure) in
      let bytes = Array(try machine.swiftString(arguments[0]).utf8)
      if let text = DecimalText(whole: bytes, .plain) {
        guard !text.isFloat, text.exponent == nil else { return .nil }
        return try machine.number(text, in: bytes) ?? .nil
      }
      let isSigned = bytes.first == UInt8(ascii: "-") || bytes.first == UInt8(ascii: "+")
      let digits = isSigned ? bytes.dropFirst() : bytes[...]
      guard digits.starts(with: "0x".utf8) || digits.starts(with: "0X".utf8) else { return .nil }
      let sign = bytes.first == UInt8(ascii: "-") ? "-" : ""
      let spelled = sign + String(decoding: digits.dropFirst(2), as: UTF8.self)
      // Behind the mark of the base there is no other sign.
      guard digits.dropFirst(2).allSatisfy({ ASCII(code: $0).hexValue != nil }) else { return .nil }
      return try machine.integer(spelled: spelled, base: 16)
    },
    Primitive("realIn: aString", "Private: the float, nan and infinities too; or nil.") {
      machine, arguments throws(Failure) in
      let string = try machine.swiftString(arguments[0])
      if let double = SpecialFloatText.real(string) { return machine.makeFloat(double) }
      let bytes = Array(string.utf8)
      guard let text = DecimalText(whole: bytes, .real), let double = machine.float(text, in: bytes)
      else { return .nil }
      return machine.makeFloat(double)
    },
  ]
}
