internal import TenonSolverKit
internal import TenonStoreKit
internal import TenonText

// What messages call places and connections that the program has not named itself.

extension String {
  /// Whether it is what a class calls a place of its instances.
  var isOfInstance: Bool { hasPrefix(instanceScheme) && !contains("/") }
  /// Whether it is what the place is called that a reference refers to, as the kernel's connectors do.
  var isOfReference: Bool { hasSuffix(" value") || self == "var:left/value" }
  /// Whether it says an expression in braces, or an index.
  var hasExpressions: Bool { utf8.contains { $0 == UInt8(ascii: "{") || $0 == UInt8(ascii: "[") } }
}

private let instanceScheme = "ivar:"

extension ConnectionGraph {
  /// What messages call a place.
  ///
  /// A place that only its class has named, as `ivar:right`, is called after its object: as another
  /// of its places is called, else as the variable of the program that holds the object; what only a
  /// group has named, or the definition of a connector as `left value`, is called by its own name.
  /// What a text says that means another place each time it runs, as `mem:c/{n}`, `list[i]` or a name
  /// in a class, is told as the place that was meant.
  /// - Complexity: O(variables of the program), and O(cells) for instances and for elements of
  ///   collections that no variable of the program holds; for many places at once see `withNames`.
  func displayName(of cell: CellID) -> String {
    displayName(of: place(of: cell), called: self[cell].name, isNamed: self[cell].isNamed)
  }

  /// What messages call a place that a text, or else the class of its object, calls something.
  func displayName(of place: Place, called name: String, isNamed: Bool = true) -> String {
    if name.isOfReference {
      return machine.ownName(of: place) ?? machine.instanceVariableName(of: place) ?? name
    }
    switch place.kind {
    case .stored:
      return isNamed && !name.hasExpressions ? name : machine.ownName(of: place) ?? name
    case .slot:
      if name.isOfInstance {
        return owner(of: place).map { $0 + name.dropFirst(instanceScheme.count) }
          ?? distinctName(of: place, called: name)
      }
      if name.hasPrefix("var:"), name.contains("/") {
        return machine.ownName(of: place) ?? distinctName(of: place, called: name)
      }
      return distinctName(of: place, called: name)
    case .property: return distinctName(of: place, called: name)
    case .element: return elementName(of: place, called: isNamed ? name : nil)
    case .whole: return isNamed ? name : holder(of: place.object) ?? name
    }
  }

  /// Whether a place is a variable that no text names: an argument of what the kernel does.
  func isNameless(_ cell: CellID) -> Bool {
    let place = place(of: cell)
    return place.kind == .slot && !self[cell].isNamed
      && machine.classInfo(of: place.object).instanceVariables.isEmpty
      && machine.ownName(of: place) == nil
  }

  /// What a formula reads of the program's: not the operands by which the kernel computes in place of
  /// a statement.
  func shownInputs(of formula: Formula) -> [CellID] {
    formula.connection.statement.origin == .standIn ? formula.dynamicInputs : formula.inputs
  }

  /// Whether a place stands between the two connectors that one of the program's is made of: that is no
  /// place of the program.
  func isInner(_ cell: CellID) -> Bool {
    let place = place(of: cell)
    guard place.kind == .slot else { return false }
    let info = machine.classInfo(of: place.object)
    return info.inherits(from: machine.kernel.composedConnector)
      && info.slot(of: "between") == place.index
  }

  /// The places of the program among some, or what those between connectors come from.
  ///
  /// - Complexity: O(cells), and O(connectors) that others are made of.
  func places(of cells: [CellID]) -> [CellID] {
    guard cells.contains(where: { isInner($0) }) else { return cells }
    var found: [CellID] = []
    var visited: Set<CellID> = []
    var open = Array(cells.reversed())
    while let cell = open.popLast() {
      guard visited.insert(cell).inserted else { continue }
      guard isInner(cell) else {
        found.append(cell)
        continue
      }
      if let owner = self[cell].owner {
        // The text of such a formula is the kernel's, and names its own variables.
        open += owner.dynamicInputs.reversed()
      } else if let region = self[cell].region {
        for constraint in region.constraints where constraint.cells.contains(cell) {
          open += constraint.cells
        }
      }
    }
    return found
  }

  /// What stands before the name of a variable in what the object's places are called.
  private func owner(of place: Place) -> String? {
    let info = machine.classInfo(of: place.object)
    for (index, variable) in info.instanceVariables.enumerated() {
      guard let other = cellsByPlace[.slot(ObjectRef(place.object), index)] else { continue }
      let name = self[other].name
      for end in [" ", "/"] where name.hasSuffix(end + variable.name) {
        return String(name.dropLast(variable.name.count))
      }
    }
    return machine.scriptVariables { ObjectRef($0)[slot: 0] == place.object }.first.map { $0 + " " }
  }

  /// What messages call a connection: the places of one that makes up a view as those of the cell's
  /// view.
  func text(of connection: Connection, at cell: CellID) -> String {
    let text = connection.text
    guard connection.statement.origin == .kernel else { return text }
    let place = place(of: cell)
    guard place.kind == .slot, let owner = owner(of: place) else { return text }
    return text.replacing(instanceScheme, with: owner)
  }
}

extension Machine {
  /// What messages call what a connection writes.
  func displayName(of operand: ConnectionSpec.Operand) -> String {
    let place: Place? =
      switch operand.place {
      case .place(let place): place
      case .path where operand.name.isOfReference || operand.name.hasExpressions, .computed:
        aim(operand.place).place
      case .path: nil
      }
    return place.map { graph.displayName(of: $0, called: operand.name) } ?? operand.name
  }

  /// What the text of a class calls a variable of its instances; nil for any other place.
  func instanceVariableName(of place: Place) -> String? {
    guard place.kind == .slot else { return nil }
    let variables = classInfo(of: place.object).instanceVariables
    return variables.indices.contains(place.index) ? variables[place.index].name : nil
  }

  /// What the program calls a variable or a place in a store, whoever else refers to it; nil for any
  /// other place.
  ///
  /// - Complexity: O(variables of the program).
  func ownName(of place: Place) -> String? {
    switch place.kind {
    case .slot: scriptVariables { $0 == place.object }.first
    case .stored: (try? reference(place.key))?.description
    case .element, .property, .whole: nil
    }
  }

  /// What a program calls a store: by its scheme, else by the variable that holds it; nil for what
  /// is no store, or has no name.
  func storeName(_ store: Value) -> String? {
    guard isStore(store) else { return nil }
    if let scheme = schemeNames.first(where: { schemeCell(named: $0)[slot: 0] == store }) {
      return "\(scheme):"
    }
    return scriptVariables { ObjectRef($0)[slot: 0] == store }.first
  }

  /// The names of the program's variables of which something holds, in order.
  func scriptVariables(where isMeant: (Value) -> Bool) -> [String] {
    session.cells.filter { isMeant(Value($0.value)) }.map(\.key).sorted()
  }
}
