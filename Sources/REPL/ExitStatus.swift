#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#elseif canImport(Darwin)
  internal import Darwin
#endif

/// What the command's exit tells whoever started it.
enum ExitStatus {
  static let success: Int32 = 0
  /// An error was not caught, or the output could not be written.
  static let failure: Int32 = 1
  /// The command line is wrong, or the script cannot be read.
  static let usage: Int32 = 2
  /// The script has syntax errors: EX_DATAERR of sysexits.
  static let syntax: Int32 = 65

  /// A signal ended the program: what a shell would report.
  static func signal(_ number: Int32) -> Int32 { 128 + number }
}

/// What the system says about the call that failed last.
func systemErrorText() -> String {
  guard let text = unsafe strerror(errno) else { return "error \(errno)" }
  return unsafe String(cString: text)
}
