/// How much of the native stack evaluations may take.
final class NativeStackState {
  /// How many evaluations have been begun from outside, one inside the other.
  var entryDepth = 0
  /// How many of the stack's reserves have been opened for handlers of an overflow.
  var openReserves = 0
  /// What one of them takes, in bytes.
  var reserveBytes = MachineLimits.reserveBytes
  /// The lowest address of the native stack while something is evaluated, else 0.
  var low: UInt = 0
  /// The bytes of the native stack that freeing syntax may take.
  var releaseRoom = 0

  // MARK: Swift code of the host
  /// How many calls of it are under way, one inside the other.
  var hostDepth = 0
  /// What unwinds through the innermost one.
  var held: HeldUnwinding?
}
