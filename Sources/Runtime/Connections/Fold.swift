internal import TenonTables

// Formulas over all elements of a collection that are brought up to date from the element that has
// changed.
//
// The block of the formula always can say the value, and says it first. If the collection is an
// Array or OrderedCollection of the kernel that holds only integers and fractions, which add up the
// same in any order, one more pass takes them into a table; from then on a change of an element
// changes the table, and the formula reads the result there. What the table cannot take up ends it:
// the block runs again, and after it the pass.

/// The elements of a formula's collection, and what they come to.
final class Fold {
  let kind: FoldRecognition.Kind
  /// The positions that take part; nil for all.
  let range: ClosedRange<Int>?
  /// The place of the collection.
  let place: CellID
  /// The collection that the table is of; nil while there is no table.
  fileprivate(set) var collection: Value?
  fileprivate var count = 0
  /// The sum.
  fileprivate var sum = SolverNumber.zero
  /// The elements.
  ///
  /// For an extreme they stand behind as many numbers, each the extreme of the two
  /// numbers at twice its index and after it: a tournament whose winner is at 1.
  fileprivate let numbers = FlatTable<SolverNumber>()

  init(_ recognition: FoldRecognition, of place: CellID) {
    kind = recognition.kind
    range = recognition.range
    self.place = place
  }

  private var base: Int { kind.isExtreme ? count : 0 }

  /// The bytes of the table.
  fileprivate var size: Int { numbers.count * MemoryLayout<SolverNumber>.stride }

  /// Takes a number into the table in place of the one at an offset.
  ///
  /// - Returns: false when the sum is none that the table can hold.
  /// - Complexity: O(1) for sums, O(log n) for extremes.
  fileprivate func set(_ number: SolverNumber, at offset: Int) -> Bool {
    var index = base + offset
    let old = numbers[index]
    numbers[index] = number
    guard kind.isExtreme else {
      sum = sum - old + number
      return sum.isExact
    }
    while index > 1 {
      index /= 2
      let new = better(numbers[2 * index], numbers[2 * index + 1])
      if new == numbers[index] { break }
      numbers[index] = new
    }
    return true
  }

  /// Makes the table of the elements, which stand there without results.
  fileprivate func complete() -> Bool {
    guard kind.isExtreme else {
      sum = .zero
      for index in 0..<count { sum = sum + numbers[index] }
      return sum.isExact
    }
    for index in stride(from: count - 1, to: 0, by: -1) {
      numbers[index] = better(numbers[2 * index], numbers[2 * index + 1])
    }
    return true
  }

  private func better(_ left: SolverNumber, _ right: SolverNumber) -> SolverNumber {
    (kind == .max) == (left < right) ? right : left
  }

  /// The result; nil where the formula fails or is no exact number.
  fileprivate var result: SolverNumber? {
    switch kind {
    case .sum: return sum
    case .average:
      guard count > 0 else { return nil }
      let average = sum / SolverNumber(count)
      return average.isExact ? average : nil
    case .max, .min: return count > 0 ? numbers[1] : nil
    }
  }
}

extension FoldRecognition.Kind {
  fileprivate var isExtreme: Bool { self == .max || self == .min }
}

extension ConnectionGraph {
  /// Learns of a formula over all elements of a collection.
  func recognizeFold(_ formula: Formula) {
    guard let text = formula.text, formula.staticInputs.count == 1,
      hot[formula.staticInputs[0].rawValue].kind == .slot,
      let recognition = FoldRecognition(text)
    else { return }
    formula.fold = Fold(recognition, of: formula.staticInputs[0])
  }

  /// The value of a formula that has a table; nil when its block has to say it.
  @inline(never)
  func foldedValue(_ number: Int32) -> Value? {
    guard let formula = formulas[Int(number)], let fold = formula.fold else { return nil }
    guard let collection = fold.collection, heldCollection(of: fold) == collection,
      let result = fold.result
    else {
      endFold(of: formula)
      return nil
    }
    return machine.value(of: result)
  }

  private func heldCollection(of fold: Fold) -> Value {
    let cell = hot[fold.place.rawValue]
    return ObjectRef(cell.object)[slot: cell.index]
  }

