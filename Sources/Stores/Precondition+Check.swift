internal import TenonRuntime

extension Optional where Wrapped == Precondition {
  /// Fails unless the condition holds.
  func check(isThere: Bool) throws(FileFailure) {
    switch self {
    case .absent where isThere: throw FileFailure(.preconditionFailed, Precondition.somethingThere)
    case .exists where !isThere: throw FileFailure(.preconditionFailed, Precondition.nothingThere)
    default: break
    }
  }
}

extension Precondition {
  static let somethingThere = "there is something already"
  static let nothingThere = "there is nothing"
}
