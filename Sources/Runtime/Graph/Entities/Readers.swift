internal import TenonSolverKit
internal import TenonTables

/// The formulas that read a cell, in the order in which they came: mostly one.
struct Readers: Sequence, IteratorProtocol {
  @Uncounted fileprivate var graph: ConnectionGraph
  fileprivate var first: Int32
  /// -1 where a formula was removed.
  fileprivate let rest: ContiguousArray<Int32>
  private var position = 0

  init(graph: ConnectionGraph, first: Int32, rest: ContiguousArray<Int32>) {
    _graph = Uncounted(wrappedValue: graph)
    self.first = first
    self.rest = rest
  }

  /// Whether there are no formulas.
  var isEmpty: Bool { first < 0 }

  mutating func next() -> Formula? {
    if first >= 0 {
      defer { first = -1 }
      return graph.formula(first)
    }
    while position < rest.count {
      position += 1
      if rest[position - 1] >= 0 { return graph.formula(rest[position - 1]) }
    }
    return nil
  }
}

/// The formulas that read a cell, after the first.
final class ReaderTable {
  /// The length up to which lists are searched.
  private static let shortCount: Int32 = 32
  /// The length from which a list grows by an eighth.
  private static let longCount = 1024

  /// The formulas; -1 where one was removed.
  private(set) var formulas: ContiguousArray<Int32>
  /// The number of formulas, and the index of the first.
  private(set) var count: Int32 = 1
  private var start: Int32 = 0
  /// The index of each formula, by its number; made when one is removed from the middle of a long list.
  private var positions: Positions?

  private final class Positions {
    let map = NumberMap()
  }

  init(_ formula: Int32) { formulas = [formula] }

  /// Whether the index of each formula is known.
  var isIndexed: Bool { positions != nil }

  /// The number of formulas that there is room for.
  var capacity: Int { formulas.capacity }

  func append(_ formula: Int32) {
    let position = formulas.count
    positions?.map.set(formula, to: Int32(clamping: position))
    if position == formulas.capacity, position >= ReaderTable.longCount {
      formulas.reserveCapacity(position + position / 8)
    }
    formulas.append(formula)
    count &+= 1
  }

  /// Removes a formula, and returns whether it was there.
  func remove(_ formula: Int32) -> Bool {
    guard let position = position(of: formula), formulas[position] == formula else { return false }
    take(position)
    return true
  }

  func removeFirst() -> Int32 {
    while start < formulas.count, formulas[Int(start)] < 0 { start &+= 1 }
    guard start < formulas.count else { return -1 }
    let formula = formulas[Int(start)]
    take(Int(start))
    return formula
  }

  private func position(of formula: Int32) -> Int? {
    if positions == nil {
      // The formulas that have come last are mostly the first to go.
      let last = max(0, formulas.count - Int(ReaderTable.shortCount))
      if let found = formulas[last...].lastIndex(of: formula) { return found }
      if last == 0 { return nil }
      index()
    }
    return positions.map { Int($0.map[formula]) }.flatMap { $0 < 0 ? nil : $0 }
  }

  private func take(_ position: Int) {
    positions?.map.remove(formulas[position])
    formulas[position] = -1
    count &-= 1
    while let last = formulas.last, last < 0 { formulas.removeLast() }
    start = min(start, Int32(clamping: formulas.count))
    // Gaps at most as many as formulas.
    guard formulas.count > 2 * Int(count) + 16 else { return }
    var kept: ContiguousArray<Int32> = []
    kept.reserveCapacity(Int(count))
    kept.append(contentsOf: formulas.lazy.filter { $0 >= 0 })
    formulas = kept
    start = 0
    if positions == nil { return }
    if count > ReaderTable.shortCount { index() } else { positions = nil }
  }

  private func index() {
    let made = Positions()
    for (position, formula) in formulas.enumerated() where formula >= 0 {
      made.map.set(formula, to: Int32(clamping: position))
    }
    positions = made
  }
}
