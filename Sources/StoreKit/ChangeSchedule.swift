/// When queued changes are delivered, and in which detail.
public struct ChangeQueueOptions: Sendable {
  /// How delivery is held back so that whoever is told keeps up.
  public struct Throttle: Sendable {
    /// How long delivery is held after a handler, as a multiple of the time it took.
    public var windowFactor = 1.5
    /// The shortest and the longest hold, in nanoseconds.
    public var window = 16_000_000...250_000_000
    /// In how much time the handler should be done with a batch, in nanoseconds.
    public var batchTime = 250_000_000
    /// The fewest and the most references of a batch.
    public var budget = 4...32

    /// Creates the throttle for a user interface: after Weiher and Hirschfeld, "Constraints as
    /// Polymorphic Connectors" (2016), section 5.4, with a window that follows the handler.
    public init() {}

    /// Creates a throttle with a fixed window and a fixed budget.
    ///
    /// - Parameters:
    ///   - window: In nanoseconds, at least 1.
    ///   - budget: How many references a batch has at most, at least 1.
    public init(window: Int, budget: Int) {
      self.window = max(1, window)...max(1, window)
      self.budget = max(1, budget)...max(1, budget)
    }
  }

  /// What becomes of a change that a handler could not take up.
  public enum Retry: Sendable {
    /// It is reported and dropped.
    case none
    /// It is delivered again, after a time that doubles with each attempt.
    ///
    /// - Parameters:
    ///   - first: Nanoseconds before the second attempt.
    ///   - limit: The longest time between two attempts.
    ///   - jitter: Whether a random part of the time is taken, so that many do not come at once.
    case backoff(first: Int, limit: Int, jitter: Bool)

    /// For a disk: from 1 s to 30 s.
    public static var disk: Retry {
      .backoff(first: 1_000_000_000, limit: 30_000_000_000, jitter: false)
    }
    /// For a network: up to 0.5 s at first, up to 60 s in the end.
    public static var network: Retry {
      .backoff(first: 500_000_000, limit: 60_000_000_000, jitter: true)
    }
  }

  /// How many components references lose when they come in: changes below one place are one.
  public var drop = 0
  /// How many components the throttle may take away in addition.
  public var maxDepth = Int.max
  /// How many components always stay: those of the watched root.
  public var leastComponents = 0
  /// How delivery is held back; nil delivers whatever waits at the next opportunity.
  public var throttle: Throttle?
  /// What becomes of changes that could not be taken up.
  public var retry = Retry.none
  /// How many deliveries may be under way at a time.
  public var width = 1
  /// The most references of one delivery; nil for all that wait.
  public var batchLimit: Int?
  /// Changes of this origin are left out: a connector does not hear its own echo.
  public var ignoredOrigin: ChangeOrigin?
  /// Where the random part of waiting times comes from.
  public var seed: UInt64 = 0

  /// Creates the options of a queue that delivers in full detail at the next opportunity.
  public init() {}
}

