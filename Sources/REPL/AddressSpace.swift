#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#elseif canImport(Darwin)
  internal import Darwin
#endif

/// What the system lets the process have: `ulimit -v`.
///
/// The system refuses what goes beyond, and nothing survives that. So the limits of the program are
/// chosen such that it comes to them first.
enum AddressSpace {
  /// The most bytes; `Int.max` when there is no limit.
  static var limit: Int {
    var limit = rlimit()
    let resource = __rlimit_resource_t(RLIMIT_AS.rawValue)
    return unsafe getrlimit(resource, &limit) == 0 ? Int(clamping: limit.rlim_cur) : .max
  }

  /// The most memory that a program may keep, when a part of the address space is still to be taken
  /// for the value stack.
  ///
  /// A program that grows holds up to half of its memory again for a moment; the system's library
  /// and the code of the program take some more.
  static func memoryLimit(reserving stackSize: Int) -> Int {
    let limit = limit
    guard limit < Int.max, let used else { return .max }
    let (room, overflow) = (limit - used).subtractingReportingOverflow(stackSize)
    return overflow ? smallest : max(smallest, (room - slack) / 3 * 2)
  }

  private static let slack = 64 << 20
  private static let smallest = 1 << 20

  /// The bytes that are taken now; nil where the system does not tell.
  private static var used: Int? {
    let file = unsafe open("/proc/self/statm", O_RDONLY | O_CLOEXEC)
    guard file >= 0 else { return nil }
    defer { close(file) }
    var bytes = [UInt8](repeating: 0, count: 256)
    let count = unsafe bytes.withUnsafeMutableBytes { unsafe read(file, $0.baseAddress, $0.count) }
    guard count > 0 else { return nil }
    let pages = Int(String(decoding: bytes.prefix { $0 != UInt8(ascii: " ") }, as: UTF8.self))
    return pages.map { $0 * sysconf(Int32(_SC_PAGESIZE)) }
  }
}
