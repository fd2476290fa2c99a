internal import TenonSolverKit
internal import TenonTables

/// What many records have in common, kept once: each record has a number instead.
///
/// What was taken lately is found again, so that what is taken many times in a row is kept once; what
/// was not may be kept twice. So it costs nothing to speak of where no two records have the same.
struct SharedTable<Element>: ~Copyable {
  /// How many of those taken lately are known, two of each hash: two that are taken in turns, and happen
  /// to have the same, do not drive each other out.
  private static var recentCount: Int { 128 }

  private let elements = PagedTable<Element?>()
  /// How many records have an element.
  private let uses = FlatTable<Int32>()
  /// The numbers that nobody has.
  private let free = FlatTable<Int32>()
  private let recent = FlatTable<Int32>()
  /// Where an element would be among those taken lately.
  private let slots = FlatTable<UInt8>()

  /// How many elements are kept.
  var count: Int { elements.count - free.count }

  /// How many there is a record for.
  var capacity: Int { elements.count }

  /// What has a number.
  @inline(__always)
  subscript(number: Int32) -> Element? { elements[number] }

  /// Takes an element for one record more.
  ///
  /// - Parameters:
  ///   - element: The element.
  ///   - hash: The same for elements that are the same.
  ///   - isSame: Whether another one is the same.
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
    // The one that came before the last is given up.
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

  /// Gives an element up for one of the records that have it.
  func release(_ number: Int32) {
    uses[number] -= 1
    guard uses[number] == 0 else { return }
    forgetRecent(number)
    free.append(number)
    // Last: what the element does as it is let go of may come back here.
    let old = elements[number]
    elements[number] = nil
    withExtendedLifetime(old) {}
  }

  /// Has a number that nobody has any more not be found: it would drive out one that is still had.
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
