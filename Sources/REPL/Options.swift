internal import Tenon
internal import TenonLexer

#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#elseif canImport(Darwin)
  internal import Darwin
#endif

/// What the command line asks for.
struct Options {
  /// What is to be done.
  enum Task: Equatable {
    /// Reads from the terminal, or runs the script that is piped in.
    case session
    /// Runs the script in a file: the number of the argument that names it.
    case file(Int)
    /// Runs the script that the standard input holds.
    case standardInput
    /// Evaluates a text and prints its value.
    case expression(String)
    /// Evaluates a text for each line of the standard input, and prints its values if wanted.
    case eachLine(String, prints: Bool)
    /// Draws connections, or prints the statements of a drawing.
    case diagram(DiagramOptions)
    /// Installs the kernel for Jupyter.
    case jupyter(JupyterOptions)
    /// Answers requests in JSON.
    case requests
    case help
    case version
  }

  var task = Task.session
  /// The most bytes a program may keep alive; nil for a quarter of the machine's memory.
  var memoryLimit: Int?
  /// Bytes of native stack: how deep a program may call itself.
  var stackSize = 1 << 30
  /// What the program reaches outside of the process.
  var grants = StandardGrants()
  /// The most steps of an evaluation; nil for any number.
  var stepLimit: Int?
  /// The longest time of an evaluation; nil for any.
  var timeLimit: Duration?
  /// How many methods and blocks may be under way, one within the other; nil for what the stack allows.
  var depthLimit: Int?
  /// Whether a session begins with the user's start-up file.
  var readsStartupFile = true
  /// Collect garbage at every n-th safepoint; 0 for when it is worthwhile.
  var collectEvery = 0
  /// End at the last statement, whatever timers are still active.
  var endsAtOnce = false
  /// Go on with a session when the script has ended.
  var isInteractive = false
  /// Tell in the end how long the collector has stopped the program.
  var showsPauses = false
  /// What the script finds in `arguments`.
  var arguments: [String] = []
  /// Under which name `defaults:` keeps what the program stores: that of the script's file without
  /// folder and ending, else the command's.
  var programName = "tenon"
}

/// A command line that makes no sense.
struct UsageError: Error {
  let message: String
}

extension Options {
  /// Reads a command line, the program's name left out.
  init(_ words: [String]) throws(UsageError) {
    if try readSubcommand(words) { return }
    var index = 0
    /// The values of '-e': the lines of one program.
    var lines: [String] = []
    /// Whether each line is evaluated for, and whether values are printed: '-n' and '-p'.
    var printsLines: Bool?
    while index < words.count, task == .session {
      let word = words[index]
      // After an '-e' there is no file: what is no option is the first argument.
      if !lines.isEmpty, word == "-" || !word.hasPrefix("-") { break }
      index += 1
      // `--memory=64M` is `--memory 64M`.
      let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      let name = word.hasPrefix("--") ? String(parts[0]) : word
      var given = word.hasPrefix("--") && parts.count == 2 ? String(parts[1]) : nil
      func value() throws(UsageError) -> String {
        if let value = given {
          given = nil
          return value
        }
        guard index < words.count else {
          throw UsageError(message: "'\(name)' needs a value")
        }
        index += 1
        return words[index - 1]
      }
      if try readRestriction(name, value) { continue }
      switch name {
      case "--help", "-h": task = .help
      case "--version": task = .version
      case "--collect-every": collectEvery = try Options.count(value(), of: name)
      case "-e": lines.append(try value())
      case "--once": endsAtOnce = true
      case "-i": isInteractive = true
      case "--no-startup": readsStartupFile = false
      case "-n": printsLines = printsLines ?? false
      case "-p": printsLines = true
      case "--json": task = .requests
      case "--pauses": showsPauses = true
      case "-": task = .standardInput
      case "--" where !lines.isEmpty:
        task = .expression(lines.joined(separator: "\n"))
      case "--":
        guard index < words.count else { break }
        task = .file(index)
        index += 1
      case _ where word.hasPrefix("-"):
        throw UsageError(message: "unknown option '\(name)'")
      default: task = .file(index - 1)
      }
      guard given == nil else { throw UsageError(message: "'\(name)' takes no value") }
    }
    try choose(lines, printsLines: printsLines)
    try finish(arguments: words[index...], words)
  }

