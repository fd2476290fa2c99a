import TenonGrammarSupport
import TenonTables
import Testing

/// Numbers by numbers: whatever is entered and taken out, in a row or hashed, is found like in a
/// dictionary, and the memory follows the keys.
@Suite struct NumberMapTests {
  /// Which keys come and go.
  struct Kind: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let key: @Sendable (_ step: Int, inout RandomNumbers) -> Int32
  }

  static let kinds = [
    Kind(testDescription: "few") { _, random in .random(in: 0..<12, using: &random) },
    Kind(testDescription: "dense") { _, random in .random(in: 0..<3_000, using: &random) },
    Kind(testDescription: "dense, far from zero") { _, random in
      2_000_000_000 + .random(in: 0..<3_000, using: &random)
    },
    Kind(testDescription: "sparse") { _, random in
      .random(in: 0..<3_000, using: &random) * 1_000
    },
    Kind(testDescription: "any") { _, random in .random(in: 0...Int32.max, using: &random) },
    Kind(testDescription: "rising") { step, _ in Int32(step) },
    Kind(testDescription: "falling") { step, _ in Int32(100_000 - step) },
    Kind(testDescription: "sliding") { step, random in
      Int32(step) + .random(in: 0..<500, using: &random)
    },
    Kind(testDescription: "dense with a far one now and then") { step, random in
      step % 50 == 0
        ? .random(in: 0...Int32.max, using: &random)
        : .random(in: 5_000..<7_000, using: &random)
    },
    Kind(testDescription: "to and fro between dense and sparse") { step, random in
      .random(in: 0..<2_000, using: &random) * (step / 10_000 % 2 == 0 ? 1 : 10_007)
    },
  ]

  @Test(arguments: kinds) func isLikeADictionary(_ kind: Kind) {
    var random = RandomNumbers(seed: 41)
    let map = NumberMap()
    var model: [Int32: Int32] = [:]
    var known: [Int32] = []
    var failures = 0
    for step in 0..<60_000 {
      // Times in which more come, and times in which more go.
      let removes = Int.random(in: 0..<10, using: &random) < (step / 6_000 % 2 == 0 ? 3 : 8)
      if removes, !known.isEmpty, step % 4 != 0 {
        let index = Int.random(in: 0..<known.count, using: &random)
        known.swapAt(index, known.count - 1)
        let key = known.removeLast()
        model[key] = nil
        map.remove(key)
      } else {
        let key = kind.key(step, &random)
        if removes {
          model[key] = nil
          map.remove(key)
          known.removeAll { $0 == key }
        } else {
          if model[key] == nil { known.append(key) }
          model[key] = Int32(step)
          map.set(key, to: Int32(step))
        }
      }
      if map.count != model.count { failures += 1 }
      let probe = kind.key(step + 1, &random)
      if map[probe] != model[probe] ?? -1 { failures += 1 }
      if step % 5_000 == 0 {
        for (key, value) in model where map[key] != value { failures += 1 }
        if map.allKeys.sorted() != model.keys.sorted() { failures += 1 }
      }
    }
    for (key, value) in model where map[key] != value { failures += 1 }
    if map.allKeys.sorted() != model.keys.sorted() { failures += 1 }
    #expect(failures == 0)
    for key in known { map.remove(key) }
    #expect(map.count == 0 && map.allKeys == [])
    #expect(map[-1] == -1)
    #expect(map.byteCount <= 4_096)
  }

  @Test func takesWhatItNeeds() {
    let map = NumberMap()
    #expect(map.byteCount == 0)
    map.set(1_000_000, to: 1)
    #expect(map.byteCount <= 24)
    for key in Int32(1_000_000)..<1_100_000 { map.set(key, to: 7) }
    #expect(map.byteCount <= 450_000)
    for key in Int32(900_000)..<1_000_000 { map.set(1_899_999 - key, to: 8) }
    #expect(map.byteCount <= 900_000)
    #expect(map[1_000_000] == 7 && map[999_999] == 8 && map[900_000] == 8)
    #expect(map[899_999] == -1 && map[1_100_000] == -1)
  }

  @Test func hashesWhatLiesFarApart() {
    let map = NumberMap()
    for key in Int32(0)..<10_000 { map.set(key * 1_000, to: key) }
    #expect(map.byteCount <= 10_000 * 32)
    for key in Int32(0)..<9_990 { map.remove(key * 1_000) }
    #expect(map.count == 10 && map.byteCount <= 512)
    #expect(map[9_990_000] == 9_990 && map[0] == -1)
  }

  /// A key that is far from the others and comes and goes does not have them all moved each time:
  /// the memory, which says how they are kept, seldom changes.
  @Test func staysAsItIs() {
    let map = NumberMap()
    for key in Int32(0)..<10_000 { map.set(key, to: key) }
    var changes = 0
    for step in Int32(0)..<3_000 {
      let before = map.byteCount
      map.set(1_000_000_000, to: 1)
      map.remove(1_000_000_000)
      map.set(10_000 + step, to: step)
      if map.byteCount != before { changes += 1 }
    }
    #expect(changes <= 3)
  }

  @Test func holdsTheGreatestKeys() {
    let map = NumberMap()
    for key in (Int32.max - 100)...Int32.max { map.set(key, to: 1) }
    map.set(0, to: 2)
    #expect(map.count == 102)
    #expect(map[.max] == 1 && map[0] == 2 && map[1] == -1 && map[-1] == -1 && map[.min] == -1)
  }
}
