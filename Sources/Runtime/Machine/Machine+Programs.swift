internal import TenonAnalysis
internal import TenonLexer
internal import TenonParser
internal import TenonStoreKit
internal import TenonText

// Scripts as programs: arguments after a signature, results that are printed, filters and schemes
// that run by themselves.

extension Machine {
  // MARK: Arguments

  /// Gives the variables of a signature the program's arguments.
  ///
  /// - Returns: How the script ends when they do not fit, or when they ask how it is used.
  ///   What the command runs is told how it is used; any other text is refused at its signature.
  func bind(
    _ signature: ScriptSignature, of script: Script, in source: SourceText, isProgram: Bool
  ) -> ScriptOutcome? {
    let texts = programArguments
    let parameters = signature.header.parameters
    func refuse(_ message: String) -> ScriptOutcome {
      guard isProgram else {
        return .rejected([Diagnostic(.error, message, signature.range)], isIncomplete: false)
      }
      printError("\(source.name): \(message)\n" + usage(of: signature, of: script, in: source))
      return exit(2)
    }
    if isProgram, texts == ["--help"] || texts == ["-h"] {
      let usage = makeString(usage(of: signature, of: script, in: source))
      return printLine(usage).isUnwind ? endOfUnwinding() : exit(0)
    }
    let takesRest = parameters.last?.type?.text == "Array"
    let isEnough = takesRest ? texts.count >= parameters.count - 1 : texts.count == parameters.count
    guard isEnough else {
      let wanted = takesRest ? parameters.count - 1 : parameters.count
      return refuse(Wording.argumentCount(wanted, orMore: takesRest, found: texts.count))
    }
    for (index, parameter) in parameters.enumerated() {
      let name = parameter.name.text
      let value: Value
      if takesRest, index == parameters.count - 1 {
        value = makeArray(texts[index...].map { makeString($0) })
      } else {
        switch argument(texts[index], type: parameter.type?.text) {
        case .value(let converted): value = converted
        case .refused(let type):
          return refuse(
            Wording.argument(name, mustBe: withArticle(type), found: texts[index]))
        case .unwound: return endOfUnwinding()
        }
      }
      _ = store(value, into: scriptCell(named: name), slot: 0)
    }
    return nil
  }

  /// What the host put into the variable `arguments`.
  private var programArguments: [String] {
    guard let cell = session.cells["arguments"], cell[slot: 0].isObject(ofClass: ClassIndex.array)
    else { return [] }
    let array = ObjectRef(cell[slot: 0])
    return (0..<array.elementCount).compactMap { text(array[element: $0]) }
  }

  /// Whether an argument can be made an instance of a class.
  func canReadArguments(as info: ClassInfo) -> Bool {
    let known = ["String", "Symbol", "Boolean", "Character", "Array"]
    return known.contains(info.name) || reader(of: info) != nil
  }

  /// The message to a class that makes an instance of a text.
  private func reader(of info: ClassInfo) -> Selector? {
    // Where a class has both, its readFrom: takes what a stream still holds.
    ["fromString:", "readFrom:"].map { selector($0) }
      .first { info.metaclass?.lookUp($0) != nil }
  }

  private enum Argument {
    case value(Value)
    /// The text is none of this type.
    case refused(String)
    case unwound
  }

  /// Makes what a type says of an argument's text.
  private func argument(_ text: String, type: String?) -> Argument {
    switch type {
    case nil, "String": return .value(makeString(text))
    case "Symbol": return .value(symbol(text))
    case "Boolean":
      switch text {
      case "true", "yes": return .value(.true)
      case "false", "no": return .value(.false)
      default: return .refused("Boolean, true or false")
      }
    case "Character":
      guard text.unicodeScalars.count == 1, let scalar = text.unicodeScalars.first else {
        return .refused("Character")
      }
      return .value(Value(scalar))
    case "ref":
      guard let reference = placeArgument(text) else { return .refused("reference") }
      return .value(makeReference(reference))
    case let type?: return read(text, as: type)
    }
  }

  /// A text with a known scheme before it is a place there; any other is the path of a file.
  private func placeArgument(_ text: String) -> Reference? {
    let slash = UInt8(ascii: "/")
    let before = text.utf8.prefix { $0 != UInt8(ascii: ":") }
    let named = String(decoding: before, as: UTF8.self)
    let scheme = before.count < text.utf8.count && hasScheme(named) ? named : nil
    var path = scheme == nil ? text.utf8[...] : text.utf8.dropFirst(before.count + 1)
    var authority: String?
    if scheme != nil, path.starts(with: "//".utf8) {
      let rest = path.dropFirst(2)
      authority = String(decoding: rest.prefix { $0 != slash }, as: UTF8.self)
      path = rest.drop { $0 != slash }
    }
    return try? Reference(
      scheme: scheme ?? "file", authority: authority,
      components: path.split(separator: slash).map { String(decoding: $0, as: UTF8.self) },
      isAbsolute: path.first == slash, isDirectory: path.last == slash)
  }

