public import TenonLexer
package import TenonParser

extension Diagram {
  /// What came of reading the connector statements of a text.
  public enum Reading: Sendable {
    case diagram(Diagram)
    /// What is wrong with the text.
    case rejected([Diagnostic])
  }

  /// Reads the connector statements of a program, which does not run.
  ///
  /// - Parameters:
  ///   - source: The text.
  ///   - knownNames: Hyphenated names that other texts declare.
  ///   - connectors: Connectors that other texts define.
  /// - Returns: The diagram, or what is wrong with the text.
  /// - Complexity: O(length of the text).
  public static func reading(
    _ source: SourceText, knownNames: Set<String> = [], connectors: Set<String> = []
  ) -> Reading {
    let result = Parser(source, knownNames: knownNames, connectors: connectors).parseScript()
    guard let script = result.script else { return .rejected(result.diagnostics) }
    return .diagram(Diagram(script))
  }

  /// The diagram of a program's connector statements.
  package init(_ script: Script) {
    var builder = DiagramBuilder()
    builder.visit(script)
    self = builder.finish()
  }
}
