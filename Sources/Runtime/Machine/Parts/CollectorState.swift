/// What the collector is told beside the heap, and what it tells.
final class CollectorState {
  // MARK: References that keep nothing alive
  /// What weak references refer to, by their addresses.
  var weakTargets: [UInt: Value] = [:]
  /// The hooks of objects, by the objects' addresses.
  var finalizers: [UInt: [Value]] = [:]

  /// Whether what is dead is being given back: the host may begin nothing then.
  @safe @exclusivity(unchecked) var isCollecting = false

  // MARK: Counts
  var safepointCount = 0
  /// How many collections an interpreter that tests itself has begun.
  var testTurn = 0
  /// How many more times such an interpreter gets memory before it is refused once; nil for always.
  var grantsLeft: Int?

  /// Counts a safepoint or a large request; whether memory is refused there.
  func refusesNext() -> Bool {
    grantsLeft = grantsLeft.flatMap { $0 < 0 ? nil : $0 - 1 }
    return grantsLeft == -1
  }

  /// How long the collector has stopped the program, one by one, if that is recorded.
  var pauses: [CollectorPause] = []
}
