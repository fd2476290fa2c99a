internal import TenonStoreKit
internal import TenonText

/// The zones that a program has asked for.
extension Machine {
  /// Seconds from 1970 in which zones are asked: further out than any date.
  static let timeLimit = 100_000_000_000_000

  /// The rules of a zone, read from its file when they are first asked for.
  func timeZone(named name: String) throws(Failure) -> TimeZoneRules {
    if let known = host.timeZones[name] { return known }
    guard let source = host.timeZoneSource else { throw .noTimeZones() }
    // What is no name never reaches the file system.
    guard Machine.isZoneName(name) else { throw .timeZoneName(name) }
    guard let bytes = source.zoneFile(named: name) else { throw .noTimeZone(name) }
    do throws(TimeZoneDamage) {
      let rules = try TimeZoneRules(file: bytes)
      host.timeZones[name] = rules
      return rules
    } catch {
      throw .damagedTimeZone(name, error)
    }
  }

  /// The name of the zone where the program runs; nil when it is unknown or nothing can be read
  /// about it.
  func localZoneName() -> String? {
    guard let name = host.timeZoneSource?.localZone else { return nil }
    if host.timeZones[name] != nil { return name }
    if let rule = TimeZoneRule(name), !Machine.isKnownZone(name, host.timeZoneSource) {
      host.timeZones[name] = TimeZoneRules(rule)
      return name
    }
    return (try? timeZone(named: name)) == nil ? nil : name
  }

  /// Whether a text that may be a rule, as `EST5EDT` may, names a file.
  private static func isKnownZone(_ name: String, _ source: (any TimeZoneSource)?) -> Bool {
    isZoneName(name) && source?.zoneFile(named: name) != nil
  }

  /// Whether a text is components of letters, digits, `_`, `-` and `+`, with `/` between them: no
  /// path leads out of the directory of the zones with that.
  private static func isZoneName(_ name: String) -> Bool {
    guard name.utf8.count <= 128 else { return false }
    return name.split(separator: "/", omittingEmptySubsequences: false).allSatisfy { part in
      !part.isEmpty
        && part.utf8.allSatisfy { byte in
          switch byte {
          case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "-"),
            UInt8(ascii: "+"):
            true
          default: false
          }
        }
    }
  }
}
