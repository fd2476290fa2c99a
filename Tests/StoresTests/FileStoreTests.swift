import Foundation
import TenonStoreKit
import TenonStores
import Testing

/// What a path of `file:` means, and what the verbs do with what is there.
@Suite struct FileStoreTests {
  let directory: TemporaryDirectory
  let store: FileStore

  init() throws {
    directory = try TemporaryDirectory()
    store = FileStore(directory: directory.path)
  }

  // MARK: Paths

  @Test func relativePathsBeginAtTheDirectory() throws {
    try directory.write("a/b.txt", "text")
    #expect(try store.text(file("a/b.txt")) == "text")
    #expect(try store.text(file(directory.path + "/a/b.txt")) == "text")
    #expect(try FileStore(directory: directory.path + "/a").text(file("b.txt")) == "text")
    #expect(try FileStore(directory: directory.path + "/a/").text(file("../a/./b.txt")) == "text")
    #expect(try FileStore(directory: "/").text(file("dev/null")) == "")
    #expect(try store.names(file("a/..")) == ["a/"])
    #expect(try FileStore().text(file("..")) == "<directory>")
  }

  @Test func aPathMeansNothingElse() throws {
    #expect(try store.text(file("~")) == nil)
    try store.put(file("~"), "home")
    #expect(directory.text("~") == "home")
    let slash = try Reference(scheme: "file", components: ["a/b"])
    #expect(kind { try store.put(slash, "x") } == .invalidReference)
    #expect(message { try store.put(slash, "x") } == "file:a%2Fb: the name of a file holds no '/'")
    let query = try Reference(scheme: "file", components: ["a"], query: [.init("k", "v")])
    #expect(kind { _ = try store.get(query, if: nil) } == .invalidReference)
    let host = try Reference(scheme: "file", authority: "example.org", components: ["a"])
    #expect(kind { _ = try store.get(host, if: nil) } == .invalidReference)
    let local = try Reference(scheme: "file", authority: "", components: ["dev", "null"])
    #expect(try store.text(local) == "")
    let temporary = try file(".tenon-temporary-1")
    #expect(kind { try store.put(temporary, "x") } == .invalidReference)
    #expect(kind { _ = try store.delete(file("a/.."), if: nil) } == .invalidReference)
    #expect(kind { try store.put(file(".."), "x") } == .isADirectory)
    #expect(directory.tree == ["~": "home"])
  }

  // MARK: Reading

  @Test func missingIsNoError() throws {
    try directory.write("plain", "text")
    #expect(try store.text(file("nothing")) == nil)
    #expect(try store.text(file("nothing/below")) == nil)
    #expect(try store.text(file("plain/below")) == nil)
    #expect(try !store.delete(file("nothing/below"), if: nil))
    #expect(try !store.delete(file("plain/below"), if: nil))
    #expect(kind { _ = try store.list(file("nothing")) } == .notFound)
    #expect(kind { _ = try store.list(file("plain")) } == .notADirectory)
    #expect(kind { _ = try store.get(file("plain/"), if: nil) } == .notADirectory)
  }

  @Test func bytesAreKept() throws {
    let all = [UInt8](0...255) + [0xFF, 0xFE, 0xC0, 0x80, 0]
    let reference = try file("bytes")
    for bytes in [all, [], [0], [UInt8](repeating: 7, count: (1 << 20) + 3)] {
      try store.put(reference, Resource(bytes, contentType: "text/plain"), if: nil)
      #expect(directory.bytes("bytes") == bytes)
      guard case .resource(let resource) = try store.get(reference, if: nil) else {
        Issue.record("nothing there")
        return
      }
      #expect(resource.bytes == bytes)
      #expect(resource.contentType == (bytes == all ? "application/octet-stream" : "text/plain"))
    }
  }

  @Test func filesTheSystemMakesUpAreRead() throws {
    #expect(try store.text(file("/proc/self/stat"))?.isEmpty == false)
  }

