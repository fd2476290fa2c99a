internal import Synchronization
public import TenonStoreKit
internal import TenonText

/// A store of environment variables, each under its name.
///
/// It is a copy of the environment, made when the store is: what is written stays in the store and
/// changes nothing of the process; programs that a `ProcessStore` with this store starts get it. A value is bytes, and holds no NUL. Variables whose names no
/// reference can hold, those that are not UTF-8 or hold control characters, are left out; of two
/// with one name the first counts.
///
/// The verbs are get, put, delete and list. Threads may use a store at the same time.
public final class EnvironmentStore {
  private let stored = Mutex<[ExactText: [UInt8]]>([:])
  /// The strings that are no variables of the store, as they were.
  private let others: [[UInt8]]

  private var values: [ExactText: [UInt8]] { stored.withLock { $0 } }

  /// Creates a store of the process's environment.
  public convenience init() {
    self.init(strings: processEnvironment())
  }

  /// Creates a store of these variables.
  public init(_ variables: [String: String]) {
    others = []
    stored.withLock { values in
      for (name, value) in variables where EnvironmentStore.isName(name) {
        values[ExactText(name)] = Array(value.utf8)
      }
    }
  }

  /// Creates a store of strings of the form `NAME=value`.
  package init(strings: [[UInt8]]) {
    var values: [ExactText: [UInt8]] = [:]
    var others: [[UInt8]] = []
    for string in strings {
      guard let sign = string.firstIndex(of: UInt8(ascii: "=")),
        let name = String(validating: string[..<sign], as: UTF8.self),
        EnvironmentStore.isName(name), values[ExactText(name)] == nil
      else {
        others.append(string)
        continue
      }
      values[ExactText(name)] = Array(string[(sign + 1)...])
    }
    self.others = others
    stored.withLock { $0 = values }
  }

  /// The variables as a program gets them: `NAME=value`, with those that the store leaves out.
  ///
  /// - Complexity: O(n log n) in the number of variables.
  var strings: [[UInt8]] {
    variables.map { Array($0.name.utf8) + [UInt8(ascii: "=")] + $0.value } + others
  }

  /// Returns the bytes of a variable; nil when there is none of that name.
  public func value(of name: String) -> [UInt8]? { values[ExactText(name)] }

  /// The variables, sorted by the bytes of their names.
  ///
  /// - Complexity: O(n log n) in the number of variables.
  public var variables: [(name: String, value: [UInt8])] {
    values.sorted { $0.key < $1.key }.map { ($0.key.text, $0.value) }
  }

  private static func isName(_ name: String) -> Bool {
    !name.isEmpty && name.utf8.count <= 255
      && name.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F && $0 != UInt8(ascii: "=") }
  }

  /// The name of the variable at a place; nil for the store itself.
  private func name(_ reference: Reference) throws(StoreError) -> ExactText? {
    guard reference.authority ?? "" == "", reference.query.isEmpty,
      reference.components.count <= 1
    else { throw StoreError(.invalidReference, reference, "a variable has only a name") }
    guard let name = reference.components.first else { return nil }
    guard EnvironmentStore.isName(name) else {
      throw StoreError(.invalidReference, reference, "the name of a variable holds no '='")
    }
    return ExactText(name)
  }

  private func check(
    _ condition: Precondition?, _ value: [UInt8]?, _ reference: Reference
  ) throws(StoreError) {
    do throws(FileFailure) {
      try condition.check(isThere: value != nil, tag: value.map { EntityTag(of: $0) })
    } catch {
      throw StoreError(error, reference)
    }
  }
}

// swift-format-ignore: AllPublicDeclarationsHaveDocumentation
extension EnvironmentStore: Store {
  /// Outside the process by what it stands for, so that no computed nil removes a variable.
  public var capabilities: StoreCapabilities {
    StoreCapabilities([.get, .put, .delete, .list], durability: .none, isExternal: true)
  }

  public func get(
    _ reference: Reference, if condition: Precondition?
  ) throws(StoreError) -> GetOutcome {
    guard let name = try name(reference) else {
      do throws(FileFailure) {
        try condition.check(isThere: true)
      } catch {
        throw StoreError(error, reference)
      }
      return .directory(entries)
    }
    let value = values[name]
    if case .differs(let tag) = condition, let value, tag == EntityTag(of: value) {
      return .unchanged
    }
    try check(condition, value, reference)
    guard let value else { return .missing }
    guard !reference.isDirectory else { throw notADirectory(reference) }
    return .resource(Resource(value, contentType: "text/plain"))
  }

  public func list(_ reference: Reference) throws(StoreError) -> [StoreEntry] {
    guard let name = try name(reference) else { return entries }
    guard values[name] == nil else { throw notADirectory(reference) }
    throw StoreError(.notFound, reference, "there is no such variable")
  }

  public func put(
    _ reference: Reference, _ resource: Resource, if condition: Precondition?
  ) throws(StoreError) {
    guard let name = try name(reference), !reference.isDirectory else {
      throw StoreError(.isADirectory, reference, "only a variable can be written")
    }
    try check(condition, values[name], reference)
    guard !resource.bytes.contains(0) else {
      throw StoreError(.encode, reference, "the value of a variable holds no NUL")
    }
    stored.withLock { $0[name] = resource.bytes }
  }

  public func delete(
    _ reference: Reference, if condition: Precondition?
  ) throws(StoreError) -> Bool {
    guard let name = try name(reference) else {
      throw StoreError(.invalidReference, reference, "only a variable can be deleted")
    }
    try check(condition, values[name], reference)
    guard values[name] != nil else { return false }
    guard !reference.isDirectory else { throw notADirectory(reference) }
    stored.withLock { $0[name] = nil }
    return true
  }

  private var entries: [StoreEntry] {
    values.keys.sorted().map { StoreEntry($0.text, isDirectory: false) }
  }

  private func notADirectory(_ reference: Reference) -> StoreError {
    StoreError(.notADirectory, reference, "a variable has nothing below it")
  }
}
