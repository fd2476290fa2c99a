import TenonGrammarSupport
import TenonTables
import Testing

/// Tables of plain records: what was entered is there, also after they have grown or given memory
/// back, and there is little more memory than records.
@Suite struct FlatTableTests {
  /// A record whose size divides no page.
  struct Record: BitwiseCopyable, Equatable {
    var number: Int
    var half: Int32
  }

  @Test func takesNothingWhileItIsEmpty() {
    let table = FlatTable<Record>()
    #expect(table.count == 0 && table.capacity == 0)
    table.removeAll()
    table.removeFirst(0)
    #expect(table.count == 0 && table.capacity == 0)
    table.append(Record(number: 1, half: 2))
    #expect(table[0] == Record(number: 1, half: 2))
  }

  @Test func growsInSmallSteps() {
    let table = FlatTable<Record>()
    var moves = 0
    for number in 0..<1_000_000 {
      let before = table.capacity
      table.append(Record(number: number, half: Int32(number)))
      if table.capacity != before { moves += 1 }
      if table.count == 10_000 {
        #expect(table.capacity <= 11_300)
      }
    }
    #expect(table.capacity <= 1_130_000)
    #expect(moves < 100)
    var wrong = 0
    for number in 0..<1_000_000 where table[number].number != number { wrong += 1 }
    #expect(wrong == 0)
  }

  /// Records whose size is a power of two do not lie across two cache lines, also where the
  /// allocator has moved the memory.
  @Test func beginsWithACacheLine() {
    let tables = (0..<4).map { _ in Box() }
    for number in 0..<40_000 {
      for box in tables {
        box.table.append(Int64(number))
        if box.table.capacity >= 512 {
          let address = unsafe UInt(bitPattern: box.table.address(of: Int32(0)))
          if address % 64 != 0 { box.misplaced += 1 }
        }
      }
    }
    #expect(tables.allSatisfy { $0.misplaced == 0 })
    for box in tables {
      var wrong = 0
      for number in 0..<40_000 where box.table[number] != Int64(number) { wrong += 1 }
      #expect(wrong == 0)
    }
  }

  final class Box {
    let table = FlatTable<Int64>()
    var misplaced = 0
  }

  @Test func isLikeAnArray() {
    var random = RandomNumbers(seed: 7)
    let table = FlatTable<Int32>()
    let other = FlatTable<Int32>()
    var (model, otherModel): ([Int32], [Int32]) = ([], [])
    for step in Int32(0)..<4_000 {
      switch Int.random(in: 0..<40, using: &random) {
      case 0:
        table.removeAll()
        model = []
      case 1..<4:
        let count = Int.random(in: 0...(model.count + 1), using: &random)
        table.removeFirst(count)
        model.removeFirst(min(count, model.count))
      case 4..<8:
        table.exchange(with: other)
        swap(&model, &otherModel)
      case 8..<14:
        let count = model.count + Int.random(in: 0..<2_000, using: &random)
        table.extend(to: count, with: step)
        model += Array(repeating: step, count: count - model.count)
      case 14..<18:
        let count = Int.random(in: 0..<50, using: &random)
        let added = unsafe table.reserveMore(count)
        for index in 0..<count { unsafe added[index] = step }
        table.extendReserved(by: count)
        model += Array(repeating: step, count: count)
      default:
        table.append(step)
        model.append(step)
      }
      #expect(table.count == model.count)
      if step % 100 == 0 {
        #expect((0..<table.count).map { table[$0] } == model)
        #expect((0..<other.count).map { other[$0] } == otherModel)
      }
    }
  }
}
