internal import Tenon
internal import TenonLexer
internal import TenonRuntime
internal import TenonText

/// A session with a program: requests come as lines of JSON, and so go answers and events.
///
/// `docs/protocol.md` has all of them. Timers, watched files and connections go on between requests.
final class EventSession {
  /// The version of the protocol: another number when what was right becomes wrong.
  static let version = 1

  let interpreter: Interpreter
  private let input: TerminalConsole
  let console: EventConsole
  private let completion: Completion
  private let background: Background
  /// The object of the language that knows the commands, whatever its name means later.
  let prompt: Handle?
  private var exitStatus: Int32?
  private var number = 1

  init(_ interpreter: Interpreter, input: TerminalConsole, _ console: EventConsole) {
    self.interpreter = interpreter
    prompt = try? interpreter.evaluate("Prompt current")
    self.input = input
    self.console = console
    completion = Completion(source: SessionCompletion(interpreter))
    background = Background(interpreter)
  }

  /// Answers requests until the end of the input.
  ///
  /// - Returns: The exit status.
  func run() -> Int32 {
    Interrupts.beginSession()
    if let prompt { _ = try? interpreter.send("begin", to: prompt) }
    do throws(ConsoleError) {
      try console.send(
        "hello", [("protocol", .number(EventSession.version)), ("version", "0.1.0")])
      while exitStatus == nil, let line = try nextLine() {
        if !line.isEmpty { try answer(line) }
      }
    } catch {
      return Interrupts.ending.map(ExitStatus.signal) ?? ExitStatus.failure
    }
    return Interrupts.ending.map(ExitStatus.signal) ?? exitStatus ?? ExitStatus.success
  }

  private func nextLine() throws(ConsoleError) -> [UInt8]? {
    console.request = nil
    try console.flush()
    Interrupts.begin()
    input.background = background
    background.didRun = { [console] in
      // A front end that is gone is found out by what is sent next.
      try? console.flush()
    }
    defer { input.background = nil }
    let line = try input.readLine { Interrupts.ending != nil }
    if background.exitStatus != nil { exitStatus = background.exitStatus }
    return exitStatus == nil ? line : nil
  }

  // MARK: Requests

  private func answer(_ line: [UInt8]) throws(ConsoleError) {
    let request: JSONPart
    do throws(JSONScanner.Failure) {
      request = try JSONPart.read(line[...])
    } catch {
      return try refuse("this is no JSON: \(error.reason), at byte \(error.offset + 1)")
    }
    guard case .object(let members) = request else {
      return try refuse("a request is an object of JSON")
    }
    console.request = members.first { $0.key == "id" }
      .map { String(decoding: $0.value, as: UTF8.self) }
    if members.contains(where: { $0.key == "text" }), members.text("text") == nil {
      return try refuse("what stands in 'text' is a string")
    }
    let text = members.text("text") ?? ""
    switch members.text("do") {
    case "evaluate": try evaluate(text, name: members.text("name"))
    case "complete": try complete(text)
    case "isComplete": try tellWhetherComplete(text)
    case "check": try check(text)
    case "describe": try ask("documentationOf:", text)
    case "connections": try ask("connections", nil)
    case "command": try obey(text)
    case "watch": try watch(text)
    case "unwatch": try unwatch(text)
    case "diagram": try draw()
    case "quit": exitStatus = ExitStatus.success
    case let other?: return try refuse("there is no request '\(other)'")
    case nil: return try refuse("a request says in 'do' what is to be done")
    }
  }

  private func refuse(_ reason: String) throws(ConsoleError) {
    try console.send("refused", [("message", .text(reason))])
  }

  func end(_ status: String) throws(ConsoleError) {
    try console.send("done", [("status", .text(status))])
  }

  // MARK: Evaluation

  private func evaluate(_ text: String, name: String?) throws(ConsoleError) {
    let source = SourceText(name: name ?? "<prompt \(number)>", text)
    number += 1
    completion.source.begin([])
    var last: (value: Handle, range: SourceRange)?
    var warnings: [Diagnostic] = []
    let outcome = interpreter.run(
      source, isPrompt: true, warn: { warnings += $0 }, observer: { last = ($0, $1) })
    for warning in warnings { try tell(warning, in: source) }
    switch outcome {
    case .finished:
      guard let last,
        !Shell.isSilent(
          last.value, source.text(in: last.range), connectors: interpreter.connectorSpellings)
      else {
        return try end("finished")
      }
      try show(last.value)
    case .rejected(let diagnostics, let isIncomplete):
      for diagnostic in diagnostics { try tell(diagnostic, in: source) }
      try end(isIncomplete ? "incomplete" : "rejected")
    case .failed(let error): try tell(error)
    case .interrupted:
      try tell(interpreter.exceededLimit.map { EvaluationError.limit($0) } ?? .interrupted)
    }
  }

