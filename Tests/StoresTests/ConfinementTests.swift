import Foundation
import Synchronization
import TenonGrammarSupport
import TenonStoreKit
import TenonStores
import TenonText
import Testing

/// A store that is confined to a directory: nothing outside it is read or written.
@Suite struct ConfinementTests {
  /// A directory `inside` to which a store is confined, next to a directory with secrets.
  private struct Place {
    let directory: TemporaryDirectory
    let store: FileStore
    let inside: String
    let outside: String

    // With `asksSystem` it is the system that keeps the store in its directory.
    init(asksSystem: Bool = true) throws {
      directory = try TemporaryDirectory()
      inside = directory.path + "/inside"
      outside = directory.path + "/outside"
      let manager = FileManager.default
      try manager.createDirectory(atPath: inside + "/sub", withIntermediateDirectories: true)
      try manager.createDirectory(atPath: outside, withIntermediateDirectories: true)
      try Place.secret.write(toFile: outside + "/secret", atomically: false, encoding: .utf8)
      try Place.secret.write(
        toFile: outside + "/" + Place.joining, atomically: false, encoding: .utf8)
      try "public".write(toFile: inside + "/file", atomically: false, encoding: .utf8)
      try "deep".write(toFile: inside + "/sub/file", atomically: false, encoding: .utf8)
      for (name, target) in [
        ("up", ".."), ("out", "../outside"), ("absolute", outside),
        ("file-out", "../outside/secret"),
        ("chain", "sub/on"), ("sub/on", "../out"), ("within", "sub"), ("loop", "loop"),
        ("root", "/"), ("proc", "/proc/self/root"), ("nothing", "../outside/new"),
      ] {
        try manager.createSymbolicLink(
          atPath: inside + "/" + name, withDestinationPath: target)
      }
      store = try FileStore(
        root: inside, fileSystem: OperatingSystem(asksSystem: asksSystem))
    }

    static let secret = "the secret"
    /// A name that joins the slash before it.
    static let joining = "\u{301}s"
    static let untouched = ["secret": secret, joining: secret]

    /// What is outside: nothing there may change.
    var outsideFiles: [String: String] {
      var files: [String: String] = [:]
      for name in (try? FileManager.default.subpathsOfDirectory(atPath: outside)) ?? [] {
        // Foundation puts a slash before a name that joins it.
        let plain = name.parts(between: UInt8(ascii: "/")).joined(separator: "/")
        files[plain] = (try? String(contentsOfFile: outside + "/" + plain, encoding: .utf8)) ?? "?"
      }
      for name in (try? FileManager.default.contentsOfDirectory(atPath: directory.path)) ?? []
      where name != "inside" && name != "outside" {
        files["../" + name] = "?"
      }
      return files
    }
  }

  /// Where the system cannot keep a path in a directory, the store does, component by component.
  @Test(arguments: [true, false]) func whatIsInsideCanBeUsed(asksSystem: Bool) throws {
    let place = try Place(asksSystem: asksSystem)
    let store = place.store
    #expect(try store.text(reference("file")) == "public")
    #expect(try store.text(reference("/file")) == "public")
    // Step by step, a link on the way is refused.
    if asksSystem { #expect(try store.text(reference("within/file")) == "deep") }
    try store.put(reference("new/dir/x"), "written")
    #expect(
      try String(contentsOfFile: place.inside + "/new/dir/x", encoding: .utf8) == "written")
    #expect(try store.list(reference("new")).map(\.name) == ["dir"])
    #expect(try store.delete(reference("new/dir/x"), if: nil))
    try store.makeDirectory(reference("a/b"))
    try store.move(reference("a"), to: reference("sub/c"), if: nil)
    #expect(try store.list(reference("sub")).map(\.name) == ["c", "file", "on"])
    #expect(try store.deleteTree(reference("sub/c")))
    // Links are followed for reading only.
    #expect(kind { try store.put(reference("within/file"), "x") } != nil)
    #expect(try store.text(reference("sub/file")) == "deep")
  }

  /// What a link inside leads to is asked for, and what leads out is only a link.
  @Test func listingsSayWhereLinksLead() throws {
    let place = try Place()
    let entries = try place.store.list(reference(""))
    #expect(entries.filter(\.isDirectory).map(\.name) == ["sub", "within"])
    #expect(entries.filter(\.isLink).map(\.name).contains("within"))
  }

