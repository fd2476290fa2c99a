internal import TenonAnalysis
internal import TenonParser

// The connector statements that a diagram says.

extension Diagram {
  /// The connector statements, each on a line of its own, within the beginnings of the definitions
  /// they stand in; before them `var <lazy> name` for each variable in them that is declared so.
  ///
  /// At the beginning stands without what the statements would mean something else: `connector ~>` for
  /// each sign that is the program's own, `ref:scheme:a-scheme` for each scheme with hyphens, and
  /// `var a-name` for each name with hyphens.
  public var statementsText: String {
    var writer = StatementWriter(self)
    writer.write(items, of: nil, depth: 0)
    let signs = ownConnectors.map { "connector \($0) : Connector {}\n" }
    let schemes = hyphenatedSchemes.map { "ref:scheme:\($0).\n" }
    let names = hyphenatedVariables.map { "var \($0).\n" }
    return (signs + schemes + names).joined() + writer.text
  }

  /// The signs of its statements that not every program has, in the order in which they are met.
  var ownConnectors: [String] {
    var known: Set<String> = []
    return statements.map(\.connector).filter { sign in
      Connector.named(sign) == nil && known.insert(sign).inserted
    }
  }

  /// The names with hyphens that places and connections have, in the order in which they are met, but
  /// for those that are declared as lazy.
  private var hyphenatedVariables: [String] {
    // A group declares its name itself.
    let groups = containers.map(\.header).filter { $0.hasPrefix("group ") }.map { $0.dropFirst(6) }
    var known = Set(nodes.compactMap(\.lazyVariable)).union(groups.map { String($0) })
    var names: [String] = []
    for node in nodes where node.kind == .place {
      if let scheme = Diagram.scheme(of: node.text), !VariablePlace.schemes.contains(scheme) {
        continue
      }
      names += Diagram.hyphenatedNames(in: node.text)
    }
    names += statements.compactMap(\.name).flatMap { Diagram.hyphenatedNames(in: $0) }
    return names.filter { known.insert($0).inserted }
  }

  /// The schemes with hyphens that places have, in the order in which they are met.
  private var hyphenatedSchemes: [String] {
    var known: Set<String> = []
    return nodes.lazy.filter { $0.kind == .place }.compactMap { Diagram.scheme(of: $0.text) }
      .filter { $0.contains("-") && known.insert($0).inserted }
  }

  /// The scheme with which the text of a place begins.
  private static func scheme(of text: String) -> String? {
    let scheme = text.prefix { $0.isLetter || $0.isNumber || "_-".contains($0) }
    return text.dropFirst(scheme.count).first == ":" ? String(scheme) : nil
  }

  /// The words of a text that may be names with hyphens.
  private static func hyphenatedNames(in text: String) -> [String] {
    text.split { !($0.isLetter || $0.isNumber || "_-".contains($0)) }.filter { word in
      word.contains("-")
        && word.split(separator: "-", omittingEmptySubsequences: false).allSatisfy {
          $0.first.map { $0.isLetter || $0 == "_" } ?? false
        }
    }.map { String($0) }
  }

  /// The statements with the definitions they stand in, outermost first.
  package var statementList: [(definitions: [String], statement: String)] {
    var list: [(definitions: [String], statement: String)] = []
    func visit(_ items: [Item], _ path: [String]) {
      for item in items {
        switch item {
        case .statement(let number): list.append((path, text(of: statements[number])))
        case .container(let number, let items):
          visit(items, path + [containers[number].header])
        }
      }
    }
    visit(items, [])
    return list
  }

  /// The variables that are computed when they are read, by the definition that declares them, in
  /// the order in which they are met.
  var lazyVariables: [Int?: [String]] {
    var lists: [Int?: [String]] = [:]
    var known: [Int?: Set<String>] = [:]
    for node in nodes {
      guard let name = node.lazyVariable,
        known[node.container, default: []].insert(name).inserted
      else { continue }
      lists[node.container, default: []].append(name)
    }
    return lists
  }

  /// The text of a statement, without its full stop.
  func text(of statement: Statement) -> String {
    let operands = statement.operands.map { nodes[$0].text }
    var text = operands.joined(separator: " \(statement.connector) ")
    if let messages = statement.messages { text = "(\(text)) \(messages)" }
    if let name = statement.name { text = "\(name) := \(text)" }
    return text
  }
}

/// Writes the text of the statements, and notes where each part of it begins.
struct StatementWriter {
  /// Something of the diagram that stands in the text.
  enum Part {
    case statement(Int)
    case container(Int)
    /// The variable that is declared.
    case declaration(String, container: Int?)
  }

  private let diagram: Diagram
  private let lazyVariables: [Int?: [String]]
  private(set) var text = ""
  /// Where each part begins, in bytes, in order.
  private(set) var parts: [(start: Int, part: Part)] = []

  init(_ diagram: Diagram) {
    self.diagram = diagram
    lazyVariables = diagram.lazyVariables
  }

  mutating func write(_ items: [Diagram.Item], of container: Int?, depth: Int) {
    let indent = String(repeating: "  ", count: depth)
    for name in lazyVariables[container] ?? [] {
      begin(.declaration(name, container: container))
      text += "\(indent)var <\(ReservedName.lazyType)> \(name).\n"
    }
    for item in items {
      switch item {
      case .statement(let number):
        begin(.statement(number))
        // The further lines may be those of a string: they stay as they are.
        text += indent + diagram.text(of: diagram.statements[number]) + ".\n"
      case .container(let number, let items):
        begin(.container(number))
        text += indent + diagram.containers[number].header + " {\n"
        write(items, of: number, depth: depth + 1)
        text += indent + "}\n"
      }
    }
  }

  private mutating func begin(_ part: Part) {
    parts.append((text.utf8.count, part))
  }
}
