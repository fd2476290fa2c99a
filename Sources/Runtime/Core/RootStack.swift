internal import TenonTables

/// The values that native code keeps alive for the time of a call: roots of the collector.
///
/// Whoever adds some takes them away again by their count before, in the order of calls.
struct RootStack: ~Copyable {
  private let values = FlatTable<Value>()

  var count: Int {
    @inline(__always) get { values.count }
  }

  var last: Value? { count > 0 ? values[count - 1] : nil }

  /// A value by its number, `0 ..< count`.
  subscript(index: Int) -> Value {
    @inline(__always) get { values[index] }
    @inline(__always) nonmutating set { values[index] = newValue }
  }

  /// The values from a number on, `0 ... count`.
  ///
  /// - Complexity: O(*number of them*).
  subscript(range: PartialRangeFrom<Int>) -> [Value] {
    (range.lowerBound..<count).map { values[$0] }
  }

  /// - Complexity: O(1), amortised.
  @inline(__always)
  func append(_ value: Value) { values.append(value) }

  /// - Complexity: O(*number of them*), amortised.
  func append(contentsOf more: some Sequence<Value>) {
    for value in more { values.append(value) }
  }

  @inline(__always)
  func removeLast(_ number: Int = 1) { values.shorten(to: values.count - number) }

  /// Takes the last values away, so that at most so many are left.
  @inline(__always)
  func shorten(to count: Int) { values.shorten(to: count) }

  /// Exchanges the values with those of another evaluation.
  func exchange(with other: borrowing RootStack) { values.exchange(with: other.values) }

  /// - Complexity: O(*number of them*).
  func mark(_ heap: Heap) {
    for index in 0..<count { heap.mark(values[index]) }
  }
}
