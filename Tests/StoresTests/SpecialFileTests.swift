import Foundation
import TenonStoreKit
import TenonStores
import Testing

/// Devices, pipes and sockets: what can be used is, nothing hangs.
@Suite struct SpecialFileTests {
  let directory: TemporaryDirectory
  let store: FileStore

  init() throws {
    directory = try TemporaryDirectory()
    var options = FileStore.Options()
    options.waitLimit = .milliseconds(30)
    store = FileStore(directory: directory.path, options: options)
  }

  @Test func devicesAreWrittenAsTheyAre() throws {
    let null = try file("/dev/null")
    try store.put(null, "gone")
    #expect(try store.text(null) == "")
    try directory.link("null", to: "/dev/null")
    try store.put(file("null"), "gone")
    #expect(
      message { try store.put(file("/dev/full"), "x") } == "file:/dev/full: no space left on device"
    )
  }

  @Test func standardOutputIsWrittenWhateverItIs() throws {
    let lines = try ChildProcess.run(["print"]).lines
    #expect(lines == ["before", "stored", "after"])
    let output = directory.path + "/output"
    _ = try ChildProcess.run(["print"], shell: "exec >'\(output)' 2>&1;")
    #expect(directory.text("output") == "before\nstored\nerror\nafter\n")
  }

  @Test func aPipeIsReadToItsEnd() throws {
    #expect(unsafe mkfifo(directory.path + "/pipe", 0o600) == 0)
    // Written a byte at a time, by somebody who opens it as long as it takes.
    let writer = Process()
    writer.executableURL = URL(fileURLWithPath: "/bin/sh")
    writer.arguments = [
      "-c",
      "for n in 1 2 3 4 5 6 7 8 9; do printf $n; sleep 0.005; done > '\(directory.path)/pipe'",
    ]
    var options = FileStore.Options()
    options.waitLimit = .seconds(20)
    let store = FileStore(directory: directory.path, options: options)
    try writer.run()
    #expect(try store.text(file("pipe")) == "123456789")
    writer.waitUntilExit()
  }

  /// Whoever asks again does something else meanwhile; the pipe stays open for its writer.
  @Test func aPipeIsReadAsItIsFilled() throws {
    #expect(unsafe mkfifo(directory.path + "/pipe", 0o600) == 0)
    var options = FileStore.Options()
    options.waitLimit = .milliseconds(200)
    let store = FileStore(directory: directory.path, options: options)
    store.mayRetry = { true }
    let place = try file("pipe")
    func isPassing() -> Bool {
      do throws(StoreError) {
        _ = try store.get(place, if: nil)
        return false
      } catch {
        return error.isPassing
      }
    }
    #expect(isPassing())
    let writer = try FileHandle(forWritingTo: URL(fileURLWithPath: directory.path + "/pipe"))
    try writer.write(contentsOf: Data("ab".utf8))
    #expect(isPassing())
    try writer.write(contentsOf: Data("cd".utf8))
    try writer.close()
    #expect(try store.text(place) == "abcd")
    // Nobody writes any more.
    while isPassing() { usleep(10_000) }
    #expect(kind { _ = try store.get(place, if: nil) } == .timeout)
  }

  /// What is copied into another store is neither waited for nor taken from whoever it is meant for.
  @Test func whatIsNoFileIsNotCopied() throws {
    #expect(unsafe mkfifo(directory.path + "/pipe", 0o600) == 0)
    try directory.write("text", "text")
    try directory.link("null", to: "/dev/null")
    let fileSystem = RecordingFileSystem()
    let store = FileStore(directory: directory.path, fileSystem: fileSystem)
    for name in ["pipe", "null"] {
      #expect(
        message { _ = try store.copy(of: file(name)) }
          == "file:\(name): neither a file nor a directory")
    }
    #expect(!fileSystem.calls.contains { $0.name == "open" })
    guard case .resource(let resource) = try store.copy(of: file("text")) else {
      Issue.record("no file")
      return
    }
    #expect(resource.bytes == Array("text".utf8))
    guard case .missing = try store.copy(of: file("none")) else {
      Issue.record("something")
      return
    }
  }

  /// What listings leave out is counted, except for the store's own files.
  @Test func whatListingsLeaveOutIsKnown() throws {
    for name in ["plain", "control\u{1}", ".tenon-temporary-x"] { try directory.write(name, "x") }
    try directory.link("nothing", to: "none")
    try directory.link("something", to: "plain")
    #expect(try store.names(file("")) == ["plain", "something"])
    let one = StoreOmission("nothing", "a symbolic link that leads to nothing")
    #expect(
      try store.listingToCopy(of: file("")).omissions == [
        one, StoreOmission(nil, "1 name that no reference can hold"),
      ])
    let name = Array(directory.path.utf8CString.dropLast()) + [0x2F, -1, 0]
    let descriptor = unsafe creat(name, 0o600)
    #expect(descriptor >= 0)
    close(descriptor)
    #expect(
      try store.listingToCopy(of: file("")).omissions == [
        one, StoreOmission(nil, "2 names that no reference can hold"),
      ])
    let rooted = try FileStore(root: directory.path)
    #expect(try rooted.listingToCopy(of: file("")).omissions.count == 2)
  }

  @Test func aPipeNobodyWritesToIsNotWaitedForEver() throws {
    #expect(unsafe mkfifo(directory.path + "/pipe", 0o600) == 0)
    #expect(
      message { _ = try store.get(file("pipe"), if: nil) } == "file:pipe: nothing came for 30 ms")
    #expect(kind { try store.put(file("pipe"), "x") } == .unsupported)
    #expect(try store.delete(file("pipe"), if: nil))
  }

  /// A condition that does not hold is told before what cannot be written.
  @Test func conditionsHoldForPipesToo() throws {
    #expect(unsafe mkfifo(directory.path + "/pipe", 0o600) == 0)
    #expect(
      kind { try store.put(file("pipe"), Resource("x"), if: .absent) } == .preconditionFailed)
    #expect(kind { try store.put(file("pipe"), Resource("x"), if: nil) } == .unsupported)
  }

  @Test func waitingEndsWhenTheProgramIsStopped() throws {
    #expect(unsafe mkfifo(directory.path + "/pipe", 0o600) == 0)
    var options = FileStore.Options()
    options.waitLimit = .seconds(3600)
    let store = FileStore(directory: directory.path, options: options)
    store.isInterrupted = { true }
    #expect(message { _ = try store.get(file("pipe"), if: nil) } == "file:pipe: interrupted")
  }

  @Test func anEndlessPipeIsBounded() throws {
    #expect(unsafe mkfifo(directory.path + "/pipe", 0o600) == 0)
    let writer = Process()
    writer.executableURL = URL(fileURLWithPath: "/bin/sh")
    writer.arguments = ["-c", "exec yes > '\(directory.path)/pipe' 2>/dev/null"]
    var options = FileStore.Options()
    options.waitLimit = .seconds(20)
    options.readLimit = 1 << 20
    let store = FileStore(directory: directory.path, options: options)
    try writer.run()
    #expect(kind { _ = try store.get(file("pipe"), if: nil) } == .tooLarge)
    writer.waitUntilExit()
  }

  @Test func socketsAreRefused() throws {
    try directory.makeSocket("socket")
    #expect(
      message { _ = try store.get(file("socket"), if: nil) }
        == "file:socket: no such device or address")
    #expect(kind { try store.put(file("socket"), "x") } == .unsupported)
  }
}
