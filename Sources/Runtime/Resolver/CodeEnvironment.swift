internal import TenonAnalysis

/// What a name outside of all scopes stands for, with where it is.
enum OuterName {
  case instanceVariable(slot: Int, type: String?)
  /// A variable that instances of an older layout keep elsewhere.
  case addedVariable(Int)
  case cell(ObjectRef, GlobalKind)
  case unknown

  var kind: OuterKind {
    switch self {
    case .instanceVariable: .instanceVariable
    case .addedVariable: .addedVariable
    case .cell(_, .classVariable): .classVariable
    case .cell(_, .scriptVariable): .scriptVariable
    case .cell(_, .classNamed): .classNamed
    case .unknown: .unknown
    }
  }
}

/// What a variable outside of all activations is.
enum GlobalKind {
  case classVariable
  case scriptVariable
  case classNamed
}

/// What building has to know about the surroundings of a piece of code.
protocol CodeEnvironment: NameEnvironment {
  /// Finds an instance variable, a class variable, a script variable or a class.
  func lookUp(_ name: String) -> OuterName
  /// Whether a variable found by `lookUp` is that of a group, which assignments fill.
  func isGroup(_ name: String) -> Bool
  /// Why a variable cannot be declared to be computed when it is read; nil if it can.
  func objectionToLaziness(of name: String) -> Failure?
}

extension CodeEnvironment {
  func kind(of name: String) -> OuterKind { lookUp(name).kind }

  func objectionToLaziness(of name: String) -> Failure? { nil }
}
