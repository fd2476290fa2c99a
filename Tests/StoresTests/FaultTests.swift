import TenonStoreKit
import TenonStores
import Testing

/// Every error at every system call of every verb: it is reported with the place and the system's
/// words, what was there stays whole, nothing is left over, no descriptor is lost.
@Suite struct FaultTests {
  /// Errors by their numbers on Linux, with the kinds they are reported as.
  static let errors: [(code: Int32, kind: StoreError.Kind)] = [
    (13, .permission), (1, .permission), (30, .readOnly), (2, .notFound), (21, .isADirectory),
    (20, .notADirectory), (40, .io), (36, .invalidReference), (24, .unavailable),
    (23, .unavailable), (12, .unavailable), (28, .io), (122, .io), (27, .tooLarge), (32, .closed),
    (5, .io), (16, .locked), (22, .io), (116, .io), (74, .corrupt),
  ]

  /// A verb under test: what it is done to, and what there is then.
  enum Job: String, CaseIterable {
    case get, getDirectory, list, putNew, putAbsent, putReplacing, putNested, deleteFile
    case deleteDirectory, append, appendNew, readStream, writeStream

    var name: String {
      switch self {
      case .get, .putReplacing, .deleteFile, .append, .readStream, .writeStream: "old"
      case .getDirectory, .list: "dir"
      case .deleteDirectory: "empty"
      case .putNew, .putAbsent, .appendNew: "dir/new"
      case .putNested: "a/b/new"
      }
    }

    /// Reads a file piece by piece, or writes one.
    private func stream(_ store: any Store, _ reference: Reference) throws -> String {
      let command = self == .readStream ? "read" : "replace"
      let commanded = try #require(store as? any CommandedStore)
      switch try commanded.perform(command, Resource("null"), at: reference) {
      case .source(let source):
        defer { source.close() }
        return "\(try source.read(atMost: 2)) \(try source.read(atMost: 10))"
      case .sink(let sink):
        defer { sink.cancel() }
        try sink.write(Array("ne".utf8))
        try sink.write(Array("w".utf8))
        try sink.finish()
        return "done"
      default: return ""
      }
    }

