import TenonStoreKit
import TenonStores

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

// A persistent store that is written to until the process is killed, and how fast its journal is.

extension Main {
  /// The changes are the same for the same number, so that whoever finds the store knows them.
  static func writePersistent(directory: String, level: String, from start: Int) throws {
    var options = PersistentStore.Options()
    options.level = PersistentStore.Level(rawValue: level) ?? .journal
    options.bucketDelay = 30
    let store = try PersistentStore(directory: directory, options: options) {
      say("REPORT \($0)")
    }
    say("READY")
    for number in start... {
      let path =
        number % 13 == 0 ? ["d", "e", "k\(number % 5)"] : ["c\(number % 3)", "k\(number % 7)"]
      let reference = try Reference(scheme: "saved", components: path)
      if number % 11 == 0 {
        _ = try store.delete(reference, if: nil)
      } else {
        let padding = String(repeating: "x", count: number &* 7919 % 300)
        try store.put(
          reference, Resource(Array("[\(number), \"\(padding)\"]".utf8), contentType: ""), if: nil)
      }
      let time = OperatingSystem().now
      say("\(options.level == .full ? "SAFE" : "DONE") \(number) \(time)")
      if number % 150 == 0 {
        try store.flush()
        say("SAFE \(number) \(OperatingSystem().now)")
      }
      usleep(100)
    }
  }

  /// Writes a file as it should not be done: in place.
  static func writeTorn(directory: String) {
    say("READY")
    for number in 1... {
      let file = unsafe open(directory + "/torn", O_WRONLY | O_CREAT | O_TRUNC, 0o600)
      let bytes = Payload.bytes(number)
      for start in stride(from: 0, to: bytes.count, by: 512) {
        let chunk = Array(bytes[start..<min(start + 512, bytes.count)])
        _ = unsafe chunk.withUnsafeBytes { unsafe write(file, $0.baseAddress, $0.count) }
      }
      close(file)
    }
  }

  /// Writes to a file system with too little room, then makes room.
  static func fillPersistent(directory: String) throws {
    var options = PersistentStore.Options()
    options.usesThread = false
    let store = try PersistentStore(directory: directory + "/store", options: options) {
      say("REPORT \($0)")
    }
    let big = Array("\"\(String(repeating: "x", count: 60_000))\"".utf8)
    try store.put(place("saved", "old"), Resource(Array("1".utf8), contentType: ""), if: nil)
    try store.flush()
    let files = FileStore(directory: directory)
    let ballast = Resource([UInt8](repeating: 0x61, count: 200_000), contentType: "text/plain")
    try files.put(place("file", "ballast"), ballast, if: nil)
    try store.put(place("saved", "big"), Resource(big, contentType: ""), if: nil)
    for _ in 0..<2 {
      do throws(StoreError) {
        try store.flush()
        say("no error")
      } catch {
        say("\(error.kind) \(error)")
      }
    }
    say(store.state.rawValue)
    _ = try files.delete(place("file", "ballast"), if: nil)
    try store.flush()
    say("\(store.state.rawValue), \(store.unsavedCount) unsaved")
    try store.close()
    let again = try PersistentStore(directory: directory + "/store", options: options) {
      say("REPORT \($0)")
    }
    if case .resource(let resource) = try again.get(place("saved", "big"), if: nil) {
      say("\(resource.bytes.count)")
    }
  }

  /// Prints how many records a second are on the disk.
  static func measureJournal(directory: String, records: Int, batch: Int) throws {
    var options = PersistentStore.Options()
    options.usesThread = false
    options.journalLimit = 1 << 40
    let store = try PersistentStore(directory: directory, options: options) { say("REPORT \($0)") }
    let value = Resource(
      Array("\"\(String(repeating: "v", count: 198))\"".utf8), contentType: "application/json")
    let references = try (0..<batch).map {
      try Reference(scheme: "saved", components: ["lists", "\($0 % 10)", "entry\($0)"])
    }
    // Values must differ: what is there already is not written again.
    let values = (0..<2).map { number in
      Resource(
        value.bytes.map { $0 == UInt8(ascii: "v") && number == 1 ? 0x77 : $0 }, contentType: "")
    }
    let clock = ContinuousClock()
    var rounds = 0
    let time = try clock.measure {
      while rounds * batch < records {
        for reference in references { try store.put(reference, values[rounds % 2], if: nil) }
        try store.commitAll()
        rounds += 1
      }
    }
    let seconds = Double(time.components.seconds) + Double(time.components.attoseconds) / 1e18
    say(
      "\(rounds * batch) records of 200 bytes, batches of \(batch): "
        + "\(Int(Double(rounds * batch) / seconds)) durable records/s, "
        + "\(Int(seconds / Double(rounds) * 1e6)) us for a batch")
  }
}
