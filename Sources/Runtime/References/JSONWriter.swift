internal import TenonNumerics
internal import TenonText

/// Writes a value as JSON, with a stack of its own for what is inside of what.
struct JSONWriter {
  private let machine: Machine
  /// Whether what is infinite is a number beyond all floats.
  private var withInfinities = false
  /// Blanks for each level of nesting; nil for one line.
  private let indent: Int?
  /// What a value answers that JSON has no form for: another value, or `unwind`.
  private let convert: (Value) throws(Failure) -> Value
  private let failure: (String) -> Failure
  private var bytes: [UInt8] = []
  private var open: [Container] = []

  /// An array or dictionary that is being written; a root holds it.
  private struct Container {
    let value: Value
    let isDictionary: Bool
    /// How many elements, or entries of the table, have been looked at.
    var index = 0
    var isEmpty = true
  }

  /// How often the answer of a value to `jsonValue` may have to be asked itself.
  private static let conversionLimit = 16

  /// Writes a value.
  ///
  /// - Parameters:
  ///   - value: The value, which a root holds.
  ///   - machine: The machine it belongs to.
  ///   - withInfinities: Whether what is infinite is a number beyond all floats.
  ///   - indent: Blanks for each level of nesting; nil for one line.
  ///   - convert: Makes another value of one that JSON has no form for, or answers `unwind`.
  ///   - failure: Makes an error of what JSON cannot hold.
  /// - Returns: JSON in UTF-8; nil when the stack unwinds.
  /// - Throws: What `failure` makes; or that memory is short, or that the program is to stop.
  static func write(
    _ value: Value, of machine: Machine, withInfinities: Bool = false, indent: Int? = nil,
    convert: @escaping (Value) throws(Failure) -> Value, failure: @escaping (String) -> Failure
  ) throws(Failure) -> [UInt8]? {
    let root = machine.roots.count
    defer { machine.dropRoots(to: root) }
    var writer = JSONWriter(
      machine: machine, indent: indent, convert: convert, failure: failure)
    writer.withInfinities = withInfinities
    return try writer.write(value) ? writer.bytes : nil
  }

  private init(
    machine: Machine, indent: Int?, convert: @escaping (Value) throws(Failure) -> Value,
    failure: @escaping (String) -> Failure
  ) {
    self.machine = machine
    self.indent = indent
    self.convert = convert
    self.failure = failure
  }

  // MARK: Containers

  private mutating func write(_ value: Value) throws(Failure) -> Bool {
    guard try begin(value) else { return false }
    var count = 0
    while let container = open.last {
      count += 1
      if count & 0xFFF == 0 {
        try machine.pollInterrupt()
        try machine.reserve(bytes.count)
      }
      guard let entry = nextEntry(of: container) else {
        end(container)
        continue
      }
      if !container.isEmpty { append(indent == nil ? ", " : ",") }
      open[open.count - 1].isEmpty = false
      startLine()
      if container.isDictionary {
        guard machine.isString(entry.key) else {
          throw failure("a name in JSON is a string, not \(machine.describe(entry.key))")
        }
        append(text: ObjectRef(entry.key))
        append(": ")
      }
      guard try begin(entry.value) else { return false }
    }
    return true
  }

  /// The next entry of what is being written; of an array its value counts.
  ///
  /// The containers are asked each time: what a value converts to may have changed them.
  private mutating func nextEntry(of container: Container) -> (key: Value, value: Value)? {
    var index = container.index
    defer { open[open.count - 1].index = index }
    if container.isDictionary {
      let table = HashTable(container.value)
      while index < table.used {
        index += 1
        if let entry = table.entry(index) { return entry }
      }
      return nil
    }
    guard let element = element(of: container.value, at: index) else { return nil }
    index += 1
    return (.nil, element)
  }

  private func element(of value: Value, at index: Int) -> Value? {
    if value.isObject(ofClass: ClassIndex.array) {
      let array = ObjectRef(value)
      return index < array.elementCount ? array[element: index] : nil
    }
    let elements = OrderedElements(value)
    guard index < elements.count else { return nil }
    return try? machine.element(elements, at: index)
  }

