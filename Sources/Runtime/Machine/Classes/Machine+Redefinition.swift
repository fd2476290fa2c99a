internal import TenonLexer
internal import TenonParser

// Redefinition of classes while instances exist and methods run.
//
// Objects do not move and cannot grow. So the instances that exist keep their memory and the index
// under which they were made; a variant of the class stands behind that index. It finds the same
// methods, compiled for the old layout: a variable that both layouts have is the slot that it was,
// one that is new lives in a second object found by a table. New instances have the new layout and
// pay nothing. Activations of old code go on with old instances as they were.

extension Machine {
  /// Refuses variables that a class would get while its subclasses declare them.
  func refuseVariablesOfSubclasses(
    of existing: ClassInfo, in members: [Member], _ superclass: ClassInfo, _ superclassName: Name?
  ) throws(DefinitionFailure) {
    var declaring: [String: String] = [:]
    for subclass in existing.withSubclasses where subclass !== existing {
      let own = subclass.instanceVariables.filter { $0.owner == subclass.name }.map(\.name)
      for name in own + subclass.classVariables.keys { declaring[name] = subclass.name }
    }
    guard !declaring.isEmpty else { return }
    for member in members {
      let names: [Name] =
        switch member {
        case .variable(let variable): [variable.name]
        case .classVariable(let variables): variables.names
        default: []
        }
      for name in names {
        guard let subclass = declaring[name.text] else { continue }
        throw DefinitionFailure(.declaredBelow(name.text, in: subclass), at: name.range)
      }
    }
    let inherited =
      superclass.instanceVariables.map(\.name) + superclass.lineage.flatMap(\.classVariables.keys)
    for name in inherited.sorted() {
      guard let subclass = declaring[name] else { continue }
      throw DefinitionFailure(.declaredBelow(name, in: subclass), at: superclassName?.range)
    }
  }

  /// Changes a class in place: its superclass and its variables; its own methods go.
  func redefine(_ info: ClassInfo, superclass: ClassInfo, _ members: [Member]) {
    let affected = info.withSubclasses
    for method in info.allMethods + (info.metaclass?.allMethods ?? [])
    where !method.isExtension {
      retireLater(method)
      method.holder.removeMethod(method)
    }
    info.superclass?.subclasses.removeAll { $0 === info }
    info.superclass = superclass
    superclass.subclasses.append(info)
    info.metaclass?.superclass = superclass.metaclass
    var own: [InstanceVariable] = []
    for case .variable(let variable) in members {
      recordDeclaration(type: variable.type?.text)
      own.append(
        InstanceVariable(
          name: variable.name.text, type: variable.type?.text,
          isConstant: variable.isConstant, owner: info.name))
    }
    let variables = superclass.instanceVariables + own
    let isSameLayout = variables.map(\.name) == info.instanceVariables.map(\.name)
    for each in affected {
      let before = each.instanceVariables
      let kept = each.instanceVariables.filter { $0.owner == each.name }
      let all = (each.superclass?.instanceVariables ?? []) + (each === info ? own : kept)
      // Types may have changed all the same.
      if isSameLayout {
        each.instanceVariables = all
      } else {
        changeLayout(of: each, to: all)
        moveAccessors(of: each, from: before)
      }
    }
    for each in affected { discardCode(of: each) }
    flushAllCaches()
    graph.updateTypes()
  }

  /// Gives a class a new layout and a new index; what exists stays behind the old one.
  private func changeLayout(of info: ClassInfo, to variables: [InstanceVariable]) {
    let variant = ClassInfo(
      index: info.index, name: info.name, superclass: nil, isMeta: false)
    variant.canonical = info
    variant.instanceVariables = info.instanceVariables
    variant.object = info.object
    variant.metaclass = info.metaclass
    classes.infos[Int(info.index)] = variant
    for older in classes.infos where older?.canonical === info && older !== variant {
      older?.forgetVariantMethods()
    }
    info.index = takeClassIndex()
    enter(info)
    info.instanceVariables = variables
    ObjectRef(info.object)[slot: ClassSlot.index] = Value(small: Int(info.index))
    settleLayout(of: info)
    let names = Set(variables.map(\.name))
    for older in classes.infos where older?.layoutClass === info {
      older?.forgetVariables(except: names)
    }
  }

