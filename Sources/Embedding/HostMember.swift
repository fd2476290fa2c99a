public import TenonRuntime

// The members of a Swift type that scripts know, as `Interpreter.define` is given them.

/// A member of a Swift type that scripts know.
public struct HostMember<Root> {
  let member: HostClassMember
}

/// A property of a Swift type, which can be the end of a connector.
///
/// What reads and writes it is made where it is declared, and the key path is evaluated there: of one that is
/// written out the optimizer makes plain code, which takes a fraction of the time.
public struct HostProperty<Root> {
  fileprivate let member: HostClassMember

  /// Declares a property that scripts read.
  @inlinable @inline(__always)
  public init<Value: ScriptConvertible>(
    _ name: String, _ path: @autoclosure @escaping () -> KeyPath<Root, Value>
  ) {
    self.init(
      name, path(),
      read: { (box, writer) throws(ConversionError) in
        try box.value[keyPath: path()].write(to: &writer)
      }, set: nil)
  }

  /// Declares a property that scripts read and write, of a structure or of a class.
  @inlinable @inline(__always)
  public init<Value: ScriptConvertible>(
    _ name: String, _ path: @autoclosure @escaping () -> WritableKeyPath<Root, Value>
  ) {
    if let path = path() as? ReferenceWritableKeyPath<Root, Value> {
      self.init(name, path)
      return
    }
    self.init(
      name, path(),
      read: { (box, writer) throws(ConversionError) in
        try box.value[keyPath: path()].write(to: &writer)
      },
      set: { (box, reader, writer) throws(ConversionError) in
        let value = try Value.read(reader)
        // Code of the host that sets the property may read the object.
        var changed = box.value
        changed[keyPath: path()] = value
        box.value = changed
        try value.write(to: &writer)
      })
  }

  /// Declares a property of a class that scripts read and write.
  @inlinable @inline(__always)
  public init<Value: ScriptConvertible>(
    _ name: String, _ path: @autoclosure @escaping () -> ReferenceWritableKeyPath<Root, Value>
  ) {
    self.init(
      name, path(),
      read: { (box, writer) throws(ConversionError) in
        try box.value[keyPath: path()].write(to: &writer)
      },
      set: { (box, reader, writer) throws(ConversionError) in
        let value = try Value.read(reader)
        // Code of the host that sets the property may read the object.
        let root = box.value
        root[keyPath: path()] = value
        try value.write(to: &writer)
      })
  }

  /// Declares a property by its code; what writes it answers what has been written.
  @usableFromInline
  init(
    _ name: String, _ path: PartialKeyPath<Root>,
    read: @escaping (HostBox<Root>, inout ValueWriter) throws(ConversionError) -> Void,
    set: (
      (HostBox<Root>, borrowing ValueReader, inout ValueWriter) throws(ConversionError) -> Void
    )?
  ) {
    let type = HostBoxType<Root>()
    let write = set.map { set -> HostCode in
      { call, writer in
        let box = try type.receiver(of: call)
        try call.argument(0) { (value) throws(ConversionError) in try set(box, value, &writer) }
      }
    }
    member = .property(
      name: name, path: path,
      read: { call, writer in try read(type.receiver(of: call), &writer) }, write: write)
  }
}

/// A method of a Swift type.
public struct HostMethod<Root> {
  fileprivate let member: HostClassMember

  /// Declares a method by its code, which takes so many arguments.
  package init(
    _ selector: String, count: Int,
    _ code: @escaping (Root, HostCall, inout ValueWriter) throws -> Void
  ) {
    let type = HostBoxType<Root>()
    member = .checked(selector, count) { call, writer in
      try code(type.receiver(of: call).value, call, &writer)
    }
  }

  /// Declares a method with an answer.
  ///
  /// - Parameters:
  ///   - selector: What scripts send: `reset`, `fill:`, `move:to:`.
  ///   - body: Does it, given the receiver and the arguments.
  public init<each Argument: ScriptConvertible, Result: ScriptConvertible>(
    _ selector: String, _ body: @escaping (Root, repeat each Argument) throws -> Result
  ) {
    let count = packCount(repeat (each Argument).self)
    let type = HostBoxType<Root>()
    member = .checked(selector, count) { call, writer in
      let root = try type.receiver(of: call).value
      var arguments = ArgumentCursor(call)
      let answer = try body(root, repeat try arguments.next((each Argument).self))
      try answer.write(to: &writer)
    }
  }

  /// Declares a method without an answer of its own: scripts get the receiver.
  public init<each Argument: ScriptConvertible>(
    _ selector: String, _ body: @escaping (Root, repeat each Argument) throws -> Void
  ) {
    let count = packCount(repeat (each Argument).self)
    let type = HostBoxType<Root>()
    member = .checked(selector, count) { call, writer in
      let root = try type.receiver(of: call).value
      var arguments = ArgumentCursor(call)
      try body(root, repeat try arguments.next((each Argument).self))
      call.receiver { writer.write($0) }
    }
  }
}

