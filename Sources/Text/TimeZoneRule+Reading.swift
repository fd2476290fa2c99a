// What POSIX calls TZ: `CET-1CEST,M3.5.0,M10.5.0/3`.

extension TimeZoneRule {
  /// Reads a rule; nil when the text is none.
  package init?(_ text: String) {
    var reader = RuleReader(text)
    guard let rule = reader.rule(), reader.isAtEnd else { return nil }
    self = rule
  }
}

/// Reads a rule from its text.
private struct RuleReader {
  private let bytes: [UInt8]
  private var position = 0

  init(_ text: String) { bytes = Array(text.utf8) }

  var isAtEnd: Bool { position == bytes.count }

  private var next: UInt8? { isAtEnd ? nil : bytes[position] }

  private mutating func take(_ character: Unicode.Scalar) -> Bool {
    guard next == UInt8(ascii: character) else { return false }
    position += 1
    return true
  }

  mutating func rule() -> TimeZoneRule? {
    guard let name = name(), let west = time(limit: 24) else { return nil }
    let standard = TimeZoneRules.Period(
      offset: -west, isDaylightSaving: false, abbreviation: name)
    if isAtEnd { return TimeZoneRule(standard: standard, daylight: nil) }
    guard let daylightName = self.name() else { return nil }
    var offset = standard.offset + 3600
    if next != UInt8(ascii: ",") {
      guard let west = time(limit: 24) else { return nil }
      offset = -west
    }
    guard take(","), let start = yearDay(), take(","), let end = yearDay() else { return nil }
    let period = TimeZoneRules.Period(
      offset: offset, isDaylightSaving: true, abbreviation: daylightName)
    return TimeZoneRule(
      standard: standard,
      daylight: TimeZoneRule.Daylight(period: period, start: start, end: end))
  }

  /// Three letters or more, or letters, digits and signs between `<` and `>`.
  private mutating func name() -> String? {
    let isQuoted = take("<")
    let start = position
    while let byte = next, isPartOfName(byte, isQuoted) { position += 1 }
    let name = bytes[start..<position]
    guard name.count >= 3, name.count <= 32, !isQuoted || take(">") else { return nil }
    return String(decoding: name, as: UTF8.self)
  }

  private func isPartOfName(_ byte: UInt8, _ isQuoted: Bool) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"): true
    case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "+"), UInt8(ascii: "-"): isQuoted
    default: false
    }
  }

  private mutating func number(_ range: ClosedRange<Int>) -> Int? {
    var number = 0
    let start = position
    while let byte = next, byte >= UInt8(ascii: "0"), byte <= UInt8(ascii: "9"), number < 1000 {
      number = number * 10 + Int(byte - UInt8(ascii: "0"))
      position += 1
    }
    return position > start && range.contains(number) ? number : nil
  }

  /// Hours, minutes and seconds, as `-2:30`.
  private mutating func time(limit: Int) -> Int? {
    let isNegative = take("-")
    if !isNegative { _ = take("+") }
    guard let hours = number(0...limit) else { return nil }
    var seconds = hours * 3600
    if take(":") {
      guard let minutes = number(0...59) else { return nil }
      seconds += minutes * 60
      if take(":") {
        guard let rest = number(0...59) else { return nil }
        seconds += rest
      }
    }
    return isNegative ? -seconds : seconds
  }

  private mutating func yearDay() -> TimeZoneRule.YearDay? {
    let day: TimeZoneRule.YearDay.Day
    if take("J") {
      guard let number = number(1...365) else { return nil }
      day = .julian(number)
    } else if take("M") {
      guard let month = number(1...12), take("."), let week = number(1...5), take("."),
        let weekday = number(0...6)
      else { return nil }
      day = .weekday(month: month, week: week, day: weekday)
    } else {
      guard let number = number(0...365) else { return nil }
      day = .dayOfYear(number)
    }
    var time = 2 * 3600
    if take("/") {
      guard let given = self.time(limit: 167) else { return nil }
      time = given
    }
    return TimeZoneRule.YearDay(day: day, time: time)
  }
}
