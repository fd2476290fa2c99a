internal import CTenonPlatform
internal import Synchronization
internal import TenonStoreKit

#if canImport(Darwin)
  internal import Darwin
#elseif canImport(Musl)
  internal import Musl
#else
  internal import Glibc
#endif

/// A program that runs beside this one, and the ends of its pipes.
final class RunningProgram: Sendable {
  /// Its number, which is that of its process group, too.
  let number: pid_t
  private let pipes: Mutex<[ChildProcess.Pipe]>
  /// The streams that somebody has asked for.
  private let opened = Mutex<Set<Channel>>([])
  /// What was left in pipes that nobody had asked for when the program ended.
  private let left = Mutex<[Channel: [UInt8]]>([:])
  /// What the system has told about its end.
  private let status = Mutex<Int32?>(nil)

  /// Which of its streams.
  enum Channel: Int {
    case input = 0
    case output = 1
    case errors = 2
  }

  /// Starts a program.
  ///
  /// - Parameters:
  ///   - arguments: The program and its arguments.
  ///   - environment: Its variables, each as `NAME=value`; nil for those of this process.
  ///   - folder: Where it runs; nil for the working directory of this process.
  ///   - joinsErrors: Whether its standard error goes where its output goes.
  /// - Throws: `FileFailure` when it cannot be started.
  init(
    _ arguments: [String], _ environment: [[UInt8]]?, folder: String?, joinsErrors: Bool
  ) throws(FileFailure) {
    var pipes: [ChildProcess.Pipe] = []
    do throws(FileFailure) {
      for _ in 0..<3 { pipes.append(try ChildProcess.Pipe()) }
      number = try ChildProcess.start(
        arguments, environment, input: pipes[0].reading, output: pipes[1].writing,
        errors: pipes[joinsErrors ? 1 : 2].writing, folder: folder)
    } catch {
      for index in pipes.indices {
        pipes[index].closeReading()
        pipes[index].closeWriting()
      }
      throw error
    }
    pipes[0].closeReading()
    pipes[1].closeWriting()
    pipes[2].closeWriting()
    for descriptor in [pipes[0].writing, pipes[1].reading, pipes[2].reading] {
      _ = fcntl(descriptor, F_SETFL, O_NONBLOCK)
    }
    self.pipes = Mutex(pipes)
  }

  deinit {
    for channel in [Channel.input, .output, .errors] { close(channel) }
    // Nobody waits for it any more; what has ended leaves nothing behind.
    _ = ending
  }

  /// Gives an end of a pipe back.
  func close(_ channel: Channel) {
    pipes.withLock {
      if channel == .input {
        $0[0].closeWriting()
      } else {
        $0[channel.rawValue].closeReading()
      }
    }
  }

  private func descriptor(_ channel: Channel) -> Int32 {
    pipes.withLock { channel == .input ? $0[0].writing : $0[channel.rawValue].reading }
  }

  // MARK: Its streams

  /// Says that somebody has asked for a stream.
  func open(_ channel: Channel) { opened.withLock { _ = $0.insert(channel) } }

  /// Gives back the pipes that nobody has asked for, of a program that has ended; what is in them can be
  /// read all the same.
  private func settle() {
    let opened = opened.withLock { $0 }
    if !opened.contains(.input) { close(.input) }
    for channel in [Channel.output, .errors] where !opened.contains(channel) {
      let descriptor = descriptor(channel)
      guard descriptor >= 0 else { continue }
      // What it has started may go on writing: no more than a pipe holds is taken.
      for _ in 0..<16 {
        guard
          let bytes = try? OperatingSystem().read(
            Descriptor(number: descriptor), atMost: 64 << 10)
        else { break }
        if bytes.isEmpty {
          close(channel)
          break
        }
        left.withLock { $0[channel, default: []] += bytes }
      }
    }
  }

  /// How long to wait at once, in milliseconds.
  private static let slice: Int32 = 50

  /// Reads what it has written; none at the end.
  ///
  /// - Throws: `FileFailure`, of the kind `timeout` when nobody waits any more.
  func read(
    _ channel: Channel, atMost count: Int, _ isInterrupted: () -> Bool
  ) throws(FileFailure) -> [UInt8] {
    if let bytes = left.withLock({ $0.removeValue(forKey: channel) }) { return bytes }
    while true {
      let descriptor = descriptor(channel)
      guard descriptor >= 0 else { return [] }
      if isInterrupted() { throw FileFailure(.timeout, "interrupted") }
      var request = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
      guard unsafe poll(&request, 1, RunningProgram.slice) > 0 else { continue }
      do throws(FileFailure) {
        let bytes = try OperatingSystem().read(
          Descriptor(number: descriptor), atMost: min(count, 64 << 10))
        if bytes.isEmpty { close(channel) }
        return bytes
      } catch {
        guard error == .wouldBlock || error == .interrupted else { throw error }
      }
    }
  }

  /// Writes all of some bytes for it to read.
  ///
  /// - Throws: `FileFailure`, of the kind `closed` when it reads no more.
  func write(_ bytes: [UInt8], _ isInterrupted: () -> Bool) throws(FileFailure) {
    var previous = sigset_t()
    let wasBlocked = unsafe tenon_block_sigpipe(&previous) != 0
    defer { if !wasBlocked { unsafe tenon_restore_sigpipe(&previous) } }
    var rest = bytes[...]
    while !rest.isEmpty {
      let descriptor = descriptor(.input)
      guard descriptor >= 0 else { throw FileFailure(EPIPE) }
      if isInterrupted() { throw FileFailure(.timeout, "interrupted") }
      var request = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
      guard unsafe poll(&request, 1, RunningProgram.slice) > 0 else { continue }
      do throws(FileFailure) {
        rest = rest.dropFirst(
          try OperatingSystem().write(Descriptor(number: descriptor), rest))
      } catch {
        guard error == .wouldBlock || error == .interrupted else { throw error }
      }
    }
  }

