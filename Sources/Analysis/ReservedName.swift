/// The names that mean something fixed.
package enum ReservedName: String {
  case `self`, `super`, `nil`, `true`, `false`, thisContext
}
