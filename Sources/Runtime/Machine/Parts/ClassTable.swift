/// The classes of a machine, by their numbers and names.
final class ClassTable {
  var infos: [ClassInfo?] = []
  var nextIndex = ClassIndex.firstFree
  /// The classes that have been made, and the cells of their names; see `Machine.classesByName`.
  var made: [String: ClassInfo] = [:]
  var madeCells: [String: ObjectRef] = [:]
  /// Whether all classes of the kernel have been made.
  var hasAllOfKernel = false
  /// The variables that instances of older layouts have no slots for, by the instance's address.
  var addedVariables: [UInt: Value] = [:]
}
