internal import TenonStoreKit

extension Primitive {
  static let deepCopying: [Primitive] = [
    Primitive(
      "deepCopy",
      "A copy for which all that the object holds was copied too; what has an identity is shared."
    ) { machine, arguments throws(Failure) in
      var copying = DeepCopy(machine)
      return try copying.copy(arguments.receiver)
    }
  ]
}

/// The copying of an object with all that it holds.
///
/// An object that is met twice is copied once, so that copies refer to each other as the originals
/// do, in cycles too. It goes by a list instead of recursion: structures may be deep.
private struct DeepCopy {
  /// A hashed collection whose copy gets its entries when all keys have been copied.
  private struct Table {
    let copy: ObjectRef
    /// Keys and values in turns; of a set, elements and nil.
    let entries: ObjectRef
    let byIdentity: Bool
  }

  /// Values that do not change, and objects that would not be themselves twice.
  private static let sharedClasses = [
    "BlockExit", "Class", "CompiledMethod", "Connection", "Connector", "Future", "InputStream",
    "Magnitude", "OutputStream", "Reference", "Regex", "RunLoop", "Script", "Store", "TimeZone",
    "Timer", "Watcher", "WeakDictionary", "WeakReference",
  ]

  private let machine: Machine
  private let shared: [ClassInfo]
  /// Whether instances of a class are shared, by the class's index.
  private var isShared: [UInt32: Bool] = [:]
  private let hashedClass: ClassInfo?
  private let identityClasses: [ClassInfo]
  /// The copies by the originals.
  private var copies: [UInt: Value] = [:]
  /// The copies that still refer to originals.
  private var pending: [ObjectRef] = []
  private var tables: [Table] = []
  /// The copies in which their classes connect something.
  private var connected: [Value] = []

  init(_ machine: Machine) {
    self.machine = machine
    shared = DeepCopy.sharedClasses.compactMap { machine.classesByName[$0] }
    hashedClass = machine.classesByName["HashedCollection"]
    identityClasses = ["IdentityDictionary", "IdentitySet"].compactMap {
      machine.classesByName[$0]
    }
  }

  /// The copy of a value.
  ///
  /// No safepoint comes before the entries of hashed collections ask for hashes: by then all the
  /// copies hang together, and the roots hold them.
  ///
  /// - Complexity: O(*n*) for all that hangs on the value.
  mutating func copy(_ value: Value) throws(Failure) -> Value {
    let result = try copyOfOne(value)
    while let object = pending.popLast() {
      if object.hasFormat(.array) {
        for index in 0..<object.elementCount {
          object[element: index] = try copyOfOne(object[element: index])
        }
      } else {
        for slot in 0..<object.slotCount {
          object[slot: slot] = try copyOfOne(object[slot: slot])
        }
      }
    }
    guard !tables.isEmpty || !connected.isEmpty else { return result }
    let root = machine.roots.count
    machine.roots.append(result)
    machine.roots.append(contentsOf: connected)
    for table in tables {
      machine.roots.append(Value(table.copy))
      machine.roots.append(Value(table.entries))
    }
    defer { machine.dropRoots(to: root) }
    for table in tables {
      guard try fill(table) else { return .unwind }
    }
    for copy in connected where machine.connectCopy(copy).isUnwind { return .unwind }
    return result
  }

  private mutating func copyOfOne(_ value: Value) throws(Failure) -> Value {
    guard value.isObject, value.bits != 0 else { return value }
    if let copy = copies[value.bits] { return copy }
    let info = machine.classInfo(of: value)
    if isShared[value.classIndex] == nil {
      isShared[value.classIndex] = shared.contains { info.inherits(from: $0) }
    }
    if isShared[value.classIndex] == true { return value }
    if copies.count & 0xFF == 0xFF {
      try machine.pollInterrupt()
      try machine.checkMemory()
    }
    // A formula hears of what is nested, too.
    machine.recordUse(of: value)
    if let recorder = machine.recorder, info.format == .slots {
      for slot in 0..<ObjectRef(value).slotCount { recorder.record(.slot(ObjectRef(value), slot)) }
    }
    let copy = try machine.shallowCopy(value)
    guard copy != value else { return value }
    copies[value.bits] = copy
    if (info.canonical ?? info).statements.connectsCopies { connected.append(copy) }
    let object = ObjectRef(copy)
    guard !object.hasFormat(.bytes) else { return copy }
    if let hashedClass, info.inherits(from: hashedClass) {
      let entries = try HashTable(copy).removeForCopy(machine)
      pending.append(entries)
      let byIdentity = identityClasses.contains { info.inherits(from: $0) }
      tables.append(Table(copy: object, entries: entries, byIdentity: byIdentity))
    }
    pending.append(object)
    return copy
  }

  /// Enters keys and values; false when a hash or a comparison unwinds.
  private func fill(_ table: Table) throws(Failure) -> Bool {
    let entries = table.entries
    for index in stride(from: 0, to: entries.elementCount, by: 2) {
      let key = entries[element: index]
      let target = HashTable(Value(table.copy))
      switch machine.find(key, in: Value(table.copy), byIdentity: table.byIdentity) {
      case .found(let number): target.setValue(entries[element: index + 1], of: number)
      case .absent(let hash):
        try target.insert(key, entries[element: index + 1], hash: hash, machine)
      case .unwound: return false
      }
    }
    return true
  }
}

extension HashTable {
  /// Takes all entries out of a copy that shares its table with the original, and returns their
  /// keys and values in turns.
  fileprivate func removeForCopy(_ machine: Machine) throws(Failure) -> ObjectRef {
    let numbers = (1...max(1, used)).filter { entry($0) != nil }
    let result = try machine.makeArray(checked: numbers.count * 2)
    for (index, number) in numbers.enumerated() {
      guard let entry = entry(number) else { continue }
      result[element: index * 2] = entry.key
      result[element: index * 2 + 1] = entry.value
    }
    object[slot: 0] = .nil
    object[slot: 1] = .nil
    used = 0
    count = 0
    return result
  }
}
