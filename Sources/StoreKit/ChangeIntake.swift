internal import Synchronization

/// Changes that have come in while somebody else was posting: who posts need not wait for him.
///
/// One word says what is going on: nobody takes changes in; somebody does, and nothing has come in
/// meanwhile; or a list of what has come in, the last first. Who finds nobody does it himself, all
/// others leave their changes here. He may only stop when nothing has come in, by one exchange of
/// that word: so nothing stays behind. Whoever has the lock of the queue may empty the list.
///
/// Algorithm: R. K. Treiber, "Systems programming: coping with parallelism", IBM research report
/// RJ 5118, 1986, section on stacks. In departure from that, lists are taken whole, so that no
/// element comes back while somebody still looks at its predecessor, and the end of the list says
/// that somebody is at it.
@safe
struct ChangeIntake: ~Copyable, @unchecked Sendable {
  /// What has become of a change.
  enum Arrival {
    /// The caller takes in what comes, beginning with his change, until `stop` lets him go.
    case taking
    /// Somebody else takes the change in.
    case left
    /// There is no room: whoever comes waits for the lock.
    case full
  }

  private struct Node {
    let change: Change
    var next: UInt
  }

  /// How many changes may wait here; a few more when several threads come at the same moment.
  ///
  /// Each takes some 100 bytes, and a microsecond when it is taken in: so much is nobody's burden, and
  /// it is seldom enough that somebody has to wait for the lock.
  static let limit = 1024

  /// How often in a row somebody takes in what has come in meanwhile, before he lets others.
  static let mostRounds = 2

  /// `free`, `taken`, or the address of the newest node.
  private let word = Atomic<UInt>(ChangeIntake.free)
  private let count = Atomic(0)

  private static let free: UInt = 0
  // No address: nodes are aligned.
  private static let taken: UInt = 1

  init() {}

  deinit {
    var next = word.load(ordering: .acquiring)
    while let node = unsafe ChangeIntake.node(next) {
      next = unsafe node.pointee.next
      unsafe ChangeIntake.free(node)
    }
  }

  private static func node(_ word: UInt) -> UnsafeMutablePointer<Node>? {
    word == taken ? nil : unsafe UnsafeMutablePointer(bitPattern: word)
  }

  private static func free(_ node: UnsafeMutablePointer<Node>) {
    unsafe node.deinitialize(count: 1)
    unsafe node.deallocate()
  }

  /// Leaves a change here when somebody else is taking in; any thread may.
  func enter(_ change: Change) -> Arrival {
    var (isMine, seen) = word.compareExchange(
      expected: ChangeIntake.free, desired: ChangeIntake.taken, ordering: .relaxed)
    if isMine { return .taking }
    guard count.load(ordering: .relaxed) < ChangeIntake.limit else { return .full }
    count.add(1, ordering: .relaxed)
    let node = UnsafeMutablePointer<Node>.allocate(capacity: 1)
    unsafe node.initialize(to: Node(change: change, next: seen))
    while true {
      if seen == ChangeIntake.free {
        (isMine, seen) = word.weakCompareExchange(
          expected: seen, desired: ChangeIntake.taken, ordering: .relaxed)
        guard isMine else { continue }
        count.subtract(1, ordering: .relaxed)
        unsafe ChangeIntake.free(node)
        return .taking
      }
      unsafe node.pointee.next = seen
      (isMine, seen) = word.weakCompareExchange(
        expected: seen, desired: UInt(bitPattern: node), successOrdering: .releasing,
        failureOrdering: .relaxed)
      if isMine { return .left }
    }
  }

  /// Stops taking in, unless something has come in.
  ///
  /// - Returns: Whether the caller is done.
  func stop() -> Bool {
    word.compareExchange(
      expected: ChangeIntake.taken, desired: ChangeIntake.free, ordering: .relaxed
    ).exchanged
  }

  /// Calls a function with what has come in, in the order in which it did; the caller has the lock
  /// of the queue.
  func takeAll(_ body: (Change) -> Void) {
    // Nobody else takes anything out, so what is there now will be there.
    guard unsafe ChangeIntake.node(word.load(ordering: .relaxed)) != nil else { return }
    var next = word.exchange(ChangeIntake.taken, ordering: .acquiring)
    var number = 0
    var first = ChangeIntake.taken
    while let node = unsafe ChangeIntake.node(next) {
      let before = next
      next = unsafe node.pointee.next
      unsafe node.pointee.next = first
      first = before
      number += 1
    }
    count.subtract(number, ordering: .relaxed)
    while let node = unsafe ChangeIntake.node(first) {
      first = unsafe node.pointee.next
      body(unsafe node.pointee.change)
      unsafe ChangeIntake.free(node)
    }
  }
}