  /// One descriptor is the root; each step closes the one above, also when the next one fails.
  @Test func stepsCloseTheDirectoryAbove() throws {
    let place = try Place(asksSystem: false)
    let store = place.store
    #expect(try store.text(reference("/sub/file")) == "deep")
    try store.put(reference("new/dir/deep/x"), "written")
    #expect(
      try String(contentsOfFile: place.inside + "/new/dir/deep/x", encoding: .utf8) == "written")
    #expect(try store.list(reference("new/dir")).map(\.name) == ["deep"])
    #expect(try store.delete(reference("new/dir/deep/x"), if: nil))
    #expect(try store.text(reference("sub/none/none")) == nil)
    #expect(kind { _ = try store.get(reference("sub/file/none/none"), if: nil) } == nil)
    #expect(place.directory.openDescriptors == 1)
  }

  /// A link on the way, inside or out, is an error and never followed, whatever comes behind it.
  @Test func linksOnTheWayAreRefusedStepByStep() throws {
    let place = try Place(asksSystem: false)
    for name in ["up", "out", "absolute", "chain", "root", "proc", "within", "loop"] {
      for rest in ["secret", "outside/secret", Place.joining, "a/" + Place.joining] {
        let there = try Reference(
          scheme: "law", components: [name] + rest.split(separator: "/").map(String.init))
        #expect(kind { _ = try place.store.get(there, if: nil) } != nil, "\(there)")
        #expect(kind { try place.store.put(there, "x") } != nil, "\(there)")
      }
    }
    #expect(place.outsideFiles == Place.untouched)
    #expect(place.directory.openDescriptors == 1)
  }

  @Test(arguments: [true, false]) func namesMayJoinTheSlash(asksSystem: Bool) throws {
    let place = try Place(asksSystem: asksSystem)
    for components in [[Place.joining], ["\u{301}", "\u{301}"], ["a\u{600}", "x"]] {
      let there = try Reference(scheme: "law", components: components)
      try place.store.put(there, "text")
      #expect(try place.store.text(there) == "text")
      #expect(try place.store.status(of: there)?.size == 4)
      #expect(try place.store.delete(there, if: nil))
    }
  }

  @Test func linksThatLeadOutAreRefused() throws {
    let place = try Place()
    for name in ["up", "out", "absolute", "chain", "root", "proc"] {
      for rest in ["", "/secret", "/outside/secret"] {
        let there = try reference(name + rest)
        #expect(kind { _ = try place.store.get(there, if: nil) } == .escape, "\(there)")
        #expect(kind { _ = try place.store.status(of: there) } == .escape, "\(there)")
      }
      #expect(kind { _ = try place.store.list(reference(name)) } == .escape, "\(name)")
    }
    #expect(kind { _ = try place.store.get(reference("file-out"), if: nil) } == .escape)
    #expect(kind { _ = try place.store.get(reference("nothing"), if: nil) } == .escape)
    #expect(kind { _ = try place.store.get(reference("loop"), if: nil) } == .io)
    #expect(
      message { _ = try place.store.get(reference("../outside/secret"), if: nil) }
        == "law:../outside/secret: leads out of the store")
    // Deleting takes the link, not what it leads to.
    #expect(try place.store.deleteTree(reference("out")))
    #expect(place.outsideFiles == Place.untouched)
  }

  @Test(arguments: [true, false])
  func pipesAndDevicesAreRefusedWithoutWaiting(asksSystem: Bool) throws {
    let place = try Place(asksSystem: asksSystem)
    #expect(unsafe mkfifo(place.inside + "/pipe", 0o600) == 0)
    #expect(kind { _ = try place.store.get(reference("pipe"), if: nil) } == .unsupported)
    #expect(kind { try place.store.put(reference("pipe"), "x") } == .unsupported)
    try place.directory.makeSocket("inside/socket")
    #expect(kind { _ = try place.store.get(reference("socket"), if: nil) } == .unsupported)
    #expect(kind { try place.store.put(reference("socket"), "x") } == .unsupported)
    #if os(Linux)
      // Nobody but root makes a device: this one, 1 and 5 as /dev/zero has it, gives bytes for ever.
      if unsafe mknod(place.inside + "/zero", S_IFCHR | 0o600, 1 << 8 | 5) == 0 {
        #expect(kind { _ = try place.store.get(reference("zero"), if: nil) } == .unsupported)
        #expect(kind { try place.store.put(reference("zero"), "x") } == .unsupported)
      }
    #endif
    #expect(kind { _ = try place.store.get(reference("dev/stdout"), if: nil) } == nil)
    try place.store.put(reference("dev/stdout"), "a file")
    #expect(try place.store.text(reference("dev/stdout")) == "a file")
  }

  /// Paths as somebody might try who wants out; none of them reads a secret or writes anything.
  @Test(arguments: [true, false]) func hostilePathsStayInside(asksSystem: Bool) throws {
    let seed = testSeed()
    var generator = RandomNumbers(seed: seed)
    let place = try Place(asksSystem: asksSystem)
    let parts = [
      "..", ".", "%2e%2e", "%252e%252e", "..%2f", "sub", "up", "out", "absolute", "chain", "root",
      "proc", "within", "file-out", "nothing", "secret", "outside", "etc", "passwd", "inside",
      "...", " ", "~", "\u{FF0E}\u{FF0E}", "..\\", "sub/..", "/", "\\", "file", "self", "fd", "3",
      Place.joining, "\u{301}", "a\u{600}",
      String(repeating: "x", count: 255),
    ]
    for attempt in 0..<5000 {
      var components = (0..<Int.random(in: 1...8, using: &generator)).map { _ in
        parts.randomElement(using: &generator) ?? ""
      }
      if attempt % 100 == 0 { components += Array(repeating: "up", count: 40) }
      if attempt % 50 == 1 { components.append("a\0b") }
      guard
        let there = try? Reference(
          scheme: "law", components: components, isAbsolute: Bool.random(using: &generator))
      else { continue }
      let written = "written by \(attempt)"
      switch attempt % 5 {
      case 0, 1, 2:
        if let text = try? place.store.text(there) {
          #expect(!text.contains(Place.secret), "TENON_TEST_SEED=\(seed) \(there)")
        }
      case 3: try? place.store.put(there, written)
      default:
        _ = try? place.store.delete(there, if: nil)
        try? place.store.makeDirectory(there)
        _ = try? place.store.deleteTree(there)
      }
    }
    #expect(place.outsideFiles == Place.untouched, "TENON_TEST_SEED=\(seed)")
  }

  /// Somebody exchanges a directory for a link that leads out, again and again, while the store
  /// uses it.
  @Test(arguments: [true, false]) func exchangedLinksLeadNowhere(asksSystem: Bool) throws {
    let place = try Place(asksSystem: asksSystem)
    let manager = FileManager.default
    try manager.createDirectory(
      atPath: place.inside + "/swap", withIntermediateDirectories: true)
    try "public".write(
      toFile: place.inside + "/swap/secret", atomically: false, encoding: .utf8)
    let isDone = Atomic(false)
    let swaps = isFullSize ? 10_000 : 2000
    let inside = place.inside
    let outside = place.outside
    // The names are exchanged by renaming, which leaves no moment without one of the two.
    try manager.createSymbolicLink(atPath: inside + "/link", withDestinationPath: outside)
    let thread = Thread {
      for _ in 0..<swaps {
        unsafe rename(inside + "/swap", inside + "/spare")
        unsafe rename(inside + "/link", inside + "/swap")
        unsafe rename(inside + "/swap", inside + "/link")
        unsafe rename(inside + "/spare", inside + "/swap")
      }
      isDone.store(true, ordering: .releasing)
    }
    thread.start()
    var read = 0
    var attempts = 0
    while !isDone.load(ordering: .acquiring) {
      attempts += 1
      if let text = try? place.store.text(reference("swap/secret")) {
        #expect(text == "public")
        read += 1
      }
      try? place.store.put(reference("swap/new"), "x")
      _ = try? place.store.delete(reference("swap/new"), if: nil)
      _ = try? place.store.deleteTree(reference("swap/sub"))
      try? place.store.makeDirectory(reference("swap/sub/deep"))
    }
    #expect(attempts > 0)
    #expect(place.outsideFiles == Place.untouched)
    // The control: a store that is not confined reads it through the link.
    try manager.removeItem(atPath: inside + "/link")
    try manager.createSymbolicLink(atPath: inside + "/link", withDestinationPath: outside)
    let open = FileStore(directory: inside)
    #expect(try open.text(reference("link/secret")) == Place.secret)
  }

  private func reference(_ path: String) throws -> Reference {
    try TenonStoresTests.reference("law", path)
  }
}

