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

/// The commands that need the session itself; the others are those of the class `Prompt`.
private enum SessionCommand: String {
  case load
  case reload
  case edit
  case history
  case more
  case cd
  case quit
}

extension Shell {
  /// The most entries that ':history' shows.
  private static let historyLimit = 50

  /// Does what a command says.
  ///
  /// - Returns: false when the session is over.
  func obey(_ line: String) throws(ConsoleError) -> Bool {
    let typed = line.dropFirst().prefix { $0 != " " && $0 != "\t" }
    // Whatever the program has made of the language.
    if typed == "quit" || typed == "q" { return false }
    guard let prompt else { return true }
    let argument = line.dropFirst(typed.count + 1).trimmed
    do throws(EvaluationError) {
      let command = try interpreter.send(
        "commandNamed:", to: prompt, interpreter.value(String(typed)))
      if command.className == "PromptCommand",
        let name = try interpreter.send("name", to: command).string
      {
        if let own = SessionCommand(rawValue: name) { return try obey(own, argument) }
        if let own = DebuggerCommand(rawValue: name) { return try obey(own, argument) }
        if name == "inspect", debugged != nil, !argument.isEmpty, !argument.hasPrefix(".") {
          // What is meant is what the frame knows.
          guard let value = value(of: argument) else { return goesOn }
          keep(value)
          _ = try interpreter.send("run:", to: prompt, interpreter.value(":inspect _"))
          return goesOn
        }
        if ["time", "bench", "profile"].contains(name), debugged != nil, !argument.isEmpty {
          _ = value(of: "Prompt current \(name): [ \(argument)\n]")
          return goesOn
        }
      }
      _ = try interpreter.send("run:", to: prompt, interpreter.value(line))
    } catch {
      try tell(error)
    }
    return goesOn
  }

  /// Tells why a command has failed.
  private func tell(_ error: EvaluationError) throws(ConsoleError) {
    switch error {
    case .interrupted: tellInterrupt()
    case .script(let failure) where failure.exitStatus != nil: exitStatus = failure.exitStatus
    // A command has no place in a text.
    case .script(let failure) where failure.trace.isEmpty: console.tell(failure.message)
    case .script, .syntax, .conversion, .limit: console.tell(error.description)
    }
  }

  private func obey(
    _ command: SessionCommand, _ argument: String
  ) throws(EvaluationError) -> Bool {
    do throws(ConsoleError) {
      switch command {
      case .load: load(argument)
      case .reload: for file in loadedFiles { try reload(file) }
      case .edit: try edit(argument)
      case .history: try showHistory(argument)
      case .more: try showAll(argument)
      case .cd: try changeDirectory(argument)
      case .quit: return false
      }
    } catch {
      console.tell("tenon: \(error.message)")
    }
    return goesOn
  }

  // MARK: Files

  /// The file with which sessions of the user begin: `tenon/startup.st` in the directory of
  /// configurations.
  private static var startupFile: String? {
    if let directory = unsafe getenv("XDG_CONFIG_HOME"), unsafe directory.pointee == slash {
      return unsafe String(cString: directory) + "/tenon/startup.st"
    }
    return unsafe getenv("HOME").map { unsafe String(cString: $0) + "/.config/tenon/startup.st" }
  }

  private static let slash = CChar(bitPattern: UInt8(ascii: "/"))

  /// Runs the user's start-up file, if there is one; the session begins however that ends.
  func runStartupFile() {
    guard let path = Shell.startupFile, unsafe access(path, F_OK) == 0 else { return }
    Interrupts.beginSession()
    isStarting = true
    defer { isStarting = false }
    switch Shell.read(path, name: path) {
    case .success(let source):
      run(source)
      forgetExit()
    case .failure(.system(let text)): console.tell("cannot read '\(path)': \(text)")
    case .failure: tellInterrupt()
    }
  }

  private func load(_ file: String) {
    guard !file.isEmpty else { return console.tell("':load' takes the name of a file") }
    switch Shell.read(Shell.path(file), name: file) {
    case .success(let source):
      let outcome = run(source)
      if case .rejected = outcome { return }
      // One that was stopped is run again as a whole.
      if case .finished = outcome { interpreter.remember(source) }
      forgetExit()
      if !loadedFiles.contains(file) { loadedFiles.append(file) }
    case .failure(.system(let text)): console.tell("cannot read '\(file)': \(text)")
    case .failure: tellInterrupt()
    }
  }

  /// Takes up what has changed in a file that was loaded.
  private func reload(_ file: String) throws(ConsoleError) {
    switch Shell.read(Shell.path(file), name: file) {
    case .success(let source):
      let report: ReloadReport
      do throws(EvaluationError) {
        report = try interpreter.reload(source) { console.tell($0, in: source) }
      } catch {
        return try tell(error)
      }
      for change in report.changes { try console.write("\(change)\n") }
      if let failure = report.failure { console.tell(failure.rendered()) }
      forgetExit()
    case .failure(.system(let text)): console.tell("cannot read '\(file)': \(text)")
    case .failure: tellInterrupt()
    }
  }

  static func read(
    _ path: String, name: String
  ) -> Result<SourceText, SourceFile.ReadError> {
    unsafe path.withCString { path in
      Result { () throws(SourceFile.ReadError) in
        unsafe try SourceFile.read(path, name: name)
      }
    }
  }

  /// A path as the system wants it: with the home directory for '~'.
  static func path(_ typed: String) -> String {
    guard typed == "~" || typed.hasPrefix("~/"), let home = unsafe getenv("HOME") else {
      return typed
    }
    return unsafe String(cString: home) + typed.dropFirst()
  }

