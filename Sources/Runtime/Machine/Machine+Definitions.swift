internal import TenonLexer
internal import TenonParser

/// Definitions: what running `class`, `extension` and their like does.
extension Machine {
  /// Runs a definition.
  ///
  /// - Returns: what was defined, or `unwind`.
  func define(_ definition: Definition, source: SourceText) -> Value {
    do throws(Failure) {
      switch definition {
      case .class(let definition): return try define(definition, source: source)
      case .extension(let definition): return try define(definition, source: source)
      case .method(let method):
        add(method, to: scriptClass, source: source)
        return Value(script)
      case .scheme: throw .notAvailable("'scheme'")
      case .filter: throw .notAvailable("'filter'")
      case .protocol: throw .notAvailable("'protocol'")
      case .template: throw .notAvailable("'object'")
      case .group: throw .notAvailable("'group'")
      case .connector: throw .notAvailable("'connector'")
      }
    } catch {
      return signal(error)
    }
  }

  private func define(
    _ definition: ClassDefinition, source: SourceText
  ) throws(Failure) -> Value {
    let name = definition.name.text
    let superclass = try superclass(named: definition.superclass?.text ?? "Object", for: name)
    if let existing = classesByName[name], existing.isKernel {
      throw Failure(.error, "'\(name)' is a class of the kernel; use 'extension \(name) { ... }'")
    }
    let info = makeClass(named: name, superclass: superclass)
    try add(definition.members, to: info, source: source)
    return info.object
  }

  private func superclass(named name: String, for subclass: String) throws(Failure) -> ClassInfo {
    guard let info = classesByName[name] else { throw .unknownName(name) }
    // The instances of these have no place for variables of their own.
    if info.isKnownToEvaluator || info.format != .slots {
      throw Failure(.error, "'\(subclass)' cannot inherit from '\(name)'")
    }
    return info
  }

  private func define(
    _ definition: ExtensionDefinition, source: SourceText
  ) throws(Failure) -> Value {
    guard let info = classesByName[definition.name.text] else {
      throw .unknownName(definition.name.text)
    }
    try add(definition.members, to: info, source: source)
    return info.object
  }

  private func add(
    _ members: [Member], to info: ClassInfo, source: SourceText
  ) throws(Failure) {
    for member in members {
      if case .variable(let variable) = member {
        info.instanceVariables.append(
          InstanceVariable(
            name: variable.name.text, type: variable.type?.text, owner: info.name))
        addAccessors(variable.name.text, to: info)
      }
    }
    settleLayout(of: info)
    for member in members {
      switch member {
      case .method(let method): add(method, to: info, source: source)
      case .classVariable(let variables):
        for name in variables.names { info.classVariables[name.text] = makeCell(.nil) }
      case .variable: break
      case .propertyPath, .emission, .statement: throw .notAvailable("this member")
      }
    }
  }

  private func addAccessors(_ name: String, to info: ClassInfo) {
    guard let slot = info.slot(of: name) else { return }
    let type = info.instanceVariables[slot].type
    let getter = Method(selector: selector(name), holder: info, origin: .getter(slot: slot))
    let setter = Method(
      selector: selector(name + ":"), holder: info, origin: .setter(slot: slot, type: type))
    install(getter, in: info)
    install(setter, in: info)
  }

  private func add(_ method: MethodDefinition, to info: ClassInfo, source: SourceText) {
    let target = method.isClassMethod ? info.metaclass ?? info : info
    install(
      Method(
        selector: selector(method.header.selector), holder: target,
        origin: .definition(method, source)), in: target)
  }
}
