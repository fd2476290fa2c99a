internal import TenonLexer
internal import TenonTables

/// An `on:do:` that is being evaluated.
struct Handler: BitwiseCopyable {
  /// The frame of `on:do:` with receiver block, exception class or set, and handler block.
  ///
  /// Without one it is Swift code that catches all errors.
  let frame: Frame?
  /// The handler that is active outside of it, or -1.
  let outer: Int
  /// What unwinding to it is aimed at.
  let token: Int
}

/// A signal that is being handled.
struct ActiveSignal {
  /// What ending it is aimed at.
  let token: Int
  /// The frame that was the innermost one when it was made.
  let frame: Frame
}

/// What an `on:do:` does when unwinding reaches it.
enum UnwindAction {
  /// Answers the value.
  case deliver
  /// Evaluates its receiver again.
  case retry
  /// Evaluates the block that is the value, and answers what it answers.
  case retryUsing
  /// Signals the exception that is the value; what signalling does when unwinding reaches it.
  case resignal
}

extension Machine {
  /// The word that unwinding to the outermost evaluation is aimed at.
  var topLevelTarget: Value { Value(small: 0) }

  func makeToken() -> Int {
    exceptions.nextToken &+= 1
    return exceptions.nextToken
  }

  // MARK: Signalling

  /// Signals an exception for a failure in Swift code.
  ///
  /// - Returns: what a handler resumed with, or `unwind`.
  @inline(never)
  func signal(_ failure: Failure) -> Value {
    // What failed because it was interrupted is no error of the program.
    if isStopping { return stop() }
    if failure.isUnwinding { return .unwind }
    if failure.isException, let exception = exceptions.failureDetails?.values.first {
      exceptions.failureDetails = nil
      return signal(exception)
    }
    return signal(makeException(for: failure))
  }

  /// The exception for a failure in Swift code.
  func makeException(for failure: Failure) -> Value {
    let exception = makeInstance(of: failure.errorClass.rawValue)
    exception[slot: ExceptionSlot.messageText] = makeString(failure.message)
    moveDetails(of: failure, to: exception)
    return Value(exception)
  }

  /// Signals an exception object: finds the handler and runs it above the signaller.
  ///
  /// Handlers run before anything unwinds, so that they can resume.
  ///
  /// - Returns: what a handler resumed with, or `unwind`.
  func signal(_ exception: Value) -> Value {
    guard classInfo(of: exception).inherits(from: kernel.exception) else {
      return signal(.invalidArgument("an exception", found: describe(exception)))
    }
    let object = ObjectRef(exception)
    let token = makeToken()
    object[slot: ExceptionSlot.signalToken] = Value(small: token)
    exceptions.activeSignals.append(ActiveSignal(token: token, frame: state.base))
    let value = deliver(object, from: exceptions.currentHandler, token: token)
    exceptions.activeSignals.removeLast()
    if value.isUnwind, state.unwindTarget == Value(small: token) {
      let answer = state.takeUnwindValue()
      guard exceptions.unwindAction == .resignal else { return answer }
      exceptions.unwindAction = .deliver
      return signal(answer)
    }
    return value
  }

  /// Runs the nearest handler for an exception, searching outwards from one.
  private func deliver(_ exception: ObjectRef, from start: Int, token: Int) -> Value {
    let saved = exceptions.currentHandler
    defer { exceptions.currentHandler = saved }
    // The exception may be in no variable of the program: keep it.
    let root = roots.count
    roots.append(Value(exception))
    defer { dropRoots(to: root) }

    var index = start
    while index >= 0, index < exceptions.handlers.count {
      let handler = exceptions.handlers[index]
      exceptions.currentHandler = handler.outer
      guard let frame = handler.frame else {
        if classInfo(of: Value(exception)).inherits(from: kernel.error) {
          return state.unwind(to: Value(small: handler.token), with: Value(exception))
        }
        index = handler.outer
        continue
      }
      let matches = handles(frame[1], Value(exception))
      if matches.isUnwind { return matches }
      if matches.isTrue {
        exception[slot: ExceptionSlot.handlerToken] = Value(small: handler.token)
        exception[slot: ExceptionSlot.outerHandler] = Value(small: handler.outer)
        let value = handlerValue(frame[2], for: Value(exception))
        if value.isUnwind { return value }
        return state.unwind(to: Value(small: handler.token), with: value)
      }
      index = handler.outer
    }
    exceptions.currentHandler = -1
    exception[slot: ExceptionSlot.handlerToken] = .nil
    exception[slot: ExceptionSlot.outerHandler] = Value(small: -1)
    return send(selector("defaultAction"), to: Value(exception))
  }

