/// A part of a path as a key: two are equal when their bytes are.
package struct PathStep: Hashable, Sendable {
  package let text: String

  package init(_ text: String) { self.text = text }

  package static func == (left: PathStep, right: PathStep) -> Bool {
    // Texts that only look the same are equal for Swift, and other steps all the same.
    left.text == right.text && left.text.utf8.elementsEqual(right.text.utf8)
  }
}

/// Something that stands at a path: a place in a store, or what connections call their places.
package protocol PathIdentifier {
  /// The path, from its widest part to its narrowest.
  var steps: [PathStep] { get }
  /// How many steps remain at least, whatever is dropped.
  var leastSteps: Int { get }
  /// Whether everything below is meant.
  var coversBelow: Bool { get }
  /// All that stands below the first steps of this path.
  func widened(to count: Int) -> Self
}

extension Reference: PathIdentifier {
  // What stands before the path is one step, and so is a query: it is the first to be dropped.
  package var steps: [PathStep] {
    var steps: [PathStep] = []
    steps.reserveCapacity(components.count + 2)
    // No component holds a control character, so nothing else looks like these two.
    steps.append(
      PathStep(
        isRooted ? "\(scheme)\u{1}\(authority ?? "\u{2}")" : scheme))
    for component in components { steps.append(PathStep(component)) }
    if !query.isEmpty { steps.append(PathStep("\u{3}" + queryText)) }
    return steps
  }

  package var leastSteps: Int { 1 }

  package var coversBelow: Bool { isDirectory }

  package func widened(to count: Int) -> Reference {
    // One of the steps is what stands before the path.
    dropping(components.count - max(0, count - 1))
  }
}

/// A tree of paths, in which each node may carry something.
///
/// A node is found in O(length of its path); nodes that carry nothing and lead nowhere are removed.
struct ReferenceTree<Element> {
  /// A node; the depth of a tree is the greatest length of a path.
  final class Node {
    fileprivate(set) var children: [PathStep: Node] = [:]
    var element: Element?

    fileprivate init() {}
  }

  private(set) var root = Node()

  /// The node of a path, made when it is missing.
  func makeNode(at path: some Sequence<PathStep>) -> Node {
    var node = root
    for step in path {
      if let child = node.children[step] {
        node = child
      } else {
        let child = Node()
        node.children[step] = child
        node = child
      }
    }
    return node
  }

  /// The node of a path, if there is one.
  func node(at path: some Sequence<PathStep>) -> Node? {
    var node = root
    for step in path {
      guard let child = node.children[step] else { return nil }
      node = child
    }
    return node
  }

  /// The first node on a path, from the widest on, for which something holds.
  func first(
    on path: some Sequence<PathStep>, where condition: (Node) -> Bool
  ) -> Node? {
    var node = root
    if condition(node) { return node }
    for step in path {
      guard let child = node.children[step] else { return nil }
      node = child
      if condition(node) { return node }
    }
    return nil
  }

  /// Calls a function with each node below another, that one left out.
  func forEach(below node: Node, _ body: (Node) -> Void) {
    var waiting = Array(node.children.values)
    while let next = waiting.popLast() {
      body(next)
      waiting.append(contentsOf: next.children.values)
    }
  }

  /// Takes away what the node of a path carries, and the nodes that are for nothing then.
  func clear(at path: [PathStep]) {
    var node = root
    // Where the nodes begin that lead nowhere else.
    var last = (node: root, step: path.first)
    for step in path {
      guard let child = node.children[step] else { return }
      if node.element != nil || node.children.count > 1 { last = (node, step) }
      node = child
    }
    node.element = nil
    if node.children.isEmpty, let step = last.step { last.node.children[step] = nil }
  }

  /// Forgets everything below a node.
  func removeChildren(of node: Node) { node.children = [:] }
}
