/// A date, or a date with a time and an offset, in the form that most texts have:
/// `2026-11-21`, `2026-11-21T18:42:40.5+01:00`.
///
/// Other forms of ISO 8601, and texts that are wrong, are left to the kernel's scanner.
package struct PlainDateText {
  package let year: Int
  package let month: Int
  package let day: Int
  /// Nanoseconds since midnight and seconds ahead of UTC; nil for a date alone.
  package private(set) var time: (nanoseconds: Int, offset: Int)?

  /// - Complexity: O(1).
  package init?(_ text: UTF8Bytes) {
    guard text.count == 10 || 20...35 ~= text.count else { return nil }
    var reader = Reader(text)
    guard let year = reader.number(4), reader.take("-"), let month = reader.number(2),
      reader.take("-"), let day = reader.number(2), 1...12 ~= month, day >= 1,
      day <= PlainDateText.days(in: month, of: year)
    else { return nil }
    self.year = year
    self.month = month
    self.day = day
    guard !reader.isAtEnd else { return }
    guard reader.take("T"), let hour = reader.number(2), hour < 24, reader.take(":"),
      let minute = reader.sixties(), reader.take(":"), let second = reader.sixties(),
      let fraction = reader.fraction(), let offset = reader.offset(), reader.isAtEnd
    else { return nil }
    time = (((hour * 60 + minute) * 60 + second) * 1_000_000_000 + fraction, offset)
  }

  private static func days(in month: Int, of year: Int) -> Int {
    switch month {
    case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
    case 4, 6, 9, 11: 30
    default: 31
    }
  }

  /// The days since 1970-01-01.
  ///
  /// Algorithm: H. Hinnant, "chrono-Compatible Low-Level Date Algorithms", 2013.
  package var dayNumber: Int {
    let shifted = month > 2 ? year : year - 1
    let era = (shifted >= 0 ? shifted : shifted - 399) / 400
    let yearOfEra = shifted - era * 400
    let dayOfYear = (153 * ((month + 9) % 12) + 2) / 5 + day - 1
    return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
  }
}

/// Reads digits and marks from the bytes of a string.
private struct Reader {
  private let text: UTF8Bytes
  private var place = 0

  init(_ text: UTF8Bytes) { self.text = text }

  var isAtEnd: Bool { place == text.count }

  private var digit: Int? {
    guard place < text.count else { return nil }
    let value = Int(text[place]) - 48
    return 0...9 ~= value ? value : nil
  }

  mutating func take(_ mark: Unicode.Scalar) -> Bool {
    guard place < text.count, text[place] == UInt8(ascii: mark) else { return false }
    place += 1
    return true
  }

  mutating func number(_ count: Int) -> Int? {
    var number = 0
    for _ in 0..<count {
      guard let digit else { return nil }
      number = number * 10 + digit
      place += 1
    }
    return number
  }

  mutating func sixties() -> Int? { number(2).flatMap { $0 < 60 ? $0 : nil } }

  /// The nanoseconds that decimals behind a point are; 0 without a point.
  mutating func fraction() -> Int? {
    guard take(".") else { return 0 }
    guard digit != nil else { return nil }
    var fraction = 0
    var unit = 100_000_000
    while let digit {
      guard unit > 0 else { return nil }
      fraction += digit * unit
      unit /= 10
      place += 1
    }
    return fraction
  }

  /// The seconds of `Z`, `+01:00` or `-05:30`.
  mutating func offset() -> Int? {
    if take("Z") { return 0 }
    let isBehind = take("-")
    guard isBehind || take("+"), let hours = number(2), hours < 24, take(":"),
      let minutes = sixties()
    else { return nil }
    let seconds = (hours * 60 + minutes) * 60
    return isBehind ? -seconds : seconds
  }
}
