#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#elseif canImport(Darwin)
  internal import Darwin
#endif

/// How far a long array has been scanned.
struct PartialScan: BitwiseCopyable {
  /// The array.
  let bits: UInt
  /// The first element that has not been scanned.
  let next: Int
}

// MARK: - Beginning

extension Heap {
  /// Begins a collection; then the caller marks the roots.
  ///
  /// The marks are clear: `finishCollection` and `abandonMarking` leave them so.
  func beginMarking() {
    unsafe markedBytes = 0
    unsafe isMarking = true
  }

  /// Forgets what a collection has done so far.
  ///
  /// - Complexity: O(blocks).
  func abandonMarking() {
    let map = unsafe markMap
    forEachBlock { clearMap(map, of: $0) }
    unsafe markStack.removeLast(to: 0)
    unsafe partlyScanned.removeLast(to: 0)
    unsafe extended.removeLast(to: 0)
    unsafe isMarking = false
  }
}

// MARK: - Marking

extension Heap {
  /// Arrays with more elements are scanned in parts of so many.
  private static let partSize = 1024

  /// Marks a value; what it refers to is marked by the next `drain`.
  @inline(__always)
  func mark(_ value: Value) { unsafe mark(value, in: markMap) }

  @inline(__always)
  private func mark(_ value: Value, in map: Int) {
    guard value.isObject else { return }
    let offset = Int(value.bits & UInt(Heap.blockSize - 1))
    let block = value.bits & ~UInt(Heap.blockSize - 1)
    let word = unsafe mapWord(block, offset, in: map)
    let bit: UInt64 = 1 << UInt64((offset >> 4) & 63)
    let bits = unsafe word.pointee
    guard bits & bit == 0 else { return }
    unsafe word.pointee = bits | bit
    unsafe markedBytes &+= header(block).pointee.cellSize
    unsafe markStack.append(value.bits)
  }

  /// Marks everything that marked objects refer to.
  ///
  /// The stack is explicit: a list of a million links needs no native stack.
  ///
  /// - Complexity: O(slots of the objects reached).
  func drain() {
    let map = unsafe markMap
    while true {
      if let bits = unsafe markStack.popLast() {
        let object = ObjectRef(Value(bits: bits))
        switch object.formatCode {
        case ObjectFormat.slots.rawValue: scanSlots(of: object, in: map)
        case ObjectFormat.array.rawValue:
          for index in 0..<object.elementCount { mark(object[element: index], in: map) }
        default: break
        }
        if object.flags & ObjectFlag.extended != 0 { unsafe extended.append(bits) }
      } else if let part = unsafe partlyScanned.popLast() {
        let array = ObjectRef(Value(bits: part.bits))
        for index in part.next..<array.elementCount { mark(array[element: index], in: map) }
      } else {
        return
      }
    }
  }

  @inline(__always)
  private func scanSlots(of object: ObjectRef, in map: Int) {
    for index in 0..<object.slotCount { mark(object[slot: index], in: map) }
    if object.classIndex == ClassIndex.blockClosure {
      unsafe ClosureCode.of(object)._withUnsafeGuaranteedRef {
        unsafe $0.collected.mark = collectionCount &+ 1
      }
    }
  }

  /// Marks what marked objects refer to, while the program waits to go on.
  ///
  /// What is scanned gets the flag that makes stores tell the collector.
  ///
  /// - Parameter work: How much may be done: about so many words are looked at.
  /// - Returns: whether nothing is left.
  func drain(work: Int) -> Bool {
    let map = unsafe markMap
    var left = work
    while left > 0 {
      if let bits = unsafe markStack.popLast() {
        left &-= scan(ObjectRef(Value(bits: bits)), in: map)
      } else if let part = unsafe partlyScanned.popLast() {
        left &-= scan(part)
      } else {
        return true
      }
    }
    return unsafe markStack.isEmpty && partlyScanned.isEmpty
  }

  /// Scans an object, or notes that it is a long array.
  ///
  /// - Returns: the words looked at, those of the header and of the map included.
  @inline(__always)
  private func scan(_ object: ObjectRef, in map: Int) -> Int {
    var work = 2
    switch object.formatCode {
    case ObjectFormat.slots.rawValue:
      object.flags |= ObjectFlag.scanned
      scanSlots(of: object, in: map)
      work &+= object.slotCount
    case ObjectFormat.array.rawValue:
      object.flags |= ObjectFlag.scanned
      let count = object.elementCount
      if count > Heap.partSize {
        unsafe partlyScanned.append(PartialScan(bits: object.bits, next: 0))
      } else {
        for index in 0..<count { mark(object[element: index], in: map) }
        work &+= count
      }
    default: break
    }
    if object.flags & ObjectFlag.extended != 0 { unsafe extended.append(object.bits) }
    return work
  }

