internal import CTenonPlatform

/// The native stack of the thread that runs now.
enum NativeStack {
  /// The lowest address the evaluator may use, leaving some bytes for what it calls.
  ///
  /// A thread whose bounds cannot be learnt is taken to have 512 KB from here.
  static func floor(besides margin: UInt) -> UInt {
    var low: UInt = 0
    var size = 0
    guard unsafe tenon_stack_bounds(&low, &size) == 0 else {
      return tenon_frame_address() &- (512 << 10) &+ margin
    }
    return low + margin
  }
}
