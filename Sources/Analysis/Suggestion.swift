/// The spelling that was most likely meant.
package enum Suggestion {
  /// Returns the candidate nearest to a word, if one is near enough to be worth naming: a letter of
  /// the word at least is right, so that of a single one only the case may be wrong.
  ///
  /// - Complexity: O(candidates · length²).
  package static func nearest(to word: String, in candidates: [String]) -> String? {
    let target = Array(word.utf8)
    let limit = max(1, target.count / 3)
    var best: (distance: Int, name: String)?
    for candidate in candidates where candidate != word {
      let letters = Array(candidate.utf8)
      guard abs(letters.count - target.count) <= limit, letters.count <= 64 else { continue }
      let distance =
        candidate.lowercased() == word.lowercased() ? 0 : editDistance(target, letters)
      guard distance <= min(limit, target.count - 1) else { continue }
      if let known = best, (known.distance, known.name) <= (distance, candidate) { continue }
      best = (distance, candidate)
    }
    return best?.name
  }

  /// The number of letters to insert, delete, replace or exchange with the next one.
  ///
  /// Algorithm: optimal string alignment; F. J. Damerau, "A technique for computer detection and
  /// correction of spelling errors", Communications of the ACM 7(3), 1964.
  private static func editDistance(_ left: [UInt8], _ right: [UInt8]) -> Int {
    var beforeLast: [Int] = []
    var last = Array(0...right.count)
    for (i, a) in left.enumerated() {
      var row = [i + 1]
      for (j, b) in right.enumerated() {
        var cost = min(last[j] + (a == b ? 0 : 1), last[j + 1] + 1, row[j] + 1)
        if i > 0, j > 0, a == right[j - 1], left[i - 1] == b {
          cost = min(cost, beforeLast[j - 1] + 1)
        }
        row.append(cost)
      }
      beforeLast = last
      last = row
    }
    return last[right.count]
  }
}
