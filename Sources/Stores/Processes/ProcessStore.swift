internal import Synchronization
public import TenonStoreKit
internal import TenonText

/// A store of what other programs answer: `process:ls/-l`.
///
/// The first component is the program, found as the system finds commands, the others are its
/// arguments, each one argument whatever signs it has: there is no shell. `get` runs the program
/// with nothing to read and answers what it prints; `put` gives it something to read, and what it
/// prints is dropped. A program that ends with another status than 0 is an error with what it wrote
/// to its standard error, its status as the code, and what it has printed.
///
/// A program that takes too long, or prints more than 64 MiB, is ended, and so is one that runs
/// while somebody stops the script: first asked, half a second later made to, with its children as
/// far as they stay in its process group.
///
/// Threads may use a store at the same time; up to 64 programs run at once.
public final class ProcessStore {
  private struct Settings {
    var timeout: Int?
    var limit = 64 << 20
  }

  /// Whether somebody wants the program to stop: asked while the interpreter's thread waits for another
  /// program.
  public var isInterrupted: () -> Bool = { false }
  private let environment: EnvironmentStore?
  private let settings = Mutex(Settings())
  private let threads = VerbThreads(width: 64, keepsOrder: false)

  /// How long a program may take, in milliseconds; nil for as long as it likes.
  public var timeout: Int? {
    get { settings.withLock { $0.timeout } }
    set { settings.withLock { $0.timeout = newValue } }
  }

  /// The most bytes that a program may print.
  public var limit: Int {
    get { settings.withLock { $0.limit } }
    set { settings.withLock { $0.limit = newValue } }
  }

  /// Creates a store.
  ///
  /// - Parameter environment: The variables that programs get; nil for those of this process.
  public init(environment: EnvironmentStore? = nil) { self.environment = environment }

  private func run(
    _ reference: Reference, input: [UInt8]
  ) throws(StoreError) -> [UInt8] {
    guard reference.authority == nil, reference.query.isEmpty, !reference.isDirectory,
      !reference.components.isEmpty
    else {
      throw StoreError(
        .invalidReference, reference, "a program has a name and arguments: process:ls/-l")
    }
    let outcome: ChildProcessOutcome
    do throws(FileFailure) {
      outcome = try ChildProcess(
        arguments: reference.components, input: input, environment: environment?.strings,
        timeout: timeout, limit: limit,
        isInterrupted: { self.threads.isCancelled ?? self.isInterrupted() }
      ).run()
    } catch {
      if error == .notFound {
        throw StoreError(
          .notFound, reference, "there is no program '\(reference.components[0])'",
          systemCode: error.code)
      }
      throw StoreError(error, reference)
    }
    guard outcome.ending != .status(0) else { return outcome.output }
    let how =
      switch outcome.ending {
      case .status(let status): "it ended with status \(status)"
      case .signal(let number): "it was ended by signal \(number)"
      }
    let complaint = String(decoding: outcome.complaint, as: UTF8.self).trimmedLines
    var error = StoreError(.io, reference, complaint.isEmpty ? how : how + ": " + complaint)
    if case .status(let status) = outcome.ending { error.systemCode = status }
    error.output = outcome.output
    throw error
  }
}

extension String {
  /// The first lines as part of a message.
  fileprivate var trimmedLines: String {
    split(whereSeparator: \.isNewline).prefix(5).map { String($0).printable }.joined(
      separator: "; ")
  }
}

// swift-format-ignore: AllPublicDeclarationsHaveDocumentation
extension ProcessStore: CommandedStore {
  public var capabilities: StoreCapabilities {
    StoreCapabilities([.get, .put], durability: .none, isExternal: true)
  }

  public var executor: (any VerbExecutor)? { threads }

  /// Ends the programs that run.
  public func close() throws(StoreError) { threads.finish() }

  public func get(
    _ reference: Reference, if condition: Precondition?
  ) throws(StoreError) -> GetOutcome {
    if condition != nil { throw unsupported("get with a condition", reference) }
    let output = try run(reference, input: [])
    let isText = String(validating: output, as: UTF8.self) != nil
    return .resource(
      Resource(output, contentType: isText ? "text/plain" : "application/octet-stream"))
  }

  public func put(
    _ reference: Reference, _ resource: Resource, if condition: Precondition?
  ) throws(StoreError) {
    if condition != nil { throw unsupported("put with a condition", reference) }
    _ = try run(reference, input: resource.bytes)
  }

  /// Nothing is known without running the program.
  public func status(of reference: Reference) throws(StoreError) -> ResourceStatus? { nil }

  /// Carries out `timeout`, with milliseconds, or `filter`, with a text for the program to read:
  /// what it prints is the answer.
  public func perform(
    _ command: String, _ argument: Resource, at reference: Reference
  ) throws(StoreError) -> CommandAnswer {
    switch (command, try? JSONPart.read(argument.bytes[...])) {
    case ("timeout", .number(let text)):
      guard let number = Double(text), number >= 1 else {
        throw StoreError(.encode, reference, "a program takes a millisecond at least")
      }
      timeout = Int(min(number, 1e12))
      return .done
    case ("filter", .text(let text)):
      let output = try run(reference, input: Array(text.utf8))
      let isText = String(validating: output, as: UTF8.self) != nil
      return .resource(
        Resource(output, contentType: isText ? "text/plain" : "application/octet-stream"))
    default: throw StoreError(.unsupported, reference, "it does not know '\(command)'")
    }
  }
}
