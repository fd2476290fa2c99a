internal import TenonAnalysis
internal import TenonLexer
internal import TenonParser

// MARK: - Names

extension Builder {
  func selfNode() -> Built {
    scope.frameScope.kind == .block
      ? add(BlockSelfNode(), .leaf) : leaf(NodeRef(local: 0), .local(0))
  }

  mutating func read(_ name: Name, _ depth: Int) -> Built {
    if let reserved = ReservedName(rawValue: name.text) {
      switch reserved {
      case .self, .super: return selfNode()
      case .nil: return constant(.nil)
      case .true: return constant(.true)
      case .false: return constant(.false)
      case .thisContext:
        return add(ThisContextNode(at: position(name.range, depth)))
      }
    }
    let elements = scope.elements(for: name.text)
    return elements.isEmpty
      ? readVariable(name, depth) : readProperty(name, of: elements[...], depth)
  }

  /// Reads a name in a query: a property of the element if it has one, else what the name means
  /// outside.
  private mutating func readProperty(
    _ name: Name, of elements: ArraySlice<Variable>, _ depth: Int
  ) -> Built {
    guard let element = elements.first else {
      if scope.lookUp(name.text) == nil, case .unknown = environment.lookUp(name.text) {
        return constant(.undefined)
      }
      return readVariable(name, depth)
    }
    let place = position(name.range, depth + 1)
    let key = machine.symbol(name.text)
    code.addLiteral(key)
    return add(
      QueryNameNode(
        element: read(element, at: place).node, name: machine.selector(name.text), key: key,
        outer: readProperty(name, of: elements.dropFirst(), depth + 1).node, at: place))
  }

  /// Reads a name that is no property of what a query looks at.
  mutating func readVariable(_ name: Name, _ depth: Int) -> Built {
    let place = position(name.range, depth)
    if let variable = scope.lookUp(name.text) { return read(variable, at: place) }
    switch environment.lookUp(name.text) {
    case .instanceVariable(let slot, let type):
      return readInstanceVariable(slot, isLazy: type == ReservedName.lazyType, at: place)
    case .addedVariable(let index):
      return addedVariable(index, value: nil, name.range, depth)
    case .cell(let cell, _):
      code.addLiteral(Value(cell))
      // The name of a class of the kernel stands for that class whatever happens.
      let isKernelClass =
        machine.classes.madeCells[name.text] == cell
        && machine.classes.made[name.text]?.isKernel == true
      // A formula's own text reads what has been brought up to date.
      if mode == .tracked && !isKernelClass || mode == .plain && machine.isLazy(.slot(cell, 0)) {
        return add(TrackedCellNode(cell: cell, name: name.text, at: place))
      }
      if cell[slot: 0].isUndefined {
        return add(UncertainCellNode(cell: cell, name: name.text, at: place))
      }
      return unsafe leaf(NodeRef(at: cell.address(ofSlot: 0)), .leaf)
    case .unknown:
      return add(FailureNode(unknownName(name), at: place))
    }
  }

  func read(_ variable: Variable, at position: CodePosition) -> Built {
    guard variable.isCaptured else {
      return leaf(NodeRef(local: variable.slot), .local(variable.slot))
    }
    let place = path(to: variable.scope.contextScope)
    if mode == .tracked {
      return add(
        TrackedContextVariableNode(
          contextSlot: place.slot, hops: place.hops, slot: variable.slot, at: position))
    }
    if place.hops > 0 {
      return add(
        OuterVariableNode(contextSlot: place.slot, hops: place.hops, slot: variable.slot), .leaf)
    }
    return place.slot < 0
      ? add(BlockContextVariableNode(slot: variable.slot), .leaf)
      : add(ContextVariableNode(contextSlot: place.slot, slot: variable.slot), .leaf)
  }

  func readInstanceVariable(
    _ slot: Int, isLazy: Bool = false, at position: CodePosition
  ) -> Built {
    let isInBlock = scope.frameScope.kind == .block
    if mode == .tracked || isLazy && mode == .plain {
      return add(TrackedInstanceVariableNode(slot: slot, isInBlock: isInBlock, at: position))
    }
    return isInBlock
      ? add(BlockInstanceVariableNode(slot: slot), .leaf)
      : leaf(NodeRef(instanceVariable: slot), .leaf)
  }

  mutating func assign(_ name: Name, _ value: Built, _ depth: Int) -> Built {
    if let variable = scope.lookUp(name.text) {
      return assign(variable, checked(value, type: variable.type, name, depth), name.range, depth)
    }
    switch environment.lookUp(name.text) {
    case .instanceVariable(let slot, let type):
      return storeInstanceVariable(slot, type: type, name, value, depth)
    case .addedVariable(let index):
      return addedVariable(index, value: value, name.range, depth)
    case .cell(let cell, _):
      code.addLiteral(Value(cell))
      let value = checked(value, type: machine.session.cellTypes[cell.bits]?.type, name, depth)
      return add(StoreCellNode(cell: cell, value: value.node, at: position(name.range, depth)))
    case .unknown:
      return add(FailureNode(unknownName(name), at: position(name.range, depth)))
    }
  }

  func assign(_ variable: Variable, _ value: Built, _ range: SourceRange, _ depth: Int) -> Built {
    guard variable.isCaptured else {
      let built = add(StoreLocalNode(slot: variable.slot, value: value.node))
      code.record(
        built.node, assigns: StatementRef(assigning: value.node, to: variable.slot))
      return built
    }
    let place = path(to: variable.scope.contextScope)
    let position = position(range, depth)
    if place.hops > 0 || place.slot < 0 {
      return add(
        StoreOuterVariableNode(
          contextSlot: place.slot, hops: place.hops, slot: variable.slot, value: value.node,
          at: position))
    }
    return add(
      StoreContextVariableNode(
        contextSlot: place.slot, slot: variable.slot, value: value.node, at: position))
  }

  func storeInstanceVariable(
    _ slot: Int, type: String?, _ name: Name, _ value: Built, _ depth: Int
  ) -> Built {
    let position = position(name.range, depth)
    var value = checked(value, type: type, name, depth)
    if environment.isConstant(name.text) {
      value = add(
        FirstAssignmentNode(
          value: value.node, receiver: selfNode().node, slot: slot, name: name.text,
          at: position))
    }
    return scope.frameScope.kind == .block
      ? add(StoreBlockInstanceVariableNode(slot: slot, value: value.node, at: position))
      : add(StoreInstanceVariableNode(slot: slot, value: value.node, at: position))
  }

  private func addedVariable(
    _ index: Int, value: Built?, _ range: SourceRange, _ depth: Int
  ) -> Built {
    add(
      AddedVariableNode(
        index: index, isInBlock: scope.frameScope.kind == .block, value: value?.node,
        at: position(range, depth + 1)))
  }

  /// Puts a check before an assignment to a variable with a type.
  private func checked(_ value: Built, type: String?, _ name: Name, _ depth: Int) -> Built {
    guard let type else { return value }
    return add(
      TypeCheckNode(
        value: value.node, type: type, name: name.text, at: position(name.range, depth)))
  }

  /// The error of a name that was left to run time, with the one that may have been meant.
  private func unknownName(_ name: Name) -> Failure {
    .unknownName(
      name.text, suggestion: Suggestion.nearest(to: name.text, in: environment.candidates))
  }
}
