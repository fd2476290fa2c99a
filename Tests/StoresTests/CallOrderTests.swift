import TenonStoreKit
import TenonStores
import Testing

/// The order of the system calls, on which surviving the loss of power rests.
@Suite struct CallOrderTests {
  let directory: TemporaryDirectory
  let fileSystem = RecordingFileSystem()

  init() throws {
    directory = try TemporaryDirectory()
  }

  /// The calls that change something or make it durable.
  private var changes: [String] {
    let names: Set = ["write", "synchronize", "rename", "link", "remove", "make", "permissions"]
    return fileSystem.calls.filter { names.contains($0.name) }
      .map { $0.description.replacing(directory.path, with: "") }
  }

  @Test func aNewFile() throws {
    let store = FileStore(directory: directory.path, fileSystem: fileSystem)
    try store.put(file("f"), "text")
    #expect(
      changes == ["write <temporary>", "synchronize <temporary>", "rename f", "synchronize "])
  }

  @Test func aReplacedFile() throws {
    try directory.write("f", "old")
    let store = FileStore(directory: directory.path, fileSystem: fileSystem)
    try store.put(file("f"), "text")
    #expect(
      changes == [
        "permissions <temporary>", "write <temporary>", "synchronize <temporary>", "rename f",
        "synchronize ",
      ])
  }

  @Test func newDirectories() throws {
    let store = FileStore(directory: directory.path, fileSystem: fileSystem)
    try store.put(file("a/b/f"), "text")
    #expect(
      changes == [
        "make /a/b", "make /a", "synchronize ", "make /a/b", "synchronize /a",
        "write <temporary>", "synchronize <temporary>", "rename f", "synchronize /a/b",
      ])
  }

  @Test func aFileThatMustBeNew() throws {
    let store = FileStore(directory: directory.path, fileSystem: fileSystem)
    try store.put(file("f"), "text", if: .absent)
    #expect(
      changes == [
        "write <temporary>", "synchronize <temporary>", "link f", "remove <temporary>",
        "synchronize ",
      ])
  }

  @Test func aDeletedFile() throws {
    try directory.write("f", "old")
    let store = FileStore(directory: directory.path, fileSystem: fileSystem)
    _ = try store.delete(file("f"), if: nil)
    #expect(changes == ["remove f", "synchronize "])
  }

  @Test func defaultsAreWrittenUnderTheLock() throws {
    let store = try DefaultsStore(
      domain: "d", directory: directory.path, fileSystem: fileSystem
    ) { Issue.record("\($0)") }
    try store.put(defaults("a"), "1")
    #expect(
      changes == ["write <temporary>", "synchronize <temporary>", "rename d.json", "synchronize "])
    let names = fileSystem.calls.map(\.description)
    let lock = try #require(names.firstIndex(of: "lock d.lock"))
    let write = try #require(names.firstIndex(of: "write <temporary>"))
    #expect(lock < write)
    // The lock is gone, the file that was written is kept open, nothing else is.
    #expect(fileSystem.open.values.sorted() == ["<temporary>"])
    fileSystem.forget()
    #expect(try store.text(defaults("a")) == "1")
    #expect(fileSystem.calls.map(\.name) == ["status"])
    // As long as a file that was read is open, no other gets its number.
    let reader = try DefaultsStore(
      domain: "d", directory: directory.path, fileSystem: fileSystem
    ) { Issue.record("\($0)") }
    #expect(try reader.text(defaults("a")) == "1")
    #expect(fileSystem.open.values.sorted() == [directory.path + "/d.json", "<temporary>"])
  }

  @Test func theSameValueIsNotWrittenAgain() throws {
    func open() throws -> DefaultsStore {
      try DefaultsStore(domain: "d", directory: directory.path, fileSystem: fileSystem) { _ in }
    }
    let store = try open()
    try store.put(defaults("a"), "1")
    fileSystem.forget()
    try store.put(defaults("a"), " 1\n")
    #expect(changes == [])
    // Who wrote it, and how, this one cannot know.
    try open().put(defaults("a"), "1")
    #expect(changes.contains("rename d.json"))
  }

  @Test func aFailedSynchronizeIsNotRepeated() throws {
    try directory.write("f", "old")
    let store = FileStore(directory: directory.path, fileSystem: fileSystem)
    fileSystem.fault = { _, call in
      call.name == "synchronize" && call.object == "<temporary>" ? .inputOutput : nil
    }
    #expect(message { try store.put(file("f"), "new") } == "file:f: input/output error")
    #expect(changes.count { $0 == "synchronize <temporary>" } == 1)
    #expect(changes.last == "remove <temporary>")
    #expect(directory.tree == ["f": "old"])
  }

  @Test func aNameThatMayBeLostIsReported() throws {
    let store = FileStore(directory: directory.path, fileSystem: fileSystem)
    fileSystem.fault = { _, call in
      call.description == "synchronize \(directory.path)" ? .inputOutput : nil
    }
    #expect(
      message { try store.put(file("f"), "new") }
        == "file:f: done, but may not survive a loss of power: input/output error")
    #expect(kind { _ = try store.delete(file("f"), if: nil) } == .notDurable)
    #expect(directory.tree == [:])
    // A file system without such a thing is none the worse.
    fileSystem.fault = { _, call in
      call.description == "synchronize \(directory.path)" ? .invalidArgument : nil
    }
    try store.put(file("f"), "new")
  }
}
