internal import TenonAnalysis
internal import TenonLexer
internal import TenonParser
internal import TenonStoreKit

/// A script with those that it imports, parsed and checked before anything of them runs.
struct ScriptPlan {
  /// A file that an `import` names.
  struct File {
    let script: Script
    let source: SourceText
  }

  let machine: Machine
  let isPrompt: Bool
  /// What was read, by what tells files apart.
  private(set) var files: [String: File] = [:]
  /// The files in which something is wrong, with the first of it.
  private var rejected: [String: String] = [:]
  /// The messages that begin with a place.
  private var located: Set<String> = []
  /// The files in the order in which they are run.
  private var order: [String] = []
  /// The files that imports name: by the importing text's name and the path.
  private var targets: [[String]: String] = [:]
  private(set) var warnings: [(diagnostic: Diagnostic, source: SourceText)] = []
  private(set) var hyphenatedNames: Set<String>
  private(set) var connectors: Set<String>
  private(set) var variables: Set<String> = []
  /// The same in the order of their declaration.
  private(set) var declared: [String] = []
  private(set) var classes: Set<String> = []

  init(machine: Machine, isPrompt: Bool) {
    self.machine = machine
    self.isPrompt = isPrompt
    hyphenatedNames = machine.session.hyphenatedNames
    connectors = machine.session.definedConnectors
  }

  /// What came of reading a text.
  enum Outcome {
    case script(Script)
    case rejected([Diagnostic], isIncomplete: Bool)
  }

  /// The file that an import of a text stands for; nil when it was loaded before.
  func file(_ statement: ImportStatement, in source: SourceText) -> (identity: String, File)? {
    guard let identity = targets[[source.name, statement.path]], let file = files[identity] else {
      return nil
    }
    return (identity, file)
  }

  /// Parses and checks a text, after what it imports.
  ///
  /// - Parameters:
  ///   - source: The text.
  ///   - chain: The files that are being read, each imported by the one before it.
  ///   - wrap: Puts what was parsed into something else, before it is checked.
  /// - Returns: The script, or what is wrong with it.
  mutating func read(
    _ source: SourceText, chain: [(identity: String, name: String)],
    wrap: (Script) -> Script = { $0 }
  ) -> Outcome {
    var result = machine.parse(source, names: hyphenatedNames, connectors: connectors)
    guard var script = result.script else {
      return .rejected(result.diagnostics, isIncomplete: result.isIncomplete)
    }
    let known = (hyphenatedNames.count, connectors.count)
    var issues: [Diagnostic] = []
    for case .import(let statement) in script.statements {
      issues += read(statement, in: source, chain)
    }
    if known != (hyphenatedNames.count, connectors.count) {
      // Names with hyphens and connectors change how a text is read.
      result = machine.parse(source, names: hyphenatedNames, connectors: connectors)
      guard let again = result.script else {
        return .rejected(result.diagnostics, isIncomplete: result.isIncomplete)
      }
      script = again
    }
    script = wrap(script)
    // What is missing would have made names known.
    let isMissingImports = !issues.isEmpty
    var check = ScriptCheck(
      machine: machine, allowsUnknownNames: isPrompt && chain.count < 2 || isMissingImports)
    let imported = order.compactMap { files[$0]?.script }
    machine.withStackKnown { check.visit(script, after: imported) }
    issues += check.issues.map { Diagnostic(.error, $0.message, $0.range) }
    guard issues.isEmpty else {
      issues.sort { $0.range.start < $1.range.start }
      // What is wrong in a file is told at the first import of it.
      var told: Set<String> = []
      issues = issues.filter { !located.contains($0.message) || told.insert($0.message).inserted }
      return .rejected(Array(issues.prefix(Parser.diagnosticLimit)), isIncomplete: false)
    }
    warnings += result.diagnostics.map { ($0, source) }
    hyphenatedNames.formUnion(result.hyphenatedNames)
    connectors.formUnion(result.connectors)
    declared += check.declared.filter { !variables.contains($0) }
    variables.formUnion(check.variables)
    classes.formUnion(check.classes)
    return .script(script)
  }

  /// Reads what an import names, unless that was done.
  ///
  /// - Returns: what is wrong with it, told at the import.
  private mutating func read(
    _ statement: ImportStatement, in source: SourceText,
    _ chain: [(identity: String, name: String)]
  ) -> [Diagnostic] {
    func error(_ message: String) -> [Diagnostic] {
      [Diagnostic(.error, message, statement.range)]
    }
    guard let loader = machine.host.sourceLoader else { return error(Wording.noImports) }
    let loaded: LoadedSource
    do throws(SourceLoaderError) {
      loaded = try loader.load(statement.path, importedBy: source.name)
    } catch let failure {
      return error(failure.message)
    }
    let identity = loaded.identity
    if machine.session.importedFiles.contains(identity) { return [] }
    targets[[source.name, statement.path]] = identity
    if let start = chain.firstIndex(where: { $0.identity == identity }) {
      let names = chain[start...].map(\.name) + [loaded.source.name]
      return error(Wording.importCycle(names))
    }
    if files[identity] != nil { return [] }
    if let first = rejected[identity] { return error(first) }
    guard chain.count < MachineLimits.imports else {
      return error(Wording.importsTooDeep(MachineLimits.imports))
    }
    switch read(loaded.source, chain: chain + [(identity, loaded.source.name)]) {
    case .script(let script):
      if script.signature != nil { return error(Wording.importWithSignature(statement.path)) }
      files[identity] = File(script: script, source: loaded.source)
      order.append(identity)
      return []
    case .rejected(let diagnostics, _):
      let messages = diagnostics.map { diagnostic in
        // What is wrong in a file that this one imports is told with its own place.
        if located.contains(diagnostic.message) { return diagnostic.message }
        let place = loaded.source.location(of: diagnostic.range.start)
        return "\(loaded.source.name):\(place.line):\(place.column): \(diagnostic.message)"
      }
      located.formUnion(messages)
      // Further imports of it tell the first alone, without reading it again.
      rejected[identity] = messages.first
      return messages.map { Diagnostic(.error, $0, statement.range) }
    }
  }
}