  private func scan(_ part: PartialScan) -> Int {
    let array = ObjectRef(Value(bits: part.bits))
    let end = min(part.next + Heap.partSize, array.elementCount)
    if end < array.elementCount {
      unsafe partlyScanned.append(PartialScan(bits: part.bits, next: end))
    }
    for index in part.next..<end { mark(array[element: index]) }
    return end - part.next
  }

  /// Returns an extended object that was marked since the last call, if there is one.
  func nextMarkedExtended() -> ObjectRef? {
    unsafe extended.popLast().map { ObjectRef(Value(bits: $0)) }
  }
}

// MARK: - Barrier

// The collector may have scanned an object before the program stores into it: then it would not
// see what is stored. So a store into an object with the flag `scanned` comes here first. The
// object loses the flag and is scanned again, which makes further stores into it as fast as ever;
// only for a long array, which it would be dear to scan again, the value that is stored is marked.
// Flags that are left from an earlier collection are found and cleared in the same way.
//
// Algorithm: G. L. Steele, "Multiprocessing compactifying garbage collection", Communications of
// the ACM 18(9), 1975; for long arrays E. W. Dijkstra et al., "On-the-fly garbage collection: an
// exercise in cooperation", Communications of the ACM 21(11), 1978.

extension Heap {
  /// Whether an object is in the part of the graph that the collector may take for done.
  private func isDone(_ object: ObjectRef) -> Bool { unsafe isMarking && isMarked(object) }

  /// Tells the collector that a value is about to be stored into an object with the flag `scanned`.
  fileprivate func recordStore(_ value: Value, into object: ObjectRef) {
    if isDone(object), object.hasFormat(.array), object.elementCount > Heap.partSize {
      mark(value)
    } else {
      recordChanges(of: object)
    }
  }

  /// Tells the collector that much of an object with the flag `scanned` is about to change.
  fileprivate func recordChanges(of object: ObjectRef) {
    object.flags &= ~ObjectFlag.scanned
    if isDone(object) { unsafe markStack.append(object.bits) }
  }

  /// Tells the collector that a table of the machine, which keeps a value only as long as some
  /// object lives, has got one: that object may have been scanned.
  func recordEntry(_ value: Value) {
    if unsafe isMarking { mark(value) }
  }
}

extension ObjectRef {
  /// Tells the collector that a value is about to be stored here; the flag `scanned` is set.
  @inline(never)
  func recordStore(_ value: Value) {
    unsafe heap._withUnsafeGuaranteedRef { $0.recordStore(value, into: self) }
  }

  /// Tells the collector that many elements are about to change; the flag `scanned` is set.
  @inline(never)
  func recordChanges() {
    unsafe heap._withUnsafeGuaranteedRef { $0.recordChanges(of: self) }
  }

  private var heap: Unmanaged<Heap> {
    let block = bits & ~UInt(Heap.blockSize - 1)
    return unsafe UnsafePointer<BlockHeader>(bitPattern: block).unsafelyUnwrapped.pointee.heap
  }
}

// MARK: - Ending

extension Heap {
  /// Makes the unmarked cells available.
  ///
  /// - Complexity: O(blocks).
  func finishCollection() {
    releaseUnmarkedBlocks()
    let map = unsafe freeMap
    forEachBlock { clearMap(map, of: $0) }
    unsafe freeMap = markMap
    unsafe markMap = map
    for index in 0..<SizeClass.count {
      unsafe sweepBlock[index] = 0
      unsafe sweepCell[index] = BlockHeader.cellOffset
      unsafe runs[index].end = unsafe runs[index].cursor
    }
    unsafe isMarking = false
    unsafe liveBytes = unsafe markedBytes + outsideBytes
    unsafe collectionCount += 1
    planNextCollection()
  }

  private func releaseUnmarkedBlocks() {
    for sizeClass in 1..<SizeClass.count {
      var kept = 0
      for index in unsafe 0..<blocks[sizeClass].count {
        let block = unsafe blocks[sizeClass][index]
        if unsafe hasMarks(block, in: markMap) {
          unsafe blocks[sizeClass][kept] = block
          kept += 1
        } else {
          unsafe clearMap(freeMap, of: block)
          unsafe header(block).pointee.cellSize = 0
          unsafe freeBlocks.append(block)
        }
      }
      unsafe blocks[sizeClass].removeLast(to: kept)
    }
    var kept = 0
    for index in unsafe 0..<largeBlocks.count {
      let block = unsafe largeBlocks[index]
      if unsafe hasMarks(block, in: markMap) {
        unsafe largeBlocks[kept] = block
        kept += 1
      } else {
        unsafe footprint -= header(block).pointee.mappedSize
        unsafe free(UnsafeMutableRawPointer(bitPattern: block))
      }
    }
    unsafe largeBlocks.removeLast(to: kept)
  }
}

