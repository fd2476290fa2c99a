internal import CTenonPlatform

#if canImport(Darwin)
  internal import Darwin
#elseif canImport(Musl)
  internal import Musl
#else
  internal import Glibc
#endif
internal import CTenonPlatform
internal import TenonStoreKit
internal import TenonText

/// The file system of the operating system.
///
/// This file and `ProcessValues.swift` are the only ones of the stores that touch memory the
/// compiler does not watch over: pointers that live as long as one call.
package struct OperatingSystem: FileSystem, Sendable {
  /// Whether the system is asked to keep what is opened beneath a directory there.
  private let asksSystem: Bool

  /// Creates the file system.
  ///
  /// - Parameter asksSystem: Whether the system may be asked to open a path beneath a directory.
  ///   Where it cannot, or is not asked, paths are gone step by step, and no link in them is followed.
  package init(asksSystem: Bool = true) {
    self.asksSystem = asksSystem
  }

  package func open(
    _ path: String, in directory: Descriptor?, _ mode: OpenMode
  ) throws(FileFailure) -> Descriptor {
    let (flags, permissions) = mode.flags
    let number = unsafe openat(
      base(directory), path, flags | O_CLOEXEC, mode_t(truncatingIfNeeded: permissions))
    return Descriptor(number: try checked(number))
  }

  package func openBeneath(
    _ path: String, in directory: Descriptor, _ mode: OpenMode
  ) throws(FileFailure) -> Descriptor {
    guard asksSystem else { return try openStepByStep(path, in: directory, mode) }
    let (flags, permissions) = mode.flags
    // The system asks for another try when something on the way is moved meanwhile.
    for _ in 0..<OperatingSystem.attempts {
      let number = unsafe tenon_open_beneath(
        directory.number, path, flags | O_CLOEXEC, permissions,
        mode.followsLinks ? 1 : 0)
      if number >= 0 { return Descriptor(number: number) }
      switch errno {
      case EAGAIN: continue
      case EXDEV: throw .leadsOut
      case ENOSYS, EPERM: return try openStepByStep(path, in: directory, mode)
      case let code: throw FileFailure(code)
      }
    }
    throw FileFailure(.locked, "moved again and again")
  }

  private static let attempts = 64

  /// The same without the system's help: each component by itself, and no symbolic link at all.
  private func openStepByStep(
    _ path: String, in directory: Descriptor, _ mode: OpenMode
  ) throws(FileFailure) -> Descriptor {
    let components = path.parts(between: UInt8(ascii: "/")).filter { $0 != "." }
    guard !components.contains(".."), path.utf8.first != UInt8(ascii: "/") else {
      throw .leadsOut
    }
    var current = try open(".", in: directory, .directory)
    for component in components.dropLast() {
      let above = current
      defer { close(above) }
      current = try openStep(component, in: above)
    }
    defer { close(current) }
    let (flags, permissions) = mode.flags
    let number = unsafe openat(
      current.number, components.last ?? ".", flags | O_CLOEXEC | O_NOFOLLOW,
      mode_t(truncatingIfNeeded: permissions))
    return Descriptor(number: try checked(number))
  }

  /// A directory on the way; a link is refused, and not taken for nothing.
  private func openStep(
    _ name: String, in directory: Descriptor
  ) throws(FileFailure) -> Descriptor {
    do throws(FileFailure) {
      return try open(name, in: directory, .directoryWithoutLinks)
    } catch {
      guard error == .notADirectory,
        let status = try? status(of: name, in: directory, followsLinks: false),
        status.kind == .link
      else { throw error }
      throw .linkLoop
    }
  }

  package func close(_ descriptor: Descriptor) {
    // Never again after an interruption: Linux has closed it then, and the number may be another's.
    #if canImport(Darwin)
      _ = Darwin.close(descriptor.number)
    #elseif canImport(Musl)
      _ = Musl.close(descriptor.number)
    #else
      _ = Glibc.close(descriptor.number)
    #endif
  }

  package func read(
    _ descriptor: Descriptor, atMost count: Int
  ) throws(FileFailure) -> [UInt8] {
    var result = 0
    var code: Int32 = 0
    let bytes = unsafe [UInt8](unsafeUninitializedCapacity: max(0, count)) { buffer, size in
      result = unsafe systemRead(descriptor.number, buffer.baseAddress, buffer.count)
      code = errno
      size = max(0, result)
    }
    guard result >= 0 else { throw FileFailure(code) }
    return bytes
  }

  package func read(
    _ descriptor: Descriptor, atMost count: Int, from offset: Int
  ) throws(FileFailure) -> [UInt8] {
    var result = 0
    var code: Int32 = 0
    let bytes = unsafe [UInt8](unsafeUninitializedCapacity: max(0, count)) { buffer, size in
      result = unsafe pread(descriptor.number, buffer.baseAddress, buffer.count, off_t(offset))
      code = errno
      size = max(0, result)
    }
    guard result >= 0 else { throw FileFailure(code) }
    return bytes
  }

  package func change(_ path: String, _ change: FileChange) throws(FileFailure) {
    switch change {
    case .permissions(let bits):
      _ = try checked(unsafe chmod(path, mode_t(truncatingIfNeeded: bits)))
    case .modified(let time):
      let (seconds, rest) = time.quotientAndRemainder(dividingBy: 1_000_000_000)
      let moment = timespec(
        tv_sec: rest < 0 ? seconds - 1 : seconds, tv_nsec: rest < 0 ? rest + 1_000_000_000 : rest)
      let times = [moment, moment]
      _ = try checked(unsafe utimensat(AT_FDCWD, path, times, 0))
    case .owner(let user, let group): _ = try checked(unsafe chown(path, user, group))
    case .link(let target): _ = try checked(unsafe symlink(target, path))
    }
  }

  package func resize(_ descriptor: Descriptor, to size: Int) throws(FileFailure) {
    _ = try checked(ftruncate(descriptor.number, off_t(size)))
  }

  package func write(
    _ descriptor: Descriptor, _ bytes: ArraySlice<UInt8>
  ) throws(FileFailure) -> Int {
    var code: Int32 = 0
    let result = unsafe bytes.withUnsafeBytes { buffer in
      let result = unsafe systemWrite(descriptor.number, buffer.baseAddress, buffer.count)
      code = errno
      return result
    }
    guard result >= 0 else { throw FileFailure(code) }
    return result
  }

  package func synchronize(_ descriptor: Descriptor) throws(FileFailure) {
    #if canImport(Darwin)
      // There, fsync leaves the data in the drive's own memory.
      _ = try checked(fcntl(descriptor.number, F_FULLFSYNC))
    #else
      _ = try checked(fsync(descriptor.number))
    #endif
  }

  #if os(Linux)
    package func synchronizeData(_ descriptor: Descriptor) throws(FileFailure) {
      _ = try checked(fdatasync(descriptor.number))
    }
  #endif

  package func status(of descriptor: Descriptor) throws(FileFailure) -> FileStatus {
    var status = stat()
    _ = try checked(unsafe fstat(descriptor.number, &status))
    return FileStatus(status)
  }

  package func status(
    of path: String, in directory: Descriptor?, followsLinks: Bool
  ) throws(FileFailure) -> FileStatus {
    var status = stat()
    let flags = followsLinks ? 0 : AT_SYMLINK_NOFOLLOW
    _ = try checked(unsafe fstatat(base(directory), path, &status, flags))
    return FileStatus(status)
  }

  package func checkWritable(_ path: String, in directory: Descriptor?) throws(FileFailure) {
    _ = try checked(unsafe faccessat(base(directory), path, W_OK, AT_EACCESS))
  }

  package func setPermissions(
    _ descriptor: Descriptor, _ permissions: UInt32
  ) throws(FileFailure) {
    _ = try checked(fchmod(descriptor.number, mode_t(truncatingIfNeeded: permissions)))
  }

  package func setOwner(
    _ descriptor: Descriptor, user: UInt32?, group: UInt32?
  ) throws(FileFailure) {
    _ = try checked(fchown(descriptor.number, user ?? .max, group ?? .max))
  }

  package func makeDirectory(
    _ path: String, in directory: Descriptor?, permissions: UInt32
  ) throws(FileFailure) {
    _ = try checked(
      unsafe mkdirat(base(directory), path, mode_t(truncatingIfNeeded: permissions)))
  }

  package func rename(
    _ name: String, to newName: String, in directory: Descriptor
  ) throws(FileFailure) {
    _ = try checked(unsafe renameat(directory.number, name, directory.number, newName))
  }

  package func move(
    _ name: String, in directory: Descriptor, to newName: String,
    in newDirectory: Descriptor, replaces: Bool
  ) throws(FileFailure) {
    guard replaces else {
      _ = try checked(
        unsafe tenon_rename(directory.number, name, newDirectory.number, newName, 0))
      return
    }
    _ = try checked(unsafe renameat(directory.number, name, newDirectory.number, newName))
  }

  package func link(
    _ name: String, to newName: String, in directory: Descriptor
  ) throws(FileFailure) {
    _ = try checked(unsafe linkat(directory.number, name, directory.number, newName, 0))
  }

  package func remove(
    _ path: String, in directory: Descriptor?, isDirectory: Bool
  ) throws(FileFailure) {
    _ = try checked(unsafe unlinkat(base(directory), path, isDirectory ? AT_REMOVEDIR : 0))
  }

  package func entries(of directory: Descriptor) throws(FileFailure) -> [DirectoryEntry] {
    try names(in: directory).entries
  }

  package func countOfEntriesWithoutText(in directory: Descriptor) throws(FileFailure) -> Int {
    try names(in: directory).others
  }

  /// The names in a directory that are UTF-8, and how many others there are.
  private func names(
    in directory: Descriptor
  ) throws(FileFailure) -> (entries: [DirectoryEntry], others: Int) {
    // A descriptor of its own: the listing takes it over, and starts at the beginning.
    let copy = try open(".", in: directory, .directory)
    guard let listing = unsafe fdopendir(copy.number) else {
      let error = FileFailure(errno)
      close(copy)
      throw error
    }
    defer { unsafe _ = closedir(listing) }
    var entries: [DirectoryEntry] = []
    var others = 0
    while true {
      errno = 0
      guard let entry = unsafe readdir(listing) else {
        let code = errno
        if code == EINTR { continue }
        guard code == 0 else { throw FileFailure(code) }
        return (entries, others)
      }
      guard let name = unsafe entryName(entry) else {
        others += 1
        continue
      }
      guard name != ".", name != ".." else { continue }
      entries.append(
        DirectoryEntry(name: name, kind: FileStatus.Kind(entryType: unsafe entry.pointee.d_type)))
    }
  }

  package func target(
    ofLink path: String, in directory: Descriptor?
  ) throws(FileFailure) -> String {
    var code: Int32 = 0
    var result = 0
    let capacity = 1 << 13  // twice the longest path
    let bytes = unsafe [UInt8](unsafeUninitializedCapacity: capacity) { buffer, size in
      unsafe buffer.withMemoryRebound(to: CChar.self) { buffer in
        guard let address = buffer.baseAddress else { return }
        result = unsafe readlinkat(base(directory), path, address, buffer.count)
      }
      code = errno
      size = max(0, result)
    }
    guard result >= 0 else { throw FileFailure(code) }
    guard result < capacity else { throw .nameTooLong }
    guard let text = String(validating: bytes, as: UTF8.self) else { throw .invalidText }
    return text
  }

  package func lock(_ descriptor: Descriptor) throws(FileFailure) -> Bool {
    guard flock(descriptor.number, LOCK_EX | LOCK_NB) != 0 else { return true }
    let error = FileFailure(errno)
    guard error == .wouldBlock else { throw error }
    return false
  }

  package func unlock(_ descriptor: Descriptor) {
    _ = flock(descriptor.number, LOCK_UN)
  }

  package func waitUntilReady(
    _ descriptor: Descriptor, for direction: Direction, milliseconds: Int
  ) throws(FileFailure) -> Bool {
    let events = direction == .reading ? POLLIN : POLLOUT
    var request = pollfd(fd: descriptor.number, events: Int16(events), revents: 0)
    // An error or a hang-up is readiness too: the next read or write says which.
    return try checked(unsafe poll(&request, 1, Int32(clamping: milliseconds))) > 0
  }

  package func pause(milliseconds: Int) {
    let time = max(0, milliseconds)
    var request = timespec(tv_sec: time / 1000, tv_nsec: time % 1000 * 1_000_000)
    // Woken early is soon enough: whoever pauses looks at the clock.
    unsafe _ = nanosleep(&request, nil)
  }

  package var now: Int {
    var time = timespec()
    unsafe _ = clock_gettime(CLOCK_MONOTONIC, &time)
    return Int(time.tv_sec) * 1000 + Int(time.tv_nsec) / 1_000_000
  }

  private func base(_ directory: Descriptor?) -> Int32 { directory?.number ?? AT_FDCWD }

  /// Returns what a call answered, or throws what it left in `errno`.
  private func checked(_ result: Int32) throws(FileFailure) -> Int32 {
    guard result >= 0 else { throw FileFailure(errno) }
    return result
  }
}

