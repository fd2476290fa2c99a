internal import TenonAnalysis
internal import TenonSolverKit
internal import TenonLexer
internal import TenonStoreKit
internal import TenonText

// Errors of connections: refused statements and writes, with the reasons.

extension Failure {
  static func noPlace(_ text: String, _ connector: String) -> Failure {
    Failure(.constraintError, "'\(text)' is no place that '\(connector)' could write")
  }

  static func noWayBack(_ name: String, _ owner: String) -> Failure {
    Failure(
      .constraintError,
      "\(owner) has no property '\(name)' that could be written, and the message '\(name)' has no "
        + "known inverse; give one with 'inverse:', or write two '|='")
  }

  static func cannotInvert(_ message: String) -> Failure { Failure(.constraintError, message) }

  static func noInverse(_ text: String) -> Failure {
    Failure(
      .constraintError,
      "'\(text)' is no place that '=|=' could write; write '|='")
  }

  static func otherStore(_ scheme: String) -> Failure {
    Failure(
      .constraintError, "'\(scheme):' is another store now; disconnect this and connect it anew")
  }

  static func determinedAlready(_ name: String, by other: Connection?) -> Failure {
    Failure(
      .constraintError,
      "'\(name)' is determined already\(by(other))\(other == nil ? "" : "; disconnect that first")")
  }

  static func determined(_ name: String, by other: Connection) -> Failure {
    // A connection both ways may have only this way left: a path of it is broken.
    let hint = other.connector == "=|=" ? "" : ", or use '=|='"
    return Failure(
      .constraintError, "'\(name)' is determined\(by(other)); disconnect it\(hint)")
  }

  static func overdetermined(
    _ name: String, by others: [Connection], _ objections: [String] = []
  ) -> Failure {
    let list = others.map { "'\($0.text)' (\($0.location))" }.joined(separator: ", ")
    let rest = objections.isEmpty ? "" : "; no other solver: " + objections.joined(separator: "; ")
    return Failure(
      .constraintError, "'\(name)' cannot change: it is determined by \(list)\(rest)")
  }

  static func cycle(_ names: [String], _ all: [Connection]) -> Failure {
    // The connections that make up a view are known; no program has written them.
    let written = all.filter { $0.statement.origin != .kernel }
    let connections = written.isEmpty ? all : written
    let lines = connections.map { "'\($0.text)' (\($0.location))" }.joined(separator: ", ")
    let isRepeated = connections.map { $0.chosenSolver?.name == "fixpoint" }
    let single = zip(connections, isRepeated).first { !$0.1 }?.0
    // Where the program asks for some of them to be repeated, it has forgotten the others.
    let hint =
      isRepeated.contains(true)
      ? single.map { "; '\($0.text)' needs 'iterate:within:' as well" } ?? "" : ""
    return .ofSolvers(
      "a cycle that no solver can keep: \(names.joined(separator: " <- ")): \(lines)\(hint)")
  }

  /// Returns the failure of all solvers; `others`: the connections that the same solver would have to keep.
  static func noSolver(
    _ objections: [String], _ connection: Connection? = nil, with others: [Connection] = []
  ) -> Failure {
    guard !objections.isEmpty else { return .ofSolvers("there is no solver") }
    let reasons = objections.joined(separator: "; ")
    guard let connection, !others.isEmpty else {
      return .ofSolvers("no solver accepts it: " + reasons)
    }
    let named = others.prefix(3).map { "'\($0.text)' (\($0.location))" }
    let more = others.count > named.count ? ["\(others.count - named.count) more"] : []
    return .ofSolvers(
      "no solver keeps '\(connection.text)' together with "
        + "\((named + more).joined(separator: ", ")), which shares its places: \(reasons)")
  }

  /// Returns the failure for connections that cannot hold together, with the values of their places.
  static func unsatisfiable(_ all: [Connection], _ values: [String]) -> Failure {
    // The connections that make up a view are known; no program has written them.
    let written = all.filter { $0.statement.origin != .kernel }
    let connections = written.isEmpty ? all : written
    let lines = connections.map { "'\($0.text)' (\($0.location))" } + values
    guard lines.count > 1 else {
      return contradiction("this cannot hold: \(lines.joined())")
    }
    var text = "these \(lines.count) cannot hold together: \(lines.joined(separator: ", "))"
    if let weakest = connections.min(by: { $0.strength < $1.strength }),
      weakest.strength < .required
    {
      text += "; the weakest is '\(weakest.text)'"
    }
    return contradiction(text)
  }

  private static func contradiction(_ text: String) -> Failure {
    var failure = Failure(.constraintError, text)
    failure.isContradiction = true
    return failure
  }

