import Foundation
import TenonStoreKit
import TenonStores
import Testing

/// The file of defaults, what it looks like, and how stores share it.
@Suite struct DefaultsStoreTests {
  let directory: TemporaryDirectory

  init() throws {
    directory = try TemporaryDirectory()
  }

  private func open(
    _ path: String? = nil, _ fileSystem: any FileSystem = OperatingSystem()
  ) throws -> DefaultsStore {
    try DefaultsStore(domain: "d", directory: path ?? directory.path, fileSystem: fileSystem) {
      Issue.record("\($0)")
    }
  }

  // MARK: The file

  @Test func theFileIsReadable() throws {
    let store = try open()
    #expect(store.contentType(of: try defaults("a")) == "application/json")
    try store.put(defaults("window/size"), "[ 10, 20 ]")
    try store.put(defaults("quote\"\\"), "\"x\"")
    try store.put(defaults("Name"), " {\n    \"é\": 1\n  }\t")
    try store.put(defaults("window"), "true")
    #expect(
      directory.text("d.json") == """
        {
          "Name": {
            "é": 1
          },
          "quote\\"\\\\": "x",
          "window": true,
          "window/size": [ 10, 20 ]
        }

        """)
    #expect(directory.permissions("d.json") == 0o600)
    #expect(try open().text(defaults("Name")) == "{\n    \"é\": 1\n  }")
    #expect(try open().text(defaults("window/size")) == "[ 10, 20 ]")
    for key in ["window/size", "quote\"\\", "Name", "window"] {
      #expect(try store.delete(defaults(key), if: nil))
    }
    #expect(directory.text("d.json") == "{}\n")
  }

  @Test func whatPeopleWriteIsKept() throws {
    try directory.write(
      "d.json", "{\"b\":1,\r\n\t\"a\\u0062\" : [1,\n2] , \"\": 0, \"x//y\": 1, \"../z\": 2}")
    let store = try open()
    #expect(try store.names(defaults("")) == ["ab", "b"])
    #expect(try store.text(defaults("ab")) == "[1,\n2]")
    try store.put(defaults("c"), "3")
    #expect(
      directory.text("d.json")
        == "{\n  \"\": 0,\n  \"../z\": 2,\n  \"ab\": [1,\n2],\n  \"b\": 1,\n  \"c\": 3,\n  \"x//y\": 1\n}\n"
    )
  }

  @Test func keysAreChecked() throws {
    let store = try open()
    let slash = try Reference(scheme: "defaults", components: ["a/b"])
    #expect(kind { try store.put(slash, "1") } == .invalidReference)
    #expect(kind { try store.put(defaults("a/../b"), "1") } == .invalidReference)
    let query = try Reference(scheme: "defaults", components: ["a"], query: [.init("k", nil)])
    #expect(kind { _ = try store.get(query, if: nil) } == .invalidReference)
    #expect(directory.tree == [:])
  }

  @Test func valuesAreChecked() throws {
    let store = try open()
    try store.put(defaults("a"), "1")
    #expect(
      message { try store.put(defaults("a"), "[1,]") }
        == "defaults:a: not JSON: line 1, column 4: expected a value, found ']'")
    #expect(kind { try store.put(defaults("a"), "1 2") } == .encode)
    #expect(kind { try store.put(defaults("a"), "") } == .encode)
    #expect(
      kind { try store.put(defaults("a"), Resource([0x22, 0xFF, 0x22], contentType: ""), if: nil) }
        == .encode)
    var options = DefaultsStore.Options()
    options.sizeLimit = 1000
    let small = try DefaultsStore(domain: "d", directory: directory.path, options: options) { _ in }
    let big = "\"" + String(repeating: "x", count: 1000) + "\""
    #expect(kind { try small.put(defaults("b"), big) } == .tooLarge)
    #expect(try small.text(defaults("a")) == "1")
    try store.put(defaults("b"), big)
    #expect(kind { _ = try small.get(defaults("a"), if: nil) } == .tooLarge)
    #expect(kind { try small.put(defaults("a"), "1") } == .tooLarge)
    #expect(try store.text(defaults("b")) == big)
  }

  @Test func domainsAreChecked() throws {
    for name in [
      "", ".", "..", ".hidden", "a/b", "a b", "a\u{0}", "x\n", String(repeating: "x", count: 201),
    ] {
      #expect(
        kind { _ = try DefaultsStore(domain: name, directory: "/x") { _ in } } == .invalidReference)
    }
    #expect(
      kind { _ = try DefaultsStore(domain: "d", directory: "x") { _ in } } == .invalidReference)
  }

  @Test func theDirectoryFollowsTheConvention() {
    func directory(_ variables: [String: String]) -> String? {
      DefaultsStore.directory(in: EnvironmentStore(variables))
    }
    #expect(directory(["HOME": "/home/a"]) == "/home/a/.config/tenon/defaults")
    #expect(directory(["HOME": "/home/a", "XDG_CONFIG_HOME": "/c"]) == "/c/tenon/defaults")
    #expect(
      directory(["HOME": "/home/a", "XDG_CONFIG_HOME": "c"]) == "/home/a/.config/tenon/defaults")
    #expect(
      directory(["HOME": "/home/a", "XDG_CONFIG_HOME": ""]) == "/home/a/.config/tenon/defaults")
    #expect(directory([:]) == nil)
    #expect(directory(["HOME": "relative"]) == nil)
  }

  // MARK: Where nothing can be kept

  @Test func withoutAHomeEverythingIsMissing() throws {
    let store = try DefaultsStore(domain: "d", directory: nil) { Issue.record("\($0)") }
    #expect(try store.text(defaults("a")) == nil)
    #expect(try store.names(defaults("")) == [])
    #expect(try !store.delete(defaults("a"), if: nil))
    #expect(
      message { try store.put(defaults("a"), "1") }
        == "defaults:a: there is no home directory to keep defaults in")
  }

  @Test func aHomeThatCannotBeWritten() throws {
    try directory.write("plain", "text")
    let store = try open(directory.path + "/plain/home")
    #expect(try store.text(defaults("a")) == nil)
    #expect(message { try store.put(defaults("a"), "1") } == "defaults:a: not a directory")
    let fileSystem = RecordingFileSystem()
    let denied = try open(directory.path + "/home/deep", fileSystem)
    fileSystem.fault = { _, call in
      ["make", "rename"].contains(call.name) ? FileFailure(13) : nil
    }
    #expect(try denied.text(defaults("a")) == nil)
    #expect(message { try denied.put(defaults("a"), "1") } == "defaults:a: permission denied")
    #expect(try denied.text(defaults("a")) == nil)
    #expect(directory.tree == ["plain": "text"])
  }

  /// Directories that were made for a change go again when there cannot even be a lock in them.
  @Test func withoutALockNoDirectoryIsLeft() throws {
    let fileSystem = RecordingFileSystem()
    let store = try open(directory.path + "/home/deep/defaults", fileSystem)
    fileSystem.fault = { _, call in call.object == "d.lock" ? FileFailure(13) : nil }
    #expect(kind { try store.put(defaults("a"), "1") } == .permission)
    #expect(directory.tree == [:])
    fileSystem.fault = { _, _ in nil }
    try store.put(defaults("a"), "1")
    #expect(try store.text(defaults("a")) == "1")
  }

  @Test func aLinkIsNotReplaced() throws {
    try directory.write("dotfiles/d.json", "{\"a\": 1}")
    try directory.link("d.json", to: "dotfiles/d.json")
    let store = try open()
    #expect(try store.text(defaults("a")) == "1")
    #expect(kind { try store.put(defaults("a"), "2") } == .unsupported)
    #expect(directory.text("dotfiles/d.json") == "{\"a\": 1}")
  }

  @Test func whatIsNoFileIsReported() throws {
    try directory.makeDirectory("d.json")
    let store = try open()
    #expect(kind { _ = try store.get(defaults("a"), if: nil) } == .unsupported)
    #expect(kind { try store.put(defaults("a"), "1") } == .unsupported)
  }

  // MARK: Sharing

  @Test func storesSeeEachOther() throws {
    let (first, second) = (try open(), try open())
    #expect(try second.text(defaults("a")) == nil)
    try first.put(defaults("a"), "1")
    #expect(try second.text(defaults("a")) == "1")
    try second.put(defaults("b"), "2")
    try first.put(defaults("c"), "3")
    #expect(try second.names(defaults("")) == ["a", "b", "c"])
    #expect(try second.delete(defaults("c"), if: nil))
    #expect(try first.text(defaults("c")) == nil)
    try directory.write("d.json", "{\"edited\": true}")
    #expect(try first.text(defaults("edited")) == "true")
    try FileManager.default.removeItem(atPath: directory.path + "/d.json")
    #expect(try second.names(defaults("")) == [])
  }

  /// A file system gives the number of a file that is gone to the next one, and the clock of files
  /// stands still for milliseconds: three files in a row may look the same.
  @Test func aFileThatLooksTheSameIsRead() throws {
    let disk = try TemporaryDirectory(isOnDisk: true)
    let fileSystem = RecordingFileSystem()
    let (first, second) = (
      try open(disk.path, fileSystem), try open(disk.path, fileSystem)
    )
    for number in 100..<400 {
      try first.put(defaults("n"), "\(number)")
      #expect(try second.text(defaults("n")) == "\(number)")
      try first.put(defaults("n"), "\(number + 400)")
      try first.put(defaults("n"), "\(number + 200)")
      #expect(try second.text(defaults("n")) == "\(number + 200)")
    }
  }

  @Test func aWriterWaitsForTheLock() throws {
    let fileSystem = RecordingFileSystem()
    let store = try open(nil, fileSystem)
    try store.put(defaults("a"), "1")
    var attempts = 0
    fileSystem.fault = { _, call in
      if call.description == "lock d.lock" {
        attempts += 1
        fileSystem.lockAnswer = attempts < 20 ? false : nil
      }
      return nil
    }
    try store.put(defaults("a"), "2")
    #expect(attempts == 20)
    fileSystem.fault = { _, call in
      fileSystem.lockAnswer = call.description == "lock d.lock" ? false : nil
      return nil
    }
    #expect(
      message { try store.put(defaults("a"), "3") }
        == "defaults:a: locked by another process for 5000 ms")
    #expect(kind { try store.put(defaults("a"), "3") } == .locked)
    store.isInterrupted = { true }
    #expect(kind { try store.put(defaults("a"), "3") } == .timeout)
    // Reading waits for nobody.
    #expect(try store.text(defaults("a")) == "2")
  }

  @Test func anotherProcessHoldsTheLock() throws {
    let other = try ChildProcess(["hold-lock", directory.path])
    #expect(other.waitForLine() == "LOCKED")
    var options = DefaultsStore.Options()
    options.lockLimit = .milliseconds(20)
    let store = try DefaultsStore(domain: "held", directory: directory.path, options: options) {
      _ in
    }
    #expect(kind { try store.put(defaults("a"), "1") } == .locked)
    other.kill()
    _ = other.finish()
    try store.put(defaults("a"), "1")
  }

  @Test func aLockFileThatIsTakenAway() throws {
    let fileSystem = RecordingFileSystem()
    let store = try open(nil, fileSystem)
    var times = 0
    fileSystem.fault = { [directory] _, call in
      if call.description == "lock d.lock", times < 3 {
        times += 1
        try? FileManager.default.removeItem(atPath: directory.path + "/d.lock")
      }
      return nil
    }
    try store.put(defaults("a"), "1")
    #expect(times == 3)
    #expect(directory.tree.keys.sorted() == ["d.json", "d.lock"])
  }

  // MARK: Changes

  @Test func changesAreAnnounced() throws {
    let store = try open()
    let other = try open()
    try other.put(defaults("before"), "0")
    let log = Log()
    let subscription = store.feed?.subscribe(noting: {
      log.add("\($0.verb) \($0.reference)")
    })
    // What was there at the start is not news.
    _ = try store.list(defaults(""))
    #expect(log.take() == [])
    try store.put(defaults("a/b"), "1")
    try store.put(defaults("a/b"), "1")
    #expect(log.take() == ["put defaults:a/b"])
    _ = try store.delete(defaults("a/b"), if: nil)
    _ = try store.delete(defaults("a/b"), if: nil)
    #expect(log.take() == ["delete defaults:a/b"])
    #expect(kind { try store.put(defaults("x"), "1", if: .exists) } != nil)
    #expect(log.take() == [])
    try other.put(defaults("z"), "1")
    try other.put(defaults("c"), "1")
    _ = try other.delete(defaults("before"), if: nil)
    #expect(log.take() == [])
    try store.refresh()
    #expect(log.take() == ["delete defaults:before", "put defaults:c", "put defaults:z"])
    // What others did comes together with what is done here.
    try other.put(defaults("c"), "2")
    try store.put(defaults("d"), "1")
    #expect(log.take() == ["put defaults:c", "put defaults:d"])
    _ = subscription
  }

  @Test func whoeverHearsMayUseTheStore() throws {
    let store = try open()
    let box = Box(store)
    let queue = ChangeQueue(on: ImmediateExecutor()) { batch in
      for change in batch.changes where change.reference.name == "a" {
        let seen = try box.store.text(change.reference)
        try box.store.put(try defaults("copy"), seen ?? "null")
      }
    }
    let subscription = try store.watch(defaults("a"), isDeep: false, queue)
    try store.put(defaults("a"), "1")
    #expect(try store.text(defaults("copy")) == "1")
    _ = subscription
  }

  /// A store for a handler that runs on this thread.
  private final class Box: @unchecked Sendable {
    let store: DefaultsStore
    init(_ store: DefaultsStore) { self.store = store }
  }
}

/// Lines that a handler writes.
final class Log: @unchecked Sendable {
  private let lock = NSLock()
  private var lines: [String] = []

  func add(_ line: String) { lock.withLock { lines.append(line) } }

  /// The lines since the last time.
  func take() -> [String] {
    lock.withLock {
      defer { lines = [] }
      return lines
    }
  }
}
