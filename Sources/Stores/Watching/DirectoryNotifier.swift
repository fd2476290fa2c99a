internal import CTenonPlatform

#if canImport(Darwin)
  internal import Darwin
#elseif canImport(Musl)
  internal import Musl
#else
  internal import Glibc
#endif

/// What has happened in a directory.
package struct DirectoryEvent: Sendable, Hashable {
  package enum Kind: Sendable, Hashable {
    /// The name has come, or means something else.
    case entry
    /// The name has gone.
    case gone
    /// A file of the name was written to and closed.
    case written
    /// The directory itself has gone or been moved.
    case selfGone
    /// The system has ended the watch.
    case ended
    /// Events were lost.
    case overflow
  }

  package let kind: Kind
  /// The number of the watch.
  package let watch: Int32
  /// The name in the directory, where there is one.
  package let name: String?

  package init(_ kind: Kind, watch: Int32, name: String? = nil) {
    self.kind = kind
    self.watch = watch
    self.name = name
  }
}

/// The system's way to tell what happens in directories; between the stores and the system so that a
/// test can lose events.
package protocol DirectoryNotifier: Sendable {
  /// Watches a directory; one that is watched already, whatever its name was then, keeps its number.
  func add(_ path: String) throws(FileFailure) -> Int32

  /// Ends a watch.
  func remove(_ watch: Int32)

  /// Waits until there are events; false when the time has passed.
  func wait(milliseconds: Int) -> Bool

  /// Takes the events that have come; none when there are none.
  func events() throws(FileFailure) -> [DirectoryEvent]
}

/// The events of inotify.
package final class SystemNotifier: DirectoryNotifier {
  private let descriptor: Descriptor
  private let system = OperatingSystem()

  /// - Throws: `FileFailure` when the system has no such thing, or none left.
  package init() throws(FileFailure) {
    let number = tenon_watch_open()
    guard number >= 0 else { throw FileFailure(errno) }
    descriptor = Descriptor(number: number)
  }

  deinit { system.close(descriptor) }

  package func add(_ path: String) throws(FileFailure) -> Int32 {
    let watch = unsafe tenon_watch_add(descriptor.number, path)
    guard watch >= 0 else { throw FileFailure(errno) }
    return watch
  }

  package func remove(_ watch: Int32) { _ = tenon_watch_remove(descriptor.number, watch) }

  package func wait(milliseconds: Int) -> Bool {
    (try? system.waitUntilReady(descriptor, for: .reading, milliseconds: milliseconds)) ?? false
  }

  package func events() throws(FileFailure) -> [DirectoryEvent] {
    do throws(FileFailure) {
      return SystemNotifier.events(in: try system.read(descriptor, atMost: 1 << 16))
    } catch {
      guard error == .wouldBlock || error == .interrupted else { throw error }
      return []
    }
  }

  /// Reads the records of inotify(7): watch, mask, cookie and length, each of 32 bits, then so many
  /// bytes with the name, filled up with zeros.
  private static func events(in bytes: [UInt8]) -> [DirectoryEvent] {
    var events: [DirectoryEvent] = []
    var position = 0
    while position + 16 <= bytes.count {
      let watch = word(bytes, position)
      let mask = word(bytes, position + 4)
      let start = position + 16
      let end = start + Int(max(0, word(bytes, position + 12)))
      guard end <= bytes.count else { break }
      position = end
      let name = String(validating: bytes[start..<end].prefix { $0 != 0 }, as: UTF8.self)
      guard let kind = kind(of: mask) else { continue }
      // A name that is no text is in no reference.
      switch kind {
      case .entry, .gone, .written:
        guard let name, !name.isEmpty else { continue }
        events.append(DirectoryEvent(kind, watch: watch, name: name))
      case .selfGone, .ended, .overflow: events.append(DirectoryEvent(kind, watch: watch))
      }
    }
    return events
  }

  private static func kind(of mask: Int32) -> DirectoryEvent.Kind? {
    func has(_ bits: some BinaryInteger) -> Bool { mask & Int32(truncatingIfNeeded: bits) != 0 }
    if has(TENON_WATCH_OVERFLOW) { return .overflow }
    if has(TENON_WATCH_ENDED) { return .ended }
    if has(TENON_WATCH_SELF_GONE) { return .selfGone }
    if has(TENON_WATCH_WRITTEN) { return .written }
    if has(TENON_WATCH_MOVED_OUT) || has(TENON_WATCH_DELETED) { return .gone }
    return .entry
  }

  private static func word(_ bytes: [UInt8], _ position: Int) -> Int32 {
    var bits: UInt32 = 0
    for index in (0..<4).reversed() { bits = bits << 8 | UInt32(bytes[position + index]) }
    return Int32(bitPattern: UInt32(littleEndian: UInt32(bits)))
  }
}
