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
