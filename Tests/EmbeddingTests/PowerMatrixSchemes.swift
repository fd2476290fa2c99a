import Foundation
import Tenon
import TenonRuntime
import TenonStoreKit
import TenonStores

/// A scheme of the matrix: how it is granted, where its secret is, and what the world sees.
struct MatrixScheme {
  let place: MatrixPlace
  /// What scripts must not learn without a grant.
  let secrets: [String]
  /// Ways out of what has been granted elsewhere, each beside one to a place where nothing is.
  var elsewhere: [(secret: String, nothing: String)] = []
  /// The verbs that read, and those that write, of all that it can do.
  var reads: Set<String>
  var writes: Set<String> = []
  /// Those that read where only reading is granted.
  var readsWhereReading: Set<String>?
  /// Verbs whose answers look like the secret.
  var unclear: Set<String> = []
  /// What does not work in a way, by design, as `way verb`.
  ///
  /// A mapping store has the verbs of its source, and no command that goes by it.
  var exceptions = MatrixScheme.commandsOfMappings
  static let commandsOfMappings: Set = [
    "subclassed details", "subclassed pack", "subclassed start",
  ]
  /// Makes an interpreter that can be granted the scheme.
  var interpreter: (MatrixGrant) -> Interpreter = { _ in
    Interpreter(clock: Interpreter.systemClock)
  }
  /// Grants the scheme; false where there is no such grant.
  let grant: (MatrixGrant, Interpreter) throws -> Bool
  /// What the world has seen: all, or all but reading.
  var footprint: (_ withReading: Bool) -> String = { _ in "" }
  /// Puts the world back.
  var reset: () throws -> Void = {}
  /// Changes what is at the place.
  var change: (() throws -> Void)?
}

/// The world that scripts are kept from: a folder, servers, a console.
final class MatrixWorld {
  let root: URL
  let server: CountingServer
  private let files = FileManager.default

  init() throws {
    root = files.temporaryDirectory.appending(path: "tenon-\(UUID().uuidString)")
    try files.createDirectory(at: root, withIntermediateDirectories: true)
    server = try CountingServer(log: root.appending(path: "log"))
    try resetFiles()
  }

  deinit { try? files.removeItem(at: root) }

  func path(_ name: String) -> String { root.appending(path: name).path }

  /// All schemes that there are rows for.
  var schemes: [MatrixScheme] {
    [
      file, web("http", server.plain), web("https", server.secure), environment, defaults, database,
      process, input, output, clock, terminal, compression,
    ]
  }

  /// Puts the files back; the folders that are granted stay.
  private func resetFiles() throws {
    for folder in ["granted", "other"] {
      try files.createDirectory(
        at: root.appending(path: folder), withIntermediateDirectories: true)
      for name in try files.contentsOfDirectory(atPath: path(folder)) {
        try files.removeItem(atPath: path("\(folder)/\(name)"))
      }
    }
    try Data("wombat".utf8).write(to: root.appending(path: "granted/a.txt"))
    try Data().write(to: root.appending(path: "granted/quokka"))
    try files.createSymbolicLink(
      atPath: path("other/link"), withDestinationPath: "../granted/a.txt")
    try files.createSymbolicLink(
      atPath: path("other/dangling"), withDestinationPath: "../granted/b.txt")
    try files.createSymbolicLink(atPath: path("other/folder"), withDestinationPath: "../granted")
  }

  /// The names, permissions and contents below a folder.
  private func contents(_ folder: String) -> String {
    let names = (files.subpaths(atPath: path(folder)) ?? []).sorted()
    return names.map { name in
      let whole = path("\(folder)/\(name)")
      let permissions = (try? files.attributesOfItem(atPath: whole))?[.posixPermissions]
      let data = files.contents(atPath: whole)
      return "\(name) \(permissions ?? "") \(data?.base64EncodedString() ?? "")"
    }.joined(separator: "\n")
  }

  var file: MatrixScheme {
    let outside = ["../granted/", "x/../../granted/", "folder/", "\(path("granted"))/"]
    return MatrixScheme(
      place: MatrixPlace(
        scheme: "file", literal: "a.txt", text: "a.txt", storeClass: "NativeStore"),
      // What it holds, the name beside it, its digest.
      secrets: ["wombat", "quokka", "#[215 184 152 "],
      elsewhere: outside.map { ("\($0)a.txt", "\($0)b.txt") } + [("link", "dangling")],
      reads: [
        "get", "literal", "stream", "lines", "copy", "status", "exists", "digest", "details",
        "list",
        "poll", "connect",
      ],
      writes: [
        "put", "assign", "delete", "move", "tree", "directory", "write", "append", "connectTo",
        "connectBoth",
      ],
      readsWhereReading: [
        "get", "literal", "stream", "lines", "copy", "status", "exists", "digest", "list", "poll",
        "connect",
      ],
      grant: { [self] grant, interpreter in
        switch grant {
        case .granted: try interpreter.grantFiles(below: path("granted"), .writing)
        case .elsewhere: try interpreter.grantFiles(below: path("other"), .writing)
        case .reading: try interpreter.grantFiles(below: path("granted"))
        case .none: break
        }
        return true
      },
      footprint: { [self] _ in contents("granted") }, reset: { [self] in try resetFiles() },
      change: { [self] in
        try Data("wombats".utf8).write(to: root.appending(path: "granted/a.txt"))
      })
  }

