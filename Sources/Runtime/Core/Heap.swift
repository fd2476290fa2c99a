#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#elseif canImport(Darwin)
  internal import Darwin
#endif

/// The sizes cells come in.
enum SizeClass {
  /// Up to this many bytes there is a class for each multiple of 16.
  static let fineLimit = 256
  /// The classes above: coarse, so that at most a quarter of a cell is wasted.
  static let coarse = [320, 384, 512, 640, 768, 1024, 1344, 1616, 2032, 2704, 4048, 8112]
  /// The most bytes a cell in a block may have; larger objects get memory of their own.
  static let cellLimit = 8112
  /// The number of classes; class 0 stays empty so that the class of a fine size is `size / 16`.
  static let count = 17 + coarse.count

  /// The class of cells with room for `size` bytes, `1 ... cellLimit`.
  static func index(for size: Int) -> Int {
    if size <= fineLimit { return (size + 15) >> 4 }
    var index = 0
    while coarse[index] < size { index += 1 }
    return 17 + index
  }

  /// The bytes of a cell of a class.
  static func size(of index: Int) -> Int {
    index < 17 ? index << 4 : coarse[index - 17]
  }
}

/// The header at the start of every block of cells.
private struct BlockHeader {
  /// Bytes of a cell; 0 while the block is free.
  var cellSize: Int
  /// A number that is different for every block of an interpreter and the same in every run.
  var serial: Int
  /// The bytes taken from the system, for an object with memory of its own.
  var mappedSize: Int

  static let markOffset = 64
  /// One bit for every 16 bytes of the block.
  static let markBytes = Heap.blockSize / 16 / 8
  static let cellOffset = markOffset + markBytes
}

/// A growing list in raw memory: no exclusivity checks, no reference counting.
///
/// A copy shares the elements; the owner deallocates them.
@safe
struct RawList<Element: BitwiseCopyable> {
  private(set) var count = 0
  private var capacity = 0
  private var elements: UnsafeMutablePointer<Element>?

  init() {}

  @inline(__always)
  subscript(index: Int) -> Element {
    get {
      assert(index >= 0 && index < count)
      return unsafe elements.unsafelyUnwrapped[index]
    }
    nonmutating set {
      assert(index >= 0 && index < count)
      unsafe elements.unsafelyUnwrapped[index] = newValue
    }
  }

  @inline(__always)
  mutating func append(_ element: Element) {
    if count == capacity { grow() }
    unsafe (elements.unsafelyUnwrapped + count).initialize(to: element)
    count += 1
  }

  @inline(__always)
  mutating func popLast() -> Element? {
    guard count > 0 else { return nil }
    count -= 1
    return unsafe elements.unsafelyUnwrapped[count]
  }

  mutating func removeLast(to newCount: Int) {
    count = Swift.min(count, newCount)
  }

  @inline(never)
  private mutating func grow() {
    let newCapacity = Swift.max(64, capacity * 2)
    let grown = UnsafeMutablePointer<Element>.allocate(capacity: newCapacity)
    if let elements = unsafe elements {
      unsafe grown.moveInitialize(from: elements, count: count)
      unsafe elements.deallocate()
    }
    unsafe elements = unsafe grown
    capacity = newCapacity
  }

  mutating func deallocate() {
    unsafe elements?.deallocate()
    unsafe elements = nil
    count = 0
    capacity = 0
  }
}

/// The memory of one interpreter: blocks of equal cells, marked and reused in place.
///
/// Objects never move. A block's mark bits are its free map: after a collection the allocator
/// walks them and hands out the runs of unmarked cells; nothing is swept. Collections happen only
/// at safepoints, when the evaluator asks; allocation merely requests one.
///
/// Algorithm: mark-sweep with bitmap marking and lazy, bump-pointer reuse of free runs; compare
/// R. Jones, A. Hosking, E. Moss, "The Garbage Collection Handbook", 2nd ed., 2023, chapters 2
/// and 7.
@safe
final class Heap {
  static let blockSize = 32_768
  /// Blocks taken from the system at once.
  private static let chunkBlocks = 32
  /// The least that may be allocated between two collections.
  private static let minimumBudget = 4 << 20

