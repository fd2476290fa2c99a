/// Comparisons and hashes that are being computed, one inside the other.
struct NestedComparisons {
  /// Two objects that are being compared.
  struct Pair: Hashable {
    let left: UInt
    let right: UInt
  }

  var depth = 0
  /// What is being compared, from a depth on that most comparisons never reach.
  var pairs: Set<Pair> = []
  static let unnotedDepth = 3

  /// The collections that are being hashed.
  var hashDepth = 0
  /// The elements that have been hashed since the outermost of these.
  var hashedElements = 0

  /// How deep a hash looks, and at how many elements.
  ///
  /// A cyclic structure has no end, and one that refers to itself twice has exponentially many
  /// paths. Both limits depend only on what equal collections have in common.
  static let hashDepthLimit = 32
  static let hashedElementLimit = 4096
  /// The elements of a sequence that count.
  static let hashedPrefix = 16

  var isHashDeepEnough: Bool {
    hashDepth >= NestedComparisons.hashDepthLimit
      || hashDepth > 0 && hashedElements >= NestedComparisons.hashedElementLimit
  }
}
