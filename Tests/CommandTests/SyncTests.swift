import Foundation
import Testing

/// A directory that follows another one.
@Suite struct SyncTests {
  private static let script = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent()
    .appendingPathComponent("examples/sync.st").path

  /// The files below a directory with their bytes, and the directories; links are not followed.
  private func tree(_ path: String) -> [String: Data] {
    var found: [String: Data] = [:]
    for case let name as String in FileManager.default.enumerator(atPath: path)
      ?? FileManager.DirectoryEnumerator()
    {
      let attributes = try? FileManager.default.attributesOfItem(atPath: path + "/" + name)
      switch attributes?[.type] as? FileAttributeType {
      case .typeDirectory?: found[name + "/"] = Data()
      case .typeRegular?: found[name] = FileManager.default.contents(atPath: path + "/" + name)
      default: found[name] = Data("neither a file nor a directory".utf8)
      }
    }
    return found
  }

  private func once(
    _ directory: Directory, _ options: String...
  ) throws -> (status: Child.Exit, errors: String) {
    try sync(["--once"] + options + [directory.path("src"), directory.path("dst")])
  }

  private func sync(_ arguments: [String]) throws -> (status: Child.Exit, errors: String) {
    let child = try Child.start([Command.path, SyncTests.script] + arguments, stdin: "/dev/null")
    let output = try child.readToEnd()
    return (child.waitForExit(), output)
  }

  /// Waits until something holds; the limit is there so that a hang ends.
  private func waitUntil(_ condition: () -> Bool) -> Bool {
    for _ in 0..<6000 {
      if condition() { return true }
      usleep(10_000)
    }
    return false
  }

  private func remove(_ directory: Directory, _ name: String) throws {
    try FileManager.default.removeItem(atPath: directory.path(name))
  }

  /// Bytes are copied: a new file has the rights of any new file, one that was there its own.
  @Test func rightsAreNotCopied() throws {
    try Directory.withTemporary { directory in
      let manager = FileManager.default
      func rights(_ name: String) throws -> Int? {
        try manager.attributesOfItem(atPath: directory.path(name))[.posixPermissions] as? Int
      }
      try directory.write("new", to: "src/run")
      try directory.write("one", to: "src/kept")
      try directory.write("two", to: "dst/kept")
      for (name, rights) in [("src/run", 0o755), ("dst/kept", 0o700)] {
        try manager.setAttributes(
          [.posixPermissions: rights], ofItemAtPath: directory.path(name))
      }
      #expect(try once(directory).status == .status(0))
      #expect(try rights("dst/run").map { $0 & 0o111 } == 0)
      #expect(try rights("dst/kept") == 0o700)
      #expect(tree(directory.path("dst")) == tree(directory.path("src")))
    }
  }

  @Test func whatDiffersIsCopied() throws {
    try Directory.withTemporary { directory in
      try directory.write("one", to: "src/a.txt")
      try directory.write([0xFF, 0xFE, 0x00, 0x0A, 0x80], to: "src/deep/er/b.bin")
      try directory.write([], to: "src/empty")
      try directory.write("mine", to: "dst/own.txt")
      try directory.write("old", to: "dst/a.txt")
      let (status, errors) = try once(directory)
      #expect(status == .status(0))
      #expect(errors == "")
      var expected = tree(directory.path("src"))
      expected["own.txt"] = Data("mine".utf8)
      #expect(tree(directory.path("dst")) == expected)
      // What is equal is not written: writing replaces a file by another one.
      func number() throws -> Int? {
        try FileManager.default.attributesOfItem(atPath: directory.path("dst/a.txt"))[
          .systemFileNumber] as? Int
      }
      let before = try number()
      #expect(try once(directory).status == .status(0))
      #expect(try number() == before)
      #expect(try once(directory, "--mirror").status == .status(0))
      #expect(tree(directory.path("dst")) == tree(directory.path("src")))
    }
  }

  @Test func changesAndDeletionsFollow() throws {
    try Directory.withTemporary { directory in
      try directory.write("one", to: "src/a.txt")
      try directory.write("two", to: "src/d/e/b.txt")
      try directory.write("mine", to: "dst/own.txt")
      let child = try Child.start([
        Command.path, SyncTests.script, directory.path("src"), directory.path("dst"),
      ])
      func follows() -> Bool {
        waitUntil {
          var found = tree(directory.path("dst"))
          #expect(found.removeValue(forKey: "own.txt") == Data("mine".utf8))
          return found == tree(directory.path("src"))
        }
      }
      #expect(follows())
      try directory.write("three", to: "src/a.txt")
      try directory.write([0x80, 0x81], to: "src/f/g/h/c.bin")
      #expect(follows())
      try remove(directory, "src/d")
      #expect(follows())
      // A directory becomes a file, and a file a directory.
      try remove(directory, "src/f")
      try directory.write("flat", to: "src/f")
      try remove(directory, "src/a.txt")
      try directory.write("deep", to: "src/a.txt/x")
      #expect(follows())
      // As a directory is given another name.
      #expect(unsafe rename(directory.path("src/a.txt"), directory.path("src/z")) == 0)
      #expect(follows())
      child.send(signal: SIGINT)
      #expect(child.waitForExit() == .status(130))
    }
  }

