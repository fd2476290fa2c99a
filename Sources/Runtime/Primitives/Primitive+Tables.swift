internal import TenonStoreKit

extension Primitive {
  /// The primitives of a class of the kernel, by the class's name; `Array class` is the class side.
  ///
  /// A row whose class does not exist, or whose selector the class's text defines as well, is
  /// refused when the kernel is checked.
  static func table(for className: String) -> [Primitive] {
    switch className {
    case "Object":
      object + comparison + deepCopying + instanceVariables + finalization
        + announcements + keptObjects
    case "Class": classSide + classReflection
    case "Metaclass": metaclassSide
    case "Boolean": boolean
    case "Number": number
    case "SequenceableCollection": sequenceEquality
    case "Integer": integer
    case "Float": float
    case "Float class": floatClass
    case "Character": character
    case "Character class": characterClass
    case "String":
      string + stringCases + stringGraphemes + stringCodings + encodedText + stringLoops
    case "Symbol": symbol
    case "Array": array + arrayLoops + arraySort
    case "Array class": arrayClass
    case "ByteArray": byteArray + byteArrayCodings
    case "ByteArray class": byteArrayClass
    case "OrderedCollection": orderedCollection + orderedCollectionLoops
    case "Collection": collectionChanges
    case "HashedCollection": hashedCollection + hashedLoops
    case "LinkedList": linkedList
    case "Dictionary": dictionary + dictionaryLoops
    case "IdentityDictionary": identityDictionary
    case "Bag": bag
    case "Set": set + setLoops
    case "IdentitySet": identitySet
    case "BlockClosure": blockClosure + blockText + blockInspection
    case "Exception": exception + exceptionPlaces
    case "WriteStream": writeStream
    case "OutputStream": outputStream
    case "InputStream": inputStream
    case "ExternalReadStream": externalReadStream
    case "ExternalWriteStream": externalWriteStream
    default: connectorTable(for: className)
    }
  }

  /// Those of connectors and stores.
  private static func connectorTable(for className: String) -> [Primitive] {
    switch className {
    case "Inverse class": inverseClass
    case "ConnectorTable class": connectorTableClass
    case "SolverCell": solverCell
    case "SolverTurn": solverTurn
    case "SolverTable class": solverTableClass
    case "Connection":
      connection + forcing + explaining + observers + invariants + tolerance + linkedConnection
    case "Connection class": connectionClass
    case "Relay class": relayClass
    case "QueuedPolicy": queuedPolicy
    case "MemoryStore": memoryStore + memoryDirectories + keptPlaces
    case "NativeStore class": nativeStoreClass
    case "ResourceStatus class": resourceStatusClass
    case "Reference":
      reference + explaining + referenceParts + referenceForms + referenceComparison
        + referenceSchemes
    case "Reference class": referenceClassSide
    case "Group": group
    case "EntryReference": entryReference
    case "StoreConnection class": storeConnectionClass
    case "ConnectionList": connectionList
    case "ConnectionTrace": connectionTrace
    case "Diagram class": diagramClass
    case "Interval": intervalLoops
    case "Random class": randomClass
    case "Regex": regex
    case "JSON class": jsonClass
    case "PropertyList class": propertyListClass
    case "CSV": csv
    case "RunLoop class": runLoopClass
    case "Timer": timer
    case "Time class": timeClass
    case "Date class": dateClass
    case "DateTime class": dateTimeClass
    case "TimeZone": timeZone
    case "TimeZone class": timeZoneClass
    case "WeakReference": weakReference
    case "Smalltalk class": smalltalkClass + dependents
    case "Script": script
    case "Prompt class": promptClass
    case "Store": store + storePlaces + storeChanges + locating + describedPlaces
    case "NativeStore": nativeStore + linkedStore
    case "PersistentStore": persistentStore
    case "Scheme": scheme
    case "SchemeTable": schemeTable
    case "VariableReference": variableReference + explaining
    case "ObjectStore": objectStore
    case "PropertyReference": propertyReference + explaining
    default: []
    }
  }
}

// MARK: - Arguments

extension Machine {
  /// The integer of an argument that must be a SmallInteger.
  @inline(__always)
  func integer(_ value: Value) throws(Failure) -> Int {
    guard let integer = value.asSmallInteger else {
      throw .invalidArgument("an integer", found: describe(value))
    }
    return integer
  }

  /// The offset, from 0, of an index that must lie in `1 ... count`.
  @inline(__always)
  func offset(_ value: Value, count: Int) throws(Failure) -> Int {
    guard let index = value.asSmallInteger else { throw noIndex(value, count: count) }
    guard index >= 1, index <= count else { throw outOfBounds(index, count: count) }
    return index - 1
  }

  /// Why a value is no index.
  private func noIndex(_ value: Value, count: Int) -> Failure {
    value.isObject(ofClass: ClassIndex.largeInteger)
      ? outOfBounds(value, count: count)
      : .invalidArgument("an index", found: describe(value))
  }

  /// The object of an argument that must be a string or symbol.
  @inline(__always)
  func string(_ value: Value) throws(Failure) -> ObjectRef {
    guard isString(value) else { throw .invalidArgument("a string", found: describe(value)) }
    return ObjectRef(value)
  }

  /// The text of an argument that must be a string or symbol.
  func swiftString(_ value: Value) throws(Failure) -> String {
    let object = try string(value)
    return unsafe String(decoding: object.bytes, as: UTF8.self)
  }

  /// The object of an argument that must be an array.
  func array(_ value: Value) throws(Failure) -> ObjectRef {
    guard value.isObject(ofClass: ClassIndex.array) else {
      throw .invalidArgument("an array", found: describe(value))
    }
    return ObjectRef(value)
  }

  /// The class of an argument that must be one.
  func classArgument(_ value: Value) throws(Failure) -> ClassInfo {
    guard let info = classInfo(named: value) else {
      throw .invalidArgument("a class", found: describe(value))
    }
    return info
  }
}
