internal import TenonLexer

extension Primitive {
  /// Where an exception comes from; the rest of the protocol stands with blocks.
  static let exceptionPlaces: [Primitive] = [
    Primitive("place", "File and line where it was signalled; nil when it is not being handled.") {
      machine, arguments in
      guard let entry = machine.signalTrace(of: ObjectRef(arguments.receiver)).first else {
        return .nil
      }
      return machine.makeString(entry.place)
    },
    Primitive("stackTrace", "The sends that led to its signalling, innermost first, as texts.") {
      machine, arguments in
      let entries = machine.signalTrace(of: ObjectRef(arguments.receiver))
      return machine.makeArray(entries.map { machine.makeString($0.description) })
    },
    Primitive(
      "signalerContext",
      "The frame that led to its signalling, a StackFrame; nil when it is not being handled."
    ) { machine, arguments in
      let entries = machine.signalTrace(of: ObjectRef(arguments.receiver))
      return entries.isEmpty ? .nil : machine.makeStackFrame(entries)
    },
    Primitive(
      "reportAs: title of: aBlock",
      "Private: the report of an error that ends nothing, with the place where it was signalled."
    ) { machine, arguments throws(Failure) in
      let title = try machine.swiftString(arguments[0])
      return machine.report(of: ObjectRef(arguments.receiver), as: title, in: arguments[1])
    },
    Primitive("isNested", "Whether another handler around the one that runs handles it too.") {
      machine, arguments in
      machine.isNested(ObjectRef(arguments.receiver))
    },
  ]
}

extension TraceEntry {
  /// File and line: `stack.st:12`.
  fileprivate var place: String {
    "\(code.source.name):\(code.source.location(of: site.range.start).line)"
  }

  /// The method and its place: `Stack>>pop (stack.st:12)`.
  fileprivate var description: String {
    "\(code.name?.withShortQuotes ?? "script") (\(place))"
  }
}
