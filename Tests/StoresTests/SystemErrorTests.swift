import Foundation
import TenonStoreKit
import TenonStores
import Testing

/// Errors that the system really reports.
@Suite struct SystemErrorTests {
  let directory: TemporaryDirectory
  let store: FileStore

  init() throws {
    directory = try TemporaryDirectory()
    store = FileStore(directory: directory.path)
    try directory.write("plain", "text")
    try directory.write("dir/inside", "text")
    try directory.link("loop", to: "loop")
  }

  private func expectEverywhere(
    _ path: String, get: StoreError.Kind?, put: StoreError.Kind, delete: StoreError.Kind?,
    list: StoreError.Kind, _ reason: String
  ) throws {
    let reference = try file(path)
    let before = directory.tree
    #expect(kind { _ = try store.get(reference, if: nil) } == get)
    #expect(kind { try store.put(reference, "x") } == put)
    #expect(message { try store.put(reference, "x") } == "file:\(path): \(reason)")
    #expect(kind { _ = try store.delete(reference, if: nil) } == delete)
    #expect(kind { _ = try store.list(reference) } == list)
    #expect(directory.tree == before)
  }

  @Test func errorsThatAPathCauses() throws {
    try expectEverywhere(
      "plain/below", get: nil, put: .notADirectory, delete: nil, list: .notADirectory,
      "not a directory")
    try expectEverywhere(
      "loop/below", get: .io, put: .io, delete: .io, list: .io, "too many levels of symbolic links")
    let name = String(repeating: "n", count: 200)
    let long = (0..<20).map { _ in name }.joined(separator: "/")
    let tooLong = FileStore(directory: directory.path + "/" + name)
    #expect(kind { _ = try tooLong.get(file(long), if: nil) } == .invalidReference)
    #expect(kind { try tooLong.put(file(long), "x") } == .invalidReference)
    #expect(
      message { _ = try tooLong.get(file(long), if: nil) } == "file:\(long): file name too long")
    #expect(
      message { try store.put(file("dir"), "x") } == "file:dir: is a directory")
    #expect(message { _ = try store.list(file("gone")) } == "file:gone: no such file or directory")
    #expect(kind { _ = try store.delete(file("dir"), if: nil) } == .notEmpty)
  }

  @Test func errorsLoseNoDescriptor() throws {
    for _ in 0..<125 {
      _ = kind { try store.put(file("plain/below"), "x") }
      _ = kind { try store.put(file("dir"), "x") }
      _ = kind { _ = try store.list(file("plain")) }
      _ = kind { _ = try store.get(file("plain/"), if: nil) }
      _ = kind { _ = try store.delete(file("dir"), if: nil) }
      _ = kind { try store.put(file("plain"), "x", if: .absent) }
      _ = kind { try store.put(file("new"), "x", if: .exists) }
      _ = kind { try store.put(file("loop"), "x") }
    }
    #expect(directory.openDescriptors == 0)
    try store.put(file("plain"), "new")
    #expect(directory.openDescriptors == 0)
    let defaultsStore = try DefaultsStore(domain: "d", directory: directory.path) { _ in }
    for _ in 0..<500 {
      _ = kind { try defaultsStore.put(defaults("a"), "not json") }
      _ = kind { try defaultsStore.put(defaults("a"), "1", if: .exists) }
    }
    try defaultsStore.put(defaults("a"), "1")
    #expect(directory.openDescriptors == 1)
  }

  @Test func errorsOfMissingRights() throws {
    guard getuid() == 0 else {
      print("skipped: only the superuser can become somebody without rights")
      return
    }
    try directory.write("secret", "secret")
    try directory.write("closed/f", "f")
    try directory.write("theirs/protected", "old")
    #expect(unsafe chmod(directory.path, 0o755) == 0)
    #expect(unsafe chmod(directory.path + "/secret", 0o600) == 0)
    #expect(unsafe chmod(directory.path + "/closed", 0o700) == 0)
    for name in ["/theirs", "/theirs/protected"] {
      #expect(unsafe chown(directory.path + name, 65534, 65534) == 0)
    }
    #expect(unsafe chmod(directory.path + "/theirs/protected", 0o444) == 0)
    let before = directory.tree
    let jobs = [
      "get:secret", "put:secret", "delete:secret", "get:closed/f", "put:closed/f", "list:closed",
      "delete:closed/f", "put:new", "put:new/below", "put:theirs/protected", "get:theirs/protected",
    ]
    let result = try ChildProcess.run(["verbs", "65534", directory.path] + jobs)
    guard result.status == 0 else {
      print("skipped: this process may not become another user")
      return
    }
    func denied(_ job: String) -> String {
      "\(job) permission file:\(job.split(separator: ":")[1]): permission denied"
    }
    #expect(result.lines == jobs.dropLast().map(denied) + ["get:theirs/protected old"])
    #expect(directory.tree == before)
  }

  @Test func aFullDisk() throws {
    let mount = "mount -t tmpfs -o size=256k tmpfs '\(directory.path)' || exit 77;"
    guard
      let result = try inOwnMounts(mount, ["fill", directory.path, "1000000"])
    else { return }
    let failure = "io file:f: no space left on device"
    #expect(result == [failure, failure, failure, "old", "small", "f"])
  }

  @Test func aDiskThatIsReadOnly() throws {
    let mount =
      "mount -t tmpfs tmpfs '\(directory.path)' || exit 77; "
      + "echo old > '\(directory.path)/f'; mount -o remount,ro '\(directory.path)' || exit 77;"
    let jobs = ["get:f", "put:f", "put:a/b", "delete:f", "delete:gone"]
    guard
      let result = try inOwnMounts(mount, ["verbs", "0", directory.path] + jobs)
    else { return }
    #expect(
      result == [
        "get:f old", "put:f readOnly file:f: read-only file system",
        "put:a/b readOnly file:a/b: read-only file system",
        "delete:f readOnly file:f: read-only file system", "delete:gone missing",
      ])
  }

  /// Runs the helper where it may mount what it likes; nil when that is not possible.
  private func inOwnMounts(_ mount: String, _ arguments: [String]) throws -> [String]? {
    let result = try ChildProcess.run(arguments, prefix: ["unshare", "-m"], shell: mount)
    guard result.status != 77 else {
      print("skipped: this process may not mount file systems")
      return nil
    }
    return result.lines
  }

  @Test func aFileSizeLimit() throws {
    let result = try ChildProcess.run(
      ["fill", directory.path, "3000000"], shell: "ulimit -f 1000;")
    let failure = "tooLarge file:f: file too large"
    #expect(
      result.lines == [failure, failure, failure, "old", "small", "dir f loop plain"])
  }
}
