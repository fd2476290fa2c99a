internal import TenonAnalysis

/// Classes: making them, finding them, making their instances.
extension Machine {
  /// Makes a class with its metaclass, or answers the one that exists.
  ///
  /// `index` is the one a class of the runtime must have.
  func makeClass(
    named name: String, superclass: ClassInfo?, index: UInt32? = nil
  ) -> ClassInfo {
    let info = ClassInfo(
      index: index ?? takeClassIndex(), name: name, superclass: superclass, isMeta: false)
    let meta = ClassInfo(
      index: takeClassIndex(), name: name + " class",
      superclass: superclass?.metaclass ?? classes.made["Class"], isMeta: true)
    info.metaclass = meta
    unsafe meta.thisClass = info
    enter(info)
    enter(meta)
    superclass?.subclasses.append(info)
    let object = state.allocate(classIndex: meta.index, slotCount: ClassSlot.count)
    object[slot: ClassSlot.index] = Value(small: Int(info.index))
    info.object = Value(object)
    if let superclass {
      info.instanceVariables = superclass.instanceVariables
      info.format = superclass.format
    }
    classes.made[name] = info
    if let cell = classes.madeCells[name] {
      cell[slot: 0] = info.object
    } else {
      classes.madeCells[name] = makeCell(info.object)
    }
    return info
  }

  /// Tells a class's object how instances are made, after its variables are settled.
  func settleLayout(of info: ClassInfo) {
    collectStatements(of: info)
    guard info.object.isObject else { return }
    let isPlain =
      info.format == .slots && !info.isKnownToEvaluator && info.statements.initialValues.isEmpty
      && info.statements.connections.isEmpty
    ObjectRef(info.object)[slot: ClassSlot.instanceSlots] =
      isPlain ? Value(small: info.instanceVariables.count) : .nil
  }

  /// Collects what is done for a new instance, from the root down.
  private func collectStatements(of info: ClassInfo) {
    var current: ClassInfo? = info
    while let each = current, !each.ownStatements.areAny { current = each.superclass }
    guard current != nil else { return info.statements = .init() }
    let all = info.lineage.map(\.ownStatements)
    let copies = all.compactMap(\.copies)
    info.statements = .init(
      initialValues: all.compactMap(\.initialValues), connections: all.compactMap(\.connections),
      copies: copies, connectsCopies: !copies.isEmpty || all.contains { $0.copySelector != nil })
  }

  /// The index of the class whose object receives a message of the class side.
  func instanceIndex(_ receiver: Value) throws(Failure) -> UInt32 {
    guard receiver.isObject, ObjectRef(receiver).slotCount == ClassSlot.count,
      let index = ObjectRef(receiver)[slot: ClassSlot.index].asSmallInteger
    else { return try classArgument(receiver).index }
    return UInt32(truncatingIfNeeded: index)
  }

  func enter(_ info: ClassInfo) {
    while classes.infos.count <= Int(info.index) { classes.infos.append(nil) }
    classes.infos[Int(info.index)] = info
  }

  func takeClassIndex() -> UInt32 {
    defer { classes.nextIndex += 1 }
    return classes.nextIndex
  }

  /// The class that a value stands for, if it is a class or a metaclass.
  func classInfo(named value: Value) -> ClassInfo? {
    guard value.isObject else { return nil }
    let object = ObjectRef(value)
    let info = classInfo(at: object.classIndex)
    if info.isMeta { return unsafe info.thisClass }
    guard info === kernel.metaclass, let index = object[slot: ClassSlot.index].asSmallInteger else {
      return nil
    }
    return classes.infos[index]
  }

  /// A class as an object of the language.
  ///
  /// Metaclasses get theirs when a program first asks for it: few ever do.
  func classObject(_ info: ClassInfo) -> Value {
    if info.isMeta, info.object.isNil {
      let object = state.allocate(
        classIndex: kernel.metaclass.index, slotCount: ClassSlot.count)
      object[slot: ClassSlot.index] = Value(small: Int(info.index))
      info.object = Value(object)
    }
    return info.object
  }

  /// A class of the kernel.
  func kernelClass(_ name: String) -> ClassInfo {
    guard let info = classesByName[name] else {
      preconditionFailure("the kernel lacks the class \(name)")
    }
    return info
  }

  /// Returns a new instance of a class of the kernel, all its variables nil.
  func makeInstance(of name: String) -> ObjectRef { makeInstance(of: kernelClass(name)) }

  /// Returns a new instance, all its variables nil.
  func makeInstance(of info: ClassInfo) -> ObjectRef {
    state.allocate(classIndex: info.index, slotCount: info.instanceVariables.count)
  }

  /// Returns a new array of nils; for small ones, which need no check of the limit.
  func makeArray(count: Int, classIndex: UInt32 = ClassIndex.array) -> ObjectRef {
    let object = unsafe ObjectRef(heap.allocateCell(size: 16 + count * 8))
    object.initializeHeader(classIndex: classIndex, format: .array, slotCount: 0)
    object.elementCount = count
    object.fillElements(from: 0, count: count, with: .nil)
    return object
  }

