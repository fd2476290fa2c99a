internal import TenonSolverKit
internal import TenonTables

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

extension Machine {
  /// Evaluates code whose reads are not those of the formula that runs.
  func unrecorded<Result>(_ body: () -> Result) -> Result {
    let outer = recorder
    recorder = DependencyRecorder(within: outer, keepsReads: false)
    defer { recorder = outer }
    return body()
  }

  /// The value of code whose reads are not those of the formula that runs; nil when it fails or is interrupted.
  func unrecordedValue(_ body: () -> Value) -> Value? {
    valueUnlessUnwinding(unrecorded { withErrorsCaught(body) })
  }

  /// Records that tracked code is about to read a slot; settles pending changes first.
  ///
  /// - Returns: `unwind` when that was interrupted, else nil.
  @inline(never)
  func recordRead(_ object: ObjectRef, slot: Int) -> Value {
    unsafe graphReference._withUnsafeGuaranteedRef { graph in
      if !graph.isSettling, graph.hasPending, let cell = graph.cell(of: object, slot: slot),
        graph.mayBeStale(cell)
      {
        let settled = settleGraph(answering: .nil)
        if settled.isUnwind { return settled }
      }
      if graph.words[0].staleCount > 0, refresh(object, slot: slot).isUnwind { return .unwind }
      // Numbers do not change.
      if object.classIndex == kernel.fractionIndex { return .nil }
      unsafe recorderReference?._withUnsafeGuaranteedRef { $0.record(.slot(object, slot)) }
      if graph.hearsAnnouncements, object.classIndex >= ClassIndex.firstFree {
        recordReceiver(Value(object))
      }
      return .nil
    }
  }

  /// Settles pending changes of a collection that tracked code is about to use.
  ///
  /// - Returns: `unwind` when that was interrupted, else nil.
  func settle(before value: Value, at key: Value? = nil) -> Value {
    guard graph.hasPending, !graph.isSettling, graph.atomicDepth > 0, value.isObject else {
      return .nil
    }
    let object = ObjectRef(value)
    guard object.flags & ObjectFlag.watched != 0 else { return .nil }
    let mayBeStale: Bool
    if let key, let place = elementPlace(of: key, in: value) {
      mayBeStale = graph.cellsByPlace[place].map { graph.mayBeStale($0) } ?? false
    } else {
      mayBeStale = graph.mayBeStale(object)
    }
    return mayBeStale ? settleGraph(answering: .nil) : .nil
  }

  /// Records that tracked code is about to use a collection.
  func recordUse(of value: Value) {
    guard let recorder, recorder.keepsReads, value.isObject else { return }
    let object = ObjectRef(value)
    guard object.flags & ObjectFlag.immutable == 0, isCollection(object) else { return }
    recorder.record(.whole(object))
  }

  /// Records that tracked code is about to read one element of a collection.
  func recordUse(of value: Value, at key: Value) {
    guard let recorder, recorder.keepsReads, value.isObject else { return }
    let object = ObjectRef(value)
    guard object.flags & ObjectFlag.immutable == 0, isCollection(object) else { return }
    // A read of the whole collection includes this one.
    if recorder.hasRead(.whole(object)) { return }
    if let place = elementPlace(of: key, in: value) {
      recorder.record(place)
    } else {
      recorder.record(.whole(object))
    }
  }

  /// Returns the place of an element whose key is the same object whenever it is equal; else nil.
  private func elementPlace(of key: Value, in value: Value) -> Place? {
    guard key.isSmallInteger || isString(key) && text(key).flatMap({ Int($0) }) == nil else {
      return nil
    }
    guard let place = try? place(of: key, in: value), place.kind == .element else { return nil }
    return place
  }

  /// Returns whether an object is a collection whose elements can change.
  func isCollection(_ object: ObjectRef) -> Bool {
    let index = object.classIndex
    if index == ClassIndex.array || index == ClassIndex.byteArray { return true }
    if index < ClassIndex.firstFree { return false }
    return classInfo(at: index).inherits(from: kernel.collection)
  }
}
