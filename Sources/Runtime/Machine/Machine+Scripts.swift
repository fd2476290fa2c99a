internal import TenonAnalysis
package import TenonLexer
internal import TenonParser
internal import TenonStoreKit

/// What came of running a script.
enum ScriptOutcome {
  /// It ran to its end, or to a `^`; the value is that of the last statement.
  case finished(Value)
  /// It was not run: what is wrong with its text.
  case rejected([Diagnostic], isIncomplete: Bool)
  /// An exception that nobody handled.
  case failed(UncaughtError)
  /// Somebody asked it to stop.
  case interrupted
}

extension Machine {
  /// Parses, checks and runs a script.
  ///
  /// - Parameters:
  ///   - source: The text.
  ///   - isPrompt: Whether unknown names are left to run time.
  ///   - isProgram: Whether the result that a signature promises is printed, and a filter or a
  ///     scheme at the end runs between the standard streams.
  ///   - willRun: Called when the text has been read and before anything of it runs.
  ///   - warn: Receives the warnings before the script runs.
  ///   - observer: Called with value and place after each statement that has a value, which
  ///     definitions and declarations have not; the value is good until the next safepoint.
  /// - Returns: How it ended.
  func run(
    _ source: SourceText, isPrompt: Bool, isProgram: Bool = false, willRun: () -> Void = {},
    warn: ([Diagnostic]) -> Void, observer: (Value, SourceRange) -> Void
  ) -> ScriptOutcome {
    var plan = ScriptPlan(machine: self, isPrompt: isPrompt)
    if !isPrompt, !isProgram, let known = codeTable.known[source, nameChanges] {
      willRun()
      return withEntry {
        run(known.script, source, plan, compiled: known.code, observer: observer)
      }
    }
    let chain = host.sourceLoader?.identity(ofFile: source.name).map { [($0, source.name)] } ?? []
    let script: Script
    switch plan.read(source, chain: chain) {
    case .script(let read): script = read
    case .rejected(let diagnostics, let isIncomplete):
      return .rejected(diagnostics, isIncomplete: isIncomplete)
    }
    for (diagnostic, origin) in plan.warnings where origin.name != source.name {
      printError(diagnostic.rendered(in: origin))
    }
    let own = plan.warnings.filter { $0.source.name == source.name }.map(\.diagnostic)
    if !own.isEmpty { warn(own) }
    willRun()
    let isTyped = isPrompt && session.typedConnections.begin(source)
    defer { if isTyped { session.typedConnections.end() } }
    if plan.hyphenatedNames.count != session.hyphenatedNames.count {
      session.hyphenatedNames = plan.hyphenatedNames
    }
    if plan.connectors.count != session.definedConnectors.count {
      session.definedConnectors = plan.connectors
    }
    let isKept =
      !isPrompt && !isProgram && plan.warnings.isEmpty && KnownTexts.mayKeep(script, of: source)
    for name in plan.declared { _ = scriptCell(named: name) }
    for name in plan.classes { _ = classCell(named: name) }
    return withEntry {
      if let signature = script.signature,
        let end = bind(signature, of: script, in: source, isProgram: isProgram)
      {
        return end
      }
      // What failed for want of stack is no code for other times.
      let isKept = isKept && hasStack(for: script.statements)
      let compiled = isKept ? keep(script, of: source) : nil
      var outcome = run(script, source, plan, compiled: compiled, observer: observer)
      guard isProgram else { return outcome }
      if let signature = script.signature {
        outcome = printResult(outcome, of: signature, in: source)
      }
      return runLast(script.statements.last, outcome)
    }
  }

  /// How often what the names of scripts mean has changed.
  private var nameChanges: Int { session.nameChanges &+ classes.nameChanges }

  /// Compiles a script of one expression, for whoever evaluates it again.
  private func keep(_ script: Script, of source: SourceText) -> Code {
    let environment = ScriptEnvironment(machine: self, allowsUnknownNames: false)
    let code = compile(script.statements[0], source: source, environment: environment)
    code.isKept = true
    let known = KnownText(source: source, script: script, code: code, names: nameChanges)
    for old in codeTable.known.enter(known) {
      old.isKept = false
      retire(old)
    }
    return code
  }

  /// Parses a script, whose brackets may nest and whose tree may be as high as the native stack
  /// allows.
  func parse(
    _ source: SourceText, names: Set<String>, connectors: Set<String>
  ) -> ParseResult<Script> {
    let room = withStackKnown { nativeRoom }
    return Parser(
      source, knownNames: names.union(hyphenatedSchemes), connectors: connectors,
      nestingLimit: min(Parser.defaultNestingLimit, room / MachineLimits.nestingBytes),
      heightLimit: min(Parser.defaultHeightLimit, room / MachineLimits.heightBytes)
    ).parseScript()
  }

  /// Whether a text ends where it has to go on, as a prompt wants to know.
  ///
  /// - Complexity: O(*n*) in its bytes.
  package func isIncomplete(_ source: SourceText) -> Bool {
    parse(source, names: session.hyphenatedNames, connectors: session.definedConnectors)
      .isIncomplete
  }

