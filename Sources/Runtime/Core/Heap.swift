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
  static let coarse = [320, 384, 512, 640, 768, 1024, 1328, 1600, 2000, 2672, 4016, 8048]
  /// The most bytes a cell in a block may have; larger objects get memory of their own.
  static let cellLimit = 8048
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

/// The header at the start of every block of cells; two maps follow, then the cells.
@unsafe
struct BlockHeader {
  /// Bytes of a cell; 0 while the block is free.
  var cellSize: Int
  /// A number that is different for every block of an interpreter and the same in every run.
  var serial: Int
  /// The bytes taken from the system, for an object with memory of its own.
  var mappedSize: Int
  /// The heap that the block belongs to: how a store into an object finds the collector.
  var heap: Unmanaged<Heap>

  static let firstMap = 64
  /// One bit for every 16 bytes of the block.
  static let mapBytes = Heap.blockSize / 16 / 8
  static let secondMap = firstMap + mapBytes
  static let cellOffset = secondMap + mapBytes
}

/// The memory of one interpreter: blocks of equal cells, marked and reused in place.
///
/// Objects never move. A block's mark bits are its free map: after a collection the allocator
/// walks them and hands out the runs of unmarked cells; nothing is swept. There are two maps, so
/// that the next collection can set marks while the allocator still reads those of the last.
/// Collections happen only at safepoints, when the evaluator asks; allocation merely requests one.
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
  static let minimumBudget = 4 << 20

  private let state: StateRef
  let runs: UnsafeMutablePointer<AllocationRun>

  @exclusivity(unchecked) var blocks: [RawList<UInt>]
  @exclusivity(unchecked) var sweepBlock: RawList<Int>
  @exclusivity(unchecked) var sweepCell: RawList<Int>
  @exclusivity(unchecked) var freeBlocks = RawList<UInt>()
  @exclusivity(unchecked) var largeBlocks = RawList<UInt>()
  @exclusivity(unchecked) private var chunks = RawList<UInt>()
  /// The blocks of the last chunk that nobody has touched, and the number of the last of them.
  @exclusivity(unchecked) private var fresh: (first: UInt, end: UInt, serial: Int) = (0, 0, 0)
  @exclusivity(unchecked) private var nextSerial = 1

  // MARK: Marking
  /// The offset in a block of the map that says which cells are taken: the marks of the last
  /// collection.
  @exclusivity(unchecked) var freeMap = unsafe BlockHeader.firstMap
  /// The offset in a block of the map that the next collection marks in; clear until it begins.
  @exclusivity(unchecked) var markMap = unsafe BlockHeader.secondMap
  /// Objects that are marked and not scanned yet.
  @exclusivity(unchecked) var markStack = RawList<UInt>()
  /// Long arrays of which a part has been scanned.
  @exclusivity(unchecked) var partlyScanned = RawList<PartialScan>()
  @exclusivity(unchecked) var extended = RawList<UInt>()
  @exclusivity(unchecked) var markedBytes = 0
  /// Whether a collection has begun and not ended.
  @exclusivity(unchecked) var isMarking = false

  // MARK: Pace
  /// Bytes that may still be handed out before the next collection or slice is asked for.
  @exclusivity(unchecked) var budget = Heap.minimumBudget
  /// The sum of the budgets since the last collection.
  @exclusivity(unchecked) var granted = Heap.minimumBudget
  /// Bytes that may be allocated before a collection that goes on has to end.
  @exclusivity(unchecked) var allocationLimit = Heap.minimumBudget

  /// Bytes taken from the system.
  @exclusivity(unchecked) var footprint = 0
  /// Bytes in objects that the last collection found alive, and outside.
  @exclusivity(unchecked) var liveBytes = 0
  /// Bytes that the program keeps outside of the heap, in tables of the machine.
  @exclusivity(unchecked) private(set) var outsideBytes = 0
  /// Collections so far.
  @exclusivity(unchecked) var collectionCount = 0
  /// The most bytes the program may keep alive.
  @exclusivity(unchecked) var limit = Int.max
  /// Living objects that collections in slices have not marked: always 0 unless the collector is
  /// wrong; counted when the interpreter tests itself.
  @exclusivity(unchecked) var missedObjects = 0

  init(state: StateRef, runs: UnsafeMutablePointer<AllocationRun>) {
    self.state = state
    unsafe self.runs = unsafe runs
    unsafe blocks = (0..<SizeClass.count).map { _ in RawList<UInt>() }
    var positions = RawList<Int>()
    var cells = RawList<Int>()
    for _ in 0..<SizeClass.count {
      positions.append(0)
      unsafe cells.append(BlockHeader.cellOffset)
    }
    unsafe sweepBlock = positions
    unsafe sweepCell = cells
  }

  deinit {
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
    unsafe markStack.deallocate()
    unsafe partlyScanned.deallocate()
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
    let map = unsafe freeMap
    while unsafe sweepBlock[sizeClass] < list.count {
      let block = unsafe list[sweepBlock[sizeClass]]
      let end = Heap.blockSize - cellSize
      var offset = unsafe sweepCell[sizeClass]
      while offset <= end, isMarked(block, offset, in: map) { offset += cellSize }
      if offset <= end {
        let start = offset
        while offset <= end, !isMarked(block, offset, in: map) { offset += cellSize }
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
    let cells = unsafe (Heap.blockSize - BlockHeader.cellOffset) / cellSize
    let end = unsafe BlockHeader.cellOffset + cells * cellSize
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
      if unsafe header(block).pointee.serial == 0 {
        initializeHeader(block, serial: takeSerials(1), mappedSize: 0)
      }
      return block
    }
    if unsafe fresh.first == fresh.end { addChunk() }
    let block = unsafe fresh.first
    unsafe fresh.first += UInt(Heap.blockSize)
    let left = unsafe (fresh.end - fresh.first) / UInt(Heap.blockSize)
    initializeHeader(block, serial: unsafe fresh.serial + Int(left), mappedSize: 0)
    return block
  }

  /// Gets more memory, which is not touched before its blocks are taken.
  private func addChunk() {
    let size = Heap.blockSize * Heap.chunkBlocks
    guard let chunk = unsafe aligned_alloc(Heap.blockSize, size) else {
      // The limit is far below what the machine has; if even this little is refused, so will be
      // what Swift itself needs next.
      preconditionFailure("the system has no memory left")
    }
    unsafe chunks.append(UInt(bitPattern: chunk))
    unsafe footprint += size
    let first = UInt(bitPattern: chunk)
    unsafe fresh = (first, first + UInt(size), takeSerials(Heap.chunkBlocks))
  }

  /// Takes numbers for so many blocks.
  ///
  /// - Returns: The first one.
  private func takeSerials(_ count: Int) -> Int {
    defer { unsafe nextSerial += count }
    return unsafe nextSerial
  }

  private func allocateLarge(size: Int) -> UnsafeMutableRawPointer {
    let mapped =
      unsafe (BlockHeader.cellOffset + size + Heap.blockSize - 1) / Heap.blockSize * Heap.blockSize
    if unsafe footprint + mapped > limit { returnFreeBlocks() }
    guard let memory = unsafe aligned_alloc(Heap.blockSize, mapped) else {
      preconditionFailure("the system has no memory left")
    }
    let block = UInt(bitPattern: memory)
    initializeHeader(block, serial: takeSerials(1), mappedSize: mapped)
    unsafe header(block).pointee.cellSize = mapped
    unsafe largeBlocks.append(block)
    unsafe footprint += mapped
    spend(mapped)
    return unsafe memory + BlockHeader.cellOffset
  }

  private func initializeHeader(_ block: UInt, serial: Int, mappedSize: Int) {
    unsafe header(block).initialize(
      to: BlockHeader(
        cellSize: 0, serial: serial, mappedSize: mappedSize,
        heap: Unmanaged.passUnretained(self)))
    unsafe clearMap(BlockHeader.firstMap, of: block)
    unsafe clearMap(BlockHeader.secondMap, of: block)
  }

  /// Whether `bytes` more would go over the limit, blocks that no object is in left out.
  func exceedsLimit(adding bytes: Int) -> Bool {
    let free = unsafe freeBlocks.count * Heap.blockSize + Int(fresh.end - fresh.first)
    let used = unsafe footprint - free + outsideBytes
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
  func header(_ block: UInt) -> UnsafeMutablePointer<BlockHeader> {
    unsafe UnsafeMutablePointer<BlockHeader>(bitPattern: block).unsafelyUnwrapped
  }

  /// The word of a map that has the bit of a cell.
  @inline(__always)
  func mapWord(_ block: UInt, _ offset: Int, in map: Int) -> UnsafeMutablePointer<UInt64> {
    let address = block + UInt(map + (offset >> 10) << 3)
    return unsafe UnsafeMutablePointer<UInt64>(bitPattern: address).unsafelyUnwrapped
  }

  @inline(__always)
  func isMarked(_ block: UInt, _ offset: Int, in map: Int) -> Bool {
    unsafe mapWord(block, offset, in: map).pointee & 1 << UInt64((offset >> 4) & 63) != 0
  }

  func clearMap(_ map: Int, of block: UInt) {
    let words = unsafe mapWord(block, 0, in: map)
    for index in unsafe 0..<BlockHeader.mapBytes / 8 { unsafe words[index] = 0 }
  }

  func hasMarks(_ block: UInt, in map: Int) -> Bool {
    let words = unsafe mapWord(block, 0, in: map)
    var union: UInt64 = 0
    for index in unsafe 0..<BlockHeader.mapBytes / 8 { union |= unsafe words[index] }
    return union != 0
  }

  /// Calls a function with each block that objects are in.
  func forEachBlock(_ body: (UInt) -> Void) {
    for list in unsafe blocks {
      for index in 0..<list.count { body(list[index]) }
    }
    for index in unsafe 0..<largeBlocks.count { unsafe body(largeBlocks[index]) }
  }

  /// Whether an object was reached by the collection that is going on.
  @inline(__always)
  func isMarked(_ object: ObjectRef) -> Bool {
    let block = object.bits & ~UInt(Heap.blockSize - 1)
    let offset = Int(object.bits & UInt(Heap.blockSize - 1))
    return unsafe isMarked(block, offset, in: markMap)
  }
}
