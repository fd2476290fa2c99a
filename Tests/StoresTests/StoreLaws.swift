import Foundation
import TenonGrammarSupport
import TenonStoreKit
import TenonStores
import Testing

/// A store with what the laws need to know about it.
struct LawSubject {
  let shape: StoreModel.Shape
  /// The paths that the laws write to.
  let paths: [[String]]
  /// Bytes that the store keeps as they are, different for different numbers.
  let value: (Int) -> [UInt8]
  /// Makes the store; again and again, it is the same places.
  let make: () throws -> any Store
  /// Where it keeps them, if anywhere.
  let directory: TemporaryDirectory?
  /// What has to live as long as the stores.
  var keeps: AnyObject?

  func reference(_ path: [String]) throws -> Reference {
    try Reference(scheme: "law", components: path)
  }
}

/// The stores that the laws are run over.
enum SubjectName: String, CaseIterable {
  case environment, file, rooted, rootedByComponents, defaults, persistent, http

  func make() throws -> LawSubject {
    let directory = try TemporaryDirectory()
    // The last two look the same.
    let names = [["a"], ["B"], ["b c"], ["\u{E9}"], ["e\u{301}"]]
    let nested =
      names + [["a", "x"], ["d", "x"], ["d", "y"], ["d", "z", "x"], ["d", "z"], ["d"]]
    switch self {
    case .environment:
      let store = EnvironmentStore([:])
      return LawSubject(
        shape: .flat, paths: names, value: { Array("value \($0)".utf8) }, make: { store },
        directory: nil)
    case .file:
      return LawSubject(
        shape: .directories, paths: nested,
        value: { number in
          (0..<number % 3 * 300).map { UInt8(truncatingIfNeeded: $0 &* number) }
        },
        make: { FileStore(directory: directory.path) }, directory: directory)
    case .rooted, .rootedByComponents:
      // Confined by the system, and where it cannot do that.
      let system = OperatingSystem(asksSystem: self == .rooted)
      return LawSubject(
        shape: .directories, paths: nested,
        value: { number in
          (0..<number % 3 * 300).map { UInt8(truncatingIfNeeded: $0 &* number) }
        },
        make: { try FileStore(root: directory.path, fileSystem: system) }, directory: directory)
    case .defaults:
      return LawSubject(
        shape: .prefixes, paths: nested,
        value: { Array(["\($0)", "{\"k\": [\($0), null]}", "\"a \\u00e9\($0)\""][$0 % 3].utf8) },
        make: {
          try DefaultsStore(domain: "laws", directory: directory.path + "/new") {
            Issue.record("\($0)")
          }
        }, directory: directory)
    case .persistent:
      var last: PersistentStore?
      return LawSubject(
        shape: .prefixes, paths: nested,
        value: { Array(["\($0)", "{\"k\": [\($0), null]}", "\"a \\u00e9\($0)\""][$0 % 3].utf8) },
        make: {
          // One at a time writes.
          try last?.close()
          let store = try PersistentStore(directory: directory.path + "/new") {
            Issue.record("\($0)")
          }
          last = store
          return store
        }, directory: directory)
    case .http:
      let server = try HTTPServer()
      let base = try server.reference("store")
      return LawSubject(
        shape: .prefixes, paths: nested, value: { Array("value \($0)".utf8) },
        make: { StoreBelow(base, of: HTTPStore(scheme: "http")) }, directory: nil, keeps: server)
    }
  }
}

/// What holds for every store.
@Suite struct StoreLaws {
  @Test(arguments: SubjectName.allCases)
  func whatWasPutIsGot(_ name: SubjectName) throws {
    let subject = try name.make()
    let store = try subject.make()
    for path in subject.paths.prefix(5) {
      let reference = try subject.reference(path)
      #expect(try store.text(reference) == nil)
      for number in 0..<6 {
        let value = subject.value(number)
        var type = store.contentType(of: reference)
        // Bytes that are no text are put as what they are, as those of byte arrays are.
        if type == "text/plain", String(validating: value, as: UTF8.self) == nil {
          type = "application/octet-stream"
        }
        let resource = Resource(value, contentType: type)
        // Twice is once.
        for _ in 0..<2 {
          try store.put(reference, resource, if: nil)
          guard case .resource(let got) = try store.get(reference, if: nil) else {
            Issue.record("nothing at \(reference)")
            continue
          }
          #expect(got.bytes == value)
          if resource.contentType != MediaType.any {
            #expect(got.contentType == resource.contentType)
          }
        }
      }
    }
  }