extension OpenMode {
  fileprivate var flags: (flags: Int32, permissions: UInt32) {
    switch self {
    case .reading: (O_RDONLY | O_NONBLOCK | O_NOCTTY, 0)
    case .readingWithoutLinks: (O_RDONLY | O_NONBLOCK | O_NOFOLLOW | O_NOCTTY, 0)
    case .directory: (O_RDONLY | O_DIRECTORY | O_NOCTTY, 0)
    case .directoryWithoutLinks: (O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_NOCTTY, 0)
    // With anything else the system refuses to open a path alone beneath a directory.
    case .asking(let followsLinks): (OpenMode.pathOnly | (followsLinks ? 0 : O_NOFOLLOW), 0)
    case .creating(let permissions):
      (O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_NOCTTY, permissions)
    case .writing: (O_WRONLY | O_NONBLOCK | O_NOCTTY, 0)
    case .appending(let permissions):
      (O_WRONLY | O_APPEND | O_CREAT | O_NONBLOCK | O_NOCTTY, permissions)
    case .locking(let permissions):
      (O_RDWR | O_CREAT | O_NONBLOCK | O_NOFOLLOW | O_NOCTTY, permissions)
    }
  }
}

extension OpenMode {
  #if os(Linux)
    // O_PATH, which not every C library declares.
    private static let pathOnly: Int32 = 0o10000000
  #else
    private static let pathOnly = O_RDONLY | O_NONBLOCK
  #endif

