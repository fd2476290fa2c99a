internal import TenonLexer
package import TenonParser

// What a group stands for: the assignment of an object that knows its places.

extension GroupDefinition {
  /// `name := Group names: #('a', 'b') places: #(ref:ivar:a, ref:file:b)`.
  package var assignment: Statement {
    let target = Expression.name(NameExpression(name: name, range: name.range))
    return .expression(
      .assignment(AssignmentExpression(target: target, value: value, range: range)))
  }

  private var value: Expression {
    let names = entries.map {
      Expression.string(StringExpression(value: $0.name.text, range: $0.name.range))
    }
    let places = entries.map(\.place.referenceInGroup)
    let className = Name(GroupDefinition.className, name.range)
    return .keywordMessage(
      KeywordMessageExpression(
        receiver: .name(NameExpression(name: className, range: name.range)),
        keywords: GroupDefinition.keywords.map { Name($0, name.range) },
        arguments: [
          .array(ArrayExpression(elements: names, range: range)),
          .array(ArrayExpression(elements: places, range: range)),
        ], range: range))
  }

  fileprivate static let className = "Group"
  fileprivate static let keywords = ["names:", "places:"]
}

extension Expression {
  /// Whether the expression is what a group's definition assigns.
  package var makesGroup: Bool {
    guard case .keywordMessage(let message) = self, case .name(let receiver) = message.receiver
    else { return false }
    return receiver.name.text == GroupDefinition.className
      && message.keywords.map(\.text) == GroupDefinition.keywords
  }

  /// The reference to a place that a group names; what is no way through variables is reached from
  /// the object that the expression before it answers now.
  fileprivate var referenceInGroup: Expression {
    var names: [PathComponent] = []
    var root = self
    loop: while true {
      switch root {
      case .unaryMessage(let message):
        names.append(PathComponent(parts: [.text(message.selector.text)]))
        root = message.receiver
      case .subscript(let subscription):
        names.append(PathComponent(parts: [.expression(subscription.index)]))
        root = subscription.receiver
      default: break loop
      }
    }
    let path = Array(names.reversed())
    switch root {
    case .name(let name):
      return name.name.text == ReservedName.`self`.rawValue
        ? property(path, of: root) : variable(name.name.text, path)
    case .identifier(let identifier):
      if VariablePlace(identifier) != nil {
        return .reference(
          ReferenceExpression(
            scheme: identifier.scheme, path: identifier.path.appending(path), range: range))
      }
      if identifier.scheme.text == "self" {
        let receiver = Expression.name(
          NameExpression(
            name: Name(ReservedName.`self`.rawValue, identifier.range), range: identifier.range))
        return property(identifier.path.components + path, of: receiver)
      }
      return path.isEmpty ? asReference ?? root : property(path, of: root)
    default: return path.isEmpty ? root : property(path, of: root)
    }
  }

  private func variable(_ name: String, _ properties: [PathComponent]) -> Expression {
    let path = PathExpression(
      authority: nil, isAbsolute: false,
      components: [PathComponent(parts: [.text(name)])] + properties, isDirectory: false,
      query: [], range: range)
    return .reference(ReferenceExpression(scheme: nil, path: path, range: range))
  }

  /// A property of what an expression answers: `PropertyReference base: object names: #('a')`.
  private func property(_ path: [PathComponent], of object: Expression) -> Expression {
    let names = path.map { component -> Expression in
      if case .expression(let index)? = component.parts.first { return index }
      return .string(StringExpression(value: component.text ?? "", range: range))
    }
    return .keywordMessage(
      KeywordMessageExpression(
        receiver: .name(NameExpression(name: Name("PropertyReference", range), range: range)),
        keywords: [Name("base:", range), Name("names:", range)],
        arguments: [object, .array(ArrayExpression(elements: names, range: range))],
        range: range))
  }
}

extension PathExpression {
  fileprivate func appending(_ more: [PathComponent]) -> PathExpression {
    PathExpression(
      authority: authority, isAbsolute: isAbsolute, components: components + more,
      isDirectory: isDirectory, query: query, range: range)
  }
}

extension [Member] {
  /// The members, groups replaced by a variable and what it is assigned for every instance.
  package var withGroupsExpanded: [Member] {
    flatMap { member -> [Member] in
      guard case .statement(.definition(.group(let group))) = member else { return [member] }
      let variable = VariableStatement(
        type: nil, name: group.name, value: nil, range: group.name.range)
      return [.variable(variable), .statement(group.assignment)]
    }
  }

  /// The names of the groups among the members.
  package var groupNames: Set<String> {
    reduce(into: []) { names, member in
      if case .statement(.definition(.group(let group))) = member { names.insert(group.name.text) }
    }
  }
}