  private let state: StateRef
  private let runs: UnsafeMutablePointer<AllocationRun>

  @exclusivity(unchecked) private var blocks: [RawList<UInt>]
  @exclusivity(unchecked) private var sweepBlock: RawList<Int>
  @exclusivity(unchecked) private var sweepCell: RawList<Int>
  @exclusivity(unchecked) private var freeBlocks = RawList<UInt>()
  @exclusivity(unchecked) private var largeBlocks = RawList<UInt>()
  @exclusivity(unchecked) private var chunks = RawList<UInt>()
  @exclusivity(unchecked) private var natives = RawList<UInt>()
  @exclusivity(unchecked) private var markStack = RawList<UInt>()
  @exclusivity(unchecked) private var extended = RawList<UInt>()
  @exclusivity(unchecked) private var nextSerial = 1
  @exclusivity(unchecked) private var markedBytes = 0
  /// Bytes that may still be handed out before the next collection is asked for.
  @exclusivity(unchecked) private var budget = Heap.minimumBudget

  /// Bytes taken from the system.
  @exclusivity(unchecked) private(set) var footprint = 0
  /// Bytes in objects that the last collection found alive, and outside.
  @exclusivity(unchecked) private(set) var liveBytes = 0
  /// Bytes that the program keeps outside of the heap, in tables of the machine.
  @exclusivity(unchecked) private(set) var outsideBytes = 0
  /// Collections so far.
  @exclusivity(unchecked) private(set) var collectionCount = 0
  /// The most bytes the program may keep alive.
  @exclusivity(unchecked) var limit = Int.max

  init(state: StateRef, runs: UnsafeMutablePointer<AllocationRun>) {
    self.state = state
    unsafe self.runs = unsafe runs
    unsafe blocks = (0..<SizeClass.count).map { _ in RawList<UInt>() }
    var positions = RawList<Int>()
    var cells = RawList<Int>()
    for _ in 0..<SizeClass.count {
      positions.append(0)
      cells.append(BlockHeader.cellOffset)
    }
    unsafe sweepBlock = positions
    unsafe sweepCell = cells
  }

  deinit {
    for index in unsafe 0..<natives.count {
      unsafe ObjectRef(Value(bits: natives[index])).native?.release()
    }
    for index in unsafe 0..<largeBlocks.count {
      unsafe free(UnsafeMutableRawPointer(bitPattern: largeBlocks[index]))
    }
    for index in unsafe 0..<chunks.count {
      unsafe free(UnsafeMutableRawPointer(bitPattern: chunks[index]))
    }
    for index in unsafe blocks.indices { unsafe blocks[index].deallocate() }
    unsafe sweepBlock.deallocate()
    unsafe sweepCell.deallocate()
    unsafe freeBlocks.deallocate()
    unsafe largeBlocks.deallocate()
    unsafe chunks.deallocate()
    unsafe natives.deallocate()
    unsafe markStack.deallocate()
    unsafe extended.deallocate()
  }
}

// MARK: - Allocation

extension Heap {
  /// Returns a cell with room for `size` bytes, its contents undefined.
  ///
  /// Never collects and never fails; large requests are checked against the limit before, by
  /// `Machine.reserve`.
  ///
  /// - Complexity: O(1) amortised.
  func allocateCell(size: Int) -> UnsafeMutableRawPointer {
    guard size <= SizeClass.cellLimit else { return unsafe allocateLarge(size: size) }
    let index = SizeClass.index(for: size)
    let cellSize = SizeClass.size(of: index)
    let run = unsafe runs + index
    while true {
      let cell = unsafe run.pointee.cursor
      let next = unsafe cell + cellSize
      if unsafe next <= run.pointee.end {
        unsafe run.pointee.cursor = unsafe next
        return unsafe cell
      }
      unsafe refill(run, sizeClass: index, cellSize: cellSize)
    }
  }

