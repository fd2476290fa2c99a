/// A block closure in the heap: `[code, receiver, context]`.
@safe
struct Closure {
  let object: ObjectRef

  static let slotCount = 3

  @inline(__always)
  init(_ value: Value) { object = ObjectRef(value) }

  @inline(__always)
  init(_ object: ObjectRef) { self.object = object }

  /// What the block does when it is evaluated.
  @inline(__always) var code: BlockCodeRef { BlockCodeRef(marker: object[slot: 0]) }

  /// `self` where the block was written.
  @inline(__always) var receiver: Value { object[slot: 1] }

  /// The context of the variables the block captured.
  @inline(__always) var context: Value { object[slot: 2] }
}

/// The way from a closure to its code; the closure keeps the code alive through the collector.
@safe
struct BlockCodeRef {
  private let code: Unmanaged<BlockCode>

  @inline(__always)
  init(marker: Value) {
    unsafe code = Unmanaged.fromOpaque(
      UnsafeRawPointer(bitPattern: marker.markedAddress).unsafelyUnwrapped)
  }

  @inline(__always) var argumentCount: Int {
    unsafe code._withUnsafeGuaranteedRef { $0.argumentCount }
  }

  @inline(__always) var body: NodeRef {
    unsafe code._withUnsafeGuaranteedRef { $0.body }
  }

  /// Whether the code records what it reads.
  @inline(__always) var isTracked: Bool {
    unsafe code._withUnsafeGuaranteedRef { $0.isTracked }
  }

  /// The code itself.
  var object: BlockCode {
    unsafe code._withUnsafeGuaranteedRef { $0 }
  }
}
