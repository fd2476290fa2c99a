internal import TenonStoreKit
internal import TenonText

extension HTTPStore {
  /// What a resource of this name is when it is sent.
  static func type(ofName name: String) -> String {
    let bytes = name.utf8
    guard let dot = bytes.lastIndex(of: UInt8(ascii: ".")), dot > name.startIndex else {
      return MediaType.any
    }
    switch name[bytes.index(after: dot)...].lowercased() {
    case "json": return "application/json"
    case "txt", "text", "log": return "text/plain"
    case "html", "htm": return "text/html"
    case "css": return "text/css"
    case "csv": return "text/csv"
    case "md": return "text/markdown"
    case "xml": return "application/xml"
    case "js": return "text/javascript"
    default: return MediaType.any
    }
  }

  // MARK: Listings

  /// The most pages of a listing.
  private static let mostPages = 1000

  /// What is directly below a place, as the server lists it.
  func entries(of reference: Reference) throws(StoreError) -> [StoreEntry] {
    var found: [ExactText: Bool] = [:]
    var cursor: String?
    var bytes = 0
    for _ in 0..<HTTPStore.mostPages {
      let (page, next) = try page(of: reference, cursor, &bytes)
      for entry in page {
        let name = ExactText(entry.name)
        found[name] = found[name] == true || entry.isDirectory
      }
      guard let next else {
        return found.sorted { $0.key < $1.key }.map {
          StoreEntry($0.key.text, isDirectory: $0.value)
        }
      }
      cursor = next
    }
    throw StoreError(.tooLarge, reference.hidingPassword, "the listing does not end")
  }

  private func page(
    of reference: Reference, _ cursor: String?, _ bytes: inout Int
  ) throws(StoreError) -> (entries: [StoreEntry], next: String?) {
    var place = reference
    if let cursor {
      place = try Reference(
        scheme: reference.scheme, authority: reference.authority,
        components: reference.components, isAbsolute: true, isDirectory: true,
        query: reference.query.filter { $0.key != "cursor" } + [.init("cursor", cursor)])
    } else {
      place = try Reference(
        scheme: reference.scheme, authority: reference.authority,
        components: reference.components, isAbsolute: true, isDirectory: true,
        query: reference.query)
    }
    let (answer, _) = try send("GET", place, fields: [HTTPField("Accept", "application/json")])
    switch answer.status {
    case 200..<300: break
    case 404, 410:
      throw StoreError(.notFound, reference.hidingPassword, "there is nothing to list")
    default: throw failure(answer, "GET", nil, reference)
    }
    bytes += answer.body.count
    guard bytes <= limit else {
      throw StoreError(
        .tooLarge, reference.hidingPassword, "the listing has more than \(limit) bytes")
    }
    let type = answer["Content-Type"].map { MediaType($0) }
    guard type?.isJSON == true else {
      throw StoreError(.unsupported, reference.hidingPassword, "the server answers no listing")
    }
    do throws(JSONScanner.Failure) {
      return try HTTPStore.listing(answer.body[...])
    } catch {
      throw StoreError(
        .decode, reference.hidingPassword,
        "the server's listing is damaged: \(error.reason) at byte \(error.offset)")
    }
  }

  private static func listing(
    _ body: ArraySlice<UInt8>
  ) throws(JSONScanner.Failure) -> (entries: [StoreEntry], next: String?) {
    var next: String?
    var part = try JSONPart.read(body)
    if case .object(let members) = part {
      next = members.text("cursor")
      guard let entries = members.first(where: { $0.key == "entries" }) else {
        throw JSONScanner.Failure(reason: "there are no entries", offset: 0)
      }
      part = try JSONPart.read(entries.value)
    }
    guard case .array(let elements) = part else {
      throw JSONScanner.Failure(reason: "expected an array", offset: 0)
    }
    var entries: [StoreEntry] = []
    for element in elements {
      switch try JSONPart.read(element) {
      case .text(let name): entries += entry(name, isDirectory: false)
      case .object(let members):
        guard let name = members.text("name") else { continue }
        entries += entry(name, isDirectory: members.text("kind") == "directory")
      default: continue
      }
    }
    return (entries, next)
  }

  /// The entry of a name; none for a name that no reference can hold.
  private static func entry(_ name: String, isDirectory: Bool) -> [StoreEntry] {
    let hasSlash = name.utf8.last == UInt8(ascii: "/")
    let plain = hasSlash ? String(decoding: name.utf8.dropLast(), as: UTF8.self) : name
    guard plain != ".", plain != "..", !plain.utf8.contains(UInt8(ascii: "/")),
      (try? Reference(scheme: "http", components: [plain])) != nil
    else { return [] }
    return [StoreEntry(plain, isDirectory: isDirectory || hasSlash)]
  }
}

extension HTTPResponse {
  /// Whether the server says that this is the listing of a place, and not what is at it.
  var isListing: Bool {
    self["Content-Type"].map { MediaType($0).essence } == "application/vnd.tenon.listing+json"
  }

  /// What was answered, its text as UTF-8.
  func resource(at reference: Reference) throws(StoreError) -> Resource {
    guard let written = self["Content-Type"] else {
      let isText = String(validating: body, as: UTF8.self) != nil
      return Resource(body, contentType: isText ? "text/plain" : "application/octet-stream")
    }
    let type = MediaType(written)
    guard type.isText, !type.isJSON, let charset = type.charset else {
      return Resource(body, contentType: type.essence)
    }
    switch charset {
    case "utf-8", "utf8", "us-ascii", "ascii": return Resource(body, contentType: type.essence)
    case "iso-8859-1", "latin1":
      let text = String(String.UnicodeScalarView(body.map { Unicode.Scalar($0) }))
      return Resource(Array(text.utf8), contentType: type.essence)
    default:
      throw StoreError(
        .decode, reference.hidingPassword,
        "its text is in '\(charset.printable)', which cannot be read; only UTF-8 and ISO-8859-1 can"
      )
    }
  }
}
