/// How much of the native stack evaluations may take.
///
/// Whoever enters an interpreter comes by: no field is lent while another one is used, so that none is
/// watched for that.
final class NativeStackState {
  /// How many evaluations have been begun from outside, one inside the other.
  @safe @exclusivity(unchecked) var entryDepth = 0
  /// How many of the stack's reserves have been opened for handlers of an overflow.
  @safe @exclusivity(unchecked) var openReserves = 0
  /// What one of them takes, in bytes.
  @safe @exclusivity(unchecked) var reserveBytes = MachineLimits.reserveBytes
  /// The lowest address of the native stack while something is evaluated, else 0.
  @safe @exclusivity(unchecked) var low: UInt = 0
  /// The bytes of the native stack that freeing syntax may take.
  @safe @exclusivity(unchecked) var releaseRoom = 0

  // MARK: Swift code of the host
  /// How many calls of it are under way, one inside the other.
  @safe @exclusivity(unchecked) var hostDepth = 0
  /// What unwinds through the innermost one.
  @safe @exclusivity(unchecked) var held: HeldUnwinding?
}
