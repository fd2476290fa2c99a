internal import Tenon
internal import TenonLexer
internal import TenonRuntime

extension Command {
  /// Evaluates a text for each line of the standard input, as `line` with its number as
  /// `lineNumber`.
  ///
  /// - Parameters:
  ///   - text: The statements.
  ///   - prints: Whether each value that is not nil is printed.
  /// - Returns: The exit status.
  func runForEachLine(_ text: String, prints: Bool) -> Int32 {
    let interpreter = makeInterpreter()
    let status: Int32
    do throws(EvaluationError) {
      let program = try interpreter.compile(
        text, parameters: ["line", "lineNumber"], name: "<expression>")
      status = try run(program, prints: prints)
    } catch {
      status = self.status(of: error)
    }
    return closeStores(of: interpreter, status)
  }

  private func run(_ program: Program, prints: Bool) throws(EvaluationError) -> Int32 {
    var number = 0
    while true {
      let line: [UInt8]?
      do throws(ConsoleError) {
        line = try console.readLine { Interrupts.isRequested }
      } catch {
        console.tell("tenon: \(error.message)")
        return ExitStatus.failure
      }
      guard let line else { return Interrupts.isRequested ? endOfInterrupt : ExitStatus.success }
      number += 1
      // Nothing is put in the place of bytes that are no text.
      guard let text = String(validating: line, as: UTF8.self) else {
        console.tell("tenon: line \(number) of the standard input is not UTF-8")
        return ExitStatus.failure
      }
      let value = try program.run(text, number)
      guard prints, value.className != "UndefinedObject" else { continue }
      let shown: Handle = try value.send("displayString")
      let status = print((value.string ?? shown.string ?? "") + "\n")
      guard status == ExitStatus.success else { return status }
    }
  }

  private func status(of error: EvaluationError) -> Int32 {
    switch error {
    case .interrupted: return endOfInterrupt
    case .script(let failure) where failure.exitStatus != nil:
      return failure.exitStatus ?? ExitStatus.failure
    case .syntax:
      console.tell(error.description)
      return ExitStatus.syntax
    case .script, .conversion, .limit:
      console.tell(error.description)
      return ExitStatus.failure
    }
  }
}
