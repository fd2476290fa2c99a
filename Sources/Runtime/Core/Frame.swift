/// An activation's window on the value stack.
///
///     [-1]     the send that made the activation, as a marker
///     [0]      the receiver; in a block's activation the block itself
///     [1...n]  the arguments, written there by the caller
///     [n+1...] temporaries, then contexts
///     [d...]   the operand area: a send at depth d keeps its marker in [d] and builds the callee's
///              frame at d + 1
///
/// Slot numbers and depths are settled when the tree is built, so that evaluation passes nothing
/// but the frame. Everything below the top handed to a safepoint is a valid value: this is what
/// makes the stack a precise root.
@safe
struct Frame: Equatable {
  private let slots: UnsafeMutablePointer<Value>

  @inline(__always)
  init(_ slots: UnsafeMutablePointer<Value>) {
    unsafe self.slots = unsafe slots
  }

  @inline(__always)
  subscript(index: Int) -> Value {
    get { unsafe slots[index] }
    nonmutating set { unsafe slots[index] = newValue }
  }

  /// The receiver, or the block in a block's activation.
  @inline(__always) var receiver: Value { unsafe slots.pointee }

  /// The frame of a callee whose send stands at an operand depth; its marker slot lies before it.
  @inline(__always)
  func callee(at depth: Int) -> Frame { unsafe Frame(slots + (depth &+ 1)) }

  /// The frame that starts `count` slots further up.
  @inline(__always)
  func advanced(by count: Int) -> Frame { unsafe Frame(slots + count) }

  @inline(__always) var address: UInt { unsafe UInt(bitPattern: slots) }

  @inline(__always)
  static func < (left: Frame, right: Frame) -> Bool { left.address < right.address }
  @inline(__always)
  static func == (left: Frame, right: Frame) -> Bool { left.address == right.address }

  /// The number of slots from `other` to this frame.
  @inline(__always)
  func distance(from other: Frame) -> Int { unsafe slots - other.slots }

  /// The send that made this activation, as a marker.
  @inline(__always) var site: Value {
    get { unsafe slots[-1] }
    nonmutating set { unsafe slots[-1] = newValue }
  }
}