/// Changes that wait: a set of identifiers in the order in which they came.
///
/// It neither calls anybody nor knows the time: whoever owns it says what has happened and when.
///
/// An identifier waits once, however often it changes; it leaves before it is delivered, so that what
/// changes meanwhile waits again. What covers everything below a place absorbs what waits there.
///
/// Algorithm: the throttle is section 5.4 of "Constraints as Polymorphic Connectors": the first
/// change is delivered at once, further ones are held for a while, and identifiers lose components
/// until they are few enough. How long is 1.5 times what the handler took, and how many is what it
/// can do in a quarter of a second, both within bounds. In departure from the paper an identifier
/// that waits alone at what it was shortened to is delivered as it came.
package struct ChangeSchedule<Identifier: PathIdentifier> {
  /// Something that waits.
  package struct Entry {
    /// What it is told as.
    package var identifier: Identifier
    package var steps: [PathStep]
    /// Whether it covers what is below.
    package var coversBelow: Bool
    /// Its place in the order.
    package var number: Int
    /// What it came as, as long as that is one identifier; nil when components are always left out.
    var original: Identifier?
    /// Whether what it came as covers what is below.
    var originalCovers: Bool
    /// How many changes it stands for.
    package var count: Int
    /// What was done last.
    var lastVerb: Change.Verb
    /// Who made the changes; nil when several have, or nobody said.
    package var origin: ChangeOrigin?
    /// The greatest sequence number of its changes.
    package var sequence: UInt64
    /// How often it was delivered in vain.
    package var attempts = 0
    /// When it may be delivered again.
    var notBefore = Int.min

    /// What is told: what came, or what stands for several.
    package var told: Identifier { original ?? identifier }
    /// Whether everything below is meant by what is told.
    var toldCovers: Bool { original == nil ? coversBelow : originalCovers }
    /// What is told to have been done.
    package var verb: Change.Verb { toldCovers ? .invalidate : lastVerb }
  }

  /// What is to be done next.
  package enum Step {
    /// Deliver, then call `finish`.
    case deliver(Delivery)
    /// Ask again at this time.
    case wait(until: Int)
    /// Ask again when something has come in.
    case idle
  }

  /// Entries that are under way.
  package struct Delivery {
    package let number: Int
    package let entries: [Entry]
    let start: Int
  }

  package let options: ChangeQueueOptions
  private var tree = ReferenceTree<Entry>()
  private var nodes: [Int: ReferenceTree<Entry>.Node] = [:]
  private var underWay: [Int: Delivery] = [:]
  private var nextNumber = 0
  /// How many components are taken away at present, besides `options.drop`.
  package private(set) var depth = 0
  /// How many references a batch may have at present.
  package private(set) var budget: Int
  /// How many changes have come in since the last delivery began.
  private var posts = 0
  /// Nanoseconds for one reference, a moving average; nil before the first delivery.
  private var cost: Int?
  /// Until when delivery is held.
  package private(set) var holdEnd = Int.min
  /// How long delivery was held last.
  private var window: Int
  /// Until when nothing is tried because all of a delivery has failed.
  private var retryTime = Int.min
  private var failures = 0
  private var random: UInt64

  package init(_ options: ChangeQueueOptions) {
    self.options = options
    budget = options.throttle?.budget.upperBound ?? .max
    window = options.throttle?.window.lowerBound ?? 0
    random = options.seed
  }

  /// How many entries wait.
  package var count: Int { nodes.count }
  package var isEmpty: Bool { nodes.isEmpty }
  var isDelivering: Bool { !underWay.isEmpty }
  /// Whether some of what waits is left for later because it was tried in vain; the rest is not.
  private(set) var hasDelayed = false
  /// The number of the next entry: those that wait have lower ones.
  package var mark: Int { nextNumber }

  /// What waits, in its order.
  package var waiting: [Entry] { nodes.keys.sorted().compactMap { nodes[$0]?.element } }

  /// Whether delivery is held at a time.
  func isHolding(at now: Int) -> Bool { now < holdEnd }

  /// Whether entries wait that were there at a mark.
  package func isWaiting(before mark: Int) -> Bool { nodes.keys.contains { $0 < mark } }

  /// Whether entries are under way that were there at a mark.
  func isDelivering(before mark: Int) -> Bool {
    underWay.values.contains { $0.entries.contains { $0.number < mark } }
  }

  // MARK: Coming in

  /// Notes a change at a time, which is nil for a poster who does not know it.
  ///
  /// - Returns: Whether it is waiting now; false when its origin is left out.
  /// - Complexity: O(length of the path), and what is absorbed.
  @discardableResult
  // The runtime's policies use it, and could not specialize what stands in another module.
  @specialized(where Identifier == PolicyIdentifier)
  package mutating func post(
    _ identifier: Identifier, _ verb: Change.Verb = .put, origin: ChangeOrigin? = nil,
    sequence: UInt64 = 0, at now: Int? = nil
  ) -> Bool {
    if let origin, origin == options.ignoredOrigin { return false }
    if let now { relaxIdle(at: now) }
    posts += 1
    let steps = identifier.steps
    let covers = identifier.coversBelow || verb == .invalidate
    let kept = keptSteps(of: identifier, steps.count, dropping: options.drop, depth)
    let isWidened = kept < steps.count
    let entry = Entry(
      identifier: isWidened ? identifier.widened(to: kept) : identifier,
      steps: isWidened ? Array(steps[..<kept]) : steps, coversBelow: covers || isWidened,
      number: nextNumber, original: options.drop == 0 ? identifier : nil, originalCovers: covers,
      count: 1, lastVerb: verb, origin: origin, sequence: sequence)
    nextNumber += 1
    add(entry)
    fold()
    return true
  }

  private func keptSteps(
    of identifier: Identifier, _ count: Int, dropping drop: Int, _ depth: Int
  ) -> Int {
    let (sum, overflow) = drop.addingReportingOverflow(depth)
    var least = min(count, identifier.leastSteps)
    if options.leastComponents > 0 {
      // One step is what stands before the path.
      least = max(least, min(count - 1, options.leastComponents) + 1)
    }
    return overflow || sum >= count ? least : max(least, count - sum)
  }

  /// Adds an entry, or lets one that covers it stand for it.
  private mutating func add(_ entry: Entry) {
    let wider = tree.first(on: entry.steps.dropLast()) { $0.element?.coversBelow == true }
    if let wider, !entry.steps.isEmpty {
      let number = wider.element?.number
      wider.element?.absorb(entry)
      if let number, let new = wider.element?.number, new != number {
        // What is tried again was there before.
        nodes[number] = nil
        nodes[new] = wider
      }
      return
    }
    let node = tree.makeNode(at: entry.steps)
    var entry = entry
    if let known = node.element {
      nodes[known.number] = nil
      var merged = known
      merged.absorb(entry)
      if entry.coversBelow {
        merged.coversBelow = true
        merged.identifier = entry.identifier
      }
      entry = merged
    }
    if entry.coversBelow, !node.children.isEmpty {
      tree.forEach(below: node) { below in
        guard let absorbed = below.element else { return }
        nodes[absorbed.number] = nil
        entry.number = min(entry.number, absorbed.number)
        entry.absorb(absorbed)
      }
      tree.removeChildren(of: node)
    }
    node.element = entry
    nodes[entry.number] = node
  }

  // MARK: Detail

  /// Takes components away until what waits fits the budget.
  private mutating func fold() {
    guard options.throttle != nil else { return }
    while nodes.count > budget, depth < options.maxDepth {
      let entries = waiting
      depth += 1
      var isNarrower = false
      tree = ReferenceTree()
      nodes = [:]
      for entry in entries {
        let count = entry.steps.count
        let kept = keptSteps(of: entry.identifier, count, dropping: 1, 0)
        var folded = entry
        if kept < count {
          isNarrower = true
          folded.identifier = entry.identifier.widened(to: kept)
          folded.steps = Array(entry.steps[..<kept])
          folded.coversBelow = true
        }
        add(folded)
      }
      // Nothing is left that could be taken away.
      if !isNarrower { return }
    }
  }

  /// Gives back detail when as much as came in lately would have fitted.
  private mutating func relax() {
    if posts <= budget, depth > 0 { depth -= 1 }
    posts = 0
  }

  /// Gives back detail for the time in which nothing came.
  private mutating func relaxIdle(at now: Int) {
    guard depth > 0, nodes.isEmpty, now > holdEnd, window > 0, underWay.isEmpty else { return }
    let cycles = (now - holdEnd) / window
    depth -= min(depth, cycles)
    holdEnd += cycles * window
  }

  // MARK: Delivering

  /// What is to be done at a time; what is urgent is not held back.
  @specialized(where Identifier == PolicyIdentifier)
  package mutating func step(at now: Int, isUrgent: Bool = false) -> Step {
    guard underWay.count < max(1, options.width) else { return .idle }
    guard !nodes.isEmpty else { return idleStep(at: now) }
    let time = max(holdEnd, retryTime)
    guard isUrgent || now >= time else { return .wait(until: time) }
    fold()
    var chosen: [Entry] = []
    var next = Int.max
    hasDelayed = false
    let limit = options.batchLimit ?? .max
    for entry in waiting {
      guard chosen.count < limit else { break }
      guard isUrgent || entry.notBefore <= now else {
        next = min(next, entry.notBefore)
        continue
      }
      guard underWay.isEmpty || !isUnderWay(entry) else { continue }
      chosen.append(entry)
    }
    guard !chosen.isEmpty else {
      guard next < .max else { return .idle }
      hasDelayed = true
      return .wait(until: next)
    }
    for entry in chosen { take(entry) }
    relax()
    let delivery = Delivery(number: nextNumber, entries: chosen, start: now)
    nextNumber += 1
    underWay[delivery.number] = delivery
    return .deliver(delivery)
  }

  /// With nothing to deliver the detail comes back, one component in each window.
  private mutating func idleStep(at now: Int) -> Step {
    guard depth > 0, underWay.isEmpty, window > 0 else { return .idle }
    relaxIdle(at: now)
    if depth > 0 { return .wait(until: holdEnd + window) }
    posts = 0
    return .idle
  }

  private mutating func take(_ entry: Entry) {
    nodes[entry.number] = nil
    tree.clear(at: entry.steps)
  }

  /// Whether something above, at or below an entry is being delivered.
  private func isUnderWay(_ entry: Entry) -> Bool {
    underWay.values.contains { delivery in
      delivery.entries.contains { other in
        let count = min(entry.steps.count, other.steps.count)
        return entry.steps[..<count] == other.steps[..<count]
      }
    }
  }

  /// Notes that a delivery has ended.
  ///
  /// - Parameters:
  ///   - number: That of the delivery.
  ///   - failed: Which of its entries could not be taken up; nil when none could.
  ///   - now: The time.
  /// - Returns: The entries that are dropped.
  @specialized(where Identifier == PolicyIdentifier)
  package mutating func finish(_ number: Int, failed: Set<Int>? = [], at now: Int) -> [Entry] {
    guard let delivery = underWay.removeValue(forKey: number) else { return [] }
    let time = max(0, now - delivery.start)
    if let throttle = options.throttle {
      let own = time / max(1, delivery.entries.count)
      // Half of it is the last delivery: a handler may become slow all at once.
      let average = cost.map { $0 + (own - $0) / 2 } ?? own
      cost = average
      let fitting = average > 0 ? throttle.batchTime / average : .max
      budget = min(max(fitting, throttle.budget.lowerBound), throttle.budget.upperBound)
      let wanted = min(Double(time) * throttle.windowFactor, Double(throttle.window.upperBound))
      window = max(Int(wanted), throttle.window.lowerBound)
      holdEnd = now + window
    }
    let isRefused = failed == nil && !delivery.entries.isEmpty
    let lost = delivery.entries.enumerated().filter { isRefused || failed?.contains($0.0) == true }
    guard !lost.isEmpty else {
      failures = 0
      return []
    }
    guard case .backoff(let first, let limit, let jitter) = options.retry else {
      return lost.map(\.element)
    }
    if isRefused {
      failures += 1
      retryTime = now + pause(first, limit, jitter, attempts: failures)
    } else {
      failures = 0
    }
    for (_, entry) in lost {
      var entry = entry
      entry.attempts += 1
      if !isRefused {
        entry.notBefore = now + pause(first, limit, jitter, attempts: entry.attempts)
      }
      // At its old place; what has come meanwhile becomes part of it.
      add(entry)
    }
    fold()
    return []
  }

  private mutating func pause(
    _ first: Int, _ limit: Int, _ jitter: Bool, attempts: Int
  ) -> Int {
    let longest = max(1, limit)
    var time = min(max(1, first), longest)
    var doublings = attempts - 1
    while doublings > 0, time < longest {
      time = time > longest / 2 ? longest : 2 * time
      doublings -= 1
    }
    guard jitter else { return time }
    // SplitMix64 (Steele, Lea and Flood, 2014).
    random &+= 0x9E37_79B9_7F4A_7C15
    var bits = random
    bits = (bits ^ (bits >> 30)) &* 0xBF58_476D_1CE4_E5B9
    bits = (bits ^ (bits >> 27)) &* 0x94D0_49BB_1331_11EB
    bits ^= bits >> 31
    return 1 + Int(bits % UInt64(time))
  }

  /// Takes out everything that waits; what comes then is in full detail.
  @specialized(where Identifier == PolicyIdentifier)
  package mutating func removeAll() -> [Entry] {
    defer {
      tree = ReferenceTree()
      nodes = [:]
      depth = 0
      posts = 0
    }
    return waiting
  }
}

extension ChangeSchedule.Entry {
  /// Lets this entry stand for another one, too.
  fileprivate mutating func absorb(_ other: Self) {
    let isSame = original.flatMap { own in other.original.map { own.steps == $0.steps } } ?? false
    if isSame {
      originalCovers = originalCovers || other.originalCovers
    } else {
      original = nil
    }
    if other.sequence >= sequence { lastVerb = other.lastVerb }
    count += other.count
    number = min(number, other.number)
    sequence = max(sequence, other.sequence)
    if origin != other.origin { origin = nil }
    attempts = max(attempts, other.attempts)
    notBefore = max(notBefore, other.notBefore)
  }
}
