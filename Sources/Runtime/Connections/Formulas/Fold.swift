internal import TenonAnalysis
internal import TenonLexer
internal import TenonSolverKit
internal import TenonTables

// Formulas over all elements of a collection whose values are updated from the changed elements.
//
// The block of the formula can always compute the value, and computes it first. If the kernel's own methods
// have answered, one more pass enters the contributions of the elements in a table, with the cells that
// each of them depends on; from then on a change of an element is recorded, and the formula looks at that
// element alone. An entry that the table cannot hold ends it: the block runs again, and after it the pass.

/// The state of a formula over the elements of a collection.
final class Fold {
  let recognition: FoldRecognition
  /// The place of the collection; nil where the text lists the elements.
  let place: CellID?
  /// The places of the elements that the text lists.
  let elements: [CellID]
  fileprivate let table: FoldTable
  /// Whether the table is in use.
  fileprivate(set) var isActive = false
  /// The collection of the table.
  fileprivate(set) var collection: Value?
  /// The elements that a change of a cell concerns, by their offsets; none for all of them.
  fileprivate var concerned: [CellID: [Int]] = [:]
  /// The cells that the blocks have read for an element.
  fileprivate var reads: [Int: [CellID]] = [:]
  /// The elements to be evaluated again.
  fileprivate var changed: [Int] = [] {
    didSet { hasChanged = !changed.isEmpty }
  }
  /// Whether there are any: tested for each value.
  fileprivate private(set) var hasChanged = false
  /// Whether more may have changed than the recorded elements.
  fileprivate var isDoubtful = false
  /// Whether the table has been of use, the number of tables in a row that were of none, and the number of
  /// runs of the block before the next one.
  private var isUsed = true
  private var misses = 0
  private var pause = 0
  /// The indexes of the first and the last element that it is over.
  fileprivate let first: Int
  fileprivate let last: Int
  /// Whether the elements go through blocks.
  fileprivate let hasSteps: Bool

  init(_ recognition: FoldRecognition, place: CellID?, elements: [CellID]) {
    self.recognition = recognition
    first = recognition.range?.lowerBound ?? 1
    last = recognition.range?.upperBound ?? .max
    hasSteps = !recognition.steps.isEmpty
    self.place = place
    self.elements = elements
    table = FoldTable(recognition)
  }

  /// Returns whether to make a table now: where the blocks have to be run once more for it, and it was of no
  /// use lately, only now and then.
  fileprivate func mayBegin() -> Bool {
    if recognition.steps.isEmpty { return true }
    if !isUsed {
      misses = min(misses + 1, 6)
      pause = 1 << misses
      isUsed = true
    }
    pause -= 1
    return pause < 0
  }

  fileprivate func begin() {
    isActive = true
    isUsed = false
    pause = 0
  }

  fileprivate func recordUse() {
    isUsed = true
    misses = 0
  }

  /// Records an element to be evaluated again.
  fileprivate func record(_ offset: Int) {
    guard !isDoubtful else { return }
    if changed.last != offset { changed.append(offset) }
    if changed.count > table.count { isDoubtful = true }
  }
}

extension ConnectionGraph {
  /// Recognizes a formula over all elements of a collection, and gives it a fold.
  func recognizeFold(_ formula: Formula) {
    guard let text = formula.text, let recognition = FoldRecognition(text) else { return }
    let inputs = formula.staticInputs
    let names = formula.readNames
    guard inputs.count == names.count else { return }
    switch recognition.source {
    case .place(let name):
      guard let index = names.firstIndex(of: name), hot[inputs[index].rawValue].kind == .slot
      else { return }
      formula.fold = Fold(recognition, place: inputs[index], elements: [])
    case .elements(let texts):
      var places: [CellID] = []
      for text in texts {
        guard let index = names.firstIndex(of: text) else { return }
        places.append(inputs[index])
      }
      formula.fold = Fold(recognition, place: nil, elements: places)
    }
  }

  /// Returns the value of a formula from its table; nil when its block has to compute it, or was interrupted.
  @inline(never)
  func foldedValue(_ number: Int32) -> Value? {
    let known = activeFolds.index(ofFormula: number)
    if known >= 0, !hasFailures,
      let result = activeFolds.withFold(known, { settledNumber(of: $0) })
    {
      return machine.value(of: result)
    }
    guard let formula = self[FormulaID(number)], let fold = formula.fold else { return nil }
    guard fold.isActive, !fold.isDoubtful, !hasFailures || fold.concerned.isEmpty,
      fold.collection == heldCollection(of: fold), takeUpChanges(of: formula, fold)
    else {
      endFold(of: formula)
      return nil
    }
    switch fold.table.result {
    case .number(let result):
      fold.recordUse()
      return machine.value(of: result)
    case .empty: return nil
    case .unknown:
      endFold(of: formula)
      return nil
    }
  }