  /// Reads an option that restricts what a script reaches or uses up.
  ///
  /// - Returns: Whether it is one.
  private mutating func readRestriction(
    _ name: String, _ value: () throws(UsageError) -> String
  ) throws(UsageError) -> Bool {
    switch name {
    case "--memory": memoryLimit = try Options.size(value(), of: name, atLeast: 1 << 20)
    case "--stack": stackSize = try Options.size(value(), of: name, atLeast: 512 << 10)
    case "--schemes": grants.schemes = try Options.schemes(value())
    case "--root": grants.root = try Options.directory(value(), of: name)
    case "--steps": stepLimit = try Options.limit(value(), of: name)
    case "--depth": depthLimit = try Options.limit(value(), of: name)
    case "--timeout": timeLimit = try Options.seconds(value(), of: name)
    default: return false
    }
    return true
  }

  /// Reads a command line that begins with the name of a task.
  ///
  /// - Returns: Whether it does.
  private mutating func readSubcommand(_ words: [String]) throws(UsageError) -> Bool {
    switch words.first {
    case "diagram": try readDiagram(words)
    case "jupyter": task = .jupyter(try JupyterOptions(words))
    default: return false
    }
    return true
  }

  /// The schemes that a list names, with commas between them; none for an empty one.
  private static func schemes(_ list: String) throws(UsageError) -> Set<String> {
    let names = list.split(separator: ",").map(String.init)
    for name in names where !StandardGrants.schemes.contains(name) {
      let known = StandardGrants.schemes.sorted().joined(separator: ", ")
      throw UsageError(message: "'--schemes' takes names such as \(known), not '\(name)'")
    }
    return Set(names)
  }

  private static func directory(_ path: String, of option: String) throws(UsageError) -> String {
    var status = stat()
    guard unsafe stat(path, &status) == 0 else {
      throw UsageError(message: "'\(option)' cannot open '\(path)': \(systemErrorText())")
    }
    guard status.st_mode & S_IFMT == S_IFDIR else {
      throw UsageError(message: "'\(option)' takes a directory, which '\(path)' is not")
    }
    return path
  }

  private static func limit(_ text: String, of option: String) throws(UsageError) -> Int {
    let count = try count(text, of: option)
    guard count > 0 else {
      throw UsageError(message: "'\(option)' takes a number above 0, not '\(text)'")
    }
    return count
  }

  /// Seconds, as `10` or `0.5`.
  private static func seconds(
    _ text: String, of option: String
  ) throws(UsageError) -> Duration {
    let isWritten = text.utf8.allSatisfy {
      (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) || $0 == UInt8(ascii: ".")
    }
    guard isWritten, let seconds = Double(text), seconds > 0, seconds < 1e9 else {
      throw UsageError(message: "'\(option)' takes seconds such as 10 or 0.5, not '\(text)'")
    }
    return .nanoseconds(Int64(seconds * 1e9))
  }

  private mutating func readDiagram(_ words: [String]) throws(UsageError) {
    let request = try DiagramOptions(words)
    task = .diagram(request)
    arguments = Array(words[request.firstArgument...])
    if case .run(let index) = request.input {
      programName = Options.programName(of: words[index])
    }
  }

  /// Makes the lines of `-e` the task, if there are any.
  private mutating func choose(_ lines: [String], printsLines: Bool?) throws(UsageError) {
    if task == .session, !lines.isEmpty { task = .expression(lines.joined(separator: "\n")) }
    guard let printsLines else { return }
    guard case .expression(let text) = task else {
      throw UsageError(message: "'-n' and '-p' need a text: -e TEXT")
    }
    task = .eachLine(text, prints: printsLines)
  }

  /// Takes what is for the script, and looks at what does not go together.
  private mutating func finish(
    arguments: ArraySlice<String>, _ words: [String]
  ) throws(UsageError) {
    self.arguments = Array(arguments)
    if isInteractive, task == .standardInput {
      throw UsageError(message: "'-i' needs the standard input for what is typed")
    }
    if case .file(let index) = task { programName = Options.programName(of: words[index]) }
  }

  /// The name of a script's file without folder and ending.
  private static func programName(of path: String) -> String {
    let name = path.split(separator: "/").last ?? ""
    return String(name.hasSuffix(".st") ? name.dropLast(3) : name)
  }

