internal import TenonAnalysis
internal import TenonLexer
internal import TenonParser
internal import TenonText

// Classes and methods as programs see and change them.

extension Primitive {
  static let classReflection: [Primitive] = [
    Primitive("methodAt: aSelector", "The class's own method as an object; nil when it has none.") {
      machine, arguments throws(Failure) in
      let info = try machine.classArgument(arguments.receiver)
      guard let method = try machine.ownMethod(arguments[0], of: info) else { return .nil }
      return machine.makeMethodObject(method, of: info)
    },
    Primitive(
      "evaluate: aSelector for: anObject with: anArray",
      "Private: evaluates the class's own method for an instance of it or of a subclass."
    ) { machine, arguments throws(Failure) in
      let info = try machine.classArgument(arguments.receiver)
      let receiver = arguments[1]
      let values = try machine.array(arguments[2])
      let selector = machine.selector(try machine.swiftString(arguments[0]))
      let own = machine.classInfo(of: receiver)
      guard let method = info.ownMethod(selector), own.inherits(from: info) else {
        throw .invalidArgument("an instance of \(info.name)", found: machine.describe(receiver))
      }
      let count = selector.argumentCount
      guard count == values.elementCount else {
        throw Failure(
          .wrongArgumentCount,
          "'\(selector.name)' takes \(count) \(count == 1 ? "argument" : "arguments"), not "
            + "\(values.elementCount)")
      }
      return machine.call(method, on: receiver, with: values)
    },
    Primitive("instVarNames", "The variables that the class itself declares.") {
      machine, arguments throws(Failure) in
      let info = try machine.classArgument(arguments.receiver)
      let own = info.instanceVariables.filter { $0.owner == info.name }
      return machine.makeArray(own.map { machine.symbol($0.name) })
    },
    Primitive("classVarNames", "The class variables that the class itself declares, sorted.") {
      machine, arguments throws(Failure) in
      let info = try machine.classArgument(arguments.receiver)
      let variables = (unsafe info.isMeta ? info.thisClass ?? info : info).classVariables
      return machine.makeArray(variables.keys.sorted().map { machine.symbol($0) })
    },
    Primitive("compile: aString", "Adds the method that a text defines; answers its selector.") {
      machine, arguments throws(Failure) in
      let info = try machine.classArgument(arguments.receiver)
      return try machine.compile(try machine.swiftString(arguments[0]), in: info)
    },
    Primitive("removeSelector: aSelector", "Removes the class's own method that a program added.") {
      machine, arguments throws(Failure) in
      let info = try machine.classArgument(arguments.receiver)
      guard let method = try machine.ownMethod(arguments[0], of: info) else {
        throw .noMethod(try machine.swiftString(arguments[0]), in: info.name)
      }
      try machine.remove(method, from: info)
      return arguments.receiver
    },
    Primitive(
      "makeSubclass: aName instVarNames: names classVarNames: others",
      "Defines a class as its definition in a text would; answers it."
    ) { machine, arguments throws(Failure) in
      let info = try machine.classArgument(arguments.receiver)
      let variables = try machine.names(arguments[1])
      let classVariables = try machine.names(arguments[2])
      return try machine.makeSubclass(
        of: info, named: try machine.swiftString(arguments[0]), variables, classVariables)
    },
    Primitive("allInstances", "The instances of the class itself that the program can reach.") {
      machine, arguments throws(Failure) in
      let info = try machine.classArgument(arguments.receiver)
      guard !info.isKnownToEvaluator else { throw .noInstanceList(info.name) }
      return try machine.allInstances(of: info)
    },
  ]

  static let instanceVariables: [Primitive] = [
    Primitive("instVarNamed: aString", "The value of the instance variable of that name.") {
      machine, arguments throws(Failure) in
      let name = try machine.swiftString(arguments[0])
      return switch try machine.variablePlace(name, of: arguments.receiver) {
      case .found(let place): machine.value(at: place)
      case .added(let added, let index): machine.value(at: .slot(added, index))
      case .unwound: .unwind
      }
    },
    Primitive("instVarNamed: aString put: value", "Sets that instance variable; answers value.") {
      machine, arguments throws(Failure) in
      let name = try machine.swiftString(arguments[0])
      let info = machine.classInfo(of: arguments.receiver)
      if machine.isKernelVariable(name, of: info.canonical ?? info) {
        throw .immutable("'\(name)' of \(machine.describe(arguments.receiver))")
      }
      return switch try machine.variablePlace(name, of: arguments.receiver) {
      case .found(let place): machine.assign(arguments[1], to: place)
      case .added(let added, let index):
        machine.storeAdded(arguments[1], into: added, index, of: arguments.receiver)
      case .unwound: .unwind
      }
    },
  ]
}

extension Machine {
  /// A class's own method for a selector given as a value.
  ///
  /// A name that no method has is not kept as a selector.
  fileprivate func ownMethod(_ name: Value, of info: ClassInfo) throws(Failure) -> Method? {
    let name = try swiftString(name)
    info.loadIfNeeded()
    return symbolTable.selectors[name].flatMap { info.ownMethod($0) }
  }

