/// The machine's memory of which body a class has for a selector: what sends with many receiver
/// classes use instead of a cache of their own.
///
/// Direct-mapped, in raw memory; a collision overwrites. It is emptied when any method changes.
@safe
struct LookupCache {
  private static let size = 1024

  private struct Entry {
    var classIndex: UInt32
    var selector: UInt32
    var body: NodeRef
  }

  /// What the short way to memory stores relies on, for as long as no method changes.
  struct Memory {
    /// The number of no class.
    static let noClass = UInt32.max

    var isKnown = false
    /// The class of plain memory stores; of none when a program has replaced how they read or write.
    var store = noClass
    /// The class of references.
    var reference = noClass
    /// The class of what has the entries.
    var entries = noClass

    var isPlain: Bool { store != Memory.noClass }
  }

  private let entries: UnsafeMutablePointer<Entry?>
  private let knownMemory: UnsafeMutablePointer<Memory>
  /// Classes and whether their instances are shown by `displayString`: the class's index, a bit that is
  /// set, and the answer.
  private let displays: UnsafeMutablePointer<UInt32>
  private static let displayCount = 64

  init() {
    unsafe knownMemory = .allocate(capacity: 1)
    unsafe knownMemory.initialize(to: Memory())
    unsafe displays = .allocate(capacity: LookupCache.displayCount)
    unsafe displays.initialize(repeating: 0, count: LookupCache.displayCount)
    unsafe entries = .allocate(capacity: LookupCache.size)
    unsafe entries.initialize(repeating: nil, count: LookupCache.size)
  }

  func deallocate() {
    unsafe entries.deallocate()
    unsafe knownMemory.deallocate()
    unsafe displays.deallocate()
  }

  var memory: Memory {
    @inline(__always) get { unsafe knownMemory.pointee }
  }

  /// Remembers how memory stores are reached until a method changes.
  func record(_ memory: Memory) { unsafe knownMemory.pointee = memory }

  @inline(__always)
  private func slot(_ classIndex: UInt32, _ selector: Int) -> UnsafeMutablePointer<Entry?> {
    let mixed = Int(classIndex) &* 0x9E37 ^ selector &* 31
    return unsafe entries + (mixed & (LookupCache.size - 1))
  }

  func body(classIndex: UInt32, selector: Int) -> NodeRef? {
    guard let entry = unsafe slot(classIndex, selector).pointee,
      entry.classIndex == classIndex, Int(entry.selector) == selector
    else { return nil }
    return entry.body
  }

  func enter(_ body: NodeRef, classIndex: UInt32, selector: Int) {
    unsafe slot(classIndex, selector).pointee = Entry(
      classIndex: classIndex, selector: UInt32(truncatingIfNeeded: selector), body: body)
  }

  /// Whether the instances of a class are shown by `displayString`; nil when that is not remembered.
  func showsDisplayString(_ classIndex: UInt32) -> Bool? {
    let entry = unsafe displays[Int(classIndex) & (LookupCache.displayCount - 1)]
    return entry >> 1 == classIndex << 1 | 1 ? entry & 1 == 1 : nil
  }

  func recordDisplay(_ classIndex: UInt32, byString: Bool) {
    unsafe displays[Int(classIndex) & (LookupCache.displayCount - 1)] =
      classIndex << 2 | 2 | (byString ? 1 : 0)
  }

  func clear() {
    unsafe displays.update(repeating: 0, count: LookupCache.displayCount)
    unsafe entries.update(repeating: nil, count: LookupCache.size)
    unsafe knownMemory.pointee = Memory()
  }
}
