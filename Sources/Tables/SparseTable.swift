/// What some of the records of another table have, by their numbers: a column with gaps.
///
/// A number that has nothing costs nothing here as long as few have something; where nearly all have,
/// it costs four bytes besides the element.
///
/// - Complexity: O(1) for each operation, amortised.
@safe
@frozen
public struct SparseTable<Element>: ~Copyable {
  @usableFromInline let places = NumberMap()
  @usableFromInline let elements = PagedTable<Element?>()
  /// The numbers of elements that are not used, the last one given up first.
  @usableFromInline let free = FlatTable<Int32>()

  /// Creates a table in which no number has anything.
  @inlinable
  public init() {}

  /// How many numbers have something.
  @inlinable public var count: Int { places.count }

  /// Whether a number has something.
  @inlinable
  @inline(__always)
  public func contains(_ number: Int32) -> Bool { places[number] >= 0 }

  /// What a number has, which is not negative; nil when it has nothing.
  @inlinable
  public subscript(number: Int32) -> Element? {
    @inline(__always) get {
      let place = places[number]
      return place < 0 ? nil : elements[place]
    }
    nonmutating set {
      let place = places[number]
      if let newValue {
        if place < 0 { enter(number, newValue) } else { elements[place] = newValue }
      } else if place >= 0 {
        remove(number, place)
      }
    }
  }

  @usableFromInline
  func enter(_ number: Int32, _ element: Element) {
    let place: Int32
    if let known = free.popLast() {
      place = known
      elements[place] = element
    } else {
      place = Int32(clamping: elements.count)
      elements.append(element)
    }
    places.set(number, to: place)
  }

  @usableFromInline
  func remove(_ number: Int32, _ place: Int32) {
    places.remove(number)
    free.append(place)
    // Last: what the element does as it is let go of may come back here.
    let old = elements[place]
    elements[place] = nil
    withExtendedLifetime(old) {}
  }
}
