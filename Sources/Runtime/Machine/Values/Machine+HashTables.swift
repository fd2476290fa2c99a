internal import TenonNumerics

// How keys are found in hashed collections.

extension Machine {
  /// What looking for a key came to.
  enum Finding {
    case found(Int)
    case absent(hash: Int)
    case unwound
  }

  /// Looks for a key in a hashed collection, asking the program's `hash` and `=` where it must.
  ///
  /// A key's `=` may change the collection: then the search starts again.
  func find(_ key: Value, in collection: Value, byIdentity: Bool) -> Finding {
    guard let hash = hash(key, byIdentity: byIdentity) else { return .unwound }
    let table = HashTable(collection)
    var probes = 0
    while true {
      switch table.search(key, hash: hash, byIdentity: byIdentity, after: probes) {
      case .found(let number): return .found(number)
      case .absent: return .absent(hash: hash)
      case .undecided(let entry, let made):
        let version = table.version
        guard let candidate = table.entry(entry)?.key else { return .absent(hash: hash) }
        // It may be gone from wherever the program has it.
        roots.append(collection)
        let equal = send(selector("="), to: candidate, key)
        roots.removeLast()
        if equal.isUnwind { return .unwound }
        if table.version != version {
          probes = 0
        } else if equal.isTrue {
          return .found(entry)
        } else {
          probes = made
        }
      }
    }
  }

  /// The hash of a key; nil when the program's `hash` unwinds.
  func hash(_ key: Value, byIdentity: Bool) -> Int? {
    if key.isSmallInteger {
      return (byIdentity ? key.smallInteger : NumberHash.hash(key.smallInteger)) & HashLimits.mask
    }
    if byIdentity { return identityHash(key) & HashLimits.mask }
    if isString(key) { return Int(ObjectRef(key).bytesHash) }
    if key.isCharacter { return Int(key.characterCode) }
    let answer = send(selector("hash"), to: key)
    if answer.isUnwind { return nil }
    if let integer = answer.asSmallInteger { return integer & HashLimits.mask }
    if case .large(let integer)? = numeric(answer) {
      return NumberHash.hash(integer) & HashLimits.mask
    }
    let failed = signal(.invalidArgument("an integer as the hash", found: describe(answer)))
    return failed.asSmallInteger.map { $0 & HashLimits.mask }
  }

  /// A number for an object that stays the same while it lives, and from run to run.
  func identityHash(_ value: Value) -> Int {
    if value.isObject {
      let object = ObjectRef(value)
      // Boxed numbers have no identity worth speaking of.
      if object.hasFormat(.float) { return Int(object.double.bitPattern >> 3) }
      return heap.identityHash(object)
    }
    return Int(value.bits >> 3) & 0xFFF_FFFF_FFFF
  }
}

enum HashLimits {
  /// Hashes are not negative and leave room for arithmetic on them.
  static let mask = (1 << 60) - 1
}
