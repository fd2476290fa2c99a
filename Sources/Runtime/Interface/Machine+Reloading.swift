internal import TenonAnalysis
package import TenonLexer
internal import TenonParser

extension Machine {
  /// Takes up a text in place of an earlier one of that name, of which all stays that both have.
  ///
  /// - Parameters:
  ///   - source: The text.
  ///   - warn: Receives the warnings before anything of the text runs.
  /// - Returns: What came of it, and how it ended; nothing has been done when the text was rejected.
  package func reload(
    _ source: SourceText, warn: ([Diagnostic]) -> Void = { _ in }
  ) -> (report: ReloadReport, outcome: RunOutcome) {
    var report = ReloadReport(name: source.name)
    let outcome = whileIdle {
      session.isAbandoned = false
      var plan = ScriptPlan(machine: self, isPrompt: false)
      let chain =
        host.sourceLoader?.identity(ofFile: source.name).map { [($0, source.name)] } ?? []
      let script: Script
      switch plan.read(source, chain: chain) {
      case .script(let read): script = read
      case .rejected(let diagnostics, let isIncomplete):
        return .rejected(diagnostics, isIncomplete: isIncomplete)
      }
      warn(plan.warnings.map(\.diagnostic))
      session.hyphenatedNames.formUnion(plan.hyphenatedNames)
      session.definedConnectors.formUnion(plan.connectors)
      for name in plan.declared { _ = scriptCell(named: name) }
      for name in plan.classes { _ = classCell(named: name) }
      return withEntry {
        var reloading = Reloading(self, script, source, plan)
        let outcome = reloading.run()
        report = reloading.report
        return switch outcome {
        case .finished: .finished(nilHandle)
        case .rejected(let diagnostics, let isIncomplete):
          .rejected(diagnostics, isIncomplete: isIncomplete)
        case .failed(let error): .failed(error.published)
        case .interrupted: .interrupted
        }
      }
    }
    return (report, outcome)
  }

  /// Notes that a text has been run, which may be loaded again.
  package func remember(_ source: SourceText) {
    let result = parse(
      source, names: session.hyphenatedNames, connectors: session.definedConnectors)
    guard let script = result.script else { return }
    var text = LoadedText(script.statements)
    for statement in script.statements { text.note(statement, in: source) }
    session.loadedTexts[source.name] = text
  }

  /// The instances of classes, those of older layouts included, that can be reached.
  ///
  /// - Complexity: O(bytes of the heap).
  fileprivate func findInstances(of infos: [ClassInfo]) -> [Value] {
    let wanted = Set(infos.map { ObjectIdentifier($0) })
    collect()
    var found: [Value] = []
    heap.forEachLiveObject { object in
      guard let own = classes.infos[Int(object.classIndex)] else { return }
      if wanted.contains(ObjectIdentifier(own.canonical ?? own)) { found.append(Value(object)) }
    }
    return found
  }
}

/// The taking up of a text.
private struct Reloading {
  let machine: Machine
  let script: Script
  let source: SourceText
  let plan: ScriptPlan
  /// What earlier texts of the name have done; nothing when this is the first.
  let old: LoadedText
  var new: LoadedText
  var report: ReloadReport
  /// The classes that the text defines anew, with their variables before.
  private var redefined: [(info: ClassInfo, variables: [String])] = []
  /// The variables that statements have set.
  private var set: Set<String> = []
  /// What the connections have said that were ended.
  private var ended: [String] = []

  init(_ machine: Machine, _ script: Script, _ source: SourceText, _ plan: ScriptPlan) {
    self.machine = machine
    self.script = script
    self.source = source
    self.plan = plan
    let known = machine.session.loadedTexts[source.name]
    old = known ?? LoadedText([])
    new = LoadedText(script.statements)
    report = ReloadReport(name: source.name)
    report.isFirst = known == nil
  }

  /// Does what is new in the text, as one change for all connections.
  mutating func run() -> ScriptOutcome {
    if let signature = script.signature,
      let end = machine.bind(signature, of: script, in: source, isProgram: false)
    {
      return end
    }
    for name in new.classes {
      guard let info = machine.classesByName[name], !info.isKernel else { continue }
      redefined.append((info, info.instanceVariables.map(\.name)))
    }
    var outcome = ScriptOutcome.finished(.nil)
    let settled = machine.atomically {
      outcome = self.runInOneChange()
      return .nil
    }
    if settled.isUnwind {
      let end = machine.endOfUnwinding()
      if case .finished = outcome { outcome = end }
    }
    machine.session.loadedTexts[source.name] = new
    if case .failed(let error) = outcome, error.exitStatus == nil {
      report.failure = error.published
    }
    tell()
    return outcome
  }

