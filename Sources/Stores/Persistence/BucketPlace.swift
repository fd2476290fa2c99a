internal import TenonStoreKit
internal import TenonText

/// The file of a container: all values directly below one reference.
///
/// `lists/1` is the file `lists/1.json` in the directory of the store, the store itself `root.json`.
/// What no file can be called, and what would be another container's file or the store's own, is
/// written with `%` and two digits.
struct BucketPlace: Hashable {
  /// The components of the names of the directories, from the store's on.
  let folders: [String]
  /// The name of the file.
  let name: String

  private static let ending = ".json"
  private static let root = "root"
  /// A component in a name leaves room for the endings that files get.
  private static let longest = 230

  /// - Throws: `FileFailure` when the names would be too long for any file.
  init(_ container: [String]) throws(FileFailure) {
    guard let last = container.last else {
      folders = []
      name = BucketPlace.root + BucketPlace.ending
      return
    }
    var encoded: [String] = []
    for (index, component) in container.enumerated() {
      let text = BucketPlace.encoded(component, isFirst: index == 0)
      guard text.utf8.count <= BucketPlace.longest else {
        throw FileFailure(
          .invalidReference,
          "'\(last.prefix(20))...' is too long for a container, which has a file of its name")
      }
      encoded.append(text)
    }
    name = encoded.removeLast() + BucketPlace.ending
    folders = encoded
  }

  private static func encoded(_ component: String, isFirst: Bool) -> String {
    var bytes: [UInt8] = []
    let text = Array(component.utf8)
    let isEnding = component.lowercased().endsInBytes(of: ending)
    for (index, byte) in text.enumerated() {
      let isReserved =
        byte == UInt8(ascii: "%") || byte == UInt8(ascii: "/")
        || byte == UInt8(ascii: ".") && (index == 0 || isEnding && index == text.count - 5)
        || index == 0 && isFirst && component == root
      if isReserved { NameEncoding.append(byte, to: &bytes) } else { bytes.append(byte) }
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// The component that the name of a directory stands for; nil when no container has it.
  static func component(ofDirectory name: String, isFirst: Bool) -> String? {
    guard let component = NameEncoding.decoded(Array(name.utf8)[...]),
      encoded(component, isFirst: isFirst).utf8.elementsEqual(name.utf8)
    else { return nil }
    return component
  }

  /// The container that a file belongs to; nil when it belongs to none.
  ///
  /// `folder` is the container that its directory stands for.
  static func container(ofFile name: String, in folder: [String]) -> [String]? {
    guard name.endsInBytes(of: ending) else { return nil }
    let text = String(decoding: name.utf8.dropLast(ending.utf8.count), as: UTF8.self)
    if folder.isEmpty, text == root { return [] }
    return component(ofDirectory: text, isFirst: folder.isEmpty).map { folder + [$0] }
  }

  /// The path of the directory, below that of the store.
  func folder(in directory: String) -> String {
    ([directory] + folders).joined(separator: "/")
  }

  /// The path of the file, below that of the store.
  func path(in directory: String) -> String { folder(in: directory) + "/" + name }
}
