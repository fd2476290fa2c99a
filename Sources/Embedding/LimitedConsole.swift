internal import TenonRuntime

/// A console that takes so many bytes and no more.
final class LimitedConsole: Console {
  private let console: any Console
  private let limit: Int
  private var bytesLeft: Int

  init(_ console: any Console, limit: Int) {
    self.console = console
    self.limit = max(0, limit)
    bytesLeft = self.limit
  }

  func write(_ bytes: Span<UInt8>, to channel: ConsoleChannel) throws(ConsoleError) {
    guard bytes.count <= bytesLeft else {
      // What comes after must not be taken for what follows.
      bytesLeft = 0
      throw ConsoleError("the program has written its \(limit) bytes")
    }
    bytesLeft -= bytes.count
    try console.write(bytes, to: channel)
  }

  func flush() throws(ConsoleError) { try console.flush() }

  func readLine(isInterrupted: () -> Bool) throws(ConsoleError) -> [UInt8]? {
    try console.readLine(isInterrupted: isInterrupted)
  }

  func readAll(limit: Int, isInterrupted: () -> Bool) throws(ConsoleError) -> [UInt8] {
    try console.readAll(limit: limit, isInterrupted: isInterrupted)
  }

  var isInputTerminal: Bool { console.isInputTerminal }

  var idleWork: (any IdleWork)? {
    get { console.idleWork }
    set { console.idleWork = newValue }
  }
}

extension Duration {
  /// The duration in nanoseconds; 0 for a negative one, and the greatest number for a longer one.
  var wholeNanoseconds: UInt64 {
    let (seconds, attoseconds) = components
    return UInt64(
      clamping: Int128(seconds) * 1_000_000_000 + Int128(attoseconds) / 1_000_000_000)
  }
}
