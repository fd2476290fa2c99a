// The names of places that one text means in turn: those of each instance of a class, of the elements of
// a collection, and those whose names have expressions in braces.

internal import TenonSolverKit
internal import TenonTables

/// Data about all places for naming some of them, kept while many are named.
struct NameTable {
  /// The names that places of several instances of a class have in common.
  var shared: Set<SharedName> = []
  /// The variable of the program that holds a collection, rather than one that a prompt has set.
  var holders: [UInt: String] = [:]
  /// The cell that holds a collection which no variable of the program holds.
  var cells: [UInt: CellID] = [:]

  struct SharedName: Hashable {
    let classIndex: Int
    let name: String

    /// Creates the shared name of a variable; all forms of its own name alone count as one.
    init(_ classIndex: Int, _ name: String, of variable: String) {
      self.classIndex = classIndex
      let isBare = name == variable || name.hasSuffix("/" + variable) && !name.hasPrefix("var:")
      self.name = isBare || name == "ivar:" + variable ? variable : name
    }
  }
}

/// The numbers of instances that no variable of the program holds, as in messages: `Tank 2`.
struct InstanceNumbers {
  /// The numbers by the addresses of the objects.
  private var numbers: [UInt: Int] = [:]
  /// The last number of each class.
  private var last: [Int: Int] = [:]

  var isEmpty: Bool { numbers.isEmpty }

  /// The number of an object, if it has one.
  subscript(object: Value) -> Int? { numbers[object.bits] }

  /// Gives an object the next number of its class, unless it has one.
  mutating func number(_ object: Value, ofClass index: Int) {
    guard numbers[object.bits] == nil else { return }
    last[index, default: 0] += 1
    numbers[object.bits] = last[index]
  }

  /// Forgets the objects that are gone.
  mutating func removeAll(where isGone: (Value) -> Bool) {
    numbers = numbers.filter { !isGone(Value(bits: $0.key)) }
  }
}

/// What tells the places of equal names apart in messages.
final class Naming {
  /// The table for naming many places: nothing yet at first; nil at any other time.
  var nameTable: NameTable??
  var instanceNumbers = InstanceNumbers()
}

extension ConnectionGraph {
  /// Names many places: the data gathered for the first one is kept for all.
  func withNames<Result>(_ body: () -> Result) -> Result {
    let outer = naming.nameTable
    if outer == nil { naming.nameTable = .some(nil) }
    defer { naming.nameTable = outer }
    return body()
  }

  /// Returns the data about all places, where many are named; nil where it is one.
  ///
  /// - Complexity: O(cells + variables of the program), once within `withNames`.
  private func knownNames() -> NameTable? {
    guard let known = naming.nameTable else { return nil }
    if let known { return known }
    let table = makeNameTable()
    naming.nameTable = .some(table)
    return table
  }

  private func makeNameTable() -> NameTable {
    var table = NameTable()
    for (name, cell) in machine.session.cells.sorted(by: { $0.key < $1.key }) {
      let bits = cell[slot: 0].bits
      if table.holders[bits]?.hasPrefix("_") ?? true { table.holders[bits] = name }
    }
    var owners: [NameTable.SharedName: Value] = [:]
    for cell in cells.indices.lazy.map({ CellID($0) }) where !self[cell].isFree {
      let place = place(of: cell)
      guard place.kind == .slot || place.kind == .property else { continue }
      if place.kind == .slot {
        let value = ObjectRef(place.object)[slot: place.index]
        if value.isObject, table.cells[value.bits] == nil { table.cells[value.bits] = cell }
      }
      guard let name = sharedName(of: place, called: self[cell].name) else { continue }
      if let owner = owners[name] {
        if owner != place.object { table.shared.insert(name) }
      } else {
        owners[name] = place.object
      }
    }
    return table
  }

  /// Returns the class of the instance whose variable or property a place is; nil for any other place.
  private func instanceClass(of place: Place) -> Int? {
    switch place.kind {
    case .property: break
    case .slot where machine.instanceVariableName(of: place) != nil: break
    default: return nil
    }
    return place.object.isObject ? Int(ObjectRef(place.object).classIndex) : nil
  }

  /// Returns the name of a place that another instance may share; nil for a place of no instance.
  private func sharedName(of place: Place, called name: String) -> NameTable.SharedName? {
    guard let index = instanceClass(of: place), let variable = variableName(of: place) else {
      return nil
    }
    return NameTable.SharedName(index, name, of: variable)
  }

  private func variableName(of place: Place) -> String? {
    machine.instanceVariableName(of: place) ?? machine.text(place.key)
  }

  /// Returns whether a place of another instance of a class has the same name.
  private func isShared(_ name: NameTable.SharedName, by place: Place) -> Bool {
    if let known = knownNames() { return known.shared.contains(name) }
    return cells.indices.contains { index in
      let (cell, other) = (CellID(index), hot[Int32(index)])
      guard other.kind == .slot || other.kind == .property, other.object != place.object,
        !self[cell].isFree
      else { return false }
      return sharedName(of: self.place(of: cell), called: self[cell].name) == name
    }
  }