  func web(_ scheme: String, _ authority: String) -> MatrixScheme {
    let place = "//\(authority)/secret/a.txt"
    // A user that looks like a host, a host that sends on, and the same by the other scheme.
    let elsewhere = [
      place, "//localhost:1@\(authority)/secret/a.txt", "//\(server.bridge)/secret/a.txt",
    ]
    return MatrixScheme(
      place: MatrixPlace(scheme: scheme, literal: place, text: place, storeClass: "NativeStore"),
      secrets: ["wombat", "#[215 184 152 "],
      elsewhere: elsewhere.map { ($0, $0) },
      reads: ["get", "literal", "stream", "copy", "status", "exists", "digest", "connect"],
      writes: ["put", "assign", "delete", "post", "connectTo"],
      // A connection that was made with a store of the script's own stays with that.
      exceptions: MatrixScheme.commandsOfMappings.union(["before connectTo"]),
      grant: { [self] grant, interpreter in
        switch grant {
        case .granted, .reading:
          let store = HTTPStore(scheme: scheme)
          store.hosts = [authority]
          store.certificates = CountingServer.certificate
          store.isReadOnly = grant == .reading
          interpreter.mount(store, as: scheme)
        case .elsewhere: interpreter.grantServers(["localhost:1", server.bridge], .writing)
        case .none: break
        }
        return true
      }, footprint: { [self] in server.visits(withReading: $0) })
  }

  var environment: MatrixScheme {
    let value = { ProcessInfo.processInfo.environment["PATH"] ?? "" }
    return MatrixScheme(
      place: MatrixPlace(scheme: "env", literal: "PATH", text: "PATH", storeClass: "NativeStore"),
      secrets: [value()], elsewhere: [("PATH", "NOTHING")],
      reads: ["get", "literal", "stream", "copy", "status", "exists", "connect"],
      grant: { grant, interpreter in
        switch grant {
        case .granted: interpreter.grantEnvironment(["PATH"])
        case .elsewhere: interpreter.grantEnvironment(["LANG"])
        case .reading: interpreter.mountForReading(EnvironmentStore(), as: "env")
        case .none: break
        }
        return true
      }, footprint: { _ in value() })
  }

  var defaults: MatrixScheme {
    let make = { [self] (domain: String) in
      try DefaultsStore(domain: domain, directory: path("defaults"), report: { _ in })
    }
    return MatrixScheme(
      place: MatrixPlace(
        scheme: "defaults", literal: "colour", text: "colour", storeClass: "NativeStore"),
      secrets: ["wombat"],
      elsewhere: [("colour", "nothing"), ("../secret/colour", "../secret/nothing")],
      reads: ["get", "literal", "copy", "status", "exists", "connect"],
      writes: ["put", "assign", "delete", "connectTo", "connectBoth"],
      grant: { grant, interpreter in
        switch grant {
        case .granted: interpreter.mount(try make("secret"), as: "defaults")
        case .elsewhere: interpreter.mount(try make("another"), as: "defaults")
        case .reading: interpreter.mountForReading(try make("secret"), as: "defaults")
        case .none: break
        }
        return true
      },
      footprint: { [self] _ in
        contents("defaults").split(separator: "\n").filter { $0.hasPrefix("secret") }
          .joined(separator: "\n")
      },
      reset: { [self] in
        try? files.removeItem(atPath: path("defaults"))
        let interpreter = Interpreter()
        let store = try make("secret")
        interpreter.mount(store, as: "defaults")
        _ = try interpreter.evaluate("defaults:colour := 'wombat'")
        try store.close()
      })
  }

  var database: MatrixScheme {
    let place = path("world.db") + "/people/1"
    return MatrixScheme(
      place: MatrixPlace(scheme: "sqlite", literal: place, text: place, storeClass: "NativeStore"),
      secrets: ["wombat"],
      reads: ["get", "literal", "copy", "status", "exists", "connect"],
      writes: ["delete", "merge"],
      grant: { grant, interpreter in
        switch grant {
        case .granted: interpreter.mountRemoteStores(where: { $0 == "sqlite" })
        case .reading: interpreter.mountForReading(SQLiteFilesStore(), as: "sqlite")
        case .elsewhere: return false
        case .none: break
        }
        return true
      },
      footprint: { [self] _ in
        files.contents(atPath: path("world.db"))?.base64EncodedString() ?? "gone"
      },
      reset: { [self] in
        try? files.removeItem(atPath: path("world.db"))
        let interpreter = Interpreter()
        interpreter.mountRemoteStores(where: { $0 == "sqlite" })
        _ = try interpreter.evaluate(
          """
          | db |
          db := SQLite on: '\(path("world.db"))'.
          db execute: 'create table people (id integer primary key, name text)'.
          db execute: 'insert into people (id, name) values (1, ''wombat'')'.
          db close
          """)
      })
  }

  var process: MatrixScheme {
    let command = "echo $((6000+1234)); echo x >> \(path("marker")); cat >> \(path("input"))"
    let text = "sh/-c/" + command.replacing("/", with: "%2F")
    return MatrixScheme(
      place: MatrixPlace(
        scheme: "process", literal: "sh/-c/{command}", text: text, storeClass: "NativeStore"),
      secrets: ["7234"], reads: ["get", "literal", "copy", "connect"],
      writes: ["put", "assign", "start"],
      interpreter: { _ in
        let interpreter = Interpreter(clock: Interpreter.systemClock)
        try? interpreter.set("command", to: command)
        return interpreter
      },
      grant: { grant, interpreter in
        switch grant {
        case .granted: interpreter.mountRemoteStores(where: { $0 == "process" })
        case .reading: interpreter.mountForReading(ProcessStore(environment: nil), as: "process")
        case .elsewhere: return false
        case .none: break
        }
        return true
      },
      footprint: { [self] isWithReading in
        // Reading runs the program, writing gives it something to read.
        (isWithReading ? ["marker", "input"] : ["input"])
          .map { "\(files.contents(atPath: path($0))?.count ?? 0)" }.joined(separator: ", ")
      })
  }
}