  /// Returns a new array of nils of any size.
  ///
  /// - Throws: `OutOfMemory` when the limit forbids it.
  func makeArray(
    checked count: Int, classIndex: UInt32 = ClassIndex.array
  ) throws(Failure) -> ObjectRef {
    guard count <= MachineLimits.elements else {
      throw .tooLarge("an array of \(count) elements", limit: MachineLimits.elements)
    }
    try reserve(count * 8 + 16)
    return makeArray(count: count, classIndex: classIndex)
  }

  /// A new dictionary without entries.
  func makeEmptyDictionary() -> Value {
    let object = makeInstance(of: kernel.dictionary)
    for slot in 2..<5 { object[slot: slot] = Value(small: 0) }
    return Value(object)
  }

  /// The float for a double.
  @inline(__always)
  func makeFloat(_ double: Double) -> Value {
    Value(immediate: double) ?? makeBoxedFloat(double)
  }

  @inline(never)
  private func makeBoxedFloat(_ double: Double) -> Value {
    let object = unsafe ObjectRef(heap.allocateCell(size: 16))
    object.initializeHeader(classIndex: ClassIndex.float, format: .float, slotCount: 0)
    object.double = double
    return Value(object)
  }

  /// The double of a float.
  @inline(__always)
  func double(_ value: Value) -> Double? {
    if value.isImmediateFloat { return value.immediateFloat }
    return value.isObject(ofClass: ClassIndex.float) ? ObjectRef(value).double : nil
  }

  func makeByteArray(_ bytes: [UInt8]) -> Value {
    let object = unsafe ObjectRef(heap.allocateCell(size: 16 + bytes.count))
    object.initializeHeader(classIndex: ClassIndex.byteArray, format: .bytes, slotCount: 0)
    object.initializeByteCount(bytes.count)
    unsafe object.bytes.copyBytes(from: bytes)
    return Value(object)
  }
}

// MARK: - Methods

extension Machine {
  /// Gives a class a method and empties the caches that may know another one.
  func install(_ method: Method, in info: ClassInfo) {
    if let old = info.ownMethod(method.selector) {
      retireLater(old)
      method.replacesKernelMethod = old.replacesKernelMethod || old.isOfKernel
    }
    if method.selector.answerToNil != nil { state.nilTestsAreSends = true }
    info.setMethod(method)
    graph.endFolds()
    graph.activeFolds.foldsAnswerAsKernel = nil
    method.selector.flushCaches()
    lookupCache.clear()
  }
}

// MARK: - Variables

extension Machine {
  /// The type that the variable in a slot was declared with, and its name.
  func declaredType(of object: ObjectRef, slot: Int) -> (type: String, name: String)? {
    if !session.cellTypes.isEmpty, let type = session.cellTypes[object.bits] { return type }
    let info = classInfo(at: object.classIndex)
    guard info.instanceVariables.indices.contains(slot),
      let type = info.instanceVariables[slot].type
    else { return nil }
    return (type, info.instanceVariables[slot].name)
  }

  /// Refuses a value that is no instance of a variable's class; nil is one of any.
  ///
  /// - Returns: the value, or `unwind`.
  func checkType(of value: Value, _ type: String, variable: String) -> Value {
    switch conformance(of: value, to: type) {
    case .full: value
    case .unknownType: signal(.unknownName(type))
    case .none(let found):
      signal(.wrongType(withArticle(type), found: found, variable: variable))
    }
  }

  /// Refuses a result that is no instance of a method's class; nil is one of any.
  ///
  /// - Returns: the value, or `unwind`.
  func checkResult(_ value: Value, _ type: String, method: String) -> Value {
    switch conformance(of: value, to: type) {
    case .full: value
    case .unknownType: signal(.unknownName(type))
    case .none(let found):
      signal(.wrongResult(withArticle(type), found: found, method: method))
    }
  }

  /// Whether a value is what a type asks for.
  enum Conformance {
    case full
    case none(found: String)
    case unknownType
  }

  /// Whether a value is an instance of a class, or understands a protocol; nil does all of that.
  func conformance(of value: Value, to type: String) -> Conformance {
    if value.isNil || type == ReservedName.lazyType { return .full }
    if let info = classesByName[type] {
      return classInfo(of: value).inherits(from: info) ? .full : .none(found: describe(value))
    }
    guard let cell = classCells[type], classInfo(of: cell[slot: 0]) === kernel.protocol else {
      return .unknownType
    }
    let missing = missingSelectors(of: ObjectRef(cell[slot: 0]), in: classInfo(of: value))
    guard let first = missing.first else { return .full }
    return .none(found: "\(describe(value)), which does not understand '\(first)'")
  }
}
