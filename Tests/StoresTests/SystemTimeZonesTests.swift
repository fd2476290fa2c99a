import TenonStoreKit
import Testing

@testable import TenonStores

/// Where the system's time zones are found.
@Suite struct SystemTimeZonesTests {
  private let directory: TemporaryDirectory

  init() throws {
    directory = try TemporaryDirectory()
    try directory.write("zoneinfo/Europe/Berlin", "berlin")
    try directory.write("other/Europe/Berlin", "another")
    try directory.write("other/Asia/Tokyo", "tokyo")
  }

  private func zones(variable: String? = nil) -> SystemTimeZones {
    SystemTimeZones(
      fileSystem: OperatingSystem(),
      directories: [directory.path + "/zoneinfo", directory.path + "/other"],
      localFile: directory.path + "/localtime", variable: variable)
  }

  private func text(_ name: String) -> String? {
    zones().zoneFile(named: name).map { String(decoding: $0, as: UTF8.self) }
  }

  @Test func theFirstDirectoryThatHasAZone() {
    #expect(text("Europe/Berlin") == "berlin")
    #expect(text("Asia/Tokyo") == "tokyo")
    #expect(text("Europe/Atlantis") == nil)
    // A directory is no zone.
    #expect(text("Europe") == nil)
  }

  @Test func whatIsTooLargeIsNoZone() throws {
    try directory.write("zoneinfo/Large", [UInt8](repeating: 0, count: 1 << 20 + 1))
    #expect(text("Large") == nil)
  }

  @Test func theVariable() {
    #expect(zones(variable: "Asia/Tokyo").localZone == "Asia/Tokyo")
    #expect(zones(variable: ":Asia/Tokyo").localZone == "Asia/Tokyo")
    #expect(zones(variable: "CET-1").localZone == "CET-1")
  }

  @Test func theFileOfThePlace() throws {
    // A file without a name; empty is no variable.
    try directory.write("localtime", "local")
    #expect(zones(variable: "").localZone == "localtime")
    #expect(text("localtime") == "local")
  }

  @Test(arguments: [
    ("/usr/share/zoneinfo/Europe/Berlin", "Europe/Berlin"),
    ("../usr/share/zoneinfo/UTC", "UTC"), ("/etc/other", "localtime"), ("zoneinfo", "localtime"),
  ]) func theLinkOfThePlace(_ target: String, _ name: String) throws {
    try directory.link("localtime", to: target)
    #expect(zones().localZone == name)
  }
}