  @Test func nothingOutsideIsTouched() throws {
    try Directory.withTemporary { directory in
      try directory.write("secret", to: "outside/x")
      try directory.write("new", to: "src/link/x")
      try directory.write("new", to: "src/file")
      try directory.write("fine", to: "src/fine")
      try directory.write("kept", to: "dst/kept")
      for (name, target) in [("link", "../outside"), ("file", "../outside/x")] {
        try FileManager.default.createSymbolicLink(
          atPath: directory.path("dst/" + name), withDestinationPath: target)
      }
      let (status, errors) = try once(directory, "--mirror")
      #expect(status == .status(1))
      #expect(errors.contains("\nlink/x: "))
      #expect(errors.contains("\nfile: "))
      #expect(tree(directory.path("outside")) == ["x": Data("secret".utf8)])
      // One that cannot be copied keeps no other from it.
      #expect(FileManager.default.contents(atPath: directory.path("dst/fine")) == Data("fine".utf8))
      #expect(!FileManager.default.fileExists(atPath: directory.path("dst/kept")))
    }
  }

  @Test func whatCannotBeCopiedIsTold() throws {
    try Directory.withTemporary { directory in
      try directory.write("fine", to: "src/d/fine")
      try directory.write("x", to: "src/d/control\u{1}")
      #expect(unsafe mkfifo(directory.path("src/pipe"), 0o600) == 0)
      try FileManager.default.createSymbolicLink(
        atPath: directory.path("src/nothing"), withDestinationPath: "none")
      let (status, errors) = try once(directory)
      #expect(status == .status(1))
      #expect(errors.contains("/pipe: neither a file nor a directory"))
      #expect(errors.contains("d: 1 name that no reference can hold"))
      #expect(errors.contains("nothing: a symbolic link that leads to nothing"))
      #expect(tree(directory.path("dst")) == ["d/": Data(), "d/fine": Data("fine".utf8)])
    }
  }

  @Test func aSourceThatIsGoneEmptiesNothing() throws {
    try Directory.withTemporary { directory in
      try directory.write("one", to: "src/a")
      let child = try Child.start([
        Command.path, SyncTests.script, "--mirror", directory.path("src"), directory.path("dst"),
      ])
      #expect(waitUntil { tree(directory.path("dst")).count == 1 })
      try directory.write("mark", to: "src/mark")
      #expect(waitUntil { tree(directory.path("dst")).count == 2 })
      #expect(unsafe rename(directory.path("src"), directory.path("away")) == 0)
      try child.expect("there is nothing: what was copied from it stays")
      #expect(tree(directory.path("dst")).count == 2)
      #expect(unsafe rename(directory.path("away"), directory.path("src")) == 0)
      try directory.write("two", to: "src/b")
      #expect(waitUntil { tree(directory.path("dst")) == tree(directory.path("src")) })
      child.send(signal: SIGINT)
      #expect(child.waitForExit() == .status(130))
    }
  }

  @Test func linksToDirectoriesAreLeftOut() throws {
    try Directory.withTemporary { directory in
      try directory.write("one", to: "src/a")
      try FileManager.default.createSymbolicLink(
        atPath: directory.path("src/loop"), withDestinationPath: ".")
      #expect(try once(directory).status == .status(0))
      #expect(tree(directory.path("dst")) == ["a": Data("one".utf8)])
      // One that is in the other would be copied into itself.
      let (status, output) = try sync([directory.path("src"), directory.path("src/inner")])
      #expect(status == .status(2))
      #expect(output.contains("lie one within the other"))
    }
  }

  /// Files are large enough for the copies to be interrupted in the middle.
  @Test func copiesThatAreInterruptedAreWhole() throws {
    try Directory.withTemporary { directory in
      for number in 0..<40 {
        try directory.write(
          Array(repeating: UInt8(number), count: 200_000), to: "src/d\(number % 4)/f\(number)")
      }
      let source = tree(directory.path("src"))
      var interruptions = 0
      for round in 0..<12 {
        let child = try Child.start([
          Command.path, SyncTests.script, "--once", directory.path("src"), directory.path("dst"),
        ])
        // Later in each round, as many files as are there then.
        _ = waitUntil { tree(directory.path("dst")).count >= 3 * round + 2 }
        child.send(signal: SIGKILL)
        if child.waitForExit() == .signal(SIGKILL) { interruptions += 1 }
        for (name, bytes) in tree(directory.path("dst"))
        where !name.contains(".tenon-temporary-") {
          #expect(bytes == source[name], "\(name) is torn")
        }
      }
      #expect(interruptions > 0)
      #expect(try once(directory).status == .status(0))
      #expect(
        tree(directory.path("dst")).filter { !$0.key.contains(".tenon-temporary-") } == source)
    }
  }
}
