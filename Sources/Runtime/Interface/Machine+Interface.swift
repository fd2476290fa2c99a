package import TenonSolverKit
package import TenonLexer

// What the embedding API is made of: the only part of the machine that other modules see.

extension Machine {
  /// Parses, checks and runs a script.
  ///
  /// - Parameters:
  ///   - source: The text.
  ///   - isPrompt: Whether unknown names are left to run time.
  ///   - isProgram: Whether results are printed, and filters and schemes run by themselves.
  ///   - willRun: Called when the text has been read and before anything of it runs.
  ///   - warn: Receives the warnings before the script runs.
  ///   - observer: Called after each statement that has a value, with the value and its place.
  /// - Returns: How it ended.
  package func execute(
    _ source: SourceText, isPrompt: Bool = false, isProgram: Bool = false,
    willRun: () -> Void = {}, warn: ([Diagnostic]) -> Void = { _ in },
    observer: ((Handle, SourceRange) -> Void)? = nil
  ) -> RunOutcome {
    // Whoever goes on has not stopped the program.
    session.isAbandoned = false
    let ended = whileOccupied {
      let outcome = run(
        source, isPrompt: isPrompt, isProgram: isProgram, willRun: willRun, warn: warn
      ) { value, range in
        observer?(handles.makeHandle(value), range)
      }
      return switch outcome {
      case .finished(let value): .finished(handles.makeHandle(value))
      case .rejected(let diagnostics, let isIncomplete):
        .rejected(diagnostics, isIncomplete: isIncomplete)
      case .failed(let error): .failed(error.published)
      case .interrupted: .interrupted
      }
    }
    return ended ?? .interrupted
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