  /// The object that stands for a method.
  fileprivate func makeMethodObject(_ method: Method, of info: ClassInfo) -> Value {
    let description = description(of: method)
    let object = makeInstance(of: "CompiledMethod")
    roots.append(Value(object))
    defer { roots.removeLast() }
    object[slot: 0] = classObject(info)
    object[slot: 1] = method.selector.symbol
    object[slot: 2] = makeString(description.source)
    object[slot: 3] = makeString(description.comment)
    object[slot: 4] = description.category.map { makeString($0) } ?? .nil
    object[slot: 5] = description.place.map { makeString($0) } ?? .nil
    return Value(object)
  }

  /// The strings of an array.
  fileprivate func names(_ value: Value) throws(Failure) -> [String] {
    let array = try array(value)
    var names: [String] = []
    for index in 0..<array.elementCount { names.append(try swiftString(array[element: index])) }
    return names
  }

  // MARK: Classes

  fileprivate func makeSubclass(
    of info: ClassInfo, named name: String, _ variables: [String], _ classVariables: [String]
  ) throws(Failure) -> Value {
    var text = "class \(name) : \(info.name) {"
    for each in variables { text += " var \(each)." }
    for each in classVariables { text += " classvar \(each)." }
    text += " }"
    let source = SourceText(name: "<\(info.name) subclass:>", text)
    let result = Parser(source).parseScript()
    // Nothing but the definition that was asked for: a name is a name and no text.
    guard let script = result.script, script.statements.count == 1,
      case .definition(let definition) = script.statements[0], case .class(let made) = definition,
      made.name.text == name, made.superclass?.text == info.name,
      made.members.count == variables.count + classVariables.count
    else { throw .noClassDefinition(name) }
    do throws(DefinitionFailure) {
      return try define(definition, source: source)
    } catch {
      throw error.failure
    }
  }

  // MARK: Methods

  fileprivate func compile(_ text: String, in info: ClassInfo) throws(Failure) -> Value {
    let source = SourceText(name: "<\(info.name) compile:>", text)
    let result = Parser(
      source, knownNames: session.hyphenatedNames.union(hyphenatedSchemes),
      connectors: session.definedConnectors,
      nestingLimit: min(Parser.defaultNestingLimit, nativeRoom / MachineLimits.nestingBytes),
      heightLimit: min(Parser.defaultHeightLimit, nativeRoom / MachineLimits.heightBytes)
    ).parseMethodDefinition(in: SourceRange(0, source.bytes.count))
    guard let definition = result.tree else {
      let diagnostic = result.diagnostics.first
      throw .doesNotCompile(
        diagnostic?.message ?? "this is no method", source, diagnostic?.range ?? .none)
    }
    guard hasStack(for: definition.statements) else { throw .stackOverflow() }
    let target = definition.isClassMethod ? info.metaclass ?? info : info
    var analyzer = Analyzer(
      environment: ClassEnvironment(
        machine: self, info: target, layout: nil,
        definesSchemes: definesSchemes(target, besides: selector(definition.header.selector))))
    _ = analyzer.analyze(
      parameters: definition.header.parameters, statements: definition.statements)
    if let issue = analyzer.issues.first {
      throw .doesNotCompile(issue.message, source, issue.range)
    }
    add(definition, to: info, source: source, isExtension: true)
    return selector(definition.header.selector).symbol
  }

  /// Removes a method that a program has added.
  func remove(_ method: Method, from info: ClassInfo) throws(Failure) {
    if case .definition = method.origin, !method.replacesKernelMethod {
      retireLater(method)
      info.removeMethod(method)
      method.selector.flushCaches()
      lookupCache.clear()
    } else {
      throw .kernelMethod(method.selector.name, in: info.name)
    }
  }

  // MARK: Variables

  /// Where an instance variable of an object is kept.
  fileprivate enum VariableFinding {
    case found(Place)
    /// In the object of variables that its layout has no slots for.
    case added(ObjectRef, Int)
    /// Setting the first values of variables that the object's class has got since unwinds.
    case unwound
  }

  /// Finds an instance variable of an object.
  fileprivate func variablePlace(
    _ name: String, of value: Value
  ) throws(Failure) -> VariableFinding {
    guard value.isObject, ObjectRef(value).hasFormat(.slots) else {
      throw .noVariable(name, describe(value))
    }
    let object = ObjectRef(value)
    let info = classInfo(of: value)
    let variable: VariantVariable? =
      if info.canonical == nil {
        info.slot(of: name).map { .slot($0) }
      } else {
        info.variable(named: name)
      }
    switch variable {
    case .slot(let slot): return .found(.slot(object, slot))
    case .added(let index):
      guard let added = addedVariables(of: object) else { return .unwound }
      return .added(added, index)
    case nil: throw .noVariable(name, describe(value))
    }
  }

  /// Whether a variable belongs to a class of the kernel, whose primitives rely on it.
  fileprivate func isKernelVariable(_ name: String, of info: ClassInfo) -> Bool {
    info.instanceVariables.contains {
      $0.name == name && classesByName[$0.owner]?.isKernel == true
    }
  }

  // MARK: Instances

  /// The instances of a class that can be reached, those of its older layouts included.
  fileprivate func allInstances(of info: ClassInfo) throws(Failure) -> Value {
    collect()
    var found: [ObjectRef] = []
    heap.forEachLiveObject { object in
      let own = classes.infos[Int(object.classIndex)]
      if own === info || own?.canonical === info { found.append(object) }
    }
    let array = try makeArray(checked: found.count)
    for (index, object) in found.enumerated() { array[element: index] = Value(object) }
    return Value(array)
  }
}
