import Foundation
import Testing

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// A process that a test starts, talks to, and waits for.
///
/// What is awaited comes or the test fails after a while: the limits are there so that a hang ends,
/// never to measure anything.
final class Child {
  /// How long an answer is waited for, in seconds.
  static let patience = 30.0
  /// How long the end of a program is waited for that says nothing meanwhile, in seconds: it may have
  /// much to do, on a machine that has other things to do as well.
  static let patienceForEnd = 300.0

  let process: pid_t
  /// What the test writes to and reads from: two ends of pipes, or twice a terminal.
  private var input: Int32
  private var output: Int32
  private var received: [UInt8] = []
  private(set) var exit: Exit?

  /// How a process ended.
  enum Exit: Equatable {
    case status(Int32)
    case signal(Int32)
  }

  private static let starting = NSLock()

  private init(process: pid_t, input: Int32, output: Int32) {
    self.process = process
    self.input = input
    self.output = output
  }

  deinit {
    if exit == nil {
      kill(process, SIGKILL)
      _ = waitForExit()
    }
    if output >= 0 { close(output) }
    if input >= 0, input != output { close(input) }
  }

  // MARK: Starting

  /// Starts a process whose streams are pipes; errors go where output goes.
  static func start(
    _ words: [String], environment: [String: String] = [:], stdin: String? = nil
  ) throws -> Child {
    // Nothing else may be started while the pipes have copies that it would inherit.
    starting.lock()
    defer { starting.unlock() }
    let (childInput, input) = try pipe()
    let (output, childOutput) = try pipe()
    var actions = unsafe posix_spawn_file_actions_t()
    unsafe posix_spawn_file_actions_init(&actions)
    defer { unsafe posix_spawn_file_actions_destroy(&actions) }
    if let stdin {
      unsafe posix_spawn_file_actions_addopen(&actions, 0, stdin, O_RDONLY, 0)
    } else {
      unsafe posix_spawn_file_actions_adddup2(&actions, childInput, 0)
    }
    unsafe posix_spawn_file_actions_adddup2(&actions, childOutput, 1)
    unsafe posix_spawn_file_actions_adddup2(&actions, childOutput, 2)
    let process = unsafe try spawn(words, environment, &actions, flags: 0)
    close(childInput)
    close(childOutput)
    return Child(process: process, input: input, output: output)
  }

