/// What an expression in a formula is worth now: the formula does not come to depend on it, and
/// nothing that goes wrong in it goes wrong in the formula.
///
/// An inverse that has to choose among several values keeps to the one that is there.
final class PresentValueNode: SiteNode {
  let body: NodeRef

  init(body: NodeRef, at position: CodePosition) {
    self.body = body
    super.init(at: position)
  }

  override func evaluate(_ frame: Frame) -> Value {
    // What it reads is recorded where nobody looks.
    let outer = withMachine(in: frame) { machine in
      let outer = machine.recorder
      machine.recorder = DependencyRecorder(within: outer)
      return outer
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
