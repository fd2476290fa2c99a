import Foundation
import Synchronization
import TenonGrammarSupport
import TenonStoreKit
import TenonStores
import Testing

/// What persistent stores do beside the laws that all stores obey.
@Suite struct PersistentStoreTests {
  private func open(
    _ fileSystem: SimulatedFileSystem, _ level: PersistentStore.Level = .journal,
    _ change: (inout PersistentStore.Options) -> Void = { _ in },
    _ report: @escaping (StoreError) -> Void = { Issue.record("\($0)") }
  ) throws -> PersistentStore {
    var options = PersistentStore.Options()
    options.level = level
    options.usesThread = false
    change(&options)
    return try PersistentStore(
      directory: "/store", options: options, fileSystem: fileSystem, report: report)
  }

  private func saved(_ path: String) throws -> Reference { try reference("saved", path) }

  private func text(_ fileSystem: SimulatedFileSystem, _ path: String) -> String? {
    fileSystem.content(path).map { String(decoding: $0, as: UTF8.self) }
  }

  private func journal(_ fileSystem: SimulatedFileSystem) -> JournalFormat.Content? {
    fileSystem.content("/store/.tenon-journal").flatMap(JournalFormat.read)
  }

  // MARK: Batches

  @Test(.timeLimit(.minutes(5))) func aBatchIsOneGroupOfTheJournal() throws {
    let fileSystem = SimulatedFileSystem()
    let store = try open(fileSystem, .full)
    try store.put(saved("a"), "0")
    let groups = journal(fileSystem)?.groups.count ?? 0
    #expect(store.beginBatch(keepsUndo: false) == 0)
    for number in 1...400 { try store.put(saved("c\(number % 20)/k\(number)"), "\(number)") }
    _ = store.beginBatch(keepsUndo: false)
    _ = try store.delete(saved("a"), if: nil)
    try store.flush()
    try store.endBatch()
    #expect(journal(fileSystem)?.groups.count == groups)
    // Another thread's write waits for the end, and is not part of it.
    let isDone = Mutex(false)
    let place = try saved("other")
    Thread.detachNewThread {
      try? store.put(place, "1")
      isDone.withLock { $0 = true }
    }
    usleep(20_000)
    #expect(!isDone.withLock { $0 })
    try store.endBatch()
    while !isDone.withLock({ $0 }) { usleep(1_000) }
    try store.close()
    let reopened = try open(fileSystem)
    let content = try PowerLossTests.content(of: reopened)
    #expect(content.count == 401 && content["other"] == "1" && content["a"] == nil)
    try reopened.close()
  }

  @Test func aBatchIsTakenBack() throws {
    let fileSystem = SimulatedFileSystem()
    let store = try open(fileSystem, .full)
    try store.put(saved("a"), "0")
    try store.put(saved("c/b"), "1")
    let content = try PowerLossTests.content(of: store)
    _ = store.beginBatch(keepsUndo: true)
    try store.put(saved("a"), "2")
    let count = store.beginBatch(keepsUndo: true)
    try store.put(saved("a"), "3")
    try store.put(saved("new/x"), "4")
    _ = try store.delete(saved("c/b"), if: nil)
    store.takeBackBatch(to: count)
    try store.endBatch()
    #expect(try PowerLossTests.content(of: store) == ["a": "2", "c/b": "1"])
    store.takeBackBatch(to: 0)
    try store.endBatch()
    #expect(try PowerLossTests.content(of: store) == content)
    try store.close()
    let reopened = try open(fileSystem)
    #expect(try PowerLossTests.content(of: reopened) == content)
    try reopened.close()
  }

