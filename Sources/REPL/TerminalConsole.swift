internal import TenonRuntime

#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#elseif canImport(Darwin)
  internal import Darwin
#endif

/// The standard streams of the process.
///
/// Output is collected: it goes out when there are 64 KB of it, before the program waits for input
/// or writes to `stderr`, at the end, and at a terminal with each line.
final class TerminalConsole: Console {
  /// The most bytes that are kept before they are written.
  private static let bufferSize = 64 << 10

  private var output: [UInt8] = []
  /// What has been read from the system; the bytes from `position` to `end` nobody has asked for
  /// yet.
  private var input: [UInt8] = []
  private var position = 0
  private var end = 0
  private let showsLines = isatty(1) != 0
  /// The longest line that is read, in bytes.
  private let lineLimit: Int
  /// The descriptors that nobody reads from any more.
  private var gone: Set<Int32> = []
  /// What is read: the standard input.
  private lazy var source = TerminalConsole.openInput()
  /// Whether what is written next to the terminal stands at the start of a line.
  fileprivate(set) var isAtLineStart = true
  /// Whether the terminal is in the state for editing, in which it sends CR at the end of a line.
  var isEditing = false
  /// Whether what was read last, while editing, has ended with a CR.
  private var endedWithReturn = false

  /// What goes on while a line of a session is awaited.
  var background: Background?
  /// What goes on while a program waits for input.
  var idleWork: (any IdleWork)?
  /// Called before the next write.
  var willWrite: (() -> Void)?
  /// Called before the program reads the next time.
  var willRead: (() -> Void)?
  /// How many requests to stop what is written goes on in spite of; nil for those that came before.
  fileprivate var requestsPassed: Int?

  /// Creates the console of the process.
  ///
  /// - Parameter lineLimit: The longest line that is read, in bytes.
  init(lineLimit: Int) {
    self.lineLimit = lineLimit
  }

  // MARK: Output

  func write(_ bytes: Span<UInt8>, to channel: ConsoleChannel) throws(ConsoleError) {
    guard !bytes.isEmpty else { return }
    unsafe try bytes.withUnsafeBufferPointer { buffer throws(ConsoleError) in
      unsafe try write(buffer, to: channel)
    }
  }

  private func write(
    _ bytes: UnsafeBufferPointer<UInt8>, to channel: ConsoleChannel
  ) throws(ConsoleError) {
    takePlaceOfLine()
    isAtLineStart = unsafe bytes.last == UInt8(ascii: "\n")
    if channel == .error {
      // In the order in which they were written, but an error is told in any case.
      let result = Result { () throws(ConsoleError) in try flush() }
      unsafe try send(bytes, to: 2)
      try result.get()
    } else if bytes.count >= TerminalConsole.bufferSize {
      try flush()
      unsafe try send(bytes, to: 1)
    } else {
      if output.count + bytes.count > TerminalConsole.bufferSize { try flush() }
      unsafe output.append(contentsOf: bytes)
      if showsLines, unsafe bytes.contains(UInt8(ascii: "\n")) { try flush() }
    }
  }

  /// Prepares for a write, once.
  func takePlaceOfLine() {
    let prepare = willWrite
    willWrite = nil
    prepare?()
  }

  /// Prepares for what the program reads, once.
  private func beginReading() {
    let prepare = willRead
    willRead = nil
    prepare?()
  }

  func flush() throws(ConsoleError) {
    guard !output.isEmpty else { return }
    // What could not be written is not tried again: the error has been told.
    defer { output.removeAll(keepingCapacity: true) }
    unsafe try output.withUnsafeBufferPointer { bytes throws(ConsoleError) in
      unsafe try send(bytes, to: 1)
    }
  }

