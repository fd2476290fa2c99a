internal import TenonAnalysis
internal import TenonLexer
internal import TenonParser
internal import TenonStoreKit

// Identifiers whose scheme is a store, and paths through objects.

/// Makes a reference whose path holds expressions.
final class ReferenceNode: SiteNode {
  /// A piece of the path: text, a value that is part of one component, or values that are one each.
  enum Part {
    case text(String)
    case value(NodeRef)
    case splice(NodeRef)
  }

  let scheme: String
  let authority: [Part]?
  let components: [[Part]]
  let isAbsolute: Bool
  let isDirectory: Bool
  let query: [(key: [Part], value: [Part]?)]
  /// What will be done at the place; nil where the reference itself is meant.
  let verb: StoreCapabilities.Verb?

  init(
    scheme: String, authority: [Part]?, components: [[Part]], isAbsolute: Bool,
    isDirectory: Bool, query: [(key: [Part], value: [Part]?)], for verb: StoreCapabilities.Verb?,
    at position: CodePosition
  ) {
    self.verb = verb
    self.scheme = scheme
    self.authority = authority
    self.components = components
    self.isAbsolute = isAbsolute
    self.isDirectory = isDirectory
    self.query = query
    super.init(at: position)
  }

  override func evaluate(_ frame: Frame) -> Value {
    guard let path = evaluatePath(frame) else { return .unwind }
    var host: String?
    if let authority {
      guard let written = text(authority, frame) else { return .unwind }
      host = written
    }
    var pairs: [Reference.QueryPair] = []
    for (key, value) in query {
      guard let name = text(key, frame) else { return .unwind }
      var written: String?
      if let value {
        guard let text = text(value, frame) else { return .unwind }
        written = text
      }
      pairs.append(Reference.QueryPair(name, written))
    }
    return withMachine(in: frame) { machine in
      if let refused = path.refused {
        return machine.signal(
          .store(refusal(of: refused, path.names, host), during: verb?.rawValue))
      }
      do throws(StoreError) {
        return machine.makeReference(
          try Reference(
            scheme: scheme, authority: host, components: path.names, isAbsolute: isAbsolute,
            isDirectory: isDirectory, query: pairs))
      } catch {
        return machine.signal(.store(error, during: verb?.rawValue))
      }
    }
  }

  /// The components; nil when an expression among them unwinds.
  ///
  /// `refused` is a name from an expression that is none: with it the path would lead elsewhere.
  private func evaluatePath(_ frame: Frame) -> (names: [String], refused: String?)? {
    var names: [String] = []
    var refused: String?
    for parts in components {
      if parts.count == 1, case .splice(let node) = parts[0] {
        let value = node.evaluate(frame)
        guard !value.isUnwind, let pieces = withMachine(in: frame, { $0.pathTexts(value) }) else {
          return nil
        }
        names += pieces
        refused = refused ?? pieces.first { !Reference.isName($0) }
      } else {
        guard let name = text(parts, frame) else { return nil }
        names.append(name)
        if !Reference.isName(name), !parts.allSatisfy(\.isText) { refused = refused ?? name }
      }
    }
    return (names, refused)
  }

  /// The text that parts are together; nil when an expression among them unwinds.
  private func text(_ parts: [Part], _ frame: Frame) -> String? {
    var text = ""
    for part in parts {
      switch part {
      case .text(let plain): text += plain
      case .value(let node), .splice(let node):
        let value = node.evaluate(frame)
        guard !value.isUnwind, let piece = withMachine(in: frame, { $0.pathText(value) }) else {
          return nil
        }
        text += piece
      }
    }
    return text
  }

  /// Why what an expression gives is no component of a path.
  private func refusal(of name: String, _ names: [String], _ host: String?) -> StoreError {
    let start = host.map { "//\($0)/" } ?? (isAbsolute ? "/" : "")
    let written = scheme + ":" + code.source.text(in: range)
    return Reference.refusal(
      of: name, in: scheme + ":" + start + names.joined(separator: "/"),
      origin: "an expression in '\(written)' gives")
  }
}

extension ReferenceNode.Part {
  fileprivate var isText: Bool {
    if case .text = self { true } else { false }
  }
}

/// The store of a scheme: `mem:`.
final class SchemeNode: SiteNode {
  let cell: ObjectRef
  let name: String

  init(cell: ObjectRef, name: String, at position: CodePosition) {
    self.cell = cell
    self.name = name
    super.init(at: position)
  }

  override func evaluate(_ frame: Frame) -> Value {
    let store = cell[slot: 0]
    guard store.isUndefined else { return store }
    return withMachine(in: frame) { $0.signal(.unknownScheme(name, $0)) }
  }
}

/// The store of a scheme where the receiver brings schemes of its own: these come first.
final class OwnSchemeNode: SiteNode {
  let receiver: NodeRef
  let name: String
  /// Finds the scheme in the interpreter's table.
  let other: NodeRef

  init(receiver: NodeRef, name: String, other: NodeRef, at position: CodePosition) {
    self.receiver = receiver
    self.name = name
    self.other = other
    super.init(at: position)
  }

