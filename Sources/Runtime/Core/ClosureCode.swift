/// Code that closures in the heap keep alive, as the collector sees it.
class CollectedCode {
  /// The number of the collection in which a closure was last seen that needs the code.
  @exclusivity(unchecked) final var mark = 0
}

/// The code of a block, whose address stands in the first slot of its closures.
class ClosureCode {
  /// The code that the block is part of.
  @safe final unowned(unsafe) let collected: CollectedCode

  init(partOf collected: CollectedCode) { self.collected = collected }

  /// The block that a closure evaluates.
  @inline(__always)
  static func of(_ closure: ObjectRef) -> Unmanaged<ClosureCode> {
    unsafe Unmanaged.fromOpaque(
      UnsafeRawPointer(bitPattern: closure[slot: 0].markedAddress).unsafelyUnwrapped)
  }
}
