internal import CTenonPlatform

/// The native stack of a thread.
struct NativeStack {
  /// The lowest address.
  let low: UInt
  /// The size in bytes.
  let size: UInt

  /// The stack of the thread that runs now.
  ///
  /// A thread whose bounds cannot be learnt is taken to have 512 KB from here.
  static var current: NativeStack {
    var low: UInt = 0
    var size = 0
    guard unsafe tenon_stack_bounds(&low, &size) == 0 else {
      return NativeStack(low: tenon_frame_address() &- (512 << 10), size: 512 << 10)
    }
    return NativeStack(low: low, size: UInt(size))
  }

  /// What one reserve for the handlers of an overflow takes.
  var reserve: UInt { min(MachineLimits.reserveBytes, size / 16) }

  /// What freeing a tree may take, 100 bytes for each of its levels: that of the highest tree, or of
  /// the highest that is parsed on a small stack.
  var releaseRoom: Int { min(5 << 18, Int(size / 2)) }

  /// The lowest address the evaluator may use: below it are the reserves, and below them what its
  /// callees need.
  var floor: UInt {
    low + min(MachineLimits.nativeMargin, size / 4) + UInt(MachineLimits.reserves) * reserve
  }
}
