/// What an evaluation may use up.
public enum EvaluationLimit: Sendable, Equatable {
  /// Steps: sends, turns of loops, and pieces of the work of methods in Swift.
  case steps
  /// Time.
  case time
}

/// Counts what an evaluation uses up, while there is a limit.
///
/// Every send and every turn of a loop compares the native stack with a word, to see whether a safepoint
/// is due. While there is a limit one is always due: the count costs nothing when there is none. With one
/// each step takes the slow path, where most are counted in a word of the state that goes down; only when
/// that is used up are the limits looked at.
final class EvaluationLimits {
  private let state: StateRef
  /// The most steps of an evaluation; nil for any number.
  @safe @exclusivity(unchecked) var steps: Int?
  /// The most nanoseconds of an evaluation; nil for any time.
  @safe @exclusivity(unchecked) var nanoseconds: UInt64?
  /// How many activations there may be, one within the other; nil for any number.
  @safe @exclusivity(unchecked) var depth: Int?
  /// Whether steps are counted at this moment.
  @safe @exclusivity(unchecked) private(set) var isActive = false
  /// What the last evaluation has exceeded.
  var exceeded: EvaluationLimit?

  @safe @exclusivity(unchecked) fileprivate var stepsLeft = 0
  @safe @exclusivity(unchecked) fileprivate var deadline = UInt64.max
  /// Steps until the clock is looked at.
  @safe @exclusivity(unchecked) fileprivate var untilClock = 0
  /// What the state's word began with when these were last brought up to date.
  @safe @exclusivity(unchecked) private var granted = 0

  /// How many steps clean-up blocks may take after a limit was exceeded, all together.
  fileprivate static let cleanUpSteps = 10_000
  /// Reading the clock takes as long as some tens of steps.
  fileprivate static let stepsPerClock = 256

  init(state: StateRef) { self.state = state }

  var isSet: Bool { steps != nil || nanoseconds != nil || depth != nil }

  /// Begins to count for an evaluation.
  func begin() {
    exceeded = nil
    isActive = true
    state.beginCounting(depth: depth)
    granted = 0
    stepsLeft = steps ?? .max
    untilClock = 0
    deadline = .max
  }

  /// Ends it.
  func end() {
    guard isActive else { return }
    isActive = false
    state.endCounting()
  }

  /// Takes off what has been counted in the state's word, and some steps more.
  fileprivate func take(_ more: Int) {
    let used = granted - state.countdown + more
    granted = 0
    state.countdown = 0
    stepsLeft -= used
    untilClock -= used
  }

  /// Lets so many steps be counted in the state's word as leave nothing to be looked at.
  fileprivate func grant() {
    granted = max(0, nanoseconds == nil ? stepsLeft : min(stepsLeft, untilClock))
    state.countdown = granted
  }

  /// Counts work on many bytes at once: a step for each 4 KiB, which the next step finds to be done.
  @inline(__always)
  func charge(bytes: Int) {
    guard bytes >= 4096, isActive else { return }
    take(bytes >> 12)
  }

  fileprivate func allowCleanUp() {
    stepsLeft = EvaluationLimits.cleanUpSteps
    deadline = .max
  }
}

extension Machine {
  /// Counts a step, and begins to stop the program when it was the last.
  ///
  /// Clean-up blocks have some steps more; no handler sees anything.
  func countStep() {
    let limits = host.limits
    limits.take(1)
    defer { limits.grant() }
    if limits.stepsLeft < 0 { return exceed(.steps) }
    guard let nanoseconds = limits.nanoseconds, limits.untilClock < 0 else { return }
    limits.untilClock = EvaluationLimits.stepsPerClock
    let now = monotonicTime()
    // The time begins with the first step.
    if limits.deadline == .max, limits.exceeded == nil { limits.deadline = now &+ nanoseconds }
    if now >= limits.deadline { exceed(.time) }
  }

  /// Nanoseconds that are left of the time of an evaluation, 0 when it is over; nil without a limit.
  var nanosecondsOfLimit: Int? {
    let limits = host.limits
    guard limits.isActive, limits.exceeded == nil, let nanoseconds = limits.nanoseconds else {
      return nil
    }
    let now = monotonicTime()
    if limits.deadline == .max { limits.deadline = now &+ nanoseconds }
    return limits.deadline > now ? Int(clamping: limits.deadline - now) : 0
  }

  /// Begins to stop a program that has waited until its time was over.
  func noticeTimeLimit() {
    if nanosecondsOfLimit == 0 { exceed(.time) }
  }

  private func exceed(_ limit: EvaluationLimit) {
    let limits = host.limits
    // Steps that are counted by themselves do not look.
    state.requestSafepoint()
    guard limits.exceeded == nil else {
      interruption = .abandoning
      return
    }
    limits.exceeded = limit
    interruption = .cleaningUp(until: .max)
    limits.allowCleanUp()
  }

  /// Sets what an evaluation may use up; nil for no limit.
  package func setLimits(steps: Int?, nanoseconds: UInt64?, depth: Int? = nil) {
    host.limits.depth = depth
    host.limits.exceeded = nil
    host.limits.steps = steps
    host.limits.nanoseconds = nanoseconds
  }

  /// The limit that the last evaluation has exceeded, if it ended so.
  package var exceededLimit: EvaluationLimit? { host.limits.exceeded }
}
