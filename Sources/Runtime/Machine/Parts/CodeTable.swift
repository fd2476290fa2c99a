/// The code that a machine keeps, and the bodies that are in no class.
final class CodeTable {
  /// The code of methods.
  var methods: [Code] = []
  /// Code of statements that are being evaluated.
  var running: [Code] = []
  /// Code that only closures may still need.
  var retired: [Code] = []
  /// Code of replaced methods, while activations of it may exist.
  @safe @exclusivity(unchecked) var replaced: [Code] = []
  /// Code of texts that the host may have evaluated again.
  var known = KnownTexts()
  /// All of it.
  var all: [Code] { methods + running + retired + replaced + known.code }

  // MARK: Bodies that are in no class
  /// What is entered for messages that nobody understands, by the number of arguments.
  var notUnderstoodBodies: [Int: Node] = [:]
  /// What stands for a method that is missing.
  let missingBody: Node = ConstantNode(.nil)
  /// What is entered when the stack is used up.
  let overflowBody: Node

  init(state: StateRef) { overflowBody = OverflowBodyNode(state: state) }
}
