internal import TenonNumerics

/// `==`: the same object.
final class IdentityNode: SiteNode {
  let left: NodeRef
  let right: NodeRef
  /// Whether it is `~~`.
  let negated: Bool

  init(left: NodeRef, right: NodeRef, negated: Bool, at position: CodePosition) {
    self.left = left
    self.right = right
    self.negated = negated
    super.init(at: position)
  }

  override func evaluate(_ frame: Frame) -> Value { test(frame).value }

  override func test(_ frame: Frame) -> Test {
    let left = left.evaluate(frame)
    if left.isUnwind { return Test(left) }
    frame[depth] = left
    let right = right.evaluate(frame)
    if right.isUnwind { return Test(right) }
    return Test((left == right) != negated)
  }
}

extension SiteNode {
  /// Asks what to do about a condition that is no Boolean.
  ///
  /// - Returns: a Boolean a handler resumed with, or `unwind`.
  @inline(never)
  final func nonBoolean(_ value: Value, in frame: Frame) -> Value {
    if value.isBoolean || value.isUnwind { return value }
    return withMachine(in: frame) { $0.booleanInstead(of: value) }
  }
}

/// `ifTrue:ifFalse:` and its like with literal blocks.
final class IfNode: SiteNode {
  let condition: ConditionRef
  let consequence: NodeRef
  let alternative: NodeRef

  init(
    condition: ConditionRef, consequence: NodeRef, alternative: NodeRef, at position: CodePosition
  ) {
    self.condition = condition
    self.consequence = consequence
    self.alternative = alternative
    super.init(at: position)
  }

  override func evaluate(_ frame: Frame) -> Value {
    let outcome = condition.test(frame, state)
    if outcome.isTrue { return consequence.evaluate(frame) }
    if outcome.isFalse { return alternative.evaluate(frame) }
    return unusual(outcome.value, frame)
  }

  override func test(_ frame: Frame) -> Test {
    let outcome = condition.test(frame, state)
    if outcome.isTrue { return consequence.test(frame) }
    if outcome.isFalse { return alternative.test(frame) }
    return Test(unusual(outcome.value, frame))
  }

  @inline(never)
  private func unusual(_ value: Value, _ frame: Frame) -> Value {
    let decided = nonBoolean(value, in: frame)
    if decided.isUnwind { return decided }
    return decided.isTrue ? consequence.evaluate(frame) : alternative.evaluate(frame)
  }
}

/// `and:` and `&&` with a literal block.
final class AndNode: SiteNode {
  let left: ConditionRef
  let right: ConditionRef

  init(left: ConditionRef, right: ConditionRef, at position: CodePosition) {
    self.left = left
    self.right = right
    super.init(at: position)
  }

  override func evaluate(_ frame: Frame) -> Value {
    let outcome = left.test(frame, state)
    if outcome.isTrue { return right.test(frame, state).value }
    if outcome.isFalse { return .false }
    let decided = nonBoolean(outcome.value, in: frame)
    return decided.isTrue ? right.test(frame, state).value : decided
  }

  override func test(_ frame: Frame) -> Test {
    let outcome = left.test(frame, state)
    if outcome.isTrue { return right.test(frame, state) }
    if outcome.isFalse { return outcome }
    let decided = nonBoolean(outcome.value, in: frame)
    return decided.isTrue ? right.test(frame, state) : Test(decided)
  }
}

/// `or:` and `||` with a literal block.
final class OrNode: SiteNode {
  let left: ConditionRef
  let right: ConditionRef

  init(left: ConditionRef, right: ConditionRef, at position: CodePosition) {
    self.left = left
    self.right = right
    super.init(at: position)
  }

  override func evaluate(_ frame: Frame) -> Value {
    let outcome = left.test(frame, state)
    if outcome.isFalse { return right.test(frame, state).value }
    if outcome.isTrue { return .true }
    let decided = nonBoolean(outcome.value, in: frame)
    return decided.isFalse ? right.test(frame, state).value : decided
  }

  override func test(_ frame: Frame) -> Test {
    let outcome = left.test(frame, state)
    if outcome.isFalse { return right.test(frame, state) }
    if outcome.isTrue { return outcome }
    let decided = nonBoolean(outcome.value, in: frame)
    return decided.isFalse ? right.test(frame, state) : Test(decided)
  }
}

