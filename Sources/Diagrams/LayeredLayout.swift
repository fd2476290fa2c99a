/// Places boxes in columns so that most arrows go from left to right and few cross.
///
/// After Sugiyama, Tagawa and Toda (1981): arrows that close a cycle are turned, the longest way
/// gives each box its column, what passes a column gets a place there, the boxes of a column are
/// ordered by the middle of their neighbours; then each column is brought as close to its
/// neighbours as the order allows, by the pooling of adjacent violators.
struct LayeredLayout {
  struct Size {
    var width: Double
    var height: Double
  }

  struct Point {
    var x: Double
    var y: Double
  }

  /// The middle of each box.
  private(set) var centers: [Point] = []
  /// The ways of the arrows: the points between the boxes where they pass a column.
  private(set) var bends: [[Point]] = []
  private(set) var width = 0.0
  private(set) var height = 0.0

  static let columnGap = 40.0
  static let rowGap = 14.0
  /// How often the columns are ordered anew.
  private static let sweeps = 6
  /// The most places that arrows take in the columns they pass, for each box and arrow.
  private static let passesPerItem = 12

  private var sizes: [Size]
  private var columns: [[Int]] = []
  private var column: [Int] = []
  private var position: [Int] = []
  private var middle: [Double] = []
  private var before: [[Int]] = []
  private var after: [[Int]] = []

  /// - Complexity: O((n + m) log n) for n boxes, and m arrows with the columns they pass.
  init(_ boxes: [Size], arrows: [(from: Int, to: Int)]) {
    sizes = boxes
    let count = boxes.count
    bends = Array(repeating: [], count: arrows.count)
    guard count > 0 else { return }
    let turned = LayeredLayout.turned(count, arrows)
    column = LayeredLayout.columns(count, turned)
    let passes = insertPasses(turned)
    buildColumns()
    orderColumns()
    placeColumns()
    for index in centers.indices { centers[index].y -= top }
    for (index, arrow) in arrows.enumerated() {
      let points = passes[index].map { centers[$0] }
      let isTurned = turned[index].from != arrow.from
      bends[index] = isTurned ? points.reversed() : points
    }
    centers.removeLast(centers.count - count)
  }

  private var top = 0.0

  // MARK: Columns

  /// The arrows, those turned that close a cycle.
  private static func turned(
    _ count: Int, _ arrows: [(from: Int, to: Int)]
  ) -> [(from: Int, to: Int)] {
    var leaving: [[Int]] = Array(repeating: [], count: count)
    for (index, arrow) in arrows.enumerated() { leaving[arrow.from].append(index) }
    enum State { case unseen, open, done }
    var states = Array(repeating: State.unseen, count: count)
    var result = arrows
    var hasEntry = Array(repeating: false, count: count)
    for arrow in arrows where arrow.from != arrow.to { hasEntry[arrow.to] = true }
    let roots = (0..<count).filter { !hasEntry[$0] } + (0..<count)
    for root in roots where states[root] == .unseen {
      var stack = [(node: root, next: 0)]
      states[root] = .open
      while let (node, next) = stack.last {
        guard next < leaving[node].count else {
          states[node] = .done
          stack.removeLast()
          continue
        }
        stack[stack.count - 1].next += 1
        let index = leaving[node][next]
        let target = arrows[index].to
        switch states[target] {
        case .unseen:
          states[target] = .open
          stack.append((target, 0))
        case .open: result[index] = (target, node)
        case .done: break
        }
      }
    }
    return result
  }

  /// The longest way to each box, in arrows.
  private static func columns(_ count: Int, _ arrows: [(from: Int, to: Int)]) -> [Int] {
    var leaving: [[Int]] = Array(repeating: [], count: count)
    var entering = Array(repeating: 0, count: count)
    for arrow in arrows where arrow.from != arrow.to {
      leaving[arrow.from].append(arrow.to)
      entering[arrow.to] += 1
    }
    var column = Array(repeating: 0, count: count)
    var ready = (0..<count).filter { entering[$0] == 0 }
    var next = 0
    while next < ready.count {
      let node = ready[next]
      next += 1
      for target in leaving[node] {
        column[target] = max(column[target], column[node] + 1)
        entering[target] -= 1
        if entering[target] == 0 { ready.append(target) }
      }
    }
    // What has nothing before it stands next to what comes after it.
    for node in ready.reversed() where column[node] == 0 && !leaving[node].isEmpty {
      column[node] = max(0, (leaving[node].map { column[$0] }.min() ?? 1) - 1)
    }
    return column
  }

