internal import TenonText

/// How the words after an object's header are to be read.
enum ObjectFormat: UInt8 {
  /// Slots that hold values; their number stands in the header.
  case slots
  /// A count, then that many values.
  case array
  /// A count of bytes and a hash, then the bytes: strings, symbols, large integers, byte arrays.
  case bytes
  /// A number that is a double outside the immediate range.
  case float
}

/// Flags in an object's header; a store into a slot takes its fast path when all are clear.
enum ObjectFlag {
  /// Some slot is watched: a store must go through the door.
  @inline(__always) static var watched: UInt8 { 1 }
  /// The object must not change: a literal.
  @inline(__always) static var immutable: UInt8 { 2 }
  /// The method or block activation that made this context has ended.
  @inline(__always) static var ended: UInt8 { 4 }
  /// A string with bytes outside ASCII; strings have no slots, so no store meets this flag.
  @inline(__always) static var notASCII: UInt8 { 8 }
  /// A large integer below zero.
  @inline(__always) static var negative: UInt8 { 16 }
  /// The object has variables outside of itself, which a table finds by its address.
  @inline(__always) static var extended: UInt8 { 32 }
  /// A collection in slices has scanned the object: a store must tell the collector.
  @inline(__always) static var scanned: UInt8 { 64 }
  /// The flags that a store into a slot must look at.
  @inline(__always) static var guards: UInt8 { watched | immutable | scanned }
}

/// The address of a heap object.
///
///     +0  class index: UInt32 | flags: UInt8 | format: UInt8 | slot count: UInt16
///     +8  slots, or: count: UInt64 (array), byte count: UInt32 | hash: UInt32 (bytes),
///                    double (float)
///     +16 elements or bytes
///
/// A reference is no root: it is good until the next safepoint unless a root holds the object.
@safe
struct ObjectRef: Equatable {
  private let address: UnsafeMutableRawPointer

  @inline(__always)
  init(_ address: UnsafeMutableRawPointer) {
    unsafe self.address = unsafe address
  }

  /// The object a value names; the value must be an object.
  @inline(__always)
  init(_ value: Value) {
    assert(value.isObject && value.bits != 0)
    unsafe self.address = unsafe UnsafeMutableRawPointer(bitPattern: value.bits)
      .unsafelyUnwrapped
  }

  @inline(__always) var bits: UInt { unsafe UInt(bitPattern: address) }

  @inline(__always)
  static func == (left: ObjectRef, right: ObjectRef) -> Bool { left.bits == right.bits }
}

// MARK: - Header

extension ObjectRef {
  /// Bytes before the first slot.
  static let headerSize = 8
  /// The most slots an object may have besides elements.
  static let slotLimit = 65_535

  @inline(__always) var classIndex: UInt32 {
    get { unsafe address.load(as: UInt32.self) }
    nonmutating set { unsafe address.storeBytes(of: newValue, as: UInt32.self) }
  }

  @inline(__always) var flags: UInt8 {
    get { unsafe address.load(fromByteOffset: 4, as: UInt8.self) }
    nonmutating set { unsafe address.storeBytes(of: newValue, toByteOffset: 4, as: UInt8.self) }
  }

  @inline(__always) var formatCode: UInt8 {
    unsafe address.load(fromByteOffset: 5, as: UInt8.self)
  }

  @inline(__always) var slotCount: Int {
    Int(unsafe address.load(fromByteOffset: 6, as: UInt16.self))
  }

  @inline(__always)
  func hasFormat(_ format: ObjectFormat) -> Bool { formatCode == format.rawValue }

  /// Writes the header; called once, by the allocator.
  @inline(__always)
  func initializeHeader(classIndex: UInt32, format: ObjectFormat, slotCount: Int) {
    let word =
      UInt64(classIndex) | UInt64(format.rawValue) << 40
      | UInt64(UInt16(truncatingIfNeeded: slotCount)) << 48
    unsafe address.storeBytes(of: word, as: UInt64.self)
  }
}

// MARK: - Slots

extension ObjectRef {
  @inline(__always)
  private func slotAddress(_ index: Int) -> UnsafeMutablePointer<Value> {
    unsafe (address + (8 &+ index &* 8)).assumingMemoryBound(to: Value.self)
  }

  /// Where a slot stands as long as the object lives: objects never move.
  func address(ofSlot index: Int) -> UnsafePointer<Value> {
    unsafe UnsafePointer(slotAddress(index))
  }

  /// A slot of an object with the format `slots`.
  ///
  /// Setting it tells the collector, if it has to know.
  ///
  /// - Requires: `index` is in `0 ..< slotCount`; the compiler of methods sees to it.
  @inline(__always)
  subscript(slot index: Int) -> Value {
    get {
      assert(index >= 0 && index < slotCount, "slot \(index) of \(slotCount)")
      return unsafe slotAddress(index).pointee
    }
    nonmutating set {
      if flags & ObjectFlag.scanned != 0 { recordStore(newValue) }
      initialize(slot: index, to: newValue)
    }
  }

