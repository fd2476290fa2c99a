// Every sentence that an error of the runtime says, side by side. Lower case, no full stop; what
// was expected, what was found, names as the user wrote them.

internal import TenonAnalysis
internal import TenonSolverKit
internal import TenonLexer
internal import TenonStoreKit
internal import TenonText

extension Failure {
  static func unknownName(_ name: String) -> Failure {
    Failure(.error, "unknown name '\(name)'")
  }

  static func unassignedVariable(_ name: String) -> Failure {
    Failure(.unassignedVariable, "'\(name)' has no value yet")
  }

  static func notAvailable(_ what: String) -> Failure {
    Failure(.notAvailable, "\(what) is not available yet")
  }

  static func noSuperclass() -> Failure {
    Failure(.error, "there is no superclass for 'super' to start from")
  }

  static func cannotReturn() -> Failure {
    Failure(.cannotReturn, "BlockContext>>cannotReturn: the method has ended already")
  }

  static func nonBoolean(_ value: Value, in machine: Machine) -> Failure {
    Failure(
      .nonBooleanReceiver, "\(machine.describe(value)) is neither true nor false")
  }

  static func zeroStep() -> Failure {
    Failure(.invalidArgument, "the step of a loop must not be 0")
  }

  static func wrongArgumentCount(of block: BlockCode, given: Int) -> Failure {
    if given == 1, let connector = block.code.connectors[block.number] {
      // What stands beside it is asked for its value; given one, it would have to be a place.
      let text = block.code.source.text(in: block.range)
      return Failure(
        .wrongArgumentCount, "'\(connector)' needs a place that it can write, and '\(text)' is none"
      )
    }
    return Failure(
      .wrongArgumentCount,
      "the block takes \(count(block.argumentCount, "argument")), not \(count(given, "argument"))")
  }

  static func wrongType(_ expected: String, found: String, variable: String) -> Failure {
    Failure(.invalidArgument, "'\(variable)' must be \(expected), not \(found)")
  }

  static func wrongResult(_ expected: String, found: String, method: String) -> Failure {
    Failure(.invalidArgument, "'\(method)' must answer \(expected), not \(found)")
  }

  static func notAClass(_ name: String) -> Failure {
    Failure(.error, "'\(name)' is no class")
  }

  static func notAFilter(_ name: String) -> Failure {
    Failure(.error, "'\(name)' is no filter")
  }

  static func notAConnector(_ name: String) -> Failure {
    Failure(.error, "'\(name)' is no connector")
  }

  static func notAProtocol(_ name: String) -> Failure {
    Failure(.error, "'\(name)' is no protocol")
  }

  static func classExists(_ name: String) -> Failure {
    Failure(.error, "'\(name)' is a class already")
  }

  static func constantAssigned(_ name: String) -> Failure {
    Failure(.error, Wording.constant(name))
  }

  static func invalidArgument(_ expected: String, found: String) -> Failure {
    Failure(.invalidArgument, "expected \(expected), found \(found)")
  }

  static func beyondFloats(_ value: String) -> Failure {
    Failure(.invalidArgument, "no float gives \(value)")
  }

  static func invalidDiagram(_ error: DiagramError) -> Failure {
    Failure(
      .invalidArgument,
      "line \(error.line), column \(error.column) of the diagram: \(error.message)")
  }

  static func invalidDiagram(_ diagnostics: [Diagnostic], in source: SourceText) -> Failure {
    guard let first = diagnostics.first(where: { $0.severity == .error }) else {
      return Failure(.invalidArgument, "the text of the program is wrong")
    }
    let place = source.location(of: first.range.start)
    return Failure(
      .invalidArgument,
      "line \(place.line), column \(place.column) of the program: \(first.message)")
  }

  static func inactiveException() -> Failure {
    Failure(.error, "the exception is not being handled")
  }

  static func immutable(_ what: String) -> Failure {
    Failure(.immutableObject, "\(what) cannot be changed")
  }

  static func empty() -> Failure { Failure(.notFound, "the collection is empty") }

  static func noInstances(_ name: String) -> Failure {
    Failure(.error, "\(name) has no instances that 'new' could make")
  }

