internal import TenonRuntime

/// How long the collector has stopped a program, in numbers that can be read.
struct PauseHistogram: CustomStringConvertible {
  /// The pauses in microseconds, the shortest first.
  private let sorted: [Int]
  private let slices: Int

  init(_ pauses: [CollectorPause]) {
    sorted = pauses.map { Int($0.duration / .microseconds(1)) }.sorted()
    slices = pauses.count(where: \.isSlice)
  }

  /// The least pause that so many percent of all do not exceed.
  private func percentile(_ percent: Int) -> Int {
    let rank = (sorted.count * percent + 99) / 100
    return sorted[max(rank, 1) - 1]
  }

  var description: String {
    guard let longest = sorted.last else { return "tenon: no pauses of the collector" }
    let total = sorted.reduce(0, +)
    var lines = [
      "tenon: \(sorted.count) pauses of the collector, \(slices) of them slices; "
        + "\(milliseconds(total)) in all",
      [50, 90, 99].map { "p\($0) \(milliseconds(percentile($0)))" }.joined(separator: ", ")
        + ", longest \(milliseconds(longest))",
    ]
    var bound = 125
    var rest = sorted[...]
    while !rest.isEmpty {
      let count = rest.prefix { $0 <= bound }.count
      lines.append("  up to \(milliseconds(bound)): \(count)")
      rest = rest.dropFirst(count)
      bound *= 2
    }
    return lines.joined(separator: "\n")
  }

  /// Microseconds as milliseconds with three decimals.
  private func milliseconds(_ microseconds: Int) -> String {
    let digits = String(1000 + microseconds % 1000).dropFirst()
    return "\(microseconds / 1000).\(digits) ms"
  }
}
