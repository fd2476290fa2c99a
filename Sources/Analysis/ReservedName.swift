/// The names that mean something fixed.
package enum ReservedName: String {
  case `self`, `super`, `nil`, `true`, `false`, thisContext
}

extension ReservedName {
  /// What a declaration names as the type of a variable that is computed when it is read.
  package static let lazyType = "lazy"
}