  /// What a handler block answers for an exception; what is no block is the value itself.
  private func handlerValue(_ handler: Value, for exception: Value) -> Value {
    let isBlock = handler.isObject(ofClass: ClassIndex.blockClosure)
    guard isBlock || classInfo(of: handler).lookUp(selector("value:")) != nil else {
      return handler
    }
    return evaluateBlock(handler, exception)
  }

  /// Whether an exception class, or a set of them, handles an exception.
  private func handles(_ pattern: Value, _ exception: Value) -> Value {
    if let info = classInfo(named: pattern) {
      return Value(classInfo(of: exception).inherits(from: info))
    }
    return send(selector("handles:"), to: pattern, exception)
  }

  /// Whether a handler outside of the one that runs handles an exception too.
  ///
  /// - Returns: true or false, or `unwind`.
  func isNested(_ exception: ObjectRef) -> Value {
    guard isActive(exception) else { return .false }
    var index = exception[slot: ExceptionSlot.outerHandler].asSmallInteger ?? -1
    while index >= 0, index < exceptions.handlers.count {
      let handler = exceptions.handlers[index]
      if let frame = handler.frame {
        let matches = handles(frame[1], Value(exception))
        if matches.isUnwind || matches.isTrue { return matches }
      }
      index = handler.outer
    }
    return .false
  }

  /// Hands an exception to the next handler outside of the one that runs.
  func signalOuter(_ exception: ObjectRef) -> Value {
    guard let outer = exception[slot: ExceptionSlot.outerHandler].asSmallInteger,
      isActive(exception)
    else { return signal(.inactiveException()) }
    // A handler outside resumes to here, and the one that runs goes on as before.
    let slots = [
      ExceptionSlot.signalToken, ExceptionSlot.handlerToken, ExceptionSlot.outerHandler,
    ]
    let saved = slots.map { exception[slot: $0] }
    let token = makeToken()
    exception[slot: ExceptionSlot.signalToken] = Value(small: token)
    exceptions.activeSignals.append(ActiveSignal(token: token, frame: state.base))
    let value = deliver(exception, from: outer, token: token)
    exceptions.activeSignals.removeLast()
    for (slot, value) in zip(slots, saved) { exception[slot: slot] = value }
    guard value.isUnwind, state.unwindTarget == Value(small: token) else { return value }
    let answer = state.takeUnwindValue()
    guard exceptions.unwindAction == .resignal else { return answer }
    exceptions.unwindAction = .deliver
    return signal(answer)
  }

  // MARK: Handling

  /// `on:do:`: evaluates a block with a handler for some exceptions.
  func evaluateHandled(_ arguments: Arguments) -> Value {
    let frame = arguments.frame
    let outer = exceptions.currentHandler
    let count = exceptions.handlers.count
    let token = makeToken()
    defer {
      exceptions.currentHandler = outer
      exceptions.handlers.shorten(to: count)
    }
    var block = frame[0]
    while true {
      exceptions.handlers.append(Handler(frame: frame, outer: outer, token: token))
      exceptions.currentHandler = count
      let value = evaluateBlock(block)
      exceptions.currentHandler = outer
      exceptions.handlers.shorten(to: count)
      guard value.isUnwind, state.unwindTarget == Value(small: token) else { return value }
      let delivered = state.takeUnwindValue()
      let action = exceptions.unwindAction
      exceptions.unwindAction = .deliver
      switch action {
      case .deliver, .resignal: return delivered
      case .retry: block = frame[0]
      case .retryUsing: return evaluateBlock(delivered)
      }
    }
  }

  /// `ensure:`: evaluates a block, and then another whatever happened.
  func evaluateEnsured(_ arguments: Arguments) -> Value {
    let frame = arguments.frame
    let value = evaluateBlock(frame[0])
    return runProtected(frame[1], after: value, frame)
  }

  /// `ifCurtailed:`: evaluates a block, and another only if it did not end normally.
  func evaluateCurtailable(_ arguments: Arguments) -> Value {
    let frame = arguments.frame
    let value = evaluateBlock(frame[0])
    return value.isUnwind ? runProtected(frame[1], after: value, frame) : value
  }

  /// Runs a clean-up block, then goes on with the value or the unwinding it interrupted.
  private func runProtected(_ block: Value, after value: Value, _ frame: Frame) -> Value {
    let target = state.unwindTarget
    let delivered = value.isUnwind ? state.unwindValue : value
    let action = exceptions.unwindAction
    exceptions.unwindAction = .deliver
    let root = roots.count
    roots.append(target)
    roots.append(delivered)
    defer { dropRoots(to: root) }
    // What unwinds may be the overflow of a stack that is still nearly full.
    let needsReserve = value.isUnwind && nativeStack.openReserves < MachineLimits.reserves
    let outcome = withCleanUp {
      needsReserve ? withReserve { evaluateBlock(block) } : evaluateBlock(block)
    }
    // Nothing a clean-up block does makes an uncaught error forgotten.
    let isUncaught = value.isUnwind && target == topLevelTarget && exceptions.uncaught != nil
    if outcome.isUnwind, !isUncaught { return outcome }
    exceptions.unwindAction = action
    return value.isUnwind ? state.unwind(to: target, with: delivered) : value
  }