  private mutating func runInOneChange() -> ScriptOutcome {
    let (treatments, kept) = old.treatments(of: script.statements)
    new.take(kept)
    if let unwound = end(connections(ofInstances: false, except: kept)) { return unwound }
    var statements: [Statement] = []
    var numbers: [Int] = []
    for (index, treatment) in treatments.enumerated() {
      switch treatment {
      case .run: statements.append(script.statements[index])
      case .declare(let declaration): statements.append(declaration)
      // Unless it ends the text.
      case .keep where script.statements[index].endsScript: break
      case .keep: continue
      }
      if case .keep = treatment { break }
      numbers.append(index)
    }
    var finished = 0
    var outcome = run(statements) { finished = $0 + 1 }
    for index in numbers.prefix(finished) { note(script.statements[index], treatments[index]) }
    let known = redefined
    redefined = known.filter { hasDefined($0.info.name, numbers.prefix(finished)) }
    if case .failed = outcome, finished < numbers.count {
      remake(script.statements.dropFirst(numbers[finished] + 1))
    }
    for index in numbers.prefix(finished) {
      if let unwound = reset(script.statements[index]) { return unwound }
    }
    if let unwound = remakeInInstances() { outcome = unwound }
    removeMethods()
    return outcome
  }

  private func run(_ statements: [Statement], done: (Int) -> Void = { _ in }) -> ScriptOutcome {
    let part = Script(signature: nil, statements: statements, comments: [], range: script.range)
    return machine.run(part, source, plan, done: done)
  }

  private mutating func note(_ statement: Statement, _ treatment: LoadedText.Treatment) {
    guard case .run = treatment else { return }
    new.note(statement, in: source)
    if statement.setsVariables { set.formUnion(statement.namedVariables) }
  }

  private func hasDefined(_ name: String, _ numbers: ArraySlice<Int>) -> Bool {
    numbers.contains { number in
      guard case .definition(let definition) = script.statements[number] else { return false }
      return switch definition {
      case .class(let definition): definition.name.text == name
      case .scheme(let definition): definition.name.text == name
      case .filter(let definition): definition.name.text == name
      default: false
      }
    }
  }

  // MARK: Variables

  /// Has a variable begin anew whose value is not of the class that it is declared with now.
  private mutating func reset(_ statement: Statement) -> ScriptOutcome? {
    guard case .variable(let variable) = statement, let type = variable.type?.text,
      let cell = machine.session.cells[variable.name.text], !cell[slot: 0].isUndefined,
      case .none = machine.conformance(of: cell[slot: 0], to: type)
    else { return nil }
    report.resetVariables.append(variable.name.text)
    if variable.value != nil {
      let outcome = run([statement])
      if case .finished = outcome { return nil }
      return outcome
    }
    return machine.store(.nil, into: cell, slot: 0).isUnwind ? machine.endOfUnwinding() : nil
  }

  // MARK: Connections

  /// The names of the methods in which the classes of the text connect what their instances have.
  private var namesInInstances: Set<String> {
    var names: Set<String> = []
    for (info, _) in redefined {
      for selector in [
        HiddenSelector.connections, HiddenSelector.connectionsOfCopies,
        HiddenSelector.initialValues,
      ] {
        names.insert("\(info.name)>>\(selector)")
      }
    }
    return names
  }

  /// The connections that the text has made: at top level, or in the instances of its classes.
  private func connections(
    ofInstances: Bool, except kept: LoadedText.Kept = LoadedText.Kept()
  ) -> [Connection] {
    let names = ofInstances ? namesInInstances : []
    return machine.graph.connections.values.filter { connection in
      guard connection.source.name == source.name, let site = connection.site else { return false }
      if ofInstances { return site.code.name.map { names.contains($0) } ?? false }
      return site.code.name == nil && !kept.contains(connection.range, in: connection.source)
    }.sorted { $0.id < $1.id }
  }

