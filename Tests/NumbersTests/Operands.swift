import Foundation
import TenonGrammarSupport

@testable import TenonNumerics

/// The seed of all random operands: `TENON_TEST_SEED`, or always the same.
let testSeed: UInt64 = {
  let seed = ProcessInfo.processInfo.environment["TENON_TEST_SEED"].flatMap { UInt64($0) } ?? 20_260
  print("seed of the random operands: TENON_TEST_SEED=\(seed)")
  return seed
}()

enum TestOperand {
  /// Creates the number that `[-]kind:bits:seed` describes.
  static func parse(_ text: Substring) -> LargeInteger {
    let isNegative = text.hasPrefix("-")
    let parts = text.drop { $0 == "-" }.split(separator: ":")
    let bits = Int(parts[1]) ?? 0
    guard bits > 0 else { return .zero }
    var generator = RandomNumbers(seed: UInt64(parts[2]) ?? 0)
    let magnitude: LargeInteger =
      switch parts[0] {
      case "o": LargeInteger.one.shiftedLeft(by: bits) - 1
      case "p": LargeInteger.one.shiftedLeft(by: bits)
      case "q": LargeInteger.one.shiftedLeft(by: bits) + 1
      default: random(bits: bits, hasRuns: parts[0] == "z", &generator)
      }
    return isNegative ? -magnitude : magnitude
  }

  /// Returns a number of exactly some bits, of random limbs, or of limbs that are mostly at a
  /// border: zero, all ones, one, the highest bit.
  static func random(
    bits: Int, hasRuns: Bool, _ generator: inout RandomNumbers
  ) -> LargeInteger {
    guard bits > 0 else { return .zero }
    var limbs = (0..<(bits + 63) / 64).map { _ in
      let limb = generator.next()
      return hasRuns ? [0, UInt64.max, 1, 1 << 63, limb][Int(limb % 5)] : limb
    }
    let top = UInt64((bits - 1) % 64)
    limbs[limbs.count - 1] &= UInt64.max >> (63 - top)
    limbs[limbs.count - 1] |= 1 << top
    return LargeInteger(limbs: limbs)
  }

  /// Returns a number of either sign and up to some bits; small ones are as likely as large ones.
  static func random(upTo bits: Int, _ generator: inout RandomNumbers) -> LargeInteger {
    let limit = max(1, bits >> Int.random(in: 0...10, using: &generator))
    let number = random(
      bits: Int.random(in: 0...limit, using: &generator), hasRuns: Bool.random(using: &generator),
      &generator)
    return Bool.random(using: &generator) ? number : -number
  }

  /// All powers of two up to 2^128, those next to them, and their negatives.
  static let borders: [LargeInteger] = (0...128).flatMap { k in
    (-1...1).flatMap { offset in
      let number = LargeInteger.one.shiftedLeft(by: k) + offset
      return [number, -number]
    }
  }
}

/// Returns the hash of some numbers that `make_fixtures.py` stores in the place of results.
func fixtureHash(_ items: some Sequence<UInt64>) -> UInt64 {
  var hash: UInt64 = 0xCBF2_9CE4_8422_2325
  for item in items {
    hash = (hash ^ item) &* 0x100_0000_01B3
    hash ^= hash >> 32
  }
  return hash
}

/// Returns the lines of a file that `make_fixtures.py` has written, cut at blanks.
func fixture(_ name: String) throws -> [[Substring]] {
  let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
  let file = folder.appendingPathComponent("Fixtures/\(name).txt")
  return try String(contentsOf: file, encoding: .utf8)
    .split(separator: "\n").map { $0.split(separator: " ") }
}