  static func wrongSelectorArity(_ selector: String, expected: Int, given: Int) -> Failure {
    Failure(
      .wrongArgumentCount,
      "'\(selector)' takes \(count(expected, "argument")), not \(count(given, "argument"))")
  }

  static func notUTF8(_ what: String) -> Failure {
    Failure(.encodingError, "\(what) is not UTF-8")
  }

  static func interrupted() -> Failure { Failure(.error, "interrupted") }

  // MARK: Definitions

  static func kernelClass(_ name: String) -> Failure {
    Failure(.error, "'\(name)' is a class of the kernel; use 'extension \(name) { ... }'")
  }

  static func inheritsItself(_ name: String) -> Failure {
    Failure(.error, "'\(name)' cannot inherit from itself")
  }

  static func cannotInherit(_ name: String, from superclass: String) -> Failure {
    Failure(.error, "'\(name)' cannot inherit from '\(superclass)'")
  }

  /// A class body defines a method twice; `method` is its selector after `-` or `+`.
  static func definedTwice(_ method: String) -> Failure {
    Failure(.error, "the method '\(method)' is defined twice")
  }

  static func declaredTwice(_ name: String) -> Failure {
    Failure(.error, "the variable '\(name)' is declared already")
  }

  static func declaredBelow(_ name: String, in subclass: String) -> Failure {
    Failure(.error, "the variable '\(name)' is declared already, in the subclass '\(subclass)'")
  }

  static func extensionMember(_ name: String) -> Failure {
    Failure(.error, "an extension of '\(name)' can have methods only")
  }

  static func notAStore(_ name: String) -> Failure {
    Failure(.error, "a scheme inherits from a store, which '\(name)' is not")
  }

  static func patternsTie(_ left: String, _ right: String) -> Failure {
    Failure(.error, "the property paths '\(left)' and '\(right)' fit the same references")
  }

  // MARK: Reflection

  static func noMethod(_ selector: String, in name: String) -> Failure {
    Failure(.notFound, "\(name) has no method '\(selector)' of its own")
  }

  static func kernelMethod(_ selector: String, in name: String) -> Failure {
    Failure(.immutableObject, "the method '\(selector)' of '\(name)' belongs to the kernel")
  }

  static func noVariable(_ name: String, _ object: String) -> Failure {
    Failure(.notFound, "\(object) has no instance variable '\(name)'")
  }

  static func noClassDefinition(_ name: String) -> Failure {
    Failure(
      .invalidArgument, "'\(name)' and the variables are not the names of a class and its variables"
    )
  }

  static func noInstanceList(_ name: String) -> Failure {
    Failure(.error, "the instances of \(name) are not kept in the heap")
  }

  /// A text that was to become a method is wrong.
  static func doesNotCompile(
    _ message: String, _ source: SourceText, _ range: SourceRange
  ) -> Failure {
    let place = source.location(of: range.start)
    return Failure(.syntaxError, "\(source.name):\(place.line):\(place.column): \(message)")
  }

  // MARK: Places and stores

  static func noElement(_ index: String, _ object: String) -> Failure {
    Failure(.constraintError, "\(object) has no element \(index)")
  }

  static func noProperty(_ name: String, _ object: String) -> Failure {
    Failure(.error, "\(object) has no property '\(name)'")
  }

  static func readOnlyProperty(_ name: String, _ object: String) -> Failure {
    Failure(.constraintError, "\(object) has no property '\(name)' that could be written")
  }

  static func noNameInGroup(_ name: String, _ group: String) -> Failure {
    Failure(.keyNotFound, "'\(name)' is no name of \(group)")
  }

  static func aliasOfItself(_ name: String, _ object: String) -> Failure {
    Failure(.error, "the place '\(name)' of \(object) leads back to itself")
  }

  static func tooManyAliases(_ name: String, _ object: String) -> Failure {
    Failure(.error, "the way to '\(name)' of \(object) leads through too many others")
  }

  static func unknownInQuery(_ name: String, _ object: String) -> Failure {
    Failure(.error, "\(object) has no property '\(name)', and there is no variable of that name")
  }

