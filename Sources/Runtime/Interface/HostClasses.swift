/// A member of a class that stands for a type of the host.
package enum HostClassMember {
  /// A method.
  case method(selector: String, HostCode)
  /// A method that makes an instance: the code has the receiver, which is new, stand for a value.
  case initializer(selector: String, HostCode)
  /// A property, which can be the end of a connector.
  case property(name: String, path: AnyKeyPath, read: HostCode, write: HostCode?)
  /// A method whose selector asks for another number of arguments than its code.
  case mistaken(selector: String, count: Int)

  /// How many arguments a selector asks for.
  package static func argumentCount(of selector: String) -> Int {
    Selector.argumentCount(of: selector)
  }
}

extension Machine {
  /// Defines a class that stands for a type of the host.
  ///
  /// - Parameters:
  ///   - type: What tells the type apart.
  ///   - name: What scripts call the class.
  ///   - superclass: The type that the class of its superclass stands for.
  ///   - members: Its methods and properties.
  /// - Returns: Why it cannot be; nil when it is done.
  package func defineHostClass(
    _ type: ObjectIdentifier, named name: String, superclass: ObjectIdentifier?,
    _ members: [HostClassMember]
  ) -> String? {
    if let problem = problem(withClassNamed: name) { return problem }
    if hostObjects.classes[type] != nil { return "the type of '\(name)' has been defined already" }
    var parent = kernelClass("HostObject")
    if let superclass {
      guard let info = hostObjects.classes[superclass] else {
        return "the superclass of '\(name)' has not been defined"
      }
      parent = info
    }
    if let problem = members.lazy.compactMap(\.problem).first { return problem }
    var selectors = Set<String>()
    for (selector, isOfClass) in members.flatMap(\.selectors)
    where !selectors.insert((isOfClass ? "class " : "") + selector).inserted {
      return "'\(selector)' of '\(name)' is there twice"
    }
    let info = makeClass(named: name, superclass: parent)
    for member in members { add(member, to: info) }
    settleLayout(of: info)
    hostObjects.classes[type] = info
    return nil
  }

  private func add(_ member: HostClassMember, to info: ClassInfo) {
    switch member {
    case .method(let name, let code):
      install(hostMethod(name, in: info) { HostNode(code, argumentCount: $0, state: $1) }, in: info)
    case .initializer(let name, let code):
      // The class side makes the instance, which then stands for what the code makes.
      let hidden = "(\(name))"
      let count = Selector.argumentCount(of: name)
      let own = selector(hidden + String(repeating: ":", count: count))
      install(
        Method(
          selector: own, holder: info,
          origin: .node { _, machine, _ in
            HostNode(code, argumentCount: count, answersReceiver: true, state: machine.state)
          }), in: info)
      guard let meta = info.metaclass else { return }
      install(
        hostMethod(name, in: meta) {
          HostMakingNode(initializer: own, argumentCount: $0, state: $1)
        }, in: meta)
    case .mistaken: break
    case .property(let name, let path, let read, let write):
      let slot = info.instanceVariables.count
      // No text can name it: it tells connections of changes, and holds how many there were.
      let property = symbol(name)
      permanentRoots.append(property)
      info.instanceVariables.append(InstanceVariable(name: "(\(name))", owner: info.name))
      hostObjects.enter((slot, property), at: path)
      install(
        Method(
          selector: selector(name), holder: info,
          origin: .node { _, machine, isTracked in
            HostGetterNode(read, slot: slot, isTracked: isTracked, state: machine.state)
          }), in: info)
      guard let write else { return }
      install(
        hostMethod(name + ":", in: info) {
          HostSetterNode(write, read: read, slot: slot, name: name, count: $0, state: $1)
        }, in: info)
    }
  }

  private func hostMethod(
    _ name: String, in info: ClassInfo, _ make: @escaping (Int, StateRef) -> Node
  ) -> Method {
    let selector = selector(name)
    return Method(
      selector: selector, holder: info,
      origin: .node { _, machine, _ in make(selector.argumentCount, machine.state) })
  }

