/// The connections of a program as a picture: places and formulas are boxes, connectors are arrows.
///
/// It is made of a program's text, of a diagram's own text, or of an interpreter's connections with
/// the values of the moment. Nothing of a connector statement is lost: a diagram says its
/// statements again.
public struct Diagram: Sendable, Equatable {
  /// A box: an operand of a connector, or something that an operand's formula reads.
  struct Node: Sendable, Equatable {
    enum Kind: Sendable {
      /// A variable, a property, a place in a store.
      case place
      /// An expression that computes something.
      case formula
    }

    var kind: Kind
    /// As the statement spells it.
    var text: String
    /// The definition it belongs to; nil for the script and its stores.
    var container: Int?
    /// What it holds at present, for programs that run.
    var value: String?
    var mark = Mark.none
    /// The name of the object it is part of, and of the store, for the coarser views; nil for what
    /// the text says.
    var owner: Owner?
  }

  /// What a place is part of.
  struct Owner: Sendable, Equatable, Hashable {
    var store: String
    var object: String
  }

  /// What is to be seen at a glance.
  enum Mark: String, Sendable {
    case none
    /// A formula has failed.
    case error
    /// It needs its own result, with no way back that would solve it.
    case cycle
    /// Two formulas determine it, or what a connection says does not hold.
    case conflict
    /// Something is missing that it reads.
    case waiting
    case suspended
  }

  /// A statement with a connector.
  struct Statement: Sendable, Equatable {
    var connector: String
    /// The operands in the order they are written: numbers of nodes.
    var operands: [Int]
    /// The place that the connection is assigned to.
    var name: String?
    /// What is sent to the connection: `strength: #weak`.
    var messages: String?
    var mark = Mark.none
    /// Which of its operands the connector fills.
    var direction: Direction
  }

  enum Direction: Sendable {
    /// The right side determines the left one: `|=`.
    case leftward
    /// The left side goes into the right one: `->`, and connectors of the program.
    case rightward
    case both

    init(of connector: String) {
      switch connector {
      case "=|=": self = .both
      case "|=", ">=|", "<=|", ":=", "+=": self = .leftward
      default: self = .rightward
      }
    }
  }

  /// A definition with connectors in it.
  struct Container: Sendable, Equatable {
    /// Its beginning, as it is written: `class Tank : Object`, `-initialize`.
    var header: String
    /// The definition it stands in.
    var parent: Int?
  }

  /// What a text consists of, in order.
  enum Item: Sendable, Equatable {
    case statement(Int)
    case container(Int, [Item])
  }

  /// A dotted line: a formula reads a place, or two spellings mean one place.
  struct Read: Sendable, Equatable, Hashable {
    var from: Int
    var to: Int
    var isSamePlace = false
  }

  var nodes: [Node] = []
  var statements: [Statement] = []
  var containers: [Container] = []
  var reads: [Read] = []
  var items: [Item] = []

  /// How much a diagram shows.
  public enum Zoom: String, Sendable, CaseIterable {
    /// Every place, formula and connector.
    case cells
    /// The objects that places are part of.
    case objects
    /// The stores.
    case stores
  }

  /// A way to write a diagram.
  public enum Format: String, Sendable, CaseIterable {
    case mermaid, dot, svg
  }

  /// Whether there is nothing to show.
  public var isEmpty: Bool { statements.isEmpty }

  /// Writes the diagram.
  ///
  /// - Complexity: O(n log n) for n boxes and arrows.
  public func written(as format: Format, _ zoom: Zoom = .cells) -> String {
    switch format {
    case .mermaid: zoom == .cells ? mermaid() : drawing(zoom).mermaid()
    case .dot: drawing(zoom).dot()
    case .svg: drawing(zoom).svg()
    }
  }
}

// MARK: - The text of the statements

extension Diagram {
  /// The connector statements, each on a line of its own, within the beginnings of the definitions
  /// they stand in.
  public var statementsText: String {
    var text = ""
    write(items, depth: 0, to: &text)
    return text
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

  private func write(_ items: [Item], depth: Int, to text: inout String) {
    let indent = String(repeating: "  ", count: depth)
    for item in items {
      switch item {
      case .statement(let number):
        // The further lines may be those of a string: they stay as they are.
        text += indent + self.text(of: statements[number]) + ".\n"
      case .container(let number, let items):
        text += indent + containers[number].header + " {\n"
        write(items, depth: depth + 1, to: &text)
        text += indent + "}\n"
      }
    }
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
