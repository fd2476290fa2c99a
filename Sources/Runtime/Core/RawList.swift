/// A growing list in raw memory: no exclusivity checks, no reference counting.
///
/// A copy shares the elements; the owner deallocates them.
@safe
struct RawList<Element: BitwiseCopyable> {
  private(set) var count = 0
  private var capacity = 0
  private var elements: UnsafeMutablePointer<Element>?

  init() {}

  @inline(__always) var isEmpty: Bool { count == 0 }

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