  /// Returns the value of a table when no element has to be evaluated again.
  @inline(__always)
  private func settledNumber(of fold: Fold) -> SolverNumber? {
    guard !fold.isDoubtful, !fold.hasChanged, fold.collection == heldCollection(of: fold),
      case .number(let result) = fold.table.result
    else { return nil }
    fold.recordUse()
    return result
  }

  /// Evaluates the changed elements again.
  ///
  /// - Returns: false when the table cannot hold their contributions.
  private func takeUpChanges(of formula: Formula, _ fold: Fold) -> Bool {
    if fold.changed.isEmpty { return true }
    guard let elements = FoldedElements(of: formula, fold, in: machine) else { return false }
    defer { elements.end() }
    let changed = fold.changed.count == 1 ? fold.changed : fold.changed.withoutRepetitions
    for offset in changed {
      // The blocks are code of any kind: they may end the formula.
      guard offset < elements.count, let entry = elements.entry(at: offset), fold.isActive,
        elements.cells == fold.reads[offset] ?? []
      else { return false }
      fold.table.set(entry, at: offset)
    }
    fold.changed.removeAll(keepingCapacity: true)
    return true
  }

  fileprivate func heldCollection(of fold: Fold) -> Value? {
    guard let place = fold.place else { return nil }
    let cell = hot[place.rawValue]
    return ObjectRef(cell.object)[slot: cell.index]
  }

  /// Enters the elements of a formula's collection in a table, after its block has run.
  ///
  /// - Complexity: O(elements and the reads of their blocks).
  func beginFold(of formula: Formula) {
    guard let fold = formula.fold else { return }
    endFold(of: formula)
    guard machine.answersFoldsAsKernel, fold.mayBegin() else { return }
    let collection = heldCollection(of: fold)
    var whole: CellID?
    if let collection {
      // Only changes of inputs of the formula are recorded.
      guard collection.isObject, let cell = cellsByPlace[.whole(ObjectRef(collection))],
        formula.dynamicInputs.contains(cell)
      else { return }
      whole = cell
    }
    guard let elements = FoldedElements(of: formula, fold, in: machine) else { return }
    defer { elements.end() }
    fold.table.begin(elements.count)
    let heard = fold.recognition.steps.isEmpty ? [] : Set(formula.inputs)
    var concerned: [CellID: [Int]] = [:]
    for input in formula.inputs where input != whole && input != fold.place {
      concerned[input] = []
    }
    if fold.place == nil {
      for (offset, cell) in fold.elements.enumerated() {
        concerned[cell, default: []].append(offset)
      }
    }
    for offset in 0..<elements.count {
      guard let entry = elements.entry(at: offset), self[formula.id] == formula else {
        return fold.table.removeAll()
      }
      for cell in elements.cells {
        // A block that reads the collection itself depends on all elements.
        guard heard.contains(cell), cell != whole, cell != fold.place else {
          return fold.table.removeAll()
        }
        if !formula.staticInputs.contains(cell) { concerned[cell, default: []].append(offset) }
      }
      fold.table.set(entry, at: offset)
      if !elements.cells.isEmpty { fold.reads[offset] = elements.cells }
    }
    if case .unknown = fold.table.result { return fold.table.removeAll() }
    fold.concerned = concerned
    fold.collection = collection
    fold.begin()
    activeFolds.insert(fold, of: formula.id, over: whole)
    activeFolds.foldCount += 1
    machine.heap.countOutside(fold.table.size)
    hotFormulas[formula.id.rawValue].kind = .fold
    for cell in concerned.keys { countFold(1, at: cell) }
  }

  /// Counts the folds that depend on a cell.
  private func countFold(_ step: Int, at cell: CellID) {
    let count = (activeFolds.foldsByCell[cell] ?? 0) + step
    activeFolds.foldsByCell[cell] = count > 0 ? count : nil
    updateHooks(of: cell)
  }

  /// Ends the table of a formula, whose block computes the value again.
  func endFold(of formula: Formula) {
    guard let fold = formula.fold else { return }
    fold.reads = [:]
    fold.changed = []
    fold.isDoubtful = false
    guard fold.isActive else { return }
    machine.heap.countOutside(-fold.table.size)
    fold.isActive = false
    fold.collection = nil
    fold.table.removeAll()
    activeFolds.remove(formula.id)
    activeFolds.foldCount -= 1
    hotFormulas[formula.id.rawValue].kind = .block
    let cells = fold.concerned.keys
    fold.concerned = [:]
    for cell in cells { countFold(-1, at: cell) }
  }

