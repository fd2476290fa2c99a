import Foundation
import TenonGrammarSupport
import Testing

@testable import TenonRuntime
@testable import TenonText

/// Files of time zones, made here byte by byte, and those of the system where it has some.
@Suite struct TimeZoneFileTests {
  private static let cet = (offset: Int32(3600), isDaylightSaving: false, name: "CET")
  private static let cest = (offset: Int32(7200), isDaylightSaving: true, name: "CEST")
  private static let file = ZoneFile(
    periods: [cet, cest], transitions: [(1000, 1), (2000, 0), (3000, 1)], rule: "CET-1")

  @Test(arguments: [UInt8(1), 2, 3]) func everyVersionIsRead(_ version: UInt8) throws {
    var file = Self.file
    file.version = version
    let rules = try TimeZoneRules(file: file.bytes)
    #expect(rules.transitions.map(\.time) == [1000, 2000, 3000])
    #expect(
      [999, 1000, 1999, 2000].map { rules.period(at: $0).offset } == [3600, 7200, 7200, 3600])
    #expect(rules.period(at: 1500).abbreviation == "CEST")
    #expect(rules.period(at: 1500).isDaylightSaving)
    // After the last change the rule holds, which files of version 1 have not.
    #expect(rules.period(at: 5000).offset == (version == 1 ? 7200 : 3600))
  }

  /// What a fat file says of the clocks in which its changes are meant is passed over.
  @Test(arguments: [UInt8(1), 2, 3]) func fatFilesAreRead(_ version: UInt8) throws {
    var file = Self.file
    file.version = version
    let thin = try TimeZoneRules(file: file.bytes)
    file.hasIndicators = true
    let fat = try TimeZoneRules(file: file.bytes)
    for time in [0, 1_500, 2_500, 5_000, 1 << 40] {
      #expect(fat.period(at: time).offset == thin.period(at: time).offset)
    }
    #expect(fat.transitions.map(\.time) == thin.transitions.map(\.time))
  }

  @Test func timesOf64Bits() throws {
    let far = 1 << 40
    var file = Self.file
    file.transitions = [(-far, 1), (far, 0)]
    let rules = try TimeZoneRules(file: file.bytes)
    #expect(rules.period(at: -far - 1).offset == 3600)
    #expect(rules.period(at: far - 1).offset == 7200)
  }

  @Test func leapSecondsAreTakenOut() throws {
    var file = Self.file
    file.leaps = [(1500, 1), (2500, 2)]
    let rules = try TimeZoneRules(file: file.bytes)
    #expect(rules.transitions.map(\.time) == [1000, 1999, 2998])
  }

  // MARK: Damage

  @Test func everyPrefixIsDamaged() {
    let bytes = Self.file.bytes
    for count in bytes.indices {
      #expect(throws: TimeZoneDamage.self) { try TimeZoneRules(file: Array(bytes[..<count])) }
    }
  }

  @Test func damageIsNamed() {
    func damage(_ change: (inout ZoneFile) -> Void) -> String {
      var file = Self.file
      change(&file)
      do {
        _ = try TimeZoneRules(file: file.bytes)
        return "none"
      } catch {
        return error.message
      }
    }
    #expect(damage { $0.transitions = [(2000, 1), (1000, 0)] } == "its changes are not in order")
    #expect(damage { $0.transitions = [(1000, 2)] } == "there is no local time 2")
    #expect(
      damage {
        $0.periods = []; $0.transitions = []
      } == "it has no local times")
    #expect(damage { $0.periods[0].offset = 100_000 }.hasPrefix("a clock differs from UTC by"))
    #expect(damage { $0.periods[1].name = "C T" } == "a name is no name")
    #expect(damage { $0.rule = "CET" } == "its last line is no rule: 'CET'")
    #expect(damage { $0.rule = "CET-1CEST" } == "its last line is no rule: 'CET-1CEST'")
    #expect(damage { $0.version = 0x40 } == "its version is unknown")
    #expect(damage { $0.rule = "" } == "none")
  }

  /// Whatever a file holds, reading it and asking it neither traps nor hangs.
  @Test func changedBytesDoNoHarm() {
    var generator = RandomNumbers(seed: testSeed)
    let original = Self.file.bytes
    var readable = 0
    for _ in 0..<20_000 {
      var bytes = original
      for _ in 0..<Int.random(in: 1...4, using: &generator) {
        bytes[Int.random(in: bytes.indices, using: &generator)] =
          UInt8.random(in: .min ... .max, using: &generator)
      }
      guard let rules = try? TimeZoneRules(file: bytes) else { continue }
      readable += 1
      for time in [-Machine.timeLimit, 0, 1500, Machine.timeLimit] {
        let offset = rules.period(at: time).offset
        #expect(abs(offset) <= TimeZoneRules.greatestOffset)
        _ = rules.moment(ofLocal: time)
      }
    }
    #expect(readable > 0)
  }

  // MARK: Rules

  @Test func rules() throws {
    func offsets(_ text: String, _ times: [String]) throws -> [Int] {
      let rule = try #require(TimeZoneRule(text))
      return try times.map { rule.period(at: try moment($0)).offset / 60 }
    }
    // The last Sunday of March and October, at 1:00 UTC.
    #expect(
      try offsets(
        "CET-1CEST,M3.5.0,M10.5.0/3",
        [
          "2026-03-29T00:59:59Z", "2026-03-29T01:00:00Z", "2026-10-25T00:59:59Z",
          "2026-10-25T01:00:00Z",
        ]) == [60, 120, 120, 60])
    // South of the equator the year begins in summer.
    #expect(
      try offsets(
        "AEST-10AEDT,M10.1.0,M4.1.0/3", ["2026-01-01T00:00:00Z", "2026-07-01T00:00:00Z"])
        == [660, 600])
    // The n-th day, with and without February 29.
    #expect(
      try offsets(
        "AAA0BBB,J60/0,J365/0", ["2024-02-29T23:59:59Z", "2024-03-01T00:00:00Z"]) == [0, 60])
    #expect(
      try offsets("AAA0BBB,59/0,364/0", ["2024-02-28T23:59:59Z", "2024-02-29T00:00:00Z"])
        == [0, 60])
    // Summer time all year; times before the day and after it.
    #expect(
      try offsets("XXX3EDT4,0/0,J365/23", ["2026-01-01T12:00:00Z", "2026-12-31T12:00:00Z"])
        == [-240, -240])
    #expect(
      try offsets(
        "<-02>2<-01>,M3.5.0/-1,M10.5.0/0", ["2026-03-29T00:59:59Z", "2026-03-29T01:00:00Z"])
        == [-120, -60])
    #expect(try offsets("<+0330>-3:30", ["2026-01-01T00:00:00Z"]) == [210])
  }

  @Test(arguments: [
    "", "C", "CE-1", "CET", "CET-", "CET-25", "CET-1:60", "CET-1CEST", "CET-1CEST,M3.5.0",
    "CET-1CEST,M13.1.0,M4.1.0", "CET-1CEST,M3.6.0,M4.1.0", "CET-1CEST,M3.5.7,M4.1.0",
    "CET-1CEST,J0,J1", "CET-1CEST,366,1", "CET-1CEST,M3.5.0/168,M10.5.0", "<CET-1", "CET-1 ",
    "CET-1CEST,M3.5.0,M10.5.0x", "CET-1111111111111111111111",
  ]) func noRules(_ text: String) {
    #expect(TimeZoneRule(text) == nil)
  }

  // MARK: The system

  /// Where the system has its files, they tell what is known of some places.
  @Test(.enabled(if: FileManager.default.fileExists(atPath: "/usr/share/zoneinfo/Europe/Berlin")))
  func theSystemsFiles() throws {
    func rules(_ name: String) throws -> TimeZoneRules {
      let data = try Data(contentsOf: URL(fileURLWithPath: "/usr/share/zoneinfo/" + name))
      return try TimeZoneRules(file: Array(data))
    }
    let berlin = try rules("Europe/Berlin")
    #expect(berlin.period(at: try moment("1985-07-01T00:00:00Z")).abbreviation == "CEST")
    #expect(berlin.period(at: try moment("1979-07-01T00:00:00Z")).abbreviation == "CET")
    #expect(berlin.period(at: try moment("2099-07-01T00:00:00Z")).offset == 7200)
    let kathmandu = try rules("Asia/Kathmandu")
    #expect(kathmandu.period(at: try moment("2000-01-01T00:00:00Z")).offset == 20_700)
    let newYork = try rules("America/New_York")
    #expect(newYork.period(at: try moment("2007-03-20T00:00:00Z")).isDaylightSaving)
    #expect(!newYork.period(at: try moment("2006-03-20T00:00:00Z")).isDaylightSaving)
  }

  /// Everything in the system's directory that is no text is read.
  @Test(.enabled(if: FileManager.default.fileExists(atPath: "/usr/share/zoneinfo/Europe")))
  func allOfTheSystemsFiles() throws {
    let folder = URL(fileURLWithPath: "/usr/share/zoneinfo/Europe")
    for file in try FileManager.default.contentsOfDirectory(
      at: folder, includingPropertiesForKeys: nil)
    {
      let rules = try TimeZoneRules(file: Array(try Data(contentsOf: file)))
      // Each change lies between what clocks show before and after it.
      for transition in rules.transitions.suffix(20) {
        let before = rules.period(at: transition.time - 1).offset
        let after = rules.period(at: transition.time).offset
        let local = transition.time + min(before, after)
        #expect(
          rules.moments(ofLocal: local).count == (before < after ? 0 : before > after ? 2 : 1))
      }
    }
  }

  private func moment(_ text: String) throws -> Int {
    Int(try Date(text, strategy: .iso8601).timeIntervalSince1970)
  }
}
