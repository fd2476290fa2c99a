/// When something is due: by time, then by who asked first.
struct DueTime: Comparable {
  /// A value of the clock's monotonic time.
  let time: Int
  /// The number of the timer, or of the wait.
  let number: Int

  static func < (left: DueTime, right: DueTime) -> Bool {
    (left.time, left.number) < (right.time, right.number)
  }
}

/// A timer that runs.
struct ActiveTimer {
  /// The Timer of the language.
  let object: Value
  let block: Value
  /// Nanoseconds between two evaluations; nil for one that is evaluated once.
  let period: Int?
  /// Whether it is evaluated earlier when nothing else keeps the program going.
  var isPutOff = false
  /// What goes on then, in place of a block.
  var coroutine: Coroutine?
}

/// The timers of a run loop.
///
/// Algorithm: a binary heap of due times. A timer that is stopped leaves its due time behind, which
/// is dropped when its turn comes, or when more than half of the heap is such.
struct TimerQueue {
  private var heap: [DueTime] = []
  private var timers: [Int: ActiveTimer] = [:]
  private var nextNumber = 1
  private var putOffCount = 0

  /// Bytes that a timer takes here.
  static let bytesPerTimer = 96

  var isEmpty: Bool { timers.isEmpty }
  var active: some Collection<ActiveTimer> { timers.values }
  /// Whether none has to be waited for.
  var areAllPutOff: Bool { putOffCount == timers.count }

  /// A number greater than all before.
  mutating func takeNumber() -> Int {
    defer { nextNumber += 1 }
    return nextNumber
  }

  /// The timer with a number.
  subscript(number: Int) -> ActiveTimer? { timers[number] }

  /// Adds a timer.
  ///
  /// - Complexity: O(log *n*).
  mutating func add(_ timer: ActiveTimer, at due: DueTime) {
    timers[due.number] = timer
    if timer.isPutOff { putOffCount += 1 }
    heap.append(due)
    siftUp(heap.count - 1)
  }

  /// Removes a timer; answers whether it was there.
  ///
  /// - Complexity: O(1) amortised.
  mutating func remove(_ number: Int) -> Bool {
    guard takeTimer(number) != nil else { return false }
    if heap.count > 64, heap.count > 2 * timers.count {
      heap = heap.filter { timers[$0.number] != nil }.sorted()
    }
    return true
  }

  /// The timer that is due next.
  var first: DueTime? {
    mutating get {
      while let first = heap.first {
        if timers[first.number] != nil { return first }
        removeFirst()
      }
      return nil
    }
  }

  /// Takes the timer that is due next.
  mutating func popFirst() -> (due: DueTime, timer: ActiveTimer)? {
    guard let due = first, let timer = takeTimer(due.number) else { return nil }
    removeFirst()
    return (due, timer)
  }

  private mutating func takeTimer(_ number: Int) -> ActiveTimer? {
    guard let timer = timers.removeValue(forKey: number) else { return nil }
    if timer.isPutOff { putOffCount -= 1 }
    return timer
  }

  private mutating func removeFirst() {
    heap.swapAt(0, heap.count - 1)
    heap.removeLast()
    siftDown(0)
  }

  private mutating func siftUp(_ start: Int) {
    var index = start
    while index > 0, heap[index] < heap[(index - 1) / 2] {
      heap.swapAt(index, (index - 1) / 2)
      index = (index - 1) / 2
    }
  }

  private mutating func siftDown(_ start: Int) {
    var index = start
    while true {
      var least = index
      for child in [2 * index + 1, 2 * index + 2]
      where child < heap.count && heap[child] < heap[least] { least = child }
      if least == index { return }
      heap.swapAt(index, least)
      index = least
    }
  }
}