  @Test func readingIsBounded() throws {
    var options = FileStore.Options()
    options.readLimit = 100_000
    let store = FileStore(directory: directory.path, options: options)
    try directory.write("at", [UInt8](repeating: 0, count: 100_000))
    try directory.write("over", [UInt8](repeating: 0, count: 100_001))
    #expect(try store.text(file("at"))?.utf8.count == 100_000)
    #expect(
      message { _ = try store.get(file("over"), if: nil) } == "file:over: larger than 100000 bytes")
    #expect(kind { _ = try store.get(file("/dev/zero"), if: nil) } == .tooLarge)
    #expect(kind { _ = try store.get(file("/dev/urandom"), if: nil) } == .tooLarge)
    let fileSystem = RecordingFileSystem()
    let recorded = FileStore(options: options, fileSystem: fileSystem)
    #expect(kind { _ = try recorded.get(file("/dev/zero"), if: nil) } == .tooLarge)
    // In pieces of 4 KiB, and not one more than it takes to know.
    #expect(fileSystem.calls.count { $0.name == "read" } == 25)
    let sparse = try #require(FileHandle(forWritingAtPath: directory.path + "/over"))
    try sparse.truncate(atOffset: 4 << 30)
    #expect(kind { _ = try self.store.get(file("over"), if: nil) } == .tooLarge)
  }

  @Test func listingsAreSortedAndHideTemporaryFiles() throws {
    for name in ["b", "a", "\u{E9}", "z", "B", ".hidden", ".tenon-temporary-abc"] {
      try directory.write(name, "")
    }
    try directory.makeDirectory("dir")
    try directory.link("to-dir", to: "dir")
    try directory.link("to-nothing", to: "nowhere")
    #expect(
      try store.names(file("")) == [".hidden", "B", "a", "b", "dir/", "to-dir/", "z", "\u{E9}"])
    #expect(try store.text(file("to-nothing")) == nil)
    #expect(try store.text(file("dir/")) == "<directory>")
  }

  @Test func namesThatNoReferenceHoldsAreLeftOut() throws {
    try directory.write("line\nbreak", "")
    let shell = Process()
    shell.executableURL = URL(fileURLWithPath: "/bin/sh")
    shell.arguments = ["-c", "cd '\(directory.path)' && touch \"$(printf 'bad\\377')\""]
    try shell.run()
    shell.waitUntilExit()
    let listed = try FileManager.default.contentsOfDirectory(atPath: directory.path)
    #expect(listed.count >= 1)
    #expect(try store.names(file("")) == [])
    #expect(kind { _ = try store.delete(file(directory.path), if: nil) } == .notEmpty)
  }

  // MARK: Writing

  @Test func parentsAreCreated() throws {
    try store.put(file("a/b/c/d"), "text")
    #expect(directory.text("a/b/c/d") == "text")
    try store.put(file("new/../other/x"), "text")
    #expect(directory.text("other/x") == "text")
    #expect(kind { try store.put(file("a/b/c/d/e/f"), "text") } == .notADirectory)
    #expect(kind { try store.put(file("a/b"), "text") } == .isADirectory)
    #expect(kind { try store.put(file("fresh/x"), "text", if: .exists) } == .preconditionFailed)
    #expect(directory.tree["fresh/"] == nil)
  }

  @Test func aNewFileHasThePermissionsOfAnyOther() throws {
    try directory.write("other", "")
    try store.put(file("mine"), "")
    #expect(directory.permissions("mine") == directory.permissions("other"))
  }

  @Test(arguments: [0o600, 0o644, 0o755, 0o4751] as [UInt32])
  func replacingKeepsPermissions(_ permissions: UInt32) throws {
    try directory.write("f", "old")
    #expect(unsafe chmod(directory.path + "/f", permissions) == 0)
    try store.put(file("f"), "new")
    #expect(directory.text("f") == "new")
    // Rights that were given to the old program are not given to another.
    #expect(directory.permissions("f") == permissions & 0o777)
  }

  @Test func replacingKeepsTheOwner() throws {
    guard getuid() == 0 else {
      print("skipped: only the superuser gives files away")
      return
    }
    try directory.write("f", "old")
    #expect(unsafe chown(directory.path + "/f", 65534, 65533) == 0)
    try store.put(file("f"), "new")
    var status = stat()
    #expect(unsafe stat(directory.path + "/f", &status) == 0)
    #expect(status.st_uid == 65534)
    #expect(status.st_gid == 65533)
  }

  @Test func whatAnOldGroupMightDoIsNotForAnother() throws {
    guard getuid() == 0 else {
      print("skipped: only the superuser gives files away")
      return
    }
    try directory.write("f", "old")
    #expect(unsafe chown(directory.path + "/f", 65534, 65533) == 0)
    #expect(unsafe chmod(directory.path + "/f", 0o664) == 0)
    let fileSystem = RecordingFileSystem()
    fileSystem.fault = { _, call in call.name == "owner" ? FileFailure(1) : nil }
    try FileStore(directory: directory.path, fileSystem: fileSystem).put(file("f"), "new")
    #expect(directory.text("f") == "new")
    #expect(directory.permissions("f") == 0o604)
  }

  @Test func conditionsAreChecked() throws {
    let reference = try file("f")
    #expect(kind { try store.put(reference, "x", if: .exists) } == .preconditionFailed)
    try store.put(reference, "1", if: .absent)
    #expect(
      message { try store.put(reference, "2", if: .absent) } == "file:f: there is something already"
    )
    try store.put(reference, "3", if: .exists)
    #expect(kind { _ = try store.delete(reference, if: .absent) } == .preconditionFailed)
    #expect(try store.delete(reference, if: .exists))
    #expect(directory.tree == [:])
  }

  @Test func aFileThatComesMeanwhileIsNotReplaced() throws {
    let fileSystem = RecordingFileSystem()
    let store = FileStore(directory: directory.path, fileSystem: fileSystem)
    fileSystem.fault = { [directory] _, call in
      if call.name == "link" { try? directory.write("f", "theirs") }
      return nil
    }
    #expect(kind { try store.put(file("f"), "mine", if: .absent) } == .preconditionFailed)
    #expect(directory.tree == ["f": "theirs"])
  }

  @Test func aFileThatGotItsNameMeanwhileIsNotTakenForStale() throws {
    let fileSystem = RecordingFileSystem()
    try directory.write(".tenon-temporary-1", "whole")
    // Between the look at the directory and the lock, its writer finishes and another one begins.
    fileSystem.fault = { [directory] _, call in
      guard call.description == "lock <temporary>", directory.text("other") == nil else {
        return nil
      }
      let manager = FileManager.default
      try? manager.moveItem(
        atPath: directory.path + "/.tenon-temporary-1", toPath: directory.path + "/other")
      try? directory.write(".tenon-temporary-1", "half")
      return nil
    }
    try FileStore(directory: directory.path, fileSystem: fileSystem).put(file("f"), "x")
    #expect(directory.tree == ["f": "x", "other": "whole", ".tenon-temporary-1": "half"])
  }

  @Test func aTemporaryFileThatIsTakenAwayIsMadeAgain() throws {
    let fileSystem = RecordingFileSystem()
    var times = 0
    fileSystem.fault = { [directory] _, call in
      guard call.description == "lock <temporary>", times < 3 else { return nil }
      times += 1
      for name in directory.strays {
        try? FileManager.default.removeItem(atPath: directory.path + "/" + name)
      }
      return nil
    }
    try FileStore(directory: directory.path, fileSystem: fileSystem).put(file("f"), "x")
    #expect(times == 3)
    #expect(directory.tree == ["f": "x"])
  }

  @Test func aTemporaryFileThatSomebodyIsTakingAwayIsMadeAgain() throws {
    let fileSystem = RecordingFileSystem()
    var names: [String] = []
    fileSystem.fault = { [directory] _, call in
      guard call.description == "lock <temporary>" else { return nil }
      names += directory.strays
      // The other one has the lock, and has not removed the file yet.
      fileSystem.lockAnswer = names.count == 1 ? false : nil
      return nil
    }
    try FileStore(directory: directory.path, fileSystem: fileSystem).put(file("f"), "x")
    #expect(names.count == 2)
    #expect(Set(names).count == 2)
    #expect(directory.tree == ["f": "x"])
  }

  // MARK: Deleting

  @Test func directoriesAreDeletedWhenEmpty() throws {
    try directory.write("d/f", "")
    #expect(message { _ = try store.delete(file("d"), if: nil) } == "file:d: directory not empty")
    #expect(try store.delete(file("d/f"), if: nil))
    #expect(try store.delete(file("d/"), if: nil))
    #expect(directory.tree == [:])
  }

  @Test func whatDeadProcessesLeftKeepsNoDirectory() throws {
    try directory.write("d/.tenon-temporary-left", "half")
    #expect(try store.names(file("d")) == [])
    #expect(try store.delete(file("d"), if: nil))
    #expect(directory.tree == [:])
  }

  @Test func whatDeadProcessesLeftIsRemovedByTheFirstWrite() throws {
    try directory.write(".tenon-temporary-left", "half")
    // What is still being written is locked.
    try directory.write(".tenon-temporary-live", "half")
    let live = unsafe open(directory.path + "/.tenon-temporary-live", O_RDONLY)
    #expect(flock(live, LOCK_EX | LOCK_NB) == 0)
    try store.put(file("f"), "x")
    #expect(directory.tree == ["f": "x", ".tenon-temporary-live": "half"])
    close(live)
  }
}
