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

  private let entries: UnsafeMutablePointer<Entry?>

  init() {
    unsafe entries = .allocate(capacity: LookupCache.size)
    unsafe entries.initialize(repeating: nil, count: LookupCache.size)
  }

  func deallocate() {
    unsafe entries.deallocate()
  }

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

  func clear() {
    unsafe entries.update(repeating: nil, count: LookupCache.size)
  }
}
