// What messages call places and connections that the program has not named itself.

extension String {
  /// Whether it is what a class calls a place of its instances.
  var isOfInstance: Bool { hasPrefix(instanceScheme) && !contains("/") }
}

private let instanceScheme = "ivar:"

extension ConnectionGraph {
  /// What messages call a place.
  ///
  /// A place that only its class has named, as `ivar:right`, is called after its object: as another
  /// of its places is called, else as the variable of the program that holds the object; a variable
  /// that only a group has named is called by its own name.
  /// - Complexity: O(variables of the program) for such places, else O(1).
  func displayName(of cell: CellID) -> String {
    let name = self[cell].name
    let place = place(of: cell)
    guard place.kind == .slot else { return name }
    if name.isOfInstance {
      return owner(of: place).map { $0 + name.dropFirst(instanceScheme.count) } ?? name
    }
    guard name.hasPrefix("var:"), name.contains("/") else { return name }
    return machine.scriptVariables { $0 == place.object }.first ?? name
  }

  /// What a formula reads of the program's: not the operands by which the kernel computes in place of
  /// a statement.
  func shownInputs(of formula: Formula) -> [CellID] {
    formula.connection.statement.origin == .standIn ? formula.dynamicInputs : formula.inputs
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
    scriptCells.filter { isMeant(Value($0.value)) }.map(\.key).sorted()
  }
}
