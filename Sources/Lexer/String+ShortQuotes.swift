extension String {
  /// The most characters of a quoted text, or of a word, that a message shows.
  private static let quoteLimit = 160
  /// The most characters of a message, however many texts it quotes.
  private static let messageLimit = 4000

  /// The message with whatever it quotes cut when it is long, so that a name of a megabyte does not
  /// make a message of a megabyte.
  ///
  /// Long enough for a path of a file; short messages are left as they are.
  ///
  /// - Complexity: O(1) for a short message, else O(*n*).
  package var withShortQuotes: String {
    // What is cut has a frame of its own: a stack overflow is told where there is hardly any stack.
    utf8.count > String.quoteLimit ? cuttingQuotes() : self
  }

  private func cuttingQuotes() -> String {
    var message = String.UnicodeScalarView()
    let parts = unicodeScalars.split(separator: "'", omittingEmptySubsequences: false)
    for (number, part) in parts.enumerated() {
      if number > 0 { message.append("'") }
      // What stands between two quotes has an odd number.
      if !number.isMultiple(of: 2) {
        message.append(contentsOf: String.cut(part, to: String.quoteLimit))
      } else {
        let words = part.split(separator: " ", omittingEmptySubsequences: false)
        for (index, word) in words.enumerated() {
          if index > 0 { message.append(" ") }
          message.append(contentsOf: String.cut(word, to: String.quoteLimit))
        }
      }
    }
    return String(String.UnicodeScalarView(String.cut(message[...], to: String.messageLimit)))
  }

  /// Scalars, or the first of them and an ellipsis.
  private static func cut(
    _ scalars: Substring.UnicodeScalarView, to limit: Int
  ) -> [Unicode.Scalar] {
    let first = scalars.prefix(limit)
    return first.endIndex == scalars.endIndex ? Array(first) : first + ["\u{2026}"]
  }
}

extension String {
  /// The text with control characters as a string in double quotes would have them, for messages: a
  /// name that holds some breaks no line and tells a terminal nothing.
  package var withVisibleControls: String {
    // What is replaced has a frame of its own, as above.
    unicodeScalars.contains(where: \.isControl) ? makingControlsVisible() : self
  }

  private func makingControlsVisible() -> String {
    var result = ""
    for scalar in unicodeScalars {
      switch scalar {
      case "\n": result += "\\n"
      case "\t": result += "\\t"
      case "\r": result += "\\r"
      case let control where control.isControl:
        result += "\\u{" + String(control.value, radix: 16, uppercase: true) + "}"
      default: result.unicodeScalars.append(scalar)
      }
    }
    return result
  }
}

extension Unicode.Scalar {
  fileprivate var isControl: Bool { value < 0x20 || (0x7F...0x9F).contains(value) }
}
