internal import CTenonPlatform
internal import Synchronization
internal import TenonRuntime

#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#elseif canImport(Darwin)
  internal import Darwin
#endif

/// The signals with which a person or the system stops the program.
///
/// A process has one set of handlers, so this is the one place of the command with state of its
/// own. All signals go to the interpreter's thread, whose blocking calls they end; the handlers do
/// nothing but count, and ask the interpreter to stop.
enum Interrupts {
  /// How many requests to stop have come since the last `begin`.
  static var count: Int { requests.load(ordering: .relaxed) }

  /// Whether anything is to stop.
  static var isRequested: Bool { count > 0 || ending != nil }

  /// The signal that ends the command: in a session Ctrl-C does not.
  static var ending: Int32? {
    let signal = endingSignal.load(ordering: .relaxed)
    return signal == 0 ? nil : signal
  }

  /// Chooses the program to stop.
  static func watch(_ interrupter: Interrupter) {
    // Never freed: a handler may run at any time.
    let place = UnsafeMutablePointer<Interrupter>.allocate(capacity: 1)
    unsafe place.initialize(to: interrupter)
    program.store(UInt(bitPattern: place), ordering: .releasing)
  }

  /// Prepares for the next line of a session and what it says: what was pressed before concerns
  /// neither.
  static func begin() {
    requests.store(0, ordering: .relaxed)
    watched?.withdraw()
  }

  /// Asks the program to stop, as a signal would.
  static func stop(because signal: Int32) {
    endingSignal.store(signal, ordering: .relaxed)
    watched?.interrupt()
  }

  fileprivate static var watched: Interrupter? {
    let address = program.load(ordering: .acquiring)
    return unsafe UnsafePointer<Interrupter>(bitPattern: address)?.pointee
  }
}

private let requests = Atomic<Int>(0)
private let endingSignal = Atomic<Int32>(0)
private let program = Atomic<UInt>(0)
private let isSession = Atomic<Bool>(false)
private let terminalEvents = Atomic<Int>(0)

// MARK: - Handlers

extension Interrupts {
  private static let stopping = [SIGINT, SIGTERM, SIGHUP]
  private static let terminal = [SIGWINCH, SIGTSTP, SIGCONT]

  /// Installs the handlers.
  static func install() {
    // Not ignored: what the command starts would inherit that.
    handle(SIGPIPE, with: { _ in })
    // Whoever started the command with a signal ignored wants it to stay so: nohup, `command &`.
    for number in stopping where !isIgnored(number) { handle(number, with: stop) }
  }

  /// From now on Ctrl-C ends what is evaluated, not the command.
  static func beginSession() {
    isSession.store(true, ordering: .relaxed)
    handle(SIGINT, with: stop)
  }

  /// Notes what happens to the terminal, while a line is edited, instead of letting it happen.
  static func watchTerminal(_ isWatching: Bool) {
    for number in terminal { handle(number, with: isWatching ? noteEvent : SIG_DFL) }
  }

  /// Blocks the signals for the calling thread, so that the others get them.
  static func leaveToOthers() {
    var set = all
    unsafe pthread_sigmask(SIG_BLOCK, &set, nil)
  }

  /// Lets the calling thread get the signals.
  static func receive() {
    var set = all
    unsafe pthread_sigmask(SIG_UNBLOCK, &set, nil)
  }

  private static var all: sigset_t {
    var set = sigset_t()
    unsafe sigemptyset(&set)
    for number in stopping + terminal { unsafe sigaddset(&set, number) }
    return set
  }

  private typealias Handler = @convention(c) (Int32) -> Void

  private static func handle(_ number: Int32, with handler: Handler?) {
    var action = sigaction()
    // No SA_RESTART: a signal ends the call that waits, which then looks why.
    #if canImport(Darwin)
      unsafe action.__sigaction_u.__sa_handler = handler
    #else
      unsafe action.__sigaction_handler.sa_handler = handler
    #endif
    unsafe sigaction(number, &action, nil)
  }

  private static func isIgnored(_ number: Int32) -> Bool {
    var action = sigaction()
    unsafe sigaction(number, nil, &action)
    #if canImport(Darwin)
      let handler = unsafe action.__sigaction_u.__sa_handler
    #else
      let handler = unsafe action.__sigaction_handler.sa_handler
    #endif
    return unsafe unsafeBitCast(handler, to: UInt.self) == unsafeBitCast(SIG_IGN, to: UInt.self)
  }

  /// The first request lets the program clean up, the second ends that as well, the third ends the
  /// process: the program is in a call that does not come back.
  private static let stop: Handler = { number in
    let saved = errno
    defer { errno = saved }
    let isPress = number == SIGINT && isSession.load(ordering: .relaxed)
    if !isPress { endingSignal.store(number, ordering: .relaxed) }
    let count = requests.wrappingAdd(1, ordering: .relaxed).newValue
    if count >= 3, !isPress {
      signal(number, SIG_DFL)
      raise(number)
    }
    watched?.interrupt()
  }

  private static let noteEvent: Handler = { number in
    terminalEvents.bitwiseOr(1 << Int(number), ordering: .relaxed)
  }
}

// MARK: - Waiting

extension Interrupts {
  private static let second = 1_000_000_000

  /// Waits until a descriptor can be read.
  ///
  /// - Parameters:
  ///   - descriptor: What to wait for.
  ///   - background: What may disturb it as well, when it is due or another thread calls.
  ///   - isDisturbed: Whether to stop waiting; asked with all signals held back, so that none is
  ///     missed, and again after each of them.
  /// - Returns: false when waiting was disturbed.
  static func waitForInput(
    _ descriptor: Int32, background: (any IdleWork)? = nil, isDisturbed: () -> Bool
  ) -> Bool {
    var held = all
    var usual = sigset_t()
    unsafe pthread_sigmask(SIG_BLOCK, &held, &usual)
    defer { unsafe pthread_sigmask(SIG_SETMASK, &usual, nil) }
    let other = background?.descriptor ?? -1
    while !isDisturbed() {
      let time = Int64(min(background?.nanosecondsLeft ?? second, second))
      switch unsafe tenon_wait_for_input(descriptor, other, time, &usual) {
      case 1: return true
      // As long as it can be read, no signal would get through.
      case 2: background?.forgetCalls()
      default: break
      }
    }
    return false
  }

  /// What happened to the terminal since this was last asked.
  static func takeTerminalEvents() -> TerminalEvents {
    TerminalEvents(rawValue: terminalEvents.exchange(0, ordering: .relaxed))
  }

  static var hasTerminalEvents: Bool { terminalEvents.load(ordering: .relaxed) != 0 }

  /// Stops the process as Ctrl-Z does, until the shell lets it go on.
  static func suspend() {
    handle(SIGTSTP, with: SIG_DFL)
    raise(SIGTSTP)
    handle(SIGTSTP, with: noteEvent)
  }
}

/// Signals that concern the terminal.
struct TerminalEvents: OptionSet {
  let rawValue: Int

  static let resized = TerminalEvents(rawValue: 1 << Int(SIGWINCH))
  static let suspended = TerminalEvents(rawValue: 1 << Int(SIGTSTP))
  static let continued = TerminalEvents(rawValue: 1 << Int(SIGCONT))
}
