/// What came of loading a text again into an interpreter that has run an earlier one of that name.
///
/// What is listed is named as the text names it, in the order in which it does.
public struct ReloadReport: Sendable, CustomStringConvertible {
  /// A class that both texts define.
  public struct ClassChange: Sendable {
    /// The class.
    public let name: String
    /// The instance variables that it has got: instances have the first value in them, or nil.
    public let addedVariables: [String]
    /// The instance variables that are gone, with what instances had in them.
    public let removedVariables: [String]
    /// How many instances of it, and of its subclasses, the program could reach.
    public let instanceCount: Int
  }

  /// A connection that could not be made.
  public struct FailedConnection: Sendable {
    /// The statement, or the class whose instances it belongs to.
    public let text: String
    /// Why not.
    public let message: String
  }

  /// The name of the text.
  public let name: String
  /// Whether nothing of that name was loaded before: all of the text has been run.
  public package(set) var isFirst = false

  /// The variables that hold what they held.
  public package(set) var keptVariables: [String] = []
  /// The variables that are new in the text.
  public package(set) var addedVariables: [String] = []
  /// The variables whose first value, or assignment, the text changes: they hold that now.
  public package(set) var setVariables: [String] = []
  /// The variables that could not keep their value, as it is not of the class that they are declared with
  /// now: they hold their first value, or nil.
  public package(set) var resetVariables: [String] = []
  /// The variables that the text names no more: they hold what they held, for others that use them.
  public package(set) var removedVariables: [String] = []

  /// The classes that are new in the text.
  public package(set) var addedClasses: [String] = []
  /// The classes that both texts define.
  public package(set) var changedClasses: [ClassChange] = []
  /// The classes that the text defines no more: they and their instances are as they were.
  public package(set) var removedClasses: [String] = []
  /// The methods outside of classes that are gone with the text, as `Script>>area`.
  public package(set) var removedMethods: [String] = []
  /// The methods that the text has no more and that stay: they stand in place of others of the kernel.
  public package(set) var remainingMethods: [String] = []

  /// What the connections say that were made again.
  public package(set) var remadeConnections: [String] = []
  /// What the connections say that are new.
  public package(set) var addedConnections: [String] = []
  /// What the connections say that have ended: their places hold what they held.
  public package(set) var endedConnections: [String] = []
  /// The connections that could not be made.
  public package(set) var failedConnections: [FailedConnection] = []

  /// The error that has stopped the text, with its place; nil when it has been taken up to its end.
  ///
  /// What stands above that place has been done. Of what stands below, connections that were there before
  /// have been made again, and the rest is left for the next time that the text is loaded.
  public package(set) var failure: ScriptError?

  package init(name: String) { self.name = name }

  /// The report as a text, a line for each kind of thing that there is something to say of.
  public var description: String {
    var lines = changes
    if let failure { lines.append("stopped by " + failure.rendered()) }
    return lines.isEmpty ? "nothing to take up" : lines.joined(separator: "\n")
  }

  /// The lines without the error.
  package var changes: [String] {
    var lines: [String] = []
    func line(_ title: String, _ parts: [(String, [String])]) {
      let said = parts.filter { !$0.1.isEmpty }
        .map { "\($0.0) \($0.1.joined(separator: ", "))" }
      if !said.isEmpty { lines.append("\(title) \(said.joined(separator: "; "))") }
    }
    line(
      "variables:",
      [
        ("kept", keptVariables), ("added", addedVariables), ("set", setVariables),
        ("reset", resetVariables), ("no longer named", removedVariables),
      ])
    line(
      "classes:",
      [
        ("added", addedClasses), ("changed", changedClasses.compactMap(\.text)),
        ("no longer defined", removedClasses),
      ])
    line("methods:", [("removed", removedMethods), ("left", remainingMethods)])
    func quoted(_ texts: [String]) -> [String] { texts.map { "'\($0)'" } }
    line(
      "connections:",
      [
        ("made again", quoted(remadeConnections)), ("added", quoted(addedConnections)),
        ("ended", quoted(endedConnections)),
        ("failed", failedConnections.map { "'\($0.text)' (\($0.message))" }),
      ])
    return lines
  }
}

extension ReloadReport.ClassChange {
  /// The change as a text; nil when there is nothing to say.
  fileprivate var text: String? {
    let added = addedVariables.map { "+\($0)" }
    let changes = added + removedVariables.map { "-\($0)" }
    guard !changes.isEmpty else { return nil }
    let instances = instanceCount == 1 ? "1 instance" : "\(instanceCount) instances"
    return "\(name) (\(changes.joined(separator: " ")), \(instances))"
  }
}
