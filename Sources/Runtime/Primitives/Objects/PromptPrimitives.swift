// What a prompt asks the machine, besides what any program can.

extension Primitive {
  static let promptClass: [Primitive] = [
    Primitive(
      "usesOf: aBlock",
      "Private: evaluates a block, and answers what its methods have used up: their names, the steps, "
        + "nanoseconds and bytes of each itself, and those of all that it has sent."
    ) { machine, arguments throws(Failure) in
      try Profiler.run(arguments[0], machine)
    },
    Primitive("classNamed: aString", "Private: the class of a name, or nil.") {
      machine, arguments throws(Failure) in
      let name = try machine.swiftString(arguments[0])
      guard let info = machine.classesByName[name], info.inherits(from: machine.kernel.object)
      else { return .nil }
      return machine.classObject(info)
    },
    Primitive(
      "selectorsFrom: aString",
      "Private: the selectors for which a class has a method, itself or for its instances, and that begin with aString; sorted."
    ) { machine, arguments throws(Failure) in
      let names = machine.classesByName.selectors(from: try machine.swiftString(arguments[0]))
      return machine.makeArray(names.map { machine.makeString($0) })
    },
    Primitive(
      "selectorsOf: aClass from: aString",
      "Private: the selectors that the instances of a class understand and that begin with aString, each "
        + "with the class whose method it is; those of the class itself first."
    ) { machine, arguments throws(Failure) in
      let beginning = try machine.swiftString(arguments[1])
      var seen: Set<String> = []
      var found: [Value] = []
      var next: ClassInfo? = try machine.classArgument(arguments[0])
      while let info = next {
        for name in machine.classesByName.selectors(of: info, from: beginning)
        where seen.insert(name).inserted {
          found += [machine.symbol(name), machine.classObject(info)]
        }
        next = info.superclass
      }
      return machine.makeArray(found)
    },
    Primitive("kept", "Private: the instance, or nil before there is one.") { machine, _ in
      machine.session.prompt
    },
    Primitive("keep: anObject", "Private: makes an object the instance; answers it.") {
      machine, arguments in
      machine.session.prompt = arguments[0]
      return arguments[0]
    },
  ]
}
