internal import TenonAnalysis
internal import TenonLexer
internal import TenonParser

/// A send of the program that is being evaluated, with the frame of the method, the block or the statement
/// in which it stands.
struct Activation {
  let site: SiteNode
  let code: Code
  let frame: Frame

  init(_ site: SiteNode, _ frame: Frame) {
    self.site = site
    code = site.code
    self.frame = frame
  }

  /// The block whose activation it is; nil for that of a method or a statement.
  var block: BlockCode? {
    guard frame.receiver.isObject(ofClass: ClassIndex.blockClosure) else { return nil }
    let block = Closure(frame.receiver).code.object
    return block.code === code ? block : nil
  }

  /// What `self` is.
  var receiver: Value { block == nil ? frame.receiver : Closure(frame.receiver).receiver }
}

/// A variable of an activation, and where its value is.
struct ActivationVariable {
  enum Place {
    /// A slot of the frame.
    case frame(Int)
    /// A slot of a context, which blocks share.
    case context(ObjectRef, Int)
  }

  let name: String
  let isConstant: Bool
  let place: Place
}

/// The names that are known where an activation stands.
///
/// Code keeps no names. Analysing its syntax once more gives each variable the slot that it got when the
/// code was compiled, unless the names outside have changed since: so each place is checked before it is
/// used.
struct ActivationScope {
  let machine: Machine
  let activation: Activation
  /// The names around: those of the class, or of the script.
  let outer: any CodeEnvironment
  /// The class whose superclass `super` starts from.
  let holder: ClassInfo?
  /// The layout of the receiver, when it is an older one.
  let layout: ClassInfo?
  /// The variables, those of the innermost scope first.
  private(set) var variables: [ActivationVariable] = []

  init(_ machine: Machine, _ activation: Activation) {
    self.machine = machine
    self.activation = activation
    switch activation.code.origin {
    case .method(let method):
      // The class may have got another layout since the method has begun.
      let info = machine.classInfo(of: activation.receiver)
      let layout = info.canonical == nil ? nil : info
      let environment = ClassEnvironment(
        machine: machine, info: method.holder, layout: layout,
        definesSchemes: machine.definesSchemes(method.holder, besides: method.selector))
      outer = environment
      holder = method.holder
      self.layout = layout
      guard case .definition(let definition, _) = method.origin else { return }
      var analyzer = Analyzer(environment: environment, emits: method.emits)
      let scope = analyzer.analyze(
        parameters: definition.header.parameters, statements: definition.statements)
      findVariables(scope, analyzer.scopes)
    case .statement(let statement, let environment):
      outer = environment
      holder = machine.kernel.script
      layout = nil
      var analyzer = Analyzer(environment: environment)
      let scope = analyzer.analyze(parameters: [], statements: [statement])
      findVariables(scope, analyzer.scopes)
    case nil:
      outer = ScriptEnvironment(machine: machine, allowsUnknownNames: true)
      holder = machine.kernel.script
      layout = nil
    }
  }

  /// Finds the innermost scope around the send, and the variables from there outwards.
  private mutating func findVariables(_ method: Scope, _ scopes: [SourceRange: Scope]) {
    var frameScope = method
    if let block = activation.block {
      guard let scope = scopes[block.range], scope.kind == .block else { return }
      frameScope = scope
    }
    let site = activation.site.range
    let inner = scopes.filter { range, scope in
      scope.frameScope === frameScope && range.start <= site.start && site.end <= range.end
    }
    let innermost = inner.min { $0.key.end - $0.key.start < $1.key.end - $1.key.start }
    var names: Set<String> = []
    var current: Scope? = innermost?.value ?? frameScope
    while let scope = current {
      for variable in scope.variables where names.insert(variable.name).inserted {
        guard variable.name != Scope.elementName,
          let place = place(of: variable, from: frameScope)
        else { continue }
        variables.append(
          ActivationVariable(
            name: variable.name, isConstant: variable.isConstant, place: place))
      }
      current = scope.parent
    }
  }

  /// Where the value of a variable is; nil for one of an outer frame that no block uses.
  private func place(
    of variable: Variable, from frameScope: Scope
  ) -> ActivationVariable.Place? {
    let owner = variable.scope.contextScope
    guard variable.scope.frameScope === frameScope else {
      guard variable.isCaptured, activation.block != nil else { return nil }
      var context = Closure(activation.frame.receiver).context
      var current = frameScope.parent
      while let scope = current, scope !== owner {
        if scope.hasContext {
          guard context.isObject(ofClass: ClassIndex.context) else { return nil }
          context = ObjectRef(context)[slot: 0]
        }
        current = scope.parent
      }
      return ActivationScope.place(in: context, variable.slot)
    }
    if variable.isCaptured {
      guard isInFrame(owner.contextSlot) else { return nil }
      return ActivationScope.place(in: activation.frame[owner.contextSlot], variable.slot)
    }
    return isInFrame(variable.slot) ? .frame(variable.slot) : nil
  }

  private func isInFrame(_ slot: Int) -> Bool { slot > 0 && slot < activation.site.depth }

  private static func place(in context: Value, _ slot: Int) -> ActivationVariable.Place? {
    guard context.isObject(ofClass: ClassIndex.context), slot > 0,
      slot < ObjectRef(context).slotCount
    else { return nil }
    return .context(ObjectRef(context), slot)
  }

  // MARK: Values

  /// The value of a variable.
  func value(of variable: ActivationVariable) -> Value {
    switch variable.place {
    case .frame(let slot): activation.frame[slot]
    case .context(let context, let slot): context[slot: slot]
    }
  }

  /// Gives a variable a value.
  func set(_ variable: ActivationVariable, to value: Value) {
    switch variable.place {
    case .frame(let slot): activation.frame[slot] = value
    // What is captured may be watched.
    case .context(let context, let slot): _ = machine.store(value, into: context, slot: slot)
    }
  }

  /// Whether a name stands for something that is not the script's.
  func knows(_ name: String) -> Bool {
    if variables.contains(where: { $0.name == name }) { return true }
    switch outer.lookUp(name) {
    case .instanceVariable, .addedVariable, .cell(_, .classVariable): return true
    case .cell, .unknown: return false
    }
  }
}

/// The names for a text that is evaluated in an activation: its variables are cells for that time, and what
/// is not known is the script's.
struct ActivationEnvironment: CodeEnvironment {
  let cells: [String: ObjectRef]
  let constants: Set<String>
  let outer: any CodeEnvironment

  var isScript: Bool { true }
  var isScriptMethod: Bool { outer.isScriptMethod }
  var definesSchemes: Bool { outer.definesSchemes }
  var allowsUnknownNames: Bool { true }

  func lookUp(_ name: String) -> OuterName {
    cells[name].map { .cell($0, .scriptVariable) } ?? outer.lookUp(name)
  }
  func hasScheme(_ name: String) -> Bool { outer.hasScheme(name) }
  func declaredInverses(of selector: String) -> Set<Int> {
    outer.declaredInverses(of: selector)
  }
  func isConstant(_ name: String) -> Bool {
    cells[name] == nil ? outer.isConstant(name) : constants.contains(name)
  }
  func isGroup(_ name: String) -> Bool { cells[name] == nil && outer.isGroup(name) }
  var candidates: [String] { Array(cells.keys) + outer.candidates }
  var schemeCandidates: [String] { outer.schemeCandidates }
}
