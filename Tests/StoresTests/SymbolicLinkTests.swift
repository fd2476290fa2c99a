import Foundation
import TenonStoreKit
import TenonStores
import Testing

/// Symbolic links: read through, not written through unless asked, removed themselves.
@Suite struct SymbolicLinkTests {
  let directory: TemporaryDirectory
  let store: FileStore
  let following: FileStore

  init() throws {
    directory = try TemporaryDirectory()
    store = FileStore(directory: directory.path)
    var options = FileStore.Options()
    options.writesThroughLinks = true
    following = FileStore(directory: directory.path, options: options)
    try directory.write("target/f", "old")
    try directory.link("link", to: "target/f")
    try directory.link("chain", to: directory.path + "/link")
    try directory.link("to-dir", to: "target")
    try directory.link("dangling", to: "target/new")
    try directory.link("loop", to: "loop")
  }

  @Test func linksAreReadThrough() throws {
    #expect(try store.text(file("link")) == "old")
    #expect(try store.text(file("chain")) == "old")
    #expect(try store.text(file("to-dir/f")) == "old")
    #expect(try store.text(file("dangling")) == nil)
    #expect(kind { _ = try store.get(file("loop"), if: nil) } == .io)
    #expect(
      message { _ = try store.get(file("loop"), if: nil) }
        == "file:loop: too many levels of symbolic links")
    // What reading reports is there to be seen.
    #expect(try store.names(file("")).contains("loop"))
  }

  @Test func linksAreNotReplaced() throws {
    let before = directory.tree
    for name in ["link", "chain", "to-dir", "dangling", "loop"] {
      #expect(kind { try store.put(file(name), "new") } == .unsupported, "\(name)")
    }
    #expect(directory.tree == before)
    try store.put(file("to-dir/f"), "new")
    #expect(directory.text("target/f") == "new")
  }

  @Test func linksAreFollowedWhenAsked() throws {
    try following.put(file("chain"), "new")
    #expect(directory.text("target/f") == "new")
    #expect(directory.tree["link"] == "special")
    #expect(directory.tree["chain"] == "special")
    try following.put(file("dangling"), "made")
    #expect(directory.text("target/new") == "made")
    try directory.link("mark", to: "target/\u{301}x")
    try following.put(file("mark"), "marked")
    #expect(directory.text("target/\u{301}x") == "marked")
    #expect(kind { try following.put(file("loop"), "x") } == .io)
    #expect(kind { try following.put(file("to-dir"), "x") } == .isADirectory)
  }

  @Test func linksThemselvesAreDeleted() throws {
    for name in ["link", "chain", "to-dir", "dangling", "loop"] {
      #expect(try store.delete(file(name), if: nil), "\(name)")
    }
    #expect(directory.tree == ["target/": "", "target/f": "old"])
  }

  /// A directory is not moved into itself, by whatever name.
  @Test func directoriesDoNotMoveIntoThemselves() throws {
    try directory.link("target/back", to: "..")
    let before = directory.tree
    for name in ["target/in", "to-dir/in", "to-dir/new/in", "to-dir/back/target/in"] {
      let message = message { try store.move(file("target"), to: file(name), if: nil) }
      #expect(message == "file:\(name): it lies within what is moved")
      #expect(kind { try store.move(file("target"), to: file(name), if: nil) } == .conflict)
    }
    #expect(directory.tree == before)
    // What only leads there is moved itself.
    try store.move(file("to-dir"), to: file("target/in"), if: nil)
    #expect(directory.tree["target/in"] == "special")
  }

  @Test func temporaryNamesAreNotFollowed() throws {
    try directory.link(".tenon-temporary-x", to: "target/f")
    try store.put(file("new"), "x")
    #expect(directory.text("target/f") == "old")
  }
}
