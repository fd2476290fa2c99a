internal import TenonLexer
internal import TenonParser
internal import TenonStoreKit

/// What a store written in the language does for references of one form: `/tasks/:id { ... }`.
struct PropertyPath {
  let pattern: [PatternComponent]
  /// The methods for the verbs; their arguments are the parameters of the pattern, then for `put`
  /// and `post` the new value.
  let handlers: [PropertyVerb: Method]

  /// A pattern as it is written.
  static func text(of pattern: [PatternComponent]) -> String {
    "/"
      + pattern.map { component in
        switch component {
        case .literal(let name): name.text
        case .parameter(let name): ":" + name.text
        case .integer(let name): ":" + name.text + "<int>"
        case .rest(let name): name.map { "*:" + $0.text } ?? "*"
        }
      }.joined(separator: "/")
  }

  /// The arguments that a reference's components give the parameters; nil when they do not fit.
  func arguments(for components: [String]) -> [Argument]? {
    var arguments: [Argument] = []
    var index = 0
    for component in pattern {
      switch component {
      case .literal(let name):
        guard index < components.count, components[index] == name.text else { return nil }
        index += 1
      case .parameter:
        guard index < components.count else { return nil }
        arguments.append(.one(components[index]))
        index += 1
      case .integer:
        guard index < components.count, PropertyPath.isInteger(components[index]) else {
          return nil
        }
        arguments.append(.integer(components[index]))
        index += 1
      case .rest(let name):
        if name != nil { arguments.append(.many(Array(components[index...]))) }
        index = components.count
      }
    }
    return index == components.count ? arguments : nil
  }

  /// Whether a component is what an integer prints as.
  private static func isInteger(_ text: String) -> Bool {
    let digits = text.utf8.first == UInt8(ascii: "-") ? text.utf8.dropFirst() : text.utf8[...]
    guard let first = digits.first, digits.allSatisfy({ (0x30...0x39).contains($0) }) else {
      return false
    }
    return first != 0x30 || text == "0"
  }

  enum Argument {
    case one(String)
    case integer(String)
    case many([String])
  }

  /// How specific the pattern is: literals before integers before parameters before the rest,
  /// component by component; one that ends before one with a rest.
  var specificity: [Int] {
    pattern.map { component in
      switch component {
      case .literal: 3
      case .integer: 2
      case .parameter: 1
      case .rest: 0
      }
    } + [1]
  }

  /// Whether two patterns fit the same references and neither is more specific.
  static func tie(_ left: [PatternComponent], _ right: [PatternComponent]) -> Bool {
    guard left.count == right.count else { return false }
    return zip(left, right).allSatisfy { pair in
      switch pair {
      case (.literal(let a), .literal(let b)): a.text == b.text
      case (.parameter, .parameter), (.integer, .integer), (.rest, .rest): true
      default: false
      }
    }
  }
}

extension Machine {
  /// Refuses property paths of which neither is more specific than the other.
  func checkPatterns(_ members: [Member]) throws(DefinitionFailure) {
    var patterns: [[PatternComponent]] = []
    for case .propertyPath(let path) in members {
      for pattern in patterns where PropertyPath.tie(pattern, path.pattern) {
        throw DefinitionFailure(
          .patternsTie(PropertyPath.text(of: pattern), PropertyPath.text(of: path.pattern)),
          at: path.range)
      }
      var verbs = Set<PropertyVerb>()
      for handler in path.handlers where !verbs.insert(handler.verb).inserted {
        throw DefinitionFailure(
          .definedTwice("\(handler.verb.rawValue) \(PropertyPath.text(of: path.pattern))"),
          at: handler.range)
      }
      patterns.append(path.pattern)
    }
  }

  /// Makes the handlers of a scheme's property paths.
  func addPropertyPaths(_ members: [Member], to info: ClassInfo, source: SourceText) {
    info.propertyPaths = members.compactMap { member in
      guard case .propertyPath(let path) = member else { return nil }
      var handlers: [PropertyVerb: Method] = [:]
      for handler in path.handlers {
        handlers[handler.verb] = makeHandler(handler, of: path, in: info, source)
      }
      return PropertyPath(pattern: path.pattern, handlers: handlers)
    }
    // The most specific first: the first that fits is the one.
    info.propertyPaths.sort { $1.specificity.lexicographicallyPrecedes($0.specificity) }
    info.describesPlaces =
      !info.propertyPaths.isEmpty && info.inherits(from: kernel.store)
      && !info.inherits(from: kernelClass("Scheme"))
    if info.describesPlaces { addDescribedPlaces(to: info) }
  }

  /// Has a class of stores ask its property paths before its superclass: `Scheme` does that by
  /// itself.
  ///
  /// A method of the class's own text comes first; it gets to the paths by `super`.
  private func addDescribedPlaces(to info: ClassInfo) {
    let handled = Set(info.propertyPaths.flatMap { $0.handlers.keys })
    for method in kernelClass("DescribedPlaces").allMethods {
      let verb = PropertyVerb(rawValue: String(method.selector.name.prefix { $0 != ":" }))
      // A verb that nobody has is refused by the store.
      let isInherited = info.superclass?.lookUp(method.selector)?.holder !== kernel.store
      guard isInherited || verb.map(handled.contains) ?? true else { continue }
      let hidden = HiddenSelector.described(method.selector.name)
      for name in [hidden, method.selector.name] {
        let selector = selector(name)
        guard info.ownMethod(selector) == nil else { continue }
        let own = Method(
          selector: selector, holder: info, origin: method.origin, comment: method.comment)
        own.isOfPaths = true
        install(own, in: info)
      }
    }
  }

