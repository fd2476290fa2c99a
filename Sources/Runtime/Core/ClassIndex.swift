/// The indices of the classes that the evaluator itself knows.
///
/// The first nine follow from the encoding of immediate values; see `Value.classIndex`.
enum ClassIndex {
  @inline(__always) static var smallInteger: UInt32 { 1 }
  @inline(__always) static var float: UInt32 { 2 }
  @inline(__always) static var undefinedObject: UInt32 { 3 }
  @inline(__always) static var `false`: UInt32 { 4 }
  @inline(__always) static var `true`: UInt32 { 5 }
  @inline(__always) static var character: UInt32 { 7 }
  /// The zeros among the floats, whose class is that of all floats.
  @inline(__always) static var zeroFloat: UInt32 { 9 }
  @inline(__always) static var largeInteger: UInt32 { 10 }
  @inline(__always) static var string: UInt32 { 11 }
  @inline(__always) static var symbol: UInt32 { 12 }
  @inline(__always) static var byteArray: UInt32 { 13 }
  @inline(__always) static var array: UInt32 { 14 }
  @inline(__always) static var blockClosure: UInt32 { 15 }
  /// Contexts hold captured variables; no program sees one.
  @inline(__always) static var context: UInt32 { 16 }
  /// Cells hold the variables of scripts and classes; no program sees one.
  @inline(__always) static var variableCell: UInt32 { 17 }
  /// The first index for classes that are known by name.
  static let firstFree: UInt32 = 18
}

extension Value {
  /// The index of the value's class.
  @inline(__always) var classIndex: UInt32 {
    if isObject { return ObjectRef(self).classIndex }
    if bits & 1 != 0 { return ClassIndex.smallInteger }
    if bits & 2 != 0 { return ClassIndex.float }
    return ClassIndex.undefinedObject &+ UInt32(truncatingIfNeeded: bits >> 3 & 7)
  }

  /// Whether this is an object of the class with that index, subclasses not counted.
  @inline(__always)
  func isObject(ofClass index: UInt32) -> Bool {
    isObject && ObjectRef(self).classIndex == index
  }
}
