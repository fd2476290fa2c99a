internal import TenonStoreKit
internal import TenonText

/// What is directly below one reference, and its file, the bucket.
///
/// What is to be written is kept as names: the values are in the document, and the last one counts.
final class Container {
  let path: [String]
  /// The containers below it.
  var children: [ExactText: Container] = [:]
  /// The values; nil until the bucket has been read.
  var document: DefaultsDocument?
  /// The bytes of the values and names in the document, about.
  var size = 0
  /// Whether there is a file.
  var isOnDisk = false
  /// Whether a directory stands where the file should be.
  var isObstructed = false
  /// The names that changed since the last group of the journal.
  var pending: Set<ExactText> = []
  /// The names that changed since the bucket was written, or was about to be.
  var dirty: Set<ExactText> = []
  /// Those of the bucket that is being written.
  var saving: Set<ExactText> = []

  init(path: [String]) {
    self.path = path
  }

  /// Whether the bucket was written and may not be on the disk.
  var isUnsynchronized = false

  /// The names whose values are not in the bucket for certain.
  var unsaved: Set<ExactText> { dirty.union(saving) }

  /// Whether there are such names.
  var hasUnsaved: Bool { !dirty.isEmpty || !saving.isEmpty }

  /// A place in it that waits to be written.
  var unsavedPlace: [String]? {
    pending.union(unsaved).min().map { path + [$0.text] }
  }

  /// Whether there is a value in it, or may be one.
  var hasValues: Bool { isObstructed || document.map { !$0.values.isEmpty } ?? isOnDisk }

  /// Whether there is a value in it or anywhere below.
  ///
  /// - Complexity: O(1) as long as containers without values go; else O(*n*) in their number.
  var hasContent: Bool {
    var waiting = [self]
    while let container = waiting.popLast() {
      if container.hasValues { return true }
      waiting += container.children.values
    }
    return false
  }
}

/// All containers of a store.
struct ContainerTree {
  let root = Container(path: [])

  /// The container at a path; nil when there is none.
  func container(at path: some Sequence<String>) -> Container? {
    var container = root
    for component in path {
      guard let next = container.children[ExactText(component)] else { return nil }
      container = next
    }
    return container
  }

  /// The container at a path, which is made when it is missing.
  func makeContainer(at path: [String]) -> Container {
    var container = root
    for (index, component) in path.enumerated() {
      let name = ExactText(component)
      if let next = container.children[name] {
        container = next
      } else {
        let next = Container(path: Array(path[...index]))
        container.children[name] = next
        container = next
      }
    }
    return container
  }

  /// Forgets a container without values, and those above it that are for nothing then.
  func prune(_ path: [String]) {
    var way = [root]
    for component in path {
      guard let next = way.last?.children[ExactText(component)] else { return }
      way.append(next)
    }
    while way.count > 1, let last = way.popLast(), let name = last.path.last {
      guard !last.hasValues, last.children.isEmpty, !last.hasUnsaved, last.pending.isEmpty,
        !last.isUnsynchronized
      else { return }
      way.last?.children[ExactText(name)] = nil
    }
  }
}