  /// Starts a process at a terminal of its own.
  static func startAtTerminal(
    _ words: [String], environment: [String: String] = [:], rows: UInt16 = 24,
    columns: UInt16 = 80
  ) throws -> Child {
    let master = unsafe open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC)
    try #require(master >= 0)
    var unlock: Int32 = 0
    _ = unsafe ioctl(master, TerminalRequest.unlock, &unlock)
    var number: Int32 = -1
    try #require(unsafe ioctl(master, TerminalRequest.number, &number) == 0)
    setSize(of: master, rows: rows, columns: columns)
    var actions = unsafe posix_spawn_file_actions_t()
    unsafe posix_spawn_file_actions_init(&actions)
    defer { unsafe posix_spawn_file_actions_destroy(&actions) }
    // The first terminal that the leader of a session opens controls the session.
    unsafe posix_spawn_file_actions_addopen(&actions, 0, "/dev/pts/\(number)", O_RDWR, 0)
    unsafe posix_spawn_file_actions_adddup2(&actions, 0, 1)
    unsafe posix_spawn_file_actions_adddup2(&actions, 0, 2)
    let newSession: Int16 = 0x80  // POSIX_SPAWN_SETSID
    let process = unsafe try spawn(words, environment, &actions, flags: newSession)
    return Child(process: process, input: master, output: master)
  }

  private static func spawn(
    _ words: [String], _ environment: [String: String],
    _ actions: inout posix_spawn_file_actions_t, flags: Int16
  ) throws -> pid_t {
    var attributes = posix_spawnattr_t()
    unsafe posix_spawnattr_init(&attributes)
    defer { unsafe posix_spawnattr_destroy(&attributes) }
    // The test runner may block or ignore signals; the process begins with all as usual.
    var signals = sigset_t()
    unsafe sigemptyset(&signals)
    unsafe posix_spawnattr_setsigmask(&attributes, &signals)
    unsafe sigfillset(&signals)
    unsafe posix_spawnattr_setsigdefault(&attributes, &signals)
    let all = flags | Int16(POSIX_SPAWN_SETSIGMASK) | Int16(POSIX_SPAWN_SETSIGDEF)
    unsafe posix_spawnattr_setflags(&attributes, all)
    var process: pid_t = 0
    let variables = Directory.environment.merging(environment) { $1 }.map { "\($0)=\($1)" }
    let result = unsafe withCStrings(words) { arguments in
      unsafe withCStrings(variables) { variables in
        unsafe posix_spawnp(&process, words[0], &actions, &attributes, arguments, variables)
      }
    }
    try #require(result == 0, "cannot start \(words[0])")
    return process
  }

  private static func withCStrings<Result>(
    _ strings: [String], _ body: (UnsafePointer<UnsafeMutablePointer<CChar>?>) -> Result
  ) -> Result {
    let pointers = unsafe strings.map { unsafe strdup($0) } + [nil]
    defer { unsafe pointers.forEach { unsafe free($0) } }
    return unsafe pointers.withUnsafeBufferPointer { unsafe body($0.baseAddress.unsafelyUnwrapped) }
  }

  private static func pipe() throws -> (read: Int32, write: Int32) {
    var ends: [Int32] = [-1, -1]
    let result = unsafe Glibc.pipe(&ends)
    try #require(result == 0)
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    return (ends[0], ends[1])
  }

  // MARK: Talking

  /// What has been received and not been expected yet.
  var unread: String { String(decoding: received, as: UTF8.self) }

  /// Sends text, or closes the pipe when there is none.
  func send(_ text: String?) throws {
    guard let text else {
      close(input)
      input = -1
      return
    }
    try send(Array(text.utf8))
  }

  /// Sends bytes, receiving what comes meanwhile.
  ///
  /// - Throws: `EndOfPatience` when nobody takes them, or the process has ended.
  func send(_ bytes: [UInt8]) throws {
    var sent = 0
    while sent < bytes.count {
      let events = try wait(for: input, POLLOUT)
      guard events.readable || events.writable else { throw EndOfPatience() }
      let hasEnded = events.readable && !receive()
      guard events.writable else {
        if hasEnded { throw EndOfPatience() }
        continue
      }
      let count = writeWithoutSignal(bytes[sent...].prefix(1024))
      try #require(count > 0, "cannot send: \(errno)")
      sent += count
    }
  }

  /// Waits until the terminal shows what is typed by itself, as it does while a program reads a line.
  func awaitEcho() throws {
    var mode = termios()
    for _ in 0..<Int(Child.patience * 1_000) {
      if unsafe tcgetattr(input, &mode) == 0, mode.c_lflag & tcflag_t(ECHO) != 0 { return }
      usleep(1_000)
    }
    throw EndOfPatience()
  }

  /// Writes bytes; a process that has ended is an error, and not the end of the tests.
  private func writeWithoutSignal(_ bytes: ArraySlice<UInt8>) -> Int {
    var pipe = sigset_t()
    var old = sigset_t()
    unsafe sigemptyset(&pipe)
    unsafe sigaddset(&pipe, SIGPIPE)
    unsafe pthread_sigmask(SIG_BLOCK, &pipe, &old)
    let count = unsafe bytes.withUnsafeBytes { unsafe write(input, $0.baseAddress, $0.count) }
    let error = errno
    if count < 0, error == EPIPE {
      var now = timespec()
      _ = unsafe sigtimedwait(&pipe, nil, &now)
    }
    unsafe pthread_sigmask(SIG_SETMASK, &old, nil)
    errno = error
    return count
  }

  /// Waits until a text has come, and forgets what came up to its end.
  func expect(
    _ text: String, sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    let wanted = Array(text.utf8)
    var searched = 0
    while true {
      if let end = received.endOfFirst(wanted, from: searched) {
        received.removeFirst(end)
        return
      }
      searched = max(0, received.count - wanted.count)
      guard try wait(for: nil, POLLIN).readable, receive() else {
        Issue.record(
          "expected \(text.debugDescription), found \(unread.suffix(2000).debugDescription)",
          sourceLocation: sourceLocation)
        throw EndOfPatience()
      }
    }
  }

  /// Waits until a text has come, and returns what came before it.
  func expectText(
    before text: String, sourceLocation: SourceLocation = #_sourceLocation
  ) throws -> String {
    while received.endOfFirst(Array(text.utf8), from: 0) == nil {
      guard try wait(for: nil, POLLIN).readable, receive() else { break }
    }
    let end = received.endOfFirst(Array(text.utf8), from: 0) ?? 0
    let found = String(decoding: received[..<max(0, end - text.utf8.count)], as: UTF8.self)
    try expect(text, sourceLocation: sourceLocation)
    return found
  }

  /// Waits until something has come, and returns all that has; nil when nothing comes for long.
  func take() throws -> [UInt8]? {
    if received.isEmpty {
      guard try wait(for: nil, POLLIN).readable, receive() else { return nil }
    }
    defer { received = [] }
    return received
  }

  /// Receives until the process closes its end.
  ///
  /// - Throws: `EndOfPatience` when nothing more comes for long: part of an output is not one.
  func readToEnd() throws -> String {
    repeat {
      guard try wait(for: nil, POLLIN, Child.patienceForEnd).readable else { throw EndOfPatience() }
    } while receive()
    defer { received = [] }
    return unread
  }

  @discardableResult
  private func receive() -> Bool {
    var chunk = [UInt8](repeating: 0, count: 64 << 10)
    let count = unsafe read(output, &chunk, chunk.count)
    if count > 0 { received += chunk[..<count] }
    return count > 0
  }

  /// Waits until there is something to read, or a descriptor may be written to.
  private func wait(
    for writable: Int32?, _ events: Int32, _ patience: Double = Child.patience
  ) throws -> (readable: Bool, writable: Bool) {
    var descriptors = [pollfd(fd: output, events: Int16(POLLIN), revents: 0)]
    if let writable {
      descriptors.append(pollfd(fd: writable, events: Int16(events), revents: 0))
    }
    let count = unsafe poll(
      &descriptors, nfds_t(descriptors.count), Int32(patience * 1000))
    guard count != 0 else { return (false, false) }
    return (descriptors[0].revents != 0, descriptors.last?.revents != 0)
  }

  struct EndOfPatience: Error {}

  /// Takes the terminal away.
  func hangUp() {
    close(output)
    input = -1
    output = -1
  }

  /// Gives the terminal's window another size.
  func resize(rows: UInt16, columns: UInt16) {
    Child.setSize(of: output, rows: rows, columns: columns)
  }

  private static func setSize(of terminal: Int32, rows: UInt16, columns: UInt16) {
    var size = winsize(ws_row: rows, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0)
    _ = unsafe ioctl(terminal, TerminalRequest.setSize, &size)
  }

  // MARK: Ending

  func send(signal: Int32) { kill(process, signal) }

  /// Waits until the process ends, sending it a signal again and again if wanted; kills it when
  /// that takes too long.
  func waitForExit(sending signal: Int32? = nil) -> Exit {
    if let exit { return exit }
    let process = process
    let killer = DispatchWorkItem { kill(process, SIGKILL) }
    DispatchQueue.global().asyncAfter(deadline: .now() + Child.patience, execute: killer)
    defer { killer.cancel() }
    var status: Int32 = 0
    while true {
      let ended = unsafe waitpid(process, &status, signal == nil ? 0 : WNOHANG)
      if ended == process { break }
      if let signal {
        usleep(50_000)
        kill(process, signal)
      }
    }
    let end: Exit = status & 0x7F == 0 ? .status(status >> 8 & 0xFF) : .signal(status & 0x7F)
    exit = end
    return end
  }
}

/// Requests to a terminal that Swift does not import.
private enum TerminalRequest {
  #if canImport(Darwin)
    static let unlock: UInt = 0x2000_7452
    static let number: UInt = 0x4080_7453
    static let setSize: UInt = 0x8008_7467
  #else
    static let unlock: UInt = 0x4004_5431
    static let number: UInt = 0x8004_5430
    static let setSize: UInt = 0x5414
  #endif
}

extension [UInt8] {
  /// The index after the first occurrence of a sequence, searched from an index.
  fileprivate func endOfFirst(_ wanted: [UInt8], from start: Int) -> Int? {
    guard !wanted.isEmpty, count >= wanted.count else { return wanted.isEmpty ? 0 : nil }
    var index = start
    while index <= count - wanted.count {
      if self[index] == wanted[0], self[index..<index + wanted.count].elementsEqual(wanted) {
        return index + wanted.count
      }
      index += 1
    }
    return nil
  }
}
