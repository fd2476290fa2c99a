/// The classes of a machine, by their numbers and names.
final class ClassTable {
  @safe @exclusivity(unchecked) var infos: [ClassInfo?] = []
  @safe @exclusivity(unchecked) var nextIndex = ClassIndex.firstFree
  /// The classes that have been made, and the cells of their names; see `Machine.classesByName`.
  @safe @exclusivity(unchecked) var made: [String: ClassInfo] = [:] { didSet { nameChanges &+= 1 } }
  @safe @exclusivity(unchecked) var madeCells: [String: ObjectRef] = [:] {
    didSet { nameChanges &+= 1 }
  }
  /// How often these have changed.
  @safe @exclusivity(unchecked) private(set) var nameChanges = 0
  /// Whether all classes of the kernel have been made.
  @safe @exclusivity(unchecked) var hasAllOfKernel = false
  /// The variables that instances of older layouts have no slots for, by the instance's address.
  @safe @exclusivity(unchecked) var addedVariables: [UInt: Value] = [:]

  /// Makes room for the classes with which an interpreter begins.
  func reserve() {
    infos.reserveCapacity(128)
    made.reserveCapacity(64)
    madeCells.reserveCapacity(64)
  }
}
