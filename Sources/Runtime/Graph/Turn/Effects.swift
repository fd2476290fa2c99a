internal import TenonSolverKit

// Writes of code that takes the result of a connection's formula: the setter of a property, and with it
// the stages of a flow and the block of `watch:`.

/// The connection that runs such code.
struct Effect: BitwiseCopyable {
  /// The number of the connection, from 1.
  let connection: Int32
  /// The changed cell because of which its formula ran, or -1.
  let cause: Int32
}

extension ConnectionGraph {
  /// Returns the formula whose result a setter was taking when it made a change; nil where a formula or
  /// code outside has made it.
  func effect(of entry: ChangeLog.Entry) -> Formula? {
    guard entry.writer > 0, let connection = connections[Int(entry.writer)] else { return nil }
    let formulas = connection.formulas
    if formulas.contains(where: { $0.output.rawValue == entry.cell }) { return nil }
    return formulas.first { self[$0.output].place.kind == .property }
  }
}