  /// Has the accessors of a class find its variables where they are now.
  private func moveAccessors(of info: ClassInfo, from old: [InstanceVariable]) {
    for method in info.allMethods {
      let origin: Method.Origin
      switch method.origin {
      case .getter(let slot):
        guard let now = info.slot(of: old[slot].name) else { continue }
        origin = .getter(slot: now)
      case .setter(let slot, let type, let isConstant):
        guard let now = info.slot(of: old[slot].name) else { continue }
        origin = .setter(slot: now, type: type, isConstant: isConstant)
      default: continue
      }
      install(Method(selector: method.selector, holder: info, origin: origin), in: info)
    }
  }

  private func discardCode(of info: ClassInfo) {
    let handlers = info.propertyPaths.flatMap { Array($0.handlers.values) }
    for method in info.allMethods + info.ownStatements.methods + handlers { retireLater(method) }
    for variant in classes.infos where variant?.canonical === info {
      variant?.forgetVariantMethods()
    }
  }

  /// Empties all caches: classes have changed as a whole.
  func flushAllCaches() {
    for selector in symbolTable.selectors.values { selector.flushCaches() }
    lookupCache.clear()
  }

  // MARK: Variants

  /// The method that instances of an older layout have for a selector.
  func variantMethod(
    _ selector: Selector, in variant: ClassInfo, _ canonical: ClassInfo
  ) -> Method? {
    canonical.lookUp(selector).map { variantForm(of: $0, in: variant) }
  }

  /// A method as instances of an older layout have it.
  func variantForm(of method: Method, in variant: ClassInfo) -> Method {
    if let known = variant.variantMethod(for: method) { return known }
    let origin: Method.Origin
    switch method.origin {
    case .getter(let slot):
      origin = accessorOrigin(method.holder, slot, in: variant) { .getter(slot: $0) }
    case .setter(let slot, let type, let isConstant):
      origin = accessorOrigin(method.holder, slot, in: variant) {
        .setter(slot: $0, type: type, isConstant: isConstant)
      }
    default: origin = method.origin
    }
    let own = Method(
      selector: method.selector, holder: method.holder, origin: origin, comment: method.comment)
    own.answersLastStatement = method.answersLastStatement
    own.emits = method.emits
    own.isOfPaths = method.isOfPaths
    own.layout = variant
    variant.setVariantMethod(own, for: method)
    return own
  }

  /// An accessor of a variable as an older layout has it.
  private func accessorOrigin(
    _ holder: ClassInfo, _ slot: Int, in variant: ClassInfo, _ plain: (Int) -> Method.Origin
  ) -> Method.Origin {
    let name = holder.instanceVariables[slot].name
    switch variant.variable(named: name) {
    case .slot(let old): return plain(old)
    case .added(let index):
      return .node { method, machine, _ in
        AddedAccessorNode(
          index: index, isSetter: method.selector.argumentCount == 1, state: machine.state)
      }
    case nil: return .node { _, _, _ in ConstantNode(.nil) }
    }
  }

  /// The variant of a superclass for the same old layout: where `super` goes to.
  func superVariant(of variant: ClassInfo, for superclass: ClassInfo) -> ClassInfo {
    if let known = variant.superVariants[superclass.name] { return known }
    let info = ClassInfo(
      index: takeClassIndex(), name: superclass.name, superclass: nil, isMeta: false)
    info.canonical = superclass
    info.instanceVariables = variant.instanceVariables
    info.object = superclass.object
    info.layoutOwner = variant.layoutClass
    info.addedOrder = variant.addedNames
    enter(info)
    variant.superVariants[superclass.name] = info
    return info
  }

  // MARK: Added variables

