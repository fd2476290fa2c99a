package import TenonStoreKit
internal import TenonText

/// What the embedding program gives a machine of the world outside: nothing is reachable that is not here.
package final class HostServices {
  /// What the program prints to and reads from.
  package var console: any Console = NullConsole()
  /// What `import` reads with, if that was granted.
  package var sourceLoader: (any SourceLoader)?
  /// What opens stores that a script asks for, by their kind.
  package var storeOpeners: [String: StoreOpener] = [:]

  /// The objects of scripts that stand for values of the host.
  let objects = HostObjects()
  /// Which thread is in the interpreter.
  let occupancy = Occupancy()
  /// What counts where time goes, while somebody wants to know.
  @safe @exclusivity(unchecked) var profiler: Profiler?
  /// What an evaluation may use up.
  let limits: EvaluationLimits
  /// Whether the interpreter goes: code of the host is called no more, as it may refer to that.
  var isClosed = false

  // MARK: Time
  private let graph: ConnectionGraph
  /// What time it is; nil when the program has no way to know.
  package var clock: (any Clock)? { didSet { graph.causes.clock = clock } }
  /// Where time zones are described; nil when the program knows but UTC.
  package var timeZoneSource: (any TimeZoneSource)?
  /// The zones that have been asked for.
  var timeZones: [String: TimeZoneRules] = [:]

  // MARK: Chance
  /// The source of bytes that nobody can foresee, if the host gives one.
  package var entropy: (() -> UInt64)?
  /// What stands for it without: the same bytes in each run.
  var fixedEntropy = FixedEntropy()
  /// The generator that `Random shared` answers, once somebody has asked for it.
  var sharedRandom: Value?

  init(graph: ConnectionGraph, state: StateRef) {
    self.graph = graph
    limits = EvaluationLimits(state: state)
  }
}

/// Words that look random, the same in each run: for hosts that grant no source of chance.
///
/// Algorithm: G. L. Steele, D. Lea, C. H. Flood, "Fast splittable pseudorandom number generators",
/// OOPSLA 2014 (SplitMix64).
struct FixedEntropy {
  private var state: UInt64 = 20260

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var word = state
    word = (word ^ word >> 30) &* 0xBF58_476D_1CE4_E5B9
    word = (word ^ word >> 27) &* 0x94D0_49BB_1331_11EB
    return word ^ word >> 31
  }
}
