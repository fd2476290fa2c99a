import TenonGrammarSupport
import TenonStoreKit
import Testing

/// Bytes in pieces of chance sizes.
private final class PieceSource: ByteSource {
  private let bytes: [UInt8]
  private var offset = 0
  private var generator: RandomNumbers

  init(_ bytes: [UInt8], seed: UInt64) {
    self.bytes = bytes
    generator = RandomNumbers(seed: seed)
  }

  func read(atMost count: Int) throws(StoreError) -> [UInt8] {
    let piece = bytes[offset...].prefix(min(count, Int.random(in: 1...7, using: &generator)))
    offset += piece.count
    return Array(piece)
  }

  func move(to offset: Int) throws(StoreError) { self.offset = min(offset, bytes.count) }
  var size: Int? { bytes.count }
  func close() {}
}

@Suite struct ByteReaderTests {
  private func text(_ reader: ByteReader, _ range: Range<Int>) -> String {
    unsafe reader.withBytes(range) { unsafe String(decoding: $0, as: UTF8.self) }
  }

  /// All lines, with or without their ends.
  private func lines(_ reader: ByteReader, withEnd: Bool = false) throws -> [String] {
    var lines: [String] = []
    while true {
      if let line = reader.takeLine(isLast: reader.isAtEnd) {
        let end = withEnd ? reader.endOfLine(after: line.upperBound) : 0
        lines.append(text(reader, line.lowerBound..<line.upperBound + end))
      } else if reader.isAtEnd {
        return lines
      } else {
        try reader.fetch()
      }
    }
  }

  private func sample(_ generator: inout RandomNumbers) -> [UInt8] {
    let parts: [String] = ["\n", "\r\n", "\r", "a", "bc", "ü", "𝄞", ""]
    var bytes: [UInt8] = []
    for _ in 0..<Int.random(in: 0...30, using: &generator) {
      bytes += Array((parts.randomElement(using: &generator) ?? "").utf8)
    }
    return bytes
  }

  /// What is taken as text ends with a whole character, whatever pieces the bytes come in.
  @Test func textEndsWithWholeCharacters() throws {
    let whole = "aé€𝄞b𝄞€é"
    for seed in 0..<200 {
      let reader = ByteReader(PieceSource(Array(whole.utf8), seed: UInt64(seed)))
      var read = ""
      while true {
        let count = reader.availableText
        if count > 0 {
          let range = reader.take(atMost: count)
          let piece = unsafe reader.withBytes(range) {
            unsafe String(validating: $0, as: UTF8.self)
          }
          read += try #require(piece, "a character was cut after '\(read)'")
        } else if reader.isAtEnd {
          break
        } else {
          try reader.fetch()
        }
      }
      #expect(read == whole)
    }
  }

  /// Whatever pieces the bytes come in, the lines are those of the text.
  @Test func linesAreThoseOfTheText() throws {
    var generator = RandomNumbers(seed: 20_261_130)
    for seed in 0..<600 {
      let bytes = sample(&generator)
      var expected: [String] = []
      var rest = bytes[...]
      while let end = rest.firstIndex(of: 0x0A) {
        expected.append(String(decoding: rest[...end], as: UTF8.self))
        rest = rest[(end + 1)...]
      }
      if !rest.isEmpty { expected.append(String(decoding: rest, as: UTF8.self)) }
      let source = { PieceSource(bytes, seed: UInt64(seed)) }
      #expect(try lines(ByteReader(source()), withEnd: true) == expected)
      let plain = expected.map { line in
        var utf8 = Array(line.utf8)
        if utf8.last == 0x0A { utf8.removeLast() }
        if utf8.last == 0x0D { utf8.removeLast() }
        return String(decoding: utf8, as: UTF8.self)
      }
      #expect(try lines(ByteReader(source())) == plain)
    }
  }

  /// Lines and bytes by turns are all that there is, in its order, and the position tells how much it was.
  @Test func nothingIsLostBetweenLinesAndBytes() throws {
    var generator = RandomNumbers(seed: 20_261_131)
    for seed in 0..<400 {
      let bytes = sample(&generator)
      let reader = ByteReader(PieceSource(bytes, seed: UInt64(seed)))
      var found: [UInt8] = []
      while !(reader.isAtEnd && reader.available == 0) {
        if Bool.random(using: &generator) {
          let range = reader.take(atMost: Int.random(in: 1...5, using: &generator))
          unsafe reader.withBytes(range) { unsafe found += Array($0) }
        } else if let line = reader.takeLine(isLast: reader.isAtEnd) {
          let end = line.upperBound + reader.endOfLine(after: line.upperBound)
          unsafe reader.withBytes(line.lowerBound..<end) { unsafe found += Array($0) }
        } else {
          try reader.fetch()
        }
        #expect(reader.position == found.count)
        #expect(found == Array(bytes.prefix(found.count)))
      }
      #expect(found == bytes)
      let place = Int.random(in: 0...bytes.count, using: &generator)
      try reader.move(to: place)
      var rest: [UInt8] = []
      repeat {
        try reader.fetch()
        rest += reader.takeBytes()
      } while !reader.isAtEnd
      // What was held is taken along.
      #expect(rest == Array(bytes[place...]))
    }
  }
}
