internal import TenonLexer
internal import TenonParser

/// What an interpreter knows of one class: its name, its variables, its methods.
///
/// This is the cold side of a class, an ordinary Swift object. Objects carry only its index.
final class ClassInfo {
  struct OwnStatements {
    /// Sets the first values of variables; called when an instance is made.
    var initialValues: Method?
    /// Makes the connections.
    var connections: Method?
    /// The same for a copy of an instance, whose variables have their values: what is assigned is left out.
    var copies: Method?
    /// For a class of the kernel: what connects a copy of an instance.
    var copySelector: Selector?

    var methods: [Method] { [initialValues, connections, copies].compactMap(\.self) }
    /// Whether anything is done for new instances or copies.
    var areAny: Bool {
      initialValues != nil || connections != nil || copies != nil || copySelector != nil
    }
  }

  struct CollectedStatements {
    var initialValues: [Method] = []
    var connections: [Method] = []
    var copies: [Method] = []
    /// Whether a copy of an instance is connected.
    var connectsCopies = false
  }

  @safe @exclusivity(unchecked) var index: UInt32
  let name: String
  /// Whether this is the class of a class.
  let isMeta: Bool
  @safe @exclusivity(unchecked) var superclass: ClassInfo?
  /// The class's class; nil for metaclasses, whose class is `Metaclass`.
  @safe @exclusivity(unchecked) var metaclass: ClassInfo?
  /// For a metaclass the class it belongs to.
  @exclusivity(unchecked) unowned(unsafe) var thisClass: ClassInfo?
  /// The class as an object of the language; nil for a metaclass that no program has asked for.
  @safe @exclusivity(unchecked) var object: Value = .nil

  @safe @exclusivity(unchecked) var subclasses: [ClassInfo] = []
  /// Variables of each instance, inherited ones first.
  @safe @exclusivity(unchecked) var instanceVariables: [InstanceVariable] = []
  @safe @exclusivity(unchecked) var classVariables: [String: ObjectRef] = [:]
  /// How instances are laid out.
  @safe @exclusivity(unchecked) var format: ObjectFormat = .slots
  /// What the class's own text asks for in every instance.
  @safe @exclusivity(unchecked) var ownStatements = OwnStatements()
  /// The same of the class and of its superclasses, from the root down; what `settleLayout` collects.
  @safe @exclusivity(unchecked) var statements = CollectedStatements()
  /// The variables that groups in the class's own text declare.
  @safe @exclusivity(unchecked) var groupNames: Set<String> = []
  /// What is done for references of some form, for stores that scripts define.
  @safe @exclusivity(unchecked) var propertyPaths: [PropertyPath] = []
  /// Whether it has methods that ask them: those are what `super` leads to from its own.
  @safe @exclusivity(unchecked) var describesPlaces = false

  // MARK: Older layouts
  /// For the class as instances of an older layout have it: the class.
  @safe @exclusivity(unchecked) var canonical: ClassInfo?
  /// For a superclass of such: the class whose variables count.
  @safe @exclusivity(unchecked) var layoutOwner: ClassInfo?
  @safe @exclusivity(unchecked) var superVariants: [String: ClassInfo] = [:]
  @safe @exclusivity(unchecked) var addedOrder: [String] = []
  @safe @exclusivity(unchecked) private var variantMethods: [ObjectIdentifier: Method] = [:]

  @safe @exclusivity(unchecked) var comment = ""
  @safe @exclusivity(unchecked) var isKernel = false
  /// Whether its instances are classes: `Class` and `Metaclass`.
  @safe @exclusivity(unchecked) var isOfClasses = false
  /// Methods by the number of their selectors.
  @safe @exclusivity(unchecked) private var methods: [Int: Method] = [:]
  /// Enters the methods of a class of the kernel, when they are first asked for.
  @safe @exclusivity(unchecked) var loader: ((ClassInfo) -> Void)?
  /// Finds one of them as long as they have not been entered, and what it did not find.
  @safe @exclusivity(unchecked) var finder: KernelMethodFinder?
  @safe @exclusivity(unchecked) private var absentSelectors: Set<Int> = []

  init(index: UInt32, name: String, superclass: ClassInfo?, isMeta: Bool) {
    self.index = index
    self.name = name
    self.superclass = superclass
    self.isMeta = isMeta
  }

  /// Lets go of everything: classes, methods and code refer to each other in circles.
  func dismantle() {
    loader = nil
    finder = nil
    if ownStatements.areAny { ownStatements.methods.forEach { $0.dismantle() } }
    propertyPaths.forEach { $0.handlers.values.forEach { $0.dismantle() } }
    propertyPaths = []
    methods.values.forEach { $0.dismantle() }
    variantMethods.values.forEach { $0.dismantle() }
    methods = [:]
    variantMethods = [:]
    statements = CollectedStatements()
    superVariants = [:]
    subclasses = []
    superclass = nil
    metaclass = nil
    canonical = nil
    layoutOwner = nil
  }
}

/// An instance variable as a class declares it.
struct InstanceVariable {
  let name: String
  /// The name of the class that values must have, if the declaration says so.
  var type: String? = nil
  /// Whether it is assigned but once.
  var isConstant = false
  /// The class that declares it.
  let owner: String
}

// MARK: - Lookup