  /// Asks a class to make an instance of a text.
  private func read(_ text: String, as type: String) -> Argument {
    guard let info = classesByName[type], let reader = reader(of: info) else {
      return .refused(type)
    }
    switch withErrorsCaught({ send(reader, to: info.object, makeString(text)) }) {
    case .value(var value):
      // Whole numbers are floats, too.
      if type == "Float", classInfo(of: value).inherits(from: kernelClass("Number")) {
        value = send(selector("asFloat"), to: value)
        if value.isUnwind { return .unwound }
      }
      return classInfo(of: value).inherits(from: info) ? .value(value) : .refused(type)
    case .failed: return .refused(type)
    case .unwound: return .unwound
    }
  }

  // MARK: Usage

  private func usage(
    of signature: ScriptSignature, of script: Script, in source: SourceText
  ) -> String {
    let program = source.name.parts(between: UInt8(ascii: "/")).last ?? source.name
    let parameters = signature.header.parameters
    var words = ["usage:", "tenon", program]
    words += parameters.enumerated().map { index, parameter in
      let name = parameter.name.text.uppercased()
      let isRest = index == parameters.count - 1 && parameter.type?.text == "Array"
      return isRest ? "[\(name)...]" : name
    }
    var lines = [words.joined(separator: " ")]
    let comments = script.comments.filter { $0.end <= signature.range.start }.map {
      source.text(in: $0).drop { $0 == "/" }.drop { $0 == " " }
    }
    if !comments.isEmpty { lines += [""] + comments.map { String($0) } }
    let typed = parameters.filter { $0.type != nil }
    if !typed.isEmpty { lines.append("") }
    let width = typed.map(\.name.text.count).max() ?? 0
    for parameter in typed {
      guard let type = parameter.type?.text else { continue }
      let name = parameter.name.text.uppercased()
      let padding = String(repeating: " ", count: width - parameter.name.text.count)
      lines.append("  \(name)\(padding)  \(Wording.typeInUsage(type, withArticle(type)))")
    }
    return lines.joined(separator: "\n")
  }

  private func exit(_ status: Int32) -> ScriptOutcome {
    .failed(
      UncaughtError(className: "Exit", message: "", exitStatus: status, trace: StackTrace()))
  }

  // MARK: Results

  /// Prints the result of a script whose signature promises one: what `^` answered, or for a type
  /// other than `void` the value of the last statement.
  ///
  /// - Returns: How the script ends.
  func printResult(
    _ outcome: ScriptOutcome, of signature: ScriptSignature, in source: SourceText
  ) -> ScriptOutcome {
    guard case .finished(let value) = outcome else { return outcome }
    let header = signature.header
    if let type = header.resultType?.text {
      if type == "void" { return outcome }
      if case .none(let found) = conformance(of: value, to: type) {
        let failure = Failure.wrongResult(withArticle(type), found: found, method: header.selector)
        printError(
          Diagnostic(.error, failure.message, signature.range).rendered(in: source))
        return exit(1)
      }
    } else if !session.endedByReturn {
      return outcome
    }
    if value.isNil { return outcome }
    return printLine(value).isUnwind ? endOfUnwinding() : outcome
  }

  /// Runs what a program ends in, when it is a filter or a scheme: between the standard streams.
  ///
  /// - Returns: How the script ends.
  func runLast(_ statement: Statement?, _ outcome: ScriptOutcome) -> ScriptOutcome {
    guard case .finished = outcome, case .definition(let definition) = statement,
      let input = session.cells["stdin"], let output = session.cells["stdout"]
    else { return outcome }
    let name: Name
    let message: String
    switch definition {
    case .filter(let filter): (name, message) = (filter.name, "flowFrom:to:")
    case .scheme(let scheme): (name, message) = (scheme.name, "serveFrom:to:")
    default: return outcome
    }
    guard let info = classesByName[name.text] else { return outcome }
    let value = send(selector(message), to: info.object, input[slot: 0], output[slot: 0])
    return value.isUnwind ? endOfUnwinding() : outcome
  }

  private func printLine(_ value: Value) -> Value {
    guard let output = session.cells["stdout"] else { return .nil }
    return send(selector("println:"), to: output[slot: 0], value)
  }
}
