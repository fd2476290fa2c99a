/// The body of `basicNew`: makes an instance.
final class BasicNewNode: SiteNode {
  override func evaluate(_ frame: Frame) -> Value {
    let slots = ObjectRef(frame.receiver)[slot: ClassSlot.instanceSlots]
    guard slots.isSmallInteger else { return makeSpecially(frame) }
    let index = ObjectRef(frame.receiver)[slot: ClassSlot.index]
    return Value(
      state.allocate(
        classIndex: UInt32(truncatingIfNeeded: index.smallInteger), slotCount: slots.smallInteger))
  }

  /// The frame slots of `basicNew`: the class, then the operand area.
  static let depth = 1
}

extension SiteNode {
  /// Makes an instance that takes more than its slots.
  @inline(never)
  fileprivate final func makeSpecially(_ frame: Frame) -> Value {
    withMachine(in: frame) { machine in
      do throws(Failure) {
        return try machine.makeInstance(ofClassValue: frame.receiver)
      } catch {
        return machine.signal(error)
      }
    }
  }
}

/// The body of `new`: makes an instance and sends it `initialize`.
///
/// The class's object says how many slots an instance has; classes whose instances need more than
/// that say nothing and take the slow path.
final class NewNode: SendNode {
  override func evaluate(_ frame: Frame) -> Value {
    let slots = ObjectRef(frame.receiver)[slot: ClassSlot.instanceSlots]
    if slots.isSmallInteger {
      let index = ObjectRef(frame.receiver)[slot: ClassSlot.index]
      frame[1] = Value(
        state.allocate(
          classIndex: UInt32(truncatingIfNeeded: index.smallInteger),
          slotCount: slots.smallInteger))
    } else {
      frame[1] = .nil
      let instance = makeSpecially(frame)
      if instance.isUnwind { return instance }
      frame[1] = instance
    }
    let instance = frame[1]
    let callee = frame.callee(at: depth)
    callee.site = marker
    callee[0] = instance
    let initialized = invoke(instance, callee)
    if initialized.isUnwind { return initialized }
    return slots.isSmallInteger ? frame[1] : connect(frame)
  }

  /// The frame slots of `new`: the class, the instance, then the operand area.
  static let depth = 2

  /// Makes the connections that the class's text asks for in every instance.
  @inline(never)
  private func connect(_ frame: Frame) -> Value {
    withMachine(in: frame) { machine in
      machine.connectInstance(frame[1], of: frame.receiver)
    }
  }
}

/// Where the object of a class keeps what the evaluator needs of it.
enum ClassSlot {
  /// The class's index.
  static let index = 0
  /// How many slots an instance has; nil when making one takes more than that.
  static let instanceSlots = 1
  static let count = 2
}
