internal import TenonLexer
internal import TenonParser

extension Primitive {
  static let blockInspection: [Primitive] = [
    Primitive(
      "sendsOnly: selectors",
      "Whether it is made of literals, names, blocks and messages with these selectors alone."
    ) { machine, arguments throws(Failure) in
      let array = try machine.array(arguments[0])
      var allowed: Set<String> = []
      for index in 0..<array.elementCount {
        allowed.insert(try machine.swiftString(array[element: index]))
      }
      return Value(machine.sendsOnly(allowed, arguments.receiver))
    }
  ]
}

extension Machine {
  /// Whether evaluating a block can do nothing but send these messages: it assigns nothing, answers
  /// for nobody else, and reads no place of a store.
  fileprivate func sendsOnly(_ allowed: Set<String>, _ block: Value) -> Bool {
    let code = Closure(block).code.object
    let text = code.code.source.text(in: code.range)
    let source = SourceText(name: "<block>", text)
    guard
      let script = parse(
        source, names: session.hyphenatedNames, connectors: session.definedConnectors
      ).script,
      script.statements.count == 1, case .expression(let whole) = script.statements[0],
      case .block = whole
    else { return false }
    var waiting = [whole]
    while let expression = waiting.popLast() {
      switch expression {
      case .integer, .float, .scaledDecimal, .string, .character, .symbol, .name,
        .implicitParameter:
        continue
      case .block(let block):
        for statement in block.statements {
          guard case .expression(let inner) = statement else { return false }
          waiting.append(inner)
        }
      case .unaryMessage(let message):
        guard allowed.contains(message.selector.text) else { return false }
        waiting.append(message.receiver)
      case .binaryMessage(let message):
        guard allowed.contains(message.selector.text) else { return false }
        waiting += [message.receiver, message.argument]
      case .keywordMessage(let message):
        guard allowed.contains(message.keywords.map(\.text).joined()) else { return false }
        waiting.append(message.receiver)
        waiting += message.arguments
      case .pipe(let pipe): waiting.append(pipe.input)
      default: return false
      }
    }
    return true
  }
}
