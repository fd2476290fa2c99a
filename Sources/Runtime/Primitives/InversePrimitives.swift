extension Primitive {
  static let inverseClass: [Primitive] = [
    Primitive("note: aString", "Has formulas use the inverse that is declared under a key.") {
      machine, arguments throws(Failure) in
      let words = try machine.swiftString(arguments[0]).split(separator: " ")
      if words.count == 2, let operand = Int(words[1]) {
        machine.inverses[String(words[0]), default: []].insert(operand)
      }
      return arguments.receiver
    },
    Primitive("declared", "The declared inverses by message and operand.") { machine, _ in
      if let blocks = machine.inverseBlocks { return blocks }
      let blocks = machine.makeEmptyDictionary()
      machine.permanentRoots.append(blocks)
      machine.inverseBlocks = blocks
      return blocks
    },
  ]
}