  /// Ends connections; their places keep their values.
  private mutating func end(_ connections: [Connection]) -> ScriptOutcome? {
    let disconnect = machine.selector("disconnect")
    for connection in connections where connection.status != .disconnected {
      ended.append(connection.text)
      let object = machine.makeConnectionObject(connection)
      if case .unwound = machine.withErrorsCaught({ machine.send(disconnect, to: object) }) {
        return machine.endOfUnwinding()
      }
    }
    return nil
  }

  /// Makes those connections again that were there before and stand below an error.
  private mutating func remake(_ statements: ArraySlice<Statement>) {
    for statement in statements where statement.isRemade {
      let text = SyntaxPrinter.print(statement)
      guard old.connected.contains(text) else { continue }
      switch run([statement]) {
      case .finished, .rejected: new.note(statement, in: source)
      case .interrupted: return
      case .failed(let error):
        report.failedConnections.append(
          ReloadReport.FailedConnection(text: text, message: error.published.message))
      }
    }
  }

  /// Ends what the classes of the text have connected in instances, and connects what they say now.
  private mutating func remakeInInstances() -> ScriptOutcome? {
    guard !redefined.isEmpty else { return nil }
    let root = machine.roots.count
    defer { machine.dropRoots(to: root) }
    let instances = machine.findInstances(of: redefined.flatMap(\.info.withSubclasses))
    machine.roots.append(contentsOf: instances)
    if let unwound = end(connections(ofInstances: true)) { return unwound }
    var counts: [ObjectIdentifier: Int] = [:]
    var failed: Set<String> = []
    for instance in instances {
      let layout = machine.classInfo(at: ObjectRef(instance).classIndex)
      for (info, _) in redefined where (layout.canonical ?? layout).inherits(from: info) {
        counts[ObjectIdentifier(info), default: 0] += 1
        guard let method = info.ownStatements.copies else { continue }
        let own = layout.canonical == nil ? method : machine.variantForm(of: method, in: layout)
        switch machine.withErrorsCaught({ machine.connect(instance, by: [own]) }) {
        case .value: continue
        case .unwound: return machine.endOfUnwinding()
        case .failed(let failure):
          guard failed.insert(info.name + failure.message).inserted else { continue }
          report.failedConnections.append(
            ReloadReport.FailedConnection(text: info.name, message: failure.message))
        }
      }
    }
    for (info, before) in redefined {
      let now = info.instanceVariables.map(\.name)
      report.changedClasses.append(
        ReloadReport.ClassChange(
          name: info.name, addedVariables: now.filter { !before.contains($0) },
          removedVariables: before.filter { !now.contains($0) },
          instanceCount: counts[ObjectIdentifier(info)] ?? 0))
    }
    return nil
  }

  // MARK: Methods

  /// Removes the methods outside of classes that the text has no more.
  private mutating func removeMethods() {
    for method in old.methods where !new.methods.contains(method) {
      guard let owner = machine.classesByName[method.className] else { continue }
      let holder = method.isClassMethod ? owner.metaclass ?? owner : owner
      guard let found = holder.ownMethod(machine.selector(method.selector)),
        case .definition(_, let origin) = found.origin, origin.name == source.name
      else { continue }
      do throws(Failure) {
        try machine.remove(found, from: holder)
        report.removedMethods.append(method.description)
      } catch {
        report.remainingMethods.append(method.description)
      }
    }
  }

  // MARK: The report

  private mutating func tell() {
    for name in new.variables where !report.resetVariables.contains(name) {
      if !old.variables.contains(name) {
        report.addedVariables.append(name)
      } else if set.contains(name) {
        report.setVariables.append(name)
      } else {
        report.keptVariables.append(name)
      }
    }
    report.removedVariables = old.variables.filter { !new.variables.contains($0) }
    let known = Set(redefined.map(\.info.name))
    report.addedClasses = new.classes.filter { !old.classes.contains($0) && !known.contains($0) }
    report.removedClasses = old.classes.filter { !new.classes.contains($0) }
    var seen: Set<String> = []
    let made = (connections(ofInstances: false) + connections(ofInstances: true)).map(\.text)
    for text in made where seen.insert(text).inserted {
      if ended.contains(text) {
        report.remadeConnections.append(text)
      } else {
        report.addedConnections.append(text)
      }
    }
    for text in ended where seen.insert(text).inserted { report.endedConnections.append(text) }
  }
}

extension Statement {
  /// Whether it ends the text wherever it is run.
  fileprivate var endsScript: Bool { if case .return = self { true } else { false } }
}
