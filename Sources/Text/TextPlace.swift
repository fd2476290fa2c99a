/// Where a byte of a text stands for a reader: line and character, counted from 1.
package struct TextPlace {
  package private(set) var line = 1
  package private(set) var column = 1

  package init(of offset: Int, in bytes: [UInt8]) {
    for byte in bytes[..<min(offset, bytes.count)] {
      if byte == UInt8(ascii: "\n") {
        line += 1
        column = 1
      } else if byte & 0xC0 != 0x80 {
        column += 1
      }
    }
  }
}
