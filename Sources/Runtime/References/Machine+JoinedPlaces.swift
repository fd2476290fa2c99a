// Writes to places of stores that connections join: how messages call them, and what becomes of an
// exception on the way.

internal import TenonSolverKit
internal import TenonTables
internal import TenonText

extension Machine {
  /// Does something with a place that connections join.
  ///
  /// - Returns: why it cannot be done; nil where it can. An exception is kept, and signalled again as it
  ///   is by whoever signals the failure.
  func failing(_ body: () -> Value) -> Failure? {
    var token = 0
    let root = roots.count
    defer { dropRoots(to: root) }
    let outcome = withErrorsCaught(limit: { token = $0 }) {
      let value = body()
      if value.isUnwind, state.unwindTarget == Value(small: token) {
        roots.append(state.unwindValue)
      }
      return value
    }
    switch outcome {
    case .value: return nil
    case .unwound: return .unwinding()
    case .failed(var failure):
      exceptions.failureDetails = FailureDetails(
        errorClass: failure.errorClass, values: roots.last.map { [$0] } ?? [])
      failure.isException = true
      return failure
    }
  }

  /// Has messages call a place as the statement does that writes it, and not as the first one did that
  /// named it.
  func calling(_ cell: CellID, as reference: Value, _ body: () -> Value) -> Value {
    guard graph[cell].place.key != reference else { return body() }
    let (known, spelling) = (graph[cell].name, referenceText(reference))
    guard !known.hasSameBytes(as: spelling) else { return body() }
    graph.cells[cell.index].name = spelling
    // The cell may be another one's by then.
    defer {
      if graph[cell].name.hasSameBytes(as: spelling) { graph.cells[cell.index].name = known }
    }
    return body()
  }
}
