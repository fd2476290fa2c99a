internal import TenonStoreKit

// References compared, as text, and as addresses.

extension Primitive {
  static let referenceComparison: [Primitive] = [
    Primitive("= other", "Whether other names the same place; a slash at the end does not count.") {
      machine, arguments throws(Failure) in
      let (left, right) = (arguments.receiver, arguments[0])
      if left == right { return .true }
      guard right.isObject, machine.classInfo(of: right) === machine.kernel.reference else {
        return .false
      }
      return Value(try machine.reference(left) == machine.reference(right))
    },
    Primitive("hash", "A number that references to the same place have in common.") {
      machine, arguments throws(Failure) in
      let reference = try machine.reference(arguments.receiver)
      let path = Int(ObjectRef(try machine.pathKey(of: arguments.receiver)).bytesHash)
      guard !reference.query.isEmpty else { return Value(small: path) }
      // The pages of one address differ in nothing else.
      let query = ObjectRef(machine.makeString(reference.queryText)).bytesHash
      return Value(small: (path &+ Int(query)) & HashLimits.mask)
    },
    Primitive(
      "placeKey",
      "Private: all but the scheme in one text; the path comes first, and is all there is mostly."
    ) { machine, arguments throws(Failure) in
      try machine.placeKey(of: arguments.receiver)
    },
    Primitive("hasQuery", "Private: whether there is something behind a '?'.") {
      machine, arguments in
      Value(machine.hasQuery(ObjectRef(arguments.receiver)))
    },
    Primitive("placeText", "Private: the text of the reference without its scheme.") {
      machine, arguments throws(Failure) in
      let reference = try machine.reference(arguments.receiver)
      let text = reference.asPlace.inScheme("").description
      return machine.makeString(String(decoding: text.utf8.dropFirst(), as: UTF8.self))
    },
    Primitive(
      "isAbovePlace: other", "Private: whether other is this place or below it, in one store."
    ) { machine, arguments throws(Failure) in
      let other = try machine.reference(arguments[0])
      let reference = try machine.reference(arguments.receiver).inScheme(other.scheme)
      return Value(reference.isPrefix(of: other))
    },
  ]

  static let referenceClassSide: [Primitive] = [
    Primitive("on: aString", "The reference that a text stands for, as references print.") {
      machine, arguments throws(Failure) in
      let text = try machine.swiftString(arguments[0])
      do throws(StoreError) {
        return machine.makeReference(try Reference(text: text))
      } catch {
        throw .store(error)
      }
    },
    Primitive("textOfPath: components", "The components in one text, from which they can be told.")
    { machine, arguments throws(Failure) in
      machine.makeString(Reference.text(of: try machine.texts(arguments[0])))
    },
  ]

  static let referenceSchemes: [Primitive] = [
    Primitive(
      "inScheme: name", "The same path in another scheme; in one of the web it needs a host."
    ) { machine, arguments throws(Failure) in
      let reference = try machine.reference(arguments.receiver)
        .inScheme(try machine.swiftString(arguments[0]))
      guard !reference.isWeb || reference.authority != nil else {
        throw .store(
          StoreError(
            .invalidReference, reference,
            "an address has a host: inScheme: '\(reference.scheme)' authority: 'example.org'"))
      }
      return machine.makeReference(reference)
    },
    Primitive(
      "inScheme: name authority: host", "The same path in another scheme, at a host: an address."
    ) { machine, arguments throws(Failure) in
      let reference = try machine.reference(arguments.receiver)
      let (name, host) = (
        try machine.swiftString(arguments[0]), try machine.swiftString(arguments[1])
      )
      do throws(StoreError) {
        return machine.makeReference(
          try Reference(
            scheme: name, authority: host, components: reference.components, isAbsolute: true,
            isDirectory: reference.isDirectory, query: reference.query))
      } catch {
        throw .store(error)
      }
    },
    Primitive("setScheme: name", "Private: the same path in another scheme, whatever that needs.") {
      machine, arguments throws(Failure) in
      machine.makeReference(
        try machine.reference(arguments.receiver).inScheme(try machine.swiftString(arguments[0])))
    },
    Primitive(
      "urlText", "Private: the text of an address of the web, or of a file with an absolute path."
    ) {
      machine, arguments throws(Failure) in
      let reference = try machine.reference(arguments.receiver)
      guard let text = reference.urlText else {
        throw .store(
          StoreError(
            .invalidReference, reference,
            "an address of the web or the absolute path of a file has a URL"))
      }
      return machine.makeString(text)
    },
  ]
}

extension Machine {
  /// The texts of an array.
  func texts(_ value: Value) throws(Failure) -> [String] {
    let elements = try array(value)
    var texts: [String] = []
    for index in 0..<elements.elementCount {
      texts.append(try swiftString(elements[element: index]))
    }
    return texts
  }
}
