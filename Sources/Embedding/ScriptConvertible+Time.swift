public import TenonRuntime

/// Nanoseconds in a second, and attoseconds in a nanosecond.
private let perSecond: Int128 = 1_000_000_000

/// A duration is exact to the nanosecond in a script; what is finer is rounded.
// swift-format-ignore: AllPublicDeclarationsHaveDocumentation
extension Duration: ScriptConvertible {
  public static func read(_ value: borrowing ValueReader) throws(ConversionError) -> Duration {
    guard let length = value.variables(of: "Duration", [0])?.first else {
      throw value.mismatch("a duration")
    }
    let machine = value.machine
    let nanoseconds = try machine.read(length) { (length) throws(ConversionError) in
      try Int128.read(length)
    }
    let parts = nanoseconds.quotientAndRemainder(dividingBy: perSecond)
    guard let seconds = Int64(exactly: parts.quotient) else {
      throw value.mismatch("a duration that Duration can hold")
    }
    return Duration(
      secondsComponent: seconds, attosecondsComponent: Int64(parts.remainder * perSecond))
  }

  public func write(to writer: inout ValueWriter) throws(ConversionError) {
    let (seconds, attoseconds) = components
    let half = attoseconds < 0 ? -perSecond / 2 : perSecond / 2
    let nanoseconds = Int128(seconds) * perSecond + (Int128(attoseconds) + half) / perSecond
    try writer.writeInstance(of: "Duration", count: 1) { (writer, _) throws(ConversionError) in
      writer.write(integer: nanoseconds)
    }
  }
}

/// A moment, exact to the nanosecond: what a `DateTime` of a script says but for its time zone.
public struct ScriptInstant: ScriptConvertible, Hashable, Comparable, Sendable {
  /// Nanoseconds since 1970 began in UTC, without leap seconds.
  public var nanosecondsSince1970: Int128

  /// Creates a moment.
  public init(nanosecondsSince1970: Int128) { self.nanosecondsSince1970 = nanosecondsSince1970 }

  /// Creates a moment from whole seconds and the nanoseconds beside them.
  public init(secondsSince1970 seconds: Int, nanoseconds: Int = 0) {
    nanosecondsSince1970 = Int128(seconds) * perSecond + Int128(nanoseconds)
  }

  /// Whether one moment is before another.
  public static func < (left: ScriptInstant, right: ScriptInstant) -> Bool {
    left.nanosecondsSince1970 < right.nanosecondsSince1970
  }

  /// Reads a `DateTime`, in whatever time zone.
  ///
  /// - Throws: `ConversionError` when it is none.
  public static func read(_ value: borrowing ValueReader) throws(ConversionError) -> ScriptInstant {
    guard let instant = value.variables(of: "DateTime", [0])?.first else {
      throw value.mismatch("a date with a time")
    }
    let machine = value.machine
    return ScriptInstant(
      nanosecondsSince1970: try machine.read(instant) { (instant) throws(ConversionError) in
        try Int128.read(instant)
      })
  }

  /// Writes a `DateTime` in UTC.
  ///
  /// - Throws: `ConversionError` when the interpreter cannot make it.
  public func write(to writer: inout ValueWriter) throws(ConversionError) {
    try writer.writeInstance(of: "DateTime", count: 3) { (writer, index) throws(ConversionError) in
      switch index {
      case 0: writer.write(integer: nanosecondsSince1970)
      case 1: try writer.writeAnswer(of: "TimeZone", to: "utc")
      default: writer.write(integer: 0)
      }
    }
  }
}
