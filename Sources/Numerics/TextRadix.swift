/// A radix that is no power of two, and what the conversion from and to its digits needs.
///
/// Digits are taken in chunks, as many as fit in a limb: 19 decimal digits.
struct TextRadix {
  /// The number of digits in a chunk.
  private let chunkLength: Int

  /// The radix to the power of `chunkLength`.
  private let chunk: UInt64

  /// The radix itself.
  private let radix: UInt64

  /// Powers of the radix, each the square of the one before it, and how many zeros it has.
  private(set) var powers: [(value: LargeInteger, zeros: Int)] = []

  /// Prepares a radix in `2 ... 36`.
  init(_ radix: Int) {
    precondition((2...36).contains(radix), "radix out of range")
    self.radix = UInt64(radix)
    var chunk = self.radix
    var length = 1
    while true {
      let (next, overflow) = chunk.multipliedReportingOverflow(by: self.radix)
      if overflow { break }
      chunk = next
      length += 1
    }
    self.chunk = chunk
    chunkLength = length
  }

  /// The number of chunks that a number of some bits has at most.
  func chunkCount(bitLength: Int) -> Int {
    bitLength / (63 - chunk.leadingZeroBitCount) + 1
  }

  /// Computes the powers of up to half the length of a number of some chunks.
  mutating func addPowers<Failure: Error>(
    _ count: Int, poll: () throws(Failure) -> Void
  ) throws(Failure) {
    guard count > LargeInteger.textThreshold else { return }
    var length = LargeInteger.textThreshold
    guard var power = try LargeInteger(limb: chunk).power(length, poll: poll) else { return }
    powers = [(power, length * chunkLength)]
    while 2 * length < count {
      power = try power.squared(poll: poll)
      length *= 2
      powers.append((power, length * chunkLength))
    }
  }

  /// Appends the digits of a number that is not zero, or exactly `width` digits of any that is less
  /// than the radix to that power.
  ///
  /// The number is cut in two at the power with the index `level`; it is less than the square of
  /// that power.
  func append<Failure: Error>(
    _ limbs: [UInt64], level: Int, width: Int? = nil, to text: inout [UInt8],
    poll: () throws(Failure) -> Void
  ) throws(Failure) {
    guard level >= 0, limbs.count > LargeInteger.textThreshold else {
      return append(limbs, width: width, to: &text)
    }
    let (power, zeros) = powers[level]
    let (upper, lower) = try LargeInteger.divide(limbs.span, by: power.limbs.span, poll: poll)
    let high = LargeInteger(limbs: upper).limbs
    let low = LargeInteger(limbs: lower).limbs
    if high.isEmpty, width == nil {
      return try append(low, level: level - 1, to: &text, poll: poll)
    }
    try append(high, level: level - 1, width: width.map { $0 - zeros }, to: &text, poll: poll)
    try append(low, level: level - 1, width: zeros, to: &text, poll: poll)
  }

  /// Appends the digits of a short number.
  ///
  /// - Complexity: O(n squared) for n limbs.
  private func append(_ limbs: [UInt64], width: Int?, to text: inout [UInt8]) {
    let zero = UInt8(ascii: "0")
    let count = width ?? chunkCount(bitLength: 64 * limbs.count) * chunkLength
    var digits = [UInt8](repeating: zero, count: count)
    let divisor = LimbDivisor(chunk)
    var rest = limbs
    var end = count
    while !rest.isEmpty {
      var part = Limbs.divide(&rest, in: rest.indices, by: divisor)
      while rest.last == 0 { rest.removeLast() }
      var position = end
      while part > 0, position > 0 {
        // Division by a constant is faster.
        let quotient = radix == 10 ? part / 10 : part / radix
        position -= 1
        digits[position] = TextRadix.digit(UInt8(truncatingIfNeeded: part &- quotient &* radix))
        part = quotient
      }
      end = max(0, end - chunkLength)
    }
    text += width == nil ? digits.drop { $0 == zero } : digits[...]
  }

  /// Returns the chunks that some digits make up, the lowest first.
  func chunks(of values: [UInt8]) -> [UInt64] {
    var chunks: [UInt64] = []
    chunks.reserveCapacity(values.count / chunkLength + 1)
    var end = values.count
    while end > 0 {
      let start = max(0, end - chunkLength)
      var part: UInt64 = 0
      for value in values[start..<end] { part = part &* radix &+ UInt64(value) }
      chunks.append(part)
      end = start
    }
    return chunks
  }

  /// Returns the limbs, possibly with leading zeros, of a number given by its chunks.
  func limbs<Failure: Error>(
    of chunks: ArraySlice<UInt64>, poll: () throws(Failure) -> Void
  ) throws(Failure) -> [UInt64] {
    guard chunks.count > LargeInteger.textThreshold else {
      var limbs: [UInt64] = []
      for part in chunks.reversed() {
        let carry = Limbs.multiply(&limbs, in: limbs.indices, by: chunk, adding: part)
        if carry > 0 { limbs.append(carry) }
      }
      return limbs
    }
    var level = 0
    var length = LargeInteger.textThreshold
    while 2 * length < chunks.count {
      level += 1
      length *= 2
    }
    let middle = chunks.startIndex + length
    let lower = try limbs(of: chunks[..<middle], poll: poll)
    let upper = try limbs(of: chunks[middle...], poll: poll)
    let power = powers[level].value
    var product = try LargeInteger.product(upper.span, power.limbs.span, poll: poll)
    if product.count < lower.count + 1 {
      product += [UInt64](repeating: 0, count: lower.count + 1 - product.count)
    }
    Limbs.add(lower.span, to: &product, in: product.indices)
    return product
  }

  /// Returns the ASCII digit for a value in `0 ..< 36`.
  static func digit(_ value: UInt8) -> UInt8 {
    value < 10 ? UInt8(ascii: "0") &+ value : UInt8(ascii: "A") &+ (value &- 10)
  }

  /// Returns the value of an ASCII digit or letter, nil if it is neither.
  static func value(of digit: UInt8) -> UInt8? {
    switch digit {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): digit - UInt8(ascii: "0")
    case UInt8(ascii: "A")...UInt8(ascii: "Z"): digit - UInt8(ascii: "A") + 10
    case UInt8(ascii: "a")...UInt8(ascii: "z"): digit - UInt8(ascii: "a") + 10
    default: nil
    }
  }
}
