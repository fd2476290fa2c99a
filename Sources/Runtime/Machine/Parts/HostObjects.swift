/// Holds a value of the host for the objects of scripts that stand for it.
@usableFromInline
package class AnyHostBox {
  /// The value, whatever it is.
  package var content: Any { () }

  /// What tells the object apart from others; nil of a value that is no object.
  package var identity: ObjectIdentifier? { nil }
}

/// Holds a value of one type.
@usableFromInline
package final class HostBox<Content>: AnyHostBox {
  @safe @exclusivity(unchecked) @usableFromInline package var stored: Content

  /// The value, which is read and replaced as a whole, and never held while code of the host runs.
  @inlinable
  package var value: Content {
    @inline(__always) get { stored }
    @inline(__always) set { stored = newValue }
  }

  /// Creates a box.
  package init(_ value: Content) { stored = value }

  package override var content: Any { value }

  package override var identity: ObjectIdentifier? {
    Content.self is AnyObject.Type ? ObjectIdentifier(value as AnyObject) : nil
  }
}

/// Which objects of scripts stand for values of the host.
///
/// An object that the collector finds to be dead lets go of its value. A value that is an object of
/// Swift has one object in scripts as long as that lives.
final class HostObjects {
  @safe @exclusivity(unchecked) private var boxes: [UInt: AnyHostBox] = [:]
  /// The one that was asked for last: a loop asks for the same again and again.
  @safe @exclusivity(unchecked) private var last: (bits: UInt, box: AnyHostBox?) = (0, nil)
  private var objects: [ObjectIdentifier: UInt] = [:]
  /// What has lost its object, until the collection is over: its end may run code of the host.
  @safe @exclusivity(unchecked) private var lost: [AnyHostBox] = []

  /// The classes of the types that the host has declared.
  var classes: [ObjectIdentifier: ClassInfo] = [:]
  /// A property: the slot that tells of its changes, and its name as a symbol.
  typealias Property = (slot: Int, name: Value)
  /// Their properties, by key paths.
  private(set) var properties: [AnyKeyPath: Property] = [:]
  /// The same of key paths that have been asked for, by their identities: telling whether two are equal
  /// takes longer than all the rest.
  @safe @exclusivity(unchecked) private var known:
    [ObjectIdentifier: (path: AnyKeyPath, property: Property)] = [:]
  /// The one that was asked for last: a host sets the same again and again.
  @safe @exclusivity(unchecked) private var lastProperty: (path: ObjectIdentifier, Property)?
  /// The classes of the errors that the host has declared.
  var errorClasses: [ObjectIdentifier: ClassInfo] = [:]

  /// The value that an object stands for.
  @inline(__always)
  func box(of value: Value) -> AnyHostBox? {
    last.bits == value.bits ? last.box : find(value)
  }

  private func find(_ value: Value) -> AnyHostBox? {
    guard value.isObject, let box = boxes[value.bits] else { return nil }
    last = (value.bits, box)
    return box
  }

  /// Lets an object stand for a value.
  func enter(_ box: AnyHostBox, for value: Value) {
    guard value.isObject else { return }
    forget(value.bits)
    boxes[value.bits] = box
    if let identity = box.identity { objects[identity] = value.bits }
  }

  /// The object that stands for an object of Swift.
  func object(_ identity: ObjectIdentifier) -> Value? { objects[identity].map { Value(bits: $0) } }

  /// The error of an object that stands for nothing.
  func missing(_ description: String) -> ConversionError {
    ConversionError(
      "\(description) stands for no object of the host: it is a copy, or was made by 'basicNew'")
  }

  func enter(_ property: Property, at path: AnyKeyPath) { properties[path] = property }

  /// The property that a key path leads to.
  @inline(__always)
  func property(at path: AnyKeyPath) -> Property? {
    let identity = ObjectIdentifier(path)
    if let lastProperty, lastProperty.path == identity { return lastProperty.1 }
    return find(path, identity)
  }

  @inline(never)
  private func find(_ path: AnyKeyPath, _ identity: ObjectIdentifier) -> Property? {
    guard let property = known[identity]?.property ?? properties[path] else { return nil }
    if known[identity] == nil {
      // A program has few that it keeps; others may be made anew for each change.
      if known.count >= 1024 { known = [:] }
      known[identity] = (path, property)
    }
    // The table keeps the path, so that no other one has its identity.
    lastProperty = (identity, property)
    return property
  }

  private func forget(_ bits: UInt) {
    last = (0, nil)
    guard let old = boxes.removeValue(forKey: bits) else { return }
    if let identity = old.identity, objects[identity] == bits { objects[identity] = nil }
    lost.append(old)
  }

  /// Forgets the objects that a collection has not found.
  func purge(_ heap: Heap) {
    guard !boxes.isEmpty else { return }
    let dead = boxes.keys.filter { !heap.isMarked(ObjectRef(Value(bits: $0))) }
    for bits in dead { forget(bits) }
  }

  /// Lets go of what has lost its object; at a moment when the host's code may run.
  func release() {
    while !lost.isEmpty {
      // Its end may come back to here.
      let gone = lost
      lost = []
      withExtendedLifetime(gone) {}
    }
  }
}

/// Where an instance of the kernel's HostError keeps the error of the host, and the name of its type.
enum HostErrorSlot {
  static let cause = 5
  static let typeName = 6
}