  private func show(_ value: Handle) throws(ConsoleError) {
    guard let prompt else { return try end("finished") }
    do throws(EvaluationError) {
      let text = try interpreter.send("textOf:", to: prompt, value).string ?? ""
      let html = try interpreter.send("htmlOf:", to: prompt, value).string
      interpreter["_"] = value
      var members: [(String, JSONValue)] = [
        ("class", .text(value.className)), ("text", .text(text)),
      ]
      if let html { members.append(("html", .text(html))) }
      if value.className == "ConnectionList" {
        let picture = try interpreter.send("asSVG", to: value).string
        if let picture { members.append(("svg", .text(picture))) }
      }
      try send("value", members)
    } catch {
      return try tell(error)
    }
    try end("finished")
  }

  /// Sends an event where an error of the console cannot be thrown: the next one throws it.
  private func send(_ kind: String, _ members: [(String, JSONValue)]) throws(EvaluationError) {
    try? console.send(kind, members)
  }

  private func tell(_ diagnostic: Diagnostic, in source: SourceText) throws(ConsoleError) {
    let place = source.location(of: diagnostic.range.start)
    try console.send(
      diagnostic.severity == .error ? "error" : "warning",
      [
        ("class", "SyntaxError"), ("message", .text(diagnostic.message)),
        ("source", .text(source.name)), ("line", .number(place.line)),
        ("column", .number(place.column)), ("text", .text(diagnostic.rendered(in: source))),
      ])
  }

  func tell(_ error: EvaluationError) throws(ConsoleError) {
    switch error {
    case .interrupted: try end("interrupted")
    case .script(let failure): try tell(failure)
    case .conversion, .limit:
      try console.send(
        "error",
        [
          ("class", "Error"), ("message", .text(error.description)),
          ("text", .text(error.description)),
        ])
      try end("failed")
    case .syntax(let text):
      try console.send(
        "error", [("class", "SyntaxError"), ("message", .text(text)), ("text", .text(text))])
      try end("rejected")
    }
  }

  private func tell(_ error: ScriptError) throws(ConsoleError) {
    if let status = error.exitStatus {
      exitStatus = status
      return try end("exited")
    }
    var members: [(String, JSONValue)] = [
      ("class", .text(error.className)), ("message", .text(error.message)),
    ]
    if let entry = error.trace.first {
      let place = entry.source.location(of: entry.range.start)
      members += [
        ("source", .text(entry.source.name)), ("line", .number(place.line)),
        ("column", .number(place.column)),
      ]
    }
    try console.send("error", members + [("text", .text(error.rendered()))])
    try end("failed")
  }

  // MARK: Questions

  private func complete(_ text: String) throws(ConsoleError) {
    let found = completion.complete(text) ?? Completion.Result()
    try console.send(
      "completion",
      [
        ("insertion", .text(found.insertion)),
        ("candidates", .array(found.candidates.map { .text($0) })),
      ])
    try end("finished")
  }

  private func tellWhetherComplete(_ text: String) throws(ConsoleError) {
    try end(interpreter.isIncomplete(SourceText(name: "", text)) ? "incomplete" : "complete")
  }

  /// What is wrong with a text, which does not run.
  private func check(_ text: String) throws(ConsoleError) {
    let source = SourceText(name: "<text>", text)
    for diagnostic in interpreter.diagnostics(of: source) { try tell(diagnostic, in: source) }
    try end("finished")
  }

  private func obey(_ text: String) throws(ConsoleError) { try ask("run:", text) }

  /// Asks the prompt's object for a text.
  private func ask(_ selector: String, _ argument: String?) throws(ConsoleError) {
    guard let prompt else { return try end("failed") }
    do throws(EvaluationError) {
      let answer = try interpreter.send(
        selector, to: prompt, with: argument.map { [interpreter.value($0)] } ?? [])
      if selector != "run:", let text = answer.string { try send("text", [("text", .text(text))]) }
    } catch {
      return try tell(error)
    }
    try end("finished")
  }

  private func draw() throws(ConsoleError) {
    do throws(EvaluationError) {
      let picture = try interpreter.evaluate("self connections asSVG")
      try send("picture", [("type", "image/svg+xml"), ("text", .text(picture.string ?? ""))])
    } catch {
      return try tell(error)
    }
    try end("finished")
  }
}
