import TenonGrammarSupport
import TenonStoreKit
import TenonStores
import Testing

/// Disks that refuse: at every call of a series of changes, once and until further notice.
@Suite struct PersistenceFaultTests {
  /// EIO, ENOSPC and EROFS by their numbers on Linux.
  static let codes: [Int32] = [5, 28, 30]

  private static func open(
    _ fileSystem: SimulatedFileSystem, _ level: PersistentStore.Level,
    _ report: @escaping (StoreError) -> Void = { _ in }
  ) throws -> PersistentStore {
    var options = PersistentStore.Options()
    options.level = level
    options.usesThread = false
    return try PersistentStore(
      directory: "/store", options: options, fileSystem: fileSystem, report: report)
  }

  /// What came of a series of changes.
  private struct Outcome {
    var expected: [String: String] = ["a": "1", "c/x": "1", "d/e/y": "1"]
    /// What was promised: it must be there whatever happens.
    var acknowledged: [String: String]
    var errors: [StoreError] = []
    var wasDegraded = false

    init() { acknowledged = expected }
  }

  /// Changes three containers, and lets time pass until everything should have been written.
  private func change(_ store: PersistentStore, _ fileSystem: SimulatedFileSystem) -> Outcome {
    var outcome = Outcome()
    for number in 2...4 {
      for path in ["a", "c/x", "d/e/y", "new/z"] {
        do throws(StoreError) {
          if number == 4, path == "a" {
            outcome.expected[path] = nil
            _ = try store.delete(saved(path), if: nil)
          } else {
            outcome.expected[path] = "\(number)"
            try store.put(saved(path), "\(number)")
          }
          if store.level == .full { outcome.acknowledged = outcome.expected }
        } catch {
          #expect(error.kind == .notDurable)
          outcome.errors.append(error)
        }
      }
      fileSystem.now += 60
      _ = store.performDue()
      fileSystem.now += number == 3 ? 3000 : 200
      _ = store.performDue()
      if store.state == .degraded { outcome.wasDegraded = true }
      if let error = store.lastError { outcome.errors.append(error) }
    }
    return outcome
  }

  private func saved(_ path: String) -> Reference {
    (try? reference("saved", path)) ?? Reference.root
  }

  private func prepare(_ level: PersistentStore.Level) throws -> (
    SimulatedFileSystem, PersistentStore
  ) {
    let fileSystem = SimulatedFileSystem()
    let store = try PersistenceFaultTests.open(fileSystem, level)
    for (path, text) in Outcome().expected { try store.put(saved(path), text) }
    try store.flush()
    return (fileSystem, store)
  }

  @Test(arguments: PersistentStore.Level.allCases)
  func everyCallMayFail(_ level: PersistentStore.Level) throws {
    var (fileSystem, store) = try prepare(level)
    let first = fileSystem.calls.count
    _ = change(store, fileSystem)
    let count = fileSystem.calls.count - first
    #expect(count > 20)
    var generator = RandomNumbers(seed: 1)
    var reported = 0
    for index in 0..<count {
      for code in PersistenceFaultTests.codes {
        for stays in [false, true] {
          (fileSystem, store) = try prepare(level)
          let start = fileSystem.calls.count
          var hit = ""
          fileSystem.fault = { [unowned fileSystem] call in
            let number = fileSystem.calls.count - start - 1
            guard stays ? number >= index : number == index else { return nil }
            if hit.isEmpty { hit = "\(call.name) \(call.object)" }
            return FileFailure(code)
          }
          let outcome = change(store, fileSystem)
          let comment: Comment = "\(level), errno \(code) at \(hit), stays: \(stays)"
          for error in outcome.errors {
            #expect(error.systemCode == code, comment)
            #expect(error.reference.hasPrefix("saved:"), "\(comment) \(error)")
            #expect(error.reason.contains("(errno \(code))"), "\(comment) \(error)")
            #expect(error.reason.contains("/store"), "\(comment) \(error)")
          }
          if stays { #expect(!outcome.errors.isEmpty, comment) }
          reported += outcome.errors.isEmpty ? 0 : 1
          // In memory everything is as it was written.
          #expect(try PowerLossTests.content(of: store) == outcome.expected, comment)
          // The power goes now: nothing older than what was promised.
          let image = fileSystem.image(cutAt: fileSystem.log.count, &generator) { _ in .lost }
          let survivor = try PersistenceFaultTests.open(image, level)
          let found = try PowerLossTests.content(of: survivor)
          for (path, text) in outcome.acknowledged {
            let isNew = (found[path].flatMap { Int($0) } ?? 9) >= (Int(text) ?? 0)
            #expect(isNew || path == "a", "\(comment): \(found)")
          }
          // The disk takes everything again: so is everything written, without a new start.
          fileSystem.fault = { _ in nil }
          for _ in 0..<8 {
            fileSystem.now += 31_000
            _ = store.performDue()
          }
          #expect(store.state == .live, comment)
          #expect(store.unsavedCount == 0, comment)
          if level == .fast { try store.flush() }
          let later = fileSystem.image(cutAt: fileSystem.log.count, &generator) { _ in .lost }
          let reopened = try PersistenceFaultTests.open(later, level)
          #expect(try PowerLossTests.content(of: reopened) == outcome.expected, comment)
          #expect(!later.files.contains { $0.contains("temporary") }, comment)
        }
      }
    }
    print("disk faults, \(level): \(count) calls, \(reported) of \(count * 6) faults were reported")
  }

  /// The errors of files that a program meets, by their numbers on Linux.
  static let all: [Int32] = [13, 30, 2, 21, 20, 40, 36, 24, 28, 27, 32, 5]

  @Test func everyVerbNamesThePlaceAndTheError() throws {
    var count = 0
    for code in PersistenceFaultTests.all {
      for verb in ["get", "put", "delete", "list"] {
        let (fileSystem, first) = try prepare(.journal)
        try first.close()
        let store = try PersistenceFaultTests.open(fileSystem, .journal)
        fileSystem.fault = { $0.name == "read" ? FileFailure(code) : nil }
        let place = saved(verb == "list" ? "c" : "c/x")
        do throws(StoreError) {
          switch verb {
          case "get": _ = try store.get(place, if: nil)
          case "put": try store.put(place, "2")
          case "delete": _ = try store.delete(place, if: nil)
          default: _ = try store.list(place)
          }
          Issue.record("\(verb) with errno \(code): no error")
        } catch {
          #expect(error.reference == place.description)
          #expect(error.systemCode == code)
          #expect(
            error.reason == "/store/c.json: \(FileFailure(code).reason) (errno \(code))")
          count += 1
        }
        fileSystem.fault = { _ in nil }
        #expect(try store.text(saved("c/x")) == "1")
      }
    }
    #expect(count == 48)
  }
}

extension Reference {
  /// The store itself.
  fileprivate static var root: Reference {
    guard let root = try? Reference(scheme: "saved", components: []) else {
      preconditionFailure("no components are always right")
    }
    return root
  }
}
