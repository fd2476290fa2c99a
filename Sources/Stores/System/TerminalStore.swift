internal import CTenonPlatform
internal import Synchronization
public import TenonStoreKit

#if canImport(Darwin)
  internal import Darwin
#elseif canImport(Musl)
  internal import Musl
#else
  internal import Glibc
#endif

/// The terminal of the process: `terminal:columns`.
///
/// `stdin`, `stdout` and `stderr` are true where a terminal is at the other end. `columns` and `rows`
/// are the size of the terminal that the process writes to or reads from; nothing is there when it has
/// none. `echo` says whether the terminal shows what is typed, and may be put. What was changed of it
/// is put back by `close`, and when the store goes.
public final class TerminalStore {
  /// The state of the terminal before it was first changed.
  private let saved = Mutex<termios?>(nil)

  /// Creates a store of the process's own terminal.
  public init() {}

  deinit { restore() }

  private static let descriptors: [String: Int32] = ["stdin": 0, "stdout": 1, "stderr": 2]

  private func restore() {
    saved.withLock { state in
      guard var given = state else { return }
      unsafe tcsetattr(0, TCSADRAIN, &given)
      state = nil
    }
  }

  /// The size of the terminal; nil when there is none, or it does not know its size.
  private var size: (columns: Int, rows: Int)? {
    for descriptor: Int32 in [1, 2, 0] {
      var columns: Int32 = 0
      var rows: Int32 = 0
      if unsafe tenon_terminal_size(descriptor, &columns, &rows) != 0 {
        return (Int(columns), Int(rows))
      }
    }
    return nil
  }

  private func state(_ reference: Reference) throws(StoreError) -> termios {
    var state = termios()
    guard unsafe tcgetattr(0, &state) == 0 else {
      throw StoreError(.unavailable, reference, "stdin is no terminal")
    }
    return state
  }

  private func setEcho(_ isOn: Bool, _ reference: Reference) throws(StoreError) {
    var state = try state(reference)
    saved.withLock { if $0 == nil { $0 = state } }
    let echo = tcflag_t(ECHO)
    state.c_lflag = isOn ? state.c_lflag | echo : state.c_lflag & ~echo
    // What was typed before the question is no answer to it.
    guard unsafe tcsetattr(0, isOn ? TCSADRAIN : TCSAFLUSH, &state) == 0 else {
      throw StoreError(.io, reference, "the terminal refuses it", systemCode: errno)
    }
  }

  private func place(_ reference: Reference) throws(StoreError) -> String {
    guard reference.components.count == 1, reference.query.isEmpty, !reference.isDirectory,
      Self.names.contains(reference.components[0])
    else {
      throw StoreError(
        .invalidReference, reference,
        "a terminal has the places \(Self.names.joined(separator: ", "))")
    }
    return reference.components[0]
  }

  private static let names = ["columns", "echo", "rows", "stderr", "stdin", "stdout"]
}

// swift-format-ignore: AllPublicDeclarationsHaveDocumentation
extension TerminalStore: Store {
  public var capabilities: StoreCapabilities {
    StoreCapabilities([.get, .put, .list], durability: .none, isExternal: true)
  }

  public func contentType(of reference: Reference) -> String { "application/json" }

  public func get(
    _ reference: Reference, if condition: Precondition?
  ) throws(StoreError) -> GetOutcome {
    if condition != nil { throw unsupported("get with a condition", reference) }
    let place = try place(reference)
    let text: String?
    switch place {
    case "columns": text = size.map { "\($0.columns)" }
    case "rows": text = size.map { "\($0.rows)" }
    case "echo":
      text =
        isatty(0) == 0 ? nil : "\(try state(reference).c_lflag & tcflag_t(ECHO) != 0)"
    default: text = Self.descriptors[place].map { "\(isatty($0) != 0)" }
    }
    guard let text else { return .missing }
    return .resource(Resource(Array(text.utf8), contentType: "application/json"))
  }

  public func put(
    _ reference: Reference, _ resource: Resource, if condition: Precondition?
  ) throws(StoreError) {
    if condition != nil { throw unsupported("put with a condition", reference) }
    guard try place(reference) == "echo" else {
      throw StoreError(.readOnly, reference, "only 'echo' can be set")
    }
    switch String(decoding: resource.bytes, as: UTF8.self) {
    case "true": try setEcho(true, reference)
    case "false": try setEcho(false, reference)
    default: throw StoreError(.encode, reference, "the echo is true or false")
    }
  }

  public func list(_ reference: Reference) throws(StoreError) -> [StoreEntry] {
    guard reference.components.isEmpty else {
      _ = try place(reference)
      throw StoreError(.notADirectory, reference, "it has nothing below it")
    }
    return Self.names.map { StoreEntry($0, isDirectory: false) }
  }

  public func close() throws(StoreError) { restore() }
}
