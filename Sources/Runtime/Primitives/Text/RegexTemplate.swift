internal import TenonText

/// What a match is replaced by: text in which `$1`, `${1}` and `${name}` stand for captured parts,
/// `$0` for the match and `$$` for a dollar sign.
struct RegexTemplate {
  enum Part {
    /// Bytes of the template.
    case text(Range<Int>)
    case group(Int)
  }

  private(set) var parts: [Part] = []

  /// Reads a template.
  ///
  /// - Throws: a failure for a group that the pattern does not have.
  init(_ template: ObjectRef, for program: RegexProgram) throws(Failure) {
    let dollar = UInt8(ascii: "$")
    let end = template.byteCount
    var start = 0
    var offset = 0
    while offset < end {
      guard template[byte: offset] == dollar, offset + 1 < end else {
        offset += 1
        continue
      }
      let next = template[byte: offset + 1]
      var after = offset + 2
      var part: Part?
      if next == dollar {
        part = .text(offset + 1..<offset + 2)
      } else if next == UInt8(ascii: "{") {
        while after < end, template[byte: after] != UInt8(ascii: "}") { after += 1 }
        let name = unsafe String(
          decoding: template.bytes[min(offset + 2, after)..<after], as: UTF8.self)
        guard after < end else {
          throw Failure(.invalidArgument, "'${' is not closed in the replacement")
        }
        guard let number = Int(name) ?? program.names[name], number >= 0,
          number <= program.captureCount
        else { throw .noGroup("'\(name)'") }
        part = .group(number)
        after += 1
      } else if ASCII(code: next).isDigit {
        var number = Int(next - 0x30)
        guard number <= program.captureCount else { throw .noGroup(String(number)) }
        // A second digit counts if there is such a group.
        if after < end, ASCII(code: template[byte: after]).isDigit {
          let longer = number * 10 + Int(template[byte: after] - 0x30)
          if longer <= program.captureCount {
            number = longer
            after += 1
          }
        }
        part = .group(number)
      }
      guard let part else {
        offset += 1
        continue
      }
      if start < offset { parts.append(.text(start..<offset)) }
      parts.append(part)
      start = after
      offset = after
    }
    if start < end { parts.append(.text(start..<end)) }
  }
}