  /// Writes all of some bytes, however many calls that takes.
  private func send(
    _ bytes: UnsafeBufferPointer<UInt8>, to descriptor: Int32
  ) throws(ConsoleError) {
    guard var next = unsafe UnsafeRawPointer(bytes.baseAddress) else { return }
    var left = bytes.count
    let requests = requestsPassed ?? Interrupts.count
    while left > 0, !gone.contains(descriptor) {
      let count = unsafe writeBytes(descriptor, next, left)
      if count >= 0 {
        unsafe next += count
        left -= count
      } else if errno == EPIPE {
        gone.insert(descriptor)
        Interrupts.stop(because: SIGPIPE)
        throw ConsoleError("nobody reads the output any more")
      } else if errno == EAGAIN {
        // Somebody who shares the terminal has made it non-blocking.
        var descriptors = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        unsafe poll(&descriptors, 1, 1000)
      } else if errno != EINTR {
        throw ConsoleError(
          "cannot write to \(descriptor == 1 ? "stdout" : "stderr"): \(systemErrorText())")
      }
      if left > 0, Interrupts.count != requests { throw ConsoleError("interrupted") }
    }
  }

  // MARK: Input

  var isInputTerminal: Bool { isatty(0) != 0 }

  func readLine(isInterrupted: () -> Bool) throws(ConsoleError) -> [UInt8]? {
    beginReading()
    var line: [UInt8] = []
    while true {
      let rest = input[position..<end]
      if let lineEnd = rest.firstIndex(of: UInt8(ascii: "\n")) {
        line += rest[..<lineEnd]
        position = lineEnd + 1
        if line.last == UInt8(ascii: "\r") { line.removeLast() }
        return line
      }
      line += rest
      position = end
      guard line.count <= lineLimit else {
        throw ConsoleError("a line of stdin is longer than \(lineLimit) bytes")
      }
      if try fill(isDisturbed: isInterrupted) != .data { return line.isEmpty ? nil : line }
    }
  }

  func readAll(limit: Int, isInterrupted: () -> Bool) throws(ConsoleError) -> [UInt8] {
    beginReading()
    let limit = min(limit, lineLimit)
    var all = Array(input[position..<end])
    position = end
    while try fill(isDisturbed: isInterrupted) == .data {
      all += input[..<end]
      position = end
      guard all.count <= limit else {
        throw ConsoleError("stdin has more than \(limit) bytes")
      }
    }
    return all
  }

  /// Reads a byte, or stops waiting for it when `isDisturbed` says so.
  func nextByte(isDisturbed: () -> Bool) throws(ConsoleError) -> NextByte {
    if position == end {
      switch try fill(isDisturbed: isDisturbed) {
      case .data: break
      case .end: return .end
      case .disturbed: return .disturbed
      }
    }
    position += 1
    return .byte(input[position - 1])
  }

  /// Gives the byte that was just read back to whoever reads next.
  func putBack() { position -= 1 }

  enum NextByte: Equatable {
    case byte(UInt8)
    case end
    case disturbed
  }

  /// Forgets what has come from the terminal and was not read: after Ctrl-C nobody wants it.
  func dropInput() { position = end }

  /// Whether more input is there already.
  var hasInput: Bool { hasInput(within: 0) }

  /// Whether more input is there, or comes within some milliseconds.
  func hasInput(within milliseconds: Int32) -> Bool {
    if position < end { return true }
    var descriptors = pollfd(fd: 0, events: Int16(POLLIN), revents: 0)
    return unsafe poll(&descriptors, 1, milliseconds) > 0
      && descriptors.revents & Int16(POLLIN) != 0
  }

  /// The descriptor to read from.
  ///
  /// Ctrl-C makes the terminal forget what was typed, also what a wait has just reported: a read
  /// must not wait in its turn. So a terminal is opened once more, as only the flags of a description
  /// of one's own can be changed without a change for everybody else.
  private static func openInput() -> Int32 {
    guard isatty(0) != 0, let name = unsafe ttyname(0) else { return 0 }
    let own = unsafe open(name, O_RDONLY | O_NOCTTY | O_NONBLOCK | O_CLOEXEC)
    guard own >= 0 else { return 0 }
    var given = stat()
    var opened = stat()
    guard unsafe fstat(0, &given) == 0, unsafe fstat(own, &opened) == 0,
      given.st_rdev == opened.st_rdev
    else {
      close(own)
      return 0
    }
    return own
  }

