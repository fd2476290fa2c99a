import TenonStoreKit
import TenonStores

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// The other process that the tests of the stores need: one that is killed, one that writes at the
/// same time, one with fewer rights.
@main
struct Main {
  static func main() throws {
    let arguments = Array(CommandLine.arguments.dropFirst())
    guard let job = arguments.first else { return }
    let rest = Array(arguments.dropFirst())
    // As the command does: a full pipe or a size limit is an error of the call, not the end.
    signal(SIGPIPE, SIG_IGN)
    signal(SIGXFSZ, SIG_IGN)
    switch job {
    case "write-files": try writeFiles(directory: rest[0], from: Int(rest[1]) ?? 0)
    case "write-defaults": try writeDefaults(directory: rest[0], from: Int(rest[1]) ?? 0)
    case "write-own-keys": try writeOwnKeys(directory: rest[0], name: rest[1])
    case "create-files": try createFiles(directory: rest[0])
    case "write-persistent":
      try writePersistent(directory: rest[0], level: rest[1], from: Int(rest[2]) ?? 0)
    case "fill-persistent": try fillPersistent(directory: rest[0])
    case "write-torn": writeTorn(directory: rest[0])
    case "measure-journal":
      try measureJournal(directory: rest[0], records: Int(rest[1]) ?? 0, batch: Int(rest[2]) ?? 1)
    case "hold-lock": try holdLock(directory: rest[0])
    case "print": try printBetween()
    case "verbs": try runVerbs(user: UInt32(rest[0]) ?? 0, directory: rest[1], Array(rest[2...]))
    case "fill": try fill(directory: rest[0], size: Int(rest[1]) ?? 0)
    case "disturb":
      var disturbance = Disturbance(rest[0], seed: Int(rest[1]) ?? 0)
      disturbance.run(Int(rest[2]) ?? 0)
    case "post-storm": try PostStorm().run(Int(rest[0]) ?? 0)
    default: exit(64)
    }
  }

  /// Prints a line at once.
  static func say(_ line: String) {
    let bytes = Array((line + "\n").utf8)
    _ = unsafe bytes.withUnsafeBytes { unsafe write(1, $0.baseAddress, $0.count) }
  }

  static func place(_ scheme: String, _ components: String...) throws(StoreError) -> Reference {
    try Reference(scheme: scheme, components: components)
  }
}

// MARK: - Writing until killed

extension Main {
  static func writeFiles(directory: String, from start: Int) throws {
    let store = FileStore(directory: directory)
    say("READY")
    for number in start... {
      let key = number % 4
      say("BEGIN \(key) \(number)")
      try store.put(
        place("file", "f\(key)"), Resource(Payload.bytes(number), contentType: "text/plain"),
        if: nil)
      say("ACK \(key) \(number)")
    }
  }

  static func writeDefaults(directory: String, from start: Int) throws {
    let store = try DefaultsStore(domain: "kill", directory: directory) { say("DAMAGED \($0)") }
    say("READY")
    for number in start... {
      let key = number % 4
      let value = "{\"n\": \(number), \"pad\": \"\(Payload.padding(number))\"}"
      say("BEGIN \(key) \(number)")
      try store.put(
        place("defaults", "group", "k\(key)"), Resource(Array(value.utf8), contentType: ""), if: nil
      )
      say("ACK \(key) \(number)")
    }
  }
}

/// Bytes that show which number they were made for, and whether all of them are there.
enum Payload {
  static func padding(_ number: Int) -> String {
    String(repeating: "abcdefgh", count: number &* 7919 % 4000)
  }

  static func bytes(_ number: Int) -> [UInt8] {
    let padding = padding(number)
    return Array("\(number) \(padding.utf8.count)\n\(padding)\nend \(number)\n".utf8)
  }
}

// MARK: - Writing at the same time