  /// Gives the arrows places in the columns they pass, while there are not too many.
  private mutating func insertPasses(_ arrows: [(from: Int, to: Int)]) -> [[Int]] {
    var passes: [[Int]] = Array(repeating: [], count: arrows.count)
    before = Array(repeating: [], count: sizes.count)
    after = before
    var room = LayeredLayout.passesPerItem * (sizes.count + arrows.count)
    for (index, arrow) in arrows.enumerated() where arrow.from != arrow.to {
      var last = arrow.from
      let between = column[arrow.to] - column[arrow.from] - 1
      if between > 0, between <= room {
        room -= between
        for level in (column[arrow.from] + 1)..<column[arrow.to] {
          let pass = sizes.count
          sizes.append(Size(width: 0, height: 2))
          column.append(level)
          before.append([])
          after.append([])
          link(last, pass)
          passes[index].append(pass)
          last = pass
        }
      } else if between > 0 {
        continue
      }
      link(last, arrow.to)
    }
    return passes
  }

  private mutating func link(_ left: Int, _ right: Int) {
    after[left].append(right)
    before[right].append(left)
  }

  private mutating func buildColumns() {
    columns = Array(repeating: [], count: (column.max() ?? 0) + 1)
    position = Array(repeating: 0, count: sizes.count)
    middle = Array(repeating: 0, count: sizes.count)
    for node in sizes.indices { columns[column[node]].append(node) }
    for list in columns {
      for (index, node) in list.enumerated() { position[node] = index }
    }
  }

  // MARK: Order

  private mutating func orderColumns() {
    for sweep in 0..<LayeredLayout.sweeps {
      let isForward = sweep % 2 == 0
      let indices = Array(columns.indices)
      for index in isForward ? indices : indices.reversed() {
        order(index, by: isForward ? before : after)
      }
    }
  }

  private mutating func order(_ index: Int, by neighbours: [[Int]]) {
    for node in columns[index] {
      let near = neighbours[node]
      let sum = near.reduce(0.0) { $0 + Double(position[$1]) }
      middle[node] = near.isEmpty ? Double(position[node]) : sum / Double(near.count)
    }
    columns[index].sort { left, right in
      middle[left] != middle[right]
        ? middle[left] < middle[right] : position[left] < position[right]
    }
    for (place, node) in columns[index].enumerated() { position[node] = place }
  }

  // MARK: Coordinates

  private mutating func placeColumns() {
    centers = Array(repeating: Point(x: 0, y: 0), count: sizes.count)
    var x = 0.0
    for list in columns {
      let widest = list.map { sizes[$0].width }.max() ?? 0
      for node in list { centers[node].x = x + widest / 2 }
      x += widest + LayeredLayout.columnGap
      var y = 0.0
      for node in list {
        centers[node].y = y + sizes[node].height / 2
        y += sizes[node].height + LayeredLayout.rowGap
      }
    }
    width = max(0, x - LayeredLayout.columnGap)
    for sweep in 0..<LayeredLayout.sweeps {
      let isForward = sweep % 2 == 0
      let indices = Array(columns.indices)
      for index in isForward ? indices : indices.reversed() {
        straighten(index, by: isForward ? before : after)
      }
    }
    top = .infinity
    var bottom = -Double.infinity
    for (node, center) in centers.enumerated() {
      top = min(top, center.y - sizes[node].height / 2)
      bottom = max(bottom, center.y + sizes[node].height / 2)
    }
    height = bottom - top
  }

  /// Brings the boxes of a column as close to the middle of their neighbours as their order allows.
  private mutating func straighten(_ index: Int, by neighbours: [[Int]]) {
    let list = columns[index]
    // Offsets take the sizes out: what is left must only not fall.
    var offsets: [Double] = []
    var offset = 0.0
    for (place, node) in list.enumerated() {
      if place > 0 {
        offset += (sizes[list[place - 1]].height + sizes[node].height) / 2 + LayeredLayout.rowGap
      }
      offsets.append(offset)
    }
    var pools: [(sum: Double, count: Int)] = []
    for (place, node) in list.enumerated() {
      let near = neighbours[node]
      let wanted =
        near.isEmpty
        ? centers[node].y
        : near.reduce(0.0) { $0 + centers[$1].y } / Double(near.count)
      pools.append((wanted - offsets[place], 1))
      while pools.count > 1 {
        let last = pools[pools.count - 1]
        let previous = pools[pools.count - 2]
        guard last.sum / Double(last.count) < previous.sum / Double(previous.count) else { break }
        pools.removeLast()
        pools[pools.count - 1] = (previous.sum + last.sum, previous.count + last.count)
      }
    }
    var place = 0
    for pool in pools {
      for _ in 0..<pool.count {
        centers[list[place]].y = pool.sum / Double(pool.count) + offsets[place]
        place += 1
      }
    }
  }
}