  /// Whoever watches hears of what is taken back, as of any other change.
  @Test func whatIsTakenBackIsTold() throws {
    let store = try open(SimulatedFileSystem(), .full)
    try store.put(saved("a"), "0")
    try store.put(saved("c/b"), "1")
    _ = store.beginBatch(keepsUndo: true)
    try store.put(saved("a"), "2")
    try store.put(saved("new/x"), "4")
    _ = try store.delete(saved("c/b"), if: nil)
    let told = Shared<[String]>([])
    let subscription = store.feed?.subscribe(noting: { change in
      told.update { $0.append("\(change.verb) \(change.reference)") }
    })
    store.takeBackBatch(to: 0)
    try store.endBatch()
    #expect(told.value.sorted() == ["delete saved:new/x", "put saved:a", "put saved:c/b"])
    _ = subscription
    try store.close()
  }

  // MARK: Buckets

  @Test func aContainerIsAFile() throws {
    let fileSystem = SimulatedFileSystem()
    let store = try open(fileSystem)
    for path in ["a", "root/x", "a.json/x", "%/x", "..x/y", "d/e/x", "d/e/y"] {
      try store.put(saved(path), "1")
    }
    try store.put(
      Reference(scheme: "saved", components: ["with/slash", "x"]), "\"a slash\"")
    try store.close()
    #expect(
      fileSystem.files.map { $0.dropFirst("/store/".count) } == [
        "%25.json", "%2E.x.json", "%72oot.json", ".tenon-journal", ".tenon-lock",
        "a%2Ejson.json", "d/e.json", "root.json", "with%2Fslash.json",
      ])
    #expect(text(fileSystem, "/store/d/e.json") == "{\n  \"x\": 1,\n  \"y\": 1\n}\n")
    let reopened = try open(fileSystem)
    #expect(
      try reopened.names(saved("")) == [
        "%/", "..x/", "a", "a.json/", "d/", "root/", "with/slash/",
      ])
    #expect(try reopened.text(saved("..x/y")) == "1")
    #expect(try reopened.names(saved("d/e")) == ["x", "y"])
  }

  /// A sign that joins the one after it must not hide the dot of the ending.
  @Test func aNameMayEndWithASignThatJoinsTheNext() throws {
    let fileSystem = SimulatedFileSystem()
    var store = try open(fileSystem)
    let names = ["a\u{600}", "a\u{600}.json", "b\u{110BD}.JSON", "c\u{301}", "\u{301}d"]
    for name in names { try store.put(saved("ps/\(name)/old"), "\"precious\"") }
    try store.put(saved("\u{600}/old"), "1")
    try store.close()
    #expect(fileSystem.content("/store/ps/a\u{600}.json") != nil)
    #expect(fileSystem.content("/store/ps/a\u{600}%2Ejson.json") != nil)
    store = try open(fileSystem)
    for name in names {
      #expect(try store.text(saved("ps/\(name)/old")) == "\"precious\"", "\(name)")
      try store.put(saved("ps/\(name)/new"), "2")
    }
    #expect(try store.text(saved("\u{600}/old")) == "1")
    try store.close()
    store = try open(fileSystem)
    for name in names {
      #expect(try store.names(saved("ps/\(name)")) == ["new", "old"], "\(name)")
    }
  }

  /// Names that only look the same are two directories, each of which is synchronised.
  @Test func namesThatLookTheSameAreWrittenEach() throws {
    let fileSystem = SimulatedFileSystem()
    let store = try open(fileSystem)
    for name in ["\u{e9}", "e\u{301}"] { try store.put(saved("\(name)/c/x"), "\"\(name)\"") }
    try store.close()
    var generator = RandomNumbers(seed: 1)
    let image = fileSystem.image(cutAt: fileSystem.log.count, &generator) { _ in .lost }
    let reopened = try open(image)
    for name in ["\u{e9}", "e\u{301}"] {
      #expect(try reopened.text(saved("\(name)/c/x")) == "\"\(name)\"")
    }
  }

  @Test func bucketsAreReadWhenTheyAreAskedFor() throws {
    let fileSystem = SimulatedFileSystem()
    var store = try open(fileSystem)
    for number in 0..<20 { try store.put(saved("c\(number)/x"), "\(number)") }
    try store.close()
    store = try open(fileSystem)
    func bucketsRead() -> Int {
      fileSystem.calls.count { $0.name == "open" && $0.object.hasSuffix(".json") }
    }
    let before = bucketsRead()
    #expect(try store.text(saved("c7/x")) == "7")
    #expect(try store.text(saved("c7/y")) == nil)
    #expect(try store.names(saved("")).count == 20)
    #expect(bucketsRead() == before + 1)
  }

  @Test func anEmptyBucketGoes() throws {
    let fileSystem = SimulatedFileSystem()
    let store = try open(fileSystem)
    try store.put(saved("c/x"), "1")
    try store.flush()
    #expect(fileSystem.content("/store/c.json") != nil)
    #expect(try store.delete(saved("c/x"), if: nil))
    try store.flush()
    #expect(fileSystem.content("/store/c.json") == nil)
    #expect(try store.names(saved("")) == [])
  }

  @Test func aDamagedBucketIsKeptAndReported() throws {
    let fileSystem = SimulatedFileSystem()
    var store = try open(fileSystem)
    try store.put(saved("c/x"), "1")
    try store.put(saved("d/x"), "1")
    try store.close()
    for number in 1...2 {
      fileSystem.damage("/store/c.json") { $0 = Array("{ \"x\": ".utf8) }
      var reports: [StoreError] = []
      store = try open(fileSystem) { _ in
      } _: {
        reports.append($0)
      }
      #expect(try store.text(saved("d/x")) == "1")
      #expect(reports.isEmpty)
      #expect(try store.text(saved("c/x")) == nil)
      #expect(
        reports.map(\.description) == [
          "/store/c.json: line 1, column 8: expected a value; kept as 'c.json.corrupt-\(number)', it counts as empty now"
        ])
      try store.put(saved("c/x"), "2")
      try store.close()
    }
    #expect(text(fileSystem, "/store/c.json.corrupt-1") == "{ \"x\": ")
    #expect(text(fileSystem, "/store/c.json.corrupt-2") == "{ \"x\": ")
    #expect(text(fileSystem, "/store/c.json") == "{\n  \"x\": 2\n}\n")
  }

  // MARK: The journal

  @Test func aPlaceThatIsWrittenOftenIsOneRecord() throws {
    let fileSystem = SimulatedFileSystem()
    let store = try open(fileSystem)
    try store.put(saved("other"), "0")
    fileSystem.now += 30
    _ = store.performDue()
    let length = journal(fileSystem)?.groups.count ?? 0
    for number in 0..<1000 { try store.put(saved("a"), "\(number)") }
    fileSystem.now += 30
    _ = store.performDue()
    let groups = journal(fileSystem)?.groups ?? []
    #expect(groups.count == length + 1)
    #expect(groups.last?.records == [JournalRecord(path: ["a"], value: Array("999".utf8))])
    #expect(store.unsavedCount == 2)
  }

  /// What a change costs does not grow with what stands beside it, nor with what waits.
  @Test func aChangeWritesItselfAlone() throws {
    let fileSystem = SimulatedFileSystem()
    let store = try open(fileSystem)
    func bytesWritten(_ numbers: Range<Int>) throws -> Int {
      let before = fileSystem.log.count
      for number in numbers {
        try store.put(saved("list/\(number)"), "\"value \(number)\"")
        fileSystem.now += 1
        _ = store.performDue()
      }
      return fileSystem.log[before...].reduce(0) { sum, entry in
        guard case .write(_, _, let bytes) = entry else { return sum }
        return sum + bytes.count
      }
    }
    // Before the first bucket is due.
    let first = try bytesWritten(1000..<1400)
    let second = try bytesWritten(1400..<1800)
    #expect(fileSystem.content("/store/list.json") == nil)
    #expect(store.unsavedCount == 800)
    #expect(first > 400 * 20)
    #expect(second <= first)
    #expect(first < 400 * 100)
  }

  @Test func theJournalFollowsTheClock() throws {
    let fileSystem = SimulatedFileSystem()
    let store = try open(fileSystem)
    try store.put(saved("a"), "1")
    _ = store.performDue()
    fileSystem.now += 30
    _ = store.performDue()
    try store.put(saved("a"), "2")
    #expect(store.performDue() == 20)
    #expect(journal(fileSystem)?.groups.count == 1)
    fileSystem.now += 20
    // Appended, and on the disk 150 ms after the change.
    #expect(store.performDue() == 130)
    #expect(journal(fileSystem)?.groups.count == 2)
    let appended = fileSystem.log.count
    fileSystem.now += 130
    _ = store.performDue()
    #expect(fileSystem.log.count == appended + 1)
    #expect(fileSystem.content("/store/root.json") == nil)
    fileSystem.now += 2000
    #expect(store.performDue() == nil)
    #expect(text(fileSystem, "/store/root.json") == "{\n  \"a\": 2\n}\n")
    #expect(journal(fileSystem)?.groups.last?.records == [])
  }

  @Test func theJournalIsBounded() throws {
    let fileSystem = SimulatedFileSystem()
    var reports: [StoreError] = []
    let store = try open(fileSystem, .full) {
      $0.journalLimit = 4000
    } _: {
      reports.append($0)
    }
    var greatest = 0
    for number in 0..<600 {
      try store.put(saved("c\(number % 3)/x"), "\(number)")
      fileSystem.now += 1
      _ = store.performDue()
      greatest = max(greatest, fileSystem.content("/store/.tenon-journal")?.count ?? 0)
    }
    #expect(greatest > 3000)
    #expect(greatest < 4200)
    // A bucket that cannot be written: its records stay, once each.
    fileSystem.fault = { $0.object.hasSuffix("c1.json") ? FileFailure(13) : nil }
    for number in 0..<600 {
      try store.put(saved("c\(number % 3)/x"), "\(number)")
      fileSystem.now += 40
      _ = store.performDue()
      greatest = max(greatest, fileSystem.content("/store/.tenon-journal")?.count ?? 0)
    }
    #expect(greatest < 4200)
    #expect(store.state == .degraded)
    #expect(reports.count == 1)
    #expect(
      store.lastError?.description
        == "saved:c1/x: /store/c1.json: permission denied (errno 13)")
  }

  @Test func theJournalEndsBeforeWhatIsDamaged() throws {
    let fileSystem = SimulatedFileSystem()
    let store = try open(fileSystem, .full)
    for number in 1...3 { try store.put(saved("a\(number)"), "\(number)") }
    let whole = fileSystem.content("/store/.tenon-journal") ?? []
    let ends = (1...3).map { count -> Int in
      let groups = JournalFormat.read(whole)?.groups.prefix(count) ?? []
      return groups.reduce(JournalFormat.magic.count) { $0 + JournalFormat.bytes(of: $1).count }
    }
    #expect(ends.last == whole.count)
    // Every single byte: cut off there, or damaged.
    for offset in JournalFormat.magic.count..<whole.count {
      let count = ends.filter { $0 <= offset }.count
      let cut = JournalFormat.read(Array(whole[..<offset]))
      #expect(cut?.groups.count ?? 0 == count)
      #expect(cut?.isDamaged != true)
      var damaged = whole
      damaged[offset] ^= 0x10
      #expect(JournalFormat.read(damaged)?.groups.count ?? 0 == count)
    }
    // A program that finds that keeps the rest.
    let (other, reports) = try reopened(fileSystem) { $0[ends[0] + 20] ^= 1 }
    #expect(try other.text(saved("a1")) == "1")
    #expect(try other.text(saved("a2")) == nil)
    #expect(
      reports == [
        "/store/.tenon-journal: damaged after \(ends[0]) bytes; kept as '.tenon-journal.corrupt-1', what was changed later is lost"
      ])
    let (empty, others) = try reopened(fileSystem) { $0[0] ^= 1 }
    #expect(try empty.names(saved("")) == [])
    #expect(others.count == 1)
    // Closing it would have made the journal empty.
    try store.close()
  }

  private func reopened(
    _ fileSystem: SimulatedFileSystem, _ damage: (inout [UInt8]) -> Void
  ) throws -> (PersistentStore, [String]) {
    var generator = RandomNumbers(seed: 1)
    let copy = fileSystem.image(cutAt: fileSystem.log.count, &generator) { _ in .kept }
    copy.damage("/store/.tenon-journal", damage)
    var reports: [String] = []
    let store = try open(copy) { _ in
    } _: {
      reports.append("\($0)")
    }
    // What is damaged stays under another name.
    let kept = try copy.status(
      of: "/store/.tenon-journal.corrupt-1", in: nil, followsLinks: false)
    #expect(kept.kind == .file)
    return (store, reports)
  }

  @Test func checksums() {
    // RFC 3720, B.4.
    #expect(CRC32C.checksum([UInt8](repeating: 0, count: 32)[...]) == 0x8A91_36AA)
    #expect(CRC32C.checksum([UInt8](repeating: 0xFF, count: 32)[...]) == 0x62A8_AB43)
    #expect(CRC32C.checksum(Array(0..<32)[...]) == 0x46DD_794E)
    #expect(CRC32C.checksum(Array("123456789".utf8)[...]) == 0xE306_9283)
  }

  // MARK: Who uses it

  @Test func oneWritesAndOthersRead() throws {
    let fileSystem = SimulatedFileSystem()
    let writer = try open(fileSystem, .full)
    try writer.put(saved("a"), "1")
    #expect(kind { _ = try open(fileSystem) } == .locked)
    #expect(
      message { _ = try open(fileSystem) }
        == "/store: the store is open for writing already, here or in another program")
    let reader = try open(fileSystem) { $0.isReadOnly = true }
    #expect(try reader.text(saved("a")) == "1")
    #expect(kind { try reader.put(saved("a"), "2") } == .readOnly)
    #expect(kind { _ = try reader.delete(saved("a"), if: nil) } == .readOnly)
    #expect(try reader.text(saved("a")) == "1")
    for number in 2..<40 {
      try writer.put(saved("c\(number % 3)/x"), "\(number)")
      if number % 7 == 0 { try writer.flush() }
      #expect(try reader.text(saved("c\(number % 3)/x")) == "\(number)")
    }
    try writer.close()
    #expect(kind { try writer.put(saved("a"), "2") } == .closed)
    #expect(writer.state == .closed)
    #expect(try reader.names(saved("")) == ["a", "c0/", "c1/", "c2/"])
    #expect(try open(fileSystem).text(saved("c0/x")) == "39")
  }

  @Test func filesKeepTheirModeAndLinksAreRefused() throws {
    let directory = try TemporaryDirectory()
    var options = PersistentStore.Options()
    options.usesThread = false
    let store = try PersistentStore(directory: directory.path + "/s", options: options) { _ in }
    try store.put(saved("c/x"), "1")
    try store.flush()
    #expect(directory.permissions("s/c.json") == 0o600)
    #expect(unsafe chmod(directory.path + "/s/c.json", 0o640) == 0)
    try store.put(saved("c/x"), "2")
    try store.flush()
    #expect(directory.permissions("s/c.json") == 0o640)
    try directory.write("elsewhere", "{}")
    try directory.link("s/d.json", to: directory.path + "/elsewhere")
    try store.put(saved("d/x"), "1")
    #expect(
      message { try store.flush() }
        == "saved:d/x: \(directory.path)/s/d.json: a symbolic link, which writing would replace by a file"
    )
    #expect(directory.text("elsewhere") == "{}")
    #expect(store.state == .degraded)
    #expect(unsafe unlink(directory.path + "/s/d.json") == 0)
    try store.flush()
    #expect(store.state == .live)
    #expect(directory.text("s/d.json") == "{\n  \"x\": 1\n}\n")
  }

  /// Renaming needs rights to the directory alone; a file that is protected is not replaced all the same.
  @Test func aProtectedBucketStaysAsItIs() throws {
    let directory = try TemporaryDirectory()
    var options = PersistentStore.Options()
    options.usesThread = false
    let fileSystem = RecordingFileSystem()
    let store = try PersistentStore(
      directory: directory.path + "/s", options: options, fileSystem: fileSystem
    ) { _ in }
    try store.put(saved("c/x"), "1")
    try store.flush()
    let text = directory.text("s/c.json")
    // Whoever runs the tests may write everything.
    fileSystem.fault = { _, call in
      call.name == "check" && call.object == "c.json" ? FileFailure(EACCES) : nil
    }
    try store.put(saved("c/x"), "2")
    #expect(kind { try store.flush() } == .permission)
    #expect(directory.text("s/c.json") == text)
    #expect(store.state == .degraded)
    fileSystem.fault = { _, _ in nil }
    try store.flush()
    #expect(store.state == .live)
    #expect(directory.text("s/c.json") == text?.replacing("1", with: "2"))
  }

  /// A directory at the place of a bucket does not mean that nothing is there.
  @Test func aDirectoryInPlaceOfABucketIsTold() throws {
    let directory = try TemporaryDirectory()
    try directory.makeDirectory("s/root.json/inner")
    try directory.makeDirectory("s/c.json")
    var options = PersistentStore.Options()
    options.usesThread = false
    var reports: [StoreError] = []
    let store = try PersistentStore(
      directory: directory.path + "/s", shownAs: "s", options: options
    ) {
      reports.append($0)
    }
    #expect(
      message { _ = try store.get(saved("a"), if: nil) } == "saved:a: s/root.json: not a file")
    #expect(kind { _ = try store.list(saved("")) } == .unsupported)
    #expect(kind { _ = try store.delete(saved("a"), if: nil) } == .unsupported)
    #expect(
      message { _ = try store.get(saved("c/x"), if: nil) } == "saved:c/x: s/c.json: not a file")
    // What is written waits, and can be read.
    try store.put(saved("c/x"), "1")
    #expect(try store.text(saved("c/x")) == "1")
    #expect(kind { _ = try store.get(saved("c/y"), if: nil) } == .unsupported)
    #expect(kind { try store.flush() } == .unsupported)
    #expect(store.state == .degraded)
    #expect(reports.count == 1)
    // It goes: nothing has been lost, and what is missing is missing.
    #expect(unsafe rmdir(directory.path + "/s/c.json") == 0)
    #expect(try store.text(saved("c/y")) == nil)
    try store.flush()
    #expect(store.state == .live)
    #expect(directory.text("s/c.json") == "{\n  \"x\": 1\n}\n")
    #expect(unsafe rmdir(directory.path + "/s/root.json/inner") == 0)
    #expect(unsafe rmdir(directory.path + "/s/root.json") == 0)
    #expect(try store.names(saved("")) == ["c/"])
    try store.close()
  }

  @Test func theThreadWritesByItself() throws {
    let directory = try TemporaryDirectory()
    let store = try PersistentStore(directory: directory.path) { Issue.record("\($0)") }
    try store.put(saved("a"), "1")
    // Only so that a hang ends.
    for _ in 0..<1000 where store.unsavedCount > 0 { usleep(20_000) }
    #expect(directory.text("root.json") == "{\n  \"a\": 1\n}\n")
    try store.close()
  }

  @Test func writersShareTheWayToTheDisk() throws {
    let directory = try TemporaryDirectory(isOnDisk: true)
    var options = PersistentStore.Options()
    options.level = .full
    let store = try PersistentStore(directory: directory.path, options: options) {
      Issue.record("\($0)")
    }
    let failures = Mutex(0)
    let group = DispatchGroup()
    for thread in 0..<8 {
      group.enter()
      Thread.detachNewThread {
        for number in 0..<50 {
          do {
            try store.put(reference("saved", "t\(thread)/k\(number % 5)"), "\(number)")
          } catch {
            failures.withLock { $0 += 1 }
          }
        }
        group.leave()
      }
    }
    group.wait()
    #expect(failures.withLock { $0 } == 0)
    let groups = directory.bytes(".tenon-journal").flatMap(JournalFormat.read)?.groups ?? []
    #expect(groups.count < 400)
    print("full: 400 writes by 8 threads, the last journal has \(groups.count) groups")
    try store.close()
    let reopened = try PersistentStore(directory: directory.path) { Issue.record("\($0)") }
    for thread in 0..<8 {
      for key in 0..<5 {
        #expect(try reopened.text(saved("t\(thread)/k\(key)")) == "\(45 + key)")
      }
    }
  }

  @Test func levelsMayChangeFromRunToRun() throws {
    let fileSystem = SimulatedFileSystem()
    var generator = RandomNumbers(seed: 3)
    let levels: [PersistentStore.Level] = [.journal, .fast, .full, .fast, .journal, .full]
    for (number, level) in levels.enumerated() {
      let store = try open(fileSystem, level)
      if number > 0 { #expect(try store.text(saved("a")) == "\(number - 1)") }
      try store.put(saved("a"), "\(number)")
      try store.put(saved("c/x"), "\(number)")
      fileSystem.now += 30
      _ = store.performDue()
      // Killed: what was written is there, nothing is closed.
      let image = fileSystem.image(cutAt: fileSystem.log.count, &generator) { _ in .kept }
      let survivor = try open(image, levels[(number + 1) % levels.count])
      #expect(try survivor.text(saved("a")) == "\(number)", "\(level)")
      #expect(try survivor.text(saved("c/x")) == "\(number)", "\(level)")
      try store.close()
    }
  }

  @Test func whatIsOnTheDiskIsForgotten() throws {
    let fileSystem = SimulatedFileSystem()
    let store = try open(fileSystem) { $0.memoryLimit = 2000 }
    let text = "\"" + String(repeating: "x", count: 500) + "\""
    for number in 0..<20 {
      try store.put(saved("c\(number)/x"), text)
      try store.put(saved("c\(number)/y"), "\(number)")
    }
    try store.flush()
    let calls = fileSystem.calls.count
    for number in 0..<20 { #expect(try store.text(saved("c\(number)/y")) == "\(number)") }
    let opened = fileSystem.calls[calls...].count {
      $0.name == "open" && $0.object.hasSuffix(".json")
    }
    #expect(opened == 20)
    for number in 0..<20 { try store.put(saved("c\(number)/z"), "1") }
    try store.close()
    let reopened = try open(fileSystem)
    for number in 0..<20 {
      #expect(try reopened.text(saved("c\(number)/x")) == text)
      #expect(try reopened.names(saved("c\(number)")) == ["x", "y", "z"])
    }
  }

  @Test func nothingToDoIsNothingDone() throws {
    let fileSystem = SimulatedFileSystem()
    let store = try open(fileSystem)
    try store.put(saved("a"), "1")
    try store.flush()
    let count = fileSystem.log.count
    for _ in 0..<3 { try store.flush() }
    try store.put(saved("a"), "1")
    try store.close()
    #expect(fileSystem.log.count == count)
    let again = try open(fileSystem)
    #expect(try again.text(saved("a")) == "1")
    try again.close()
    #expect(fileSystem.log.count == count)
  }

  @Test func placesThatNoFileCanHold() throws {
    let store = try open(SimulatedFileSystem())
    let long = String(repeating: "x", count: 240)
    #expect(kind { try store.put(saved("\(long)/x"), "1") } == .invalidReference)
    try store.put(saved("c/\(long)"), "1")
    #expect(kind { try store.put(saved("c/x"), "{") } == .encode)
    #expect(kind { try store.put(saved("c/../x"), "1") } == .invalidReference)
    #expect(try store.names(saved("c")) == [long])
  }
}