  /// Why a class cannot have a name; nil when it can.
  func problem(withClassNamed name: String) -> String? {
    let isName =
      name.utf8.first.map { (0x41...0x5A).contains($0) } ?? false
      && name.utf8.allSatisfy { Machine.isLetterOrDigit($0) }
    guard isName else {
      return "'\(name)' is no name of a class: a capital letter, then letters and digits"
    }
    if let cell = classCells[name], !cell[slot: 0].isUndefined {
      return "'\(name)' is there already"
    }
    return nil
  }

  private static func isLetterOrDigit(_ byte: UInt8) -> Bool {
    (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte) || (0x30...0x39).contains(byte)
      || byte == 0x5F
  }

  /// Whether a text is a name of a variable or a property.
  package static func isName(_ text: String) -> Bool {
    Selector.argumentCount(of: text) == 0 && isSelector(text)
  }

  /// Whether a text is a selector: a name, or several that end in colons.
  fileprivate static func isSelector(_ text: String) -> Bool {
    let parts = text.split(separator: ":", omittingEmptySubsequences: false)
    let names = parts.count == 1 ? parts[...] : parts.dropLast()
    guard parts.count == 1 || parts.last?.isEmpty == true else { return false }
    return names.allSatisfy { name in
      guard let first = name.utf8.first, !(0x30...0x39).contains(first) else { return false }
      return name.utf8.allSatisfy { isLetterOrDigit($0) }
    }
  }

  // MARK: Objects

  /// A new object that stands for a value of the host.
  func makeHostObject(_ box: AnyHostBox, of info: ClassInfo) -> Value {
    let object = Value(makeInstance(of: info))
    hostObjects.enter(box, for: object)
    return object
  }

  /// The box of the value that the object of a handle stands for, an empty one where it stands for none.
  package func hostBox(of handle: Handle) throws(ConversionError) -> AnyHostBox {
    hostObjects.box(of: try hostValue(of: handle)) ?? AnyHostBox()
  }

  /// Writes the object that stands for a value of the host: the one that there is, or a new one.
  ///
  /// - Throws: `ConversionError` when none of the types has been declared.
  package func writeHostObject(
    _ box: AnyHostBox, of types: [ObjectIdentifier], named name: String,
    to writer: inout ValueWriter
  ) throws(ConversionError) {
    if let identity = box.identity, let object = hostObjects.object(identity) {
      // A collection that goes on in slices must not take it for dead.
      heap.recordEntry(object)
      writer.value = object
      return
    }
    guard let info = types.lazy.compactMap({ self.hostObjects.classes[$0] }).first else {
      throw ConversionError("the interpreter has no definition of '\(name)'")
    }
    writer.value = makeHostObject(box, of: info)
  }

  /// Tells connections that a property of an object of the host has another value.
  ///
  /// - Throws: `CallError` when scripts do not know the property, or when they could not be told.
  package func hostPropertyChanged(
    _ handle: Handle, _ path: AnyKeyPath, named name: @autoclosure () -> String
  ) throws(CallError) {
    let object: Value
    do throws(ConversionError) { object = try hostValue(of: handle) } catch {
      throw .conversion(error)
    }
    guard hostObjects.box(of: object) != nil else { throw unknown(name()) }
    guard let known = hostObjects.property(at: path) else {
      let inherited = inheritedProperties(of: path, object)
      if inherited.isEmpty { throw unknown(name()) }
      for each in inherited { try hostPropertyChanged(each, of: object, named: name()) }
      return
    }
    try hostPropertyChanged(known, of: object, named: name())
  }

  private func hostPropertyChanged(
    _ property: HostObjects.Property, of object: Value, named name: @autoclosure () -> String
  ) throws(CallError) {
    guard property.slot < ObjectRef(object).slotCount else { throw unknown(name()) }
    let occupied = host.occupancy.enter()
    if let refusal = refusal(of: occupied) { throw .ended(refusal) }
    defer { if occupied == .entered { host.occupancy.leave() } }
    let entry = beginEntry()
    defer { endEntry(entry) }
    anchorEntry()
    if takeUpHostChange(of: ObjectRef(object), property).isUnwind {
      throw .ended(endOfHostEntry().error)
    }
  }

  private func unknown(_ property: String) -> CallError {
    .conversion(ConversionError("'\(property)' is not among the properties that scripts know"))
  }

