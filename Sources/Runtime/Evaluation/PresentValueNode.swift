/// What an expression in a formula is worth now: the formula does not come to depend on it, and
/// nothing that goes wrong in it goes wrong in the formula.
///
/// An inverse that has to choose among several values keeps to the one that is there.
final class PresentValueNode: SiteNode {
  let body: NodeRef
  /// Whether what goes wrong in it does go wrong in the formula.
  let isFailing: Bool

  init(body: NodeRef, failing: Bool = false, at position: CodePosition) {
    self.body = body
    isFailing = failing
    super.init(at: position)
  }

  override func evaluate(_ frame: Frame) -> Value {
    // What it reads is recorded where nobody looks.
    let outer = withMachine(in: frame) { machine in
      let outer = machine.recorder
      machine.recorder = DependencyRecorder(within: outer, keepsReads: false)
      return outer
    }
    if isFailing {
      let value = body.evaluate(frame)
      withMachine(in: frame) { $0.recorder = outer }
      return value
    }
    let outcome = state.withMachine { machine in
      machine.withErrorsCaught { body.evaluate(frame) }
    }
    withMachine(in: frame) { $0.recorder = outer }
    return switch outcome {
    case .value(let value): value
    case .failed: .nil
    case .unwound: .unwind
    }
  }
}

/// A formula in which messages make durations of numbers, or another one in which they name properties, by
/// what they are sent to.
final class UnitChoiceNode: SiteNode {
  /// The present values of what the messages are sent to.
  let receivers: NodeList
  let formula: NodeRef
  let property: NodeRef

  init(receivers: NodeList, formula: NodeRef, property: NodeRef, at position: CodePosition) {
    self.receivers = receivers
    self.formula = formula
    self.property = property
    super.init(at: position)
  }

  override func evaluate(_ frame: Frame) -> Value {
    for index in 0..<receivers.count {
      let value = receivers[index].evaluate(frame)
      if value.isUnwind { return value }
      if !withMachine(in: frame, { $0.isNumber(value) }) { return property.evaluate(frame) }
    }
    return formula.evaluate(frame)
  }
}
