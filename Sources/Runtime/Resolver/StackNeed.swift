internal import TenonAnalysis
internal import TenonLexer
internal import TenonParser

/// How much native stack it takes to check and to build a piece of syntax.
///
/// Both recurse once for each level of an expression, and an expression may have ten thousand. So
/// whoever is about to do it asks first, as nothing can be done about a stack that has run over.
struct StackNeed {
  /// The bytes that a level takes, measured on x86-64 with all kinds of levels and rounded up: most
  /// of them, and those of paths and connections.
  #if DEBUG
    private static let level = 8_500
    private static let pathLevel = 11_800
  #else
    private static let level = 2_200
    private static let pathLevel = 3_300
  #endif
  /// What is needed besides, by whatever builds and by what that calls.
  private static let base = 32 << 10

  /// The most bytes that a path from the root of what was visited to a leaf takes.
  private(set) var bytes = StackNeed.base
  /// What has still to be visited, and the bytes that the way to it takes.
  ///
  /// A list, as recursion is what is to be avoided here.
  private var pending: [(expression: Expression, bytes: Int)] = []

  /// The bytes for the statements of a script, a method or a block.
  static func bytes(for statements: [Statement]) -> Int {
    var need = StackNeed()
    need.visit(statements)
    return need.bytes
  }

  private mutating func visit(_ statements: [Statement]) {
    push(statements, StackNeed.base)
    while let (expression, bytes) = pending.popLast() {
      self.bytes = max(self.bytes, bytes)
      visit(expression, bytes)
    }
  }

  private mutating func visit(_ expression: Expression, _ bytes: Int) {
    let isPath =
      switch expression {
      case .identifier, .reference, .connect: true
      default: false
      }
    let inner = bytes + (isPath ? StackNeed.pathLevel : StackNeed.level)
    switch expression {
    case .block(let block):
      push(block.statements, inner)
    case .query(let query):
      push(query.receiver, inner)
      push(query.block.statements, inner)
    default:
      expression.forEachChild { push($0, inner) }
    }
  }

  private mutating func push(_ expression: Expression, _ bytes: Int) {
    switch expression {
    case .integer, .float, .scaledDecimal, .string, .character, .symbol, .byteArray, .name,
      .implicitParameter:
      self.bytes = max(self.bytes, bytes)
    default: pending.append((expression, bytes))
    }
  }

  private mutating func push(_ statements: [Statement], _ bytes: Int) {
    for statement in statements {
      switch statement {
      case .expression(let expression): push(expression, bytes)
      case .return(let statement): push(statement.value, bytes)
      case .variable(let statement): if let value = statement.value { push(value, bytes) }
      case .temporaries, .definition, .import: break
      }
    }
  }
}
