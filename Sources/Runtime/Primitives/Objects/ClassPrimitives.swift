extension Primitive {
  static let classSide: [Primitive] = [
    Primitive("name", "The name of the class.") { machine, arguments throws(Failure) in
      machine.makeString(try machine.classArgument(arguments.receiver).name)
    },
    Primitive("superclass", "The class it inherits from, or nil.") {
      machine, arguments throws(Failure) in
      let superclass = try machine.classArgument(arguments.receiver).superclass
      return superclass.map { machine.classObject($0) } ?? .nil
    },
    Primitive("includesBehavior: aClass", "Whether it is aClass or inherits from it.") {
      machine, arguments throws(Failure) in
      let info = try machine.classArgument(arguments.receiver)
      return Value(info.inherits(from: try machine.classArgument(arguments[0])))
    },
    Primitive("includesSelector: aSelector", "Whether the class itself has the method.") {
      machine, arguments throws(Failure) in
      let info = try machine.classArgument(arguments.receiver)
      let selector = machine.selector(try machine.swiftString(arguments[0]))
      return Value(info.ownMethod(selector) != nil)
    },
    Primitive("selectors", "The selectors of the class's own methods, sorted.") {
      machine, arguments throws(Failure) in
      let info = try machine.classArgument(arguments.receiver)
      let names = info.allMethods.map(\.selector.name).sorted()
      return machine.makeArray(names.map { machine.symbol($0) })
    },
    Primitive("classSelectors", "The selectors of the class's own class-side methods, sorted.") {
      machine, arguments throws(Failure) in
      let methods = try machine.classArgument(arguments.receiver).metaclass?.allMethods ?? []
      return machine.makeArray(methods.map(\.selector.name).sorted().map { machine.symbol($0) })
    },
    Primitive("category", "Where the class comes from: 'Kernel' or 'Script'.") {
      machine, arguments throws(Failure) in
      let info = try machine.classArgument(arguments.receiver)
      return machine.makeString(info.isKernel ? "Kernel" : "Script")
    },
    Primitive("instanceVariableNames", "The variables of an instance, inherited ones first.") {
      machine, arguments throws(Failure) in
      let info = try machine.classArgument(arguments.receiver)
      return machine.makeArray(info.instanceVariables.map { machine.symbol($0.name) })
    },
    Primitive("subclasses", "The classes that inherit from it directly.") {
      machine, arguments throws(Failure) in
      let info = try machine.classArgument(arguments.receiver)
      return machine.makeArray(machine.subclasses(of: info).map { machine.classObject($0) })
    },
    Primitive("comment", "What the class's text says it is for.") {
      machine, arguments throws(Failure) in
      machine.makeString(try machine.classArgument(arguments.receiver).comment)
    },
  ]
}

extension Primitive {
  static let metaclassSide: [Primitive] = [
    Primitive("soleInstance", "The class that it is the class of.") {
      machine, arguments throws(Failure) in
      unsafe try machine.classArgument(arguments.receiver).thisClass?.object ?? .nil
    }
  ]
}

extension Machine {
  /// A new instance of a class given as a value.
  func makeInstance(ofClassValue value: Value) throws(Failure) -> Value {
    let info = try classArgument(value)
    switch info.format {
    case .slots where !info.isKnownToEvaluator:
      let instance = Value(makeInstance(of: info))
      guard !info.statements.initialValues.isEmpty else { return instance }
      roots.append(instance)
      defer { roots.removeLast() }
      return setInitialValues(of: instance, info)
    case .array: return Value(makeArray(count: 0, classIndex: info.index))
    default: throw .noInstances(info.name)
    }
  }

  /// A new array of these values.
  func makeArray(_ values: [Value]) -> Value {
    let array = makeArray(count: values.count)
    for (index, value) in values.enumerated() { array[element: index] = value }
    return Value(array)
  }
}
