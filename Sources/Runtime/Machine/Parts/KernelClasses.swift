/// The classes of the kernel that Swift code asks for, each looked up when it is first needed.
final class KernelClasses {
  private let state: StateRef

  init(state: StateRef) { self.state = state }

  private func find(_ name: String) -> ClassInfo {
    state.withMachine { $0.kernelClass(name) }
  }

  // MARK: Objects and code
  lazy var object = find("Object")
  lazy var metaclass = find("Metaclass")
  lazy var block = find("BlockClosure")
  lazy var `protocol` = find("Protocol")
  lazy var script = find("Script")

  // MARK: Exceptions
  lazy var exception = find("Exception")
  lazy var error = find("Error")
  lazy var exit = find("Exit")

  // MARK: Numbers
  lazy var magnitude = find("Magnitude")
  lazy var number = find("Number")
  lazy var fraction = find("Fraction")
  lazy var fractionIndex = fraction.index  // Each recorded read asks for it.
  lazy var scaledDecimal = find("ScaledDecimal")

  // MARK: Collections and streams
  lazy var collection = find("Collection")
  lazy var sequence = find("SequenceableCollection")
  lazy var orderedCollection = find("OrderedCollection")
  lazy var interval = find("Interval")
  lazy var hashed = find("HashedCollection")
  lazy var dictionary = find("Dictionary")
  lazy var identityDictionary = find("IdentityDictionary")
  lazy var stream = find("Stream")

  // MARK: Stores and connectors
  lazy var store = find("Store")
  lazy var memoryStore = find("MemoryStore")
  lazy var nativeStore = find("NativeStore")
  lazy var persistentStore = find("PersistentStore")
  lazy var schemeTable = find("SchemeTable")
  lazy var group = find("Group")
  lazy var reference = find("Reference")
  lazy var variableReference = find("VariableReference")
}

/// Where the kernel's streams keep their variables.
enum StreamSlot {
  /// `printing` of PutStream comes first.
  static let buffer = 1
  static let size = 2
  static let isOfBytes = 3
  /// The number of an OutputStream.
  static let number = 1
}