  /// The object that holds the variables which an instance of an older layout has no slots for.
  ///
  /// - Returns: nil when setting their first values unwinds.
  func addedVariables(of object: ObjectRef) -> ObjectRef? {
    let variant = classInfo(at: object.classIndex)
    let names = variant.addedNames
    if let known = classes.addedVariables[object.bits] {
      let added = ObjectRef(known)
      if added.slotCount >= names.count { return added }
      // The class has got still more variables since.
      let grown = state.allocate(classIndex: ClassIndex.context, slotCount: names.count)
      for slot in 0..<added.slotCount { grown[slot: slot] = added[slot: slot] }
      classes.addedVariables[object.bits] = Value(grown)
      heap.recordEntry(Value(grown))
      guard let canonical = variant.canonical else { return grown }
      let value = setFirstValues(
        Array(names[added.slotCount...]), of: Value(object), canonical)
      return value.isUnwind ? nil : grown
    }
    let added = state.allocate(classIndex: ClassIndex.context, slotCount: max(1, names.count))
    classes.addedVariables[object.bits] = Value(added)
    heap.recordEntry(Value(added))
    object.flags |= ObjectFlag.extended
    guard let canonical = variant.canonical else { return added }
    let value = setFirstValues(names, of: Value(object), canonical)
    return value.isUnwind ? nil : added
  }

  /// Sets an added variable of an instance, unless the value is none of the variable's type.
  ///
  /// - Returns: the value, or `unwind`.
  func storeAdded(
    _ value: Value, into added: ObjectRef, _ index: Int, of instance: Value
  ) -> Value {
    let variant = classInfo(of: instance)
    let name = variant.addedNames[index]
    let owner = variant.layoutClass
    if let type = owner?.instanceVariables.last(where: { $0.name == name })?.type,
      checkType(of: value, type, variable: name).isUnwind
    {
      return .unwind
    }
    return store(value, into: added, slot: index)
  }

  /// Gives added variables the values with which the class's text lets them begin.
  private func setFirstValues(
    _ names: [String], of instance: Value, _ canonical: ClassInfo
  ) -> Value {
    for each in canonical.lineage {
      guard let method = each.ownStatements.initialValues,
        case .definition(let definition, let source) = method.origin
      else { continue }
      let statements = definition.statements.filter { statement in
        guard case .expression(.assignment(let assignment)) = statement,
          case .name(let name) = assignment.target
        else { return false }
        return names.contains(name.name.text)
      }
      guard !statements.isEmpty else { continue }
      let part = Method(
        selector: method.selector, holder: each,
        origin: .definition(
          MethodDefinition(
            isClassMethod: false, header: definition.header, statements: statements,
            range: definition.range), source))
      part.layout = classInfo(of: instance)
      let callee = pushNativeFrame()
      callee[0] = instance
      let value = enter(body(of: part), callee, argumentCount: 0)
      retireLater(part)
      if value.isUnwind { return value }
    }
    return .nil
  }

  /// The copy of an instance of an older layout whose class connects its variables as they are now: it
  /// is a new instance, and has the new layout.
  ///
  /// - Returns: nil for any other object.
  func copyInNewLayout(_ object: ObjectRef) throws(Failure) -> Value? {
    let variant = classInfo(at: object.classIndex)
    guard let canonical = variant.canonical, canonical.statements.connectsCopies,
      canonical.format == .slots
    else { return nil }
    guard let added = addedVariables(of: object) else { throw .interrupted() }
    let variables = canonical.instanceVariables
    let copy = state.allocate(classIndex: canonical.index, slotCount: variables.count)
    for (slot, variable) in variables.enumerated() {
      switch variant.variable(named: variable.name) {
      case .slot(let old): copy[slot: slot] = object[slot: old]
      case .added(let index) where index < added.slotCount: copy[slot: slot] = added[slot: index]
      case .added, nil: continue
      }
    }
    return Value(copy)
  }

  /// Gives a copy of an instance added variables of its own.
  func copyAddedVariables(of object: ObjectRef, to copy: ObjectRef) {
    guard let known = classes.addedVariables[object.bits] else { return }
    let added = ObjectRef(known)
    let own = state.allocate(classIndex: ClassIndex.context, slotCount: added.slotCount)
    for slot in 0..<added.slotCount { own[slot: slot] = added[slot: slot] }
    classes.addedVariables[copy.bits] = Value(own)
    heap.recordEntry(Value(own))
    copy.flags |= ObjectFlag.extended
  }

