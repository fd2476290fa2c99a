/// Floating-point numbers as text, and back, both exact: what is printed reads as the same number.
public enum FloatText {
  /// The exponents of the numbers that are printed without one: `0.00001` up to 16 digits.
  private static let plainExponents = -5..<16

  /// Returns the shortest decimal text that reads as the number, always with a point: `100.0`,
  /// `37.5`, `1.0e100`, `1.0e-7`; nil if the number is infinite or not a number.
  public static func shortest(_ value: Double) -> String? {
    guard value.isFinite else { return nil }
    // Without an exponent the standard library's layout is the same.
    let description = value.description
    if value.magnitude < 1e16, !description.utf8.contains(UInt8(ascii: "e")) { return description }
    guard let (digits, exponent) = shortestDigits(value) else { return nil }
    var text: [UInt8] = value.sign == .minus ? [UInt8(ascii: "-")] : []
    let zero = UInt8(ascii: "0")
    let point = UInt8(ascii: ".")
    if !plainExponents.contains(exponent) {
      text += [digits[0], point]
      text += digits.count > 1 ? digits[1...] : [zero]
      text.append(UInt8(ascii: "e"))
      text += Array(String(exponent).utf8)
    } else if exponent < 0 {
      text += [zero, point]
      text += [UInt8](repeating: zero, count: -exponent - 1)
      text += digits
    } else {
      let (whole, fraction) = (digits.prefix(exponent + 1), digits.dropFirst(exponent + 1))
      text += whole
      text += [UInt8](repeating: zero, count: exponent + 1 - whole.count)
      text.append(point)
      text += fraction.isEmpty ? [zero] : fraction
    }
    return String(decoding: text, as: UTF8.self)
  }

  /// Returns the fewest decimal digits that stand for the magnitude of a number and no other, and
  /// the power of ten that the first of them counts; nil if the number is infinite or not a number.
  ///
  /// The digits are in ASCII, without zeros at either end; zero has the one digit zero. Of several
  /// shortest texts it is the one nearest to the number.
  ///
  /// Algorithm: Whatever the standard library's `description` uses (now Kientzle's variant of
  /// Adams, "Ryū revisited", 2019), of which only the layout is changed here.
  static func shortestDigits(_ value: Double) -> (digits: [UInt8], exponent: Int)? {
    guard value.isFinite else { return nil }
    let text = value.magnitude.description.utf8
    let mark = text.firstIndex(of: UInt8(ascii: "e")) ?? text.endIndex
    var digits = text[..<mark].filter { $0 != UInt8(ascii: ".") }
    let point = text[..<mark].firstIndex(of: UInt8(ascii: ".")) ?? mark
    var exponent = text.distance(from: text.startIndex, to: point) - 1
    if mark < text.endIndex {
      exponent += Int(String(text[text.index(after: mark)...]) ?? "") ?? 0
    }
    let zeros = digits.prefix { $0 == UInt8(ascii: "0") }.count
    if zeros == digits.count { return ([UInt8(ascii: "0")], 0) }
    digits.removeFirst(zeros)
    exponent -= zeros
    while digits.last == UInt8(ascii: "0") { digits.removeLast() }
    return (digits, exponent)
  }

  /// Returns the float nearest to `digits * 10^exponent`, the even one of two that are equally near.
  ///
  /// Infinite if the number is beyond all floats; nil if there are no digits, or others than ASCII
  /// digits.
  ///
  /// - Complexity: O(n) for n digits, whatever the exponent.
  ///
  /// Algorithm: The standard library reads the number (correctly on all platforms we know; the
  /// tests compare it with exact fractions), of which it sees 800 digits at most: no two adjacent
  /// floats have a middle of more than 768, so all that follow count as one digit.
  public static func value(
    digits: some Sequence<UInt8>, exponent: Int, isNegative: Bool = false
  ) -> Double? {
    let limit = 800
    var significant: [UInt8] = []
    var dropped = 0
    var isInexact = false
    var isEmpty = true
    for digit in digits {
      guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(digit) else { return nil }
      isEmpty = false
      if significant.isEmpty && digit == UInt8(ascii: "0") { continue }
      if significant.count < limit {
        significant.append(digit)
      } else {
        dropped += 1
        isInexact = isInexact || digit != UInt8(ascii: "0")
      }
    }
    if isEmpty { return nil }
    let magnitude = nearest(significant, dropped: dropped, isInexact, exponent)
    return isNegative ? -magnitude : magnitude
  }

  private static func nearest(
    _ digits: [UInt8], dropped: Int, _ isInexact: Bool, _ exponent: Int
  ) -> Double {
    // Beyond these borders nothing depends on the exponent any more.
    let border = 1 << 40
    let exponent = max(-border, min(exponent, border)) + dropped
    guard !digits.isEmpty, digits.count + exponent > -400 else { return 0 }
    guard digits.count + exponent < 400 else { return .infinity }
    if let value = product(digits, exponent) { return value }
    return isInexact
      ? libraryNearest(digits + [UInt8(ascii: "1")], exponent - 1)
      : libraryNearest(digits, exponent)
  }

  private static func libraryNearest(_ digits: [UInt8], _ exponent: Int) -> Double {
    let text = String(decoding: digits, as: UTF8.self) + "e" + String(exponent)
    return Double(text) ?? exactlyNearest(digits, exponent)
  }

  /// Returns the float nearest to `digits * 10^exponent` if both factors are floats themselves, so
  /// that their product or quotient is rounded but once; else nil.
  ///
  /// Algorithm: Clinger, "How to read floating point numbers accurately", 1990.
  private static func product(_ digits: [UInt8], _ exponent: Int) -> Double? {
    guard digits.count <= 15, (-22...22).contains(exponent) else { return nil }
    var integer = 0
    for digit in digits { integer = 10 * integer + Int(digit - UInt8(ascii: "0")) }
    var power = 1.0
    for _ in 0..<exponent.magnitude { power *= 10 }
    return exponent < 0 ? Double(integer) / power : Double(integer) * power
  }

  /// Returns the float nearest to `digits * 10^exponent`, by division of integers.
  ///
  /// - Complexity: O(n squared) for n digits, or an exponent of that size.
  static func exactlyNearest(_ digits: [UInt8], _ exponent: Int) -> Double {
    guard let integer = LargeInteger(digits: digits, radix: 10, poll: {}) else { return .nan }
    let power = LargeInteger.powerOfTen(Int(exponent.magnitude))
    return exponent < 0
      ? LargeInteger.nearestDouble(numerator: integer, denominator: power)
      : (integer * power).nearestDouble
  }
}
