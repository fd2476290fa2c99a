internal import CTenonPlatform
internal import TenonStoreKit

#if canImport(Darwin)
  internal import Darwin
#elseif canImport(Musl)
  internal import Musl
#else
  internal import Glibc
#endif

/// How a program ended, and what it wrote.
struct ChildProcessOutcome {
  enum Ending: Equatable {
    case status(Int32)
    case signal(Int32)

    /// The ending that the system tells by a number.
    init(_ status: Int32) {
      let signal = status & 0x7F
      self = signal == 0 ? .status(status >> 8 & 0xFF) : .signal(signal)
    }
  }

  var ending = Ending.status(0)
  var output: [UInt8] = []
  /// The beginning of what it wrote to its standard error.
  var complaint: [UInt8] = []
}

/// Another program, run to its end.
struct ChildProcess {
  /// The program and its arguments.
  let arguments: [String]
  /// What it reads.
  let input: [UInt8]
  /// Its variables, each as `NAME=value`; nil for those of this process.
  let environment: [[UInt8]]?
  /// In milliseconds; nil for no end.
  let timeout: Int?
  /// The most bytes it may print.
  let limit: Int
  let isInterrupted: () -> Bool

  /// How long to wait at once, in milliseconds.
  private static let slice: Int32 = 50
  /// How long a program that was asked to end may take for it, in milliseconds.
  static let grace = 500
  /// How long pipes are read that others keep open when the program has ended, in milliseconds.
  private static let afterlife = 200
  private static let complaintLimit = 64 << 10

  /// A pipe; its ends are closed when a program is started, and both are not inherited.
  struct Pipe {
    var reading: Int32
    var writing: Int32

    init() throws(FileFailure) {
      var ends: [Int32] = [-1, -1]
      // Another thread may start a program at any moment, which must not get the ends.
      guard unsafe tenon_pipe(&ends) == 0 else { throw FileFailure(errno) }
      reading = ends[0]
      writing = ends[1]
    }

    mutating func closeReading() {
      if reading >= 0 { _ = close(reading) }
      reading = -1
    }

    mutating func closeWriting() {
      if writing >= 0 { _ = close(writing) }
      writing = -1
    }
  }

  /// Runs it.
  ///
  /// - Throws: `FileFailure` when it cannot be started, takes too long or prints too much; then it
  ///   has ended, too.
  func run() throws(FileFailure) -> ChildProcessOutcome {
    var previous = sigset_t()
    let wasBlocked = unsafe tenon_block_sigpipe(&previous) != 0
    defer { if !wasBlocked { unsafe tenon_restore_sigpipe(&previous) } }

    var pipes: [Pipe] = []
    defer {
      for index in pipes.indices {
        pipes[index].closeReading()
        pipes[index].closeWriting()
      }
    }
    for _ in 0..<3 { pipes.append(try Pipe()) }
    let child = try ChildProcess.start(
      arguments, environment, input: pipes[0].reading, output: pipes[1].writing,
      errors: pipes[2].writing)
    pipes[0].closeReading()
    pipes[1].closeWriting()
    pipes[2].closeWriting()
    for descriptor in [pipes[0].writing, pipes[1].reading, pipes[2].reading] {
      _ = fcntl(descriptor, F_SETFL, O_NONBLOCK)
    }

    var outcome = ChildProcessOutcome()
    var status: Int32?
    do throws(FileFailure) {
      try converse(with: child, &pipes, &outcome, &status)
    } catch {
      ChildProcess.end(child, &status)
      throw error
    }
    outcome.ending = ChildProcessOutcome.Ending(status ?? 0)
    return outcome
  }

  // MARK: Starting

  /// Starts a program.
  ///
  /// - Parameters:
  ///   - arguments: The program and its arguments.
  ///   - environment: Its variables, each as `NAME=value`; nil for those of this process.
  ///   - input: What its standard input is.
  ///   - output: What its standard output is.
  ///   - errors: What its standard error is.
  ///   - folder: Where it runs; nil for the working directory of this process.
  /// - Returns: Its number, which is that of a process group of its own, too.
  /// - Throws: `FileFailure` when it cannot be started.
  static func start(
    _ arguments: [String], _ environment: [[UInt8]]?, input: Int32, output: Int32, errors: Int32,
    folder: String? = nil
  ) throws(FileFailure) -> pid_t {
    #if canImport(Darwin)
      var actions: posix_spawn_file_actions_t?
      var attributes: posix_spawnattr_t?
    #else
      var actions = unsafe posix_spawn_file_actions_t()
      var attributes = posix_spawnattr_t()
    #endif
    unsafe posix_spawn_file_actions_init(&actions)
    defer { unsafe posix_spawn_file_actions_destroy(&actions) }
    unsafe posix_spawn_file_actions_adddup2(&actions, input, 0)
    unsafe posix_spawn_file_actions_adddup2(&actions, output, 1)
    unsafe posix_spawn_file_actions_adddup2(&actions, errors, 2)
    if let folder {
      let code = unsafe tenon_spawn_in(&actions, folder)
      guard code == 0 else { throw FileFailure(code) }
    }
    unsafe posix_spawnattr_init(&attributes)
    defer { unsafe posix_spawnattr_destroy(&attributes) }
    // A group of its own can be ended as a whole; signals mean what programs expect them to.
    var none = sigset_t()
    var usual = sigset_t()
    unsafe sigemptyset(&none)
    unsafe sigemptyset(&usual)
    for signal in [SIGPIPE, SIGINT, SIGTERM, SIGHUP, SIGQUIT] { unsafe sigaddset(&usual, signal) }
    unsafe posix_spawnattr_setsigmask(&attributes, &none)
    unsafe posix_spawnattr_setsigdefault(&attributes, &usual)
    unsafe posix_spawnattr_setpgroup(&attributes, 0)
    let flags = POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF
    unsafe posix_spawnattr_setflags(&attributes, Int16(flags))

    var words: [UnsafeMutablePointer<CChar>?] = unsafe arguments.map { unsafe strdup($0) }
    unsafe words.append(nil)
    defer { for index in unsafe words.indices { unsafe free(words[index]) } }
    var variables: [UnsafeMutablePointer<CChar>?] = unsafe (environment ?? []).map {
      unsafe strdup($0.map { CChar(bitPattern: $0) } + [0])
    }
    unsafe variables.append(nil)
    defer { for index in unsafe variables.indices { unsafe free(variables[index]) } }
    var child: pid_t = 0
    let code = unsafe variables.withUnsafeMutableBufferPointer { variables in
      unsafe posix_spawnp(
        &child, arguments[0], &actions, &attributes, words,
        environment == nil ? tenon_environment() : variables.baseAddress)
    }
    guard code == 0 else { throw FileFailure(code) }
    return child
  }

