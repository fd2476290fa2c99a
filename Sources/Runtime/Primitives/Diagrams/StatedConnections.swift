internal import TenonDiagrams
internal import TenonLexer
internal import TenonParser

/// The connector statements of the texts that have made connections, by where they stand.
struct StatedConnections {
  private struct Stated {
    let statement: ConnectorStatement
    let home: DiagramBuilder.Home?
  }

  /// A class in whose text statements stand; two texts may define classes of one name.
  struct Home: Hashable {
    let source: ObjectIdentifier
    let home: DiagramBuilder.Home
  }

  private var known: [ObjectIdentifier: [SourceRange: Stated]] = [:]
  /// The assignments from one store to another, in the order of each text.
  private var assigned: [ObjectIdentifier: [ConnectorStatement]] = [:]

  /// The statement whose connector stands at a place; nil when the text says none there.
  ///
  /// - Complexity: O(length of the text) for the first one of a text.
  mutating func statement(
    at range: SourceRange, in source: SourceText, of machine: Machine
  ) -> ConnectorStatement? {
    statements(in: source, of: machine)[range]?.statement
  }

  /// The class whose text makes a connection in every instance; nil for any other connection.
  mutating func home(of connection: Connection, in machine: Machine) -> Home? {
    let source = connection.source
    let stated = statements(in: source, of: machine)[connection.range]
    return stated?.home.map { Home(source: ObjectIdentifier(source), home: $0) }
  }

  /// The assignments from one store to another that a text says outside of its definitions.
  mutating func assignments(in source: SourceText, of machine: Machine) -> [ConnectorStatement] {
    _ = statements(in: source, of: machine)
    return assigned[ObjectIdentifier(source)] ?? []
  }

  private mutating func statements(
    in source: SourceText, of machine: Machine
  ) -> [SourceRange: Stated] {
    let key = ObjectIdentifier(source)
    if let statements = known[key] { return statements }
    var statements: [SourceRange: Stated] = [:]
    let result = machine.parse(
      source, names: machine.session.hyphenatedNames, connectors: machine.session.definedConnectors)
    if let script = result.script {
      var builder = DiagramBuilder()
      builder.visit(script)
      assigned[key] = builder.statements.filter(\.isAssignment)
      for (statement, home) in zip(builder.statements, builder.homes) where !statement.isAssignment
      {
        statements[statement.connect.range] = Stated(statement: statement, home: home)
      }
    }
    known[key] = statements
    return statements
  }
}