  /// Returns the first variable of the program that holds an object.
  private func variable(holding object: Value) -> String? {
    if let known = knownNames() { return known.holders[object.bits] }
    return machine.scriptVariables { ObjectRef($0)[slot: 0] == object }.first
  }

  /// Returns the first cell of a variable that holds an object.
  private func cell(holding object: Value) -> CellID? {
    if let known = knownNames() { return known.cells[object.bits] }
    return cells.indices.lazy.map { CellID($0) }.first { cell in
      let place = place(of: cell)
      return place.kind == .slot && !self[cell].isFree
        && ObjectRef(place.object)[slot: place.index] == object
    }
  }

  /// Returns the name of a variable or property of an instance, with the instance before it where another
  /// instance of its class shares the name.
  func distinctName(of place: Place, called name: String) -> String {
    guard let shared = sharedName(of: place, called: name),
      let variable = variableName(of: place), name.names(variable)
    else { return name }
    if let space = name.firstIndex(of: " "),
      let cell = machine.session.cells[String(name[..<space])],
      cell[slot: 0] == place.object
    {
      return name
    }
    let isShared = isShared(shared, by: place)
    guard isShared || name.hasExpressions else { return name }
    if !isShared, let prefix = name.pathBeforeExpression { return prefix + variable }
    return "\(instanceName(of: place.object)) \(variable)"
  }

  /// Returns the variable of the program that holds an instance, else its class and its number.
  private func instanceName(of object: Value) -> String {
    if let name = variable(holding: object) { return name }
    let info = machine.classInfo(of: object)
    let index = Int(info.index)
    if naming.instanceNumbers[object] == nil {
      // In the order of their cells, which is the same in each run.
      for cell in cells.indices.lazy.map({ CellID($0) }) where !self[cell].isFree {
        let place = place(of: cell)
        guard instanceClass(of: place) == index else { continue }
        naming.instanceNumbers.number(place.object, ofClass: index)
      }
      naming.instanceNumbers.number(object, ofClass: index)
    }
    return "\(info.name) \(naming.instanceNumbers[object] ?? 0)"
  }

  /// Returns the holder of a collection: a variable of the program, or a place that has a cell.
  func holder(of collection: Value) -> String? {
    if let name = variable(holding: collection) { return name }
    guard let cell = cell(holding: collection) else { return nil }
    let place = place(of: cell)
    // A variable that no text names says less than the collection.
    if !self[cell].isNamed, instanceClass(of: place) == nil { return nil }
    return distinctName(of: place, called: self[cell].name)
  }

  /// Returns the name of an element after the holder of its collection: `list[2]`, `words['de']`.
  ///
  /// `name`: its name in a text; nil where there is none.
  func elementName(of place: Place, called name: String?) -> String {
    let key = place.index >= 0 ? String(place.index + 1) : machine.describe(place.key)
    guard let name else {
      return "\(holder(of: place.object) ?? machine.describe(place.object))[\(key)]"
    }
    guard let collection = name.collectionOfElement else {
      // A path, as `var:settings/size`.
      guard name.hasExpressions, let prefix = name.pathBeforeExpression else { return name }
      return prefix + (place.index >= 0 ? key : machine.displayText(place.key))
    }
    if let cell = machine.session.cells[collection], cell[slot: 0] == place.object {
      return "\(collection)[\(key)]"
    }
    let holder = holder(of: place.object) ?? (collection.hasExpressions ? nil : collection)
    return "\(holder ?? machine.describe(place.object))[\(key)]"
  }
}

extension String {
  /// Returns whether it is the name of a variable or ends with that, and not the name of a statement for a
  /// place of the kernel's.
  fileprivate func names(_ variable: String) -> Bool {
    hasSuffix("}")
      || hasSuffix(variable)
        && (utf8.count == variable.utf8.count
          || [" ", "/", ":"].contains { hasSuffix($0 + variable) })
  }

  /// The part before the index in the text of an element; nil for any other text.
  fileprivate var collectionOfElement: String? {
    guard hasSuffix("]") else { return nil }
    var depth = 0
    for index in indices.reversed() {
      if self[index] == "]" { depth += 1 }
      if self[index] == "[" { depth -= 1 }
      if depth == 0 { return index == startIndex ? nil : String(self[..<index]) }
    }
    return nil
  }

  /// The part before the last component of a path that is an expression in braces; nil where it is
  /// not the only one.
  fileprivate var pathBeforeExpression: String? {
    guard hasSuffix("}"), let brace = firstIndex(of: "{"), self[..<brace].hasSuffix("/"),
      !self[index(after: brace)...].contains("{")
    else { return nil }
    return String(self[..<brace])
  }
}
