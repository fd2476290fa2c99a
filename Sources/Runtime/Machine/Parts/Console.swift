/// What a program prints to and reads from; whoever makes an interpreter provides it.
public protocol Console: AnyObject {
  /// Writes bytes.
  ///
  /// - Parameters:
  ///   - bytes: UTF-8, or whatever the program chose to write.
  ///   - channel: The output, or the output for errors.
  /// - Throws: `ConsoleError` when the other end is gone or full.
  func write(_ bytes: Span<UInt8>, to channel: ConsoleChannel) throws(ConsoleError)

  /// Sees to it that what was written has gone out.
  ///
  /// - Throws: `ConsoleError` when the other end is gone or full.
  func flush() throws(ConsoleError)

  /// Reads a line.
  ///
  /// - Parameter isInterrupted: Whether to stop waiting. It is to be asked before waiting, whenever
  ///   waiting was disturbed, and about once a second.
  /// - Returns: The line without its end; nil at the end of the input.
  /// - Throws: `ConsoleError` when reading fails.
  func readLine(isInterrupted: () -> Bool) throws(ConsoleError) -> [UInt8]?

  /// Reads all that is left.
  ///
  /// - Parameters:
  ///   - limit: The most bytes to read.
  ///   - isInterrupted: Whether to stop waiting; to be asked as by `readLine`.
  /// - Returns: The bytes.
  /// - Throws: `ConsoleError` when reading fails or there is more than `limit`.
  func readAll(limit: Int, isInterrupted: () -> Bool) throws(ConsoleError) -> [UInt8]

  /// Whether a person types what is read; false unless the console says otherwise.
  var isInputTerminal: Bool { get }

  /// What is to be done while it waits for input; nil for nothing. A console that does not ask holds
  /// everything up while it waits.
  var idleWork: (any IdleWork)? { get set }
}

/// What goes on while somebody waits for something else.
public protocol IdleWork: AnyObject {
  /// What becomes readable when there is something to be done; -1 for nothing.
  var descriptor: Int32 { get }

  /// Nanoseconds until something is due.
  var nanosecondsLeft: Int { get }

  /// Takes back the calls of other threads: what they have brought is due.
  func forgetCalls()

  /// Does what is due.
  ///
  /// - Returns: Whether to go on waiting.
  func run() -> Bool
}

extension Console {
  /// Nobody types: a console of a host is no terminal.
  public var isInputTerminal: Bool { false }

  /// It does nothing meanwhile.
  public var idleWork: (any IdleWork)? {
    get { nil }
    set {}
  }
}

/// Where a program writes.
public enum ConsoleChannel: Int, Sendable {
  /// `stdout`.
  case output = 1
  /// `stderr`.
  case error = 2
}

/// Why a console could not write or read.
public struct ConsoleError: Error, Sendable {
  /// What went wrong: lower case, no full stop.
  public let message: String

  /// Creates an error.
  public init(_ message: String) {
    self.message = message
  }
}

/// The console of an interpreter that was given none: output is dropped, there is no input.
public final class NullConsole: Console {
  /// Creates a console.
  public init() {}

  /// Drops the bytes.
  public func write(
    _ bytes: Span<UInt8>, to channel: ConsoleChannel
  ) throws(ConsoleError) {}

  /// Does nothing.
  public func flush() throws(ConsoleError) {}

  /// Answers that the input is at its end.
  public func readLine(isInterrupted: () -> Bool) throws(ConsoleError) -> [UInt8]? { nil }

  /// Answers nothing.
  public func readAll(limit: Int, isInterrupted: () -> Bool) throws(ConsoleError) -> [UInt8] { [] }
}
