internal import CTenonPlatform

#if canImport(Darwin)
  internal import Darwin
#elseif canImport(Musl)
  internal import Musl
#else
  internal import Glibc
#endif

/// What the system calls an error.
func systemText(of code: Int32) -> String {
  guard let text = unsafe strerror(code) else { return "error \(code)" }
  return unsafe String(cString: text)
}

/// The working directory of the process; nil when it is gone or its name is not UTF-8.
func workingDirectory() -> String? {
  guard let path = unsafe getcwd(nil, 0) else { return nil }
  defer { unsafe free(path) }
  return unsafe String(validatingCString: path)
}

/// The strings of the process's environment, each `NAME=value`.
///
/// Another thread of the host that changes the environment meanwhile is not excluded: no program
/// can exclude it.
func processEnvironment() -> [[UInt8]] {
  var strings: [[UInt8]] = []
  guard var next = unsafe tenon_environment() else { return strings }
  while let string = unsafe next.pointee {
    let bytes = unsafe UnsafeRawBufferPointer(start: string, count: strlen(string))
    unsafe strings.append([UInt8](bytes))
    unsafe next += 1
  }
  return strings
}

/// Has the thread sleep.
func pauseThread(milliseconds: Int) {
  var time = timespec(
    tv_sec: milliseconds / 1000, tv_nsec: milliseconds % 1000 * 1_000_000)
  _ = unsafe nanosleep(&time, nil)
}

/// What there is at a path, links followed; nil for nothing.
///
/// - Throws: `FileFailure` where the system does not say.
func kindOfFile(at path: String) throws(FileFailure) -> FileStatus.Kind? {
  do throws(FileFailure) {
    return try OperatingSystem().status(of: path, in: nil, followsLinks: true).kind
  } catch {
    guard error.isMissing else { throw error }
    return nil
  }
}