extension ClassInfo {
  /// The class's own method for a selector.
  func ownMethod(_ selector: Selector) -> Method? {
    if let method = methods[selector.number] { return method }
    guard let finder, !absentSelectors.contains(selector.number) else { return nil }
    let method = finder.method(for: selector, in: self)
    methods[selector.number] = method
    if method == nil { absentSelectors.insert(selector.number) }
    return method
  }

  /// The class's own methods, in no order.
  var allMethods: [Method] {
    loadIfNeeded()
    return Array(methods.values)
  }

  /// The selectors of the methods that are entered, in no order.
  var enteredSelectors: [String] { methods.values.map(\.selector.name) }

  /// Gives the class a method of its own.
  func setMethod(_ method: Method) {
    loadIfNeeded()
    methods[method.selector.number] = method
  }

  func removeMethod(_ method: Method) {
    if methods[method.selector.number] === method { methods[method.selector.number] = nil }
  }

  /// A method as an older layout has it.
  func variantMethod(for method: Method) -> Method? { variantMethods[ObjectIdentifier(method)] }

  func setVariantMethod(_ own: Method, for method: Method) {
    variantMethods[ObjectIdentifier(method)] = own
  }

  func forgetVariantMethods() { variantMethods = [:] }

  /// Enters the methods of a class of the kernel, unless they are there.
  func loadIfNeeded() {
    guard let load = loader else { return }
    loader = nil
    finder = nil
    absentSelectors = []
    // Those that were found may be known elsewhere.
    let found = methods
    load(self)
    methods.merge(found) { _, known in known }
  }

  /// Finds the method an instance has for a selector, in the class or the nearest superclass.
  ///
  /// - Complexity: O(*depth of the class*).
  func lookUp(_ selector: Selector) -> Method? {
    var info: ClassInfo? = self
    while let current = info {
      if let method = current.ownMethod(selector) { return method }
      info = current.superclass
    }
    return nil
  }

  /// Whether the class is another one or inherits from it.
  func inherits(from other: ClassInfo) -> Bool {
    var info: ClassInfo? = canonical ?? self
    while let current = info {
      if current === other { return true }
      info = current.superclass
    }
    return false
  }

  /// The classes that inherit from it directly; a metaclass's are those of its class's.
  var directSubclasses: [ClassInfo] {
    guard isMeta else { return subclasses }
    return unsafe thisClass?.subclasses.compactMap(\.metaclass) ?? []
  }

  /// The slot of an instance variable.
  func slot(of name: String) -> Int? {
    instanceVariables.lastIndex { $0.name == name }
  }

}

/// A method: what a class does for a selector.
final class Method {
  let selector: Selector
  /// The class that has it.
  @safe unowned(unsafe) let holder: ClassInfo
  let origin: Origin
  /// The text after the selector in the reference: what the method is for.
  let comment: String

  /// Where the method comes from.
  enum Origin {
    /// Swift code.
    case primitive(Primitive.Body)
    /// A definition in a script.
    case definition(MethodDefinition, SourceText)
    /// A definition in the kernel's text, parsed when it is first needed.
    case kernel(KernelMethod)
    /// Answers an instance variable.
    case getter(slot: Int)
    /// Sets an instance variable and answers the receiver.
    case setter(slot: Int, type: String?, isConstant: Bool)
    /// A node made by the runtime.
    case node((Method, Machine, Bool) -> Node)
  }

  /// Whether an `extension` added it: redefining the class leaves it.
  var isExtension = false
  /// Whether it stands where the kernel had a method of its own.
  var replacesKernelMethod = false
  /// Whether it answers its last statement and not the receiver: handlers of schemes.
  var answersLastStatement = false
  /// Whether `^` in it emits: the body of a filter.
  var emits = false
  /// Whether it asks property paths before the superclass.
  var isOfPaths = false
  /// For instances of an older layout: that layout.
  var layout: ClassInfo?

  /// The executable code, compiled when first needed.
  var code: Code?
  /// The code that records what it reads, compiled when a formula first needs it.
  var trackedCode: Code?
  /// What stands for the two until there is native stack enough to compile them.
  var postponedBody: Node?
  var postponedTrackedBody: Node?

  init(selector: Selector, holder: ClassInfo, origin: Origin, comment: String = "") {
    self.selector = selector
    self.holder = holder
    self.origin = origin
    self.comment = comment
  }

  /// Lets go of the code and the class.
  func dismantle() {
    code = nil
    trackedCode = nil
    postponedBody = nil
    postponedTrackedBody = nil
    layout = nil
  }

  /// Whether it is the kernel's own.
  var isOfKernel: Bool {
    switch origin {
    case .primitive, .kernel, .node: true
    case .getter, .setter: holder.isKernel
    case .definition: false
    }
  }

  /// What a stack trace calls the method: `Tank>>fill`.
  var qualifiedName: String { "\(holder.name)>>\(selector.name)" }
}

/// Where a method of the kernel stands.
struct KernelMethod {
  /// The number of the text.
  let file: Int
  let range: SourceRange
}

extension ClassInfo {
  /// Whether instances are values of their own kind, such as numbers and classes, which programs
  /// cannot make.
  var isKnownToEvaluator: Bool {
    isMeta || isOfClasses || index < ClassIndex.firstFree && index != ClassIndex.array
  }
}
