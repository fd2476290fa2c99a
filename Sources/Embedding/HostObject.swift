public import TenonRuntime

extension Interpreter {
  /// Defines a class of scripts that stands for a Swift type.
  ///
  ///     try interpreter.define(Tank.self) {
  ///       HostInitializer { Tank() }
  ///       HostProperty("level", \.level)
  ///       HostMethod("fill:") { (tank, amount: Double) in try tank.fill(amount) }
  ///     }
  ///
  /// Scripts may derive classes from it and add methods and variables.
  ///
  /// - Parameters:
  ///   - type: The type, a class or a structure.
  ///   - name: What scripts call the class.
  ///   - superclass: A type that has been defined before, whose members this one inherits.
  ///   - members: What scripts know of it.
  /// - Throws: `EvaluationError` when the name or a selector is none, when it is there already, or when
  ///   a selector does not fit its parameters.
  public func define<Root>(
    _ type: Root.Type, as name: String = "\(Root.self)", inheriting superclass: Any.Type? = nil,
    @HostMemberBuilder<Root> members: () -> [HostMember<Root>]
  ) throws(EvaluationError) {
    let problem = machine.defineHostClass(
      ObjectIdentifier(type), named: name, superclass: superclass.map { ObjectIdentifier($0) },
      members().map(\.member))
    if let problem { throw .conversion(ConversionError(problem)) }
  }

  /// The object of scripts that stands for a Swift object, or a new one that holds a structure.
  ///
  /// - Throws: `EvaluationError` when the type has not been defined.
  public func object<Root>(_ value: Root) throws(EvaluationError) -> HostObject<Root> {
    let box = HostBox(value)
    do throws(ConversionError) {
      let handle = try machine.makeHandle { (writer) throws(ConversionError) in
        try box.write(as: Swift::type(of: value), in: machine, to: &writer)
      }
      return HostObject(interpreter: self, handle: handle)
    } catch {
      throw .conversion(error)
    }
  }
}

extension HostBox {
  /// Writes the object that stands for the content.
  fileprivate func write(
    as dynamic: Any.Type, in machine: Machine, to writer: inout ValueWriter
  ) throws(ConversionError) {
    try machine.writeHostObject(
      self, of: [ObjectIdentifier(dynamic), ObjectIdentifier(Content.self)],
      named: "\(Content.self)", to: &writer)
  }
}

/// A Swift value that scripts share, and how Swift tells them of changes.
///
/// It keeps the interpreter and the object alive.
public struct HostObject<Root>: ScriptConvertible {
  package let interpreter: Interpreter
  /// The object of scripts.
  public let handle: Handle
  private let type = HostBoxType<Root>()

  init(interpreter: Interpreter, handle: Handle) {
    self.interpreter = interpreter
    self.handle = handle
  }

  /// The Swift value: of a structure the present one.
  ///
  /// - Throws: `EvaluationError` when a script has replaced the object's value by one of another type.
  public func value() throws(EvaluationError) -> Root { try box().value }

  /// Gives a property a value, and tells connections.
  ///
  /// - Throws: `EvaluationError` when scripts do not know the property, or a net does not come to rest:
  ///   the property has the value all the same.
  public func set<Value>(
    _ path: WritableKeyPath<Root, Value>, to value: Value
  ) throws(EvaluationError) {
    let box = try box()
    if let path = path as? ReferenceWritableKeyPath<Root, Value> {
      box.value[keyPath: path] = value
    } else {
      box.value[keyPath: path] = value
    }
    try changed(path)
  }

  /// Gives a property of an object of a class a value, and tells connections.
  ///
  /// - Throws: `EvaluationError`, as the form for any property.
  @inlinable @inline(__always)
  public func set<Value>(
    _ path: @autoclosure () -> ReferenceWritableKeyPath<Root, Value>, to value: Value
  ) throws(EvaluationError) {
    // Evaluated where it is written, so that the optimizer makes plain code of it.
    let root = try box().value
    root[keyPath: path()] = value
    try changed(path())
  }

  /// Tells connections that Swift code has changed a property.
  ///
  /// Formulas that read it run, and what is connected with it both ways follows, before it returns.
  ///
  /// - Throws: `EvaluationError` when scripts do not know the property, when a formula is running, or
  ///   a net does not come to rest.
  public func changed(_ path: PartialKeyPath<Root>) throws(EvaluationError) {
    do throws(CallError) {
      try interpreter.machine.hostPropertyChanged(handle, path, named: "\(path)")
    } catch {
      throw EvaluationError(error, in: interpreter.machine)
    }
  }

  @usableFromInline
  func box() throws(EvaluationError) -> HostBox<Root> {
    do throws(ConversionError) {
      let found = try interpreter.machine.hostBox(of: handle)
      if type.isType(of: found) { return type.downcast(found) }
      return try box(of: found)
    } catch {
      throw .conversion(error)
    }
  }

  /// The box of a value that is none of the type itself.
  @inline(never)
  private func box(of found: AnyHostBox) throws(ConversionError) -> HostBox<Root> {
    // An object of a subclass is one of this class, too.
    if Root.self is AnyObject.Type, let object = found.content as? Root { return HostBox(object) }
    throw ConversionError(expected: "an object of \(Root.self)", found: handle.className)
  }

  /// The object cannot be made of a value alone: `ScriptObject` reads the Swift object.
  ///
  /// - Throws: `ConversionError`, always.
  public static func read(_ value: borrowing ValueReader) throws(ConversionError) -> HostObject {
    throw ConversionError("a parameter is an object of \(Root.self), not a HostObject of it")
  }

  /// Writes the object.
  ///
  /// - Throws: `ConversionError` when it is one of another interpreter.
  public func write(to writer: inout ValueWriter) throws(ConversionError) {
    try writer.write(handle)
  }
}

/// A Swift class whose objects scripts share: parameters, results and variables can be of it.
///
/// The interpreter must have a definition of the class.
public protocol ScriptObject: AnyObject, ScriptConvertible {}

// swift-format-ignore: AllPublicDeclarationsHaveDocumentation
extension ScriptObject {
  public static func read(_ value: borrowing ValueReader) throws(ConversionError) -> Self {
    guard let object = value.hostObject?.content as? Self else {
      throw value.mismatch("an object of \(Self.self)")
    }
    return object
  }

  public func write(to writer: inout ValueWriter) throws(ConversionError) {
    try HostBox(self).write(as: type(of: self), in: writer.machine, to: &writer)
  }
}
