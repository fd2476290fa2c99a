package import TenonLexer

/// A variable that lives in an activation: an argument, a parameter or a temporary.
package final class Variable {
  package enum Kind {
    case argument
    case blockParameter
    case temporary
  }

  package let name: String
  package let kind: Kind
  package let range: SourceRange
  /// The class its values must have, if its declaration says so.
  package let type: String?
  package unowned let scope: Scope

  /// Whether it was declared with `val`.
  package var isConstant = false
  /// Whether a block that outlives the activation may use it.
  package var isCaptured = false
  /// The frame slot, or for a captured variable the slot of its context.
  package var slot = -1

  package init(_ name: String, kind: Kind, range: SourceRange, type: String?, scope: Scope) {
    self.name = name
    self.kind = kind
    self.range = range
    self.type = type
    self.scope = scope
  }
}

/// The names one method, block or inlined block declares.
package final class Scope {
  package enum Kind {
    /// A method, a script's statement, a handler of a scheme.
    case method
    /// A block that becomes a closure.
    case block
    /// An inlined block: part of the frame around it.
    case inlined
    /// An inlined block that is evaluated again and again: each turn has variables of its own.
    case loop
  }

  package let kind: Kind
  package let parent: Scope?
  package private(set) var variables: [Variable] = []
  /// The variables by their names, once there are too many to look at one after the other.
  private var variablesByName: [String: Variable] = [:]
  private static let fewVariables = 12
  /// The scopes right inside, until the frame is laid out.
  private var children: [Scope] = []

  /// The parameter that holds the element which a query looks at, if this is a query's block: names
  /// that it does not declare may be properties of that element.
  package var element: Variable?

  /// Whether blocks return from here (methods only).
  package var isHome = false

  // MARK: Layout, settled by `layOut`

  /// Slots of the context, or 0 when there is none.
  package private(set) var contextSize = 0
  /// The frame slot of the context.
  package private(set) var contextSlot = -1
  /// The first slot of the operand area (methods and blocks only).
  package private(set) var frameSize = 0

  package init(_ kind: Kind, parent: Scope?) {
    self.kind = kind
    self.parent = parent
    parent?.children.append(self)
  }

  /// Whether the scope has a frame of its own.
  package var ownsFrame: Bool { kind == .method || kind == .block }

  /// The scope whose frame this one uses.
  package var frameScope: Scope {
    var scope = self
    while !scope.ownsFrame, let parent = scope.parent { scope = parent }
    return scope
  }

  /// The method around the scope.
  package var methodScope: Scope {
    var scope = self
    while scope.kind != .method, let parent = scope.parent { scope = parent }
    return scope
  }

  /// The scope whose context holds this one's captured variables.
  package var contextScope: Scope {
    var scope = self
    while scope.kind == .inlined, let parent = scope.parent { scope = parent }
    return scope
  }

  package var hasContext: Bool { contextSize > 0 }

  /// What no name in a text can be.
  package static let elementName = "(element)"

  @discardableResult
  package func declare(
    _ name: String, kind: Variable.Kind, range: SourceRange, type: String? = nil
  ) -> Variable {
    let variable = Variable(name, kind: kind, range: range, type: type, scope: self)
    variables.append(variable)
    if variables.count == Scope.fewVariables {
      for each in variables { variablesByName[each.name] = each }
    } else if variables.count > Scope.fewVariables {
      variablesByName[name] = variable
    }
    return variable
  }

  /// The variable a scope itself declares under a name.
  package func variable(named name: String) -> Variable? {
    variables.count < Scope.fewVariables
      ? variables.last { $0.name == name } : variablesByName[name]
  }

  /// Finds a variable from here outwards, and notes when a block reaches out of its frame.
  package func lookUp(_ name: String) -> Variable? {
    let frame = frameScope
    var scope: Scope? = self
    while let current = scope {
      if let variable = current.variable(named: name) {
        if current.frameScope !== frame { variable.isCaptured = true }
        return variable
      }
      scope = current.parent
    }
    return nil
  }

  /// The queries' elements of which a name may be a property, the innermost first: those of all
  /// queries between here and the declaration of the name.
  ///
  /// Notes that this place uses them.
  package func elements(for name: String) -> [Variable] {
    var elements: [Variable] = []
    var scope: Scope? = self
    while let current = scope {
      if current.variable(named: name) != nil { break }
      if let element = current.element {
        if current.frameScope !== frameScope { element.isCaptured = true }
        elements.append(element)
      }
      scope = current.parent
    }
    return elements
  }

  // MARK: Layout

  /// Gives every variable of this frame, and of the frames inside, its place.
  ///
  /// - Requires: the whole method has been analysed.
  package func layOut() {
    var next = 1
    for variable in variables where variable.kind != .temporary {
      // Parameters keep their slots even when captured: the caller writes there.
      if !variable.isCaptured { variable.slot = next }
      next += 1
    }
    place(next: &next)
    frameSize = next
  }

  private func place(next: inout Int) {
    var inContext = isHome ? 1 : 0
    countCaptured(&inContext)
    if kind != .inlined, inContext > 0 {
      contextSlot = next
      next += 1
      contextSize = max(inContext, 1)
    }
    for variable in variables where !variable.isCaptured && variable.slot < 0 {
      variable.slot = next
      next += 1
    }
    for child in children {
      if child.ownsFrame { child.layOut() } else { child.place(next: &next) }
    }
    // A scope and the one around it would keep each other for ever.
    children = []
  }

  /// Numbers the captured variables of this scope's context; slot 0 is the parent.
  private func countCaptured(_ count: inout Int) {
    guard kind != .inlined else { return }
    numberCaptured(&count)
  }

  private func numberCaptured(_ count: inout Int) {
    for variable in variables where variable.isCaptured {
      count = max(count, 1)
      variable.slot = count
      count += 1
    }
    for child in children where child.kind == .inlined { child.numberCaptured(&count) }
  }

  /// The captured parameters, with the frame slots in which they arrive.
  package var capturedParameters: [(frame: Int, context: Int)] {
    variables.filter { $0.kind != .temporary }.enumerated().compactMap { index, variable in
      variable.isCaptured ? (frame: index + 1, context: variable.slot) : nil
    }
  }

  /// The parameter of an inlined block if it is captured; such blocks have one at most.
  package var capturedParameter: Variable? {
    variables.first { $0.kind == .blockParameter && $0.isCaptured }
  }

  /// How many arguments the frame takes.
  package var parameterCount: Int { variables.count { $0.kind != .temporary } }
}