  /// Takes the elements of a formula's collection into a table, after its block has run.
  ///
  /// - Complexity: O(elements).
  func beginFold(of formula: Formula) {
    guard let fold = formula.fold else { return }
    endFold(of: formula)
    let value = heldCollection(of: fold)
    // Only what the formula hears of is known to change.
    guard value.isObject, let whole = cellsByPlace[.whole(ObjectRef(value))],
      formula.dynamicInputs.contains(whole), machine.answersAsKernel(value, fold.kind)
    else { return }
    guard let (array, all) = machine.elements(of: value) else { return }
    var offsets = all
    if let range = fold.range {
      guard range.upperBound <= all.count else { return }
      offsets = all.lowerBound + range.lowerBound - 1..<all.lowerBound + range.upperBound
    }
    // A sum that no table can hold is not tried element by element.
    for index in 0..<offsets.count {
      foldReads += 1
      guard let number = machine.foldedNumber(array[element: offsets.lowerBound + index]) else {
        fold.numbers.removeAll()
        return
      }
      if index == 0, fold.kind.isExtreme { fold.numbers.extend(to: offsets.count, with: .zero) }
      fold.numbers.append(number)
    }
    fold.count = offsets.count
    guard fold.complete() else {
      fold.numbers.removeAll()
      return
    }
    fold.collection = value
    foldCount += 1
    machine.heap.countOutside(fold.size)
    hotFormulas[formula.id.rawValue].kind = .fold
  }

  /// Has the block of a formula say its value.
  func endFold(of formula: Formula) {
    guard let fold = formula.fold, fold.collection != nil else { return }
    machine.heap.countOutside(-fold.size)
    fold.collection = nil
    fold.numbers.removeAll()
    foldCount -= 1
    hotFormulas[formula.id.rawValue].kind = .block
  }

  /// Has the blocks of all formulas say their values.
  ///
  /// - Complexity: O(formulas).
  func endFolds() {
    guard foldCount > 0 else { return }
    for case let formula? in formulas { endFold(of: formula) }
  }

  /// Takes up that an element of a collection has changed, or nobody knows what.
  ///
  /// - Complexity: O(formulas that read all of it), each O(log n) at most.
  @inline(never)
  func noteFolds(of object: ObjectRef, at key: Value?) {
    guard let whole = cellsByPlace[.whole(object)] else { return }
    for reader in cells[whole.index].readers {
      guard let fold = reader.fold, fold.collection == Value(object) else { continue }
      guard let index = key?.asSmallInteger, let (array, all) = machine.elements(of: Value(object)),
        index >= 1, index <= all.count
      else {
        endFold(of: reader)
        continue
      }
      let first = fold.range?.lowerBound ?? 1
      guard index >= first, index <= fold.range?.upperBound ?? all.count else { continue }
      foldReads += 1
      guard index - first < fold.count,
        let number = machine.foldedNumber(array[element: all.lowerBound + index - 1]),
        fold.set(number, at: index - first)
      else {
        endFold(of: reader)
        continue
      }
    }
  }
}

extension Machine {
  /// Whether a collection answers a message with the kernel's own methods.
  fileprivate func answersAsKernel(_ value: Value, _ kind: FoldRecognition.Kind) -> Bool {
    let info = classInfo(of: value)
    return kind.selectors.allSatisfy { info.lookUp(selector($0))?.isOfKernel ?? false }
  }

  /// Where the elements of an Array or OrderedCollection stand; nil for others.
  fileprivate func elements(of value: Value) -> (array: ObjectRef, offsets: Range<Int>)? {
    let object = ObjectRef(value)
    if object.classIndex == ClassIndex.array { return (object, 0..<object.elementCount) }
    guard object.classIndex == orderedCollectionClass.index else { return nil }
    let elements = OrderedElements(value)
    guard let array = try? elements.array() else { return nil }
    let (start, end) = (elements.start, elements.end)
    guard start >= 0, start <= end, end <= array.elementCount else { return nil }
    return (array, start..<end)
  }

  /// A number that adds up the same in any order.
  fileprivate func foldedNumber(_ value: Value) -> SolverNumber? {
    guard value.isSmallInteger || value.isObject(ofClass: fractionClass.index),
      let number = solverNumber(value), number.isExact
    else { return nil }
    return number
  }
}
