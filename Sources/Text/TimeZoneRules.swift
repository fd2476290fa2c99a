/// What a zone's clocks show: the local times of a zone, as seconds between them and UTC.
///
/// All moments are seconds since 1970-01-01T00:00:00Z; a local time is given as the moment at which
/// UTC shows it.
package struct TimeZoneRules: Sendable, Equatable {
  /// What is in force between two changes.
  package struct Period: Sendable, Equatable {
    /// Seconds that clocks are ahead of UTC.
    package let offset: Int
    package let isDaylightSaving: Bool
    /// What it is called, as `CET`.
    package let abbreviation: String
  }

  /// A moment at which clocks are changed.
  struct Transition: Sendable, Equatable {
    let time: Int
    /// The number of the period that begins.
    let period: Int
  }

  let periods: [Period]
  /// In ascending order.
  let transitions: [Transition]
  /// What holds from the last transition on.
  let rule: TimeZoneRule?

  /// Creates what a rule says, of all times.
  package init(_ rule: TimeZoneRule) {
    self.init(periods: [rule.standard], transitions: [], rule: rule)
  }

  init(periods: [Period], transitions: [Transition], rule: TimeZoneRule?) {
    self.periods = periods
    self.transitions = transitions
    self.rule = rule
  }

  /// No clock differs from UTC by more: RFC 8536.
  static let greatestOffset = 93_600

  /// What is in force at a moment.
  ///
  /// - Complexity: O(log *n*) in the number of transitions.
  package func period(at time: Int) -> Period {
    guard let last = transitions.last else { return rule?.period(at: time) ?? periods[0] }
    if time >= last.time, let rule { return rule.period(at: time) }
    let index = firstTransition(after: time)
    return index == 0 ? periods[0] : periods[transitions[index - 1].period]
  }

  /// The number of the first transition after a moment.
  private func firstTransition(after time: Int) -> Int {
    var low = 0
    var high = transitions.count
    while low < high {
      let middle = (low + high) / 2
      if transitions[middle].time <= time { low = middle + 1 } else { high = middle }
    }
    return low
  }

  // MARK: Local times

  /// The moments at which clocks show a local time: two when they are put back over it, none when
  /// they are put forward over it.
  package func moments(ofLocal local: Int) -> [Int] {
    let changes = changes(around: local)
    var found: [Int] = []
    for (index, change) in changes.enumerated() {
      let time = local - change.offset
      let end = index + 1 < changes.count ? changes[index + 1].time : .max
      if time >= change.time, time < end { found.append(time) }
    }
    return found
  }

  /// The moment that is meant by a local time: the earlier one of two; where clocks are put forward
  /// over it, the moment that it would be had they not been, which they show as that much later.
  package func moment(ofLocal local: Int) -> Int {
    if let first = moments(ofLocal: local).first { return first }
    let changes = changes(around: local)
    for (before, after) in zip(changes, changes.dropFirst())
    where after.time + before.offset <= local && local < after.time + after.offset {
      return local - before.offset
    }
    return local - period(at: local).offset
  }

  /// The offsets that may be in force when clocks show a local time, each with its beginning.
  private func changes(around local: Int) -> [(time: Int, offset: Int)] {
    let start = local - TimeZoneRules.greatestOffset
    let end = local + TimeZoneRules.greatestOffset
    var changes = [(time: Int.min, offset: period(at: start).offset)]
    for transition in transitions[firstTransition(after: start)...] {
      if transition.time > end { break }
      changes.append((transition.time, periods[transition.period].offset))
    }
    if let rule {
      let last = max(transitions.last?.time ?? .min, start)
      changes += rule.changes(after: last, through: end).map { ($0.time, $0.period.offset) }
    }
    return changes
  }
}

/// The rule by which a zone's clocks are changed each year, as POSIX writes it.
package struct TimeZoneRule: Sendable, Equatable {
  /// A day of the year and a time of that day.
  struct YearDay: Sendable, Equatable {
    enum Day: Sendable, Equatable {
      /// The n-th day, 1 ... 365; February 29 does not count.
      case julian(Int)
      /// The n-th day, 0 ... 365.
      case dayOfYear(Int)
      /// A day of the week, 0 for Sunday, in the n-th week of a month, 5 for the last.
      case weekday(month: Int, week: Int, day: Int)
    }

    let day: Day
    /// Seconds after midnight, up to a week in both directions.
    let time: Int

    /// The local time in a year, as the moment at which UTC shows it.
    func local(in year: Int) -> Int { dayNumber(in: year) * CivilCalendar.secondsPerDay + time }

    private func dayNumber(in year: Int) -> Int {
      let first = CivilCalendar.dayNumber(year: year, month: 1, day: 1)
      switch day {
      case .julian(let number):
        return first + number - 1 + (CivilCalendar.isLeap(year) && number >= 60 ? 1 : 0)
      case .dayOfYear(let number): return first + number
      case .weekday(let month, let week, let day):
        let first = CivilCalendar.dayNumber(year: year, month: month, day: 1)
        // 1970-01-01 was a Thursday.
        let weekday = ((first + 4) % 7 + 7) % 7
        var offset = (day - weekday + 7) % 7 + (week - 1) * 7
        if offset >= CivilCalendar.daysInMonth(month, of: year) { offset -= 7 }
        return first + offset
      }
    }
  }

  /// Summer time.
  struct Daylight: Sendable, Equatable {
    let period: TimeZoneRules.Period
    let start: YearDay
    let end: YearDay
  }

  package let standard: TimeZoneRules.Period
  let daylight: Daylight?

  /// What is in force at a moment.
  package func period(at time: Int) -> TimeZoneRules.Period {
    guard daylight != nil else { return standard }
    let reach = 2 * 366 * CivilCalendar.secondsPerDay
    return changes(after: time - reach, through: time).last?.period ?? standard
  }

  /// The changes from just after one moment up to another.
  ///
  /// - Complexity: O(years).
  package func changes(
    after start: Int, through end: Int
  ) -> [(time: Int, period: TimeZoneRules.Period)] {
    guard let daylight, start < end else { return [] }
    var changes: [(time: Int, period: TimeZoneRules.Period)] = []
    let first = CivilCalendar.year(ofDay: start / CivilCalendar.secondsPerDay) - 1
    let last = CivilCalendar.year(ofDay: end / CivilCalendar.secondsPerDay) + 1
    for year in first...last {
      changes.append((daylight.end.local(in: year) - daylight.period.offset, standard))
      changes.append((daylight.start.local(in: year) - standard.offset, daylight.period))
    }
    // Where summer time begins when it ends, it lasts all year: the end stands before the start.
    return changes.enumerated().sorted {
      ($0.element.time, $0.offset) < ($1.element.time, $1.offset)
    }.map(\.element).filter { $0.time > start && $0.time <= end }
  }
}
