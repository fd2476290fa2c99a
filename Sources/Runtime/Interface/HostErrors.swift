internal import TenonLexer

/// What carries an exception of a script through Swift code.
package protocol ScriptErrorCarrier: Error {
  /// The exception, if there is one.
  var scriptError: ScriptError? { get }
}

/// Where an instance of the kernel's HostError keeps the error of the host, and the name of its type.
private enum HostErrorSlot {
  static let cause = 5
  static let typeName = 6
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
    let script = (error as? any ScriptErrorCarrier)?.scriptError
    if let script {
      if let cause = script.cause { return signalHostError(cause) }
      if let exception = exception(like: script) { return signal(exception) }
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
    return signal(Value(exception))
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

  /// The error of the host that an exception stands for.
  func hostCause(of exception: ObjectRef) -> (any Error)? {
    guard classInfo(of: Value(exception)).inherits(from: kernelClass("HostError")) else {
      return nil
    }
    return hostObjects.box(of: exception[slot: HostErrorSlot.cause])?.content as? any Error
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
