import TenonRuntime
import TenonStoreKit

/// A clock that stands still while a program runs, and jumps when it waits.
final class VirtualClock: TenonStoreKit::Clock {
  /// 2026-03-14T09:26:53Z.
  static let start = 1_773_480_413_000_000_000

  private(set) var monotonicTime = 1_000_000_000
  /// How often somebody has waited.
  private(set) var waitCount = 0

  var wallTime: Int { VirtualClock.start + monotonicTime - 1_000_000_000 }

  var jumps: Bool { true }

  func wait(until deadline: Int?, or wakeUp: WakeUp) {
    waitCount += 1
    if let deadline {
      monotonicTime = max(monotonicTime, deadline)
    } else {
      wakeUp.wait(nanoseconds: .max)
    }
  }
}

/// Time zones made in the tests: the same everywhere, whatever the system has.
final class MadeTimeZones: TimeZoneSource {
  let localZone: String?
  /// The names that were asked for.
  private(set) var asked: [String] = []
  private var files: [String: [UInt8]] = [
    "Europe/Berlin": ZoneFile(
      periods: [(3208, false, "LMT"), (3600, false, "CET")], transitions: [(-2_422_054_408, 1)],
      rule: "CET-1CEST,M3.5.0,M10.5.0/3"
    ).bytes,
    "America/New_York": ZoneFile(
      periods: [(-18000, false, "EST")], transitions: [], rule: "EST5EDT,M3.2.0,M11.1.0"
    ).bytes,
    "Asia/Kolkata": ZoneFile(
      periods: [(19800, false, "IST")], transitions: [], rule: "IST-5:30"
    ).bytes,
    // Half an hour of summer time, in the southern hemisphere.
    "Australia/Lord_Howe": ZoneFile(
      periods: [(37800, false, "+1030")], transitions: [],
      rule: "<+1030>-10:30<+11>-11,M10.1.0,M4.1.0"
    ).bytes,
    // 2011-12-30 did not take place.
    "Pacific/Apia": ZoneFile(
      periods: [(-36000, true, "-10"), (50400, true, "+14"), (46800, false, "+13")],
      transitions: [(1_325_239_200, 1), (1_333_202_400, 2)], rule: "<+13>-13"
    ).bytes,
    "Damaged/Short": Array("TZif2".utf8),
    "Damaged/Text": Array("Europe/Berlin is in Germany".utf8),
  ]

  init(localZone: String? = "Europe/Berlin") { self.localZone = localZone }

  subscript(name: String) -> [UInt8]? {
    get { files[name] }
    set { files[name] = newValue }
  }

  func zoneFile(named name: String) -> [UInt8]? {
    asked.append(name)
    return files[name]
  }
}

/// A file of RFC 8536.
struct ZoneFile {
  var version: UInt8 = 2
  var periods: [(offset: Int32, isDaylightSaving: Bool, name: String)]
  var transitions: [(time: Int, period: UInt8)]
  var leaps: [(time: Int, correction: Int32)] = []
  var rule = ""
  /// Whether it says for each local time in which clock its changes are meant, as fat files do.
  var hasIndicators = false

  /// The part for times of 32 bits, and for a greater version one for 64 and the rule.
  var bytes: [UInt8] {
    guard version > 1 else { return part(timeSize: 4) }
    return part(timeSize: 4) + part(timeSize: 8) + Array("\n\(rule)\n".utf8)
  }

  private func part(timeSize: Int) -> [UInt8] {
    var names: [UInt8] = []
    var places: [UInt8] = []
    for period in periods {
      places.append(UInt8(names.count))
      names += Array(period.name.utf8) + [0]
    }
    let digit = version == 1 ? 0 : UInt8(ascii: "0") + version
    var bytes = Array("TZif".utf8) + [digit] + [UInt8](repeating: 0, count: 15)
    let clocks = hasIndicators ? periods.count : 0
    for count in [clocks, clocks, leaps.count, transitions.count, periods.count, names.count] {
      bytes += big(count, 4)
    }
    for transition in transitions { bytes += big(transition.time, timeSize) }
    bytes += transitions.map(\.period)
    for (period, place) in zip(periods, places) {
      bytes += big(Int(period.offset), 4) + [period.isDaylightSaving ? 1 : 0, place]
    }
    bytes += names
    for leap in leaps { bytes += big(leap.time, timeSize) + big(Int(leap.correction), 4) }
    bytes += [UInt8](repeating: 1, count: 2 * clocks)
    return bytes
  }

  private func big(_ number: Int, _ size: Int) -> [UInt8] {
    (0..<size).reversed().map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
  }
}
