internal import TenonRuntime

/// What `tenon diagram` is asked for.
struct DiagramOptions: Equatable {
  /// Where what is drawn comes from.
  enum Input: Equatable {
    /// The connector statements of a script, which does not run: the number of the argument.
    case script(Int)
    /// The connections and values that there are when a script has run.
    case run(Int)
    /// A diagram, of which the statements are printed: the number of the argument.
    case diagram(Int)
  }

  var input: Input
  var zoom = Diagram.Zoom.cells
  var format = Diagram.Format.mermaid
  /// The file that the result is written to; nil for the standard output.
  var output: String?
  /// The number of the first argument that is for the script.
  var firstArgument: Int
}

extension DiagramOptions {
  /// Reads what follows the word `diagram` on a command line.
  ///
  /// - Parameter words: The command line, the program's name left out; the first is `diagram`.
  /// - Throws: `UsageError` for one that makes no sense.
  init(_ words: [String]) throws(UsageError) {
    var index = 1
    var file: Int?
    var isDiagram = false
    var runs = false
    var zoom = Diagram.Zoom.cells
    var format = Diagram.Format.mermaid
    var hasView = false
    var output: String?
    while index < words.count, file == nil || !runs {
      let parts = words[index].split(
        separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      let isOption = words[index].hasPrefix("-") && words[index] != "-"
      let name = words[index].hasPrefix("--") ? String(parts[0]) : words[index]
      let given = name == words[index] ? nil : String(parts[1])
      index += 1
      guard isOption else {
        guard file == nil else {
          throw UsageError(message: "'diagram' takes one file; '\(name)' is another")
        }
        file = index - 1
        continue
      }
      func value() throws(UsageError) -> String {
        if let given { return given }
        guard index < words.count else { throw UsageError(message: "'\(name)' needs a value") }
        index += 1
        return words[index - 1]
      }
      switch name {
      case "--zoom":
        zoom = try DiagramOptions.choice(try value(), of: name)
        hasView = true
      case "--format":
        format = try DiagramOptions.choice(try value(), of: name)
        hasView = true
      case "--output", "-o": output = try value()
      case "--run" where given == nil: runs = true
      case "--from" where given == nil: isDiagram = true
      case "--run", "--from": throw UsageError(message: "'\(name)' takes no value")
      default: throw UsageError(message: "unknown option '\(name)' of 'diagram'")
      }
    }
    guard let file else { throw UsageError(message: "'diagram' needs a file") }
    if isDiagram, runs || hasView {
      throw UsageError(message: "'--from' prints statements: it takes no other option but '-o'")
    }
    self.init(
      input: isDiagram ? .diagram(file) : runs ? .run(file) : .script(file), zoom: zoom,
      format: format, output: output, firstArgument: index)
  }

  private static func choice<Choice: RawRepresentable & CaseIterable>(
    _ text: String, of option: String
  ) throws(UsageError) -> Choice where Choice.RawValue == String {
    if let choice = Choice(rawValue: text) { return choice }
    let choices = Choice.allCases.map(\.rawValue).joined(separator: ", ")
    throw UsageError(message: "'\(option)' takes one of \(choices), not '\(text)'")
  }
}
