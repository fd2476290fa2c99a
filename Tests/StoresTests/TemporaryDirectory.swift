import Foundation
import TenonStoreKit
import TenonText
import Testing

/// A directory that lives as long as a test; `path` has no links in it.
final class TemporaryDirectory {
  let path: String

  /// Creates a directory.
  ///
  /// - Parameter isOnDisk: Whether to use the disk and not memory, which is faster.
  /// - Throws: What creating it throws.
  init(isOnDisk: Bool = false) throws {
    let memory = "/dev/shm"
    let isWritable = unsafe access(memory, W_OK) == 0
    let base = isOnDisk || !isWritable ? NSTemporaryDirectory() : memory
    path =
      URL(fileURLWithPath: base).resolvingSymlinksInPath().path
      + "/tenon-stores-\(UUID().uuidString)"
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }

  /// Writes a file as any other program would.
  func write(_ name: String, _ text: String) throws {
    try write(name, Array(text.utf8))
  }

  func write(_ name: String, _ bytes: [UInt8]) throws {
    let url = URL(fileURLWithPath: path + "/" + name)
    try FileManager.default.createDirectory(
      at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
    try Data(bytes).write(to: url)
  }

  /// Makes a socket that nobody listens to.
  func makeSocket(_ name: String) throws {
    let number = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
    defer { close(number) }
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    let bytes = Array((path + "/" + name).utf8)
    unsafe withUnsafeMutableBytes(of: &address.sun_path) { unsafe $0.copyBytes(from: bytes) }
    let result = unsafe withUnsafePointer(to: &address) {
      unsafe $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        unsafe bind(number, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
      }
    }
    try #require(result == 0)
  }

  func makeDirectory(_ name: String) throws {
    try FileManager.default.createDirectory(
      atPath: path + "/" + name, withIntermediateDirectories: true)
  }

  func link(_ name: String, to target: String) throws {
    guard unsafe symlink(target, path + "/" + name) == 0 else { throw POSIXError(.EIO) }
  }

  /// Reads a file as any other program would; nil when there is none.
  func bytes(_ name: String) -> [UInt8]? {
    FileManager.default.contents(atPath: path + "/" + name).map { Array($0) }
  }

  func text(_ name: String) -> String? {
    bytes(name).map { String(decoding: $0, as: UTF8.self) }
  }

  /// Every path below, with the content of files; directories end in a slash.
  var tree: [String: String] { Tree(path).content }

  /// What is in a directory and all below.
  struct Tree {
    private let path: String

    init(_ path: String) { self.path = path }

    /// Every path below, with the content of files; directories end in a slash.
    var content: [String: String] {
      var tree: [String: String] = [:]
      guard let names = FileManager.default.enumerator(atPath: path) else { return [:] }
      for case let name as String in names {
        var status = stat()
        guard unsafe lstat(path + "/" + name, &status) == 0 else { continue }
        switch status.st_mode & S_IFMT {
        case S_IFDIR: tree[name + "/"] = ""
        case S_IFREG:
          let bytes = FileManager.default.contents(atPath: path + "/" + name)
          tree[name] = bytes.map { String(decoding: $0, as: UTF8.self) } ?? "unreadable"
        default: tree[name] = "special"
        }
      }
      return tree
    }
  }

  /// The temporary files of stores that are left.
  var strays: [String] { tree.keys.filter { $0.contains(".tenon-temporary-") }.sorted() }

  /// The permission bits of a file.
  func permissions(_ name: String) -> UInt32 {
    var status = stat()
    return unsafe stat(path + "/" + name, &status) == 0 ? status.st_mode & 0o7777 : 0
  }

  /// How many descriptors of this process are open on something below.
  var openDescriptors: Int {
    let all = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")) ?? []
    return all.filter { number in
      let target = try? FileManager.default.destinationOfSymbolicLink(
        atPath: "/proc/self/fd/" + number)
      return target?.hasPrefix(path) == true
    }.count
  }
}

/// Makes a reference of a path: `file(\"a/b\")`, `file(\"/dev/null\")`.
func file(_ path: String) throws -> Reference { try reference("file", path) }

func defaults(_ path: String) throws -> Reference { try reference("defaults", path) }

func environment(_ path: String) throws -> Reference { try reference("env", path) }

func reference(_ scheme: String, _ path: String) throws -> Reference {
  try Reference(
    scheme: scheme, components: path.parts(between: UInt8(ascii: "/")),
    isAbsolute: path.beginsWithBytes(of: "/"), isDirectory: path.endsInBytes(of: "/"))
}

extension Store {
  /// The text at a place; nil when it is missing, `<directory>` for a listing.
  func text(_ reference: Reference) throws(StoreError) -> String? {
    switch try get(reference, if: nil) {
    case .resource(let resource): String(decoding: resource.bytes, as: UTF8.self)
    case .directory: "<directory>"
    case .missing, .unchanged: nil
    }
  }

  func put(_ reference: Reference, _ text: String, if condition: Precondition? = nil)
    throws(StoreError)
  {
    try put(
      reference, Resource(Array(text.utf8), contentType: contentType(of: reference)), if: condition)
  }

  func names(_ reference: Reference) throws(StoreError) -> [String] {
    try list(reference).map { $0.isDirectory ? $0.name + "/" : $0.name }
  }
}

/// The kind of the error that something throws; nil when it throws none.
func kind(_ body: () throws -> Void) -> StoreError.Kind? {
  do {
    try body()
    return nil
  } catch {
    return (error as? StoreError)?.kind
  }
}

/// The message of the error that something throws.
func message(_ body: () throws -> Void) -> String? {
  do {
    try body()
    return nil
  } catch {
    return "\(error)"
  }
}

/// The seed of a random test: that of the environment, so that a failure can be repeated, or a new one.
func testSeed() -> UInt64 {
  ProcessInfo.processInfo.environment["TENON_TEST_SEED"].flatMap(UInt64.init)
    ?? UInt64.random(in: 0...UInt64(UInt32.max))
}
