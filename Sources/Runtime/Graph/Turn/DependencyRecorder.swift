internal import TenonSolverKit
internal import TenonTables

/// What is known of the reads of formulas: no class, as each run of a formula calls both parts.
struct Recording: ~Copyable {
  let lastReads = RecordedReads()
  /// The recorder of the reads of the formula that runs; its outer one is the recorder that was active before
  /// formulas of the language were evaluated in this turn.
  let recorder = DependencyRecorder(within: nil)
}

/// The places that a formula reads while it runs, besides those that its text names.
final class DependencyRecorder {
  /// The places, in the order in which they were read first.
  let places = FlatTable<Place>()
  /// The same as an array.
  var reads: [Place] { (0..<places.count).map { places[$0] } }
  /// Whether nothing has been read.
  var isEmpty: Bool { places.isEmpty }
  /// The places, once they are too many to search.
  private var seen: Set<Place> = []
  /// The recorder that was active when this began.
  var outer: DependencyRecorder?
  private static let shortCount = 8
  /// The frame that was evaluated when this began, where the recorded code is no formula's block.
  var base: Frame?
  /// The slots and collections of the program's stores that the stores have written as their memory: reading
  /// them is no read.
  private var memory: Memory?

  private final class Memory {
    var slots: Set<Place> = []
    /// The collections, by their bits.
    var objects: Set<UInt> = []

    func includes(_ place: Place) -> Bool {
      objects.contains(place.object.bits) || place.kind == .slot && slots.contains(place)
    }

    func purge(_ heap: Heap) {
      objects = objects.filter { heap.isMarked(ObjectRef(Value(bits: $0))) }
      slots = slots.filter { heap.isMarked(ObjectRef($0.object)) }
    }
  }

  /// Whether reads are kept; those of code that is evaluated beside a formula are nobody's.
  let keepsReads: Bool

  init(within outer: DependencyRecorder?, keepsReads: Bool = true) {
    self.outer = outer
    self.keepsReads = keepsReads
  }

  /// Records a read.
  func record(_ place: Place) {
    guard keepsReads, !hasRead(place), !isMemory(place) else { return }
    places.append(place)
    if places.count > DependencyRecorder.shortCount { recordSeen(place) }
  }

  @inline(never)
  private func recordSeen(_ place: Place) {
    if seen.isEmpty { seen = Set(reads) } else { seen.insert(place) }
  }

  @inline(__always)
  private func isMemory(_ place: Place) -> Bool { memory?.includes(place) ?? false }

  /// Forgets reads of a store's memory, now and from here on.
  ///
  /// - Parameters:
  ///   - object: The store, or a collection of its own.
  ///   - slot: The slot of the store; nil for all of a collection.
  func forget(_ object: ObjectRef, slot: Int?) {
    let memory = self.memory ?? Memory()
    if let slot {
      memory.slots.insert(.slot(object, slot))
    } else {
      memory.objects.insert(object.bits)
    }
    self.memory = memory
    keep { !memory.includes($0) }
  }

  /// Forgets all reads.
  @inline(__always)
  func reset() {
    if memory != nil { memory = nil }
    if isEmpty { return }
    let isLong = places.count > DependencyRecorder.shortCount
    places.removeAll()
    if isLong { seen.removeAll(keepingCapacity: seen.count < 1_024) }
  }

  /// Returns whether a place has been read.
  func hasRead(_ place: Place) -> Bool {
    if places.count > DependencyRecorder.shortCount { return seen.contains(place) }
    for index in 0..<places.count where places[index] == place { return true }
    return false
  }

  /// Marks the keys that were read, and stores with them.
  ///
  /// The contents of a store may change even if only the formula knows it, and the symbol that stands
  /// for a string may have no other reference.
  func mark(_ heap: Heap) {
    for place in reads {
      heap.mark(place.key)
      if place.kind == .stored { heap.mark(place.object) }
    }
  }

  /// Forgets objects that were made while the formula ran and are gone: they cannot change any
  /// more.
  func purge(_ heap: Heap) {
    memory?.purge(heap)
    keep { heap.isMarked(ObjectRef($0.object)) }
  }

  private func keep(_ isKept: (Place) -> Bool) {
    let kept = reads.filter(isKept)
    if kept.count == places.count { return }
    places.removeAll()
    seen = []
    for place in kept { record(place) }
  }
}
