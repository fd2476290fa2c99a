public import TenonRuntime

extension Interpreter {
  /// The connections that are in force as a diagram, with the values of the moment.
  ///
  /// Values are read as they are; of objects that are no numbers, texts or the like it shows the
  /// class, so that no code of the program runs. Places that are computed by accessors are the
  /// exception: these run.
  ///
  /// - Complexity: O(connections and the lengths of their texts).
  public var diagram: Diagram { machine.liveDiagram() }
}
