/// Answers a property of an object of the host.
final class HostGetterNode: Node {
  private let read: HostCode
  private let slot: Int
  private let isTracked: Bool
  private let state: StateRef

  init(_ read: @escaping HostCode, slot: Int, isTracked: Bool, state: StateRef) {
    self.read = read
    self.slot = slot
    self.isTracked = isTracked
    self.state = state
  }

  override func evaluate(_ frame: Frame) -> Value {
    state.withMachine { machine in
      if isTracked {
        state.top = frame.advanced(by: 1)
        state.base = frame
        let noted = machine.recordRead(ObjectRef(frame.receiver), slot: slot)
        if noted.isUnwind { return noted }
      }
      return machine.callHost(read, Arguments(frame: frame), count: 0)
    }
  }
}

/// Gives a property of an object of the host a value, and tells connections.
///
/// A connection that writes must find there what it has written: one whose value the host has changed
/// on the way, or refused, is in the state of an error, as its equation does not hold.
final class HostSetterNode: Node {
  private let write: HostCode
  private let read: HostCode
  private let slot: Int
  private let name: String
  private let argumentCount: Int
  private let state: StateRef

  init(
    _ write: @escaping HostCode, read: @escaping HostCode, slot: Int, name: String, count: Int,
    state: StateRef
  ) {
    self.write = write
    self.read = read
    self.slot = slot
    self.name = name
    argumentCount = count
    self.state = state
  }

  override func evaluate(_ frame: Frame) -> Value {
    state.withMachine { machine in
      let arguments = Arguments(frame: frame)
      let object = ObjectRef(frame.receiver)
      let root = machine.roots.count
      defer { machine.dropRoots(to: root) }
      if object.flags & ObjectFlag.guards == 0 {
        let written = machine.callHost(write, arguments, count: 1)
        return written.isUnwind
          ? written
          : machine.announceHostChange(of: object, slot: slot).isUnwind
            ? .unwind : frame.receiver
      }
      let old = machine.callHost(read, arguments, count: 0)
      if old.isUnwind { return old }
      machine.roots.append(old)
      // What was written, as the property's type has it.
      let written = machine.callHost(write, arguments, count: 1)
      if written.isUnwind { return written }
      machine.roots.append(written)
      state.top = frame.advanced(by: 2)
      state.base = frame
      if machine.announceHostChange(of: object, slot: slot).isUnwind {
        // Connections have refused it.
        frame[1] = old
        machine.callHostQuietly(write, arguments)
        return .unwind
      }
      guard machine.isWritingProperty(of: frame.receiver) else { return frame.receiver }
      return check(written, arguments, machine)
    }
  }

  /// Refuses what the property holds after a connection has written, unless it is that.
  private func check(_ written: Value, _ arguments: Arguments, _ machine: Machine) -> Value {
    let frame = arguments.frame
    let kept = machine.callHost(read, arguments, count: 0)
    if kept.isUnwind || kept == written { return kept }
    machine.roots.append(kept)
    state.top = frame.advanced(by: 2)
    state.base = frame
    let isEqual = machine.send(machine.selector("="), to: kept, written)
    if isEqual.isUnwind || isEqual.isTrue { return isEqual }
    return machine.signal(
      Failure(
        .constraintError,
        "'\(name)' holds \(machine.describe(kept)) after \(machine.describe(written)) was written"
      ))
  }
}

/// Makes an instance of a class that stands for a type of the host, and has it stand for a value.
final class HostMakingNode: Node {
  private let initializer: Selector
  private let argumentCount: Int
  private let state: StateRef

  init(initializer: Selector, argumentCount: Int, state: StateRef) {
    self.initializer = initializer
    self.argumentCount = argumentCount
    self.state = state
  }

  override func evaluate(_ frame: Frame) -> Value {
    state.top = frame.advanced(by: argumentCount + 1)
    state.base = frame
    return state.withMachine { machine in
      let root = machine.roots.count
      defer { machine.dropRoots(to: root) }
      let instance: Value
      do throws(Failure) {
        instance = try machine.makeInstance(ofClassValue: frame.receiver)
      } catch {
        return machine.signal(error)
      }
      machine.roots.append(instance)
      let callee = machine.pushNativeFrame()
      callee[0] = instance
      for index in 0..<argumentCount { callee[index + 1] = frame[index + 1] }
      let body = machine.currentBody(for: initializer, classIndex: instance.classIndex)
      let made = machine.enter(body, callee, argumentCount: argumentCount)
      if made.isUnwind { return made }
      let ready = machine.send(machine.selector("initialize"), to: instance)
      if ready.isUnwind { return ready }
      return machine.connectInstance(instance, of: frame.receiver)
    }
  }
}

extension Machine {
  /// Whether a connection writes a property of an object at this moment.
  func isWritingProperty(of object: Value) -> Bool {
    guard let writing = graph.writeState.writing else { return false }
    let place = graph[writing].place
    return place.kind == .property && place.object == object
  }
}