  /// Waits for input, while the background goes on.
  ///
  /// - Returns: false when waiting was disturbed.
  private func wait(isDisturbed: () -> Bool) throws(ConsoleError) -> Bool {
    guard let background else { return try waitForProgram(isDisturbed: isDisturbed) }
    while background.exitStatus == nil {
      let isReady = Interrupts.waitForInput(source, background: background) {
        isDisturbed() || background.isDue
      }
      if isReady { return true }
      guard !isDisturbed() else { return false }
      // Not while it is read: what reads in its turn gets the input.
      self.background = nil
      background.run()
      self.background = background
      try flush()
    }
    return false
  }

  /// Waits for the input of a program, which goes on with what else it has to do.
  ///
  /// - Returns: false when waiting was disturbed.
  private func waitForProgram(isDisturbed: () -> Bool) throws(ConsoleError) -> Bool {
    guard let idle = idleWork else {
      return Interrupts.waitForInput(source, isDisturbed: isDisturbed)
    }
    while true {
      let isReady = Interrupts.waitForInput(source, background: idle) {
        isDisturbed() || idle.nanosecondsLeft == 0
      }
      if isReady { return true }
      guard !isDisturbed() else { return false }
      // What reads in its turn gets the input.
      idleWork = nil
      let goesOn = idle.run()
      idleWork = idle
      guard goesOn else { return false }
      try flush()
    }
  }

  /// Makes each CR a LF, and CR with LF, as pasted text has it, one.
  private func takeLineBreaks() {
    var kept = 0
    for index in 0..<end {
      let byte = input[index]
      let isSecond = byte == UInt8(ascii: "\n") && endedWithReturn
      endedWithReturn = byte == UInt8(ascii: "\r")
      if isSecond { continue }
      input[kept] = endedWithReturn ? UInt8(ascii: "\n") : byte
      kept += 1
    }
    end = kept
  }

  private enum Filling {
    case data
    case end
    case disturbed
  }

  /// Waits for input and reads what there is.
  private func fill(isDisturbed: () -> Bool) throws(ConsoleError) -> Filling {
    try flush()
    while try wait(isDisturbed: isDisturbed) {
      if input.isEmpty { input = [UInt8](repeating: 0, count: TerminalConsole.bufferSize) }
      let count = unsafe input.withUnsafeMutableBytes {
        unsafe read(source, $0.baseAddress, $0.count)
      }
      if count == 0 { return .end }
      if count > 0 {
        position = 0
        end = count
        if isEditing { takeLineBreaks() }
        return .data
      }
      guard errno == EINTR || errno == EAGAIN else {
        throw ConsoleError("cannot read from stdin: \(systemErrorText())")
      }
    }
    return .disturbed
  }
}

extension TerminalConsole {
  /// Writes text.
  func write(_ text: String, to channel: ConsoleChannel = .output) throws(ConsoleError) {
    try write(text.utf8Span.span, to: channel)
  }

  /// Writes text until there are more requests to stop than some, which may be there already.
  func write(_ text: String, unlessInterruptedSince requests: Int) throws(ConsoleError) {
    requestsPassed = requests
    defer { requestsPassed = nil }
    try write(text)
    try flush()
  }

  /// Tells the terminal something that does not show.
  func control(_ sequence: String) {
    let wasAtLineStart = isAtLineStart
    defer { isAtLineStart = wasAtLineStart }
    do throws(ConsoleError) {
      try write(sequence)
      try flush()
    } catch {
      return
    }
  }

  /// Writes a message for people, which is dropped when nobody can get it.
  func tell(_ text: String) {
    do throws(ConsoleError) {
      try write(text.hasSuffix("\n") ? text : text + "\n", to: .error)
    } catch {
      return
    }
  }
}

/// Writes to a descriptor; apart from the class, whose `write` hides the system's.
private func writeBytes(_ descriptor: Int32, _ bytes: UnsafeRawPointer, _ count: Int) -> Int {
  unsafe write(descriptor, bytes, count)
}
