/// Why a value cannot cross between a script and Swift code.
///
/// It says where in the value, what was wanted there, and what was there:
/// `lines[2].price: expected an integer that Int8 can hold, found 300`.
public struct ConversionError: Error, Sendable, Equatable, CustomStringConvertible {
  /// The way from the whole value to the part that does not fit: `lines`, `[2]`, `price`.
  public private(set) var path: [String]
  /// What was wanted: `an integer`; nil when the message says all.
  public let expected: String?
  /// What was there, as an error of a script would call it.
  public let found: String?
  private let text: String

  /// Creates the error of a value that is not what was wanted.
  public init(expected: String, found: String, path: [String] = []) {
    self.path = path
    self.expected = expected
    self.found = found
    text = "expected \(expected), found \(found)"
  }

  /// Creates an error that says something else: lower case, no full stop.
  public init(_ message: String, path: [String] = []) {
    self.path = path
    expected = nil
    found = nil
    text = message
  }

  /// The error as seen from the value around it.
  ///
  /// - Parameter component: The part in which it occurred: a name, or `[2]` for an index.
  /// - Returns: The error with a path that is longer by the part.
  public func inside(_ component: String) -> ConversionError {
    var error = self
    error.path.insert(component, at: 0)
    return error
  }

  /// What went wrong, without the path.
  public var message: String { text }

  /// The path, if there is one, and what went wrong.
  public var description: String {
    var place = ""
    for component in path {
      if !place.isEmpty, !component.hasPrefix("[") { place += "." }
      place += component
    }
    return place.isEmpty ? text : "\(place): \(text)"
  }
}
