/// A block that a primitive evaluates once for each element of a collection.
///
/// Its frame is made once, above the primitive's own and the slots in which the primitive keeps
/// what the collector must not take: a send from Swift code would make and check one each time.
@safe
struct RepeatedBlock {
  private let state: StateRef
  /// The primitive's frame, and the first slot of the value stack that it leaves free.
  private let frame: Frame
  private let top: Frame
  private let blockSlot: Int
  private let callee: Frame
  private let argumentCount: Int
  /// What a block does; nil when each turn has to find out, or the stack is nearly used up.
  private let body: NodeRef?

  /// Makes a frame for a block.
  ///
  /// - Parameters:
  ///   - machine: The machine.
  ///   - frame: The frame of the primitive.
  ///   - slot: Where the block stands in the frame.
  ///   - count: How many values the block is evaluated with.
  ///   - kept: The first slot behind the primitive's arguments and what it keeps.
  init(
    _ machine: Machine, _ frame: Frame, block slot: Int, arguments count: Int, kept: Int
  ) {
    state = machine.state
    self.frame = frame
    blockSlot = slot
    argumentCount = count
    top = frame.advanced(by: kept)
    state.top = top
    state.base = frame
    callee = machine.pushNativeFrame()
    let block = frame[slot]
    if block.isObject(ofClass: ClassIndex.blockClosure),
      Closure(block).code.argumentCount == count,
      callee.advanced(by: FrameLimits.reserve) < state.stackEnd
    {
      body = machine.currentBody(of: Closure(block).code.object)
    } else {
      body = nil
    }
  }

  /// Evaluates the block with one value.
  @inline(__always)
  func value(_ argument: Value) -> Value {
    callee[0] = frame[blockSlot]
    callee[1] = argument
    return evaluate()
  }

  /// Evaluates the block with two values.
  @inline(__always)
  func value(_ first: Value, _ second: Value) -> Value {
    callee[0] = frame[blockSlot]
    callee[1] = first
    callee[2] = second
    return evaluate()
  }

  @inline(__always)
  private func evaluate() -> Value {
    guard let body, !state.needsSafepoint || state.hasRoom && state.countsTurn() else {
      return evaluateSlowly()
    }
    return body.evaluate(callee)
  }

  /// Looks at the stacks and at what else waits; also for what is no block.
  @inline(never)
  private func evaluateSlowly() -> Value {
    state.withMachine { machine in
      restoreTop()
      let selector = machine.selector(argumentCount == 1 ? "value:" : "value:value:")
      let receiver = callee[0]
      return machine.enter(
        body ?? machine.currentBody(for: selector, classIndex: receiver.classIndex), callee,
        argumentCount: argumentCount)
    }
  }

  /// Whether the block answers true for a value; nil when it was left by unwinding.
  @inline(__always)
  func test(_ argument: Value) -> Bool? {
    let answer = value(argument)
    return answer.isBoolean ? answer.isTrue : decide(answer)
  }

  /// Asks what to do about an answer that is no Boolean.
  @inline(never)
  private func decide(_ answer: Value) -> Bool? {
    if answer.isUnwind { return nil }
    restoreTop()
    let condition = state.withMachine { $0.booleanInstead(of: answer) }
    return condition.isUnwind ? nil : condition.isTrue
  }

  /// Makes the primitive's frame the innermost again: what the block called has left its own.
  func restoreTop() {
    state.top = top
    state.base = frame
  }
}