  override func evaluate(_ frame: Frame) -> Value {
    let receiver = receiver.evaluate(frame)
    let own = withMachine(in: frame) { $0.ownScheme(name, of: receiver) }
    return own.isNil ? other.evaluate(frame) : own
  }
}

/// A verb on a place of a store.
final class StoreNode: SiteNode {
  let verb: PropertyVerb
  let store: NodeRef
  let reference: NodeRef
  /// The frame slot in which the value waits (put and post).
  let valueSlot: Int

  init(
    _ verb: PropertyVerb, store: NodeRef, reference: NodeRef, valueSlot: Int,
    at position: CodePosition
  ) {
    self.verb = verb
    self.store = store
    self.reference = reference
    self.valueSlot = valueSlot
    super.init(at: position)
  }

  override func evaluate(_ frame: Frame) -> Value {
    let store = store.evaluate(frame)
    if store.isUnwind { return store }
    frame[depth - 1] = store
    let reference = reference.evaluate(frame)
    if reference.isUnwind { return reference }
    frame[depth - 1] = reference
    return withMachine(in: frame) { machine in
      switch verb {
      case .get: machine.get(reference, from: store)
      case .put: machine.write(frame[valueSlot], at: reference, in: store)
      case .post: machine.post(frame[valueSlot], to: reference, in: store)
      case .delete: machine.delete(reference, in: store).isUnwind ? .unwind : .nil
      }
    }
  }
}

/// A path through objects, from a base through properties: read, written or added to.
final class PathNode: SiteNode {
  let base: NodeRef
  let names: NodeList
  let verb: PropertyVerb
  /// Where the value that is put or posted waits.
  let valueSlot: Int

  /// `position`: its depth lies behind the base and the names, which are kept there.
  init(
    base: NodeRef, names: NodeList, _ verb: PropertyVerb, valueSlot: Int = 0,
    at position: CodePosition
  ) {
    self.base = base
    self.names = names
    self.verb = verb
    self.valueSlot = valueSlot
    super.init(at: position)
  }

  override func evaluate(_ frame: Frame) -> Value {
    let first = depth - names.count - 1
    let object = base.evaluate(frame)
    if object.isUnwind { return object }
    frame[first] = object
    for index in 0..<names.count {
      let name = names[index].evaluate(frame)
      if name.isUnwind { return name }
      frame[first + 1 + index] = name
    }
    return withMachine(in: frame) { machine in
      let path = (0..<names.count).map { frame[first + 1 + $0] }
      switch verb {
      case .get: return machine.follow(path, from: object)
      case .put, .delete: return machine.put(frame[valueSlot], at: path, of: object)
      case .post: return machine.post(frame[valueSlot], to: path, of: object)
      }
    }
  }
}

/// A name in a query: a property of the element if it has one, else what the name means outside.
final class QueryNameNode: SiteNode {
  let element: NodeRef
  /// The name as a message and as a key.
  let name: Selector
  let key: Value
  /// What the name means outside; answers `undefined` when it means nothing.
  let outer: NodeRef

  /// `key`: a symbol, which the code keeps.
  init(element: NodeRef, name: Selector, key: Value, outer: NodeRef, at position: CodePosition) {
    self.element = element
    self.name = name
    self.key = key
    self.outer = outer
    super.init(at: position)
  }

  override func evaluate(_ frame: Frame) -> Value {
    let element = element.evaluate(frame)
    if element.isUnwind { return element }
    frame[depth - 1] = element
    let property = withMachine(in: frame) { $0.queriedProperty(name, key: key, of: element) }
    guard property.isUndefined else { return property }
    let outer = outer.evaluate(frame)
    guard outer.isUndefined else { return outer }
    return withMachine(in: frame) { $0.lastProperty(name, of: element) }
  }
}

/// `ref:x`: a variable as an object.
final class VariableReferenceNode: SiteNode {
  let place: PlaceExpression
  let name: String

  init(place: PlaceExpression, name: String, at position: CodePosition) {
    self.place = place
    self.name = name
    super.init(at: position)
  }

  override func evaluate(_ frame: Frame) -> Value {
    let object: ObjectRef
    var slot = 0
    switch place {
    case .context(let contextSlot, let hops, let index):
      object = frame.context(in: contextSlot, hops: hops)
      slot = index
    case .instanceVariable(let index, let isInBlock):
      object = ObjectRef(isInBlock ? Closure(frame.receiver).receiver : frame.receiver)
      slot = index
    case .cell(let cell): object = cell
    case .path, .property, .chain, .element, .stored, .computed:
      // The builder makes this node for names only.
      return signal(.notAvailable("this reference"), in: frame)
    }
    return withMachine(in: frame) { machine in
      let reference = machine.makeInstance(of: "VariableReference")
      reference[slot: 0] = Value(object)
      reference[slot: 1] = Value(small: slot)
      reference[slot: 2] = machine.makeString(name)
      return Value(reference)
    }
  }
}