  /// Whether symbolic links on the way are followed below a directory that is not left.
  var followsLinks: Bool {
    switch self {
    case .reading, .directory, .asking(followsLinks: true): true
    case .readingWithoutLinks, .directoryWithoutLinks, .asking, .creating, .writing,
      .appending, .locking:
      false
    }
  }
}

extension FileStatus {
  fileprivate init(_ status: stat) {
    let mode = UInt32(status.st_mode)
    #if canImport(Darwin)
      let modified = status.st_mtimespec
      let changed = status.st_ctimespec
    #else
      let modified = status.st_mtim
      let changed = status.st_ctim
    #endif
    self.init(
      kind: Kind(mode: mode), permissions: mode & 0o7777, size: max(0, Int(status.st_size)),
      user: status.st_uid, group: status.st_gid, links: Int(clamping: status.st_nlink),
      identity: FileIdentity(
        device: UInt64(truncatingIfNeeded: status.st_dev),
        number: UInt64(truncatingIfNeeded: status.st_ino)),
      modified: FileStatus.nanoseconds(modified), changed: FileStatus.nanoseconds(changed))
  }

  private static func nanoseconds(_ time: timespec) -> Int {
    Int(time.tv_sec) &* 1_000_000_000 &+ Int(time.tv_nsec)
  }
}

