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

  /// The bytes of a string without white space at both ends.
  func trimmedRange(_ string: ObjectRef) -> Range<Int> {
    var start = 0
    while start < string.byteCount, string.scalar(at: start).properties.isWhitespace {
      start = string.nextOffset(after: start)
    }
    var end = string.byteCount
    while end > start {
      let offset = string.previousOffset(before: end)
      guard string.scalar(at: offset).properties.isWhitespace else { break }
      end = offset
    }
    return start..<end
  }
}

extension ObjectRef {
  /// The offset of the character behind the one that begins at an offset.
  func nextOffset(after offset: Int) -> Int {
    var next = offset + 1
    while next < byteCount, self[byte: next] & 0xC0 == 0x80 { next += 1 }
    return next
  }

  /// The offset of the character that ends before an offset.
  func previousOffset(before offset: Int) -> Int {
    var previous = offset - 1
    while previous > 0, self[byte: previous] & 0xC0 == 0x80 { previous -= 1 }
    return previous
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
    var start: Int?
    var offset = 0
    while offset < byteCount {
      if scalar(at: offset).properties.isWhitespace {
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
