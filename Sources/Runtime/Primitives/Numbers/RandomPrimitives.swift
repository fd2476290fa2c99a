extension Primitive {
  static let randomClass: [Primitive] = [
    Primitive("shared", "The generator of atRandom and shuffled: the same numbers in each run.") {
      machine, arguments in
      if let random = machine.host.sharedRandom { return random }
      let random = machine.send(machine.selector("new"), to: arguments.receiver)
      if random.isUnwind { return random }
      machine.permanentRoots.append(random)
      machine.host.sharedRandom = random
      return random
    },
    Primitive(
      "bytes: count",
      "Bytes that nobody can foresee; where the host grants no source of them, the same each run."
    ) { machine, arguments throws(Failure) in
      let count = try machine.size(arguments[0])
      let bytes = try machine.makeBytes(classIndex: ClassIndex.byteArray, count: count)
      var word: UInt64 = 0
      for index in 0..<count {
        if index & 7 == 0 { word = machine.nextEntropy() }
        bytes[byte: index] = UInt8(truncatingIfNeeded: word >> (UInt64(index & 7) * 8))
        if index & 0xF_FFFF == 0 { try machine.pollInterrupt() }
      }
      return Value(bytes)
    },
  ]
}

extension Machine {
  fileprivate func nextEntropy() -> UInt64 {
    if let entropy = host.entropy { return entropy() }
    return host.fixedEntropy.next()
  }
}
