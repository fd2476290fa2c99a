public import TenonText

/// Bytes that are read one piece after the other: a file, an answer, what a program prints.
///
/// One thread at a time uses it.
public protocol ByteSource: AnyObject {
  /// Reads the next bytes, and waits until there are some or there will be none.
  ///
  /// - Parameter count: The most bytes, from 1.
  /// - Returns: At least one byte; none at the end. A file that grows has more later.
  /// - Throws: `StoreError`.
  func read(atMost count: Int) throws(StoreError) -> [UInt8]

  /// Goes on reading at an offset in bytes from the beginning.
  ///
  /// - Throws: `StoreError`, of the kind `unsupported` where bytes come only once.
  func move(to offset: Int) throws(StoreError)

  /// Whether the place still leads to what is read: a file may have been replaced.
  var isCurrent: Bool { get }

  /// How many bytes there are, read or not; nil where that is not known.
  var size: Int? { get }

  /// What is known before the first byte, such as the header of an answer, as JSON; nil for nothing.
  var header: [UInt8]? { get }

  /// How texts in it are encoded; nil where it does not say.
  var encoding: TextEncoding? { get }

  /// Where reading is done that may wait; nil when it never does.
  var executor: (any VerbExecutor)? { get }

  /// Gives back what it uses. Reading finds no more then.
  func close()

  /// Ends a read that is under way on another thread, soon; that fails then.
  func interrupt()
}

extension ByteSource {
  /// Throws `unsupported`.
  public func move(to offset: Int) throws(StoreError) {
    throw StoreError(.unsupported, "", "what comes once cannot be read again")
  }

  /// It does.
  public var isCurrent: Bool { true }

  /// It is not known.
  public var size: Int? { nil }

  /// It does not say.
  public var encoding: TextEncoding? { nil }

  /// Nothing.
  public var header: [UInt8]? { nil }

  /// It never waits.
  public var executor: (any VerbExecutor)? { nil }

  /// Does nothing: it does not wait.
  public func interrupt() {}
}

/// What takes bytes one piece after the other.
///
/// One thread at a time uses it.
public protocol ByteSink: AnyObject {
  /// Takes all of the bytes.
  ///
  /// - Throws: `StoreError`.
  func write(_ bytes: [UInt8]) throws(StoreError)

  /// Sees to it that what was written is where it belongs, and gives back what it uses.
  ///
  /// - Throws: `StoreError`; a file that was to be replaced is as before then.
  func finish() throws(StoreError)

  /// Gives back what it uses; a file that was to be replaced stays as it was.
  func cancel()

  /// Where writing is done that may wait; nil when it never does.
  var executor: (any VerbExecutor)? { get }

  /// Whether finishing replaces something, and what was written counts for nothing before.
  var replaces: Bool { get }

  /// The first bytes of what is there already and stays before what is written, up to three; none where there is
  /// nothing.
  var beginning: [UInt8] { get }
}

extension ByteSink {
  /// It does not.
  public var replaces: Bool { false }

  /// Nothing is there.
  public var beginning: [UInt8] { [] }

  /// It never waits.
  public var executor: (any VerbExecutor)? { nil }
}