  @Test(arguments: SubjectName.allCases)
  func whatWasDeletedIsMissing(_ name: SubjectName) throws {
    let subject = try name.make()
    let store = try subject.make()
    let reference = try subject.reference(subject.paths[0])
    #expect(try !store.delete(reference, if: nil))
    try store.put(reference, Resource(subject.value(1), contentType: ""), if: nil)
    #expect(try store.delete(reference, if: nil))
    #expect(try store.text(reference) == nil)
    #expect(try !store.delete(reference, if: nil))
    #expect(kind { _ = try store.get(reference, if: .exists) } == .preconditionFailed)
    #expect(kind { _ = try store.delete(reference, if: .exists) } == .preconditionFailed)
    #expect(try !store.delete(reference, if: .absent))
  }

  @Test(arguments: SubjectName.allCases)
  func listingsHoldWhatIsNotMissing(_ name: SubjectName) throws {
    let subject = try name.make()
    let store = try subject.make()
    for path in subject.paths.prefix(5) {
      try store.put(
        subject.reference(path), Resource(subject.value(1), contentType: ""), if: nil)
    }
    _ = try store.delete(subject.reference(["B"]), if: nil)
    let root = try subject.reference([])
    let names = try store.list(root).map(\.name)
    #expect(
      names.map { Array($0.utf8) } == ["a", "b c", "e\u{301}", "\u{E9}"].map { Array($0.utf8) })
    for name in names { #expect(try store.text(subject.reference([name])) != nil) }
    guard case .directory(let entries) = try store.get(root, if: nil) else {
      Issue.record("the root is no directory")
      return
    }
    #expect(try entries == store.list(root))
  }