/// `ifNil:`, `ifNotNil:` and both, with literal blocks.
final class IfNilNode: Node {
  let subject: NodeRef
  /// What happens for nil; without it nil itself is the value.
  let absent: NodeRef?
  /// What happens otherwise; without it the subject is the value.
  let present: NodeRef?
  /// The frame slot in which `present` finds the subject, or -1.
  let slot: Int

  init(subject: NodeRef, absent: NodeRef?, present: NodeRef?, slot: Int) {
    self.subject = subject
    self.absent = absent
    self.present = present
    self.slot = slot
  }

  override func evaluate(_ frame: Frame) -> Value {
    let value = subject.evaluate(frame)
    if value.isUnwind { return value }
    if value.isNil { return absent?.evaluate(frame) ?? .nil }
    guard let present else { return value }
    if slot >= 0 { frame[slot] = value }
    return present.evaluate(frame)
  }
}

/// `whileTrue:`, `whileFalse:` and their unary forms with literal blocks.
final class WhileNode: SiteNode {
  let condition: ConditionRef
  let body: NodeRef
  /// Whether it goes on while the condition is true.
  let sense: Bool

  init(condition: ConditionRef, body: NodeRef, sense: Bool, at position: CodePosition) {
    self.condition = condition
    self.body = body
    self.sense = sense
    super.init(at: position)
  }

  override func evaluate(_ frame: Frame) -> Value {
    let goOn = Value(sense)
    while true {
      let outcome = condition.test(frame, state).value
      if outcome != goOn {
        if outcome.isBoolean { return .nil }
        let decided = nonBoolean(outcome, in: frame)
        if decided.isUnwind { return decided }
        if decided != goOn { return .nil }
      }
      let value = body.evaluate(frame)
      if value.isUnwind { return value }
      if state.needsSafepoint, !state.countsTurn(), safepoint(in: frame).isUnwind {
        return .unwind
      }
    }
  }
}

/// `repeat` with a literal block.
final class RepeatNode: SiteNode {
  let body: NodeRef

  init(body: NodeRef, at position: CodePosition) {
    self.body = body
    super.init(at: position)
  }

  override func evaluate(_ frame: Frame) -> Value {
    while true {
      let value = body.evaluate(frame)
      if value.isUnwind { return value }
      if state.needsSafepoint, !state.countsTurn(), safepoint(in: frame).isUnwind {
        return .unwind
      }
    }
  }
}

/// `to:do:` and `to:by:do:` with a literal block; also `timesRepeat:`.
///
/// Limit, step and the loop's value live in the operand area, the counter in the slot of the
/// block's parameter. The general form, for numbers that are no SmallIntegers, is the same tree of
/// sends that a program would write.
final class ToDoNode: SiteNode {
  /// Where the operand area keeps the values of the loop, from its first slot.
  enum Slot {
    static let result = 0
    static let limit = 1
    static let step = 2
    static let count = 3
  }

  let start: NodeRef
  let limit: NodeRef
  let step: NodeRef
  let body: NodeRef
  let counterSlot: Int
  let base: Int
  /// Whether the value is the limit and not the start: `timesRepeat:`.
  let answersLimit: Bool
  /// `counter <= limit`, `counter >= limit`, `step > 0`, `counter + step` as sends.
  let atMost: NodeRef
  let atLeast: NodeRef
  let isAscending: NodeRef
  let next: NodeRef

  init(
    start: NodeRef, limit: NodeRef, step: NodeRef, body: NodeRef, counterSlot: Int, base: Int,
    answersLimit: Bool, sends: GeneralSends, at position: CodePosition
  ) {
    self.start = start
    self.limit = limit
    self.step = step
    self.body = body
    self.counterSlot = counterSlot
    self.base = base
    self.answersLimit = answersLimit
    atMost = sends.atMost
    atLeast = sends.atLeast
    isAscending = sends.isAscending
    next = sends.next
    super.init(at: position)
  }

  /// The sends of the general form.
  struct GeneralSends {
    let atMost: NodeRef
    let atLeast: NodeRef
    let isAscending: NodeRef
    let next: NodeRef
  }

