/// What is wrong with a file that should describe a time zone.
package struct TimeZoneDamage: Error, Equatable {
  package let message: String

  package init(_ message: String) { self.message = message }
}

// The files of the system's zone directory, versions 1 to 4.
//
// Algorithm: A. Olson, P. Eggert, K. Murchison, "The Time Zone Information Format (TZif)", RFC 8536,
// 2019. Nothing in a file is taken on trust: each count and index is checked, and a file whose data
// ends early is damaged. Leap seconds, which files of the directory `right` count, are taken out.

extension TimeZoneRules {
  /// Reads a zone's file.
  ///
  /// - Throws: `TimeZoneDamage` when it is none.
  package init(file bytes: [UInt8]) throws(TimeZoneDamage) {
    var reader = ZoneFileReader(bytes)
    let first = try reader.header()
    guard first.version >= 2 else {
      self = try reader.rules(first, timeSize: 4)
      return
    }
    // The first part is for programs that know only times of 32 bits.
    try reader.skip(first.size(timeSize: 4))
    self = try reader.rules(try reader.header(), timeSize: 8)
  }
}

/// Reads a zone's file from its bytes.
private struct ZoneFileReader {
  private let bytes: [UInt8]
  private var position = 0

  /// What the header of a part says.
  struct Header {
    let version: Int
    let utcCount, standardCount, leapCount, timeCount, typeCount, nameSize: Int

    func size(timeSize: Int) -> Int {
      timeCount * (timeSize + 1) + typeCount * 6 + nameSize + leapCount * (timeSize + 4)
        + standardCount + utcCount
    }
  }

  init(_ bytes: [UInt8]) { self.bytes = bytes }

  // MARK: Pieces

  private mutating func take(_ count: Int) throws(TimeZoneDamage) -> ArraySlice<UInt8> {
    guard count <= bytes.count - position else { throw TimeZoneDamage("it ends too early") }
    defer { position += count }
    return bytes[position..<position + count]
  }

  mutating func skip(_ count: Int) throws(TimeZoneDamage) { _ = try take(count) }

  private mutating func byte() throws(TimeZoneDamage) -> UInt8 {
    try take(1).first ?? 0
  }

  /// An integer whose first byte is the most significant.
  private mutating func integer(_ size: Int) throws(TimeZoneDamage) -> Int {
    let slice = try take(size)
    let isNegative = (slice.first ?? 0) & 0x80 != 0
    return slice.reduce(isNegative ? -1 : 0) { $0 << 8 | Int($1) }
  }

  private mutating func count() throws(TimeZoneDamage) -> Int {
    let count = try integer(4)
    guard count >= 0, count <= bytes.count else { throw TimeZoneDamage("a count is too great") }
    return count
  }

  // MARK: Parts

  mutating func header() throws(TimeZoneDamage) -> Header {
    guard Array(try take(4)) == Array("TZif".utf8) else {
      throw TimeZoneDamage("it does not begin with 'TZif'")
    }
    let digit = try byte()
    let version = digit == 0 ? 1 : Int(digit) - Int(UInt8(ascii: "0"))
    guard version >= 1, version <= 9 else { throw TimeZoneDamage("its version is unknown") }
    try skip(15)
    return Header(
      version: version, utcCount: try count(), standardCount: try count(),
      leapCount: try count(), timeCount: try count(), typeCount: try count(),
      nameSize: try count())
  }

  mutating func rules(_ header: Header, timeSize: Int) throws(TimeZoneDamage) -> TimeZoneRules {
    guard header.typeCount >= 1, header.typeCount <= 256 else {
      throw TimeZoneDamage("it has no local times")
    }
    var times: [Int] = []
    for _ in 0..<header.timeCount { times.append(try integer(timeSize)) }
    let indices = Array(try take(header.timeCount))
    var types: [(offset: Int, isDaylightSaving: Bool, name: Int)] = []
    for _ in 0..<header.typeCount {
      types.append((try integer(4), try byte() != 0, Int(try byte())))
    }
    let names = Array(try take(header.nameSize))
    var leaps: [(time: Int, correction: Int)] = []
    for _ in 0..<header.leapCount { leaps.append((try integer(timeSize), try integer(4))) }
    try skip(header.standardCount + header.utcCount)
    let rule = timeSize == 8 ? try footer() : nil

    var periods: [TimeZoneRules.Period] = []
    for type in types {
      guard abs(type.offset) <= TimeZoneRules.greatestOffset else {
        throw TimeZoneDamage("a clock differs from UTC by \(type.offset) seconds")
      }
      periods.append(
        TimeZoneRules.Period(
          offset: type.offset, isDaylightSaving: type.isDaylightSaving,
          abbreviation: try name(at: type.name, in: names)))
    }
    var transitions: [TimeZoneRules.Transition] = []
    for (time, index) in zip(times, indices) {
      guard Int(index) < periods.count else {
        throw TimeZoneDamage("there is no local time \(index)")
      }
      // The system's files begin with a moment before the beginning of the world.
      let bounded = max(time, -(1 << 60))
      guard bounded <= 1 << 60, transitions.last.map({ $0.time < bounded }) ?? true else {
        throw TimeZoneDamage("its changes are not in order")
      }
      let correction = leaps.last { $0.time <= time }?.correction ?? 0
      transitions.append(
        TimeZoneRules.Transition(time: bounded - correction, period: Int(index)))
    }
    return TimeZoneRules(periods: periods, transitions: transitions, rule: rule)
  }

  private func name(at start: Int, in names: [UInt8]) throws(TimeZoneDamage) -> String {
    guard start < names.count, let end = names[start...].firstIndex(of: 0) else {
      throw TimeZoneDamage("a name is missing")
    }
    let name = names[start..<end]
    guard name.count <= 32, name.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else {
      throw TimeZoneDamage("a name is no name")
    }
    return String(decoding: name, as: UTF8.self)
  }

  /// The rule for the time after the last change, between two line ends; it may be empty.
  private mutating func footer() throws(TimeZoneDamage) -> TimeZoneRule? {
    let rest = bytes[position...]
    guard rest.first == UInt8(ascii: "\n"),
      let end = rest.dropFirst().firstIndex(of: UInt8(ascii: "\n"))
    else { throw TimeZoneDamage("its last line is missing") }
    let text = String(decoding: rest[(position + 1)..<end], as: UTF8.self)
    if text.isEmpty { return nil }
    guard let rule = TimeZoneRule(text) else {
      throw TimeZoneDamage("its last line is no rule: '\(text)'")
    }
    return rule
  }
}
