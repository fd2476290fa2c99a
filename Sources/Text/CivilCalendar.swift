/// The Gregorian calendar, carried on into the past and the future.
///
/// Algorithm: H. Hinnant, "chrono-Compatible Low-Level Date Algorithms", 2013: years begin in March,
/// so that the day that leap years have is the last.
enum CivilCalendar {
  /// The days from 1970-01-01 to a date.
  ///
  /// - Requires: the year is not further than 10^15 from 0.
  static func dayNumber(year: Int, month: Int, day: Int) -> Int {
    let shifted = month > 2 ? year : year - 1
    let era = (shifted >= 0 ? shifted : shifted - 399) / 400
    let yearOfEra = shifted - era * 400
    let dayOfYear = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1
    return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
  }

  /// The year in which a day lies.
  static func year(ofDay day: Int) -> Int {
    let shifted = day + 719_468
    let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
    let dayOfEra = shifted - era * 146_097
    let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    // Days 306 and later of a year that begins in March belong to the next.
    return era * 400 + yearOfEra + (dayOfYear >= 306 ? 1 : 0)
  }

  static func isLeap(_ year: Int) -> Bool {
    year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
  }

  static func daysInMonth(_ month: Int, of year: Int) -> Int {
    switch month {
    case 2: isLeap(year) ? 29 : 28
    case 4, 6, 9, 11: 30
    default: 31
    }
  }

  /// Seconds of a day.
  static let secondsPerDay = 86_400
}