  /// Takes a cell out of a fold, as its object is gone: nothing will change there any more.
  func forgetCell(_ cell: CellID, of object: Value, inFoldOf formula: Formula) {
    guard let fold = formula.fold else { return }
    if fold.collection == object || fold.concerned[cell]?.isEmpty == false {
      endFold(of: formula)
    } else if fold.concerned.removeValue(forKey: cell) != nil {
      countFold(-1, at: cell)
    }
  }

  /// Ends the tables of all formulas.
  ///
  /// - Complexity: O(formulas).
  func endFolds() {
    guard activeFolds.foldCount > 0 else { return }
    for formula in formulasInUse { endFold(of: formula) }
  }

  /// Records a change of an element of a collection, or of unknown elements, in its folds.
  ///
  /// - Complexity: O(formulas that read all of it).
  @inline(never)
  func updateFolds(of object: ObjectRef, at key: Value?) {
    if let whole = cellsByPlace[.whole(object)] { updateFolds(of: object, whole, at: key) }
  }

  /// Records the same, where the cell of all of the collection is known.
  func updateFolds(of object: ObjectRef, _ whole: CellID, at key: Value?) {
    let index = key.map { $0.asSmallInteger ?? 0 } ?? 0
    var next = activeFolds.first(over: whole)
    while next >= 0 {
      activeFolds.withFold(next) { record(index, of: object, in: $0) }
      next = activeFolds.next(after: next)
    }
  }

  /// Records a change of an element of a fold's collection; with an index below 1, of any of them.
  @inline(__always)
  private func record(_ index: Int, of object: ObjectRef, in fold: Fold) {
    guard fold.collection == Value(object) else { return }
    guard index >= 1 else {
      fold.isDoubtful = true
      return
    }
    guard index >= fold.first, index <= fold.last else { return }
    guard index - fold.first < fold.table.count else {
      fold.isDoubtful = true
      return
    }
    guard !fold.hasSteps else { return fold.record(index - fold.first) }
    // Without a block the new entry is known at once.
    activeFolds.foldReads += 1
    if let (array, all) = machine.elements(of: Value(object)), index <= all.count,
      let entry = machine.foldedNumber(array[element: all.lowerBound + index - 1])
        .flatMap({ FoldEntry($0) })
    {
      fold.table.set(entry, at: index - fold.first)
    } else {
      fold.isDoubtful = true
    }
  }

  /// Records in folds a change of a cell which elements of collections depend on.
  ///
  /// - Complexity: O(formulas that read it and elements that it concerns).
  @inline(never)
  func updateFolds(readingFrom cell: CellID) {
    for reader in readers(of: cell) {
      guard let fold = reader.fold, let offsets = fold.concerned[cell] else { continue }
      if offsets.isEmpty { fold.isDoubtful = true }
      for offset in offsets { fold.record(offset) }
    }
  }
}

/// The elements of a formula's collection, while they are evaluated.
final class FoldedElements {
  private let machine: Machine
  private let formula: Formula
  private let fold: Fold
  private let collection: ObjectRef?
  private let first: Int
  /// The number of elements.
  let count: Int
  /// The blocks of the steps: they stand on the machine's list of roots.
  private let root: Int
  /// The cells that the blocks have read for the last evaluated element.
  private(set) var cells: [CellID] = []

  /// Prepares the elements and blocks; nil where there is no collection that a table can be of.
  init?(of formula: Formula, _ fold: Fold, in machine: Machine) {
    self.machine = machine
    self.formula = formula
    self.fold = fold
    if fold.place == nil {
      (collection, first, count) = (nil, 0, fold.elements.count)
    } else {
      guard let held = machine.graph.heldCollection(of: fold), held.isObject,
        let (_, all) = machine.elements(of: held)
      else { return nil }
      collection = ObjectRef(held)
      if let range = fold.recognition.range {
        guard range.upperBound <= all.count else { return nil }
        (first, count) = (range.lowerBound - 1, range.count)
      } else {
        (first, count) = (0, all.count)
      }
    }
    root = machine.roots.count
    for step in fold.recognition.steps {
      guard let block = machine.block(at: step.block, in: formula) else {
        end()
        return nil
      }
      machine.roots.append(block)
    }
  }

  /// Ends the use of the blocks.
  func end() { machine.dropRoots(to: root) }

  /// Returns the contribution of an element; nil when a table cannot hold it, or it was interrupted.
  func entry(at offset: Int) -> FoldEntry? {
    machine.graph.activeFolds.foldReads += 1
    cells = []
    guard var value = element(at: offset) else { return nil }
    if !fold.recognition.steps.isEmpty {
      guard let outcome = passThroughSteps(value) else { return nil }
      guard let passed = outcome else { return .absent }
      value = passed
    }
    if fold.recognition.kind == .count { return .counted }
    return machine.foldedNumber(value).flatMap { FoldEntry($0) }
  }