  // MARK: Running

  private func converse(
    with child: pid_t, _ pipes: inout [Pipe], _ outcome: inout ChildProcessOutcome,
    _ status: inout Int32?
  ) throws(FileFailure) {
    let clock = SystemClock()
    let start = clock.monotonicTime / 1_000_000
    var written = 0
    var ended: Int?
    if input.isEmpty { pipes[0].closeWriting() }
    while true {
      let now = clock.monotonicTime / 1_000_000
      if isInterrupted() { throw FileFailure(.timeout, "interrupted") }
      if let timeout, now - start >= timeout {
        throw FileFailure(.timeout, "it has not ended within \(timeout) ms")
      }
      let isOpen = pipes[1].reading >= 0 || pipes[2].reading >= 0
      if status == nil { status = ChildProcess.reap(child, waiting: false) }
      if status != nil {
        if !isOpen { return }
        if ended == nil { ended = now }
        if let ended, now - ended >= ChildProcess.afterlife { return }
      }
      var waiting = [
        pollfd(fd: pipes[0].writing, events: Int16(POLLOUT), revents: 0),
        pollfd(fd: pipes[1].reading, events: Int16(POLLIN), revents: 0),
        pollfd(fd: pipes[2].reading, events: Int16(POLLIN), revents: 0),
      ]
      // A program that has closed its output is about to end, or works on in silence.
      let pause = isOpen || pipes[0].writing >= 0 ? ChildProcess.slice : 5
      _ = unsafe poll(&waiting, 3, pause)
      if waiting[0].revents != 0 { try give(&written, &pipes[0]) }
      if waiting[1].revents != 0, take(&outcome.output, &pipes[1]), outcome.output.count > limit {
        throw FileFailure(.tooLarge, "it prints more than \(limit) bytes")
      }
      if waiting[2].revents != 0, take(&outcome.complaint, &pipes[2]) {
        outcome.complaint.removeLast(
          max(0, outcome.complaint.count - ChildProcess.complaintLimit))
      }
    }
  }

  /// Writes some of the input; a program that reads no more gets none.
  private func give(_ written: inout Int, _ pipe: inout Pipe) throws(FileFailure) {
    let count = unsafe input.withUnsafeBytes { bytes in
      unsafe write(
        pipe.writing, bytes.baseAddress.map { unsafe $0 + written }, bytes.count - written)
    }
    if count > 0 { written += count }
    let isBroken = count < 0 && errno != EAGAIN && errno != EINTR
    if isBroken || written == input.count { pipe.closeWriting() }
  }

  /// Reads what is there; closes the pipe at its end.
  private func take(_ bytes: inout [UInt8], _ pipe: inout Pipe) -> Bool {
    var buffer = [UInt8](repeating: 0, count: 64 << 10)
    let count = unsafe read(pipe.reading, &buffer, buffer.count)
    if count > 0 { bytes += buffer.prefix(count) }
    if count == 0 || count < 0 && errno != EAGAIN && errno != EINTR { pipe.closeReading() }
    return count > 0
  }

  // MARK: Ending

  /// The status of a program that has ended; nil when it runs.
  static func reap(_ child: pid_t, waiting: Bool) -> Int32? {
    var status: Int32 = 0
    while true {
      let found = unsafe waitpid(child, &status, waiting ? 0 : WNOHANG)
      if found == child { return status }
      if found < 0, errno == EINTR { continue }
      // Somebody else has taken the status: the program has ended.
      return found < 0 ? 0 : nil
    }
  }

  /// Ends the program and what it has started, and takes its status: nothing of it stays.
  static func end(_ child: pid_t, _ status: inout Int32?) {
    if status != nil { return }
    _ = kill(-child, SIGTERM)
    for _ in 0..<ChildProcess.grace / 10 {
      status = reap(child, waiting: false)
      if status != nil { break }
      pauseThread(milliseconds: 10)
    }
    _ = kill(-child, SIGKILL)
    if status == nil { status = reap(child, waiting: true) }
  }
}
