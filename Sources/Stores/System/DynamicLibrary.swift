#if canImport(Darwin)
  internal import Darwin
#elseif canImport(Musl)
  internal import Musl
#else
  internal import Glibc
#endif

/// A library of the system that is loaded when it is first needed, so that programs that do not need
/// it neither wait for it nor ask for it to be installed.
///
/// It stays loaded: its functions may be in use.
@safe
struct DynamicLibrary: @unchecked Sendable {
  private let handle: UnsafeMutableRawPointer

  /// Loads the first of these libraries that there is; nil when there is none.
  init?(_ names: [String]) {
    for name in names {
      if let handle = unsafe dlopen(name, RTLD_NOW | RTLD_LOCAL) {
        unsafe self.handle = handle
        return
      }
    }
    return nil
  }

  /// Where a function is; nil when the library has none of that name.
  func address(_ name: String) -> UnsafeMutableRawPointer? {
    unsafe dlsym(handle, name)
  }

  /// A function, of the type of a C function pointer that the caller knows it to have.
  ///
  /// The type is known to be right by these: the name says which function it is, its declaration in
  /// the library's public header is the one that the caller writes down as `type` (parameters and
  /// result of the same size and kind, pointers for pointers), and the names of the libraries carry
  /// the number of an interface that keeps its declarations (`libcurl.so.4`, `libsqlite3.so.0`).
  /// POSIX has the answer of `dlsym` convert to a pointer to the function, so both have one size,
  /// which is checked.
  func function<Function>(_ name: String, as type: Function.Type) -> Function? {
    guard let address = unsafe address(name),
      unsafe MemoryLayout<Function>.size == MemoryLayout<UnsafeMutableRawPointer>.size
    else { return nil }
    return unsafe unsafeBitCast(address, to: type)
  }
}
