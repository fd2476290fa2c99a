internal import CTenonPlatform

/// The functions of the system's zlib, found when something is first packed or unpacked.
@safe
struct LibZ: @unchecked Sendable {
  typealias Stream = UnsafeMutablePointer<tenon_z_stream>
  typealias Text = UnsafePointer<CChar>
  typealias Step = @convention(c) (Stream, Int32) -> Int32
  typealias Ending = @convention(c) (Stream) -> Int32
  /// Stream, window, version, size of the stream.
  typealias UnpackingStart = @convention(c) (Stream, Int32, Text, Int32) -> Int32
  /// Stream, level, method, window, memory, strategy, version, size of the stream.
  typealias PackingStart =
    @convention(c) (Stream, Int32, Int32, Int32, Int32, Int32, Text, Int32) -> Int32

  let beginUnpacking: UnpackingStart
  let unpack: Step
  let beginNextMember: Ending
  let endUnpacking: Ending
  let beginPacking: PackingStart
  let pack: Step
  let endPacking: Ending

  /// The library of this system; nil when there is none that can be used.
  ///
  /// Its functions are the same for the whole process: nothing of this changes.
  static let system = LibZ()

  private init?() {
    guard
      let library = DynamicLibrary([
        "libz.so.1", "libz.so", "libz.1.dylib", "/usr/lib/libz.1.dylib",
      ]),
      let beginUnpacking = unsafe library.function("inflateInit2_", as: UnpackingStart.self),
      let unpack = unsafe library.function("inflate", as: Step.self),
      let beginNextMember = unsafe library.function("inflateReset", as: Ending.self),
      let endUnpacking = unsafe library.function("inflateEnd", as: Ending.self),
      let beginPacking = unsafe library.function("deflateInit2_", as: PackingStart.self),
      let pack = unsafe library.function("deflate", as: Step.self),
      let endPacking = unsafe library.function("deflateEnd", as: Ending.self)
    else { return nil }
    unsafe self.beginUnpacking = unsafe beginUnpacking
    unsafe self.unpack = unsafe unpack
    unsafe self.beginNextMember = unsafe beginNextMember
    unsafe self.endUnpacking = unsafe endUnpacking
    unsafe self.beginPacking = unsafe beginPacking
    unsafe self.pack = unsafe pack
    unsafe self.endPacking = unsafe endPacking
  }

  enum Code {
    static let ok: Int32 = 0
    static let end: Int32 = 1
    static let needsDictionary: Int32 = 2
    static let noMemory: Int32 = -4
    static let noProgress: Int32 = -5
  }

  enum Flush {
    static let none: Int32 = 0
    static let finish: Int32 = 4
  }

  static let streamSize = unsafe Int32(MemoryLayout<tenon_z_stream>.size)
  static let deflateMethod: Int32 = 8
  static let usualMemory: Int32 = 8
  /// The version of the interface: only its first digit is compared.
  static let version = "1"
}
