internal import TenonLexer

/// Swift code of the host that a script calls: given the call, it writes what it answers.
///
/// What it throws becomes an exception of the script.
package typealias HostCode = (HostCall, inout ValueWriter) throws -> Void

/// The receiver and the arguments of a call, lent to Swift code of the host for its time.
package struct HostCall {
  package let machine: Machine
  private let frame: Frame
  /// How many arguments there are.
  package let count: Int

  init(_ machine: Machine, _ frame: Frame, count: Int) {
    self.machine = machine
    self.frame = frame
    self.count = count
  }

  /// Lends the receiver of a method.
  package func receiver<Result>(_ body: (borrowing ValueReader) throws -> Result) rethrows -> Result
  {
    try body(ValueReader(frame[0], machine))
  }

  /// The object of the host that the receiver of a method stands for.
  ///
  /// - Throws: `ConversionError` when it stands for none: a copy, or an instance that was made without
  ///   an initializer.
  package func hostReceiver() throws(ConversionError) -> AnyHostBox {
    guard let box = machine.hostObjects.box(of: frame[0]) else {
      throw machine.hostObjects.missing(machine.describe(frame[0]))
    }
    return box
  }

  /// Lends an argument, counted from 0.
  package func argument<Result>(
    _ index: Int, _ body: (borrowing ValueReader) throws(ConversionError) -> Result
  ) throws(ConversionError) -> Result {
    guard index >= 0, index < count else { throw ConversionError("there is no such argument") }
    do throws(ConversionError) {
      return try body(ValueReader(frame[index + 1], machine))
    } catch {
      throw count == 1 ? error : error.inside("argument \(index + 1)")
    }
  }

  /// Lets the receiver stand for an object of the host.
  package func adopt(_ box: AnyHostBox) { machine.hostObjects.enter(box, for: frame[0]) }
}

/// Runs Swift code of the host: the body of a block or of a method.
final class HostNode: Node {
  private let code: HostCode
  private let argumentCount: Int
  private let state: StateRef
  /// Whether the receiver is the answer, as of an initializer.
  private let answersReceiver: Bool

  init(
    _ code: @escaping HostCode, argumentCount: Int, answersReceiver: Bool = false, state: StateRef
  ) {
    self.code = code
    self.argumentCount = argumentCount
    self.answersReceiver = answersReceiver
    self.state = state
  }

  override func evaluate(_ frame: Frame) -> Value {
    let answer = state.withMachine {
      $0.callHost(code, Arguments(frame: frame), count: argumentCount)
    }
    return answersReceiver && !answer.isUnwind ? frame.receiver : answer
  }
}

extension Machine {
  /// Calls Swift code of the host.
  ///
  /// - Returns: What it answers, or `unwind`.
  func callHost(_ code: HostCode, _ arguments: Arguments, count: Int) -> Value {
    if host.isClosed {
      return signal(Failure(.notAvailable, "the interpreter is closed"))
    }
    let frame = arguments.frame
    state.top = frame.advanced(by: count + 1)
    state.base = frame
    let root = roots.count
    nativeStack.hostDepth += 1
    var writer = ValueWriter(self)
    var failure: (any Error)?
    do {
      try code(HostCall(self, frame, count: count), &writer)
    } catch {
      failure = error
    }
    let answer = writer.value
    dropRoots(to: root)
    nativeStack.hostDepth -= 1
    // What the host has evaluated is over.
    state.top = frame.advanced(by: count + 1)
    state.base = frame
    if let held = nativeStack.held, held.depth == nativeStack.hostDepth + 1 {
      nativeStack.held = nil
      exceptions.unwindAction = held.action
      return state.unwind(to: held.target, with: held.value)
    }
    if isStopping { return stop() }
    return failure.map { signalHostError($0) } ?? answer
  }

  /// Calls Swift code of the host on the way out of a place: what it throws is nobody's any more.
  func callHostQuietly(_ code: HostCode, _ arguments: Arguments) {
    guard !host.isClosed else { return }
    let (target, value) = (state.unwindTarget, state.unwindValue)
    let action = exceptions.unwindAction
    let root = roots.count
    roots.append(target)
    roots.append(value)
    nativeStack.hostDepth += 1
    var writer = ValueWriter(self)
    try? code(HostCall(self, arguments.frame, count: 1), &writer)
    if let held = nativeStack.held, held.depth == nativeStack.hostDepth { nativeStack.held = nil }
    nativeStack.hostDepth -= 1
    dropRoots(to: root)
    exceptions.unwindAction = action
    _ = state.unwind(to: target, with: value)
  }

