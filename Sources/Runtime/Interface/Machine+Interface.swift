internal import TenonAnalysis
internal import TenonParser
package import TenonSolverKit
package import TenonLexer

// What the embedding API is made of: the only part of the machine that other modules see.

extension Machine {
  /// Compiles a text as a block with parameters.
  ///
  /// - Returns: The block.
  package func compileBlock(_ source: SourceText, parameters: [String]) -> RunOutcome {
    var problems: [Diagnostic] = []
    var plan = ScriptPlan(machine: self, isPrompt: false)
    let outcome = plan.read(source, chain: []) { script in
      let block = BlockExpression(
        parameters: parameters.map { Name($0, SourceRange(0, 0)) }, implicitCount: 0,
        statements: script.statements, usesBraces: false, range: script.range)
      if script.signature != nil {
        problems.append(Diagnostic(.error, Wording.programSignature, script.range))
      }
      for statement in script.statements {
        switch statement {
        case .definition, .import:
          problems.append(Diagnostic(.error, Wording.programStatement, statement.range))
        default: break
        }
      }
      return Script(
        signature: nil, statements: [.expression(.block(block))], comments: script.comments,
        range: script.range)
    }
    for parameter in parameters where !Machine.isName(parameter) {
      problems.append(
        Diagnostic(.error, "'\(parameter)' is no name of a parameter", SourceRange(0, 0)))
    }
    switch outcome {
    case .rejected(let diagnostics, let isIncomplete):
      return .rejected(problems.isEmpty ? diagnostics : problems, isIncomplete: isIncomplete)
    case .script(let script):
      guard problems.isEmpty, let statement = script.statements.first else {
        return .rejected(problems, isIncomplete: false)
      }
      return withHostEntry {
        session.hyphenatedNames.formUnion(plan.hyphenatedNames)
        for name in plan.declared { _ = scriptCell(named: name) }
        for name in plan.classes { _ = classCell(named: name) }
        let environment = ScriptEnvironment(machine: self, allowsUnknownNames: false)
        let value = run(compile(statement, source: source, environment: environment))
        return value.isUnwind ? endOfHostEntry() : .finished(handles.makeHandle(value))
      }
    }
  }

  /// Sends a message from outside.
  package func send(
    _ name: String, to receiver: Handle, _ arguments: [Handle]
  ) -> RunOutcome {
    do throws(CallError) {
      do throws(ConversionError) { _ = try hostValue(of: receiver) } catch {
        throw .conversion(error)
      }
      var answer: Handle?
      try call(receiver, name) { (writer) throws(ConversionError) in
        for argument in arguments {
          try writer.write { (writer) throws(ConversionError) in
            try writer.write(argument)
          }
        }
      } reading: {
        answer = $0.handle
      }
      return answer.map { .finished($0) } ?? .interrupted
    } catch {
      switch error {
      case .conversion(let error): return .failed(.unfit(error))
      case .ended(let error): return error.map { .failed($0) } ?? .interrupted
      }
    }
  }

  /// Makes values of the language.
  package func makeHandle(_ string: String) -> Handle { handles.makeHandle(makeString(string)) }
  package func makeHandle(_ integer: Int) -> Handle { handles.makeHandle(makeInteger(integer)) }
  package func makeHandle(_ double: Double) -> Handle { handles.makeHandle(makeFloat(double)) }
  package func makeHandle(_ boolean: Bool) -> Handle { handles.makeHandle(Value(boolean)) }
  package func makeHandle(_ elements: [Handle]) -> Handle {
    handles.makeHandle(makeArray(elements.map { $0.machine === self ? $0.value : .nil }))
  }

  /// A variable of the script; nil when there is none of that name.
  package func variable(_ name: String) -> Handle? {
    guard let cell = session.cells[name], !cell[slot: 0].isUndefined else { return nil }
    refreshFromOutside(cell)
    return handles.makeHandle(cell[slot: 0])
  }

  /// Brings a variable up to date that the embedding program is about to read.
  @inline(__always)
  func refreshFromOutside(_ variable: ObjectRef) {
    if graph.hasStaleCells, graph.runningNumber < 0 { refreshInEntry(variable) }
  }

  @inline(never)
  private func refreshInEntry(_ variable: ObjectRef) {
    withEntry {
      anchorEntry()
      // Whoever interrupts it reads what there is.
      if refresh(variable, slot: 0).isUnwind { _ = endOfUnwinding() }
    }
  }

  /// Gives a variable of the script a value, declaring it when it is new.
  package func setVariable(_ name: String, to handle: Handle) -> RunOutcome {
    let value: Value
    do throws(ConversionError) {
      value = try hostValue(of: handle)
    } catch {
      return .failed(.unfit(error))
    }
    return withHostEntry {
      let cell = scriptCell(named: name)
      anchorEntry()
      // Also where nobody reads the variable, as for a script.
      let running = graph.running?.connection
      let stored =
        running.map { signal(.impureFormula(name, $0)) } ?? store(value, into: cell, slot: 0)
      return stored.isUnwind ? endOfHostEntry() : .finished(handle)
    }
  }

  /// The names of the script's variables and of all classes.
  package var knownNames: [String] { globalNames }

  /// Adds a solver to those that are asked, cheapest first.
  package func register(_ solver: any ConnectorSolver.Type) {
    graph.replanning.solvers.append(solver)
    graph.replanning.solvers.sort { $0.cost < $1.cost }
  }

  /// Leaves a solver out of those that are asked; nets that it keeps already are not touched.
  package func unregister(solver name: String) {
    graph.replanning.solvers.removeAll { $0.name == name }
  }

  /// A way to stop the program from another thread or a signal handler.
  package var interrupter: Interrupter { Interrupter(state, memory) }

  /// Creates a machine with the primitives of the kernel.
  package convenience init(options: MachineOptions) {
    self.init(options: options, primitiveRows: Primitive.table)
  }
}

/// Stops a program from another thread, or from a signal handler.
///
/// When its interpreter is gone it does nothing; as long as it is held, address space of the interpreter
/// stays reserved.
public struct Interrupter: @unchecked Sendable {
  private let state: StateRef
  /// What the state is a part of.
  private let memory: MachineMemory

  init(_ state: StateRef, _ memory: MachineMemory) {
    self.state = state
    self.memory = memory
  }

  /// Asks the program to stop at its next safepoint.
  ///
  /// Clean-up blocks run for a second at most; asking again while they do ends them too. When
  /// nothing runs, the request is kept for what runs next. Does nothing but store two words.
  public func interrupt() { state.requestInterrupt() }

  /// Whether somebody has asked and the program has not noticed yet.
  public var isRequested: Bool { state.isInterruptRequested }

  /// Takes back a request that nothing has followed yet.
  public func withdraw() { state.clearInterrupt() }
}