    func run(_ store: any Store, _ reference: Reference) throws -> String {
      switch self {
      case .get, .getDirectory: "\(try store.get(reference, if: nil))"
      case .list: "\(try store.list(reference))"
      case .putNew, .putReplacing, .putNested: "\(try store.put(reference, "\"new\""))"
      case .append, .appendNew: "\(try store.post(reference, Resource("new")))"
      case .readStream, .writeStream: try stream(store, reference)
      case .putAbsent: "\(try store.put(reference, "\"new\"", if: .absent))"
      case .deleteFile, .deleteDirectory: "\(try store.delete(reference, if: nil))"
      }
    }
  }

  static func prepare() throws -> TemporaryDirectory {
    let directory = try TemporaryDirectory()
    try directory.write("old", "old")
    try directory.write("dir/inside", "inside")
    try directory.makeDirectory("empty")
    return directory
  }

  /// Runs a job with a fault, and returns what it answered, or the error.
  private func run(
    _ job: Job, _ directory: TemporaryDirectory,
    _ fault: @escaping (Int, RecordingFileSystem.Call) -> FileFailure?
  ) throws -> (answer: Result<String, StoreError>, fileSystem: RecordingFileSystem) {
    let fileSystem = RecordingFileSystem()
    fileSystem.fault = fault
    let store = FileStore(directory: directory.path, fileSystem: fileSystem)
    do {
      return (.success(try job.run(store, file(job.name))), fileSystem)
    } catch let error as StoreError {
      return (.failure(error), fileSystem)
    }
  }

  /// What is not ready is tried again, after a wait for what may be full for long.
  @Test(arguments: [("read", 0), ("write", 3)])
  func whatIsNotReadyIsTriedAgain(_ name: String, _ waits: Int) throws {
    let directory = try FaultTests.prepare()
    let fileSystem = RecordingFileSystem()
    var refusals = 0
    fileSystem.fault = { _, call in
      guard call.name == name, refusals < 3 else { return nil }
      refusals += 1
      return .wouldBlock
    }
    let store = FileStore(directory: directory.path, fileSystem: fileSystem)
    try store.put(file("old"), "new")
    #expect(try store.text(file("old")) == "new")
    #expect(refusals == 3)
    #expect(fileSystem.calls.filter { $0.name == "wait" }.count == waits)
  }

  @Test(arguments: Job.allCases)
  func oneErrorAtEachCall(_ job: Job) throws {
    let pristine = try FaultTests.prepare()
    let before = pristine.tree
    let normal = try run(job, pristine) { _, _ in nil }
    let after = pristine.tree
    var directory = try FaultTests.prepare()
    for index in normal.fileSystem.calls.indices {
      for (code, kind) in FaultTests.errors {
        let failure = FileFailure(code)
        var hit = RecordingFileSystem.Call(name: "", object: "")
        let result = try run(job, directory) { number, call in
          guard number == index else { return nil }
          hit = call
          return failure
        }
        let comment: Comment = "\(job), \(failure.reason) at \(hit)"
        #expect(result.fileSystem.open.isEmpty, comment)
        let tree = directory.tree
        switch result.answer {
        case .failure(let error):
          #expect(error.reference == "file:" + job.name, comment)
          #expect(error.reason.hasSuffix(failure.reason), "\(comment) gave \(error)")
          #expect(error.systemCode == code, comment)
          #expect(error.kind == kind || error.kind == .notDurable, comment)
          #expect(tree == (error.kind == .notDurable ? after : before), comment)
        case .success(let answer):
          // Either the call was not essential, or the error means that nothing is there.
          if answer == (try normal.answer.get()) {
            let isOptional = ["entries", "lock", "owner", "remove"].contains(hit.name)
            let isNothingToSynchronise = hit.name == "synchronize" && code == 22
            // That nothing is there is believed.
            #expect(isOptional || isNothingToSynchronise || code == 2, comment)
            let rest = tree.filter { !$0.key.contains(".tenon-temporary-") }
            #expect(rest == after, comment)
            #expect(tree == after || hit.name == "remove", comment)
          } else {
            #expect([2, 20].contains(code), comment)
            #expect(
              answer == "missing" || answer == "false" || job == .getDirectory || job == .list)
            #expect(tree == before, comment)
          }
        }
        if tree != before { directory = try FaultTests.prepare() }
      }
    }
  }

  @Test(arguments: Job.allCases)
  func anErrorThatStays(_ job: Job) throws {
    let pristine = try FaultTests.prepare()
    let before = pristine.tree
    let count = try run(job, pristine) { _, _ in nil }.fileSystem.calls.count
    let after = pristine.tree
    for index in 0..<count {
      for code in [5, 28, 13] as [Int32] {
        let directory = try FaultTests.prepare()
        let result = try run(job, directory) { number, _ in
          number >= index ? FileFailure(code) : nil
        }
        #expect(result.fileSystem.open.isEmpty)
        // The disk may not even let go of a temporary file, nor of a directory made for nothing.
        let tree = directory.tree.filter {
          !$0.key.contains(".tenon-temporary-") && before[$0.key] == after[$0.key]
        }
        #expect(tree == before.filter { before[$0.key] == after[$0.key] })
        guard case .failure(let error) = result.answer, error.kind != .notDurable else { continue }
        for (name, content) in before {
          #expect(directory.tree[name] == content, "\(job) \(index)")
        }
      }
    }
  }

  @Test(arguments: Job.allCases)
  func interruptionsAreNotNoticed(_ job: Job) throws {
    let pristine = try FaultTests.prepare()
    let normal = try run(job, pristine) { _, _ in nil }
    let after = pristine.tree
    let faults: [(Int) -> Bool] =
      normal.fileSystem.calls.indices.map { index in { $0 == index } } + [{ $0 % 3 != 2 }]
    for fault in faults {
      let directory = try FaultTests.prepare()
      let result = try run(job, directory) { number, _ in fault(number) ? .interrupted : nil }
      #expect(try result.answer.get() == normal.answer.get())
      #expect(directory.tree == after)
    }
  }

  @Test func shortTransfersAreCompleted() throws {
    let directory = try TemporaryDirectory()
    let fileSystem = RecordingFileSystem()
    fileSystem.transferLimit = 7
    fileSystem.fault = { number, _ in number % 3 == 0 ? .interrupted : nil }
    let store = FileStore(directory: directory.path, fileSystem: fileSystem)
    let text = String(repeating: "0123456789", count: 500)
    try store.put(file("f"), text)
    #expect(directory.text("f") == text)
    #expect(try store.text(file("f")) == text)
    let defaultsStore = try DefaultsStore(
      domain: "d", directory: directory.path, fileSystem: fileSystem
    ) { Issue.record("\($0)") }
    try defaultsStore.put(defaults("a"), "\"\(text)\"")
    let other = try DefaultsStore(
      domain: "d", directory: directory.path, fileSystem: fileSystem
    ) { Issue.record("\($0)") }
    #expect(try other.text(defaults("a")) == "\"\(text)\"")
  }

  @Test func errorsOfWritingToADevice() throws {
    for code in [5, 28, 32, 1] as [Int32] {
      let fileSystem = RecordingFileSystem()
      let store = FileStore(directory: "/", fileSystem: fileSystem)
      fileSystem.fault = { _, call in call.name == "write" ? FileFailure(code) : nil }
      #expect(
        message { try store.put(file("/dev/null"), "x") }
          == "file:/dev/null: \(FileFailure(code).reason)")
      #expect(fileSystem.open.isEmpty)
    }
  }
}

