internal import TenonSolverKit
internal import TenonTables

// The search for constraints by their cells, with little memory for each.

/// The data of formulas that few of them have, by their numbers.
final class GraphTables {
  let formulaExtras = SparseTable<FormulaExtras>()
  /// For the number of a formula that reads two cells the second one.
  let secondInputs = NumberMap()
  /// For the number of a formula that reads more than two cells all of them.
  let manyInputs = SparseTable<[CellID]>()
  /// For the number of a formula the next one of its connection.
  let nextOfConnection = NumberMap()
  var freeFormulas: [Int32] = []
  /// The records of formulas in Swift code.
  let natives = NativeTable()
  /// The formulas whose own reads are recorded.
  var recorded: Set<FormulaID> = []

  let constraintRecords = PagedTable<ConstraintRecord>()
  var freeConstraints: [Int32] = []
  /// The constraints that other formulas over the same cells join.
  let constraintTable = ConstraintTable()
  /// The last number that tells a constraint from another one that gets its number later.
  var nextStamp: UInt32 = 0
}

/// The constraints that other formulas over the same cells join, by those cells: a hash table with open
/// addressing.
final class ConstraintTable {
  /// Their numbers, a power of two of entries; -1 for an empty one.
  private let entries = FlatTable<Int32>()
  /// The hashes of their cells, which take time to compute for many cells.
  private let hashes = FlatTable<UInt32>()
  /// The number of constraints.
  private(set) var count = 0

  /// The number of entries.
  var capacity: Int { entries.count }

  private var mask: Int { entries.count - 1 }

  init() {
    entries.extend(to: 16, with: -1)
    hashes.extend(to: 16, with: 0)
  }

  private func hash(_ cells: Variables) -> UInt32 {
    func mix(_ one: UInt64, _ other: UInt64) -> UInt64 {
      let hash = (one &+ other) &* 0x9E37_79B9_7F4A_7C15
      return (hash ^ hash >> 29) &* 0xBF58_476D_1CE4_E5B9
    }
    let (first, last) = (UInt32(bitPattern: cells.first), UInt32(bitPattern: cells.last))
    var hash = mix(UInt64(first) << 32 | UInt64(last), UInt64(cells.count))
    for cell in cells.many {
      hash = mix(hash ^ hash >> 32, UInt64(UInt32(bitPattern: cell.rawValue)))
    }
    return UInt32(truncatingIfNeeded: hash >> 32)
  }

  private func start(_ hash: UInt32) -> Int { Int(hash) & mask }

  private func variables(_ number: Int32, _ graph: ConnectionGraph) -> Variables {
    Constraint(number, in: graph).variables
  }

  /// Returns the constraint over the variables of a formula.
  func find(_ formula: Formula) -> Constraint? {
    let graph = formula.graph
    let wanted = formula.variableSet
    let hash = hash(wanted)
    var position = start(hash)
    while entries[position] >= 0 {
      if hashes[position] == hash, variables(entries[position], graph) == wanted {
        return Constraint(entries[position], in: graph)
      }
      position = (position + 1) & mask
    }
    return nil
  }

  /// The greatest distance of an entry from the position where its search begins.
  ///
  /// - Complexity: O(entries).
  var longestSearch: Int {
    (0..<entries.count).lazy.filter { self.entries[$0] >= 0 }
      .map { ($0 - self.start(self.hashes[$0])) & self.mask }.max() ?? 0
  }

  /// Inserts a constraint over whose cells there is none.
  ///
  /// - Complexity: O(1), amortised.
  func insert(_ constraint: Constraint) {
    if count * 5 >= entries.count * 4 { resize(entries.count * 2) }
    count += 1
    enter(constraint.number, hash(constraint.variables))
  }

  private func enter(_ number: Int32, _ hash: UInt32) {
    var position = start(hash)
    while entries[position] >= 0 { position = (position + 1) & mask }
    entries[position] = number
    hashes[position] = hash
  }

  /// Removes a constraint, if it is there.
  ///
  /// - Complexity: O(1), amortised.
  func remove(_ constraint: Constraint) {
    var hole = start(hash(constraint.variables))
    while entries[hole] != constraint.number {
      if entries[hole] < 0 { return }
      hole = (hole + 1) & mask
    }
    count -= 1
    // The entries that follow move up if they may: none stands behind a gap.
    var position = (hole + 1) & mask
    while entries[position] >= 0 {
      let distance = (position - start(hashes[position])) & mask
      if distance >= (position - hole) & mask {
        entries[hole] = entries[position]
        hashes[hole] = hashes[position]
        hole = position
      }
      position = (position + 1) & mask
    }
    entries[hole] = -1
    if entries.count > 4_096, count * 8 < entries.count { resize(entries.count / 4) }
  }

  private func resize(_ capacity: Int) {
    let old = FlatTable<Int32>()
    let oldHashes = FlatTable<UInt32>()
    old.extend(to: capacity, with: -1)
    oldHashes.extend(to: capacity, with: 0)
    entries.exchange(with: old)
    hashes.exchange(with: oldHashes)
    for index in 0..<old.count where old[index] >= 0 { enter(old[index], oldHashes[index]) }
  }
}