  private static func count(_ text: String, of option: String) throws(UsageError) -> Int {
    guard let count = Int(text), count >= 0 else {
      throw UsageError(message: "'\(option)' takes a number, not '\(text)'")
    }
    return count
  }

  /// A number of bytes, as `512`, `64M` or `2G`.
  private static func size(
    _ text: String, of option: String, atLeast minimum: Int
  ) throws(UsageError) -> Int {
    let shift: Int? =
      switch text.last {
      case "K", "k": 10
      case "M", "m": 20
      case "G", "g": 30
      default: nil
      }
    let digits = shift == nil ? text[...] : text.dropLast()
    // The digits alone: `Int` would take a sign as well.
    guard digits.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }),
      let number = Int(digits)
    else {
      throw UsageError(message: "'\(option)' takes a size such as 64M or 2G, not '\(text)'")
    }
    let (bytes, overflow) = number.multipliedReportingOverflow(by: 1 << (shift ?? 0))
    // What the machine cannot address is as good as no limit.
    let size = overflow ? Int.max : bytes
    guard size >= minimum else {
      let least = minimum < 1 << 20 ? "\(minimum >> 10)K" : "\(minimum >> 20)M"
      throw UsageError(message: "'\(option)' takes at least \(least), not '\(text)'")
    }
    return size
  }

  static let version = "tenon 0.1.0\n"

  static let help = """
    usage: tenon [OPTION...] [FILE ARGUMENT...]
           tenon diagram [--zoom ZOOM] [--format FORMAT] [-o FILE] FILE
           tenon diagram --run [--zoom ZOOM] [--format FORMAT] [-o FILE] FILE ARGUMENT...
           tenon diagram --from [-o FILE] DIAGRAM
           tenon jupyter install [--user | --prefix DIR]

    Runs the script in FILE. Without FILE, reads what is typed at the terminal, or runs the script
    that is piped in. A script that is called 'diagram' or 'jupyter' is run as './diagram'.

    'tenon diagram' draws the connectors in FILE, which does not run; with '--run' it runs, and
    what it has connected is drawn with its values. ZOOM is cells, objects or stores, FORMAT mermaid,
    dot or svg. '--from' prints the statements of a diagram that is written in Mermaid.

    'tenon jupyter install' installs the kernel for Jupyter's notebooks: for the user, or below DIR.

      -e TEXT            evaluate the text and print its value; several '-e' are the lines of one
                         program, in which a '.' ends a statement that another follows
      -n, -p             evaluate the text of '-e' for each line of the standard input, which 'line'
                         is, with its number in 'lineNumber'; '-p' prints each value but nil
      -i                 go on at the prompt when the script or the text has ended
      --json             answer requests in JSON, a line each: for editors and other front ends
      -                  run the script that the standard input holds
      --once             end at the last statement; without the option a script that leaves active
                         timers goes on until they end or somebody presses Ctrl-C
      --memory SIZE      the most memory a program may keep, as 64M or 2G; without the option
                         a quarter of the machine's
      --stack SIZE       the native stack, which limits how deep a program may call itself;
                         1G without the option
      --depth N          how many methods and blocks may be under way, one within the other
      --steps N          the most steps of an evaluation: messages and turns of loops
      --timeout SECONDS  the longest time of an evaluation, as 10 or 0.5
      --schemes LIST     the schemes outside of the program that there are, as file,env,clock; none
                         for an empty LIST
      --root DIR         the directory below which the files of 'file:' are; there is no 'process:',
                         'sqlite:' and 'defaults:' then unless '--schemes' names it, and no import
      --no-startup       begin a session without the start-up file
      --collect-every N  collect garbage at every N-th safepoint, to test the interpreter
      --pauses           tell in the end how long the collector has stopped the program
      --version          print the version
      --help             print this

    Options stand before FILE; what follows it or a '-' is for the script, which finds it in
    'arguments'. After '-e' that is what begins with the first word that is no option, or follows
    a '--'.

    Exit status: 0, or what the script asks for with 'Exit status: N'; 1 after an uncaught error
    or when the output could not be written; 2 when the command line is wrong or the script cannot
    be read; 65 when the script has syntax errors; 130 after Ctrl-C, and 128 and its number after
    another signal (141 when nobody reads the output any more).

    """
}
