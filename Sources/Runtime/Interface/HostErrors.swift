internal import TenonLexer

/// What carries an exception of a script through Swift code.
package protocol ScriptErrorCarrier: Error {
  /// The exception, if there is one.
  var scriptError: ScriptError? { get }
}

extension Machine {
  /// Signals an exception for an error that Swift code of the host has thrown.
  ///
  /// - Returns: What a handler resumed with, or `unwind`.
  func signalHostError(_ error: any Error) -> Value {
    if let error = error as? ConversionError {
      return signal(Failure(.invalidArgument, error.description))
    }
    if let error = error as? Failure { return signal(error) }
    return signal(hostException(for: error))
  }

  /// The exception for an error that Swift code of the host has thrown.
  func hostException(for error: any Error) -> Value {
    if let error = error as? ConversionError {
      return makeException(for: Failure(.invalidArgument, error.description))
    }
    if let error = error as? Failure { return makeException(for: error) }
    let script = (error as? any ScriptErrorCarrier)?.scriptError
    if let script {
      if let cause = script.cause { return hostException(for: cause) }
      if let exception = exception(like: script) { return exception }
    }
    let type = "\(Swift::type(of: error))"
    let info = hostObjects.errorClasses[ObjectIdentifier(Swift::type(of: error))]
    let exception = makeInstance(of: info ?? kernelClass("HostError"))
    let root = roots.count
    roots.append(Value(exception))
    exception[slot: ExceptionSlot.messageText] = makeString(script?.message ?? "\(error)")
    exception[slot: HostErrorSlot.cause] = makeHostObject(
      HostBox<any Error>(error), of: kernelClass("HostObject"))
    exception[slot: HostErrorSlot.typeName] = makeString(type)
    dropRoots(to: root)
    return Value(exception)
  }

  /// An exception of the class that one had which Swift code has passed on; nil when there is no such
  /// class any more.
  private func exception(like error: ScriptError) -> Value? {
    guard let info = classesByName[error.className], info.inherits(from: kernel.exception),
      info.format == .slots
    else { return nil }
    let exception = makeInstance(of: info)
    if let status = error.exitStatus, info.inherits(from: kernel.exit) {
      exception[slot: ExceptionSlot.exitStatus] = Value(small: Int(status))
    } else {
      exception[slot: ExceptionSlot.messageText] = makeString(error.message)
    }
    return Value(exception)
  }

  /// A future that code of the host settles later.
  ///
  /// - Throws: What asks for the end of the evaluation.
  package func makeHostFuture() throws -> Handle {
    let future = send(selector("new"), to: classObject(kernelClass("Future")))
    if future.isUnwind { throw Failure.unwinding() }
    return handles.makeHandle(future)
  }

  /// Gives a future an error of the host instead of a value; one that is settled keeps what it has.
  package func fail(_ future: Handle, with error: any Error) {
    let outcome = withHostEntry {
      .finished(handles.makeHandle(hostException(for: error)))
    }
    if case .finished(let exception) = outcome { _ = send("fail:", to: future, [exception]) }
  }

  /// Lets errors of a Swift type become exceptions of a class of their own, which inherits from
  /// `HostError`.
  ///
  /// - Returns: Why it cannot be; nil when it is done.
  package func defineHostError(_ type: any Error.Type, named name: String) -> String? {
    if hostObjects.errorClasses[ObjectIdentifier(type)] != nil { return nil }
    if let problem = problem(withClassNamed: name) { return problem }
    let info = makeClass(named: name, superclass: kernelClass("HostError"))
    settleLayout(of: info)
    hostObjects.errorClasses[ObjectIdentifier(type)] = info
    return nil
  }
}
