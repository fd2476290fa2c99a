internal import TenonLexer
package import TenonParser

/// What `(place =|= formula) inverse: ...` says besides the connection: the blocks that compute
/// places of the formula from its value.
package struct GivenInverse {
  package let connect: ConnectExpression
  /// A block for the only place in question, or a literal dictionary with a block for each name.
  package let argument: Expression

  /// Recognises the message `inverse:` to a connection that is written there.
  package init?(_ message: KeywordMessageExpression) {
    guard message.keywords.count == 1, message.keywords[0].text == "inverse:",
      let connect = message.receiver.writtenConnection, connect.connector.text == "=|=",
      !connect.isOwn, connect.operands.count == 2
    else { return nil }
    self.connect = connect
    argument = message.arguments[0]
  }

  /// What computes which place of a formula.
  package func blocks(
    for inversion: Inversion
  ) throws(Inversion.Problem) -> [(place: Expression, block: Expression)] {
    guard case .dictionary(let dictionary) = argument else {
      try checkParameters(of: argument)
      return [(try onlyPlace(of: inversion), argument)]
    }
    if dictionary.entries.isEmpty {
      throw Inversion.Problem(
        message: InversionWording.noInverseBlock(SyntaxPrinter.print(argument)),
        range: argument.range)
    }
    var given: Set<Int> = []
    var blocks: [(place: Expression, block: Expression)] = []
    for entry in dictionary.entries {
      let name: String
      switch entry.key {
      case .symbol(let symbol): name = symbol.value
      case .string(let string): name = string.value
      default: name = SyntaxPrinter.print(entry.key)
      }
      guard let index = inversion.names.firstIndex(of: name) else {
        throw Inversion.Problem(
          message: InversionWording.noSuchPlace(name, inversion.names), range: entry.key.range)
      }
      guard given.insert(index).inserted else {
        throw Inversion.Problem(message: InversionWording.givenTwice(name), range: entry.key.range)
      }
      try checkParameters(of: entry.value)
      blocks.append((inversion.places[index], entry.value))
    }
    return blocks
  }

  /// Refuses what is no block, or one that could not be told the value of the formula; of what is no
  /// literal that is found when the statement runs.
  private func checkParameters(of block: Expression) throws(Inversion.Problem) {
    switch block {
    case .integer, .float, .scaledDecimal, .string, .interpolatedString, .character, .array,
      .byteArray, .dictionary, .object:
      throw Inversion.Problem(
        message: InversionWording.noInverseBlock(SyntaxPrinter.print(block)), range: block.range)
    default: break
    }
    guard case .block(let block) = block else { return }
    let count = block.parameters.isEmpty ? block.implicitCount : block.parameters.count
    guard count != 1 else { return }
    throw Inversion.Problem(message: InversionWording.inverseParameters(count), range: block.range)
  }

  private func onlyPlace(of inversion: Inversion) throws(Inversion.Problem) -> Expression {
    let found = inversion.directions.map { SyntaxPrinter.print($0.place) }
    let missing = inversion.places.filter { !found.contains(SyntaxPrinter.print($0)) }
    let candidates = inversion.places.count == 1 ? inversion.places : missing
    guard candidates.count == 1, let place = candidates.first else {
      throw Inversion.Problem(
        message: inversion.names.isEmpty
          ? InversionWording.nothingToCompute : InversionWording.whichInverse(inversion.names),
        range: argument.range)
    }
    return place
  }
}

extension Expression {
  /// The connection that is written here, in parentheses.
  var writtenConnection: ConnectExpression? {
    switch self {
    case .connect(let connect): connect
    case .pipe(let pipe): pipe.input.writtenConnection
    default: nil
    }
  }
}

extension Inversion {
  /// Whether the right side of `=|=` is a formula, and not a place.
  package static func isFormula(_ expression: Expression, names: any InversionNames) -> Bool {
    if expression.isMemberOfValue { return true }
    return switch expression {
    case .name, .identifier, .reference, .subscript: false
    case .pipe(let pipe): isFormula(pipe.input, names: names)
    case .keywordMessage:
      expression.askedElement == nil || !names.declaredInverses(of: "at:").isEmpty
    case .unaryMessage(let message):
      InversionRules.isOperation(message.selector.text)
        || !names.declaredInverses(of: message.selector.text).isEmpty
        || !message.receiver.isPlaceOrSelf
    default: true
    }
  }
}
