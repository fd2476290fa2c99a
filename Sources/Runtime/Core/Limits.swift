/// Sizes that the machine's promises rest on.
enum MachineLimits {
  /// How many files may import one another in a chain: each is parsed on the native stack of the one
  /// before.
  static let imports = 50
  /// Native stack below the evaluator's limit for what it calls without a check of its own:
  /// primitives, the parser of the kernel's methods, the collector.
  static let nativeMargin: UInt = 192 << 10
  /// Native stack that is kept for the handlers of a stack overflow, and how many times over: a
  /// handler that overflows gets another, so that a report can still be printed.
  ///
  /// Small stacks have smaller ones.
  static let reserveBytes: UInt = 128 << 10
  static let reserves = 3
  /// How much deeper each of them may go where the depth is limited by a number.
  static let reservedDepth = 100
  /// The most classes from the root down; what walks them recurses.
  static let inheritance = 1_000
  /// Native stack for each level of brackets and of a tree when a text is parsed; measured in a
  /// debug build, and rounded up.
  static let nestingBytes = 8 << 10
  static let heightBytes = 1 << 10
  /// The most elements a collection may have.
  static let elements = 1 << 40
}

/// Sizes of frames that need no check of the value stack.
enum FrameLimits {
  /// Frames of up to this many slots need no check of the value stack: the native stack, which
  /// takes more bytes for each activation than such a frame does, ends first.
  static let unchecked = 8
  /// The same for the operand area, whose first operands come with native frames of their own.
  static let uncheckedOperands = 16
  /// Slots that are free above every frame that has been checked.
  static let reserve = 256
}
