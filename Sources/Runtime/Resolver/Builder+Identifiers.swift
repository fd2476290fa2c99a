internal import TenonAnalysis
internal import TenonLexer
internal import TenonSolverKit
internal import TenonParser
internal import TenonStoreKit

// Identifiers, and the references that stand for their paths.

extension Builder {
  /// The store of a scheme.
  func schemeNode(_ name: Name, _ depth: Int) -> Built {
    let cell = machine.schemeCell(named: name.text)
    code.addLiteral(Value(cell))
    let scheme = SchemeNode(cell: cell, name: name.text, at: position(name.range, depth))
    guard environment.definesSchemes else { return add(scheme, .other) }
    return add(
      OwnSchemeNode(
        receiver: selfNode().node, name: name.text, other: code.add(scheme),
        at: position(name.range, depth)))
  }

  /// The reference for a path.
  mutating func referenceNode(
    _ scheme: String, _ path: PathExpression, _ depth: Int,
    for verb: StoreCapabilities.Verb? = nil
  ) -> Built {
    if path.hasNoExpressions, let reference = plainReference(scheme, path) {
      return constant(machine.makeReference(reference))
    }
    return add(
      ReferenceNode(
        scheme: scheme, authority: path.authority.map { parts($0, depth) },
        components: path.components.map { parts($0.parts, depth, .component(of: scheme)) },
        isAbsolute: path.isAbsolute, isDirectory: path.isDirectory,
        query: path.query.map { item in
          (
            key: parts(item.key, depth, .query(of: scheme)),
            value: item.value.map { parts($0, depth, .query(of: scheme)) }
          )
        }, for: verb, at: position(path.range, depth)))
  }

  private func plainReference(_ scheme: String, _ path: PathExpression) -> Reference? {
    func text(_ parts: [PathPart], _ coding: PathCoding = .none) -> String {
      parts.map { if case .text(let text) = $0 { coding.decoded(text) } else { "" } }.joined()
    }
    return try? Reference(
      scheme: scheme, authority: path.authority.map { text($0) },
      components: path.components.map { text($0.parts, .component(of: scheme)) },
      isAbsolute: path.isAbsolute, isDirectory: path.isDirectory,
      query: path.query.map {
        Reference.QueryPair(
          text($0.key, .query(of: scheme)), $0.value.map { text($0, .query(of: scheme)) })
      })
  }

  private mutating func parts(
    _ parts: [PathPart], _ depth: Int, _ coding: PathCoding = .none
  ) -> [ReferenceNode.Part] {
    parts.map { part in
      switch part {
      case .text(let text): .text(coding.decoded(text))
      case .expression(let expression): .value(build(expression, depth).node)
      case .splice(let expression): .splice(build(expression, depth).node)
      }
    }
  }

  /// The name of a property in a path: text, or what an expression answers.
  mutating func componentNode(_ component: PathComponent, _ depth: Int) -> NodeRef {
    if let text = component.text { return constant(machine.makeString(text)).node }
    if component.parts.count == 1, case .expression(let expression) = component.parts[0] {
      return build(expression, depth).node
    }
    let nodes = component.parts.enumerated().map { index, part -> NodeRef in
      switch part {
      case .text(let text): constant(machine.makeString(text)).node
      case .expression(let expression), .splice(let expression):
        build(expression, depth + index).node
      }
    }
    return code.add(
      InterpolationNode(
        parts: list(nodes), at: position(.none, depth + nodes.count)))
  }

  /// Builds an identifier that is read.
  mutating func buildIdentifier(_ identifier: IdentifierExpression, _ depth: Int) -> Built {
    if let place = VariablePlace(identifier) {
      let base = readVariable(place, depth)
      return follow(place.properties, from: base, identifier.path.range, depth)
    }
    switch identifier.scheme.text {
    case "self":
      return follow(
        identifier.path.components[...], from: selfNode(), identifier.path.range, depth)
    case "class":
      guard let name = identifier.path.components.first?.text else {
        return add(
          FailureNode(.notAvailable("this identifier"), at: position(identifier.range, depth)))
      }
      return follow(
        identifier.path.components.dropFirst(),
        from: read(Name(name, identifier.path.range), depth), identifier.path.range, depth)
    default: break
    }
    if identifier.path.isEmpty { return schemeNode(identifier.scheme, depth) }
    // The store waits below the marker while the reference is made.
    let store = schemeNode(identifier.scheme, depth)
    let reference = referenceNode(
      identifier.scheme.text, identifier.path, depth + 1, for: .get)
    return add(
      StoreNode(
        .get, store: store.node, reference: reference.node, valueSlot: 0,
        at: position(identifier.range, depth + 1)))
  }

