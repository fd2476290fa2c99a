/// What a resource is, as servers and stores name it: `text/html; charset=utf-8`.
public struct MediaType: Sendable, Equatable {
  /// Type and subtype in lower case, without parameters: `text/html`.
  public let essence: String
  /// The name of the coding of its characters in lower case; nil when none is given.
  public let charset: String?

  /// For whatever suits a value: a string is plain text, bytes are bytes, all else is JSON.
  public static let any = "*/*"

  /// Takes a text apart.
  public init(_ text: String) {
    let parts = text.split(separator: ";", omittingEmptySubsequences: false)
      .map { $0.filter { !$0.isWhitespace } }
    essence = parts[0].lowercased()
    charset =
      parts.dropFirst().lazy.compactMap { part in
        let sides = part.split(separator: "=", maxSplits: 1)
        guard sides.count == 2, sides[0].lowercased() == "charset" else { return nil }
        return sides[1].filter { $0 != "\"" }.lowercased()
      }.first
  }

  /// Whether it is JSON, which values are made of.
  public var isJSON: Bool {
    essence == "application/json" || essence == "text/json" || essence.hasSuffix("+json")
  }

  /// Whether it is for people to read, in the main.
  public var isText: Bool {
    if essence.hasPrefix("text/") || essence.hasSuffix("+xml") || isJSON { return true }
    switch essence {
    case "application/xml", "application/javascript", "application/x-ndjson", "application/ndjson",
      "application/yaml", "application/x-www-form-urlencoded", "":
      return true
    default: return false
    }
  }
}
