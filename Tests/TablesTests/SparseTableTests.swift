import TenonGrammarSupport
import TenonTables
import Testing

/// What few records have: it is found like in a dictionary, and let go of when it is taken out.
@Suite struct SparseTableTests {
  /// Counts how many of its kind there are.
  final class Element {
    final class Counter {
      var count = 0
    }

    let number: Int
    let counter: Counter
    var atEnd: (() -> Void)?

    init(_ number: Int, _ counter: Counter) {
      self.number = number
      self.counter = counter
      counter.count += 1
    }

    deinit {
      counter.count -= 1
      atEnd?()
    }
  }

  @Test(arguments: [50, 3_000, Int32.max]) func isLikeADictionary(_ limit: Int32) {
    var random = RandomNumbers(seed: 43)
    let counter = Element.Counter()
    let table = SparseTable<Element>()
    var model: [Int32: Int] = [:]
    var wrong = 0
    for step in 0..<20_000 {
      let number = Int32.random(in: 0..<limit, using: &random)
      if Bool.random(using: &random) {
        table[number] = Element(step, counter)
        model[number] = step
      } else {
        table[number] = nil
        model[number] = nil
      }
      if table[number]?.number != model[number] { wrong += 1 }
      if step % 3_000 == 0 {
        for (key, value) in model where table[key]?.number != value { wrong += 1 }
      }
    }
    #expect(wrong == 0)
    #expect(table.count == model.count)
    #expect(counter.count == model.count)
    for key in model.keys { table[key] = nil }
    #expect(counter.count == 0)
  }

  @Test func letsGoOfEverythingAtTheEnd() {
    let counter = Element.Counter()
    do {
      let table = SparseTable<Element>()
      for number in 0..<1_000 { table[Int32(number) * 7] = Element(number, counter) }
      #expect(counter.count == 1_000)
      #expect(table.contains(7) && !table.contains(8))
    }
    #expect(counter.count == 0)
  }

  @Test func anElementMayComeBackAsItIsLetGoOf() {
    let counter = Element.Counter()
    let shared = Shared()
    let first = Element(1, counter)
    first.atEnd = { [unowned shared] in shared.table[9] = Element(2, counter) }
    shared.table[3] = first
    _ = consume first
    shared.table[3] = nil
    #expect(shared.table[3] == nil)
    #expect(shared.table[9]?.number == 2)
  }

  final class Shared {
    let table = SparseTable<Element>()
  }
}
