internal import TenonText

/// Strings cut into parts, by bytes; the cuts never fall inside a character.
extension ObjectRef {
  /// The offset of the character behind the one that begins at an offset.
  func nextOffset(after offset: Int) -> Int { utf8.nextOffset(after: offset) }

  /// The offset of the character that ends before an offset.
  func previousOffset(before offset: Int) -> Int { utf8.previousOffset(before: offset) }

  /// The integer that a text of digits alone spells, with a minus sign or without, if it is small.
  var plainInteger: Int? {
    let isNegative = byteCount > 0 && self[byte: 0] == UInt8(ascii: "-")
    let start = isNegative ? 1 : 0
    // Eighteen digits are below 2^60.
    guard byteCount > start, byteCount <= start + 18 else { return nil }
    var value = 0
    for index in start..<byteCount {
      let digit = ASCII(code: self[byte: index])
      guard digit.isDigit else { return nil }
      value = value &* 10 &+ Int(digit.code &- 0x30)
    }
    return isNegative ? -value : value
  }

  /// The decimal fraction that a text of digits with a point among them spells, with a minus sign or without:
  /// the integer of its digits, and the power of ten below it; nil for other texts and for long ones.
  var plainDecimal: (digits: Int, power: Int)? {
    let isNegative = byteCount > 0 && self[byte: 0] == UInt8(ascii: "-")
    let start = isNegative ? 1 : 0
    guard byteCount > start + 2, byteCount <= start + 18, ASCII(code: self[byte: start]).isDigit,
      ASCII(code: self[byte: byteCount - 1]).isDigit
    else { return nil }
    var digits = 0
    var power = 0
    for index in start..<byteCount {
      let byte = ASCII(code: self[byte: index])
      if byte.isDigit {
        digits = digits &* 10 &+ Int(byte.code &- 0x30)
        power = power &* 10
      } else {
        guard byte.code == UInt8(ascii: "."), power == 0 else { return nil }
        power = 1
      }
    }
    return power == 0 ? nil : (isNegative ? -digits : digits, power)
  }

  /// Enumerates the lines without their ends: a line feed, a carriage return or both.
  ///
  /// An end at the end of the text begins no further line.
  func forEachLine(_ body: (Range<Int>) -> Void) {
    let lineFeed = UInt8(ascii: "\n")
    let carriageReturn = UInt8(ascii: "\r")
    var start = 0
    var offset = 0
    while offset < byteCount {
      let byte = self[byte: offset]
      offset += 1
      guard byte == lineFeed || byte == carriageReturn else { continue }
      body(start..<offset - 1)
      if byte == carriageReturn, offset < byteCount, self[byte: offset] == lineFeed { offset += 1 }
      start = offset
    }
    if start < byteCount { body(start..<byteCount) }
  }

  /// Enumerates the words between white space.
  func forEachWord(_ body: (Range<Int>) -> Void) {
    forEachWord(separatedWhere: { $0.isWhiteSpace }, body)
  }

  /// Enumerates the words between any of the characters of another string.
  func forEachWord(betweenAnyOf separators: ObjectRef, _ body: (Range<Int>) -> Void) {
    var plain: (UInt64, UInt64) = (0, 0)
    var others: Set<Unicode.Scalar> = []
    var offset = 0
    while offset < separators.byteCount {
      let scalar = separators.scalar(at: offset)
      switch scalar.value {
      case ..<64: plain.0 |= 1 << UInt64(scalar.value)
      case 64..<128: plain.1 |= 1 << UInt64(scalar.value - 64)
      default: others.insert(scalar)
      }
      offset = separators.nextOffset(after: offset)
    }
    forEachWord(
      separatedWhere: { scalar in
        switch scalar.value {
        case ..<64: plain.0 >> UInt64(scalar.value) & 1 != 0
        case 64..<128: plain.1 >> UInt64(scalar.value - 64) & 1 != 0
        default: others.contains(scalar)
        }
      }, body)
  }

  @inline(__always)
  private func forEachWord(
    separatedWhere isSeparator: (Unicode.Scalar) -> Bool, _ body: (Range<Int>) -> Void
  ) {
    var start: Int?
    var offset = 0
    while offset < byteCount {
      if isSeparator(scalar(at: offset)) {
        if let begin = start { body(begin..<offset) }
        start = nil
      } else if start == nil {
        start = offset
      }
      offset = nextOffset(after: offset)
    }
    if let start { body(start..<byteCount) }
  }

  /// Enumerates the parts between occurrences of another string; the characters when that is empty.
  func forEachPart(separatedBy separator: ObjectRef, _ body: (Range<Int>) -> Void) {
    var start = 0
    if separator.byteCount == 0 {
      while start < byteCount {
        let end = nextOffset(after: start)
        body(start..<end)
        start = end
      }
      return
    }
    while let place = firstOffset(of: separator, from: start) {
      body(start..<place)
      start = place + separator.byteCount
    }
    body(start..<byteCount)
  }
}