  static func unknownScheme(_ name: String, _ machine: Machine) -> Failure {
    if machine.classesByName[name] != nil {
      return Failure(.error, Wording.unmountedClass(name))
    }
    return Failure(.error, Wording.missingScheme(name) ?? "unknown scheme '\(name)'")
  }

  /// What a store said when it was asked to do something.
  static func store(
    _ error: StoreError, during verb: String? = nil
  ) -> Failure {
    var failure = Failure(
      error.kind == .preconditionFailed ? .preconditionFailed : .storeError, error.description)
    failure.storeError = StoreErrorDetails(error, verb: error.verb?.rawValue ?? verb)
    return failure
  }

  static func nilStored(_ place: String, during verb: StoreCapabilities.Verb) -> Failure {
    let error = StoreError(
      .encode, place, "a computed nil cannot be stored; write '\(place) := nil' to delete")
    var failure = Failure(.nilStored, error.description)
    failure.storeError = StoreErrorDetails(error, verb: verb.rawValue)
    return failure
  }

  // MARK: Connections

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
    Failure(.constraintError, "'\(name)' is determined already\(by(other))")
  }

  static func determined(_ name: String, by other: Connection) -> Failure {
    // One that joins both ways already may have only this way left: a path of it is broken.
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
    // What makes up a view is known; nobody has written it.
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

  /// `others`: the connections that would have to be kept by the same solver.
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

  /// For connections that cannot hold together, with what places hold that takes part.
  static func unsatisfiable(_ all: [Connection], _ values: [String]) -> Failure {
    // What makes up a view is known; nobody has written it.
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

  /// For a place or a part of a formula, called as the program calls it, that holds no number.
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

  /// `kind`: what the variable is now.
  static func cannotBecomeLazy(_ name: String, _ kind: String, _ value: String) -> Failure {
    Failure(
      .constraintError,
      "'\(name)' is \(kind) already, and holds \(value): only a new variable can be declared "
        + "'<lazy>'")
  }

  /// `isLayout`: it stands in an equation for a layout attribute, where `|=` means one as well.
  static func multipliesVariables(_ product: String, isLayout: Bool = false) -> Failure {
    let whole =
      isLayout
      ? "compute the product in a variable: 'product |= \(product)'" : "use '|=' for the whole"
    return Failure(
      .constraintError,
      "'\(product)' multiplies or divides two variables, which is not linear; "
        + "determine one of them by '|=', or \(whole)")
  }

  /// A power of what layout determines.
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

  /// What a connection cannot be told.
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

  /// An invariant does not hold; with a reason, it cannot be told whether it does.
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

  // MARK: Time

  static func noClock() -> Failure {
    Failure(.notAvailable, "the interpreter has no clock")
  }

  static func waits(in what: String) -> Failure {
    Failure(.constraintError, "\(what) must not wait")
  }

  static func noTimeZones() -> Failure {
    Failure(.notAvailable, "the interpreter has no time zones but UTC")
  }

  static func noTimeZone(_ name: String) -> Failure {
    Failure(.notFound, "there is no time zone '\(name)'")
  }

  static func timeZoneName(_ name: String) -> Failure {
    Failure(.invalidArgument, "'\(name)' is no name of a time zone, as 'Europe/Berlin' is")
  }

  static func damagedTimeZone(_ name: String, _ damage: TimeZoneDamage) -> Failure {
    Failure(.error, "the file of the time zone '\(name)' is damaged: \(damage.message)")
  }

  // MARK: References that keep nothing alive

  static func cannotBeCollected(_ what: String) -> Failure {
    Failure(.invalidArgument, "\(what) is never collected")
  }

  // MARK: Limits

  static func stackOverflow() -> Failure {
    Failure(.stackOverflow, "stack overflow: the program calls itself too deep")
  }

  static func outOfMemory(limit: Int) -> Failure {
    Failure(.outOfMemory, "out of memory: the limit is \(limit >> 20) MiB")
  }

  static func tooLarge(_ what: String, limit: Int) -> Failure {
    Failure(.outOfMemory, "\(what) is too large: the most is \(limit)")
  }

  private static func count(_ number: Int, _ noun: String) -> String {
    number == 1 ? "1 \(noun)" : "\(number) \(noun)s"
  }
}
