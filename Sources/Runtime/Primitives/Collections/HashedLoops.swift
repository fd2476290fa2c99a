/// Loops over the entries of dictionaries and sets, in the order in which the keys came.
extension Primitive {
  static let hashedLoops: [Primitive] = [
    Primitive("entriesDo: aBlock", "Evaluates aBlock with each key and value.") {
      machine, arguments in
      machine.loop(arguments, count: 2) { block, key, value in block.value(key, value) }
    }
  ]

  static let dictionaryLoops: [Primitive] = [
    Primitive("do: aBlock", "Evaluates aBlock with each value.") { machine, arguments in
      machine.loop(arguments, count: 1) { block, _, value in block.value(value) }
    },
    Primitive("keysDo: aBlock", "Evaluates aBlock with each key.") { machine, arguments in
      machine.loop(arguments, count: 1) { block, key, _ in block.value(key) }
    },
    Primitive("keys", "An array of the keys.") { machine, arguments throws(Failure) in
      try machine.entries(of: arguments.receiver) { key, _ in key }
    },
    Primitive("asArray", "An array of the values.") { machine, arguments throws(Failure) in
      try machine.entries(of: arguments.receiver) { _, value in value }
    },
  ]

  static let setLoops: [Primitive] = [
    Primitive("do: aBlock", "Evaluates aBlock with each element.") { machine, arguments in
      machine.loop(arguments, count: 1) { block, key, _ in block.value(key) }
    },
    Primitive("asArray", "An array of the elements.") { machine, arguments throws(Failure) in
      try machine.entries(of: arguments.receiver) { key, _ in key }
    },
  ]
}

extension Machine {
  /// Evaluates a block for each entry; an error when that changes the collection.
  @inline(__always)
  fileprivate func loop(
    _ arguments: Arguments, count: Int, _ evaluate: (RepeatedBlock, Value, Value) -> Value
  ) -> Value {
    let table = HashTable(arguments.receiver)
    let version = table.version
    let block = RepeatedBlock(self, arguments.frame, block: 1, arguments: count, kept: 2)
    var number = table.firstNumber
    while number <= table.used {
      if let entry = table.entry(number) {
        if evaluate(block, entry.key, entry.value).isUnwind { return .unwind }
        guard table.version == version else {
          block.restoreTop()
          return send(selector("signalModified"), to: arguments.receiver)
        }
      }
      number &+= 1
    }
    return arguments.receiver
  }

  /// An array of a part of each entry.
  @inline(__always)
  fileprivate func entries(
    of collection: Value, _ part: (Value, Value) -> Value
  ) throws(Failure) -> Value {
    let table = HashTable(collection)
    let count = max(0, table.count)
    let result = try makeArray(checked: count)
    var index = 0
    var number = table.firstNumber
    while number <= table.used, index < count {
      if let entry = table.entry(number) {
        result[element: index] = part(entry.key, entry.value)
        index += 1
      }
      number += 1
    }
    return Value(result)
  }
}
