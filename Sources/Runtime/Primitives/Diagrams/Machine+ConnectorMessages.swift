internal import TenonDiagrams
internal import TenonLexer
internal import TenonNumerics
internal import TenonSolverKit
internal import TenonParser

// What a connection that is in force has been told, as the messages that would tell another one.

extension Machine {
  /// What is sent to a connection to make it what it is now: the messages as they stand behind the
  /// statement in parentheses, or nil for none.
  ///
  /// What the statement itself sends to it is kept as it is where that is what holds.
  func messages(of connection: Connection, stated: ConnectorStatement?) -> String? {
    let said = stated?.messageList ?? []
    let settings = self.settings(of: connection, said)
    let known = said.filter { ConnectionSetting.selectors.contains($0.selector) }
    // What a statement says last counts.
    let isAsStated =
      settings.allSatisfy { setting in
        setting.isDefault || known.contains { $0.selector == setting.message.selector }
      }
      && known.allSatisfy { message in
        settings.contains { $0.message == message }
      }
    if isAsStated { return stated?.messages }
    let messages = settings.filter { !$0.isDefault }.map(\.message.text)
    return messages.isEmpty ? nil : messages.joined(separator: " | ")
  }

  /// All that can be said of a connection, what has to be said first at the beginning.
  private func settings(
    of connection: Connection, _ stated: [ConnectorMessage]
  ) -> [ConnectionSetting] {
    var settings: [ConnectionSetting] = []
    func said(_ selector: String) -> ConnectorMessage? { stated.last { $0.selector == selector } }
    // An inverse is a part of its statement.
    if let inverse = said("inverse:") {
      settings.append(ConnectionSetting(message: inverse, isDefault: false))
    }
    if let solver = solverMessage(of: connection, said("solver:")) {
      settings.append(ConnectionSetting(message: solver, isDefault: false))
    }
    let observer = connection.observer.map { KernelObject($0.object, in: self) }
    let policy = observer?["policy"] ?? .nil
    if let text = policyText(policy, said("policy:")) {
      settings.add("policy:", text, isDefault: text == "Policy immediate")
    }
    settings.add(
      "strength:", "#\(connection.strength.name)", isDefault: connection.strength == .required)
    if let tolerance = connection.tolerance {
      settings.add(
        "within:", argumentText(tolerance.value) ?? said("within:")?.arguments.first ?? "0")
    } else {
      settings.add("within:", "nil", isDefault: true)
    }
    if let observer { addTruth(observer, connection, to: &settings, said) }
    if connection.isBoundBothWays, connection.plan?.joinsStores != true,
      settings.allSatisfy(\.isDefault)
    {
      // To be told that it is the truth is what makes the right side so.
      settings.add("truth:", "#right")
    }
    settings.add("override:", "\(connection.allowsOverride)", isDefault: !connection.allowsOverride)
    if connection.status == .suspended {
      settings.add("suspend", nil)
    } else {
      settings.add("resume", nil, isDefault: true)
    }
    return settings
  }

  /// Adds what is said of truth and requests.
  private func addTruth(
    _ observer: KernelObject, _ connection: Connection, to settings: inout [ConnectionSetting],
    _ said: (String) -> ConnectorMessage?
  ) {
    let side = observer["truthSide"].asSmallInteger
    if let side {
      settings.add("truth:", side == 1 ? "#left" : "#right")
    } else if observer.isBinding {
      settings.add("truth:", "#right", isDefault: true)
    }
    for (selector, name) in [
      ("validate:", "validator"), ("arbitrate:", "rule"), ("priority:", "priority"),
      ("onReject:", "rejectBlock"),
    ] where !observer[name].isNil {
      if let text = argumentText(observer[name]) ?? said(selector)?.arguments.first {
        settings.add(selector, text)
      }
    }
    if observer["isMirror"].isTrue { settings.add("mirror:", "true") }
    if connection.observer?.heldSide != nil {
      settings.add("requestOnly", nil)
    } else if observer.isBinding {
      settings.add("optimistic", nil, isDefault: true)
    }
  }

  /// How the solver was chosen that a connection must have; nil when the choice is free.
  private func solverMessage(
    of connection: Connection, _ said: ConnectorMessage?
  ) -> ConnectorMessage? {
    func named(_ name: String) -> ConnectorMessage {
      ConnectorMessage("solver:", [SymbolText.literal(name)])
    }
    guard let requested = connection.chosenSolver else { return connection.solver.map(named) }
    if requested.native != nil { return named(requested.name) }
    let prototype = requested.prototype
    let names = [requested.name] + registeredSolverNames
    if let name = names.first(where: { connections.registeredSolvers[$0]?.prototype == prototype })
    {
      return named(name)
    }
    if let info = classInfo(named: prototype) { return ConnectorMessage("solver:", [info.name]) }
    let object = KernelObject(prototype, in: self)
    if object.info.name == "FixpointSolver", let limit = argumentText(object["limit"]),
      let tolerance = argumentText(object["tolerance"])
    {
      return ConnectorMessage("iterate:within:", [limit, tolerance])
    }
    return said ?? ConnectorMessage("solver:", ["\(object.info.name) new"])
  }