  /// Finds the next run of free cells of a class, in blocks in use first.
  private func refill(
    _ run: UnsafeMutablePointer<AllocationRun>, sizeClass: Int, cellSize: Int
  ) {
    let list = unsafe blocks[sizeClass]
    while unsafe sweepBlock[sizeClass] < list.count {
      let block = unsafe list[sweepBlock[sizeClass]]
      let end = Heap.blockSize - cellSize
      var offset = unsafe sweepCell[sizeClass]
      while offset <= end, isMarked(block: block, offset: offset) { offset += cellSize }
      if offset <= end {
        let start = offset
        while offset <= end, !isMarked(block: block, offset: offset) { offset += cellSize }
        unsafe sweepCell[sizeClass] = offset
        unsafe setRun(run, from: block + UInt(start), to: block + UInt(offset))
        return
      }
      unsafe sweepBlock[sizeClass] += 1
      unsafe sweepCell[sizeClass] = BlockHeader.cellOffset
    }
    let block = takeBlock()
    unsafe header(block).pointee.cellSize = cellSize
    unsafe blocks[sizeClass].append(block)
    let cells = (Heap.blockSize - BlockHeader.cellOffset) / cellSize
    let end = BlockHeader.cellOffset + cells * cellSize
    unsafe sweepBlock[sizeClass] = unsafe blocks[sizeClass].count - 1
    unsafe sweepCell[sizeClass] = Heap.blockSize
    unsafe setRun(run, from: block + UInt(BlockHeader.cellOffset), to: block + UInt(end))
  }

  private func setRun(
    _ run: UnsafeMutablePointer<AllocationRun>, from start: UInt, to end: UInt
  ) {
    unsafe run.pointee.cursor =
      unsafe UnsafeMutableRawPointer(bitPattern: start).unsafelyUnwrapped
    unsafe run.pointee.end = unsafe UnsafeMutableRawPointer(bitPattern: end).unsafelyUnwrapped
    spend(Int(end - start))
  }

  private func spend(_ bytes: Int) {
    unsafe budget -= bytes
    if unsafe budget < 0 { state.requestSafepoint() }
  }

  /// Counts bytes that the program has taken outside of the heap, or given back.
  func countOutside(_ bytes: Int) {
    unsafe outsideBytes += bytes
    if bytes > 0 { spend(bytes) }
  }

  /// Returns a block no class uses, with clear mark bits.
  private func takeBlock() -> UInt {
    if let block = unsafe freeBlocks.popLast() {
      // A block whose memory was given back comes as zeros.
      if unsafe header(block).pointee.serial == 0 { initializeHeader(block, mappedSize: 0) }
      return block
    }
    let size = Heap.blockSize * Heap.chunkBlocks
    guard let chunk = unsafe aligned_alloc(Heap.blockSize, size) else {
      // The limit is far below what the machine has; if even this little is refused, so will be
      // what Swift itself needs next.
      preconditionFailure("the system has no memory left")
    }
    unsafe chunks.append(UInt(bitPattern: chunk))
    unsafe footprint += size
    // In reverse, so that blocks are taken in the order of their addresses.
    for index in (0..<Heap.chunkBlocks).reversed() {
      let block = UInt(bitPattern: chunk) + UInt(index * Heap.blockSize)
      initializeHeader(block, mappedSize: 0)
      unsafe freeBlocks.append(block)
    }
    return takeBlock()
  }

  private func allocateLarge(size: Int) -> UnsafeMutableRawPointer {
    let mapped =
      (BlockHeader.cellOffset + size + Heap.blockSize - 1) / Heap.blockSize * Heap.blockSize
    if unsafe footprint + mapped > limit { returnFreeBlocks() }
    guard let memory = unsafe aligned_alloc(Heap.blockSize, mapped) else {
      preconditionFailure("the system has no memory left")
    }
    let block = UInt(bitPattern: memory)
    initializeHeader(block, mappedSize: mapped)
    unsafe header(block).pointee.cellSize = mapped
    unsafe largeBlocks.append(block)
    unsafe footprint += mapped
    spend(mapped)
    return unsafe memory + BlockHeader.cellOffset
  }

