/// The variables of an OrderedCollection: an array and the places of its first and last element.
@safe
struct OrderedElements {
  let object: ObjectRef

  init(_ value: Value) { object = ObjectRef(value) }

  enum Slot {
    static let elements = 0
    static let first = 1
    static let last = 2
    /// How often elements were removed or replaced as a whole; nil for never.
    static let removals = 3
    /// The variables that say what the elements are.
    static let count = 3
  }

  /// The array, if the object has been initialised.
  func array() throws(Failure) -> ObjectRef {
    guard object[slot: Slot.elements].isObject(ofClass: ClassIndex.array) else {
      throw Failure(.error, "the collection has not been initialised")
    }
    return ObjectRef(object[slot: Slot.elements])
  }

  /// The array, unless somebody must hear of changes.
  @inline(__always) var unwatchedArray: ObjectRef? {
    let value = object[slot: Slot.elements]
    return object.flags & ObjectFlag.watched == 0 && value.isObject(ofClass: ClassIndex.array)
      ? ObjectRef(value) : nil
  }

  /// Whether there are elements, all of which stand in an array.
  @inline(__always)
  func hasElements(in array: ObjectRef) -> Bool {
    start >= 0 && start < end && end <= array.elementCount
  }

  /// The offset of the first element in the array; whatever a program has written, not below 0.
  var start: Int { max(0, (object[slot: Slot.first].asSmallInteger ?? 1) - 1) }
  /// The offset after the last element; whatever a program has written, not below 0.
  var end: Int { max(0, object[slot: Slot.last].asSmallInteger ?? 0) }
  var count: Int { max(0, end - start) }

  /// Has loops notice that elements have gone, which others may have come for since.
  @inline(__always)
  func recordRemoval() {
    let removals = object[slot: Slot.removals].asSmallInteger ?? 0
    object[slot: Slot.removals] = Value(small: removals &+ 1)
  }

  /// Has the first elements of an array in place of its own.
  func set(_ array: ObjectRef, count: Int) {
    recordRemoval()
    object[slot: Slot.elements] = Value(array)
    set(start: 0, end: count)
  }

  func set(start: Int, end: Int) {
    object[slot: Slot.first] = Value(small: start + 1)
    object[slot: Slot.last] = Value(small: end)
  }
}
