internal import TenonSolverKit
internal import TenonTables

/// Elements that many records have in common, kept once: each record has a number instead.
///
/// An element that was taken lately is found again, so that one taken many times in a row is kept once;
/// others may be kept twice. So it costs little where no two records have the same.
struct SharedTable<Element>: ~Copyable {
  /// The number of recent elements that are known, two of each hash: two that are taken in turns, and happen
  /// to have the same hash, do not displace each other.
  private static var recentCount: Int { 128 }

  private let elements = PagedTable<Element?>()
  /// The number of records that have an element.
  private let uses = FlatTable<Int32>()
  /// The free numbers.
  private let free = FlatTable<Int32>()
  private let recent = FlatTable<Int32>()
  /// The index of an element among the recent ones.
  private let slots = FlatTable<UInt8>()

  /// The number of elements.
  var count: Int { elements.count - free.count }

  /// The number of records for elements.
  var capacity: Int { elements.count }

  /// The element of a number.
  @inline(__always)
  subscript(number: Int32) -> Element? { elements[number] }

  /// Takes an element for another record.
  ///
  /// - Parameters:
  ///   - element: The element.
  ///   - hash: A hash that is equal for equal elements.
  ///   - isSame: Returns whether another element is equal.
  /// - Returns: its number, until the record gives it up.
  func take(_ element: Element, hash: UInt, where isSame: (Element) -> Bool) -> Int32 {
    if recent.isEmpty { recent.extend(to: Self.recentCount, with: -1) }
    let slot = 2 * Int(hash % UInt(Self.recentCount / 2))
    for way in slot...slot + 1 {
      let known = recent[way]
      guard known >= 0, uses[known] < .max, let last = elements[known], isSame(last) else {
        continue
      }
      uses[known] += 1
      return known
    }
    let number = add(element)
    // The element that came before the last is displaced.
    recent[slot + 1] = recent[slot]
    recent[slot] = number
    slots[number] = UInt8(truncatingIfNeeded: slot)
    return number
  }

  /// Takes an element for one record that shares it with no other.
  ///
  /// - Returns: its number, until the record gives it up.
  func add(_ element: Element) -> Int32 {
    if let number = free.popLast() {
      elements[number] = element
      uses[number] = 1
      return number
    }
    elements.append(element)
    uses.append(1)
    slots.append(0)
    return Int32(clamping: elements.count - 1)
  }

  /// Releases an element for one of the records that have it.
  func release(_ number: Int32) {
    uses[number] -= 1
    guard uses[number] == 0 else { return }
    forgetRecent(number)
    free.append(number)
    // Last: code that runs when the element is released may come back here.
    let old = elements[number]
    elements[number] = nil
    withExtendedLifetime(old) {}
  }

  /// Removes a free number from the recent ones: it would displace one that is in use.
  private func forgetRecent(_ number: Int32) {
    guard !recent.isEmpty else { return }
    let slot = Int(slots[number])
    if recent[slot] == number {
      recent[slot] = recent[slot + 1]
      recent[slot + 1] = -1
    } else if recent[slot + 1] == number {
      recent[slot + 1] = -1
    }
  }
}
