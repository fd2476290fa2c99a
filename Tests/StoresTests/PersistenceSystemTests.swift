import Testing

/// Persistent stores on file systems that are really full, or really read-only.
@Suite struct PersistenceSystemTests {
  @Test func aFullDisk() throws {
    let directory = try TemporaryDirectory()
    let path = directory.path
    let result = try ChildProcess.run(
      ["fill-persistent", path], prefix: ["unshare", "-m"],
      shell: "mount -t tmpfs -o size=256k tmpfs '\(path)' || exit 77;")
    guard result.status != 77 else {
      print("skipped: this process may not mount file systems")
      return
    }
    let failure =
      "saved:big: \(path)/store/.tenon-journal: no space left on device (errno 28)"
    #expect(
      result.lines == [
        "REPORT \(failure)", "io \(failure)", "io \(failure)", "degraded", "live, 0 unsaved",
        "60002",
      ])
  }
}