/// Directories, moves, whole trees, and changes that depend on what is there.
@Suite struct FileTreeTests {
  @Test func treesAreMadeMovedAndRemoved() throws {
    let directory = try TemporaryDirectory()
    let store = FileStore(directory: directory.path)
    try store.makeDirectory(reference("law", "a/b"))
    try store.makeDirectory(reference("law", "a/b"))
    try store.put(reference("law", "a/b/x"), "1")
    try store.put(reference("law", "f"), "2")
    #expect(kind { try store.makeDirectory(reference("law", "f")) } == .exists)
    #expect(kind { try store.makeDirectory(reference("law", "f/g")) } == .notADirectory)
    #expect(
      kind { try store.move(reference("law", "f"), to: reference("law", "a"), if: nil) } == .exists)
    #expect(
      kind { try store.move(reference("law", "none"), to: reference("law", "n"), if: nil) }
        == .notFound)
    try store.move(reference("law", "a"), to: reference("law", "c/d"), if: nil)
    #expect(try store.text(reference("law", "c/d/b/x")) == "1")
    #expect(try store.text(reference("law", "a")) == nil)
    // Where a condition allows it, what is there is replaced.
    let tag = EntityTag(of: Array("2".utf8))
    try store.put(reference("law", "g"), "3")
    #expect(
      kind { try store.move(reference("law", "g"), to: reference("law", "f"), if: .absent) }
        == .preconditionFailed)
    try store.move(reference("law", "g"), to: reference("law", "f"), if: .matches(tag))
    #expect(try store.text(reference("law", "f")) == "3")
    #expect(try store.deleteTree(reference("law", "c")))
    #expect(try !store.deleteTree(reference("law", "c")))
    #expect(try store.deleteTree(reference("law", "f")))
    #expect(directory.tree == [:])
    #expect(try store.status(of: reference("law", "f")) == nil)
  }

  @Test func whatLinksLeadToStays() throws {
    let directory = try TemporaryDirectory()
    let store = FileStore(directory: directory.path)
    try store.put(reference("law", "kept/x"), "1")
    try store.makeDirectory(reference("law", "gone"))
    try FileManager.default.createSymbolicLink(
      atPath: directory.path + "/gone/link", withDestinationPath: "../kept")
    #expect(try store.deleteTree(reference("law", "gone")))
    #expect(try store.text(reference("law", "kept/x")) == "1")
  }

  /// A move changes names in two directories, and waits for whoever has the lock of either.
  @Test func aMoveTakesTheLocksOfBothDirectories() throws {
    let directory = try TemporaryDirectory()
    let system = OperatingSystem()
    for name in ["a/x", "b/y"] { try directory.write(name, name) }
    func move(_ from: String, _ to: String) -> StoreError.Kind? {
      let fileSystem = RecordingFileSystem()
      let store = FileStore(directory: directory.path, fileSystem: fileSystem)
      return kind { try store.move(reference("law", from), to: reference("law", to), if: nil) }
    }
    for locked in ["a", "b"] {
      let descriptor = try system.open(directory.path + "/" + locked, in: nil, .directory)
      #expect(try system.lock(descriptor))
      #expect(move("a/x", "b/x") == .locked)
      #expect(move("b/y", "a/y") == .locked)
      // The control: what has nothing to do with the directory goes on.
      let other = locked == "a" ? "b/y" : "a/x"
      #expect(move(other, other + "2") == nil)
      #expect(move(other + "2", other) == nil)
      system.close(descriptor)
    }
    #expect(move("a/x", "b/x") == nil)
    #expect(move("b/y", "a/y") == nil)
    #expect(directory.tree == ["a/": "", "b/": "", "b/x": "a/x", "a/y": "b/y"])
  }

  /// Where something below is replaced meanwhile, part of the tree is gone: that was not nothing.
  @Test func aTreeThatChangesWhileItIsRemovedWasThere() throws {
    for failure in [FileFailure.notADirectory, .notFound] {
      let directory = try TemporaryDirectory()
      for name in ["tree/a", "tree/deep/b"] { try directory.write(name, name) }
      let fileSystem = RecordingFileSystem()
      fileSystem.fault = { _, call in
        call.name == "open" && call.object == (failure == .notFound ? "tree" : "deep")
          ? failure : nil
      }
      let store = FileStore(directory: directory.path, fileSystem: fileSystem)
      #expect(kind { _ = try store.deleteTree(reference("law", "tree")) } == .conflict)
      fileSystem.fault = { _, _ in nil }
      #expect(try store.deleteTree(reference("law", "tree")))
      #expect(try !store.deleteTree(reference("law", "tree")))
      #expect(try !store.deleteTree(reference("law", "none/tree")))
    }
  }

  @Test func aDeepTreeIsRemoved() throws {
    let directory = try TemporaryDirectory()
    let store = FileStore(directory: directory.path)
    var path = directory.path + "/deep"
    for level in 0..<200 { path += "/\(level)" }
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    #expect(try store.deleteTree(reference("law", "deep")))
    #expect(directory.tree == [:])
  }

  /// Each of several threads adds to one number with a condition: none of the additions is lost.
  @Test func conditionalWritesLoseNothing() throws {
    let directory = try TemporaryDirectory()
    let path = directory.path
    let (threads, times) = (8, 12)
    try FileStore(directory: path).put(reference("law", "n"), "0")
    let finished = DispatchGroup()
    for _ in 0..<threads {
      finished.enter()
      Thread {
        let store = FileStore(directory: path)
        var left = times
        while left > 0 {
          guard let there = try? reference("law", "n"), let text = try? store.text(there),
            let number = Int(text)
          else { break }
          do throws(StoreError) {
            try store.put(
              there, "\(number + 1)", if: .matches(EntityTag(of: Array(text.utf8))))
            left -= 1
          } catch {
            guard error.kind == .preconditionFailed || error.kind == .locked else { break }
          }
        }
        finished.leave()
      }.start()
    }
    finished.wait()
    #expect(
      try FileStore(directory: path).text(reference("law", "n")) == "\(threads * times)")
  }
}