  /// Marks the added variables of the instances that have been marked.
  func markAddedVariables() {
    while let object = heap.nextMarkedExtended() {
      if let added = classes.addedVariables[object.bits] { heap.mark(added) }
      heap.drain()
    }
  }

  /// Forgets the added variables of instances that the collection has not found.
  func forgetAddedVariables() {
    guard !classes.addedVariables.isEmpty else { return }
    classes.addedVariables = classes.addedVariables.filter { bits, _ in
      heap.isMarked(ObjectRef(Value(bits: bits)))
    }
  }
}

/// Where an instance of an older layout keeps a variable.
enum VariantVariable {
  case slot(Int)
  /// In the object of added variables.
  case added(Int)
}

extension ClassInfo {
  /// The class whose older layout it is.
  fileprivate var layoutClass: ClassInfo? { layoutOwner ?? canonical }

  /// Has variables that the class has no more stand for nothing, also should the class get others of
  /// their names.
  fileprivate func forgetVariables(except names: Set<String>) {
    for index in instanceVariables.indices where !names.contains(instanceVariables[index].name) {
      instanceVariables[index] = InstanceVariable(
        name: "", type: nil, isConstant: false, owner: instanceVariables[index].owner)
    }
    for index in addedOrder.indices where !names.contains(addedOrder[index]) {
      addedOrder[index] = ""
    }
    // Those of the same layout count them in the same order.
    _ = addedNames
  }

  /// The variables that the class has now and this older layout has not.
  var addedNames: [String] {
    guard let owner = layoutClass else { return [] }
    let old = Set(instanceVariables.map(\.name))
    // In an order that only grows: the names that were added stay where they are.
    for name in owner.instanceVariables.map(\.name)
    where !old.contains(name) && !addedOrder.contains(name) {
      addedOrder.append(name)
    }
    return addedOrder
  }

  /// Where this older layout keeps a variable that the class has now.
  func variable(named name: String) -> VariantVariable? {
    guard let owner = layoutClass, owner.slot(of: name) != nil else { return nil }
    if let slot = slot(of: name) { return .slot(slot) }
    return addedNames.firstIndex(of: name).map { .added($0) }
  }
}

/// A variable that an instance of an older layout has no slot for.
final class AddedVariableNode: SiteNode {
  let index: Int
  let isInBlock: Bool
  /// What is assigned; nil to read.
  let value: NodeRef?

  init(index: Int, isInBlock: Bool, value: NodeRef?, at position: CodePosition) {
    self.index = index
    self.isInBlock = isInBlock
    self.value = value
    super.init(at: position)
  }

  override func evaluate(_ frame: Frame) -> Value {
    var stored = Value.nil
    if let value {
      stored = value.evaluate(frame)
      if stored.isUnwind { return stored }
    }
    let receiver = isInBlock ? Closure(frame.receiver).receiver : frame.receiver
    frame[depth - 1] = stored
    return withMachine(in: frame) { machine in
      guard let added = machine.addedVariables(of: ObjectRef(receiver)) else { return .unwind }
      guard value != nil else { return machine.value(at: .slot(added, index)) }
      return machine.storeAdded(stored, into: added, index, of: receiver)
    }
  }
}

/// The accessor of such a variable.
final class AddedAccessorNode: Node {
  let index: Int
  let isSetter: Bool
  let state: StateRef

  init(index: Int, isSetter: Bool, state: StateRef) {
    self.index = index
    self.isSetter = isSetter
    self.state = state
  }

  override func evaluate(_ frame: Frame) -> Value {
    state.top = frame.advanced(by: isSetter ? 2 : 1)
    state.base = frame
    return state.withMachine { machine in
      guard let added = machine.addedVariables(of: ObjectRef(frame.receiver)) else {
        return .unwind
      }
      guard isSetter else { return machine.value(at: .slot(added, index)) }
      let stored = machine.storeAdded(frame[1], into: added, index, of: frame.receiver)
      return stored.isUnwind ? stored : frame.receiver
    }
  }
}