  /// What is wrong with a text, and what may be, without running it: as at a prompt, a name that is
  /// unknown may be known by then.
  package func diagnostics(of source: SourceText) -> [Diagnostic] {
    var plan = ScriptPlan(machine: self, isPrompt: true)
    return switch plan.read(source, chain: []) {
    case .script: plan.warnings.map(\.diagnostic)
    case .rejected(let diagnostics, _): diagnostics
    }
  }

  /// The spellings of all connectors, the program's own included.
  package var connectorSpellings: [String] {
    Connector.all.map(\.spelling) + session.definedConnectors
  }

  /// The schemes with hyphens that are mounted, as a parser knows them: with their colons.
  var hyphenatedSchemes: [String] {
    stores.schemeCells.keys.filter { $0.utf8.contains(UInt8(ascii: "-")) && hasScheme($0) }
      .map { $0 + ":" }
  }

  /// Does something that asks how much native stack there is, outside of an evaluation or within.
  func withStackKnown<Result>(_ body: () -> Result) -> Result {
    let low = nativeStack.low
    if low == 0 { nativeStack.low = NativeStack.current.low }
    defer { nativeStack.low = low }
    return body()
  }

  /// Runs the statements of a script that has been read.
  ///
  /// - Parameters:
  ///   - script: The script.
  ///   - source: Its text.
  ///   - plan: What it was read with.
  ///   - compiled: Its code, when it is one statement that has been compiled.
  ///   - done: Called with the number of each statement that has been run.
  ///   - observer: Called with value and place after each statement that has a value.
  /// - Returns: How it ended.
  func run(
    _ script: Script, _ source: SourceText, _ plan: ScriptPlan, compiled: Code? = nil,
    done: (Int) -> Void = { _ in },
    observer: (Value, SourceRange) -> Void = { _, _ in }
  ) -> ScriptOutcome {
    let environment = ScriptEnvironment(machine: self, allowsUnknownNames: plan.isPrompt)
    session.endedByReturn = false
    var last = Value.nil
    var begun = 0
    for (index, statement) in script.statements.enumerated() {
      if case .import(let statement) = statement {
        // The value of the statement before may be that of the script.
        roots.append(last)
        let outcome = run(statement, in: source, plan)
        roots.removeLast()
        guard case .finished = outcome else { return outcome }
        session.endedByReturn = false
        done(index)
        continue
      }
      // What other threads and processes have changed is seen between two statements.
      if takeUpStoredChanges().isUnwind || runHooks().isUnwind { return endOfUnwinding() }
      beginBatch(at: index, of: script.statements)
      declare(in: statement)
      if index == 0 || !script.statements[index - 1].isConnection { begun = stores.coming.begun }
      var value = Value.nil
      repeat {
        value = run(compiled ?? compile(statement, source: source, environment: environment))
      } while value.isUnwind && exceptions.takeRetry(state)
      let settled = endBatch(at: index, of: script.statements, answering: value)
      let waits = statement.isConnection && graph.connecting.batchDepth == 0
      let ended = waits ? awaitPlaces(since: begun, answering: settled) : settled
      if ended.isUnwind {
        let outcome = endOfUnwinding()
        TypedConnections.endReplacing(in: self)
        // A '^' ends the script, and its value is that of the statement.
        if case .finished(let value) = outcome {
          session.endedByReturn = true
          observer(value, statement.range)
          done(index)
        }
        return outcome
      }
      if graph.connecting.batchDepth == 0 { TypedConnections.endReplacing(in: self) }
      done(index)
      last = value
      if statement.hasValue { observer(value, statement.range) }
    }
    return .finished(last)
  }

  /// Runs the file that an import names, the first time.
  private func run(
    _ statement: ImportStatement, in source: SourceText, _ plan: ScriptPlan
  ) -> ScriptOutcome {
    guard let (identity, file) = plan.file(statement, in: source),
      session.importedFiles.insert(identity).inserted
    else { return .finished(.nil) }
    let outcome = run(file.script, file.source, plan)
    if case .finished = outcome { return outcome }
    // Whoever tries again gets it anew.
    session.importedFiles.remove(identity)
    return outcome
  }

  // MARK: Batches

  /// Connections that stand one after the other are looked at together: a formula may come before
  /// its way back.
  func beginBatch(at index: Int, of statements: [Statement]) {
    let isFirst = index == 0 || !statements[index - 1].isConnection
    if isFirst, statements[index].isConnection { graph.beginBatch() }
  }

  func endBatch(
    at index: Int, of statements: [Statement], answering value: Value
  ) -> Value {
    guard statements[index].isConnection else { return value }
    let isLast = index + 1 == statements.count || !statements[index + 1].isConnection
    guard isLast || value.isUnwind else { return value }
    do throws(Failure) {
      try graph.endBatch()
      return value.isUnwind ? value : settleGraph(answering: value)
    } catch {
      return value.isUnwind ? value : signalForBatch(error)
    }
  }