  // MARK: Its end

  /// How it has ended; nil while it runs.
  var ending: ChildProcessOutcome.Ending? {
    let (known, isNews) = status.withLock { status in
      if let status { return (Int32?.some(status), false) }
      status = ChildProcess.reap(number, waiting: false)
      return (status, status != nil)
    }
    if isNews { settle() }
    return known.map { ChildProcessOutcome.Ending($0) }
  }

  /// Waits until it has ended.
  ///
  /// - Throws: `FileFailure` of the kind `timeout` when nobody waits any more.
  func wait(_ isInterrupted: () -> Bool) throws(FileFailure) -> ChildProcessOutcome.Ending {
    var pause = 1
    while true {
      if let ending { return ending }
      if isInterrupted() { throw FileFailure(.timeout, "interrupted") }
      pauseThread(milliseconds: pause)
      pause = min(pause * 2, 20)
    }
  }

  /// Sends it, and what it has started, a signal.
  ///
  /// - Returns: Whether it was running.
  func send(_ signal: Int32) -> Bool {
    guard ending == nil else { return false }
    return kill(-number, signal) == 0
  }

  /// Ends it with what it has started: first it is asked, half a second later made to.
  func end() { status.withLock { ChildProcess.end(number, &$0) } }
}

/// What a program writes, as it comes.
final class ProgramSource: ByteSource {
  private let program: RunningProgram
  private let channel: RunningProgram.Channel
  private let store: ProcessStore
  private let place: Reference
  /// The beginning of what it has written to its standard error, where that is told at its end.
  private let complaint: Complaint?
  private let isInterrupted = Mutex(false)

  /// Reads in the background what a program complains of.
  private final class Complaint: Sendable {
    let bytes = Mutex<[UInt8]>([])
    let isOver = Mutex(false)
    /// Whether nobody wants to know any more.
    let isAbandoned = Mutex(false)

    init(_ program: RunningProgram, limit: Int) {
      let isStarted = WorkerThread.start { [self] in
        while let piece = try? program.read(
          .errors, atMost: 1 << 12, { isAbandoned.withLock { $0 } }), !piece.isEmpty
        {
          bytes.withLock { if $0.count < limit { $0 += piece } }
        }
        isOver.withLock { $0 = true }
      }
      if !isStarted { isOver.withLock { $0 = true } }
    }
  }

  /// Creates a source.
  ///
  /// - Parameters:
  ///   - program: What runs.
  ///   - channel: Which of its streams is read.
  ///   - store: The store that has started it.
  ///   - place: The program as it was named.
  ///   - tellsFailure: Whether the end of a program that has failed is an error.
  init(
    _ program: RunningProgram, _ channel: RunningProgram.Channel, of store: ProcessStore,
    _ place: Reference, tellsFailure: Bool
  ) {
    self.program = program
    self.channel = channel
    self.store = store
    self.place = place
    program.open(channel)
    if tellsFailure { program.open(.errors) }
    complaint = tellsFailure ? Complaint(program, limit: 64 << 10) : nil
  }

  deinit { close() }

  var executor: (any VerbExecutor)? { store.executor }

  func read(atMost count: Int) throws(StoreError) -> [UInt8] {
    let ending: ChildProcessOutcome.Ending
    do throws(FileFailure) {
      let bytes = try program.read(channel, atMost: count) { mustStop }
      guard bytes.isEmpty, let complaint else { return bytes }
      ending = try program.wait { mustStop }
      // What it has started may keep its standard error open.
      for _ in 0..<20 where !complaint.isOver.withLock({ $0 }) { pauseThread(milliseconds: 10) }
    } catch {
      throw StoreError(error, place)
    }
    guard ending != .status(0) else { return [] }
    throw ProcessStore.failure(
      ending, complaint: complaint?.bytes.withLock { $0 } ?? [], output: [], place)
  }

  private var mustStop: Bool { store.mustStop || isInterrupted.withLock { $0 } }

  func interrupt() { isInterrupted.withLock { $0 = true } }

  func close() {
    program.close(channel)
    complaint?.isAbandoned.withLock { $0 = true }
    // A program that was started to be read is not needed any more.
    if complaint != nil, program.ending == nil { program.end() }
  }
}

/// What a program reads.
final class ProgramSink: ByteSink {
  private let program: RunningProgram
  private let store: ProcessStore
  private let place: Reference

  init(_ program: RunningProgram, of store: ProcessStore, _ place: Reference) {
    self.program = program
    self.store = store
    self.place = place
    program.open(.input)
  }

  var executor: (any VerbExecutor)? { store.executor }

  func write(_ bytes: [UInt8]) throws(StoreError) {
    do throws(FileFailure) {
      try program.write(bytes) { store.mustStop }
    } catch {
      throw StoreError(
        error == FileFailure(EPIPE) ? FileFailure(.closed, "the program reads no more") : error,
        place)
    }
  }

  func finish() { program.close(.input) }
  func cancel() { program.close(.input) }
}