  private func initializeHeader(_ block: UInt, mappedSize: Int) {
    unsafe header(block).initialize(
      to: BlockHeader(cellSize: 0, serial: nextSerial, mappedSize: mappedSize))
    unsafe nextSerial += 1
    clearMarks(block)
  }

  /// Enters an object that holds a retained Swift object, so that its death releases it.
  func addNative(_ object: ObjectRef) {
    unsafe natives.append(object.bits)
  }

  /// Whether `bytes` more would go over the limit, blocks that no object is in left out.
  func exceedsLimit(adding bytes: Int) -> Bool {
    let used = unsafe footprint - freeBlocks.count * Heap.blockSize + outsideBytes
    let (total, overflow) = used.addingReportingOverflow(bytes)
    return unsafe overflow || total > limit
  }

  /// Gives the memory of free blocks back to the system, which the blocks get again when they are
  /// used.
  private func returnFreeBlocks() {
    for index in unsafe 0..<freeBlocks.count {
      let block = unsafe freeBlocks[index]
      guard unsafe header(block).pointee.serial != 0 else { continue }
      // Where the system does not take it, the block stays as it is.
      unsafe madvise(UnsafeMutableRawPointer(bitPattern: block), Heap.blockSize, MADV_DONTNEED)
    }
  }

  /// A number for an object that stays the same while it lives and from run to run.
  @inline(__always)
  func identityHash(_ object: ObjectRef) -> Int {
    let block = object.bits & ~UInt(Heap.blockSize - 1)
    let cell = Int(object.bits & UInt(Heap.blockSize - 1)) >> 4
    return unsafe header(block).pointee.serial << 11 | cell
  }
}

// MARK: - Blocks

extension Heap {
  @inline(__always)
  private func header(_ block: UInt) -> UnsafeMutablePointer<BlockHeader> {
    unsafe UnsafeMutablePointer<BlockHeader>(bitPattern: block).unsafelyUnwrapped
  }

  @inline(__always)
  private func markWord(_ block: UInt, _ offset: Int) -> UnsafeMutablePointer<UInt64> {
    let address = block + UInt(BlockHeader.markOffset + (offset >> 10) << 3)
    return unsafe UnsafeMutablePointer<UInt64>(bitPattern: address).unsafelyUnwrapped
  }

  @inline(__always)
  private func isMarked(block: UInt, offset: Int) -> Bool {
    unsafe markWord(block, offset).pointee & 1 << UInt64((offset >> 4) & 63) != 0
  }

  private func clearMarks(_ block: UInt) {
    let words = unsafe markWord(block, 0)
    for index in 0..<BlockHeader.markBytes / 8 { unsafe words[index] = 0 }
  }

  private func hasMarks(_ block: UInt) -> Bool {
    let words = unsafe markWord(block, 0)
    var union: UInt64 = 0
    for index in 0..<BlockHeader.markBytes / 8 { union |= unsafe words[index] }
    return union != 0
  }

  /// Whether an object was reached by the collection that is going on.
  @inline(__always)
  func isMarked(_ object: ObjectRef) -> Bool {
    let block = object.bits & ~UInt(Heap.blockSize - 1)
    return isMarked(block: block, offset: Int(object.bits & UInt(Heap.blockSize - 1)))
  }
}

// MARK: - Collection

extension Heap {
  /// Whether enough was allocated since the last collection to make another worthwhile.
  var wantsCollection: Bool { unsafe budget < 0 }

  /// Clears the marks; then the caller marks the roots.
  func beginCollection() {
    for list in unsafe blocks {
      for index in 0..<list.count { clearMarks(list[index]) }
    }
    for index in unsafe 0..<largeBlocks.count { unsafe clearMarks(largeBlocks[index]) }
    unsafe markedBytes = 0
  }