extension FileStatus.Kind {
  fileprivate init(mode: UInt32) {
    self =
      switch mode & UInt32(S_IFMT) {
      case UInt32(S_IFREG): .file
      case UInt32(S_IFDIR): .directory
      case UInt32(S_IFLNK): .link
      case UInt32(S_IFCHR): .characterDevice
      case UInt32(S_IFBLK): .blockDevice
      case UInt32(S_IFIFO): .pipe
      case UInt32(S_IFSOCK): .socket
      default: .other
      }
  }

  fileprivate init?(entryType: UInt8) {
    // The types of entries are those of modes, shifted; 0 is unknown.
    guard entryType != 0 else { return nil }
    self.init(mode: UInt32(entryType) << 12)
  }
}

/// The name of an entry, unless it is not UTF-8.
private func entryName(_ entry: UnsafeMutablePointer<dirent>) -> String? {
  unsafe withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
    unsafe String(validating: bytes.prefix { $0 != 0 }, as: UTF8.self)
  }
}

// Under names of their own: inside the type, `read` and `write` are its methods.
private func systemRead(_ number: Int32, _ buffer: UnsafeMutablePointer<UInt8>?, _ count: Int)
  -> Int
{
  unsafe read(number, buffer, count)
}

private func systemWrite(_ number: Int32, _ buffer: UnsafeRawPointer?, _ count: Int) -> Int {
  unsafe write(number, buffer, count)
}
