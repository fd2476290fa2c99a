import TenonGrammarSupport
import TenonTables
import Testing

@testable import TenonRuntime

/// What formulas have read besides their texts.
@Suite struct RecordedReadsTests {
  private static func place(_ number: Int) -> Place {
    Place(kind: number % 3 == 0 ? .element : .slot, object: .nil, index: number, key: .nil)
  }

  /// Rows come, grow, shrink and go as in a dictionary, and none takes what belongs to another.
  @Test func isLikeADictionary() {
    let reads = RecordedReads()
    var expected: [Int32: [Place]] = [:]
    var random = RandomNumbers(seed: testSeed)
    for step in 0..<5_000 {
      let number = Int32.random(in: 0..<20, using: &random)
      let isEmpty = Int.random(in: 0..<5, using: &random) == 0
      let count = isEmpty ? 0 : Int.random(in: 0..<70, using: &random)
      let places = (0..<count).map { RecordedReadsTests.place(step + $0) }
      if count == 0, step.isMultiple(of: 2) {
        reads.remove(number)
      } else {
        reads[number] = places
      }
      expected[number] = places
      for (number, places) in expected {
        guard reads[number] == places else {
          Issue.record("step \(step), \(number), TENON_TEST_SEED=\(testSeed)")
          return
        }
      }
    }
  }

  @Test func areTheSameInTheSameOrderOnly() {
    let reads = RecordedReads()
    let places = (0..<5).map { RecordedReadsTests.place($0) }
    reads[7] = places
    func areSame(_ read: [Place]) -> Bool {
      let table = FlatTable<Place>()
      for place in read { table.append(place) }
      return reads.areSame(table, of: 7)
    }
    #expect(areSame(places))
    #expect(!areSame(places.reversed()))
    #expect(!areSame(Array(places.dropLast())))
    #expect(!areSame(places + [RecordedReadsTests.place(9)]))
    #expect(!areSame([]))
    reads.remove(7)
    #expect(!areSame(places) && !areSame([]))
  }
}