/// A method that changes a structure; scripts get the receiver.
///
/// `HostObject.changed` tells connections of the properties that it changes.
public struct HostMutation<Root> {
  fileprivate let member: HostClassMember

  /// Declares a method.
  public init<each Argument: ScriptConvertible>(
    _ selector: String, _ body: @escaping (inout Root, repeat each Argument) throws -> Void
  ) {
    let count = packCount(repeat (each Argument).self)
    let type = HostBoxType<Root>()
    member = .checked(selector, count) { call, writer in
      let box = try type.receiver(of: call)
      var arguments = ArgumentCursor(call)
      // The body may use the interpreter, which may come back to the same value.
      var value = box.value
      try body(&value, repeat try arguments.next((each Argument).self))
      box.value = value
      call.receiver { writer.write($0) }
    }
  }
}

/// A method of the class that makes an instance: `new`, `level:capacity:`.
///
/// Of a class that a script derives from this one it makes an instance of that.
public struct HostInitializer<Root> {
  fileprivate let member: HostClassMember

  /// Declares a method.
  public init<each Argument: ScriptConvertible>(
    _ selector: String = "new", _ body: @escaping (repeat each Argument) throws -> Root
  ) {
    let count = packCount(repeat (each Argument).self)
    guard HostClassMember.argumentCount(of: selector) == count else {
      member = .mistaken(selector: selector, count: count)
      return
    }
    member = .initializer(selector: selector) { call, _ in
      var arguments = ArgumentCursor(call)
      let value = try body(repeat try arguments.next((each Argument).self))
      call.adopt(HostBox(value))
    }
  }
}

extension HostClassMember {
  /// A method, unless its selector has another number of arguments than its code.
  fileprivate static func checked(
    _ selector: String, _ count: Int, _ code: @escaping HostCode
  ) -> HostClassMember {
    argumentCount(of: selector) == count
      ? .method(selector: selector, code) : .mistaken(selector: selector, count: count)
  }
}

/// What tells the boxes of a type apart from others: to ask for a generic type takes longer than a call.
struct HostBoxType<Content>: Sendable {
  private let identity = ObjectIdentifier(HostBox<Content>.self)

  // An optional of the box would be one more generic type.

  /// Whether a box is one of the type.
  @inline(__always)
  func isType(of box: AnyHostBox) -> Bool { ObjectIdentifier(type(of: box)) == identity }

  /// A box of the type.
  @inline(__always)
  func downcast(_ box: AnyHostBox) -> HostBox<Content> {
    unsafe unsafeDowncast(box, to: HostBox<Content>.self)
  }

  /// What holds the receiver of a method.
  ///
  /// An object of a subclass that was defined by itself is held by a box of its own type.
  @inline(__always)
  func receiver(of call: HostCall) throws(ConversionError) -> HostBox<Content> {
    let box = try call.hostReceiver()
    return isType(of: box) ? downcast(box) : try copy(of: box)
  }

  private func copy(of box: AnyHostBox) throws(ConversionError) -> HostBox<Content> {
    guard let content = box.content as? Content else {
      throw ConversionError(expected: "an object of \(Content.self)", found: "another one")
    }
    return HostBox(content)
  }
}

/// Makes a list of members out of lines.
@resultBuilder
public enum HostMemberBuilder<Root> {
  /// A property.
  public static func buildExpression(_ line: HostProperty<Root>) -> [HostMember<Root>] {
    [HostMember(member: line.member)]
  }
  /// A method.
  public static func buildExpression(_ line: HostMethod<Root>) -> [HostMember<Root>] {
    [HostMember(member: line.member)]
  }
  /// A method that changes a structure.
  public static func buildExpression(_ line: HostMutation<Root>) -> [HostMember<Root>] {
    [HostMember(member: line.member)]
  }
  /// A method of the class.
  public static func buildExpression(_ line: HostInitializer<Root>) -> [HostMember<Root>] {
    [HostMember(member: line.member)]
  }
  /// All lines.
  public static func buildBlock(_ parts: [HostMember<Root>]...) -> [HostMember<Root>] {
    parts.flatMap { $0 }
  }
  /// Lines under a condition.
  public static func buildOptional(_ part: [HostMember<Root>]?) -> [HostMember<Root>] { part ?? [] }
  /// One of two lists.
  public static func buildEither(first part: [HostMember<Root>]) -> [HostMember<Root>] { part }
  /// The other one.
  public static func buildEither(second part: [HostMember<Root>]) -> [HostMember<Root>] { part }
  /// The lines of a loop.
  public static func buildArray(_ parts: [[HostMember<Root>]]) -> [HostMember<Root>] {
    parts.flatMap { $0 }
  }
}
