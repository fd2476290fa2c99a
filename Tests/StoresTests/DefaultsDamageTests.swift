import Foundation
import TenonStoreKit
import TenonStores
import Testing

/// Files of defaults that are no such thing: set aside, reported, never lost.
@Suite struct DefaultsDamageTests {
  let directory: TemporaryDirectory

  init() throws {
    directory = try TemporaryDirectory()
  }

  static let damaged: [[UInt8]] = [
    [], [0x0A], [0], [0xFF, 0xFE], Array("{".utf8), Array("{\"a\": 1".utf8),
    Array("{\"a\": 1,}".utf8), Array("[1, 2]".utf8), Array("null".utf8), Array("{} {}".utf8),
    Array("{\"a\": 1, \"a\": 2}".utf8), Array("{\"a\": \"".utf8) + [0xC3] + Array("\"}".utf8),
    Array("{'a': 1}".utf8), Array("{\"a\": 1} // comment".utf8),
    [UInt8](repeating: 0, count: 5000), Array(String(repeating: "{\"a\":", count: 100_000).utf8),
    Array("{\"a\": \"\\ud800\"}".utf8), Array("<plist/>".utf8), [UInt8](0...255),
  ]

  @Test(arguments: damaged, [false, true])
  func damageIsSetAside(_ bytes: [UInt8], _ isFirstWritten: Bool) throws {
    try directory.write("d.json", bytes)
    try directory.write("d.json.corrupt-1", "older")
    var reports: [StoreError] = []
    let store = try DefaultsStore(
      domain: "d", directory: directory.path, fileSystem: RecordingFileSystem()
    ) { reports.append($0) }
    if isFirstWritten {
      try store.put(defaults("new"), "1")
    } else {
      #expect(try store.text(defaults("a")) == nil)
      #expect(directory.tree["d.json"] == nil)
      #expect(try store.names(defaults("")) == [])
      try store.put(defaults("new"), "1")
    }
    #expect(reports.count == 1)
    let report = try #require(reports.first)
    #expect(report.kind == .corrupt)
    #expect(report.reference == directory.path + "/d.json")
    #expect(report.reason.hasPrefix("line "))
    #expect(report.reason.hasSuffix("; kept as 'd.json.corrupt-2', the defaults are empty now"))
    #expect(directory.bytes("d.json.corrupt-2") == bytes)
    #expect(directory.text("d.json.corrupt-1") == "older")
    #expect(directory.text("d.json") == "{\n  \"new\": 1\n}\n")
  }

  @Test func damageIsFoundLaterToo() throws {
    var reports: [StoreError] = []
    let store = try DefaultsStore(domain: "d", directory: directory.path) { reports.append($0) }
    try store.put(defaults("a"), "1")
    let log = Log()
    let subscription = store.feed?.subscribe(noting: {
      log.add("\($0.verb) \($0.reference)")
    })
    try directory.write("d.json", "oops")
    #expect(try store.text(defaults("a")) == nil)
    #expect(log.take() == ["delete defaults:a"])
    #expect(
      reports.map(\.description) == [
        directory.path + "/d.json: line 1, column 1: expected '{', found 'o'; kept as "
          + "'d.json.corrupt-1', the defaults are empty now"
      ])
    _ = subscription
  }

  @Test func damageThatCannotBeSetAsideStays() throws {
    try directory.write("d.json", "oops")
    let fileSystem = RecordingFileSystem()
    let store = try DefaultsStore(
      domain: "d", directory: directory.path, fileSystem: fileSystem
    ) { Issue.record("\($0)") }
    for name in ["rename", "open \(directory.path)", "open d.lock"] {
      fileSystem.fault = { _, call in
        call.name == name || call.description == name ? FileFailure(30) : nil
      }
      #expect(
        message { _ = try store.get(defaults("a"), if: nil) }
          == "defaults:a: the file is damaged (line 1, column 1: expected '{', found 'o') and stays: read-only file system"
      )
      #expect(kind { try store.put(defaults("a"), "1") } != nil)
      #expect(directory.text("d.json") == "oops")
    }
  }

  @Test func aFileThatIsBeingEditedIsReadAgain() throws {
    try directory.write("d.json", "{\"a\":")
    let fileSystem = RecordingFileSystem()
    let store = try DefaultsStore(
      domain: "d", directory: directory.path, fileSystem: fileSystem
    ) { Issue.record("\($0)") }
    // The editor is done by the time the lock is taken.
    fileSystem.fault = { [directory] _, call in
      if call.name == "lock" { try? directory.write("d.json", "{\"a\": 1}") }
      return nil
    }
    #expect(try store.text(defaults("a")) == "1")
  }

  @Test func anErrorOfReadingIsNoDamage() throws {
    try directory.write("d.json", "{\"a\": 1}")
    let fileSystem = RecordingFileSystem()
    let store = try DefaultsStore(
      domain: "d", directory: directory.path, fileSystem: fileSystem
    ) { Issue.record("\($0)") }
    fileSystem.fault = { _, call in call.name == "read" ? FileFailure(5) : nil }
    #expect(
      message { _ = try store.get(defaults("a"), if: nil) } == "defaults:a: input/output error")
    #expect(kind { try store.put(defaults("a"), "2") } == .io)
    fileSystem.fault = { _, _ in nil }
    #expect(try store.text(defaults("a")) == "1")
  }

  @Test func staleFilesAreRemovedWhenTheFileIsRead() throws {
    try directory.write("d.json", "{\"a\": 1}")
    try directory.write(".tenon-temporary-left", "{")
    let store = try DefaultsStore(domain: "d", directory: directory.path) { Issue.record("\($0)") }
    #expect(try store.text(defaults("a")) == "1")
    #expect(directory.tree == ["d.json": "{\"a\": 1}"])
  }
}
