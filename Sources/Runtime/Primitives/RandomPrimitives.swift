extension Primitive {
  static let randomClass: [Primitive] = [
    Primitive("shared", "The generator of atRandom and shuffled: the same numbers in each run.") {
      machine, arguments in
      if let random = machine.sharedRandom { return random }
      let random = machine.send(machine.selector("new"), to: arguments.receiver)
      if random.isUnwind { return random }
      machine.permanentRoots.append(random)
      machine.sharedRandom = random
      return random
    }
  ]
}
