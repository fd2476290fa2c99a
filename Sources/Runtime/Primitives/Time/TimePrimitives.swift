internal import TenonStoreKit
internal import TenonText

// The folder Time: primitives of clocks, dates, zones and the run loop.

extension Primitive {
  static let timeClass: [Primitive] = [
    Primitive("wallNanoseconds", "Nanoseconds since 1970-01-01T00:00:00Z by the clock.") {
      machine, _ throws(Failure) in
      machine.makeInteger(try machine.requireClock().wallTime)
    },
    Primitive("monotonicNanoseconds", "Nanoseconds on a clock that nobody sets.") {
      machine, _ throws(Failure) in
      machine.makeInteger(try machine.requireClock().monotonicTime)
    },
  ]

  static let timeZoneClass: [Primitive] = [
    Primitive("checkZone: aString", "Reads the file of the zone; an error when there is none.") {
      machine, arguments throws(Failure) in
      _ = try machine.timeZone(named: try machine.swiftString(arguments[0]))
      return arguments[0]
    },
    Primitive("localName", "The name of the zone where the program runs, or nil.") {
      machine, _ in
      machine.localZoneName().map { machine.makeString($0) } ?? .nil
    },
  ]

  static let timeZone: [Primitive] = [
    Primitive("ruledOffsetAt: seconds", "Seconds ahead of UTC at a moment, by the zone's file.") {
      machine, arguments throws(Failure) in
      Value(small: try machine.period(arguments).offset)
    },
    Primitive("ruledNameAt: seconds", "The abbreviation that holds at a moment.") {
      machine, arguments throws(Failure) in
      machine.makeString(try machine.period(arguments).abbreviation)
    },
    Primitive("ruledDaylightAt: seconds", "Whether it is summer time at a moment.") {
      machine, arguments throws(Failure) in
      Value(try machine.period(arguments).isDaylightSaving)
    },
    Primitive("ruledMomentOfLocal: seconds", "The moment that a local time means.") {
      machine, arguments throws(Failure) in
      let local = try machine.seconds(arguments[0])
      return machine.makeInteger(try machine.rules(arguments).moment(ofLocal: local))
    },
    Primitive("ruledMomentsOfLocal: seconds", "The moments at which clocks show a local time.") {
      machine, arguments throws(Failure) in
      let local = try machine.seconds(arguments[0])
      let moments = try machine.rules(arguments).moments(ofLocal: local)
      return machine.makeArray(moments.map { machine.makeInteger($0) })
    },
  ]
}

extension Machine {
  /// The rules of the zone that receives a message.
  fileprivate func rules(_ arguments: Arguments) throws(Failure) -> TimeZoneRules {
    let zone = ObjectRef(arguments.receiver)
    return try timeZone(named: try swiftString(zone[slot: TimeZoneSlot.name]))
  }

  fileprivate func period(_ arguments: Arguments) throws(Failure) -> TimeZoneRules.Period {
    try rules(arguments).period(at: try seconds(arguments[0]))
  }

  /// A moment or local time in seconds, near enough to calculate with.
  fileprivate func seconds(_ value: Value) throws(Failure) -> Int {
    let seconds = try integer(value)
    guard abs(seconds) <= Machine.timeLimit else {
      throw .invalidArgument("a time of this world", found: describe(value))
    }
    return seconds
  }
}

/// Where the kernel's TimeZone keeps its variables.
enum TimeZoneSlot {
  static let name = 0
}
