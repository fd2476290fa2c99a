#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#elseif canImport(Darwin)
  internal import Darwin
#endif

/// What was typed in this and in earlier sessions, kept in `$XDG_STATE_HOME/tenon/history`.
///
/// The file has a string of JSON for each entry, on a line of its own. An entry is added with a single
/// write at the end, under a lock, so that sessions may run side by side and whatever kills one leaves
/// whole lines behind; what cannot be read is passed over. Lines that do not begin with a quote are
/// those of earlier versions, in which `\n` stands for the end of a line and `\\` for a backslash.
struct History {
  /// The most entries that are kept.
  static let limit = 1000
  /// The longest entry that is written, and how much of a file is read, in bytes.
  private static let longestEntry = 64 << 10
  private static let readSize = 1 << 20

  private let directory: String?
  private var file: String { (directory ?? "") + "/history" }
  /// Whether the last line of the file has no end, as another program might leave it.
  private var endsInLine = false
  private var lastEntry = ""
  /// Whether the entries are kept: until writing one fails.
  private var isKept: Bool

  init() {
    if let state = History.variable("XDG_STATE_HOME"), state.hasPrefix("/") {
      directory = state + "/tenon"
    } else {
      directory = History.variable("HOME").map { $0 + "/.local/state/tenon" }
    }
    isKept = directory != nil
  }

  private static func variable(_ name: String) -> String? {
    guard let value = unsafe getenv(name) else { return nil }
    let text = unsafe String(cString: value)
    return text.isEmpty ? nil : text
  }

  // MARK: Reading

  /// Reads the entries of earlier sessions, oldest first.
  mutating func load() -> [String] {
    guard isKept else { return [] }
    // A FIFO must not block, a device not be read.
    let descriptor = unsafe open(file, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
    guard descriptor >= 0 else { return [] }
    defer { close(descriptor) }
    guard let size = History.sizeOfFile(descriptor) else { return [] }
    // Nothing is added while it may be replaced.
    if size > 2 * History.readSize { flock(descriptor, LOCK_EX) }
    let bytes = History.read(descriptor, from: max(0, size - History.readSize))
    endsInLine = bytes.last.map { $0 != UInt8(ascii: "\n") } ?? false
    var lines = bytes.split(separator: UInt8(ascii: "\n"))[...]
    // The first line may be cut.
    if size > History.readSize { lines = lines.dropFirst() }
    let entries = lines.compactMap(History.entry).suffix(History.limit)
    lastEntry = entries.last ?? ""
    if size > 2 * History.readSize { shorten(to: entries) }
    return Array(entries)
  }

  private static func sizeOfFile(_ descriptor: Int32) -> Int? {
    var status = stat()
    guard unsafe fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
      return nil
    }
    return Int(status.st_size)
  }