  private mutating func end(_ container: Container) {
    open.removeLast()
    machine.roots.removeLast()
    if !container.isEmpty { startLine() }
    append(container.isDictionary ? "}" : "]")
  }

  /// Writes a value, or begins to write one that has others inside.
  private mutating func begin(_ value: Value) throws(Failure) -> Bool {
    var value = value
    for _ in 0..<JSONWriter.conversionLimit {
      if try appendPlain(value) { return true }
      let isDictionary = machine.classInfo(of: value).inherits(from: machine.kernel.dictionary)
      if isDictionary || isSequence(value) {
        guard !open.contains(where: { $0.value == value }) else {
          throw failure("JSON cannot hold \(machine.describe(value)) that contains itself")
        }
        guard open.count < JSONReader.depthLimit else {
          throw failure(
            "JSON cannot hold what nests deeper than \(JSONReader.depthLimit) levels")
        }
        // A formula hears of what is nested, too.
        machine.recordUse(of: value)
        machine.roots.append(value)
        open.append(Container(value: value, isDictionary: isDictionary))
        append(isDictionary ? "{" : "[")
        return true
      }
      if value.isObject, machine.classInfo(of: value).inherits(from: machine.kernel.scaledDecimal) {
        return try appendDecimal(value)
      }
      value = try convert(value)
      if value.isUnwind { return false }
    }
    throw failure("JSON cannot hold \(machine.describe(value))")
  }

  private func isSequence(_ value: Value) -> Bool {
    value.isObject(ofClass: ClassIndex.array)
      || value.isObject
        && machine.classInfo(of: value).inherits(from: machine.kernel.orderedCollection)
  }

  // MARK: Plain values

  /// Writes a value without others inside; answers whether it is one.
  private mutating func appendPlain(_ value: Value) throws(Failure) -> Bool {
    if value.isNil {
      append("null")
    } else if value.isBoolean {
      append(value.isTrue ? "true" : "false")
    } else if let number = machine.numeric(value) {
      append(try text(of: number))
    } else if machine.isString(value) {
      append(text: ObjectRef(value))
    } else {
      return false
    }
    return true
  }

  private func text(of number: Numeric) throws(Failure) -> String {
    switch number {
    case .small(let integer): return String(integer)
    case .large(let integer): return try integer.text(radix: 10, poll: machine.poll)
    case .float(let double):
      if let text = FloatText.shortest(double) { return text }
      if withInfinities, double.isInfinite { return double < 0 ? "-1.0e999" : "1.0e999" }
      throw failure(
        withInfinities
          ? "a database has no \(machine.floatText(double)); nil can stand for it"
          : "JSON cannot hold \(machine.floatText(double))")
    }
  }

  /// Writes the digits of a scaled decimal.
  private mutating func appendDecimal(_ value: Value) throws(Failure) -> Bool {
    let text = machine.displayString(of: value)
    if text.isUnwind { return false }
    append(try machine.swiftString(text))
    return true
  }

  private mutating func append(_ text: String) { bytes += text.utf8 }

  private mutating func startLine() {
    guard let indent else { return }
    append("\n")
    bytes += Array(repeating: 0x20, count: indent * open.count)
  }

  private mutating func append(text: ObjectRef) {
    bytes.append(UInt8(ascii: "\""))
    for index in 0..<text.byteCount {
      let byte = text[byte: index]
      switch byte {
      case UInt8(ascii: "\""): append("\\\"")
      case UInt8(ascii: "\\"): append("\\\\")
      case 0x0A: append("\\n")
      case 0x0D: append("\\r")
      case 0x09: append("\\t")
      case 0..<0x20:
        append("\\u00")
        bytes += [ASCII.hexDigit(byte >> 4), ASCII.hexDigit(byte & 15)]
      default: bytes.append(byte)
      }
    }
    bytes.append(UInt8(ascii: "\""))
  }
}
