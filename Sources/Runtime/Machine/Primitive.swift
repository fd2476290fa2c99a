/// A method written in Swift: a row of a table.
///
///     Primitive("+ aNumber", "The sum of the receiver and aNumber.") { machine, arguments in … }
///
/// The pattern gives selector and parameter names, the summary the line in the reference; the
/// shell's help and the reference page derive from the row.
struct Primitive: Sendable {
  /// What it does: receives the machine and the frame, answers a value or throws.
  typealias Body = @Sendable (Machine, Arguments) throws(Failure) -> Value

  /// The primitives of a class by the class's name; `Array class` is the class side.
  typealias Rows = @Sendable (String) -> [Primitive]

  let pattern: String
  let summary: String
  let body: Body

  init(_ pattern: String, _ summary: String, _ body: @escaping Body) {
    self.pattern = pattern
    self.summary = summary
    self.body = body
  }

  /// The selector in the pattern: `at: index put: value` is `at:put:`.
  var selector: String {
    let words = pattern.split(separator: " ")
    guard let first = words.first else { return "" }
    if words.count == 1 || !first.hasSuffix(":") { return String(first) }
    return stride(from: 0, to: words.count, by: 2).map { String(words[$0]) }.joined()
  }
}

/// Receiver and arguments of a primitive, in the frame where the sender put them.
///
/// They are rooted there: a primitive may call back into the language and read them again.
@safe
struct Arguments {
  let frame: Frame

  @inline(__always) var receiver: Value { frame.receiver }

  /// An argument, counted from 0.
  @inline(__always)
  subscript(index: Int) -> Value { frame[index &+ 1] }
}