// MARK: - Objects

extension Heap {
  /// Calls a function with each object that the last collection found, just after it.
  ///
  /// - Complexity: O(bytes of the heap).
  func forEachLiveObject(_ body: (ObjectRef) -> Void) {
    forEachBlock { block in
      let size = unsafe header(block).pointee.cellSize
      guard size > 0 else { return }
      let map = unsafe freeMap
      for offset in unsafe stride(from: BlockHeader.cellOffset, to: Heap.blockSize, by: 16)
      where isMarked(block, offset, in: map) {
        body(ObjectRef(Value(bits: block + UInt(offset))))
      }
    }
  }
}

// MARK: - Pace

// A collection of a small heap is done at once. That of a large one is done in slices, one each
// time so much has been allocated: it begins a little before the allowance is used up, so that no
// more memory is in use than if it were done at once. A slice looks at many more words than are
// allocated between two of them, so that it ends in time even if everything lives.

extension Heap {
  /// Up to so many bytes in use a collection is done at once.
  static let sliceThreshold = 8 << 20
  /// Bytes that are allocated between two slices.
  private static let sliceInterval = 64 << 10
  /// The words that a slice looks at.
  private static let wordsPerSlice = 48 << 10

  /// Whether enough was allocated since the last collection or slice to make another worthwhile.
  var wantsCollection: Bool { unsafe budget < 0 }

  /// Whether so much is in use that the program should not wait for all of a collection.
  var isLarge: Bool { unsafe liveBytes + allocatedBytes > Heap.sliceThreshold }

  /// Bytes allocated since the last collection.
  var allocatedBytes: Int { unsafe granted - budget }

  /// How much the slice that is due has to do; everything when there is no more memory to wait with.
  var sliceWork: Int {
    if unsafe allocatedBytes >= allocationLimit { return .max }
    // Objects with much memory of their own come in larger steps.
    let steps = unsafe 1 + -budget / Heap.sliceInterval
    return Heap.wordsPerSlice * min(max(steps, 1), 3)
  }

  /// Lets the program go on until the next slice.
  func planNextSlice() {
    unsafe granted += Heap.sliceInterval - budget
    unsafe budget = Heap.sliceInterval
  }

  /// Lets the program go on until it is time for the next collection.
  private func planNextCollection() {
    let room = unsafe limit - liveBytes
    let allowance = unsafe max(Heap.minimumBudget, min(liveBytes, room))
    unsafe budget = allowance
    unsafe allocationLimit = max(allowance, min(allowance + allowance / 2, room))
    if unsafe liveBytes + allowance > Heap.sliceThreshold {
      unsafe budget -= allowance / 8
    }
    unsafe granted = unsafe budget
  }
}

// MARK: - Checks

extension Heap {
  /// Overwrites every dead cell, so that a reference the roots missed is noticed at its next use.
  ///
  /// - Complexity: O(heap).
  func poisonDeadCells() {
    let map = unsafe freeMap
    for list in unsafe blocks {
      for index in 0..<list.count {
        let block = list[index]
        let cellSize = unsafe header(block).pointee.cellSize
        var offset = unsafe BlockHeader.cellOffset
        while offset + cellSize <= Heap.blockSize {
          if !isMarked(block, offset, in: map) {
            let cell = unsafe UnsafeMutableRawPointer(bitPattern: block + UInt(offset))
              .unsafelyUnwrapped
            unsafe cell.initializeMemory(as: UInt8.self, repeating: 0xDB, count: cellSize)
          }
          offset += cellSize
        }
      }
    }
  }

  /// Compares what a collection in slices has marked with what can be reached now.
  ///
  /// The other map serves for the second marking: when a collection ends, nobody asks any more
  /// which cells the last one left free. What is found missing is counted and marked after all.
  ///
  /// - Parameter markReachable: Marks everything that can be reached, anew.
  /// - Complexity: O(heap).
  func verifyMarks(_ markReachable: () -> Void) {
    let marks = unsafe markMap
    let reached = unsafe freeMap
    let bytes = unsafe markedBytes
    forEachBlock { clearMap(reached, of: $0) }
    unsafe markMap = reached
    markReachable()
    unsafe markMap = marks
    unsafe markedBytes = bytes
    forEachBlock { block in
      let found = unsafe mapWord(block, 0, in: marks)
      let wanted = unsafe mapWord(block, 0, in: reached)
      for index in unsafe 0..<BlockHeader.mapBytes / 8 {
        let missed = unsafe wanted[index] & ~found[index]
        unsafe missedObjects += missed.nonzeroBitCount
        unsafe found[index] |= missed
      }
    }
  }
}