  // MARK: Leaving a handler

  /// `return:`: ends the `on:do:` with a value.
  func unwindToHandler(
    of exception: ObjectRef, with value: Value, action: UnwindAction = .deliver
  ) -> Value {
    guard let token = exception[slot: ExceptionSlot.handlerToken].asSmallInteger,
      // The one that is meant is among the last, as a rule.
      (0..<exceptions.handlers.count).reversed().contains(where: {
        exceptions.handlers[$0].token == token
      })
    else { return signal(.inactiveException()) }
    exceptions.unwindAction = action
    return state.unwind(to: Value(small: token), with: value)
  }

  /// `resume:`: ends the signalling with a value.
  func resume(
    _ exception: ObjectRef, with value: Value, action: UnwindAction = .deliver
  ) -> Value {
    guard let token = exception[slot: ExceptionSlot.signalToken].asSmallInteger,
      isActive(exception)
    else { return signal(.inactiveException()) }
    exceptions.unwindAction = action
    return state.unwind(to: Value(small: token), with: value)
  }

  /// Whether an exception is being handled: its places in the lists of the machine are good.
  func isActive(_ exception: ObjectRef) -> Bool {
    guard let token = exception[slot: ExceptionSlot.signalToken].asSmallInteger else {
      return false
    }
    return exceptions.activeSignals.contains { $0.token == token }
  }

  /// `resignalAs:`: ends the signalling, and signals another exception in its place.
  func resignal(_ exception: ObjectRef, as replacement: Value) -> Value {
    guard classInfo(of: replacement).inherits(from: kernel.exception) else {
      return signal(.invalidArgument("an exception", found: describe(replacement)))
    }
    return resume(exception, with: replacement, action: .resignal)
  }

  /// The end of an exception that nobody handles: notes it and unwinds everything.
  func terminate(_ exception: ObjectRef) -> Value {
    let description = send(selector("messageText"), to: Value(exception))
    let message = description.isUnwind ? "" : displayText(description) + hint(for: exception)
    var trace = stackTrace()
    if let place = exceptions.failurePlace { trace.entries.insert(place, at: 0) }
    let error = UncaughtError(
      className: classInfo(of: Value(exception)).name, message: message,
      exitStatus: exitStatus(of: exception), cause: hostCause(of: exception), trace: trace)
    if let outcome = exceptions.debugger?.pause(exception, error) { return outcome }
    exceptions.uncaught = error
    return state.unwind(to: topLevelTarget, with: .nil)
  }
}

extension Machine {
  /// The status that an `Exit` asks for; nil for other exceptions.
  private func exitStatus(of exception: ObjectRef) -> Int32? {
    guard classInfo(of: Value(exception)).inherits(from: kernel.exit) else { return nil }
    return Int32(exactly: exception[slot: ExceptionSlot.exitStatus].asSmallInteger ?? 0) ?? 1
  }
}

/// Where the instance variables of the kernel's Exception stand, those of ZeroDivide and its like,
/// and that of Exit.
enum ExceptionSlot {
  static let messageText = 0
  static let signalToken = 1
  static let handlerToken = 2
  static let outerHandler = 3
  static let details = 5
  /// Of a StoreError, the last.
  static let output = 14
  static let unsent = 15
  static let exitStatus = 5
}

// MARK: - Stack traces

extension Machine {
  /// The innermost of some sends as an object, which knows the others.
  ///
  /// - Complexity: O(*n*).
  func makeStackFrame(_ entries: [TraceEntry]) -> Value {
    let object = Value(makeInstance(of: "StackFrame"))
    roots.append(object)
    defer { roots.removeLast() }
    let rows = makeArray(
      entries.flatMap { entry in
        let place = entry.code.source.location(of: entry.site.range.start)
        return [
          makeString(entry.code.name ?? "script"), makeString(entry.code.source.name),
          Value(small: place.line),
        ]
      })
    ObjectRef(object)[slot: 0] = rows
    return object
  }

  /// The innermost sends that are being evaluated; those of kernel code left out.
  ///
  /// - Complexity: O(*depth* of the last one).
  func stackTrace(limit: Int) -> [TraceEntry] {
    var entries: [TraceEntry] = []
    visitSends(from: state.base) { node, _ in
      entries.append(TraceEntry(node))
      return entries.count < limit
    }
    return entries
  }

