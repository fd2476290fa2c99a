internal import TenonAnalysis
internal import TenonLexer
internal import TenonNumerics
internal import TenonParser

/// A text of the kernel, as the build writes it.
struct KernelFile: Sendable {
  let name: String
  let text: StaticString
}

/// A class of the kernel, as the build writes it.
struct KernelClass: Sendable {
  let name: String
  /// Where it stands among the classes in the texts.
  let order: Int
  let superclass: String
  let comment: String
  /// The names of its variables, with blanks between.
  let variables: String
  /// A line for each method: side, selector, number of the text, start and end in it.
  let methods: String

  var variableNames: [String] {
    if variables.isEmpty { return [] }
    return variables.utf8.split(separator: UInt8(ascii: " ")).map { String(Substring($0)) }
  }
}

/// The kernel: the classes written in the language, and the primitives beneath them.
extension Machine {
  /// Makes the classes of the kernel that the evaluator knows; the others are made when their names
  /// are first looked for.
  ///
  /// A method is entered when it is first looked for, all of a class when a program asks for
  /// them, and compiled when it is first sent.
  func loadKernel() {
    classes.reserve()
    // No program sees an object of these.
    for (index, name, comment) in [
      (ClassIndex.context, "Context", "The variables of a method that its blocks share."),
      (ClassIndex.variableCell, "Variable", "A variable that is no part of an object."),
    ] {
      let info = ClassInfo(index: index, name: name, superclass: nil, isMeta: false)
      info.comment = comment
      enter(info)
    }
    // The class of classes is known by nobody before it is made itself.
    for name in ["Object", "Class", "MessageRecorder"] + KernelIndex.names {
      _ = kernelClass(name)
    }
    // What is signalled when there may be no room to make it.
    for name in ["StackOverflow", "OutOfMemory"] { _ = kernelClass(name) }
    classes.infos[Int(ClassIndex.zeroFloat)] = kernelClass("Float")
    // The classes of Object's and Class's metaclasses knot the two trees together.
    for name in ["Object", "MessageRecorder"] {
      classes.made[name]?.metaclass?.superclass = classes.made["Class"]
    }
    makeKernelVariables()
  }

  /// Makes a class of the kernel, and those that it inherits from, unless they are there.
  func makeKernelClass(_ row: KernelClass) -> ClassInfo {
    if let info = classes.made[row.name] { return info }
    // What a recorder understood itself, it could not record.
    let isRoot = row.name == "Object" || row.name == "MessageRecorder"
    let superclass = isRoot ? nil : KernelText.row(row.superclass).map { makeKernelClass($0) }
    let info = makeClass(
      named: row.name, superclass: superclass, index: KernelIndex.index(of: row.name))
    info.isKernel = true
    info.metaclass?.isKernel = true
    info.comment = row.comment
    for name in row.variableNames {
      info.instanceVariables.append(InstanceVariable(name: name, owner: row.name))
    }
    if row.name == "Array" { info.format = .array }
    info.isOfClasses = row.name == "Class" || row.superclass == "Class"
    info.ownStatements.copySelector = row.copySelector.map { selector($0) }
    settleLayout(of: info)
    let loader = { [unowned self] (info: ClassInfo) in enterMethods(of: row, in: info) }
    info.loader = loader
    info.metaclass?.loader = loader
    let finder = KernelMethodFinder(row, primitiveRows)
    info.finder = finder
    info.metaclass?.finder = finder
    return info
  }

  /// Enters the methods of a class: accessors, primitives, then what its text says.
  private func enterMethods(of row: KernelClass, in info: ClassInfo) {
    if !info.isMeta {
      for name in row.variableNames {
        guard let slot = info.slot(of: name) else { continue }
        info.setMethod(accessor(name, slot: slot, in: info))
        guard row.hasSetters else { continue }
        info.setMethod(
          Method(
            selector: selector(name + ":"), holder: info,
            origin: .setter(slot: slot, type: nil, isConstant: false)))
      }
    }
    for primitive in primitiveRows(info.name) {
      info.setMethod(
        Method(
          selector: selector(primitive.selector), holder: info,
          origin: .primitive(primitive.body), comment: primitive.summary))
    }
    for row in KernelNodes.table(for: info.name) {
      info.setMethod(
        Method(
          selector: selector(row.selector), holder: info, origin: .node(row.make),
          comment: row.summary))
    }
    let side: Substring = info.isMeta ? "+" : "-"
    for line in row.methods.split(separator: "\n") {
      let words = line.split(separator: " ")
      guard words.count == 5, words[0] == side, let file = Int(words[2]),
        let start = Int32(words[3]), let end = Int32(words[4])
      else { continue }
      info.setMethod(
        Method(
          selector: selector(String(words[1])), holder: info,
          origin: .kernel(KernelMethod(file: file, range: SourceRange(start, end)))))
    }
  }