  /// Sets a slot of an object that the collector has not scanned: one that is new since the last
  /// safepoint, or whose flags say so.
  @inline(__always)
  func initialize(slot index: Int, to value: Value) {
    assert(index >= 0 && index < slotCount, "slot \(index) of \(slotCount)")
    unsafe slotAddress(index).pointee = value
  }
}

// MARK: - Arrays

extension ObjectRef {
  /// The number of elements of an array.
  @inline(__always) var elementCount: Int {
    get { unsafe address.load(fromByteOffset: 8, as: Int.self) }
    nonmutating set { unsafe address.storeBytes(of: newValue, toByteOffset: 8, as: Int.self) }
  }

  /// An element of an array, counted from 0.
  ///
  /// Setting it tells the collector, if it has to know.
  ///
  /// - Requires: `index` is in `0 ..< elementCount`.
  @inline(__always)
  subscript(element index: Int) -> Value {
    get {
      assert(index >= 0 && index < elementCount)
      return unsafe slotAddress(index &+ 1).pointee
    }
    nonmutating set {
      if flags & ObjectFlag.scanned != 0 { recordStore(newValue) }
      initialize(element: index, to: newValue)
    }
  }

  /// Sets an element of an array that the collector has not scanned: one that is new since the last
  /// safepoint, or whose flags say so.
  @inline(__always)
  func initialize(element index: Int, to value: Value) {
    assert(index >= 0 && index < elementCount)
    unsafe slotAddress(index &+ 1).pointee = value
  }

  /// Copies elements within one array or from one to another; the ranges may overlap.
  ///
  /// - Requires: both ranges lie within their arrays.
  /// - Complexity: O(*count*).
  func moveElements(from start: Int, count: Int, to target: ObjectRef, at targetStart: Int) {
    assert(start >= 0 && count >= 0 && start + count <= elementCount)
    assert(targetStart >= 0 && targetStart + count <= target.elementCount)
    if target.flags & ObjectFlag.scanned != 0 { target.recordChanges() }
    unsafe target.slotAddress(targetStart &+ 1)
      .update(from: slotAddress(start &+ 1), count: count)
  }

  /// Fills elements with one value.
  ///
  /// - Requires: the range lies within the array.
  func fillElements(from start: Int, count: Int, with value: Value) {
    assert(start >= 0 && count >= 0 && start + count <= elementCount)
    if flags & ObjectFlag.scanned != 0 { recordStore(value) }
    unsafe slotAddress(start &+ 1).update(repeating: value, count: count)
  }
}

// MARK: - Bytes

extension ObjectRef {
  /// The most bytes a string may have.
  static let byteLimit = Int(UInt32.max) - 64

  /// The number of bytes of a string, symbol, large integer or byte array.
  @inline(__always) var byteCount: Int {
    Int(unsafe address.load(fromByteOffset: 8, as: UInt32.self))
  }

  @inline(__always)
  func initializeByteCount(_ count: Int) {
    unsafe address.storeBytes(
      of: UInt64(UInt32(truncatingIfNeeded: count)), toByteOffset: 8, as: UInt64.self)
  }

  /// The cached hash of the bytes, 0 before it is computed.
  @inline(__always) var cachedHash: UInt32 {
    get { unsafe address.load(fromByteOffset: 12, as: UInt32.self) }
    nonmutating set { unsafe address.storeBytes(of: newValue, toByteOffset: 12, as: UInt32.self) }
  }

  /// A byte, counted from 0.
  ///
  /// - Requires: `index` is in `0 ..< byteCount`.
  @inline(__always)
  subscript(byte index: Int) -> UInt8 {
    get {
      assert(index >= 0 && index < byteCount)
      return unsafe address.load(fromByteOffset: 16 &+ index, as: UInt8.self)
    }
    nonmutating set {
      assert(index >= 0 && index < byteCount)
      unsafe address.storeBytes(of: newValue, toByteOffset: 16 &+ index, as: UInt8.self)
    }
  }

  /// The bytes; the buffer is good as long as the object lives.
  @inline(__always) var bytes: UnsafeMutableRawBufferPointer {
    unsafe UnsafeMutableRawBufferPointer(start: address + 16, count: byteCount)
  }

  /// The first of the bytes, of which there are `byteCount`.
  @inline(__always) var firstByte: UnsafeMutableRawPointer { unsafe address + 16 }

  /// Whether all bytes of a string are ASCII, so that a byte is a character.
  @inline(__always) var isASCII: Bool { flags & ObjectFlag.notASCII == 0 }
}

// MARK: - Floats

extension ObjectRef {
  /// The double of a float outside the immediate range.
  @inline(__always) var double: Double {
    get { unsafe address.load(fromByteOffset: 8, as: Double.self) }
    nonmutating set { unsafe address.storeBytes(of: newValue, toByteOffset: 8, as: Double.self) }
  }
}