  private static func read(_ descriptor: Int32, from start: Int) -> [UInt8] {
    var bytes: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 64 << 10)
    while bytes.count < 2 * readSize {
      let count = unsafe chunk.withUnsafeMutableBytes {
        unsafe pread(descriptor, $0.baseAddress, $0.count, off_t(start + bytes.count))
      }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { break }
      bytes += chunk[..<count]
    }
    return bytes
  }

  /// The entry in a line; nil when it cannot be one.
  private static func entry(_ line: ArraySlice<UInt8>) -> String? {
    guard line.count <= longestEntry, let text = String(validating: line, as: UTF8.self) else {
      return nil
    }
    guard text.first == "\"" else { return unescaped(text.unicodeScalars[...]) }
    guard text.utf8.count > 1, text.last == "\"" else { return nil }
    return unescaped(text.unicodeScalars.dropFirst().dropLast())
  }

  /// What a text stands for in which a backslash begins an escape; nil when it has control
  /// characters, or no such escape.
  private static func unescaped(_ text: Substring.UnicodeScalarView) -> String? {
    var entry = String.UnicodeScalarView()
    var rest = text
    while let scalar = rest.popFirst() {
      if scalar.properties.generalCategory == .control, scalar != "\t" { return nil }
      guard scalar == "\\" else {
        entry.append(scalar)
        continue
      }
      switch rest.popFirst() {
      case "n": entry.append("\n")
      case "t": entry.append("\t")
      case "r": entry.append("\r")
      case "u":
        guard let value = UInt32(String(rest.prefix(4)), radix: 16),
          let code = Unicode.Scalar(value)
        else { return nil }
        entry.append(code)
        rest = rest.dropFirst(4)
      case let other?: entry.append(other)
      case nil: return nil
      }
    }
    return String(entry)
  }

  // MARK: Writing

  /// Adds an entry.
  ///
  /// - Returns: What to tell when the history cannot be kept; told once.
  mutating func append(_ entry: String) -> String? {
    guard isKept, entry != lastEntry, entry.utf8.count <= History.longestEntry else { return nil }
    lastEntry = entry
    makeDirectories()
    let descriptor = openLocked()
    guard descriptor >= 0 else { return giveUp(systemErrorText()) }
    defer { close(descriptor) }
    guard History.sizeOfFile(descriptor) != nil else { return giveUp("it is no file") }
    let line = (endsInLine ? "\n" : "") + History.line(entry)
    guard History.write(line, to: descriptor) else { return giveUp(systemErrorText()) }
    endsInLine = false
    return nil
  }

  /// Opens the file for adding to it, and locks it: whoever holds the lock writes a line or replaces the
  /// file, neither of which takes long.
  private func openLocked() -> Int32 {
    let flags = O_WRONLY | O_APPEND | O_CREAT | O_NONBLOCK | O_CLOEXEC
    while true {
      let descriptor = unsafe open(file, flags, 0o600)
      guard descriptor >= 0 else { return descriptor }
      flock(descriptor, LOCK_EX)
      var opened = stat()
      var named = stat()
      let isKnown = unsafe fstat(descriptor, &opened) == 0 && stat(file, &named) == 0
      guard isKnown, opened.st_ino != named.st_ino || opened.st_dev != named.st_dev else {
        return descriptor
      }
      close(descriptor)
    }
  }

  private mutating func giveUp(_ reason: String) -> String {
    isKept = false
    return "the history cannot be kept in '\(file)': \(reason)"
  }

  private static func line(_ entry: String) -> String {
    var line = "\""
    for scalar in entry.unicodeScalars {
      switch scalar {
      case "\\": line += "\\\\"
      case "\"": line += "\\\""
      case "\n": line += "\\n"
      case "\t": line += "\\t"
      case _
      where scalar.value < 0x20 || scalar.value == 0x7F || (0x80...0x9F).contains(scalar.value):
        let digits = String(scalar.value, radix: 16)
        line += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
      default: line.unicodeScalars.append(scalar)
      }
    }
    return line + "\"\n"
  }

  private static func write(_ text: String, to descriptor: Int32) -> Bool {
    let bytes = Array(text.utf8)
    return unsafe bytes.withUnsafeBytes {
      unsafe Glibc.write(descriptor, $0.baseAddress, $0.count) == $0.count
    }
  }

  /// Makes the directories that lead to the file; what fails shows when the file is opened.
  private func makeDirectories() {
    guard let directory, unsafe access(directory, F_OK) != 0 else { return }
    var path = ""
    for component in directory.split(separator: "/") {
      path += "/" + component
      unsafe mkdir(path, 0o700)
    }
  }

  /// Replaces a file that has grown large, at once or not at all.
  private func shorten(to entries: ArraySlice<String>) {
    let new = file + ".new"
    let flags = O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC
    let descriptor = unsafe open(new, flags, 0o600)
    guard descriptor >= 0 else { return }
    let isWritten = History.write(entries.map(History.line).joined(), to: descriptor)
    close(descriptor)
    if isWritten { unsafe rename(new, file) } else { unsafe unlink(new) }
  }
}
