// The coarser views: objects or stores, with the connectors between them counted.

extension Diagram {
  func drawingOfOwners(_ zoom: Zoom) -> Drawing {
    var drawing = Drawing()
    // From there a store that is made of names of others is a box, and its names are none of its
    // connectors.
    let entries = zoom == .stores ? groupEntries : []
    let drawn = statements.indices.filter { !entries.contains($0) }
    let isWhole = zoom == .stores
    var used: Set<Int>?
    if isWhole {
      let operands = drawn.lazy.map { statements[$0] }.filter { $0.whole == nil }.flatMap(
        \.operands)
      let own = Set(operands)
      used = own.union(reads.filter { own.contains($0.to) && !$0.isSamePlace }.map(\.from))
    }
    var (boxOf, known) = addOwners(to: &drawing, zoom, used)
    var sources: [Int: [Int]] = [:]
    for read in reads where !read.isSamePlace {
      if let box = boxOf[read.from] { sources[read.to, default: []].append(box) }
    }
    /// The boxes that an operand stands for: a formula stands for what it reads.
    func boxes(of operand: Int) -> [Int] {
      boxOf[operand].map { [$0] } ?? Set(sources[operand] ?? []).sorted()
    }
    var counts = OwnerArrows()
    var wholes: Set<Whole> = []
    for number in drawn {
      let statement = statements[number]
      if isWhole, let whole = statement.whole {
        guard wholes.insert(whole).inserted else { continue }
        let ends = whole.stores.map { drawing.box(named: $0, &known) }
        let order = statement.direction == .leftward ? ends.reversed() : ends
        for (from, to) in zip(order, order.dropFirst()) {
          counts.add(OwnerArrows.Pair(from: from, to: to), statement)
        }
        continue
      }
      for pair in pairs(of: statement, boxOf, boxes) { counts.add(pair, statement) }
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
            style: arrow.isBoth ? .both : arrow.connector == ":=" ? .open : .solid,
            mark: arrow.mark))
      }
    }
    return drawing
  }

  /// The boxes that a statement joins, each pair once.
  private func pairs(
    of statement: Statement, _ boxOf: [Int?], _ boxes: (Int) -> [Int]
  ) -> [OwnerArrows.Pair] {
    let operands =
      statement.direction == .leftward ? statement.operands.reversed() : statement.operands
    guard let first = operands.first else { return [] }
    var pairs: Set<OwnerArrows.Pair> = []
    var origins = boxes(first)
    for operand in operands.dropFirst() {
      // What flows through a filter comes out of what stands before that.
      if statement.connector == "->", boxOf[operand] == nil { continue }
      let targets = statement.direction == .both ? boxes(operand) : boxOf[operand].map { [$0] }
      for target in targets ?? [] {
        for origin in origins { pairs.insert(OwnerArrows.Pair(from: origin, to: target)) }
      }
      origins = boxes(operand)
    }
    return pairs.sorted { ($0.from, $0.to) < ($1.from, $1.to) }
  }

  /// The statements that say for which places the names of groups stand.
  private var groupEntries: Set<Int> {
    var entries: Set<Int> = []
    func visit(_ items: [Item], isGroup: Bool) {
      for item in items {
        switch item {
        case .statement(let number): if isGroup { entries.insert(number) }
        case .container(let number, let inner):
          visit(inner, isGroup: containers[number].header.hasPrefix("group "))
        }
      }
    }
    visit(items, isGroup: false)
    return entries
  }

  /// The names that are those of stores: of groups, what is assigned from one to another, and what
  /// connectors join with these.
  ///
  /// - Complexity: O(statements) for each name that leads to further ones.
  private var storeNames: Set<String> {
    var names = Set(
      containers.map(\.header).filter { $0.hasPrefix("group ") }.map { String($0.dropFirst(6)) })
    for statement in statements where statement.connector == ":=" {
      names.formUnion(statement.operands.map { nodes[$0].text })
    }
    if names.isEmpty { return names }
    let joins = statements.filter { ["=|=", "|="].contains($0.connector) }.map { statement in
      statement.operands.map { nodes[$0] }.filter { node in
        node.kind == .place && node.container == nil
          && Diagram.variable(named: node.text) == node.text
      }.map(\.text)
    }
    var count = 0
    while count < names.count {
      count = names.count
      for join in joins where join.count > 1 && join.contains(where: { names.contains($0) }) {
        names.formUnion(join)
      }
    }
    return names
  }

  /// Adds a box for each object or store.
  ///
  /// - Parameters:
  ///   - drawing: What is drawn.
  ///   - zoom: How much of it.
  ///   - used: The nodes that have to be in a box; nil for all.
  /// - Returns: The box of each node, nil for formulas, and the boxes by their names.
  private func addOwners(
    to drawing: inout Drawing, _ zoom: Zoom, _ used: Set<Int>?
  ) -> (boxOf: [Int?], known: [String: Int]) {
    var known: [String: Int] = [:]
    // A place has one row, however it is spelt.
    let respelled = Set(reads.filter(\.isSamePlace).map(\.to))
    let storeNames = storeNames
    let boxOf = nodes.enumerated().map { number, node -> Int? in
      guard node.kind == .place, used?.contains(number) ?? true else { return nil }
      let owner =
        zoom == .stores && node.container == nil && storeNames.contains(node.text)
        ? Owner(store: node.text, object: node.text) : owner(of: node)
      let name = zoom == .objects ? owner.object : owner.store
      let box = drawing.box(named: name, &known)
      if zoom == .objects, !respelled.contains(number) {
        var row = node.value.map { "\(node.text) = \($0)" } ?? node.text
        if node.lazyVariable != nil { row += " (lazy)" }
        if !drawing.boxes[box].rows.contains(row) { drawing.boxes[box].rows.append(row) }
      }
      if drawing.boxes[box].mark == .none { drawing.boxes[box].mark = node.mark }
      return box
    }
    return (boxOf, known)
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

extension Drawing {
  /// The box of an object or a store, which is added when it is first asked for.
  fileprivate mutating func box(named name: String, _ known: inout [String: Int]) -> Int {
    if let box = known[name] { return box }
    known[name] = boxes.count
    boxes.append(Box(shape: .object, text: name))
    return boxes.count - 1
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