  // MARK: Blocks

  /// A block whose body is Swift code; the code lives as long as the block.
  package func makeHostBlock(
    argumentCount: Int, named name: String, _ code: @escaping HostCode
  ) -> Handle {
    let owner = Code(source: SourceText(name: "<swift>", name), name: name, isKernel: true)
    let body = owner.add(HostNode(code, argumentCount: argumentCount, state: state))
    let block = BlockCode(
      argumentCount: argumentCount, body: body, code: owner,
      range: SourceRange(0, Int32(clamping: name.utf8.count)), tracked: false)
    owner.add(block)
    owner.body = body
    codeTable.retired.append(owner)
    let closure = state.allocate(
      classIndex: ClassIndex.blockClosure, slotCount: Closure.slotCount)
    closure.initialize(slot: 0, to: block.marker)
    closure.initialize(slot: 1, to: Value(session.script))
    return handles.makeHandle(Value(closure))
  }

  /// Sends a message whose arguments are converted from Swift values, and lends the answer.
  ///
  /// `value` stands for the form of it that a block with so many arguments understands. It is not generic:
  /// the optimizer of Swift 6.3 does not survive that.
  ///
  /// - Parameters:
  ///   - receiver: What gets the message.
  ///   - name: The selector.
  ///   - arguments: Writes them.
  ///   - reading: Is lent the answer.
  /// - Throws: `CallError` when an argument or the answer does not cross, or when there is no answer.
  package func call(
    _ receiver: Handle, _ name: String,
    _ arguments: (inout ArgumentsWriter) throws(ConversionError) -> Void,
    reading: (borrowing ValueReader) throws(ConversionError) -> Void
  ) throws(CallError) {
    let object = receiver.value
    let occupied = host.occupancy.enter()
    if let refusal = refusal(of: occupied) { throw .ended(refusal) }
    defer { if occupied == .entered { host.occupancy.leave() } }
    let root = roots.count
    defer { dropRoots(to: root) }
    var writer = ArgumentsWriter(self)
    do throws(ConversionError) { try arguments(&writer) } catch { throw .conversion(error) }
    let entry = beginEntry()
    defer { endEntry(entry) }
    let answer = try evaluate(object, name, count: writer.count, root: root)
    roots.append(answer)
    do throws(ConversionError) {
      try reading(ValueReader(answer, self))
    } catch {
      throw .conversion(error)
    }
  }

  /// Evaluates, within an entry, with the arguments that are roots.
  @inline(__always)
  private func evaluate(
    _ object: Value, _ name: String, count: Int, root: Int
  ) throws(CallError) -> Value {
    let callee = pushNativeFrame()
    callee[0] = object
    for index in 0..<count { callee[index + 1] = roots[root + index] }
    let value: Value
    if name == "value", object.isObject(ofClass: ClassIndex.blockClosure) {
      let code = Closure(object).code
      value =
        code.argumentCount == count
        ? enter(currentBody(of: code.object), callee, argumentCount: count)
        : signal(.wrongArgumentCount(of: code.object, given: count))
    } else {
      value = try send(name, callee, count: count)
    }
    return value.isUnwind ? try valueOfEnd() : value
  }

  /// Sends a message whose receiver and arguments are in a frame.
  @inline(never)
  private func send(_ name: String, _ callee: Frame, count: Int) throws(CallError) -> Value {
    let selector = self.selector(name == "value" ? Machine.valueSelector(count) : name)
    guard selector.argumentCount == count else {
      throw .ended(wrongCount(of: name, selector.argumentCount, given: count))
    }
    let body = currentBody(for: selector, classIndex: callee[0].classIndex)
    return enter(body, callee, argumentCount: count)
  }

  /// The value with which a `^` of the script itself has ended it.
  @inline(never)
  private func valueOfEnd() throws(CallError) -> Value {
    let outcome = endOfHostEntry()
    if case .finished(let handle) = outcome { return handle.value }
    throw .ended(outcome.error)
  }

  /// The error of a message that was sent with another number of arguments.
  func wrongCount(of name: String, _ wanted: Int, given: Int) -> ScriptError {
    ScriptError(
      className: ErrorClass.wrongArgumentCount.rawValue,
      message: "'\(name)' takes \(wanted) \(wanted == 1 ? "argument" : "arguments"), not \(given)",
      trace: [])
  }

  /// What a block with so many arguments is evaluated by.
  private static func valueSelector(_ count: Int) -> String {
    count == 0 ? "value" : String(repeating: "value:", count: count)
  }
}
