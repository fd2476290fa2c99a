package import TenonParser
package import TenonLexer

/// Collects the names that a body assigns or connects and those that it declares itself, blocks included.
package struct AssignedNames {
  /// Whether a name that is connected counts as assigned.
  package var notesConnected = true
  package private(set) var assigned: [Name] = []
  package private(set) var declared: Set<String> = []
  /// The schemes that get a store: `scheme:x := ...`.
  package private(set) var mounted: Set<String> = []

  /// The classes that `subclass: #Name` and its relatives make.
  package private(set) var made: [MadeClass] = []
  /// The operands that `Inverse for: #selector is: ...` and its relative declare inverses for.
  package private(set) var inverses: [String: Set<Int>] = [:]

  package init() {}

  package mutating func visit(_ statements: [Statement]) {
    for statement in statements {
      switch statement {
      case .expression(let expression): visit(expression)
      case .return(let statement): visit(statement.value)
      case .temporaries(let statement): declared.formUnion(statement.names.map(\.text))
      case .variable(let statement):
        declared.insert(statement.name.text)
        if let value = statement.value { visit(value) }
      case .definition, .import: break
      }
    }
  }

  package mutating func visit(_ expression: Expression) {
    switch expression {
    case .assignment(let assignment):
      record(assignment.target)
      visit(assignment.value)
    case .append(let append):
      visit(append.target)
      visit(append.value)
    case .connect(let connect):
      // The last operand of '|=' is read only; '=|=' writes both sides.
      if notesConnected { connect.written.forEach { record($0) } }
      connect.operands.forEach { visit($0) }
    case .block(let block):
      declared.formUnion(block.parameters.map(\.text))
      visit(block.statements)
    case .query(let query):
      visit(query.receiver)
      visit(query.block.statements)
    case .keywordMessage(let message):
      if let known = MadeClass(message) { made.append(known) }
      if let declared = message.declaredInverse {
        inverses[declared.selector, default: []].insert(declared.operand)
      }
      expression.forEachChild { visit($0) }
    default:
      expression.forEachChild { visit($0) }
    }
  }

  private mutating func record(_ target: Expression) {
    switch target {
    case .name(let name): assigned.append(name.name)
    case .identifier(let identifier) where identifier.scheme.text == "scheme":
      if let name = identifier.path.components.first?.text { mounted.insert(name) }
    default: visit(target)
    }
  }
}

/// A class that a message makes whose arguments are literals: its name counts as declared.
package struct MadeClass {
  package let name: String
  package let superclass: String?
  package let variables: [String]
  package let classVariables: [String]

  package init?(_ message: KeywordMessageExpression) {
    guard message.keywords.first?.text == "subclass:",
      let name = message.arguments.first?.literalText
    else { return nil }
    self.name = name
    superclass = if case .name(let receiver) = message.receiver { receiver.name.text } else { nil }
    func words(_ keyword: String) -> [String] {
      guard let index = message.keywords.firstIndex(where: { $0.text == keyword }) else {
        return []
      }
      return message.arguments[index].literalText?.split(separator: " ").map(String.init) ?? []
    }
    variables = words("instanceVariableNames:")
    classVariables = words("classVariableNames:")
  }
}

extension KeywordMessageExpression {
  /// The operand of a message that it declares an inverse for, if it does.
  fileprivate var declaredInverse: (selector: String, operand: Int)? {
    guard case .name(let receiver) = receiver, receiver.name.text == "Inverse",
      keywords.first?.text == "for:", let selector = arguments[0].literalText
    else { return nil }
    switch keywords.dropFirst().map(\.text) {
    case ["is:"]: return (selector, 0)
    case ["argument:", "is:"]:
      guard case .integer(let integer) = arguments[1], let operand = Int(integer.digits) else {
        return nil
      }
      return (selector, operand)
    default: return nil
    }
  }
}

extension Expression {
  /// The characters of a symbol or string literal.
  fileprivate var literalText: String? {
    switch self {
    case .symbol(let symbol): symbol.value
    case .string(let string): string.value
    default: nil
    }
  }
}

extension ConnectExpression {
  /// The operands that the connector writes.
  package var written: ArraySlice<Expression> {
    switch connector.text {
    case "=|=": operands[...]
    case "|=", ">=|", "<=|": operands.dropLast()
    default: []
    }
  }
}

extension Expression {
  /// Calls a function with every expression directly inside this one, blocks' statements excepted.
  package func forEachChild(_ body: (Expression) -> Void) {
    switch self {
    case .integer, .float, .scaledDecimal, .string, .character, .symbol, .byteArray, .name,
      .implicitParameter, .block:
      break
    case .interpolatedString(let string):
      for case .expression(let part) in string.parts { body(part) }
    case .array(let array): array.elements.forEach(body)
    case .dictionary(let dictionary):
      for entry in dictionary.entries {
        body(entry.key)
        body(entry.value)
      }
    case .object(let object):
      for property in object.properties {
        if let key = property.key { body(key) }
        body(property.value)
      }
    case .identifier(let identifier): identifier.path.forEachExpression(body)
    case .reference(let reference): reference.path.forEachExpression(body)
    case .unaryMessage(let message): body(message.receiver)
    case .binaryMessage(let message):
      body(message.receiver)
      body(message.argument)
    case .keywordMessage(let message):
      body(message.receiver)
      message.arguments.forEach(body)
    case .pipe(let pipe): body(pipe.input)
    case .cascade(let cascade):
      body(cascade.receiver)
      for message in cascade.messages { message.arguments.forEach(body) }
    case .subscript(let subscription):
      body(subscription.receiver)
      body(subscription.index)
    case .query(let query): body(query.receiver)
    case .assignment(let assignment):
      body(assignment.target)
      body(assignment.value)
    case .append(let append):
      body(append.target)
      body(append.value)
    case .connect(let connect): connect.operands.forEach(body)
    }
  }
}

extension PathExpression {
  /// Calls a function with every expression in the path.
  package func forEachExpression(_ body: (Expression) -> Void) {
    func visit(_ parts: [PathPart]) {
      for part in parts {
        switch part {
        case .text: break
        case .expression(let expression), .splice(let expression): body(expression)
        }
      }
    }
    visit(authority ?? [])
    for component in components { visit(component.parts) }
    for item in query {
      visit(item.key)
      visit(item.value ?? [])
    }
  }
}

extension BlockExpression {
  /// The names that the block declares: its parameters and variables.
  package var declaredNames: Set<String> {
    var names = AssignedNames()
    names.visit(statements)
    return names.declared.union(parameters.map(\.text))
  }

  /// Visits the expressions that its statements evaluate.
  package func forEachValue(_ body: (Expression) -> Void) {
    for statement in statements {
      switch statement {
      case .expression(let expression): body(expression)
      case .return(let statement): body(statement.value)
      case .variable(let statement): if let value = statement.value { body(value) }
      case .temporaries, .definition, .import: break
      }
    }
  }
}
