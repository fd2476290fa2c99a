internal import Synchronization
package import TenonStoreKit

/// Something besides timers for whose sake a program goes on when its last statement has run: a
/// server, a watcher, a window.
///
/// A source is added with `RunLoop.add` on the interpreter's thread. What happens on other threads
/// it brings in with `RunLoop.inbox`.
package protocol LiveSource: AnyObject {
  /// Whether anything may still come; the loop forgets a source that says no.
  var isLive: Bool { get }
}

/// What an interpreter has still to do: timers, blocks for the next turn, and what other threads
/// have posted.
///
/// Everything runs on the interpreter's thread, one piece after the other.
final class RunLoop {
  var timers = TimerQueue()
  /// Blocks to be evaluated in the next turn, in their order, and how many have been taken.
  private(set) var tasks: [Value] = []
  private var firstTask = 0
  /// What Swift code is to do in the next turn.
  private var work: [(Machine) -> Void] = []
  /// Hooks of objects that have been collected; run in a turn and between two statements.
  var hooks: [Value] = []
  private var sources: [any LiveSource] = []
  /// Blocks that finish what has been put off when the program ends, in the order in which it was.
  private var finishers: [Value] = []
  /// Whether the program has done all but what it has put off.
  var isEnding = false
  /// How other threads reach the loop.
  let inbox: Inbox
  /// What waits on stacks of its own.
  let coroutines = Coroutines()
  /// How many requests are under way whose answers come in by the inbox.
  var requestCount = 0
  /// What delivers changes in turns, once somebody has asked for it.
  var executor: RunLoopExecutor?

  /// What stores have announced; taken up in each turn.
  let storedChanges: StoredChanges

  init(state: StateRef, storedChanges: StoredChanges) {
    // The state is there until this is detached.
    nonisolated(unsafe) let state = state
    inbox = Inbox(
      wakeUp: WakeUp(
        notingDescriptor: { unsafe state.wakeDescriptor = $0 },
        requestingSafepoint: { unsafe state.requestSafepoint() }))
    self.storedChanges = storedChanges
  }

  // MARK: Work

  /// Adds something that keeps the program going as long as it is live.
  func add(_ source: any LiveSource) {
    if !sources.contains(where: { $0 === source }) { sources.append(source) }
  }

  func addTask(_ block: Value) { tasks.append(block) }

  /// Adds what Swift code does in the next turn, on a coroutine.
  func addWork(_ body: @escaping (Machine) -> Void) { work.append(body) }

  func takeWork() -> [(Machine) -> Void] {
    defer { work = [] }
    return work
  }

  var taskCount: Int { tasks.count - firstTask }

  func takeTask() -> Value? {
    guard firstTask < tasks.count else { return nil }
    let task = tasks[firstTask]
    firstTask += 1
    if firstTask == tasks.count {
      tasks.removeAll(keepingCapacity: true)
      firstTask = 0
    } else if firstTask > RunLoop.mostTaken, 2 * firstTask > tasks.count {
      // There may always be one that waits: blocks that schedule themselves again.
      tasks.removeFirst(firstTask)
      firstTask = 0
    }
    return task
  }

  /// Rarely enough that the others are not moved for each.
  private static let mostTaken = 64

  /// Whether something can be done without waiting, timers left out.
  var hasWork: Bool {
    taskCount > 0 || !hooks.isEmpty || !inbox.isEmpty || !storedChanges.isEmpty
      || coroutines.hasReady || !work.isEmpty || executor?.nextTime == .min
  }

  /// When something is due; nil when nothing is at any time.
  var nextTime: Int? {
    guard let time = executor?.nextTime else { return timers.first?.time }
    return min(time, timers.first?.time ?? time)
  }

  /// Whether anything may still happen.
  var isLive: Bool {
    sources.removeAll { !$0.isLive }
    return !timers.isEmpty || hasWork || requestCount > 0 || !sources.isEmpty
      || executor?.isLive == true
  }

  /// Whether something is live, and nothing but what was put off.
  var isDoneButForPutOff: Bool {
    !timers.isEmpty && timers.areAllPutOff && !hasWork && requestCount == 0 && sources.isEmpty
      && executor?.isLive != true
  }

  // MARK: The end

  func addFinisher(_ block: Value) { finishers.append(block) }

  func removeFinisher(_ block: Value) {
    // Whoever has come last is done first, mostly.
    if let index = finishers.lastIndex(of: block) { finishers.remove(at: index) }
  }

  func takeFinisher() -> Value? { finishers.isEmpty ? nil : finishers.removeFirst() }

  /// Marks what is still to be evaluated.
  func mark(_ heap: Heap) {
    for timer in timers.active {
      heap.mark(timer.object)
      heap.mark(timer.block)
    }
    for task in tasks[firstTask...] { heap.mark(task) }
    for hook in hooks { heap.mark(hook) }
    for finisher in finishers { heap.mark(finisher) }
  }
}

/// What other threads have posted for an interpreter's thread.
package final class Inbox: Sendable {
  /// A piece of work, done on the interpreter's thread in the next turn of its loop.
  package typealias Work = @Sendable (Machine) -> Void

  package let wakeUp: WakeUp
  private let posted = Mutex<[Work]>([])

  init(wakeUp: WakeUp) { self.wakeUp = wakeUp }

  /// Adds work and ends the sleep of the interpreter's thread; any thread may call this.
  package func post(_ work: @escaping Work) {
    posted.withLock { $0.append(work) }
    wakeUp.call()
  }

  var isEmpty: Bool { posted.withLock { $0.isEmpty } }

  func takeAll() -> [Work] {
    posted.withLock { list in
      defer { list = [] }
      return list
    }
  }
}