  /// The properties that a key path of a subclass may stand for.
  ///
  /// They are those of a superclass with values of its type, as nothing tells which of them it is; to tell of
  /// one too many changes nothing.
  private func inheritedProperties(
    of path: AnyKeyPath, _ object: Value
  ) -> [HostObjects.Property] {
    let info = classInfo(of: object)
    return hostObjects.properties.compactMap { known, property in
      guard Swift::type(of: known).valueType == Swift::type(of: path).valueType,
        let root = hostObjects.classes[ObjectIdentifier(Swift::type(of: known).rootType)]
      else { return nil }
      return info !== root && info.inherits(from: root) ? property : nil
    }.sorted { $0.slot < $1.slot }
  }

  /// Takes up a change that the host has made of a property: it is an edit, which cannot be refused, and
  /// a formula that determines the property writes it again.
  ///
  /// - Returns: Anything, or `unwind`.
  private func takeUpHostChange(
    of object: ObjectRef, _ property: HostObjects.Property
  ) -> Value {
    let slot = property.slot
    guard let cell = graph.cell(of: object, slot: slot),
      !isWritingProperty(of: Value(object))
    else { return announceHostChange(of: object, slot: slot) }
    if let running = graph.running {
      return signal(.impureFormula(describe(Value(object)), running.connection))
    }
    // Connections may know the property by its name as well.
    let named = Place(kind: .property, object: Value(object), index: -1, key: property.name)
    let other = graph.number(of: named)
    if other < 0, let answer = writeElsewhere(nextCount(of: object, slot: slot), cell) {
      return answer
    }
    object.initialize(slot: slot, to: nextCount(of: object, slot: slot))
    graph.takeUpChange(of: cell)
    if other >= 0 { graph.takeUpChange(of: CellID(other)) }
    guard !graph.isSettling, graph.atomicDepth == 0 else { return .nil }
    return settleGraph(answering: .nil)
  }

  /// Writes the slot of a cell that has changed elsewhere, as a program does, and settles the connections.
  ///
  /// - Returns: The answer or `unwind`; nil when that concerns more than formulas that read the cell, or when
  ///   the connections have refused the value: the change is to be taken up then.
  @inline(__always)
  private func writeElsewhere(_ value: Value, _ cell: CellID) -> Value? {
    unsafe graphReference._withUnsafeGuaranteedRef { graph in
      guard graph.beginsPlainTurn(cell) else { return nil }
      let place = graph.place(of: cell)
      guard
        case .begins = graph.writeFreely(value, into: ObjectRef(place.object), slot: place.index),
        (try? graph.settle(from: cell)) != nil
      else { return nil }
      if graph.isUnwinding {
        // The change stays, and what reads it has not run.
        ObjectRef(place.object).initialize(slot: place.index, to: value)
        graph.failReaders(of: cell, because: .interrupted())
      }
      return endSettling(answering: .nil)
    }
  }

  /// The number after the one that a slot holds.
  private func nextCount(of object: ObjectRef, slot: Int) -> Value {
    Value(small: ((object[slot: slot].asSmallInteger ?? 0) &+ 1) & 0xFFFF_FFFF)
  }

  /// Counts a change of a property, which a script has made or a connection, where connections see it.
  ///
  /// - Returns: Anything, or `unwind`.
  func announceHostChange(of object: ObjectRef, slot: Int) -> Value {
    let next = nextCount(of: object, slot: slot)
    if object.flags & ObjectFlag.guards == 0 {
      object.initialize(slot: slot, to: next)
      return .nil
    }
    return store(next, into: object, slot: slot)
  }
}

extension HostClassMember {
  /// The selectors of the methods that it makes, and whether they are the class's own.
  fileprivate var selectors: [(name: String, isOfClass: Bool)] {
    switch self {
    case .method(let selector, _), .mistaken(let selector, _): [(selector, false)]
    case .initializer(let selector, _): [(selector, true)]
    case .property(let name, _, _, let write):
      write == nil ? [(name, false)] : [(name, false), (name + ":", false)]
    }
  }

  /// Why it cannot be a member; nil when it can.
  fileprivate var problem: String? {
    if case .mistaken(let selector, let count) = self {
      let wanted = HostClassMember.argumentCount(of: selector)
      return "'\(selector)' has \(wanted) arguments, and its code takes \(count)"
    }
    return selectors.first { !Machine.isSelector($0.name) }.map { "'\($0.name)' is no selector" }
  }
}
