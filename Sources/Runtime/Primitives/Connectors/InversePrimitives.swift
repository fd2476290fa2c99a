extension Primitive {
  static let inverseClass: [Primitive] = [
    Primitive("note: aString", "Has formulas use the inverse that is declared under a key.") {
      machine, arguments throws(Failure) in
      let words = try machine.swiftString(arguments[0]).split(separator: " ")
      if words.count == 2, let operand = Int(words[1]) {
        machine.connections.inverses[String(words[0]), default: []].insert(operand)
      }
      return arguments.receiver
    },
    Primitive(
      "unreachable: aString",
      "Refuses a value: the branch that is taken does not depend on the place of this name."
    ) { machine, arguments throws(Failure) in
      let name = try machine.swiftString(arguments[0])
      machine.graph.replanning.stuck.unreached = machine.graph.runningNumber
      throw Failure(
        .invalidArgument, "the branch that is taken does not depend on '\(name)'")
    },
    unobserved,
    Primitive("declared", "The declared inverses by message and operand.") { machine, _ in
      if let blocks = machine.connections.inverseBlocks { return blocks }
      let blocks = machine.makeEmptyDictionary()
      machine.permanentRoots.append(blocks)
      machine.connections.inverseBlocks = blocks
      return blocks
    },
  ]
}
