internal import TenonSolverKit
internal import TenonStoreKit
internal import TenonText

// The names in messages of places and connections that the program has not named itself.

extension String {
  /// Whether it is the name that a class gives a place of its instances.
  var isOfInstance: Bool { hasPrefix(instanceScheme) && !contains("/") }
  /// Whether it is the name of the place that a reference refers to, as in the kernel's connectors.
  var isOfReference: Bool { hasSuffix(" value") || self == "var:left/value" }
  /// Whether it contains an expression in braces, or an index.
  var hasExpressions: Bool { utf8.contains { $0 == UInt8(ascii: "{") || $0 == UInt8(ascii: "[") } }
}

private let instanceScheme = "ivar:"

extension ConnectionGraph {
  /// Returns the name of a place in messages.
  ///
  /// A place that only its class has named, as `ivar:right`, is named after its object: as another
  /// of its places is named, else by the variable of the program that holds the object; a place that only a
  /// group has named, or the definition of a connector as `left value`, has its own name.
  /// A text that means another place each time it runs, as `mem:c/{n}`, `list[i]` or a name
  /// in a class, is replaced by the name of the place that was meant.
  /// - Complexity: O(variables of the program), and O(cells) for instances and for elements of
  ///   collections that no variable of the program holds; for many places at once see `withNames`.
  func displayName(of cell: CellID) -> String {
    displayName(of: place(of: cell), called: self[cell].name, isNamed: self[cell].isNamed)
  }

  /// Returns the name in messages of a place that has a name in a text, or else in the class of its object.
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

  /// Returns whether a place is a variable that no text names: an argument of code of the kernel.
  func isNameless(_ cell: CellID) -> Bool {
    let place = place(of: cell)
    return place.kind == .slot && !self[cell].isNamed
      && machine.classInfo(of: place.object).instanceVariables.isEmpty
      && machine.ownName(of: place) == nil
  }

  /// Returns the inputs of a formula that belong to the program: not the operands by which the kernel
  /// computes in place of a statement.
  func shownInputs(of formula: Formula) -> [CellID] {
    formula.connection.statement.origin == .standIn ? formula.dynamicInputs : formula.inputs
  }

  /// Returns whether a place stands between the two connectors that make up one of the program's: it is no
  /// place of the program.
  func isInner(_ cell: CellID) -> Bool {
    let place = place(of: cell)
    guard place.kind == .slot else { return false }
    let info = machine.classInfo(of: place.object)
    return info.inherits(from: machine.kernelClass("ComposedConnector"))
      && info.slot(of: "between") == place.index
  }

  /// Returns the places of the program among some, and the sources of those between connectors.
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

  /// Returns the part before the variable in the names of the object's places.
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

  /// Returns the text of a connection in messages: the places of one that makes up a view as those of the
  /// cell's view.
  func text(of connection: Connection, at cell: CellID) -> String {
    let text = connection.text
    guard connection.statement.origin == .kernel else { return text }
    let place = place(of: cell)
    guard place.kind == .slot, let owner = owner(of: place) else { return text }
    return text.replacing(instanceScheme, with: owner)
  }
}

extension Machine {
  /// Returns the name in messages of the place that a connection writes.
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

  /// Returns the name of an instance variable in the text of its class; nil for any other place.
  func instanceVariableName(of place: Place) -> String? {
    guard place.kind == .slot else { return nil }
    let variables = classInfo(of: place.object).instanceVariables
    return variables.indices.contains(place.index) ? variables[place.index].name : nil
  }

  /// Returns the name that the program gives a variable or a place in a store, whatever else refers to it;
  /// nil for any other place.
  ///
  /// - Complexity: O(variables of the program).
  func ownName(of place: Place) -> String? {
    switch place.kind {
    case .slot: scriptVariables { $0 == place.object }.first
    case .stored: (try? reference(place.key))?.description
    case .element, .property, .whole: nil
    }
  }

  /// Returns the name of a store in programs: its scheme, else the variable that holds it; nil for a value
  /// that is no store, or has no name.
  func storeName(_ store: Value) -> String? {
    guard isStore(store) else { return nil }
    if let scheme = schemeNames.first(where: { schemeCell(named: $0)[slot: 0] == store }) {
      return "\(scheme):"
    }
    return scriptVariables { ObjectRef($0)[slot: 0] == store }.first
  }

  /// Returns the names of the program's variables that satisfy a condition, in order.
  func scriptVariables(where isMeant: (Value) -> Bool) -> [String] {
    let names = session.cells.filter { isMeant(Value($0.value)) }.map(\.key).sorted()
    return names.filter { !$0.hasPrefix("_") } + names.filter { $0.hasPrefix("_") }
  }
}
