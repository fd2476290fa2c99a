import TenonStoreKit

/// What a store is expected to answer, kept in a dictionary.
struct StoreModel {
  /// What there can be below a place.
  enum Shape {
    /// Nothing: all places are directly in the store.
    case flat
    /// Other places, whether or not there is something at this one.
    case prefixes
    /// Other places, if there is nothing but them, and it stays when they go.
    case directories
  }

  /// What a verb answered.
  enum Answer: Equatable {
    case value([UInt8])
    case listing([String])
    case missing
    case unchanged
    case done
    case existed(Bool)
    case added(String)
    case failed(StoreError.Kind)
  }

  typealias Path = [[UInt8]]

  let shape: Shape
  private var values: [Path: [UInt8]] = [:]
  private var directories: Set<Path> = [[]]

  init(shape: Shape) {
    self.shape = shape
  }

  /// The places that have a value.
  var places: [Path] { Array(values.keys) }

  func value(at path: Path) -> [UInt8]? { values[path] }

  private func children(_ path: Path) -> [String] {
    let paths = shape == .directories ? Array(values.keys) + Array(directories) : Array(values.keys)
    var names: [[UInt8]: Bool] = [:]
    for other in paths where other.count > path.count && other.starts(with: path) {
      let isDirectory = other.count > path.count + 1 || directories.contains(other)
      names[other[path.count]] = names[other[path.count]] == true || isDirectory
    }
    return names.sorted { $0.key.lexicographicallyPrecedes($1.key) }
      .map { String(decoding: $0.key, as: UTF8.self) + ($0.value ? "/" : "") }
  }

  private func isDirectory(_ path: Path) -> Bool {
    path.isEmpty || (shape == .directories ? directories.contains(path) : !children(path).isEmpty)
  }

  private func isBelowValue(_ path: Path) -> Bool {
    shape == .directories && (0..<path.count).contains { values[Array(path[..<$0])] != nil }
  }

  private func fails(_ condition: Precondition?, _ isThere: Bool, _ value: [UInt8]?) -> Bool {
    let tag = value.map { EntityTag(of: $0) }
    return switch condition {
    case nil: false
    case .absent: isThere
    case .exists: !isThere
    case .matches(let other): tag != other
    case .differs(let other): tag == other
    }
  }

  func get(_ path: Path, _ condition: Precondition?) -> Answer {
    let isThere = values[path] != nil || isDirectory(path)
    if fails(condition, isThere, values[path]) {
      if case .differs = condition { return .unchanged }
      return .failed(.preconditionFailed)
    }
    if let value = values[path] { return .value(value) }
    return isThere ? .listing(children(path)) : .missing
  }

  func list(_ path: Path) -> Answer {
    if isDirectory(path) { return .listing(children(path)) }
    return .failed(values[path] != nil || isBelowValue(path) ? .notADirectory : .notFound)
  }

  mutating func put(_ path: Path, _ value: [UInt8], _ condition: Precondition?) -> Answer {
    let needsPresence =
      switch condition {
      case .exists, .matches: true
      default: false
      }
    if isBelowValue(path), !needsPresence { return .failed(.notADirectory) }
    let isBlocked = shape == .directories && isDirectory(path)
    if fails(condition, values[path] != nil || isBlocked, values[path]) {
      return .failed(.preconditionFailed)
    }
    if isBlocked { return .failed(.isADirectory) }
    values[path] = value
    guard shape == .directories else { return .done }
    for count in 0..<path.count { directories.insert(Array(path[..<count])) }
    return .done
  }

  /// Removes a place that has a name, and all below it.
  mutating func deleteTree(_ path: Path) -> Answer {
    guard values[path] != nil || isDirectory(path), !isBelowValue(path) else {
      return .existed(false)
    }
    values = values.filter { !$0.key.starts(with: path) }
    directories = directories.filter { !$0.starts(with: path) }
    return .existed(true)
  }

  /// Moves a place that has a name to another one, where nothing may be.
  mutating func move(_ path: Path, to other: Path, _ condition: Precondition?) -> Answer {
    if isBelowValue(path) { return .failed(.notADirectory) }
    guard values[path] != nil || isDirectory(path) else { return .failed(.notFound) }
    if isDirectory(path), other.starts(with: path), other.count > path.count {
      return .failed(.conflict)
    }
    if isBelowValue(other) { return .failed(.notADirectory) }
    if values[other] != nil || isDirectory(other) {
      return .failed(condition == nil ? .exists : .preconditionFailed)
    }
    func moved(_ place: Path) -> Path {
      place.starts(with: path) ? other + place[path.count...] : place
    }
    values = Dictionary(uniqueKeysWithValues: values.map { (moved($0.key), $0.value) })
    directories = Set(directories.map(moved))
    for count in 0..<other.count { directories.insert(Array(other[..<count])) }
    return .done
  }

  /// Adds a value below a place, under the first number that is free; among directories and files, a line to
  /// the file there.
  mutating func post(_ path: Path, _ value: [UInt8]) -> Answer {
    if shape == .directories {
      let line = value.last == 0x0A ? value : value + [0x0A]
      let answer = put(path, (values[path] ?? []) + line, nil)
      return answer == .done ? .added(String(decoding: path.last ?? [], as: UTF8.self)) : answer
    }
    var number = 1
    while values[path + [Array("\(number)".utf8)]] != nil { number += 1 }
    values[path + [Array("\(number)".utf8)]] = value
    return .added("\(number)")
  }

  mutating func delete(_ path: Path, _ condition: Precondition?) -> Answer {
    let isThere = values[path] != nil || isDirectory(path)
    if fails(condition, isThere, values[path]) { return .failed(.preconditionFailed) }
    if values.removeValue(forKey: path) != nil { return .existed(true) }
    guard isThere else { return .existed(false) }
    guard children(path).isEmpty else { return .failed(.notEmpty) }
    directories.remove(path)
    return .existed(true)
  }
}

extension StoreModel.Answer {
  /// The answer of a store to a verb.
  init(_ body: () throws(StoreError) -> StoreModel.Answer) {
    do throws(StoreError) {
      self = try body()
    } catch {
      self = .failed(error.kind)
    }
  }

  init(_ outcome: GetOutcome) {
    self =
      switch outcome {
      case .resource(let resource): .value(resource.bytes)
      case .directory(let entries): .init(entries)
      case .missing: .missing
      case .unchanged: .unchanged
      }
  }

  init(_ entries: [StoreEntry]) {
    self = .listing(entries.map { $0.isDirectory ? $0.name + "/" : $0.name })
  }
}