  override func evaluate(_ frame: Frame) -> Value {
    let start = start.evaluate(frame)
    if start.isUnwind { return start }
    frame[base + Slot.result] = start
    let limit = limit.evaluate(frame)
    if limit.isUnwind { return limit }
    frame[base + Slot.limit] = limit
    let step = step.evaluate(frame)
    if step.isUnwind { return step }
    frame[base + Slot.step] = step
    if answersLimit { frame[base + Slot.result] = limit }
    frame[counterSlot] = start
    guard Value.areSmallIntegers(start, limit), step.isSmallInteger, step != Value(small: 0)
    else { return countGenerally(frame) }
    if step == Value(small: 1) {
      return countUp(from: start.smallInteger, to: limit.smallInteger, frame)
    }
    return count(
      from: start.smallInteger, to: limit.smallInteger, by: step.smallInteger, frame)
  }

  @inline(__always)
  private func countUp(from start: Int, to limit: Int, _ frame: Frame) -> Value {
    var counter = start
    while counter <= limit {
      frame[counterSlot] = Value(small: counter)
      let value = body.evaluate(frame)
      if value.isUnwind { return value }
      if state.needsSafepoint, !state.countsTurn(), safepoint(in: frame).isUnwind {
        return .unwind
      }
      counter &+= 1
    }
    return frame[base + Slot.result]
  }

  @inline(never)
  private func count(from start: Int, to limit: Int, by step: Int, _ frame: Frame) -> Value {
    var counter = start
    while step > 0 ? counter <= limit : counter >= limit {
      frame[counterSlot] = Value(small: counter)
      let value = body.evaluate(frame)
      if value.isUnwind { return value }
      if state.needsSafepoint, !state.countsTurn(), safepoint(in: frame).isUnwind {
        return .unwind
      }
      // SmallIntegers have a bit less than machine words: their sum cannot overflow.
      counter &+= step
    }
    return frame[base + Slot.result]
  }

  @inline(never)
  private func countGenerally(_ frame: Frame) -> Value {
    if frame[base + Slot.step] == Value(small: 0) { return signal(.zeroStep(), in: frame) }
    switch floatLoop(frame) {
    case .success(.floats(let steps)): return count(over: steps, frame)
    case .success(.unwinding): return .unwind
    case .success(.otherNumbers): break
    case .failure(let failure): return signal(failure, in: frame)
    }
    let ascending = isAscending.test(frame).value
    if ascending.isUnwind { return ascending }
    let goOn = ascending.isTrue ? atMost : atLeast
    while true {
      var outcome = goOn.test(frame).value
      if !outcome.isBoolean { outcome = nonBoolean(outcome, in: frame) }
      if outcome.isUnwind { return outcome }
      if outcome.isFalse { return frame[base + Slot.result] }
      let value = body.evaluate(frame)
      if value.isUnwind { return value }
      if state.needsSafepoint, !state.countsTurn(), safepoint(in: frame).isUnwind {
        return .unwind
      }
      let following = next.evaluate(frame)
      if following.isUnwind { return following }
      frame[counterSlot] = following
    }
  }

  /// The loop over floats that it is, if it is one: that of the interval with the same numbers.
  private func floatLoop(_ frame: Frame) -> Result<FloatLoop, Failure> {
    let (start, limit) = (frame[counterSlot], frame[base + Slot.limit])
    let step = frame[base + Slot.step]
    return withMachine(in: frame) { machine in
      Result { () throws(Failure) in try machine.floatLoop(from: start, to: limit, by: step) }
    }
  }

  private func count(over steps: FloatSteps, _ frame: Frame) -> Value {
    var offset = 0
    while offset < steps.count {
      frame[counterSlot] =
        Value(immediate: steps[offset])
        ?? withMachine(in: frame) { machine in machine.makeFloat(steps[offset]) }
      let value = body.evaluate(frame)
      if value.isUnwind { return value }
      if state.needsSafepoint, !state.countsTurn(), safepoint(in: frame).isUnwind {
        return .unwind
      }
      offset &+= 1
    }
    return frame[base + Slot.result]
  }
}