  private func changeDirectory(_ directory: String) throws(ConsoleError) {
    let path = Shell.path(directory.isEmpty ? "~" : directory)
    guard unsafe chdir(path) == 0 else {
      return console.tell("cannot go to '\(path)': \(systemErrorText())")
    }
    if mayLeaveDirectory { interpreter.followWorkingDirectory() }
    guard let current = unsafe getcwd(nil, 0) else { return }
    defer { unsafe free(current) }
    try console.write(unsafe String(cString: current) + "\n")
  }

  // MARK: Programs

  /// Runs a command of the system at the terminal.
  ///
  /// - Returns: Whether it has ended well.
  @discardableResult
  func runSystemCommand(_ command: String) -> Bool {
    let status = unsafe system(command)
    beginLine()
    guard status != 0 else { return true }
    let code = (status >> 8) & 0xFF
    console.tell(status & 0x7F == 0 ? "exit status \(code)" : "ended by signal \(status & 0x7F)")
    return false
  }

  /// Puts the cursor of the terminal at the start of a line, wherever a program has left it.
  ///
  /// Blanks that fill a line lead into the next one unless they begin at its start; nothing of them stays.
  private func beginLine() {
    guard Shell.canEdit else { return }
    let columns = LinePainter.ofWindow.columns
    console.control(String(repeating: " ", count: max(columns - 1, 0)) + "\r\u{1B}[K")
  }

  /// Opens an editor with a text, and evaluates what it leaves.
  private func edit(_ argument: String) throws(ConsoleError) {
    guard let text = textToEdit(argument) else { return }
    var name = Array("/tmp/tenon-XXXXXX.st".utf8CString)
    let descriptor = unsafe name.withUnsafeMutableBufferPointer { name -> Int32 in
      guard let start = name.baseAddress else { return -1 }
      return unsafe mkstemps(start, 3)
    }
    guard descriptor >= 0 else { return console.tell("cannot make a file: \(systemErrorText())") }
    let path = String(decoding: name.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    defer { unsafe unlink(path) }
    let bytes = Array(text.utf8)
    let isWritten = unsafe bytes.withUnsafeBytes {
      unsafe write(descriptor, $0.baseAddress, $0.count) == $0.count
    }
    close(descriptor)
    guard isWritten else { return console.tell("cannot write '\(path)': \(systemErrorText())") }
    guard runSystemCommand("${VISUAL:-${EDITOR:-vi}} \(path)") else { return }
    guard case .success(let edited) = Shell.read(path, name: "<editor>") else {
      return console.tell("cannot read '\(path)'")
    }
    var left = Array(edited.bytes)
    while left.last == UInt8(ascii: "\n") { left.removeLast() }
    guard left != bytes, !left.isEmpty else { return }
    try console.write(String(decoding: left, as: UTF8.self) + "\n")
    try evaluate(left)
  }

  /// What is to be edited: a method in an extension of its class, or what was typed last.
  private func textToEdit(_ argument: String) -> String? {
    guard !argument.isEmpty, let prompt else {
      return reader.entries.last { !$0.hasPrefix(":") && !$0.hasPrefix("!") } ?? ""
    }
    do throws(EvaluationError) {
      let source = try interpreter.send("sourceOf:", to: prompt, interpreter.value(argument))
      let text = source.string ?? ""
      guard argument.contains(">>") else { return text }
      let name = argument.prefix { $0 != ">" && $0 != " " }
      return "extension \(name) {\n  \(text)\n}"
    } catch {
      console.tell(error.description)
      return nil
    }
  }

  // MARK: Texts

  private func showHistory(_ text: String) throws(ConsoleError) {
    let entries = text.isEmpty ? reader.entries : reader.entries.filter { $0.contains(text) }
    for entry in entries.suffix(Shell.historyLimit) { try console.write(entry + "\n") }
  }

  /// Shows a value whole, in a pager.
  private func showAll(_ argument: String) throws(ConsoleError) {
    let text: String
    do throws(EvaluationError) {
      if debugged != nil, !argument.isEmpty {
        guard let value = value(of: argument) else { return }
        keep(value)
      }
      let value =
        argument.isEmpty || debugged != nil
        ? interpreter["_"] : try interpreter.evaluate(argument)
      guard let value else { return console.tell("there is no value yet") }
      let printed = try interpreter.send("printString", to: value)
      text = (value.className == "String" ? value.string : printed.string) ?? ""
    } catch {
      return try tell(error)
    }
    try page(text)
  }

  /// The status of the system's shell when it does not find a program.
  private static let notFound: Int32 = 127

  /// Shows a text in the pager that the environment names, or in less.
  private func page(_ text: String) throws(ConsoleError) {
    try console.flush()
    guard let pipe = unsafe popen("${PAGER:-less -FRX}", "w") else {
      return try console.write(text + "\n")
    }
    let bytes = Array(text.utf8) + [UInt8(ascii: "\n")]
    unsafe bytes.withUnsafeBytes { _ = unsafe fwrite($0.baseAddress, 1, $0.count, pipe) }
    let status = unsafe pclose(pipe)
    // There is no such program, which the shell has told.
    if status >> 8 & 0xFF == Shell.notFound { try console.write(text + "\n") }
  }
}

extension StringProtocol {
  /// The text without blanks around it.
  fileprivate var trimmed: String {
    let isBlank = { (character: Character) in character == " " || character == "\t" }
    let start = drop(while: isBlank)
    guard let end = start.lastIndex(where: { !isBlank($0) }) else { return "" }
    return String(start[...end])
  }
}
