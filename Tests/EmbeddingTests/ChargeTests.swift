import Foundation
import Tenon
import TenonRuntime
import Testing

/// What methods in Swift do is counted by its size.
@Suite struct ChargeTests {
  /// What is done with texts `s` and `t`, an array `a`, or bytes `b` and `c` of many elements.
  static let natives = [
    "s reversed", "s asUppercase", "s asLowercase", "s hash", "s , 'x'", "s asSymbol", "s = t",
    "s < t", "s indexOf: $z", "s occurrencesOf: $z", "s includesSubstring: 'zy'", "s split: ','",
    "s utf8", "s allMatches: 'z'", "s replacingMatches: 'z' with: 'y'",
    "s copyReplaceAll: 'z' with: 'y'", "s trimmed", "s lines", "s asArray", "s * 2",
    "s copyFrom: 2", "s utf8 sha256", "b base64Encoded", "b hexEncoded", "b reversed", "b , b",
    "b = c", "b utf8Decoded", "b copyFrom: 2", "a copy", "a reversed", "a , a", "a sum", "a max",
    "a sorted", "a = a copy", "a asSet", "a asOrderedCollection", "a asBag", "a printString",
    "a joined: ','", "a collect: [ :x | x ]", "JSON write: a", "Array new: 400000",
    "ByteArray new: 3000000", "(1 to: 400000) asArray", "'x' * 3000000",
    "'' padLeft: 3000000", "1 bitShift: 20000000", "3 raisedTo: 2000000",
  ]

  private func prepare() throws -> Interpreter {
    var options = Interpreter.Options()
    options.stepLimit = 150
    let interpreter = Interpreter(options)
    let text = String(repeating: "a", count: 2 << 20)
    try interpreter.set("s", to: text)
    try interpreter.set("t", to: text)
    let bytes = [UInt8](repeating: 97, count: 2 << 20)
    try interpreter.set("b", to: bytes)
    try interpreter.set("c", to: bytes)
    try interpreter.set("a", to: Array(repeating: 1, count: 300_000))
    return interpreter
  }

  @Test func nativesAreCharged() throws {
    let interpreter = try prepare()
    var free: [String] = []
    for native in Self.natives {
      do throws(EvaluationError) {
        _ = try interpreter.evaluate("[ \(native) ] value. 3 printString")
        free.append(native)
      } catch {
        guard case .limit(.steps) = error else {
          free.append("\(native): \(error)")
          continue
        }
      }
    }
    #expect(free.isEmpty, "\(free.joined(separator: "\n"))")
  }
}
