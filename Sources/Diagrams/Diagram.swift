/// The connections of a program as a picture: places and formulas are boxes, connectors are arrows.
///
/// It is made of a program's text, of a diagram's own text, or of an interpreter's connections with
/// the values of the moment. Nothing of a connector statement is lost: a diagram says its
/// statements again, and which of their variables are computed when they are read.
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
    /// The name of the variable it is, where that is declared to be computed when it is read.
    var lazyVariable: String?
  }

  /// What a place is part of.
  package struct Owner: Sendable, Equatable, Hashable {
    package var store: String
    package var object: String

    package init(store: String, object: String) {
      self.store = store
      self.object = object
    }
  }

  /// What is to be seen at a glance.
  package enum Mark: String, Sendable {
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
    /// What matters of that from afar: when changes are taken up, and which side is the truth.
    var policy = ""
    var mark = Mark.none
    /// Which of its operands the connector fills.
    var direction: Direction
    /// The statement between stores that it is one name of, for programs that run.
    var whole: Whole?
  }

  /// A statement that joins stores, name by name.
  package struct Whole: Sendable, Equatable, Hashable {
    var connector: String
    /// The stores, as the statement spells them.
    var stores: [String]
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
    /// How many instances there are, in words, for programs that run.
    var note: String?
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
