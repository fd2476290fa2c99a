extension Primitive {
  static let blockClosure: [Primitive] = [
    Primitive("numArgs", "How many arguments the block takes.") { _, arguments in
      Value(small: Closure(arguments.receiver).code.argumentCount)
    },
    Primitive(
      "connectAs: aString target: anotherString",
      "Evaluates the block; a connection that the kernel makes in it, and its target, are called so."
    ) { machine, arguments in
      let outer = machine.connections.names
      machine.connections.names = machine.text(arguments[0]).flatMap { text in
        machine.text(arguments[1]).map { (text, target: $0) }
      }
      defer { machine.connections.names = outer }
      return machine.evaluateBlock(arguments.receiver)
    },
    Primitive("valueWithArguments: anArray", "Evaluates the block with anArray's elements.") {
      machine, arguments throws(Failure) in
      let array = try machine.array(arguments[0])
      let code = Closure(arguments.receiver).code
      guard code.argumentCount == array.elementCount else {
        throw .wrongArgumentCount(of: code.object, given: array.elementCount)
      }
      let callee = machine.pushNativeFrame()
      callee[0] = arguments.receiver
      for index in 0..<code.argumentCount { callee[index + 1] = array[element: index] }
      return machine.enter(
        machine.currentBody(of: code.object), callee, argumentCount: code.argumentCount)
    },
    Primitive("on: anException do: aBlock", "Evaluates the receiver with a handler.") {
      machine, arguments in
      machine.evaluateHandled(arguments)
    },
    Primitive("ensure: aBlock", "Evaluates the receiver, then aBlock whatever happened.") {
      machine, arguments in
      machine.evaluateEnsured(arguments)
    },
    Primitive("atomically", "Evaluates the receiver; connections see its writes as one.") {
      machine, arguments in
      machine.evaluateAtomically(arguments.receiver)
    },
    Primitive("ifCurtailed: aBlock", "Evaluates the receiver, and aBlock if it did not end.") {
      machine, arguments in
      machine.evaluateCurtailable(arguments)
    },
  ]

  static let exception: [Primitive] = [
    Primitive("signal", "Runs the nearest handler; answers what it resumes with.") {
      machine, arguments in
      machine.signal(arguments.receiver)
    },
    Primitive("return: value", "Ends the on:do: that handles the exception, with value.") {
      machine, arguments in
      machine.unwindToHandler(of: ObjectRef(arguments.receiver), with: arguments[0])
    },
    Primitive("resumeUnchecked: value", "Ends the signalling with value.") {
      machine, arguments in
      machine.resume(ObjectRef(arguments.receiver), with: arguments[0])
    },
    Primitive("retry", "Evaluates the receiver of on:do: again.") { machine, arguments in
      machine.unwindToHandler(of: ObjectRef(arguments.receiver), with: .nil, action: .retry)
    },
    Primitive("retryUsing: aBlock", "Ends the on:do: with what aBlock answers.") {
      machine, arguments in
      machine.unwindToHandler(
        of: ObjectRef(arguments.receiver), with: arguments[0], action: .retryUsing)
    },
    Primitive("outer", "Hands the exception to the next handler; answers what it resumes with.") {
      machine, arguments in
      machine.signalOuter(ObjectRef(arguments.receiver))
    },
    Primitive("resignalAs: exception", "Signals another exception where this one was signalled.") {
      machine, arguments in
      machine.resignal(ObjectRef(arguments.receiver), as: arguments[0])
    },
    Primitive("terminate", "Ends the script with a report of the exception.") {
      machine, arguments in
      machine.terminate(ObjectRef(arguments.receiver))
    },
  ]
}