  /// Gives the variables that a statement declares the value nil, unless they have one: a prompt
  /// may declare what it declared before.
  func declare(in statement: Statement) {
    let names: [Name] =
      switch statement {
      case .temporaries(let declaration): declaration.names
      case .variable(let variable): variable.value == nil ? [variable.name] : []
      case .expression, .return, .definition, .import: []
      }
    if case .variable(let variable) = statement {
      let name = variable.name.text
      let cell = scriptCell(named: name)
      // The statement itself says so when it runs.
      if variable.type?.text == ReservedName.lazyType, objectionToLaziness(of: name) != nil {
        return
      }
      session.cellTypes[cell.bits] = variable.type.map { ($0.text, name) }
      recordDeclaration(type: variable.type?.text)
      graph.updateType(of: .slot(cell, 0))
      if variable.isConstant {
        session.constantCells.insert(cell.bits)
      } else {
        session.constantCells.remove(cell.bits)
      }
      session.groupCells.remove(cell.bits)
    }
    for name in names {
      let cell = scriptCell(named: name.text)
      if cell[slot: 0].isUndefined { cell[slot: 0] = .nil }
    }
  }

  /// Evaluates code that belongs to nobody, with the script as the receiver.
  func run(_ code: Code) -> Value { run(code, receiver: Value(session.script)) }

  /// Evaluates code that belongs to nobody.
  func run(_ code: Code, receiver: Value) -> Value {
    guard let body = code.body else { return .nil }
    codeTable.running.append(code)
    let callee = pushNativeFrame()
    callee[0] = receiver
    let value = enter(body, callee, argumentCount: 0)
    // Others may have begun meanwhile, on stacks of their own.
    if let index = codeTable.running.lastIndex(where: { $0 === code }) {
      codeTable.running.remove(at: index)
    }
    retire(code)
    return value
  }

  /// What an evaluation came to that unwound the whole stack.
  func endOfUnwinding() -> ScriptOutcome {
    if nativeStack.hostDepth > 0, let error = holdUnwinding() { return .failed(error) }
    let target = state.unwindTarget
    let value = state.takeUnwindValue()
    exceptions.unwindAction = .deliver
    if target == Machine.scriptTarget { return .finished(value) }
    // An evaluation within another leaves the rest to the outer one.
    if interruption != .none { return .interrupted }
    let error =
      exceptions.uncaught ?? UncaughtError(className: "Error", message: "", trace: StackTrace())
    exceptions.uncaught = nil
    return .failed(error)
  }

  /// Prepares for an evaluation from outside: finds out how much native stack there is.
  func withEntry<Result>(_ body: () -> Result) -> Result {
    let entry = beginEntry()
    defer { endEntry(entry) }
    return body()
  }

  /// What was before an evaluation from outside, and is again when it has ended.
  struct Entry {
    fileprivate let floor: UInt
    fileprivate let handler: Int
  }

  /// Begins an evaluation from outside, which `endEntry` ends.
  func beginEntry() -> Entry {
    nativeStack.entryDepth += 1
    let entry = Entry(floor: state.nativeFloor, handler: exceptions.currentHandler)
    // An evaluation within another is on the same stack, and may be within a reserve.
    if nativeStack.entryDepth == 1 {
      let stack = NativeStack.current
      nativeStack.low = stack.low
      nativeStack.reserveBytes = stack.reserve
      nativeStack.releaseRoom = stack.releaseRoom
      if host.limits.isSet { host.limits.begin() }
      setNativeFloor(stack.floor)
      exceptions.currentHandler = -1
    }
    return entry
  }

  /// Ends an evaluation from outside.
  func endEntry(_ entry: Entry) {
    nativeStack.entryDepth -= 1
    let isOutermost = nativeStack.entryDepth == 0
    if isOutermost {
      nativeStack.low = 0
      if !codeTable.replaced.isEmpty, loop.coroutines.underWay.isEmpty { retireReplacedMethods() }
      endInterruption()
      host.limits.end()
    }
    exceptions.currentHandler = entry.handler
    setNativeFloor(entry.floor)
    if isOutermost { host.objects.release() }
  }
}

extension Statement {
  /// Whether the statement has a value that is worth showing: definitions have none, and neither
  /// has a declaration that gives its variable no value.
  var hasValue: Bool {
    switch self {
    case .definition, .temporaries, .import: false
    case .variable(let variable): variable.value != nil
    case .expression, .return: true
    }
  }

  /// Whether the statement makes a connection: assigned or not, with what is said to it or without, or
  /// added to what keeps it.
  var isConnection: Bool {
    guard case .expression(let expression) = self else { return false }
    return expression.makesConnection
  }
}

extension Expression {
  /// Whether it is a connector, or a message that says how its connection is to be: `(a |= b) within: 1`.
  fileprivate var makesConnection: Bool {
    switch self {
    case .connect: return true
    case .assignment(let assignment): return assignment.value.makesConnection
    case .keywordMessage(let message):
      if message.receiver.makesConnection { return true }
      return message.keywords.count == 1 && message.keywords[0].text == "add:"
        && message.arguments[0].makesConnection
    case .cascade(let cascade):
      return cascade.receiver.makesConnection
        && cascade.messages.allSatisfy { if case .keyword = $0 { true } else { false } }
    default: return false
    }
  }
}