  private func element(at offset: Int) -> Value? {
    guard let collection else { return machine.currentValue(of: fold.elements[offset]) }
    // The blocks may be code of any kind: the position of the elements is read each time.
    guard let (array, all) = machine.elements(of: Value(collection)), first + offset < all.count
    else { return nil }
    return array[element: all.lowerBound + first + offset]
  }

  /// Returns the result of the blocks for an element: nil when one failed, an inner nil when one left it out.
  private func passThroughSteps(_ element: Value) -> Value?? {
    let kept = machine.roots.count
    machine.roots.append(element)
    defer { machine.dropRoots(to: kept) }
    var isLeftOut = false
    var isRefused = false
    let (outcome, reads) = machine.runUntaken(formula) {
      var outcome = Evaluation.value(element)
      for (index, step) in fold.recognition.steps.enumerated() {
        let block = machine.roots[root + index]
        let value = machine.roots[kept]
        outcome = machine.withErrorsCaught { machine.evaluateBlock(block, value) }
        guard case .value(let answer) = outcome else { return outcome }
        if step.kind == .collect {
          machine.roots[kept] = answer
          continue
        }
        outcome = .value(value)
        // The block of the formula reports what is wrong with another answer.
        isRefused = answer != .true && answer != .false
        isLeftOut = (answer == .true) != (step.kind == .select)
        if isRefused || isLeftOut { return outcome }
      }
      return outcome
    }
    guard case .value(let value) = outcome, !isRefused else { return nil }
    for place in reads {
      guard let cell = machine.graph.cellsByPlace[place] else { return nil }
      cells.append(cell)
    }
    return .some(isLeftOut ? nil : value)
  }
}

extension Machine {
  /// Whether arrays, ordered collections and numbers have the kernel's methods for folds.
  fileprivate var answersFoldsAsKernel: Bool {
    if let known = graph.activeFolds.foldsAnswerAsKernel { return known }
    func answers(_ selectors: [String], _ info: ClassInfo?) -> Bool {
      selectors.allSatisfy { info?.lookUp(selector($0))?.isOfKernel ?? true }
    }
    let collections = [classes.infos[Int(ClassIndex.array)], kernel.orderedCollection]
    let numbers = [
      classes.infos[Int(ClassIndex.smallInteger)], classes.infos[Int(ClassIndex.largeInteger)],
      classes.infos[Int(ClassIndex.float)], kernel.fraction,
    ]
    let answer =
      collections.allSatisfy { answers(FoldRecognition.selectors, $0) }
      && numbers.allSatisfy { answers(FoldRecognition.numberSelectors, $0) }
    graph.activeFolds.foldsAnswerAsKernel = answer
    return answer
  }

  /// Returns a block of a formula's text, as the formula would make it; nil when there is none at that range.
  fileprivate func block(at range: SourceRange, in formula: Formula) -> Value? {
    guard case .block(let block) = formula.source, block.isObject(ofClass: ClassIndex.blockClosure)
    else { return nil }
    let outer = Closure(block)
    guard
      let code = outer.code.object.code.blocks.first(where: {
        $0.range == range && $0.isTracked && $0.argumentCount == 1
      })
    else { return nil }
    let closure = state.allocateSlots(
      classIndex: ClassIndex.blockClosure, slotCount: Closure.slotCount)
    closure.initialize(slot: 0, to: code.marker)
    closure.initialize(slot: 1, to: outer.receiver)
    // The text of a formula declares nothing besides its blocks.
    closure.initialize(slot: 2, to: outer.context)
    return Value(closure)
  }

  /// Returns the array and offsets of the elements of an Array or OrderedCollection; nil for others.
  fileprivate func elements(of value: Value) -> (array: ObjectRef, offsets: Range<Int>)? {
    let object = ObjectRef(value)
    if object.classIndex == ClassIndex.array { return (object, 0..<object.elementCount) }
    guard object.classIndex == kernel.orderedCollection.index else { return nil }
    let elements = OrderedElements(value)
    guard let array = try? elements.array() else { return nil }
    let (start, end) = (elements.start, elements.end)
    guard start >= 0, start <= end, end <= array.elementCount else { return nil }
    return (array, start..<end)
  }

  /// Returns a value as a number that a table may hold.
  fileprivate func foldedNumber(_ value: Value) -> SolverNumber? {
    if let integer = value.asSmallInteger { return SolverNumber(integer) }
    if let double = double(value) { return SolverNumber(double) }
    guard value.isSmallInteger || value.isObject(ofClass: kernel.fractionIndex),
      let number = solverNumber(value), number.isExact
    else { return nil }
    return number
  }
}