/// The same for defaults, whose answers also have to agree with the file afterwards.
@Suite struct DefaultsFaultTests {
  enum Job: String, CaseIterable {
    case get, list, put, putNew, delete, reload

    func run(_ store: DefaultsStore) throws -> String {
      switch self {
      case .get, .reload: "\(try store.get(defaults("old"), if: nil))"
      case .list: "\(try store.list(defaults("")))"
      case .put: "\(try store.put(defaults("old"), "2"))"
      case .putNew: "\(try store.put(defaults("new/key"), "2"))"
      case .delete: "\(try store.delete(defaults("old"), if: nil))"
      }
    }
  }

  private static let text = "{\n  \"old\": 1,\n  \"other\": [1, 2]\n}\n"

  private func open(
    _ directory: TemporaryDirectory, _ fileSystem: any FileSystem
  ) throws -> DefaultsStore {
    try DefaultsStore(domain: "d", directory: directory.path, fileSystem: fileSystem) {
      Issue.record("\($0)")
    }
  }

  private func prepare() throws -> TemporaryDirectory {
    let directory = try TemporaryDirectory()
    try directory.write("d.json", DefaultsFaultTests.text)
    try directory.write("d.lock", "")
    return directory
  }

  @Test(arguments: Job.allCases)
  func oneErrorAtEachCall(_ job: Job) throws {
    let pristine = try prepare()
    let before = pristine.tree
    let recorder = RecordingFileSystem()
    let normal = try job.run(open(pristine, recorder))
    let after = pristine.tree
    for index in recorder.calls.indices {
      for (code, kind) in FaultTests.errors {
        let directory = try prepare()
        let fileSystem = RecordingFileSystem()
        let store = try open(directory, fileSystem)
        let failure = FileFailure(code)
        var hit = RecordingFileSystem.Call(name: "", object: "")
        fileSystem.fault = { number, call in
          guard number == index else { return nil }
          hit = call
          return failure
        }
        let comment: Comment
        do {
          let answer = try job.run(store)
          comment = "\(job), \(failure.reason) at \(hit)"
          // An error that means that nothing is there is believed.
          if answer != normal { #expect([2, 20].contains(code), comment) }
          // Looking for stale files may fail, and so may a look at a file that is written already.
          let isOptional =
            ["entries", "lock", "owner", "remove"].contains(hit.name)
            || ["open \(directory.path)", "status of open <temporary>"].contains("\(hit)")
            || "\(hit)" == "status d.lock"
          let isNothingToSynchronise = hit.name == "synchronize" && code == 22
          #expect(isOptional || isNothingToSynchronise || [2, 20].contains(code), comment)
          if answer == normal, job != .delete || normal == "true" {
            #expect(directory.tree["d.json"] == after["d.json"] || [2, 20].contains(code), comment)
          }
        } catch let error as StoreError {
          comment = "\(job), \(failure.reason) at \(hit) gave \(error)"
          #expect(error.reference.hasPrefix("defaults:"), comment)
          #expect(error.reason.hasSuffix(failure.reason) || error.kind == .notFound, comment)
          #expect(error.kind == kind || error.kind == .notDurable, comment)
          #expect(directory.tree == (error.kind == .notDurable ? after : before), comment)
        }
        // Whatever happened, the store and the file say the same now.
        fileSystem.fault = { _, _ in nil }
        #expect(try contents(store) == contents(open(directory, OperatingSystem())), comment)
        #expect(directory.tree["d.json"] != nil, comment)
        #expect(fileSystem.open.count <= 1, comment)
        try store.put(defaults("last"), "3")
        #expect(try open(directory, OperatingSystem()).text(defaults("last")) == "3", comment)
        #expect(directory.strays == [] || hit.name == "remove", comment)
      }
    }
  }

  private func contents(_ store: DefaultsStore) throws -> [String] {
    try ["old", "other", "new/key"].map { "\(try store.get(defaults($0), if: nil))" }
  }

  @Test(arguments: Job.allCases)
  func interruptionsAreNotNoticed(_ job: Job) throws {
    let pristine = try prepare()
    let recorder = RecordingFileSystem()
    let normal = try job.run(open(pristine, recorder))
    let faults: [(Int) -> Bool] =
      recorder.calls.indices.map { index in { $0 == index } } + [{ $0 % 3 != 2 }]
    for fault in faults {
      let directory = try prepare()
      let fileSystem = RecordingFileSystem()
      fileSystem.fault = { number, _ in fault(number) ? .interrupted : nil }
      #expect(try job.run(open(directory, fileSystem)) == normal)
      #expect(directory.tree == pristine.tree)
    }
  }
}
