extension Lexer {
  /// Returns the offset behind the name that begins at an offset; the offset itself when no name
  /// begins there.
  ///
  ///     name == letter , { letter | digit } ;
  public func nameEnd(from start: Int) -> Int {
    guard isNameStart(at: start) else { return start }
    var index = start
    while index < end {
      let byte = bytes[index]
      if isASCIINameByte(byte) {
        index += 1
      } else if byte >= 0x80 {
        let (scalar, length) = scalar(at: index)
        guard scalar.isNameContinue else { return index }
        index += length
      } else {
        return index
      }
    }
    return index
  }

  /// Returns the offset behind the hyphenated name that the name ending at an offset begins; nil
  /// when it is a plain name.
  ///
  /// A name that a keyword's colon follows is no part of it: `a-b: c` ends in the keyword `b:`.
  ///
  ///     hyphenatedName == ? declared hyphenated name ? ;
  public func hyphenatedNameEnd(after nameEnd: Int) -> Int? {
    var end = nameEnd
    while byte(at: end) == UInt8(ascii: "-") {
      let next = self.nameEnd(from: end + 1)
      guard next > end + 1, !isKeywordColon(at: next) else { break }
      end = next
    }
    return end > nameEnd ? end : nil
  }

  /// Returns the offset of the colon behind the hyphenated scheme that the name ending at an offset
  /// begins; nil when no colon stands directly behind a name with hyphens.
  public func hyphenatedSchemeEnd(after nameEnd: Int) -> Int? {
    var end = nameEnd
    while byte(at: end) == UInt8(ascii: "-") {
      let next = self.nameEnd(from: end + 1)
      guard next > end + 1 else { return nil }
      end = next
    }
    return end > nameEnd && isKeywordColon(at: end) ? end : nil
  }

  /// Returns whether a letter or `_` stands at an offset.
  ///
  ///     letter == ? a Unicode letter or _ ? ;
  public func isNameStart(at offset: Int) -> Bool {
    let byte = byte(at: offset)
    if byte >= 0x80 { return scalar(at: offset).scalar.isNameStart }
    return isASCIINameByte(byte) && !isDigit(byte)
  }

  /// Returns whether a letter, a digit or `_` stands at an offset.
  public func isNameContinue(at offset: Int) -> Bool {
    let byte = byte(at: offset)
    return byte >= 0x80 ? scalar(at: offset).scalar.isNameContinue : isASCIINameByte(byte)
  }

  /// Returns the offset behind the number that begins at an offset.
  ///
  /// Letters and digits that follow directly belong to it even where they make no sense: the
  /// parser says so once, with the whole of it.
  func scanNumber(at start: Int) -> Int {
    var index = digitsEnd(from: start)
    if byte(at: index) == UInt8(ascii: "."), isDigit(byte(at: index + 1)) {
      index = digitsEnd(from: index + 1)
    }
    if byte(at: index) | 0x20 == UInt8(ascii: "e") {
      let sign = byte(at: index + 1)
      if sign == UInt8(ascii: "-") || sign == UInt8(ascii: "+"), isDigit(byte(at: index + 2)) {
        index += 2
      }
    }
    while isNameContinue(at: index) {
      index += byte(at: index) >= 0x80 ? scalar(at: index).length : 1
    }
    return index
  }

  private func digitsEnd(from start: Int) -> Int {
    var index = start
    while isDigit(byte(at: index)) || byte(at: index) == UInt8(ascii: "_") { index += 1 }
    return index
  }
}

/// Returns whether a byte is a decimal digit.
///
///     digit == "0" | "1" | "2" | "3" | "4" | "5" | "6" | "7" | "8" | "9" ;
func isDigit(_ byte: UInt8) -> Bool {
  byte &- UInt8(ascii: "0") < 10
}

func isASCIINameByte(_ byte: UInt8) -> Bool {
  (byte | 0x20) &- UInt8(ascii: "a") < 26 || isDigit(byte) || byte == UInt8(ascii: "_")
}
