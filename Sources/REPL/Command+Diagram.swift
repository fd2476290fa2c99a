internal import Tenon
internal import TenonLexer
internal import TenonRuntime

#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#elseif canImport(Darwin)
  internal import Darwin
#endif

// tenon diagram: the connections of a script as a picture, and the statements of a picture.

extension Command {
  /// Writes what `tenon diagram` is asked for.
  ///
  /// - Returns: The exit status.
  func drawDiagram(_ request: DiagramOptions) -> Int32 {
    switch request.input {
    case .script(let argument):
      return withSource(argument) { source in
        switch Diagram.reading(source) {
        case .rejected(let diagnostics):
          console.tell(diagnostics, in: source)
          return ExitStatus.syntax
        case .diagram(let diagram):
          return write(diagram.written(as: request.format, request.zoom), request)
        }
      }
    case .run(let argument):
      return withSource(argument) { source in
        let interpreter = makeInterpreter()
        let outcome = interpreter.run(
          source, isProgram: true, warn: { console.tell($0, in: source) })
        guard case .finished = outcome else { return status(of: outcome, source, in: interpreter) }
        return write(interpreter.diagram.written(as: request.format, request.zoom), request)
      }
    case .diagram(let argument):
      return withSource(argument) { source in
        do throws(DiagramError) {
          let text = String(decoding: source.bytes, as: UTF8.self)
          return write(try Diagram(mermaid: text).statementsText, request)
        } catch {
          console.tell("\(source.name):\(error.line):\(error.column): error: \(error.message)")
          return ExitStatus.syntax
        }
      }
    }
  }

  /// Does something with the text of a file that the command line names; `-` is the standard
  /// input.
  private func withSource(_ argument: Int, _ body: (SourceText) -> Int32) -> Int32 {
    let name = CommandLine.arguments[argument + 1]
    do throws(SourceFile.ReadError) {
      guard name != "-" else { return body(try SourceFile.read(0, name: "<stdin>")) }
      guard let path = unsafe CommandLine.unsafeArgv[argument + 1] else {
        throw .system("there is no such argument")
      }
      return body(unsafe try SourceFile.read(path, name: name))
    } catch {
      guard case .system(let text) = error else { return endOfInterrupt }
      console.tell("tenon: cannot read '\(name)': \(text)")
      return ExitStatus.usage
    }
  }

  /// Writes the result where it is to go.
  private func write(_ text: String, _ request: DiagramOptions) -> Int32 {
    guard let path = request.output else { return print(text) }
    return write(text, to: path)
  }

  /// Writes a file, or tells that it cannot be written.
  ///
  /// - Returns: The exit status.
  func write(_ text: String, to path: String) -> Int32 {
    let descriptor = unsafe open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o666)
    guard descriptor >= 0 else { return cannotWrite(path) }
    var rest = Array(text.utf8)[...]
    while !rest.isEmpty {
      let count = unsafe rest.withUnsafeBytes { bytes in
        unsafe Glibc.write(descriptor, bytes.baseAddress, bytes.count)
      }
      if count < 0 {
        if errno == EINTR, Interrupts.ending == nil { continue }
        let status = cannotWrite(path)
        close(descriptor)
        return status
      }
      rest = rest.dropFirst(count)
    }
    return close(descriptor) == 0 ? ExitStatus.success : cannotWrite(path)
  }

  /// Tells that a path cannot be written, for the reason in `errno`.
  func cannotWrite(_ path: String) -> Int32 {
    console.tell("tenon: cannot write '\(path)': \(systemErrorText())")
    return ExitStatus.failure
  }
}
