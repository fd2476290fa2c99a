extension Primitive {
  static let runLoopClass: [Primitive] = [
    Primitive("schedule: aBlock", "Evaluates aBlock on the next turn of the run loop.") {
      machine, arguments throws(Failure) in
      try machine.requireBlock(arguments[0])
      machine.loop.addTask(arguments[0])
      return arguments[0]
    },
    Primitive("step", "Waits for something to be due and does it; false when nothing can come.") {
      machine, _ throws(Failure) in
      try machine.step()
    },
    Primitive(
      "waitFor: anObject",
      "Private: waits until 'settled:' is told of anObject, or something was due; false when nothing can come."
    ) { machine, arguments throws(Failure) in
      try machine.waitForSettling(of: arguments[0])
    },
    Primitive("settled: anObject", "Private: has those go on that wait for anObject.") {
      machine, arguments in
      machine.loop.coroutines.settled(arguments[0])
      return arguments[0]
    },
    Primitive("waitNanoseconds: anInteger", "Runs the loop for so long.") {
      machine, arguments throws(Failure) in
      try machine.wait(nanoseconds: try machine.integer(arguments[0]))
    },
    Primitive(
      "activity", "A number of what is evaluated: of a future, a timer, or 0 of the program itself."
    ) { machine, _ in
      Value(small: machine.loop.coroutines.current?.number ?? 0)
    },
    Primitive(
      "mayWait", "Whether what is evaluated may wait: it is no formula and no part of a turn."
    ) { machine, _ in Value(machine.mayWait) },
    Primitive("isLive", "Whether anything may still happen: a timer, a future, a hook.") {
      machine, _ in
      Value(machine.loop.isLive)
    },
    Primitive("isEnding", "Whether the program has done all but what it has put off.") {
      machine, _ in
      Value(machine.loop.isEnding)
    },
    Primitive(
      "addFinisher: aBlock",
      "Evaluates aBlock when the program has ended, however it has, with whether somebody stopped it."
    ) { machine, arguments throws(Failure) in
      try machine.requireBlock(arguments[0])
      machine.loop.addFinisher(arguments[0])
      return arguments[0]
    },
    Primitive("removeFinisher: aBlock", "Forgets a block that was to be evaluated at the end.") {
      machine, arguments in
      machine.loop.removeFinisher(arguments[0])
      return arguments[0]
    },
  ]

  static let timer: [Primitive] = [
    Primitive(
      "start: aBlock after: delay every: period",
      "Evaluates aBlock after some nanoseconds, then at each period, which may be nil."
    ) { machine, arguments throws(Failure) in
      try machine.requireBlock(arguments[0])
      let delay = try machine.integer(arguments[1])
      var period: Int?
      if !arguments[2].isNil {
        period = try machine.integer(arguments[2])
        guard period ?? 0 > 0 else {
          throw .invalidArgument("a period greater than 0", found: machine.describe(arguments[2]))
        }
      }
      try machine.start(
        ObjectRef(arguments.receiver), block: arguments[0], after: delay, every: period)
      return arguments.receiver
    },
    Primitive(
      "start: aBlock within: delay",
      "Evaluates aBlock after some nanoseconds, or when nothing else keeps the program going."
    ) { machine, arguments throws(Failure) in
      try machine.requireBlock(arguments[0])
      try machine.start(
        ObjectRef(arguments.receiver), block: arguments[0],
        after: try machine.integer(arguments[1]), every: nil, isPutOff: true)
      return arguments.receiver
    },
    Primitive("stop", "Ends the timer: its block is not evaluated any more.") {
      machine, arguments in
      machine.stop(ObjectRef(arguments.receiver))
      return arguments.receiver
    },
    Primitive("isActive", "Whether the block will be evaluated again.") { _, arguments in
      Value(!ObjectRef(arguments.receiver)[slot: TimerSlot.number].isNil)
    },
  ]

  static let weakReference: [Primitive] = [
    Primitive("value", "The object; nil once it has been collected.") { machine, arguments in
      machine.weakTarget(of: ObjectRef(arguments.receiver))
    },
    Primitive("setValue: anObject", "Refers to anObject from now on.") { machine, arguments in
      machine.setWeakTarget(of: ObjectRef(arguments.receiver), to: arguments[0])
      return arguments.receiver
    },
  ]

  static let finalization: [Primitive] = [
    Primitive("onFinalize: aBlock", "Evaluates aBlock some time after the receiver is collected.") {
      machine, arguments throws(Failure) in
      try machine.requireBlock(arguments[0])
      guard arguments.receiver.isObject else {
        throw .cannotBeCollected(machine.describe(arguments.receiver))
      }
      machine.addFinalizer(arguments[0], to: ObjectRef(arguments.receiver))
      return arguments.receiver
    }
  ]

  static let smalltalkClass: [Primitive] = [
    Primitive(
      "evaluate: aString",
      "Evaluates a text as statements of the script; answers the value of the last one."
    ) { machine, arguments throws(Failure) in
      try machine.evaluate(text: try machine.swiftString(arguments[0]))
    },
    Primitive("variableNames", "The names of the script's variables that have a value, sorted.") {
      machine, arguments in
      let cells = machine.session.cells.filter { !$0.value[slot: 0].isUndefined }
      return machine.makeArray(cells.keys.sorted().map { machine.symbol($0) })
    },
    Primitive("schemeNames", "The names of the schemes that have a store, sorted.") {
      machine, arguments in
      machine.makeArray(machine.schemeNames.map { machine.symbol($0) })
    },
    Primitive("garbageCollect", "Collects all garbage now; hooks of what is gone run later.") {
      machine, arguments in
      machine.collect()
      return arguments.receiver
    },
  ]
}

extension Machine {
  fileprivate func requireBlock(_ value: Value) throws(Failure) {
    guard value.isObject(ofClass: ClassIndex.blockClosure) else {
      throw .invalidArgument("a block", found: describe(value))
    }
  }
}
