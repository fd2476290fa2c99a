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
  /// The programs that were started to run beside this one.
  private struct Programs {
    /// By numbers that are given once; the system's are used again.
    var byNumber: [Int: RunningProgram] = [:]
    var count = 0
    /// Those that nobody can name any more; they stay as long as they run.
    var forgotten: Set<Int> = []

    mutating func removeForgotten() {
      for number in forgotten where byNumber[number]?.ending != nil {
        byNumber[number] = nil
        forgotten.remove(number)
      }
    }
  }

  private let programs = Mutex(Programs())

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
        isInterrupted: { self.mustStop }
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
    throw ProcessStore.failure(
      outcome.ending, complaint: outcome.complaint, output: outcome.output, reference)
  }

  /// The error for a program that has failed.
  static func failure(
    _ ending: ChildProcessOutcome.Ending, complaint: [UInt8], output: [UInt8], _ place: Reference
  ) -> StoreError {
    let how =
      switch ending {
      case .status(let status): "it ended with status \(status)"
      case .signal(let number): "it was ended by signal \(number)"
      }
    let text = String(decoding: complaint, as: UTF8.self).trimmedLines
    var error = StoreError(.io, place, text.isEmpty ? how : how + ": " + text)
    if case .status(let status) = ending { error.systemCode = status }
    error.output = output
    return error
  }

  /// Whether nobody waits any more for what the calling thread does.
  var mustStop: Bool { threads.isCancelled ?? isInterrupted() }

  // MARK: Programs that run

  /// Starts a program.
  func start(
    _ reference: Reference, more arguments: [String] = [], folder: String? = nil,
    joinsErrors: Bool = false,
    variables: [[UInt8]] = []
  ) throws(StoreError) -> RunningProgram {
    guard reference.authority == nil, reference.query.isEmpty, !reference.isDirectory,
      !reference.components.isEmpty
    else {
      throw StoreError(
        .invalidReference, reference, "a program has a name and arguments: process:ls/-l")
    }
    var environment = environment?.strings
    if !variables.isEmpty {
      let names = variables.map { $0.prefix { $0 != UInt8(ascii: "=") } + [UInt8(ascii: "=")] }
      environment = (environment ?? processEnvironment()).filter { string in
        !names.contains { string.starts(with: $0) }
      }
      environment? += variables
    }
    do throws(FileFailure) {
      return try RunningProgram(
        reference.components + arguments, environment, folder: folder, joinsErrors: joinsErrors)
    } catch {
      if error == .notFound {
        throw StoreError(
          .notFound, reference,
          folder == nil
            ? "there is no program '\(reference.components[0])'"
            : "there is no program '\(reference.components[0])', or no directory '\(folder ?? "")'",
          systemCode: error.code)
      }
      throw StoreError(error, reference)
    }
  }

  /// Keeps a program that runs; answers its number here.
  fileprivate func keep(_ program: RunningProgram) -> Int {
    programs.withLock { programs in
      programs.removeForgotten()
      programs.count += 1
      programs.byNumber[programs.count] = program
      return programs.count
    }
  }

  fileprivate func program(
    _ number: JSONPart?, _ reference: Reference
  ) throws(StoreError) -> RunningProgram {
    guard case .number(let text) = number, let number = Int(text),
      let program = programs.withLock({ $0.byNumber[number] })
    else { throw StoreError(.closed, reference, "there is no such program any more") }
    return program
  }

  fileprivate func forget(_ number: JSONPart?) {
    guard case .number(let text) = number, let number = Int(text) else { return }
    programs.withLock { programs in
      programs.forgotten.insert(number)
      programs.removeForgotten()
    }
  }

  fileprivate func endPrograms() {
    let running = programs.withLock { programs in
      defer { programs.byNumber = [:] }
      return Array(programs.byNumber.values)
    }
    for program in running where program.ending == nil { program.end() }
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
  public func close() throws(StoreError) {
    endPrograms()
    threads.finish()
  }

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

  /// Carries out a command.
  ///
  /// - `timeout`, with milliseconds, says how long programs may take that are read as a whole.
  /// - `filter`, with a text for the program to read, answers what it prints.
  /// - `read` starts a program and opens what it prints; that it has failed is an error at the end.
  /// - `start` starts a program, and answers its number here and that of the system; the argument may have `arguments` besides
  ///   those in the reference, a `folder`, `variables` as an object of texts, and `joins` for errors that go where its output goes.
  /// - `input`, `output` and `errors`, with a number, open its streams; `wait` and `ending` answer its
  ///   `status`, or the `signal` that has ended it, `ending` null while it runs; `signal`, with
  ///   a number and a signal, sends one; `forget` says that nobody can name it any more.
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
    case ("read", _):
      let program = try start(reference)
      // Nobody can write to it, and it must not wait for that.
      program.close(.input)
      return .source(ProgramSource(program, .output, of: self, reference, tellsFailure: true))
    case ("start", .object(let members)):
      let program = try start(
        reference, more: try arguments(members, reference), folder: members.text("folder"),
        joinsErrors: members.text("joins") != nil,
        variables: try variables(members, reference))
      let numbers = "[\(keep(program)), \(program.number)]"
      return .resource(Resource(Array(numbers.utf8), contentType: "application/json"))
    case ("output", let number), ("errors", let number):
      return .source(
        ProgramSource(
          try program(number, reference), command == "output" ? .output : .errors, of: self,
          reference, tellsFailure: false))
    case ("input", let number):
      return .sink(ProgramSink(try program(number, reference), of: self, reference))
    case ("wait", let number):
      let program = try program(number, reference)
      do throws(FileFailure) {
        return .resource(ProcessStore.resource(try program.wait { self.mustStop }))
      } catch {
        throw StoreError(error, reference)
      }
    case ("ending", let number):
      return .resource(ProcessStore.resource(try program(number, reference).ending))
    case ("signal", .array(let parts)) where parts.count == 2:
      let program = try program(try? JSONPart.read(parts[0]), reference)
      guard case .number(let text) = try? JSONPart.read(parts[1]), let signal = Int32(text),
        (1...64).contains(signal)
      else { throw StoreError(.encode, reference, "a signal is a number from 1 to 64") }
      let wasRunning = program.send(signal)
      return .resource(Resource(Array("\(wasRunning)".utf8), contentType: "application/json"))
    case ("forget", let number):
      forget(number)
      return .done
    default: throw StoreError(.unsupported, reference, "it does not know '\(command)'")
    }
  }

  /// The arguments that a program gets besides those in its reference, which may be of any length.
  private func arguments(
    _ members: [JSONPart.Member], _ reference: Reference
  ) throws(StoreError) -> [String] {
    guard let part = members.first(where: { $0.key == "arguments" }),
      case .array(let elements) = try? JSONPart.read(part.value)
    else { return [] }
    var arguments: [String] = []
    for element in elements {
      guard case .text(let text) = try? JSONPart.read(element), !text.utf8.contains(0) else {
        throw StoreError(.encode, reference, "an argument of a program is a text without NUL")
      }
      arguments.append(text)
    }
    return arguments
  }

  /// The variables that a program gets besides the others, each as `NAME=value`.
  private func variables(
    _ members: [JSONPart.Member], _ reference: Reference
  ) throws(StoreError) -> [[UInt8]] {
    guard let part = members.first(where: { $0.key == "variables" }),
      case .object(let pairs) = try? JSONPart.read(part.value)
    else { return [] }
    var variables: [[UInt8]] = []
    for pair in pairs {
      guard case .text(let value) = try? JSONPart.read(pair.value), !pair.key.isEmpty,
        !pair.key.utf8.contains(UInt8(ascii: "=")), !(pair.key + value).utf8.contains(0)
      else {
        throw StoreError(
          .encode, reference, "'\(pair.key.printable)' cannot be a variable of a program")
      }
      variables.append(Array((pair.key + "=" + value).utf8))
    }
    return variables
  }

  private static func resource(_ ending: ChildProcessOutcome.Ending?) -> Resource {
    let text =
      switch ending {
      case nil: "null"
      case .status(let status): "{\"status\": \(status)}"
      case .signal(let number): "{\"signal\": \(number)}"
      }
    return Resource(Array(text.utf8), contentType: "application/json")
  }
}
