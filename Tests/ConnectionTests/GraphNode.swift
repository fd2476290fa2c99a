/// What one cell of a one-way graph is computed from.
enum GraphNode: Equatable {
  struct Term: Equatable {
    let factor: Int
    let cell: Int
  }

  /// A constant and multiples of cells.
  case linear(Int, [Term])
  /// The sum of cells, modulo something.
  case modulo(Int, [Int])
  /// One of two cells, as the first is odd or even.
  case choice(Int, odd: Int, even: Int)
  /// The sum of cells modulo something; one is left out when the first is odd.
  case dropping(Int, first: Int, others: [Int])
  /// Whether a cell has come to a limit.
  case atLeast(Int, Int)

  /// What scripts call a cell.
  static func name(_ cell: Int) -> String { "v\(cell)" }

  /// The cells that its text names.
  var inputs: [Int] {
    switch self {
    case .linear(_, let terms): terms.map(\.cell)
    case .modulo(_, let cells): cells
    case .choice(let condition, let odd, let even): [condition, odd, even]
    case .dropping(_, let first, let others): [first] + others
    case .atLeast(let cell, _): [cell]
    }
  }

  /// Whether it may leave out some of what its text names.
  var chooses: Bool {
    switch self {
    case .linear, .modulo, .atLeast: false
    case .choice, .dropping: Set(inputs).count > 1
    }
  }

  /// The cells that it reads when these are their values.
  func reads(_ values: [Int]) -> Set<Int> {
    switch self {
    case .linear, .modulo, .atLeast: return Set(inputs)
    case .choice(let condition, let odd, let even):
      return [condition, values[condition].isMultiple(of: 2) ? even : odd]
    case .dropping(_, let first, let others):
      let count = others.count
      let dropped = ((values[first] % count) + count) % count
      let isOdd = !values[first].isMultiple(of: 2)
      return Set([first] + others.indices.filter { !isOdd || $0 != dropped }.map { others[$0] })
    }
  }

  func value(_ values: [Int]) -> Int {
    func modulo(_ value: Int, _ divisor: Int) -> Int {
      let remainder = value % divisor
      return remainder < 0 ? remainder + divisor : remainder
    }
    switch self {
    case .linear(let constant, let terms):
      return terms.reduce(constant) { $0 + $1.factor * values[$1.cell] }
    case .modulo(let divisor, let cells):
      return modulo(cells.reduce(0) { $0 + values[$1] }, divisor)
    case .choice(let condition, let odd, let even):
      return modulo(values[condition], 2) == 1 ? values[odd] : values[even]
    case .dropping(let divisor, let first, let others):
      let isOdd = modulo(values[first], 2) == 1
      let dropped = modulo(values[first], others.count)
      let kept = others.indices.filter { !isOdd || $0 != dropped }
      return modulo(kept.reduce(values[first]) { $0 + values[others[$1]] }, divisor)
    case .atLeast(let cell, let limit):
      return values[cell] >= limit ? 1 : 0
    }
  }

  /// The right side of `|=`.
  var text: String {
    func sum(_ cells: [Int]) -> String { cells.map(GraphNode.name).joined(separator: " + ") }
    switch self {
    case .linear(let constant, let terms):
      let parts = terms.map { term in
        let name = GraphNode.name(term.cell)
        return term.factor == 1 ? name : "(\(term.factor) * \(name))"
      }
      return ((constant == 0 && !parts.isEmpty ? [] : ["\(constant)"]) + parts)
        .joined(separator: " + ")
    case .modulo(let divisor, let cells):
      return "(\(sum(cells))) \\\\ \(divisor)"
    case .choice(let condition, let odd, let even):
      return "(\(GraphNode.name(condition)) \\\\ 2) = 1 "
        + "ifTrue: [\(GraphNode.name(odd))] ifFalse: [\(GraphNode.name(even))]"
    case .dropping(let divisor, let first, let others):
      let name = GraphNode.name(first)
      let parts = others.enumerated().map { index, cell in
        "((\(name) \\\\ 2) = 1 and: [(\(name) \\\\ \(others.count)) = \(index)] | "
          + "ifTrue: [0] ifFalse: [\(GraphNode.name(cell))])"
      }
      return "(" + ([name] + parts).joined(separator: " + ") + ") \\\\ \(divisor)"
    case .atLeast(let cell, let limit):
      return "\(GraphNode.name(cell)) >= \(limit) ifTrue: [1] ifFalse: [0]"
    }
  }
}

/// `["lin", 1, [1, 0]]`: the name of an operation, then numbers.
extension GraphNode: Decodable {
  private struct UnknownOperation: Error {
    let name: String
  }

  init(from decoder: any Decoder) throws {
    var container = try decoder.unkeyedContainer()
    func numbers() throws -> [Int] {
      var numbers: [Int] = []
      while !container.isAtEnd { numbers.append(try container.decode(Int.self)) }
      return numbers
    }
    switch try container.decode(String.self) {
    case "lin":
      let constant = try container.decode(Int.self)
      var terms: [Term] = []
      while !container.isAtEnd {
        let term = try container.decode([Int].self)
        terms.append(Term(factor: term[0], cell: term[1]))
      }
      self = .linear(constant, terms)
    case "mod":
      let divisor = try container.decode(Int.self)
      self = .modulo(divisor, try numbers())
    case "mux":
      let cells = try numbers()
      self = .choice(cells[0], odd: cells[1], even: cells[2])
    case "drop":
      let cells = try numbers()
      self = .dropping(cells[0], first: cells[1], others: Array(cells[2...]))
    case "ge":
      let cells = try numbers()
      self = .atLeast(cells[0], cells[1])
    case let name: throw UnknownOperation(name: name)
    }
  }
}