  @Test(arguments: SubjectName.allCases)
  func unsupportedVerbsThrow(_ name: SubjectName) throws {
    let subject = try name.make()
    let store = try subject.make()
    let reference = try subject.reference(["a"])
    let verbs = store.capabilities.verbs
    if !verbs.contains(.post) {
      #expect(kind { _ = try store.post(reference, Resource("")) } == .unsupported)
      #expect(
        message { _ = try store.post(reference, Resource("")) }
          == "law:a: 'post' is not supported, only "
          + verbs.map(\.rawValue).joined(separator: ", "))
    }
    if !verbs.contains(.move) {
      #expect(kind { try store.move(reference, to: reference, if: nil) } == .unsupported)
    }
    #expect(kind { try store.put(reference, Resource([], contentType: ""), if: .exists) } != nil)
    try store.flush()
  }

  @Test(arguments: SubjectName.allCases)
  func theRootIsNotAValue(_ name: SubjectName) throws {
    let subject = try name.make()
    let store = try subject.make()
    let root = try subject.reference([])
    #expect(kind { try store.put(root, "1") } == .isADirectory)
    #expect(kind { _ = try store.delete(root, if: nil) } != nil)
    try store.put(subject.reference(["a"]), "1")
    let listing = try Reference(scheme: "law", components: ["a"], isDirectory: true)
    #expect(kind { try store.put(listing, "1") } == .isADirectory)
    #expect(kind { _ = try store.get(listing, if: nil) } == .notADirectory)
    #expect(kind { _ = try store.delete(listing, if: nil) } == .notADirectory)
    #expect(try store.text(subject.reference(["a"])) == "1")
  }

  @Test(arguments: SubjectName.allCases)
  func readingChangesNothing(_ name: SubjectName) throws {
    let subject = try name.make()
    let store = try subject.make()
    func readAll() throws {
      for path in subject.paths + [[]] {
        _ = try store.get(subject.reference(path), if: nil)
        _ = try? store.list(subject.reference(path))
      }
    }
    let empty = subject.directory?.tree
    try readAll()
    #expect(subject.directory?.tree == empty)
    for path in subject.paths.prefix(3) { try store.put(subject.reference(path), "1") }
    let before = subject.directory?.tree
    for _ in 0..<3 { try readAll() }
    #expect(subject.directory?.tree == before)
  }

  /// Entries that are merged are there, others stay, and `null` removes them.
  @Test(arguments: SubjectName.allCases)
  func whatIsMergedIsThere(_ name: SubjectName) throws {
    var generator = RandomNumbers(seed: testSeed())
    let subject = try name.make()
    let store = try subject.make()
    guard store.capabilities.verbs.contains(.merge) else { return }
    let reference = try subject.reference(["merged"])
    var model: [String: Int] = [:]
    for step in 0..<60 {
      let key = "k\(Int.random(in: 0..<4, using: &generator))"
      model[key] = Bool.random(using: &generator) ? step : nil
      let patch = "{\"\(key)\": \(model[key].map(String.init) ?? "null")}"
      try store.merge(
        reference, Resource(Array(patch.utf8), contentType: "application/merge-patch+json"), if: nil
      )
      let bytes = Data(try #require(try store.text(reference)).utf8)
      #expect(try JSONDecoder().decode([String: Int].self, from: bytes) == model)
    }
  }

  @Test(arguments: SubjectName.allCases)
  func randomOperationsAgreeWithAModel(_ name: SubjectName) throws {
    let seed = testSeed()
    var generator = RandomNumbers(seed: seed)
    let subject = try name.make()
    var store = try subject.make()
    var model = StoreModel(shape: subject.shape)
    var log: [String] = []
    let steps = ProcessInfo.processInfo.environment["TENON_LAW_STEPS"].flatMap { Int($0) } ?? 1500
    for step in 0..<steps {
      // Another store of the same places: nothing is only in memory.
      if step % 50 == 49 { store = try subject.make() }
      let path =
        Int.random(in: 0..<12, using: &generator) == 0
        ? [] : subject.paths.randomElement(using: &generator) ?? []
      let reference = try subject.reference(path)
      let key = path.map { Array($0.utf8) }
      let known = model.value(at: key) ?? subject.value(step)
      let tag = EntityTag(of: Bool.random(using: &generator) ? known : subject.value(step))
      let condition: Precondition? =
        [nil, nil, nil, .absent, .exists, .matches(tag), .differs(tag)]
        .randomElement(using: &generator) ?? nil
      let answer: StoreModel.Answer
      let expected: StoreModel.Answer
      let verb = Int.random(in: 0..<13, using: &generator)
      let verbs = store.capabilities.verbs
      switch verb {
      case 0..<2:
        answer = .init { () throws(StoreError) in .init(try store.get(reference, if: condition)) }
        expected = model.get(key, condition)
      case 2..<4:
        answer = .init { () throws(StoreError) in .init(try store.list(reference)) }
        expected = model.list(key)
      case 4..<8 where !path.isEmpty:
        let value = subject.value(step)
        answer = .init { () throws(StoreError) in
          try store.put(reference, Resource(value, contentType: ""), if: condition)
          return .done
        }
        expected = model.put(key, value, condition)
      case 8..<10 where !path.isEmpty:
        answer = .init { () throws(StoreError) in
          .existed(try store.delete(reference, if: condition))
        }
        expected = model.delete(key, condition)
      case 10 where verbs.contains(.deleteTree) && !path.isEmpty:
        answer = .init { () throws(StoreError) in .existed(try store.deleteTree(reference)) }
        expected = model.deleteTree(key)
      case 11 where verbs.contains(.move) && !path.isEmpty:
        let other = subject.paths.randomElement(using: &generator) ?? path
        let destination = try subject.reference(other)
        let condition: Precondition? = Bool.random(using: &generator) ? .absent : nil
        answer = .init { () throws(StoreError) in
          try store.move(reference, to: destination, if: condition)
          return .done
        }
        expected = model.move(key, to: other.map { Array($0.utf8) }, condition)
        log.append("to \(destination) \(String(describing: condition))")
      case 12 where verbs.contains(.post):
        let value = subject.value(step)
        answer = .init { () throws(StoreError) in
          .added(try store.post(reference, Resource(value, contentType: "")).components.last ?? "")
        }
        expected = model.post(key, value)
      default: continue
      }
      log.append("\(verb) \(reference) \(String(describing: condition))")
      guard answer == expected else {
        Issue.record(
          "\(name), TENON_TEST_SEED=\(seed), step \(step): \(answer), expected \(expected), after \(log.suffix(8))"
        )
        return
      }
    }
    #expect(subject.directory?.strays ?? [] == [])
  }
}
