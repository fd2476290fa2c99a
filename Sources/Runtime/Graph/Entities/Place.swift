internal import TenonSolverKit

/// A place in the interpreter's own heap, or in a store, that connections can join.
struct Place: Equatable {
  enum Kind: UInt8 {
    /// A slot: an instance variable, a captured variable, a variable of a script.
    case slot
    /// An element of an array, or the value at a key of a dictionary.
    case element
    /// A property whose accessors are methods of the program's own.
    case property
    /// A place in a store.
    case stored
    /// All of a collection: any of its elements.
    case whole
  }

  let kind: Kind
  /// The object, the collection, the receiver or the store.
  let object: Value
  /// The number of the slot, the offset of the element, or -1.
  let index: Int
  /// The key, the selector as a symbol, or the reference; nil where there is an index.
  let key: Value

  static func slot(_ object: ObjectRef, _ index: Int) -> Place {
    Place(kind: .slot, object: Value(object), index: index, key: .nil)
  }

  static func whole(_ object: ObjectRef) -> Place {
    Place(kind: .whole, object: Value(object), index: -1, key: .nil)
  }
}

extension Place: Hashable {
  func hash(into hasher: inout Hasher) {
    hasher.combine(object.bits)
    hasher.combine(index)
    hasher.combine(key.bits)
  }
}
