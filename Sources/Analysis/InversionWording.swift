/// What is said of formulas that cannot run backwards.
package enum InversionWording {
  private static let wayOut = "give one with 'inverse:', or write two '|='"

  private static let solverOrWayOut =
    "name a solver with 'solver:', give an inverse with 'inverse:', or write two '|='"

  static func losesInformation(_ operation: String) -> String {
    "'=|=' cannot run backwards: '\(operation)' loses information and has no inverse; \(wayOut)"
  }

  package static func noInverse(_ operation: String) -> String {
    "'=|=' cannot run backwards: '\(operation)' has no known inverse; \(wayOut)"
  }

  static func occursTwice(_ name: String, _ operation: String, _ text: String) -> String {
    "'=|=' cannot run backwards: '\(name)' stands on both sides of '\(operation)' in '\(text)'; "
      + wayOut
  }

  static func isNoSum(_ name: String, _ operation: String, _ text: String) -> String {
    "'=|=' cannot run backwards: '\(name)' occurs more than once in '\(text)', which because of "
      + "'\(operation)' is no multiple of it; \(solverOrWayOut)"
  }

  static func adjacentHoles(_ first: String, _ second: String) -> String {
    "'=|=' cannot run backwards: no text stands between '{\(first)}' and '{\(second)}'; \(wayOut)"
  }

  static let noElementBlock =
    "'=|=' cannot run backwards: 'collect:' needs a block of one parameter and one expression; \(wayOut)"

  static func ignoresElement(_ name: String) -> String {
    "'=|=' cannot run backwards: the block of 'collect:' does not depend on '\(name)'; \(wayOut)"
  }

  static func noSeparator(_ operation: String) -> String {
    "'=|=' cannot run backwards: '\(operation)' needs a text that stands between two elements"
  }

  static func severalKeys(_ value: String) -> String {
    "'=|=' cannot run backwards: several keys of the map have the value \(value)"
  }

  package static func onBothSides(_ name: String) -> String {
    "'=|=' cannot run backwards: '\(name)' stands on both sides of it; write two '|='"
  }

  static func cancelsOut(_ name: String) -> String {
    "'=|=' cannot run backwards: '\(name)' cancels out, its coefficient is 0"
  }

  package static func isOnlyRead(_ name: String, by operation: String) -> String {
    "'=|=' cannot run backwards: '\(operation)' reads '\(name)', which does not follow from its "
      + "answer; \(wayOut)"
  }

  static let nothingToCompute =
    "'=|=' cannot run backwards: the formula has no place that could be computed; write '|='"

  static let tooManyDirections =
    "'=|=' cannot run backwards: too large a formula for so many places; write '|='"

  static let timesZero = "'=|=' cannot run backwards: a product with 0 loses the other factor"
  static let divisionByZero = "division by zero"
  static let powerZero = "'=|=' cannot run backwards: a power with the exponent 0 is always 1"

  package static func powerOf(_ base: String) -> String {
    "'=|=' cannot run backwards: the powers of \(base) do not tell the exponent"
  }

  static func noSuchPlace(_ name: String, _ names: [String]) -> String {
    "the formula has no place '\(name)'; it has \(list(names))"
  }

  static func inverseParameters(_ count: Int) -> String {
    "an inverse takes the value of the formula, 1 parameter; this one has \(count)"
  }

  static func givenTwice(_ name: String) -> String { "the inverse for '\(name)' is there twice" }

  static func noInverseBlock(_ text: String) -> String {
    "an inverse is a block of 1 parameter, found \(text)"
  }

  static func whichInverse(_ names: [String]) -> String {
    "which of \(list(names)) does the inverse compute? Say it with 'inverse: #{ name: [ ... ] }'"
  }

  private static func list(_ names: [String]) -> String {
    names.isEmpty ? "none" : names.map { "'\($0)'" }.joined(separator: ", ")
  }
}