extension Main {
  static func writeOwnKeys(directory: String, name: String) throws {
    let store = try DefaultsStore(domain: "shared", directory: directory) { say("DAMAGED \($0)") }
    for number in 0..<150 {
      try store.put(
        place("defaults", name, "k\(number % 10)"),
        Resource(Array("\(number)".utf8), contentType: ""),
        if: nil)
      if number % 5 == 0 {
        let won = wins {
          try store.put(
            place("defaults", "first\(number)"),
            Resource(Array("\"\(name)\"".utf8), contentType: ""),
            if: .absent)
        }
        if won { say("WON \(number)") }
      }
    }
  }

  static func createFiles(directory: String) throws {
    let store = FileStore(directory: directory)
    for number in 0..<100 {
      let won = wins {
        try store.put(place("file", "f\(number)"), Resource("\(getpid())"), if: .absent)
      }
      if won { say("WON \(number)") }
    }
  }

  /// Whether a write under the condition that nothing is there was made.
  static func wins(_ write: () throws -> Void) -> Bool {
    do {
      try write()
      return true
    } catch let error as StoreError where error.kind == .preconditionFailed {
      return false
    } catch {
      say("FAILED \(error)")
      return false
    }
  }

  /// Locks as a writer does, until the input ends.
  static func holdLock(directory: String) throws {
    let file = unsafe open(directory + "/held.lock", O_RDWR | O_CREAT, 0o600)
    guard flock(file, LOCK_EX) == 0 else { exit(1) }
    say("LOCKED")
    var byte: UInt8 = 0
    _ = unsafe read(0, &byte, 1)
  }
}

// MARK: - Other circumstances

extension Main {
  /// Prints, writes to the files that stand for the output, and prints again.
  static func printBetween() throws {
    let store = FileStore()
    say("before")
    try store.put(
      Reference(scheme: "file", components: ["dev", "stdout"], isAbsolute: true),
      Resource("stored\n"), if: nil)
    try store.put(
      Reference(scheme: "file", components: ["dev", "stderr"], isAbsolute: true),
      Resource("error\n"), if: nil)
    say("after")
  }

  /// Becomes another user, and prints what came of each `verb:name`.
  static func runVerbs(user: UInt32, directory: String, _ jobs: [String]) throws {
    if user != 0, setgid(user) != 0 || setuid(user) != 0 { exit(77) }
    let store = FileStore(directory: directory)
    for job in jobs {
      let parts = job.split(separator: ":", omittingEmptySubsequences: false).map(String.init)
      let reference = try Reference(
        scheme: "file", components: parts[1].split(separator: "/").map(String.init))
      do throws(StoreError) {
        let answer = try answer(parts[0], reference, store)
        say("\(job) \(answer)")
      } catch {
        say("\(job) \(error.kind) \(error)")
      }
    }
  }

  static func answer(
    _ verb: String, _ reference: Reference, _ store: FileStore
  ) throws(StoreError) -> String {
    switch verb {
    case "get":
      switch try store.get(reference, if: nil) {
      case .resource(let resource): return String(decoding: resource.bytes, as: UTF8.self)
      case .directory: return "directory"
      case .missing: return "missing"
      case .unchanged: return "unchanged"
      }
    case "list":
      return try store.list(reference).map(\.name).joined(separator: " ")
    case "put":
      try store.put(reference, Resource("new"), if: nil)
      return "done"
    default:
      return try store.delete(reference, if: nil) ? "deleted" : "missing"
    }
  }

  /// Writes to a file system with too little room, before and after there is room.
  static func fill(directory: String, size: Int) throws {
    let store = FileStore(directory: directory)
    let file = try place("file", "f")
    let big = Resource([UInt8](repeating: 0x61, count: size), contentType: "text/plain")
    try store.put(file, Resource("old"), if: nil)
    try store.put(place("file", "ballast"), Resource("ballast"), if: nil)
    for _ in 0..<3 {
      do throws(StoreError) {
        try store.put(file, big, if: nil)
        say("no error")
      } catch {
        say("\(error.kind) \(error)")
      }
    }
    say(try answer("get", file, store))
    _ = try store.delete(place("file", "ballast"), if: nil)
    try store.put(file, Resource("small"), if: nil)
    say(try answer("get", file, store))
    say(try answer("list", place("file"), store))
  }
}
