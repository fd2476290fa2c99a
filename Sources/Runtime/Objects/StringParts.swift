internal import TenonText

/// Strings cut into parts, by bytes; the cuts never fall inside a character.
extension Machine {
  /// Returns an array of those parts of a string that a function enumerates.
  ///
  /// `enumerate` calls the function it is given with the bytes of each part.
  ///
  /// - Throws: `OutOfMemory` when the limit forbids so many parts.
  func parts(
    of string: ObjectRef, _ enumerate: (ObjectRef, (Range<Int>) -> Void) -> Void
  ) throws(Failure) -> Value {
    var count = 0
    enumerate(string) { _ in count += 1 }
    // An element of the array and a cell of the least size for each, besides the text itself.
    try reserve(count * 40 + string.byteCount)
    let array = try makeArray(checked: count)
    var index = 0
    enumerate(string) { range in
      array[element: index] = Value(makePart(of: string, bytes: range))
      index += 1
    }
    return Value(array)
  }

  /// Returns the strings of an array as one, with another between them; nil when one is no string.
  func join(_ array: ObjectRef, separator: Value) throws(Failure) -> Value {
    let count = array.elementCount
    guard count > 0, isString(separator) else { return .nil }
    let separator = ObjectRef(separator)
    var (size, isTooLarge) = separator.byteCount.multipliedReportingOverflow(by: count - 1)
    var flags = count > 1 ? separator.flags : 0
    for index in 0..<count {
      guard isString(array[element: index]) else { return .nil }
      let part = ObjectRef(array[element: index])
      let (sum, overflow) = size.addingReportingOverflow(part.byteCount)
      size = sum
      isTooLarge = isTooLarge || overflow
      flags |= part.flags
    }
    if isTooLarge { throw .tooLarge("the joined string", limit: ObjectRef.byteLimit) }
    let result = try makeBytes(classIndex: ClassIndex.string, count: size)
    var offset = 0
    for index in 0..<count {
      if index > 0 {
        result.copyBytes(from: separator, start: 0, count: separator.byteCount, at: offset)
        offset += separator.byteCount
      }
      let part = ObjectRef(array[element: index])
      result.copyBytes(from: part, start: 0, count: part.byteCount, at: offset)
      offset += part.byteCount
    }
    result.flags |= flags & ObjectFlag.notASCII
    return Value(result)
  }

  /// The bytes of a string without white space at both ends.
  func trimmedRange(_ string: ObjectRef) -> Range<Int> {
    var start = 0
    while start < string.byteCount, string.scalar(at: start).isWhiteSpace {
      start = string.nextOffset(after: start)
    }
    var end = string.byteCount
    while end > start {
      let offset = string.previousOffset(before: end)
      guard string.scalar(at: offset).isWhiteSpace else { break }
      end = offset
    }
    return start..<end
  }
}

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