  private mutating func readVariable(_ place: VariablePlace, _ depth: Int) -> Built {
    if place.scheme == .instanceVariable,
      case .instanceVariable(let slot, let type) = environment.lookUp(place.name.text)
    {
      return readInstanceVariable(
        slot, isLazy: type == ReservedName.lazyType, at: position(place.name.range, depth))
    }
    return readVariable(place.name, depth)
  }

  /// Builds a path through properties.
  private mutating func follow(
    _ components: ArraySlice<PathComponent>, from base: Built, _ range: SourceRange, _ depth: Int
  ) -> Built {
    components.isEmpty ? base : path(base, components, .get, range, depth)
  }

  /// Builds what is done with a path through properties; its base is built for `depth`.
  mutating func path(
    _ base: Built, _ components: ArraySlice<PathComponent>, _ verb: PropertyVerb,
    valueSlot: Int = 0, _ range: SourceRange, _ depth: Int
  ) -> Built {
    var names: [NodeRef] = []
    for component in components { names.append(componentNode(component, depth + 1 + names.count)) }
    reserve(depth + 1 + names.count)
    return add(
      PathNode(
        base: base.node, names: list(names), verb, valueSlot: valueSlot,
        at: position(range, depth + 1 + names.count)))
  }

  /// Builds a reference.
  mutating func buildReference(_ reference: ReferenceExpression, _ depth: Int) -> Built {
    if let place = VariablePlace(reference) {
      guard let variable = self.place(place.name) else {
        return add(
          FailureNode(.unknownName(place.name.text), at: position(reference.range, depth)))
      }
      let base = add(
        VariableReferenceNode(
          place: variable, name: place.name.text, at: position(reference.range, depth)))
      if place.properties.isEmpty { return base }
      let names = place.properties.map { componentNode($0, depth + 3) }
      let path = add(ArrayNode(elements: list(names), slot: depth + 2, state: state))
      return send("under:", to: base, [path], reference.range, depth)
    }
    guard let scheme = reference.scheme else {
      return add(
        FailureNode(.notAvailable("this reference"), at: position(reference.range, depth)))
    }
    return referenceNode(scheme.text, reference.path, depth)
  }

  /// Builds an assignment to an identifier.
  mutating func assign(
    _ identifier: IdentifierExpression, verb: PropertyVerb, range: SourceRange, _ depth: Int,
    value: (inout Builder, Int) -> Built
  ) -> Built {
    if let place = VariablePlace(identifier) {
      if place.properties.isEmpty {
        return assign(place, value(&self, depth), depth)
      }
      let built = value(&self, depth)
      let base = readVariable(place, depth + 1)
      return write(built, to: place.properties, of: base, verb, range, depth)
    }
    if identifier.scheme.text == "self", !identifier.path.components.isEmpty {
      let built = value(&self, depth)
      return write(built, to: identifier.path.components[...], of: selfNode(), verb, range, depth)
    }
    let built = value(&self, depth)
    let store = schemeNode(identifier.scheme, depth + 1)
    let reference = referenceNode(
      identifier.scheme.text, identifier.path, depth + 2, for: verb == .post ? .post : .put)
    let step = add(
      StoreNode(
        verb, store: store.node, reference: reference.node, valueSlot: depth,
        at: position(range, depth + 2)))
    // The answer is that of the store: what was put, or the reference of what was added.
    return add(CascadeNode(subject: built.node, slot: depth, steps: list([step.node])))
  }

  /// Builds an assignment to `var:x` or `ivar:x`, which says which variable is meant.
  private mutating func assign(_ place: VariablePlace, _ value: Built, _ depth: Int) -> Built {
    if place.scheme == .instanceVariable,
      case .instanceVariable(let slot, let type) = environment.lookUp(place.name.text)
    {
      return storeInstanceVariable(slot, type: type, place.name, value, depth)
    }
    return assign(place.name, value, depth)
  }

  /// Builds the writing of a value, built for `depth`, to a path; its value is that value.
  private mutating func write(
    _ value: Built, to components: ArraySlice<PathComponent>, of base: Built, _ verb: PropertyVerb,
    _ range: SourceRange, _ depth: Int
  ) -> Built {
    let step = path(base, components, verb, valueSlot: depth, range, depth + 1)
    return add(BuildNode(subject: value.node, slot: depth, steps: list([step.node])))
  }
}