  /// The expression of a policy; nil for none.
  private func policyText(_ policy: Value, _ said: ConnectorMessage?) -> String? {
    guard policy.isObject else { return nil }
    let object = KernelObject(policy, in: self)
    func text(_ message: String, _ duration: Value) -> String? {
      durationText(duration).map { "(Policy \(message): \($0))" }
    }
    let known: String?
    switch object.info.name {
    case "Policy": known = "Policy immediate"
    case "QueuedPolicy":
      let cut = object["cut"].asSmallInteger ?? 0
      known = cut == 0 ? "Policy queued" : "(Policy coalesced: \(cut))"
    case "ThrottledPolicy" where object["limit"].isNil:
      known = object["period"].isNil ? "Policy throttled" : text("every", object["period"])
    case "PollingPolicy": known = text("poll", object["period"])
    case "PolicyPart":
      // Its owner's policy is the one of all parts.
      let owner = object["owner"]
      return owner.isObject ? policyText(KernelObject(owner, in: self)["policy"], said) : nil
    default: known = nil
    }
    return known ?? said?.arguments.first ?? "\(object.info.name) new"
  }

  /// A span of time as a message to a number.
  private func durationText(_ value: Value) -> String? {
    guard value.isObject, classInfo(of: value).name == "Duration" else {
      return argumentText(value)
    }
    guard let nanoseconds = KernelObject(value, in: self)["nanoseconds"].asSmallInteger else {
      return nil
    }
    for (unit, size) in [
      ("day", 86_400_000_000_000), ("hour", 3_600_000_000_000), ("minute", 60_000_000_000),
      ("second", 1_000_000_000), ("millisecond", 1_000_000), ("microsecond", 1000),
    ] where nanoseconds % size == 0 {
      let count = nanoseconds / size
      return "\(count) \(unit)\(count == 1 ? "" : "s")"
    }
    return "\(nanoseconds) nanoseconds"
  }

  // MARK: Values as expressions

  /// A number, a text or a block as an argument of a message; nil for any other value.
  private func argumentText(_ value: Value) -> String? {
    guard let text = sourceText(value) else { return nil }
    let source = SourceText(name: "<diagram>", text)
    guard
      let statements = parse(
        source, names: session.hyphenatedNames, connectors: session.definedConnectors
      )
      .script?.statements,
      statements.count == 1, case .expression(let expression) = statements[0]
    else { return nil }
    return ConnectorMessage.text(ofArgument: expression)
  }

  /// A number, a text or a block as it is written; nil for any other value.
  private func sourceText(_ value: Value) -> String? {
    if value.isObject(ofClass: ClassIndex.blockClosure) {
      let code = Closure(value).code.object
      return code.code.source.text(in: code.range)
    }
    if isString(value), let text = text(value) {
      let quoted =
        "'"
        + text.split(separator: "'", omittingEmptySubsequences: false)
        .joined(separator: "''") + "'"
      return value.isObject(ofClass: ClassIndex.symbol) ? "#" + quoted : quoted
    }
    if case .large(let integer)? = numeric(value) { return integer.description }
    if !value.isObject || double(value) != nil { return describe(value) }
    let object = KernelObject(value, in: self)
    guard object.info.name == "Fraction",
      let numerator = sourceText(object["numerator"]),
      let denominator = sourceText(object["denominator"])
    else { return nil }
    return "\(numerator) / \(denominator)"
  }
}

/// Something that can be said of a connection.
private struct ConnectionSetting {
  /// All that `messages(of:stated:)` knows; whatever else a statement sends has had its effect.
  static var selectors: Set<String> { ConnectorMessage.settings }

  let message: ConnectorMessage
  /// Whether it holds for a connection that nothing is said of.
  let isDefault: Bool
}

extension [ConnectionSetting] {
  fileprivate mutating func add(
    _ selector: String, _ argument: String?, isDefault: Bool = false
  ) {
    append(
      ConnectionSetting(
        message: ConnectorMessage(selector, argument.map { [$0] } ?? []), isDefault: isDefault))
  }
}

/// The variables of a kernel object by their names.
struct KernelObject {
  private let value: Value
  let info: ClassInfo

  init(_ value: Value, in machine: Machine) {
    self.value = value
    info = machine.classInfo(of: value)
  }

  /// What a variable holds; nil when there is no such variable.
  subscript(name: String) -> Value {
    guard value.isObject, let slot = info.slot(of: name) else { return .nil }
    let held = ObjectRef(value)[slot: slot]
    return held.isUndefined ? .nil : held
  }

  /// Whether it is a relay between two places of which one is the truth.
  var isBinding: Bool {
    info.slot(of: "truthSide") != nil
  }
}

extension Connection {
  /// Whether it joins two places both ways, and one of them is the truth.
  fileprivate var isBoundBothWays: Bool {
    observer?.kind == .places && connector == "=|="
  }
}