  /// The innermost send of the program that is being evaluated.
  func currentSite() -> TraceEntry? {
    unsafe currentSend().map { unsafe TraceEntry($0.takeUnretainedValue()) }
  }

  /// The innermost send of the program that is being evaluated, without counting references: it lives
  /// as long as it is being evaluated.
  func currentSend() -> Unmanaged<SiteNode>? {
    var frame = state.base
    while let node = unsafe Machine.send(before: &frame) {
      if unsafe node._withUnsafeGuaranteedRef({ !$0.code.isKernel }) { return unsafe node }
      unsafe frame = frame.advanced(by: -(node._withUnsafeGuaranteedRef(\.depth) + 1))
    }
    return nil
  }

  /// The sends that are being evaluated, as a report of an error shows them.
  ///
  /// - Complexity: O(*depth*).
  func stackTrace() -> StackTrace {
    var trace = StackTrace()
    visitSends(from: state.base) { node, _ in
      if trace.entries.count < StackTrace.limit {
        trace.entries.append(TraceEntry(node))
      } else {
        trace.omitted += 1
      }
      return true
    }
    return trace
  }

  /// The sends that led to the signalling of an exception, innermost first; none when it is not
  /// being handled.
  ///
  /// - Complexity: O(*depth*).
  func signalTrace(of exception: ObjectRef) -> [TraceEntry] {
    guard let token = exception[slot: ExceptionSlot.signalToken].asSmallInteger,
      let signal = exceptions.activeSignals.last(where: { $0.token == token })
    else { return [] }
    var entries: [TraceEntry] = []
    visitSends(from: signal.frame) { node, _ in
      entries.append(TraceEntry(node))
      return entries.count < StackTrace.limit
    }
    return entries
  }

  /// The report of an exception under a title.
  ///
  /// Of one that is not being handled it names the send of the program that runs now, and where none
  /// does the block that could not be evaluated.
  ///
  /// - Returns: a string, or `unwind`.
  func report(of exception: ObjectRef, as title: String, in block: Value) -> Value {
    let entries = signalTrace(of: exception)
    let trace = entries.isEmpty ? stackTrace() : StackTrace(entries: entries)
    let description = send(selector("messageText"), to: Value(exception))
    if description.isUnwind { return .unwind }
    let error = UncaughtError(
      className: classInfo(of: Value(exception)).name, message: displayText(description),
      trace: trace)
    return makeString(error.published(in: block).rendered(as: title))
  }

  /// Visits the sends that led to a frame with the frames in which they stand, innermost first, those
  /// of kernel code left out as a rule, until the visitor answers false.
  func visitSends(
    from start: Frame, includingKernel: Bool = false, _ visit: (SiteNode, Frame) -> Bool
  ) {
    var frame = start
    while let send = unsafe Machine.send(before: &frame) {
      let node = unsafe send.takeUnretainedValue()
      frame = frame.advanced(by: -(node.depth + 1))
      if includingKernel || !node.code.isKernel, !visit(node, frame) { break }
    }
  }

  /// The send that has made a frame; nil for the outermost one.
  ///
  /// What evaluations that began within a primitive have laid between two frames is passed.
  @inline(__always)
  private static func send(before frame: inout Frame) -> Unmanaged<SiteNode>? {
    while true {
      let site = frame.site
      if site.isNil { return nil }
      if !site.isUndefined {
        return unsafe Unmanaged.fromOpaque(
          UnsafeRawPointer(bitPattern: site.markedAddress).unsafelyUnwrapped)
      }
      let link = frame.advanced(by: -2)
      guard let distance = link[0].asSmallInteger else { return nil }
      frame = link.advanced(by: -distance)
    }
  }

  /// The frame from which another one was made, by a send or by an evaluation within a primitive; nil
  /// for the outermost one.
  func frame(below frame: Frame) -> Frame? {
    if frame.site.isNil { return nil }
    if frame.site.isUndefined {
      let link = frame.advanced(by: -2)
      return link[0].asSmallInteger.map { link.advanced(by: -$0) }
    }
    var current = frame
    guard let send = unsafe Machine.send(before: &current) else { return nil }
    return unsafe current.advanced(by: -(send._withUnsafeGuaranteedRef(\.depth) + 1))
  }

  /// The selector of the send that made a frame; nil where it was made within a primitive.
  func selector(of frame: Frame) -> String? {
    guard !frame.site.isUndefined, !frame.site.isNil else { return nil }
    var current = frame
    guard let send = unsafe Machine.send(before: &current) else { return nil }
    return unsafe send._withUnsafeGuaranteedRef { ($0 as? SendNode)?.selector.name ?? "" }
  }
}
