internal import TenonText

/// The symbols and selectors of a machine: one object for each name.
final class SymbolTable {
  var symbols: [ExactText: ObjectRef] = [:]
  var selectors: [ExactText: Selector] = [:]
}
