public import TenonStoreKit
internal import TenonText

extension HTTPStore: CommandedStore {
  /// Carries out `timeout`, with milliseconds, `field`, with a name and a value, or `certificates`,
  /// with the path of a file.
  public func perform(
    _ command: String, _ argument: Resource, at reference: Reference
  ) throws(StoreError) -> CommandAnswer {
    // What is said of all servers has been said to the store itself, which has no name of its own.
    let reference = reference.scheme.isEmpty ? reference.inScheme(scheme) : reference
    let part = try? JSONPart.read(argument.bytes[...])
    switch (command, part) {
    case ("timeout", .number(let text)):
      guard let number = Double(text), number >= 1 else {
        throw StoreError(.encode, reference, "a request takes a millisecond at least")
      }
      timeout = Int(min(number, Double(Self.longestTimeout)))
    case ("field", .array(let elements)) where elements.count == 2:
      guard case .text(let name) = try? JSONPart.read(elements[0]) else { break }
      switch try? JSONPart.read(elements[1]) {
      case .text(let value): try setField(name, value, for: reference)
      case .null: try setField(name, nil, for: reference)
      default:
        throw StoreError(.encode, reference.hidingPassword, "the value of a field is a string")
      }
    case ("certificates", .text(let path)):
      guard !path.utf8.contains(0), (try? kindOfFile(at: path)) == .file else {
        throw StoreError(
          .encode, reference.hidingPassword, "the file of certificates '\(path)' cannot be read")
      }
      certificates = path
    case ("certificates", .null): certificates = nil
    case ("certificates", _):
      throw StoreError(
        .encode, reference.hidingPassword, "a file of certificates has a string as its path")
    default: throw StoreError(.unsupported, reference, "it does not know '\(command)'")
    }
    return .done
  }

  /// A day, in milliseconds.
  private static var longestTimeout: Int { 86_400_000 }
}
