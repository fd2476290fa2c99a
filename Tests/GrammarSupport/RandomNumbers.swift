/// A generator that gives the same numbers for the same seed.
///
/// Algorithm: S. Vigna, "SplitMix64", 2015.
package struct RandomNumbers: RandomNumberGenerator {
  private var state: UInt64

  package init(seed: UInt64) {
    state = seed
  }

  package mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }

  /// Returns an element; the fallback when there is none.
  package mutating func pick<Element>(_ elements: [Element], _ fallback: Element) -> Element {
    elements.randomElement(using: &self) ?? fallback
  }

  /// Returns whether something of this probability happens.
  package mutating func happens(_ probability: Double) -> Bool {
    Double.random(in: 0..<1, using: &self) < probability
  }
}
