// The coarser views: objects or stores, with the connectors between them counted.

extension Diagram {
  func drawingOfOwners(_ zoom: Zoom) -> Drawing {
    var drawing = Drawing()
    let boxOf = addOwners(to: &drawing, zoom)
    var sources: [Int: [Int]] = [:]
    for read in reads where !read.isSamePlace {
      if let box = boxOf[read.from] { sources[read.to, default: []].append(box) }
    }
    /// The boxes that an operand stands for: a formula stands for what it reads.
    func boxes(of operand: Int) -> [Int] {
      boxOf[operand].map { [$0] } ?? Set(sources[operand] ?? []).sorted()
    }
    var counts = OwnerArrows()
    for statement in statements {
      let operands =
        statement.direction == .leftward ? statement.operands.reversed() : statement.operands
      guard let first = operands.first else { continue }
      var pairs: Set<OwnerArrows.Pair> = []
      var origins = boxes(of: first)
      for operand in operands.dropFirst() {
        // What flows through a filter comes out of what stands before that.
        if statement.connector == "->", boxOf[operand] == nil { continue }
        let targets =
          statement.direction == .both ? boxes(of: operand) : boxOf[operand].map { [$0] }
        for target in targets ?? [] {
          for origin in origins { pairs.insert(OwnerArrows.Pair(from: origin, to: target)) }
        }
        origins = boxes(of: operand)
      }
      for pair in pairs.sorted(by: { ($0.from, $0.to) < ($1.from, $1.to) }) {
        counts.add(pair, statement)
      }
    }
    for arrow in counts.arrows {
      var label = arrow.count > 1 ? "\(arrow.count) × \(arrow.connector)" : arrow.connector
      if !arrow.policy.isEmpty { label += " (\(arrow.policy))" }
      if arrow.pair.from == arrow.pair.to {
        drawing.boxes[arrow.pair.from].rows.append("\(label) within")
      } else {
        drawing.arrows.append(
          Drawing.Arrow(
            from: arrow.pair.from, to: arrow.pair.to, label: label,
            style: arrow.isBoth ? .both : .solid, mark: arrow.mark))
      }
    }
    return drawing
  }

  /// Adds a box for each object or store.
  ///
  /// - Returns: The box of each node; nil for formulas.
  private func addOwners(to drawing: inout Drawing, _ zoom: Zoom) -> [Int?] {
    var known: [String: Int] = [:]
    // A place has one row, however it is spelt.
    let respelled = Set(reads.filter(\.isSamePlace).map(\.to))
    return nodes.enumerated().map { number, node in
      guard node.kind == .place else { return nil }
      let owner = owner(of: node)
      let name = zoom == .objects ? owner.object : owner.store
      let box = known[name] ?? drawing.boxes.count
      if box == drawing.boxes.count {
        known[name] = box
        drawing.boxes.append(Drawing.Box(shape: .object, text: name))
      }
      if zoom == .objects, !respelled.contains(number) {
        var row = node.value.map { "\(node.text) = \($0)" } ?? node.text
        if node.lazyVariable != nil { row += " (lazy)" }
        if !drawing.boxes[box].rows.contains(row) { drawing.boxes[box].rows.append(row) }
      }
      if drawing.boxes[box].mark == .none { drawing.boxes[box].mark = node.mark }
      return box
    }
  }

  /// What a place is part of: for a program that does not run, what its text says.
  private func owner(of node: Node) -> Owner {
    if let owner = node.owner { return owner }
    let home = node.container.map { containers[$0].header } ?? "script"
    if node.container == nil, ["stdin", "stdout", "stderr"].contains(node.text) {
      return Owner(store: node.text, object: node.text)
    }
    guard let colon = node.text.firstIndex(of: ":"),
      node.text[..<colon].allSatisfy({ $0.isLetter || $0.isNumber || $0 == "_" || $0 == "-" }),
      !node.text[node.text.index(after: colon)...].hasPrefix("=")
    else {
      // `button width` is a part of the button.
      let words = node.text.split(separator: " ")
      return Owner(store: home, object: words.count > 1 ? String(words[0]) : home)
    }
    let scheme = node.text[..<colon]
    let path = node.text[node.text.index(after: colon)...]
    let parent = path.lastIndex(of: "/").map { path[..<$0] }
    if ["var", "ivar", "this", "self", "default"].contains(scheme) {
      return Owner(store: home, object: parent.map { "\(scheme):\($0)" } ?? home)
    }
    return Owner(store: "\(scheme):", object: "\(scheme):\(parent ?? "")")
  }
}

/// Connectors between two objects or stores, counted.
private struct OwnerArrows {
  struct Pair: Hashable {
    let from: Int
    let to: Int
  }

  struct Arrow {
    let pair: Pair
    let connector: String
    let policy: String
    let isBoth: Bool
    var count = 0
    var mark = Diagram.Mark.none
  }

  private struct Key: Hashable {
    let pair: Pair
    let connector: String
    let policy: String
  }

  private(set) var arrows: [Arrow] = []
  private var known: [Key: Int] = [:]

  /// Counts a connector; those that take changes up in another way are counted apart.
  mutating func add(_ pair: Pair, _ statement: Diagram.Statement) {
    let isBoth = statement.direction == .both
    // Which side is the truth is said of left and right: such arrows keep their ends.
    let policy = statement.policy
    let isFree = isBoth && policy.isEmpty
    let key = Key(
      pair: isFree ? Pair(from: min(pair.from, pair.to), to: max(pair.from, pair.to)) : pair,
      connector: statement.connector, policy: policy)
    let index = known[key] ?? arrows.count
    if index == arrows.count {
      known[key] = index
      arrows.append(
        Arrow(pair: key.pair, connector: key.connector, policy: policy, isBoth: isBoth))
    }
    arrows[index].count += 1
    if arrows[index].mark == .none { arrows[index].mark = statement.mark }
  }
}
