internal import TenonStoreKit

/// The place of a file, as the system wants it.
struct FilePlace {
  /// The path, absolute.
  let path: String
  /// The path of the directory the name is in.
  let parent: String
  /// The last component; nil when the place has no name of its own, as the root has none.
  let name: String?
  /// Whether what is meant is the listing.
  let isDirectory: Bool

  /// - Throws: `FileFailure` when no file can be at the place.
  init(_ reference: Reference, _ directory: String?) throws(FileFailure) {
    let isAbsolute = try FilePlace.isAbsolute(reference)
    guard reference.query.isEmpty else {
      throw FileFailure(.invalidReference, "a file has no query")
    }
    for component in reference.components {
      guard !component.utf8.contains(UInt8(ascii: "/")) else {
        throw FileFailure(.invalidReference, "the name of a file holds no '/'")
      }
      guard !TemporaryFile.isName(component) else {
        throw FileFailure(.invalidReference, "such names are used for temporary files")
      }
    }
    let start: String
    if isAbsolute {
      start = ""
    } else if let directory {
      start = directory == "/" ? "" : directory
    } else {
      throw FileFailure(.notFound, "the working directory is gone")
    }
    let components = reference.components
    self.init(
      path: FilePlace.joined(start, components[...]),
      parent: FilePlace.joined(start, components.dropLast()),
      lastName: components.last, isDirectory: reference.isDirectory)
    // A file could be created under a longer path, from its directory; nobody could read it.
    guard path.utf8.count < FilePlace.longestPath else { throw .nameTooLong }
  }

  #if canImport(Darwin)
    private static let longestPath = 1024
  #else
    private static let longestPath = 4096
  #endif

  /// The place a symbolic link points to.
  init(target: String, ofLinkIn parent: String) throws(FileFailure) {
    let slash = UInt8(ascii: "/")
    let path = target.utf8.first == slash ? target : parent + "/" + target
    guard let last = path.utf8.lastIndex(of: slash), !target.isEmpty else { throw .notFound }
    let name = String(path[path.utf8.index(after: last)...])
    self.init(
      path: path, parent: parentPath(of: path), lastName: name.isEmpty ? nil : name,
      isDirectory: false)
  }

  private init(path: String, parent: String, lastName: String?, isDirectory: Bool) {
    self.path = path
    self.parent = parent
    // Not the name of anything: a directory is created and removed under its own.
    name = lastName == "." || lastName == ".." ? nil : lastName
    self.isDirectory = isDirectory
  }

  /// Whether the name says that the place is in a directory at another one.
  ///
  /// What leads up again may be anywhere: only the system knows.
  func isBelow(_ other: FilePlace) -> Bool {
    let directory = other.path + "/"
    guard path.utf8.starts(with: directory.utf8) else { return false }
    return !FilePlace.leadsUp(path.utf8.dropFirst(directory.utf8.count))
  }

  /// Whether a component of a path is `..`.
  static func leadsUp(_ path: Substring.UTF8View) -> Bool {
    path.split(separator: UInt8(ascii: "/")).contains { $0.elementsEqual("..".utf8) }
  }

  private static func isAbsolute(_ reference: Reference) throws(FileFailure) -> Bool {
    guard let authority = reference.authority else { return reference.isAbsolute }
    guard authority.isEmpty || authority == "localhost" else {
      throw FileFailure(.invalidReference, "a file is on no other host than this one")
    }
    return true
  }

  private static func joined(_ start: String, _ components: ArraySlice<String>) -> String {
    guard !components.isEmpty else { return start.isEmpty ? "/" : start }
    return start + "/" + components.joined(separator: "/")
  }
}
