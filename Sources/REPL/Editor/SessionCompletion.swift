internal import Tenon
internal import TenonRuntime

#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#elseif canImport(Darwin)
  internal import Darwin
#endif

/// What a session can complete with: what its interpreter knows.
///
/// Variables are read, classes asked for their methods, and stores of this machine for what is below a
/// place; servers and programs are left alone, as asking them may take long or have an effect.
final class SessionCompletion: CompletionSource {
  private let interpreter: Interpreter
  /// The object of the language that is asked, whatever its name means later.
  private let prompt: Handle?
  /// The variables of the frame in which texts are evaluated.
  var frameNames: [String] = []
  /// What was typed, the latest last.
  var entries: [String] = []
  /// How often words were typed, as far as that was counted.
  private var uses: [Substring: Int] = [:]
  private var entriesCounted = 0

  /// The schemes that are not asked what is below a place.
  private static let slowSchemes: Set<String> = ["http", "https", "process", "stdin"]

  init(_ interpreter: Interpreter) {
    self.interpreter = interpreter
    prompt = try? interpreter.evaluate("Prompt current")
  }

  func begin(_ entries: [String]) {
    self.entries = entries
  }

  var connectors: [String] { interpreter.connectorSpellings }
  var names: [String] {
    (frameNames + interpreter.knownNames).filter { !$0.hasPrefix("_") }
      + ["self", "super", "nil", "true", "false", "class", "var", "import", "extension"]
  }
  var schemes: [String] { ask("schemeNames") }
  var commands: [String] { ask("commandNames") }
  var settings: [String] { ask("settingNames") }

  func children(ofScheme scheme: String, _ path: String) -> [String] {
    guard !SessionCompletion.slowSchemes.contains(scheme) else { return [] }
    if scheme == "var" {
      guard let name = path.split(separator: "/").first else { return interpreter.knownNames }
      guard let value = interpreter[String(name)] else { return [] }
      return properties(of: value.className)
    }
    return ask("namesBelow:", scheme + ":" + path)
  }

  func files(in directory: String) -> [String] {
    let path = directory.isEmpty ? "." : Shell.path(directory)
    guard let stream = unsafe opendir(path) else { return [] }
    defer { unsafe closedir(stream) }
    var names: [String] = []
    while let entry = unsafe readdir(stream) {
      let name = unsafe withUnsafePointer(to: &entry.pointee.d_name) {
        unsafe $0.withMemoryRebound(to: CChar.self, capacity: 256) { unsafe String(cString: $0) }
      }
      if name != ".", name != ".." { names.append(name) }
    }
    return names.sorted()
  }

  func hasChildren(_ scheme: String, _ path: String) -> Bool {
    scheme != "var" && !ask("namesBelow:", scheme + ":" + path + "/").isEmpty
  }

  func properties(of className: String) -> [String] {
    ask("propertiesOf:", className)
  }

  func selectors(of receiver: CompletionContext.Receiver, from prefix: String) -> [Selector] {
    let found: [Selector] =
      switch receiver {
      case .variable(let name): ofVariable(name, prefix)
      case .instance(let name): selectors("selectorsOf:from:", interpreter.value(name), prefix)
      case .unknown: ofAnything(prefix)
      }
    count()
    // What is typed often comes first; the order among the others stays.
    return found.enumerated().sorted { left, right in
      let (a, b) = (uses[left.element.name[...]] ?? 0, uses[right.element.name[...]] ?? 0)
      return a != b ? a > b : left.offset < right.offset
    }.map(\.element)
  }

  private func ofVariable(_ name: String, _ prefix: String) -> [Selector] {
    let known = ["nil": "UndefinedObject", "true": "True", "false": "False", "self": "Script"]
    if let className = known[name] {
      return selectors("selectorsOf:from:", interpreter.value(className), prefix)
    }
    guard let value = interpreter[name] else {
      return selectors("selectorsOfName:from:", interpreter.value(name), prefix)
    }
    // By the class's name: to ask the object would run what the program has made of 'class'.
    let className = value.className
    if className.hasSuffix(" class") {
      return selectors(
        "selectorsOfName:from:", interpreter.value(String(className.dropLast(6))), prefix)
    }
    return selectors("selectorsOf:from:", interpreter.value(className), prefix)
  }

  private func ofAnything(_ prefix: String) -> [Selector] {
    prefix.isEmpty ? [] : pairs(ask("allSelectorsFrom:", prefix))
  }

  private func selectors(_ message: String, _ subject: Handle, _ prefix: String) -> [Selector] {
    pairs(ask(message, with: [subject, interpreter.value(prefix)]))
  }

  private func pairs(_ texts: [String]) -> [Selector] {
    stride(from: 0, to: texts.count - 1, by: 2).map {
      Selector(name: texts[$0], label: texts[$0 + 1])
    }
  }

  private func count() {
    for entry in entries[min(entriesCounted, entries.count)...] {
      for word in entry.split(whereSeparator: { !($0.isLetter || $0 == ":" || $0.isNumber) }) {
        uses[word, default: 0] += 1
      }
    }
    entriesCounted = entries.count
  }

  // MARK: Asking

  /// Asks the prompt's object for texts; none when it fails.
  private func ask(_ selector: String, with arguments: [Handle]) -> [String] {
    guard let prompt, let found = try? interpreter.send(selector, to: prompt, with: arguments)
    else { return [] }
    return (found.elements ?? []).compactMap(\.string)
  }

  private func ask(_ selector: String) -> [String] { ask(selector, with: []) }
  private func ask(_ selector: String, _ text: String) -> [String] {
    ask(selector, with: [interpreter.value(text)])
  }
}
