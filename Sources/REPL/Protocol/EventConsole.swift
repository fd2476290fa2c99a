internal import TenonRuntime

/// The console of a program whose front end is another program: what is written becomes events.
final class EventConsole: Console {
  /// What the events go to, and requests come from.
  private let stream: TerminalConsole
  /// The request that is answered, as it was written; nil while nothing is asked for.
  var request: String?
  private var written: [UInt8] = []
  private var channel = ConsoleChannel.output

  /// How many bytes are collected for an event.
  private static let bufferSize = 16 << 10

  init(_ stream: TerminalConsole) { self.stream = stream }

  // MARK: Events

  /// Sends an event, behind what was written before it.
  func send(_ kind: String, _ members: [(String, JSONValue)] = []) throws(ConsoleError) {
    try flush()
    try sendNow(kind, members)
  }

  /// Sends an event that belongs to an earlier request, behind what was written before it.
  func send(
    _ kind: String, _ members: [(String, JSONValue)], of request: String?
  ) throws(ConsoleError) {
    try flush()
    try sendNow(kind, members, of: request)
  }

  private func sendNow(
    _ kind: String, _ members: [(String, JSONValue)]
  ) throws(ConsoleError) {
    try sendNow(kind, members, of: request)
  }

  private func sendNow(
    _ kind: String, _ members: [(String, JSONValue)], of request: String?
  ) throws(ConsoleError) {
    let event: [(String, JSONValue)] = [
      ("id", .json(request ?? "null")), ("is", .text(kind)),
    ]
    try stream.write(JSONValue.object(event + members).written + "\n")
    try stream.flush()
  }

  // MARK: Console

  func write(_ bytes: Span<UInt8>, to channel: ConsoleChannel) throws(ConsoleError) {
    if channel != self.channel { try flush() }
    self.channel = channel
    var endsLine = false
    for index in bytes.indices {
      written.append(bytes[index])
      if bytes[index] == UInt8(ascii: "\n") { endsLine = true }
    }
    // A line is shown when it is written, as at a terminal.
    if endsLine || written.count >= EventConsole.bufferSize { try flush() }
  }

  func flush() throws(ConsoleError) {
    guard !written.isEmpty else { return }
    let text = String(decoding: written, as: UTF8.self)
    written = []
    try sendNow(
      "output", [("stream", channel == .output ? "stdout" : "stderr"), ("text", .text(text))])
  }

  /// The program has no input: what comes are requests.
  func readLine(isInterrupted: () -> Bool) throws(ConsoleError) -> [UInt8]? { nil }

  func readAll(limit: Int, isInterrupted: () -> Bool) throws(ConsoleError) -> [UInt8] { [] }

  var idleWork: (any IdleWork)? {
    get { nil }
    set { _ = newValue }
  }
}
