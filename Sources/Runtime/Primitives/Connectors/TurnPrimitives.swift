internal import TenonLexer

// What is said of connections beside how they are made: tolerances, invariants, announcements.

extension Primitive {
  static let tolerance: [Primitive] = [
    Primitive(
      "within: aNumber",
      "A new value that differs by at most aNumber from what the place holds changes nothing: numbers and both coordinates of points; nil takes that back. A duration says how long requests for a truth wait for others. Answers the connection."
    ) { machine, arguments throws(Failure) in
      // Where a side is the truth, it is a time, and nil takes that back.
      let isTruth = machine.connection(arguments.receiver)?.observer?.kind == .places
      if machine.classInfo(of: arguments[0]).name == "Duration" || isTruth && arguments[0].isNil {
        return machine.send(machine.selector("window:"), to: arguments.receiver, arguments[0])
      }
      return try machine.setTolerance(arguments[0], of: arguments.receiver)
    },
    Primitive("within", "By how much a new value must differ to count as a change; nil: at all.") {
      machine, arguments in
      machine.connection(arguments.receiver)?.tolerance?.value ?? .nil
    },
  ]

  static let invariants: [Primitive] = [
    Primitive("violated", "Has the turn given up: what the connection says must hold does not.") {
      machine, arguments in
      machine.graph.watchers.invariants.violated = machine.connection(arguments.receiver)
      return arguments.receiver
    },
    Primitive("makeInvariant", "What the connection computes must stay true.") {
      machine, arguments in
      if let connection = machine.connection(arguments.receiver), !connection.isInvariant {
        connection.isInvariant = true
        machine.graph.watchers.invariants.count += 1
      }
      return arguments.receiver
    },
    Primitive("keep: anObject with: anOwner", "Keeps an object as long as anOwner lives.") {
      machine, arguments in
      guard let connection = machine.connection(arguments.receiver) else {
        return arguments.receiver
      }
      connection.kept = arguments[0]
      let keys = arguments[1].isObject ? [arguments[1]] : []
      connection.keptOwners = keys
      connection.lifetimeOwners = keys
      return arguments.receiver
    },
  ]

  static let blockText: [Primitive] = [
    Primitive("sourceText", "The block as it is written, on one line.") { machine, arguments in
      let block = Closure(arguments.receiver).code.object
      let text = block.code.source.text(in: block.range)
      return machine.makeString(
        text.split(whereSeparator: { $0.isWhitespace }).joined(separator: " "))
    }
  ]

  static let announcements: [Primitive] = [
    Primitive("announceChange", "Has formulas run again that sent the receiver a message.") {
      machine, arguments throws(Failure) in
      try machine.announceChange(of: arguments.receiver)
    }
  ]

  static let dependents: [Primitive] = [
    Primitive("dependents", "The dependents of all objects, under these, or nil.") {
      machine, _ in
      machine.connections.dependents
    },
    Primitive("dependents: aDictionary", "Keeps the dependents of all objects there.") {
      machine, arguments in
      machine.connections.dependents = arguments[0]
      return arguments.receiver
    },
  ]
}
