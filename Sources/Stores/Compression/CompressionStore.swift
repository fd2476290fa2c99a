public import TenonStoreKit

/// What packs and unpacks bytes, by commands alone: it has no places.
///
/// `pack` and `unpack` take bytes and answer bytes. The path of the reference says how: the format,
/// which is `gzip` (RFC 1952), `zlib` (RFC 1950) or `raw` (RFC 1951), and a number, which is the level
/// from 0 to 9 for `pack`, and for `unpack` the most bytes that may come out. Damaged bytes are an error
/// of the kind `decode`, too many `tooLarge`.
public final class CompressionStore {
  /// Whether somebody wants the program to stop.
  public var isInterrupted: () -> Bool = { false }

  /// Creates one.
  public init() {}

  private func format(_ reference: Reference) throws(StoreError) -> (CompressionFormat, Int) {
    guard reference.components.count == 2,
      let format = CompressionFormat(rawValue: reference.components[0]),
      let number = Int(reference.components[1]), number >= 0
    else {
      throw StoreError(
        .invalidReference, reference, "a format and a number are needed, as in 'gzip/6'")
    }
    return (format, number)
  }
}

// swift-format-ignore: AllPublicDeclarationsHaveDocumentation
extension CompressionStore: CommandedStore {
  public var capabilities: StoreCapabilities {
    StoreCapabilities([], durability: .none, isExternal: false)
  }

  public var takesBytes: Bool { true }

  public func status(of reference: Reference) throws(StoreError) -> ResourceStatus? { nil }

  public func isReading(_ command: String) -> Bool { true }

  /// Carries out `pack` or `unpack`.
  public func perform(
    _ command: String, _ argument: Resource, at reference: Reference
  ) throws(StoreError) -> CommandAnswer {
    guard command == "pack" || command == "unpack" else {
      throw StoreError(.unsupported, reference, "it does not know '\(command)'")
    }
    guard argument.contentType == "application/octet-stream" else {
      throw StoreError(.encode, reference, "only bytes can be packed and unpacked")
    }
    let (format, number) = try format(reference)
    guard let library = LibZ.system else {
      throw StoreError(
        .unavailable, reference,
        "libz is not installed, which compression needs; the package is zlib1g (Debian, Ubuntu) or "
          + "zlib (Fedora, Alpine)")
    }
    let stream = CompressionStream(library, format, reference, isInterrupted: isInterrupted)
    let result =
      command == "pack"
      ? try stream.packed(argument.bytes, level: number)
      : try stream.unpacked(argument.bytes, limit: number)
    return .resource(Resource(result, contentType: "application/octet-stream"))
  }
}
