public import Tenon
internal import TenonRuntime

// Asynchronous Swift code that scripts call: they get a future at once, and go on.

extension Interpreter {
  /// Makes a block of the language whose body is asynchronous Swift code.
  ///
  ///     interpreter["price"] = interpreter.function { (item: String) async throws in
  ///       try await shop.price(of: item)
  ///     }
  ///     let four = try interpreter.evaluate("(price value: 'nail') value", as: Int.self)
  ///
  /// A call answers a `Future` at once, whose `value` waits: several calls are under way at the same time, and
  /// timers and connections go on. The code runs in tasks on a thread of the function's own, as the script may hold
  /// up a thread of the pool while it waits. The answer arrives in a turn of the interpreter's run loop, which
  /// goes on as long as a call is under way; an error that the code throws is one of the future. When the
  /// interpreter goes, nobody hears of the answer any more.
  ///
  /// - Parameters:
  ///   - name: What stack traces and the text of the block say.
  ///   - body: The code; it does not use the interpreter.
  /// - Returns: The block.
  public func function<
    each Argument: ScriptConvertible & Sendable, Result: ScriptConvertible & Sendable
  >(
    _ name: String = "[swift]",
    _ body: @escaping @Sendable (repeat each Argument) async throws -> Result
  ) -> Handle {
    let thread = CallThread()
    return machine.makeHostBlock(
      argumentCount: packCount(repeat (each Argument).self), named: name
    ) { call, writer in
      let values = try call.arguments(repeat (each Argument).self)
      try call.answerLater(&writer, on: thread) { try await body(repeat each values) }
    }
  }

  /// Makes a block of the language whose body is asynchronous Swift code without an answer: the value of the
  /// future is nil.
  public func function<each Argument: ScriptConvertible & Sendable>(
    _ name: String = "[swift]",
    _ body: @escaping @Sendable (repeat each Argument) async throws -> Void
  ) -> Handle {
    let thread = CallThread()
    return machine.makeHostBlock(
      argumentCount: packCount(repeat (each Argument).self), named: name
    ) { call, writer in
      let values = try call.arguments(repeat (each Argument).self)
      try call.answerLater(&writer, on: thread) {
        try await body(repeat each values)
        return Int?.none
      }
    }
  }
}

extension HostMethod where Root: Sendable {
  /// Declares a method whose body is asynchronous: it answers a future, as `Interpreter.function` says.
  public init<
    each Argument: ScriptConvertible & Sendable, Result: ScriptConvertible & Sendable
  >(
    _ selector: String,
    _ body: @escaping @Sendable (Root, repeat each Argument) async throws -> Result
  ) {
    let thread = CallThread()
    self.init(selector, count: packCount(repeat (each Argument).self)) { root, call, writer in
      let values = try call.arguments(repeat (each Argument).self)
      try call.answerLater(&writer, on: thread) { try await body(root, repeat each values) }
    }
  }

  /// Declares a method whose body is asynchronous and has no answer: the value of the future is nil.
  public init<each Argument: ScriptConvertible & Sendable>(
    _ selector: String,
    _ body: @escaping @Sendable (Root, repeat each Argument) async throws -> Void
  ) {
    let thread = CallThread()
    self.init(selector, count: packCount(repeat (each Argument).self)) { root, call, writer in
      let values = try call.arguments(repeat (each Argument).self)
      try call.answerLater(&writer, on: thread) {
        try await body(root, repeat each values)
        return Int?.none
      }
    }
  }
}

extension HostCall {
  /// The arguments as values of Swift.
  fileprivate func arguments<each Argument: ScriptConvertible>(
    _ types: repeat (each Argument).Type
  ) throws -> (repeat each Argument) {
    var cursor = ArgumentCursor(self)
    return (repeat try cursor.next(each types))
  }

  /// Answers a future, and settles it when a task has ended.
  fileprivate func answerLater<Result: ScriptConvertible & Sendable>(
    _ writer: inout ValueWriter, on thread: CallThread,
    _ body: @escaping @Sendable () async throws -> Result
  ) throws {
    // Only the interpreter's thread uses it; any may let go of it.
    nonisolated(unsafe) let future = try machine.makeHostFuture()
    thread.beginCall()
    machine.add(thread)
    let inbox = machine.inbox
    Task(executorPreference: thread) {
      let outcome: Swift.Result<Result, any Error>
      do {
        outcome = .success(try await body())
      } catch {
        outcome = .failure(error)
      }
      inbox.post { machine in
        thread.endCall()
        do {
          try unsafe future.send("resolve:", outcome.get())
        } catch {
          unsafe machine.fail(future, with: error)
        }
      }
    }
    try unsafe writer.write(future)
  }
}
