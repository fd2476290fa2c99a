/// The mark U+FEFF at the beginning of a text.
///
/// In UTF-8, where bytes have one order, it says no more than that the text is UTF-8. Readers of texts
/// leave it out; in UTF-16 and UTF-32 it tells that the bytes are no UTF-8.
public enum ByteOrderMark {
  /// The mark in UTF-8.
  public static let utf8: [UInt8] = [0xEF, 0xBB, 0xBF]

  /// The encoding that bytes begin with the mark of, if it is another than UTF-8: `UTF-16`.
  public static func otherEncoding(of bytes: some Collection<UInt8>) -> String? {
    let first = Array(bytes.prefix(4))
    if first == [0xFF, 0xFE, 0, 0] || first == [0, 0, 0xFE, 0xFF] { return "UTF-32" }
    return first.starts(with: [0xFF, 0xFE]) || first.starts(with: [0xFE, 0xFF]) ? "UTF-16" : nil
  }
}
