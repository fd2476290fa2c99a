public import TenonStoreKit
internal import TenonText

/// The time zones of the system: the files of its zone directory.
///
/// The zone of the place is what the variable `TZ` says, else the file that `/etc/localtime` is or
/// leads to. Neither is changed.
public final class SystemTimeZones: TimeZoneSource {
  private let fileSystem: any FileSystem
  private let directories: [String]
  private let localFile: String
  private let variable: String?

  /// The most bytes a zone's file may have; the largest have four thousand.
  private static let sizeLimit = 1 << 20
  /// Stands for the file of the place when nothing tells the name of its zone.
  private static let localName = "localtime"

  /// Creates a source.
  ///
  /// - Parameter environment: Where `TZ` and `TZDIR` are looked up.
  public convenience init(environment: EnvironmentStore) {
    func text(_ name: String) -> String? {
      environment.value(of: name).flatMap { String(validating: $0, as: UTF8.self) }
    }
    self.init(
      fileSystem: OperatingSystem(),
      directories: (text("TZDIR").map { [$0] } ?? []) + ["/usr/share/zoneinfo", "/etc/zoneinfo"],
      localFile: "/etc/localtime", variable: text("TZ"))
  }

  package init(
    fileSystem: any FileSystem, directories: [String], localFile: String, variable: String?
  ) {
    self.fileSystem = fileSystem
    self.directories = directories
    self.localFile = localFile
    self.variable = variable
  }

  /// Returns the contents of a zone's file.
  public func zoneFile(named name: String) -> [UInt8]? {
    if name == SystemTimeZones.localName { return contents(of: localFile) }
    for directory in directories {
      if let bytes = contents(of: directory + "/" + name) { return bytes }
    }
    return nil
  }

  /// The zone of the place where the program runs.
  public var localZone: String? {
    if let variable, !variable.isEmpty {
      // A colon before the name says that it is no rule.
      return variable.beginsWithBytes(of: ":")
        ? String(decoding: variable.utf8.dropFirst(), as: UTF8.self) : variable
    }
    guard let target = try? fileSystem.target(ofLink: localFile, in: nil) else {
      return SystemTimeZones.localName
    }
    // The link leads into the zone directory, and the rest of the path is the name.
    let parts = target.parts(between: UInt8(ascii: "/"))
    guard let start = parts.lastIndex(of: "zoneinfo"), start + 1 < parts.count else {
      return SystemTimeZones.localName
    }
    return parts[(start + 1)...].joined(separator: "/")
  }

  /// The bytes of a regular file; nil when there is none or it cannot be read.
  private func contents(of path: String) -> [UInt8]? {
    guard let descriptor = try? fileSystem.open(path, in: nil, .reading) else { return nil }
    defer { fileSystem.close(descriptor) }
    guard let status = try? fileSystem.status(of: descriptor), status.kind == .file else {
      return nil
    }
    var bytes: [UInt8] = []
    while let part = try? fileSystem.read(descriptor, atMost: 64 << 10) {
      if part.isEmpty { return bytes }
      bytes += part
      guard bytes.count <= SystemTimeZones.sizeLimit else { return nil }
    }
    return nil
  }
}
