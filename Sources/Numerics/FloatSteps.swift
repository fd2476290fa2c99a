/// The floats from a start up or down to a stop at equal distances, as loops and intervals have them.
///
/// An element is the float nearest to the exact sum of the start and so many steps, so that steps do
/// not add up errors; how many there are is chosen before the first one. They are those that
/// exact arithmetic gives, and one more where that would be the stop when it is rounded: the
/// eleventh of 0, 0.1, 0.2 … 1, since 0.1 as a float is a bit more than a tenth. None is beyond the
/// stop.
public struct FloatSteps {
  @usableFromInline let start: Double
  @usableFromInline let step: Double
  private let stop: Double

  /// How many there are; nil when there is no last one.
  public let exactCount: LargeInteger?
  /// How many there are, so far as a machine word counts.
  public let count: Int

  /// - Requires: The step is not 0.
  package init(from start: Double, to stop: Double, by step: Double) {
    self.start = start
    self.step = step
    self.stop = stop
    exactCount = FloatSteps.count(start, stop, step)
    count = exactCount.map { $0.exactInt ?? .max } ?? .max
  }

  /// The element at an offset from 0 below `count`.
  @inlinable @inline(__always)
  public subscript(offset: Int) -> Double {
    if offset == 0 { return start }
    return offset < 1 << 53
      ? FloatSteps.element(start, step, offset) : FloatSteps.farElement(start, step, offset)
  }

  @inlinable @inline(__always)
  static func element(_ start: Double, _ step: Double, _ offset: Int) -> Double {
    start.addingProduct(step, Double(offset))
  }

  /// An element whose offset is no float.
  @usableFromInline @inline(never)
  static func farElement(_ start: Double, _ step: Double, _ offset: Int) -> Double {
    guard let first = LargeInteger.fraction(of: start),
      let distance = LargeInteger.fraction(of: step)
    else { return start }
    return nearest(first, distance, LargeInteger(offset))
  }

  /// The float nearest to the sum of a start and so many steps.
  private static func nearest(
    _ start: FloatDivision.Ratio, _ step: FloatDivision.Ratio, _ count: LargeInteger
  ) -> Double {
    LargeInteger.nearestDouble(
      numerator: start.numerator * step.denominator + count * step.numerator * start.denominator,
      denominator: start.denominator * step.denominator)
  }

  private static func isBeyond(_ value: Double, _ stop: Double, _ step: Double) -> Bool {
    step > 0 ? value > stop : value < stop
  }

  private static func count(_ start: Double, _ stop: Double, _ step: Double) -> LargeInteger? {
    // What is not a number is before no stop.
    guard step > 0 ? start <= stop : step < 0 && start >= stop else { return .zero }
    guard step.isFinite else { return .one }
    guard start.isFinite, stop.isFinite else { return nil }
    return few(start, stop, step).map { LargeInteger($0) } ?? many(start, stop, step)
  }

  /// Counts steps that all lead to other floats, by an estimate that is off by one or two.
  private static func few(_ start: Double, _ stop: Double, _ step: Double) -> Int? {
    let estimate = (stop - start) / step
    guard estimate < 0x1p50, step.magnitude >= 2 * max(start.ulp, stop.ulp) else { return nil }
    var last = Int(estimate)
    while last > 0, isBeyond(element(start, step, last), stop, step) { last -= 1 }
    while !isBeyond(element(start, step, last + 1), stop, step) { last += 1 }
    return last + 1
  }

  /// Counts steps by exact arithmetic: very many, or so small that several of them lead to one float.
  private static func many(_ start: Double, _ stop: Double, _ step: Double) -> LargeInteger? {
    guard let first = LargeInteger.fraction(of: start), let end = LargeInteger.fraction(of: stop),
      let distance = LargeInteger.fraction(of: step)
    else { return nil }
    let span = (
      numerator: end.numerator * first.denominator - first.numerator * end.denominator,
      denominator: end.denominator * first.denominator
    )
    guard let last = FloatDivision.quotient(span, distance, .down) else { return nil }
    let next = last + 1
    return isBeyond(nearest(first, distance, next), stop, step) ? next : next + 1
  }
}
