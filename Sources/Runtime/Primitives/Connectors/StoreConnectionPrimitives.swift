internal import TenonLexer

extension Primitive {
  static let connectionClass: [Primitive] = [
    Primitive(
      "join: aReference to: anotherReference by: aConnector names: anArray text: aString of: another awaitsPolicy: aBoolean",
      "Connects two places that references lead to, for a statement that joins more."
    ) { machine, arguments throws(Failure) in
      let root = machine.roots.count
      defer { machine.dropRoots(to: root) }
      let names = try machine.array(arguments[3])
      let connector = try machine.swiftString(arguments[2])
      guard names.elementCount == 2, let site = machine.stackTrace(limit: 1).first else {
        throw .invalidArgument("two names", found: machine.describe(arguments[3]))
      }
      var plan = ConnectionSpec(
        target: ConnectionSpec.Operand(
          place: try machine.placePath(of: arguments[0]),
          name: try machine.swiftString(names[element: 0])),
        block: nil,
        other: ConnectionSpec.Operand(
          place: try machine.placePath(of: arguments[1]),
          name: try machine.swiftString(names[element: 1])),
        reads: [], isOneWay: connector == "|=")
      plan.awaitsPolicy = arguments[6].isTrue
      return machine.connect(
        plan, connector: connector, text: try machine.swiftString(arguments[4]),
        partOf: try machine.swiftString(arguments[5]), at: site)
    }
  ]

  static let group: [Primitive] = [
    Primitive("valueAt: reference", "What is at the place that a reference stands for.") {
      machine, arguments throws(Failure) in
      try machine.get(arguments[0], fromGroup: arguments.receiver)
    },
    Primitive(
      "setValue: value at: reference", "Stores value at the place that a reference stands for."
    ) {
      machine, arguments throws(Failure) in
      try machine.put(arguments[0], at: arguments[1], inGroup: arguments.receiver)
    },
  ]

  static let entryReference: [Primitive] = [
    Primitive("stored", "What the store has there.") { machine, arguments throws(Failure) in
      let root = machine.roots.count
      defer { machine.dropRoots(to: root) }
      let place = try machine.placeInStore(arguments.receiver)
      return machine.get(place.key, from: place.object)
    },
    Primitive("store: anObject", "Replaces what the store has there.") {
      machine, arguments throws(Failure) in
      let root = machine.roots.count
      defer { machine.dropRoots(to: root) }
      let place = try machine.placeInStore(arguments.receiver)
      return machine.write(arguments[0], at: place.key, in: place.object)
    },
  ]

  static let storeConnectionClass: [Primitive] = [
    Primitive("warn: aString", "Tells about a connection at the statement that makes it.") {
      machine, arguments throws(Failure) in
      let message = try machine.swiftString(arguments[0])
      guard let site = machine.stackTrace(limit: 1).first else { return arguments.receiver }
      let warning = Diagnostic(.warning, message, site.site.range)
      machine.printError(warning.rendered(in: site.code.source))
      return arguments.receiver
    }
  ]
}
