/// The classes of a machine, by their numbers and names.
final class ClassTable {
  var infos: [ClassInfo?] = []
  var nextIndex = ClassIndex.firstFree
  /// The classes that have been made, and the cells of their names; see `Machine.classesByName`.
  var made: [String: ClassInfo] = [:] { didSet { nameChanges &+= 1 } }
  var madeCells: [String: ObjectRef] = [:] { didSet { nameChanges &+= 1 } }
  /// How often these have changed.
  private(set) var nameChanges = 0
  /// Whether all classes of the kernel have been made.
  var hasAllOfKernel = false
  /// The variables that instances of older layouts have no slots for, by the instance's address.
  var addedVariables: [UInt: Value] = [:]
}