  private func makeHandler(
    _ handler: PropertyHandler, of path: PropertyPathDefinition, in info: ClassInfo,
    _ source: SourceText
  ) -> Method {
    let name = "(\(handler.verb.rawValue) \(PropertyPath.text(of: path.pattern)))"
    let header = MethodHeader(
      resultType: nil, selectorParts: [Name(name, handler.range)],
      parameters: path.parameters(of: handler), range: handler.range)
    let method = Method(
      selector: selector(name), holder: info,
      origin: .definition(
        MethodDefinition(
          isClassMethod: false, header: header, statements: handler.statements,
          range: handler.range), source))
    method.answersLastStatement = true
    return method
  }

  /// Does what a scheme's text says for a verb at a reference.
  ///
  /// - Returns: what the handler answers; nil for reading where no path fits; or `unwind`.
  func handle(
    _ verb: PropertyVerb, at reference: Value, in store: Value, newValue: Value = .nil
  ) throws(Failure) -> Value {
    let place = try self.reference(reference)
    return try handle(verb, at: place.components, in: store, newValue: newValue) {
      // A store that no scheme names is called by its class.
      place.scheme.isEmpty
        ? ([classInfo(of: store).name] + place.components).joined(separator: "/")
        : referenceText(reference)
    }
  }

  /// Does what a class's text says for a verb at a path.
  ///
  /// `text`: what messages call the place.
  /// - Returns: what the handler answers; nil for reading where no path fits; or `unwind`.
  func handle(
    _ verb: PropertyVerb, at components: [String], in object: Value, newValue: Value = .nil,
    text: () -> String
  ) throws(Failure) -> Value {
    var allowed: [String] = []
    for path in propertyPaths(of: object) {
      guard let arguments = path.arguments(for: components) else { continue }
      guard let method = path.handlers[verb] else {
        allowed += path.handlers.keys.map(\.rawValue)
        continue
      }
      return call(method, on: object, arguments, verb, newValue)
    }
    if allowed.isEmpty, verb == .get { return .nil }
    let list = Set(allowed).sorted().joined(separator: ", ")
    throw .store(
      StoreError(
        .unsupported, text(),
        "'\(verb.rawValue)' is not supported" + (list.isEmpty ? "" : ", only \(list)")),
      during: verb.rawValue)
  }

  /// The property paths that an object has, in the order in which they are tried: the most specific
  /// first, and of two alike that of the subclass.
  func propertyPaths(of object: Value) -> [PropertyPath] {
    var paths: [PropertyPath] = []
    var owners = 0
    var info: ClassInfo? = classInfo(of: object).canonical ?? classInfo(of: object)
    while let current = info {
      paths += current.propertyPaths
      info = current.superclass
      if !current.propertyPaths.isEmpty { owners += 1 }
    }
    // Those of one class are in order.
    if owners > 1 {
      let ordered = paths.enumerated().sorted { left, right in
        let (a, b) = (left.element.specificity, right.element.specificity)
        return a == b ? left.offset < right.offset : b.lexicographicallyPrecedes(a)
      }
      paths = ordered.map(\.element)
    }
    return paths
  }

  /// Evaluates a method for an instance of its class or of a subclass.
  func call(_ method: Method, on receiver: Value, with arguments: ObjectRef) -> Value {
    let info = classInfo(of: receiver)
    let method = info.canonical == nil ? method : variantForm(of: method, in: info)
    let body = trackingDepth > 0 ? trackedBody(of: method) : body(of: method)
    let callee = pushNativeFrame()
    callee[0] = receiver
    for index in 0..<arguments.elementCount { callee[index + 1] = arguments[element: index] }
    return enter(body, callee, argumentCount: arguments.elementCount)
  }

  private func call(
    _ method: Method, on store: Value, _ arguments: [PropertyPath.Argument],
    _ verb: PropertyVerb, _ newValue: Value
  ) -> Value {
    let info = classInfo(of: store)
    let method = info.canonical == nil ? method : variantForm(of: method, in: info)
    let body = trackingDepth > 0 ? trackedBody(of: method) : body(of: method)
    let callee = pushNativeFrame()
    callee[0] = store
    var count = 0
    for argument in arguments {
      count += 1
      switch argument {
      case .one(let text): callee[count] = makeString(text)
      case .integer(let text):
        let isNegative = text.hasPrefix("-")
        callee[count] = integer(
          isNegative: isNegative, digits: String(text.drop { $0 == "-" }), radix: 10)
      case .many(let texts): callee[count] = makeArray(texts.map { makeString($0) })
      }
    }
    if verb == .put || verb == .post {
      count += 1
      callee[count] = newValue
    }
    return enter(body, callee, argumentCount: count)
  }
}