  private func accessor(_ name: String, slot: Int, in info: ClassInfo) -> Method {
    Method(selector: selector(name), holder: info, origin: .getter(slot: slot))
  }

  /// A text of the kernel, by its number.
  func kernelSource(_ number: Int) -> SourceText {
    let file = KernelText.files[number]
    return unsafe SourceText(
      name: file.name,
      bytes: ContiguousArray(
        UnsafeBufferPointer(start: file.text.utf8Start, count: file.text.utf8CodeUnitCount)))
  }

  /// Parses a method of the kernel.
  func parseKernel(_ place: KernelMethod) -> (MethodDefinition, SourceText) {
    let source = kernelSource(place.file)
    guard let definition = Parser(source).parseMethodDefinition(in: place.range).tree else {
      preconditionFailure("the build has checked the kernel's texts")
    }
    return (definition, source)
  }

  /// A store of the kernel, ready for use.
  private func makeKernelStore(_ name: String) -> Value {
    let store = makeInstance(of: name)
    if name == "MemoryStore" { store[slot: 0] = makeEmptyDictionary() }
    return Value(store)
  }

  /// The variables every script finds.
  private func makeKernelVariables() {
    for (name, number) in [("stdout", 1), ("stderr", 2)] {
      let stream = makeInstance(of: "OutputStream")
      stream[slot: StreamSlot.number] = Value(small: number)
      scriptCell(named: name)[slot: 0] = Value(stream)
      // What Smalltalk programs write to.
      if name == "stdout" { scriptCell(named: "Transcript")[slot: 0] = Value(stream) }
    }
    scriptCell(named: "stdin")[slot: 0] = Value(makeInstance(of: "InputStream"))
    scriptCell(named: "arguments")[slot: 0] = Value(makeArray(count: 0))
    mount(makeKernelStore("SchemeTable"), as: "scheme")
    mount(makeKernelStore("MemoryStore"), as: "mem")
    mount(makeKernelStore("SolverTable"), as: "solver")
    mount(makeKernelStore("ConnectorTable"), as: "connector")
    session.script = makeInstance(of: "Script")
    permanentRoots.append(Value(session.script))
  }
}

/// The indices of the classes that the evaluator knows by number.
enum KernelIndex {
  /// The names of these classes.
  static let names = [
    "SmallInteger", "Float", "UndefinedObject", "False", "True", "Character", "LargeInteger",
    "String", "Symbol", "ByteArray", "Array", "BlockClosure",
  ]

  static func index(of name: String) -> UInt32? {
    switch name {
    case "SmallInteger": ClassIndex.smallInteger
    case "Float": ClassIndex.float
    case "UndefinedObject": ClassIndex.undefinedObject
    case "False": ClassIndex.false
    case "True": ClassIndex.true
    case "Character": ClassIndex.character
    case "LargeInteger": ClassIndex.largeInteger
    case "String": ClassIndex.string
    case "Symbol": ClassIndex.symbol
    case "ByteArray": ClassIndex.byteArray
    case "Array": ClassIndex.array
    case "BlockClosure": ClassIndex.blockClosure
    default: nil
    }
  }
}

/// Methods of the kernel that are nodes: they run as part of the sender's tree.
enum KernelNodes {
  typealias Row = (
    selector: String, summary: String, make: (Method, Machine, Bool) -> Node
  )

  static func table(for className: String) -> [Row] {
    switch className {
    case "BlockClosure":
      ["value", "value:", "value:value:", "value:value:value:", "value:value:value:value:"]
        .map { name in
          (
            name, "Evaluates the block, which must have a parameter for each argument.",
            { method, machine, isTracked in
              BlockEntryNode(
                argumentCount: method.selector.argumentCount, tracked: isTracked,
                state: machine.state)
            }
          )
        }
    case "Class":
      [
        (
          "basicNew", "A new instance whose variables have their first values, not initialized.",
          { method, machine, _ in
            let code = Code(source: Machine.noSource, name: "Class>>basicNew", isKernel: true)
            machine.codeTable.methods.append(code)
            return BasicNewNode(
              at: CodePosition(
                code: code, range: .none, depth: BasicNewNode.depth, state: machine.state))
          }
        ),
        (
          "new", "A new instance, which is sent initialize.",
          { method, machine, isTracked in
            let code = Code(source: Machine.noSource, name: "Class>>new", isKernel: true)
            machine.codeTable.methods.append(code)
            return NewNode(
              machine.selector("initialize"), tracked: isTracked,
              at: CodePosition(
                code: code, range: .none, depth: NewNode.depth, state: machine.state))
          }
        ),
      ]
    default: []
    }
  }
}

extension KernelClass {
  /// Whether programs set the variables of its instances, which hold values and keep no secrets.
  var hasSetters: Bool { name == "LayoutView" }
  /// What connects a copy of an instance, if something does.
  var copySelector: String? { name == "LayoutView" ? "joinAttributes" : nil }
}