  /// Returns the failure for a place or a part of a formula, named as in the program, that holds no number.
  static func noNumber(_ name: String, _ value: String, _ formula: Formula?) -> Failure {
    let text = formula.map { ": '\($0.connection.text)'" } ?? ""
    // A literal is its own name, and a string has its quotes.
    if name == value { return Failure(.constraintError, "\(value) is no finite number\(text)") }
    return Failure(
      .constraintError, "'\(name)' must be a finite number, not \(value)\(text)")
  }

  static func tooLargeNumbers(_ text: String) -> Failure {
    Failure(.constraintError, "the numbers are too large: '\(text)'")
  }

  /// Returns the failure for a variable that exists already; `kind`: its kind now.
  static func cannotBecomeLazy(_ name: String, _ kind: String, _ value: String) -> Failure {
    Failure(
      .constraintError,
      "'\(name)' is \(kind) already, and holds \(value): only a new variable can be declared "
        + "'<lazy>'")
  }

  /// Returns the failure for a product; `isLayout`: in an equation (or `|=`) for a layout attribute.
  static func multipliesVariables(_ product: String, isLayout: Bool = false) -> Failure {
    let whole =
      isLayout
      ? "compute the product in a variable: 'product |= \(product)'" : "use '|=' for the whole"
    return Failure(
      .constraintError,
      "'\(product)' multiplies or divides two variables, which is not linear; "
        + "determine one of them by '|=', or \(whole)")
  }

  /// Returns the failure for a power of a layout attribute.
  static func notLinear(_ text: String, inAttribute name: String) -> Failure {
    Failure(
      .constraintError,
      "'\(text)' is not linear in '\(name)', which layout determines; "
        + "compute it in a variable: 'result |= \(text)'")
  }

  static func notLinear(_ text: String, in name: String) -> Failure {
    Failure(.constraintError, "'\(text)' is not linear in '\(name)'")
  }

  static func formulaTooLarge(_ text: String) -> Failure {
    Failure(
      .constraintError,
      "'\(text)' has more than \(LinearAnalysis.limit) summands when it is multiplied out")
  }

  static func unknownSolver(_ name: String, _ known: [String]) -> Failure {
    Failure(
      .constraintError,
      "there is no solver '\(name)'; there are \(known.joined(separator: ", "))")
  }

  static func unsupportedBySolver(_ reason: String) -> Failure {
    Failure(.constraintError, reason)
  }

  static func impureFormula(_ name: String, _ connection: Connection) -> Failure {
    Failure(
      .constraintError, "'\(name)' must not be written by a formula: '\(connection.text)'")
  }

  static func connectingInFormula(_ connection: Connection) -> Failure {
    Failure(.constraintError, "a formula must not connect: '\(connection.text)'")
  }

  /// Returns the failure for a message that a connection does not take.
  static func takesNo(_ message: String, _ text: String, because reason: String) -> Failure {
    Failure(.invalidArgument, "'\(text)' takes no \(message): \(reason)")
  }

  static func policyOfEquation(_ text: String) -> Failure {
    Failure(
      .invalidArgument,
      "'\(text)' is an equation, which is solved with others in the turn of a change: it takes no policy"
    )
  }

  static func joinsItself(_ name: String) -> Failure {
    Failure(.constraintError, "'\(name)' is connected with itself")
  }

  static func decidesItsPlace(_ name: String) -> Failure {
    Failure(
      .constraintError,
      "'\(name)' decides by its value which place is connected, so that it cannot be one of the places"
    )
  }

  /// Returns the failure for an invariant that does not hold; with a reason, for one whose formula fails.
  static func violated(_ invariant: Connection, because reason: String?) -> Failure {
    let outcome = reason.map { "would fail: \($0)" } ?? "would not hold any more"
    return Failure(
      .constraintError, "'\(invariant.text)' (\(invariant.location)) \(outcome)")
  }

  static func cannotHold(_ name: String) -> Failure {
    Failure(
      .constraintError,
      "'\(name)' has a setter of its own, which runs before anybody could refuse the value")
  }

  static func silentSource(_ name: String) -> Failure {
    Failure(
      .constraintError,
      "'\(name)' cannot tell about changes, so that it cannot be connected; "
        + "'(...) policy: (Policy poll: 1 second)' looks for them")
  }

  static func doesNotSettle(_ names: [String], _ writers: [String] = []) -> Failure {
    let list = writers.isEmpty ? "" : ": " + writers.joined(separator: ", ")
    return Failure(
      .constraintError,
      "does not come to rest: \(names.joined(separator: " <- ")) changed more than "
        + "\(ConnectionGraph.changeLimit) times\(list)")
  }

  static func goesOnConnecting(_ text: String) -> Failure {
    Failure(
      .constraintError,
      "does not come to rest: what '\(text)' starts makes such connections again and again")
  }

  static func by(_ other: Connection?) -> String {
    guard let other else { return "" }
    guard case .part(let whole) = other.statement.origin else {
      return " by '\(other.text)' (\(other.location))"
    }
    return " by '\(whole)' (\(other.location)), which makes '\(other.text)'"
  }
}