  /// Marks a value; what it refers to is marked by the next `drain`.
  @inline(__always)
  func mark(_ value: Value) {
    guard value.isObject else { return }
    let offset = Int(value.bits & UInt(Heap.blockSize - 1))
    let block = value.bits & ~UInt(Heap.blockSize - 1)
    let word = unsafe markWord(block, offset)
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
    while let bits = unsafe markStack.popLast() {
      let object = ObjectRef(Value(bits: bits))
      switch object.formatCode {
      case ObjectFormat.slots.rawValue:
        for index in 0..<object.slotCount { mark(object[slot: index]) }
        if object.classIndex == ClassIndex.blockClosure {
          unsafe Closure(object).code.mark(collection: collectionCount &+ 1)
        }
      case ObjectFormat.array.rawValue:
        for index in 0..<object.elementCount { mark(object[element: index]) }
      default:
        break
      }
      if object.flags & ObjectFlag.extended != 0 { unsafe extended.append(bits) }
    }
  }

  /// Returns an extended object that was marked since the last call, if there is one.
  func nextMarkedExtended() -> ObjectRef? {
    unsafe extended.popLast().map { ObjectRef(Value(bits: $0)) }
  }

  /// Makes the unmarked cells available and releases the Swift objects of dead cells.
  ///
  /// - Complexity: O(blocks + Swift objects).
  func finishCollection() {
    var dead: [Unmanaged<AnyObject>] = unsafe []
    var kept = 0
    for index in unsafe 0..<natives.count {
      let object = unsafe ObjectRef(Value(bits: natives[index]))
      if isMarked(object) {
        unsafe natives[kept] = object.bits
        kept += 1
      } else if let native = unsafe object.native {
        unsafe dead.append(native)
      }
    }
    unsafe natives.removeLast(to: kept)
    releaseUnmarkedBlocks()
    for index in 0..<SizeClass.count {
      unsafe sweepBlock[index] = 0
      unsafe sweepCell[index] = BlockHeader.cellOffset
      unsafe runs[index].end = unsafe runs[index].cursor
    }
    unsafe liveBytes = unsafe markedBytes + outsideBytes
    unsafe collectionCount += 1
    unsafe budget = unsafe Swift.max(Heap.minimumBudget, Swift.min(liveBytes, limit - liveBytes))
    // Last, when the heap is whole again: a deinitialiser may run any code.
    // swift-format-ignore
    for unsafe native in unsafe dead { unsafe native.release() }
  }

  private func releaseUnmarkedBlocks() {
    for sizeClass in 1..<SizeClass.count {
      var kept = 0
      for index in unsafe 0..<blocks[sizeClass].count {
        let block = unsafe blocks[sizeClass][index]
        if hasMarks(block) {
          unsafe blocks[sizeClass][kept] = block
          kept += 1
        } else {
          unsafe header(block).pointee.cellSize = 0
          unsafe freeBlocks.append(block)
        }
      }
      unsafe blocks[sizeClass].removeLast(to: kept)
    }
    var kept = 0
    for index in unsafe 0..<largeBlocks.count {
      let block = unsafe largeBlocks[index]
      if hasMarks(block) {
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

// MARK: - Checks

extension Heap {
  /// Overwrites every dead cell, so that a reference the roots missed is noticed at its next use.
  ///
  /// - Complexity: O(heap).
  func poisonDeadCells() {
    for list in unsafe blocks {
      for index in 0..<list.count {
        let block = list[index]
        let cellSize = unsafe header(block).pointee.cellSize
        var offset = BlockHeader.cellOffset
        while offset + cellSize <= Heap.blockSize {
          if !isMarked(block: block, offset: offset) {
            let cell = unsafe UnsafeMutableRawPointer(bitPattern: block + UInt(offset))
              .unsafelyUnwrapped
            unsafe cell.initializeMemory(as: UInt8.self, repeating: 0xDB, count: cellSize)
          }
          offset += cellSize
        }
      }
    }
  }
}
